"""Draws the learning curve of the README: points per deal against a baseline over the decisions learnt from.

    python3 docs/curve.py rules runs/quickstart-1 runs/quickstart-2 runs/quickstart-3 > docs/curve.svg

Each run's metrics.jsonl gives a line with its 95 % intervals as a band. Needs nothing but Python.
"""

import json
import sys
from pathlib import Path

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 50, 60
COLOURS = ["#1b6ca8", "#c2571a", "#3d7f3d", "#7a4fa3"]


def points(run, baseline):
    """Decisions (millions), points, low and high of each evaluation of a run."""
    tag = f"eval/{baseline}"
    for line in (Path(run) / "metrics.jsonl").read_text().splitlines():
        values = json.loads(line)
        if tag in values:
            step = values["charts/global_step"] / 1e6
            yield step, values[tag], values[f"{tag}/low"], values[f"{tag}/high"]


def ticks(low, high, wanted):
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if (high - low) / s <= wanted)
    first = -(-low // step) * step
    return [round(first + i * step, 6) for i in range(int((high - first) / step) + 1)]


def main():
    baseline, runs = sys.argv[1], sys.argv[2:]
    curves = [list(points(run, baseline)) for run in runs]
    everything = [p for curve in curves for p in curve]
    most = max(p[0] for p in everything)
    low = min(min(p[2] for p in everything), 0) - 0.1
    high = max(max(p[3] for p in everything), 0) + 0.1
    x = lambda value: LEFT + value / most * (WIDTH - LEFT - RIGHT)
    y = lambda value: TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="15">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="28" font-size="17" fill="#222">Points per deal against {baseline}</text>',
    ]
    for tick in ticks(low, high, 7):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="{"#555" if tick == 0 else "#ddd"}"/>')
        out.append(f'<text x="{LEFT - 10}" y="{y(tick) + 5:.1f}" text-anchor="end" fill="#444">{tick:+g}</text>'.replace("+0<", "0<").replace("-", "−", 0))
    for tick in ticks(0, most, 8):
        out.append(f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 24}" text-anchor="middle" fill="#444">{tick:g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle" fill="#444">decisions learnt from (millions)</text>')
    for n, curve in enumerate(curves):
        colour = COLOURS[n % len(COLOURS)]
        band = [f"{x(s):.1f},{y(h):.1f}" for s, _, _, h in curve] + [f"{x(s):.1f},{y(l):.1f}" for s, _, l, _ in reversed(curve)]
        out.append(f'<polygon points="{" ".join(band)}" fill="{colour}" fill-opacity="0.15"/>')
        line = " ".join(f"{x(s):.1f},{y(p):.1f}" for s, p, _, _ in curve)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        out.append(f'<text x="{WIDTH - RIGHT - 8}" y="{HEIGHT - BOTTOM - 14 - 20 * (len(curves) - 1 - n)}" text-anchor="end" fill="{colour}">seed {n + 1}</text>')
    out.append("</svg>")
    print("\n".join(out))


main()
