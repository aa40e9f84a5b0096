"""Draws a learning curve from the metrics of runs: points per deal against a baseline, over decisions.

    python3 docs/curve.py rules runs/quickstart/1 runs/quickstart/2 runs/quickstart/3 > docs/curve.svg

The runs are those of one recipe, one per training seed. The line is their mean at each evaluation, the
band its 95 % interval over seeds (Student's t). One run gives the line alone. Needs nothing but Python.
"""

import json
import math
import statistics
import sys
from pathlib import Path

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 50, 60
COLOUR = "#1b6ca8"

# The 97.5 % quantiles of Student's t distribution for 1, 2, … 30 degrees of freedom.
STUDENT = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
]


def evaluations(run, baseline):
    """Returns, by iteration, the decisions trained on (millions) and the points of each evaluation."""
    tag = f"eval/{baseline}"
    lines = (Path(run) / "metrics.jsonl").read_text().splitlines()
    values = [line for line in map(json.loads, lines) if tag in line]
    return {v["iteration"]: (v["charts/global_step"] / 1e6, v[tag]) for v in values}


def mean_and_half_width(points):
    """Returns the mean over seeds and half the width of its 95 % interval; 0 for one seed."""
    mean, n = statistics.fmean(points), len(points)
    if n == 1:
        return mean, 0.0
    quantile = STUDENT[n - 2] if n - 2 < len(STUDENT) else STUDENT[-1]
    return mean, quantile * statistics.stdev(points) / math.sqrt(n)


def curve(runs, baseline):
    """Returns decisions, mean and half width at each iteration at which all runs were evaluated."""
    found = [evaluations(run, baseline) for run in runs]
    shared = sorted(set.intersection(*(set(of_run) for of_run in found)))
    for iteration in shared:
        steps, points = zip(*(of_run[iteration] for of_run in found))
        yield (statistics.fmean(steps), *mean_and_half_width(points))


def ticks(low, high, wanted):
    """Returns at most about `wanted` round numbers from low to high."""
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if (high - low) / s <= wanted)
    first = -(-low // step) * step
    return [round(first + i * step, 6) + 0.0 for i in range(int((high - first) / step) + 1)]


def signed(value):
    """Returns a number with its sign, which zero lacks."""
    return "0" if value == 0 else f"{value:+g}".replace("-", "−")


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: python3 docs/curve.py BASELINE RUN...")
    baseline, runs = sys.argv[1], sys.argv[2:]
    points = list(curve(runs, baseline))
    if not points:
        sys.exit(f"no iteration at which all runs were evaluated against {baseline}")
    most = max(x for x, _, _ in points)
    low = min(min(mean - half for _, mean, half in points), 0) - 0.1
    high = max(max(mean + half for _, mean, half in points), 0) + 0.1

    def x(value):
        return LEFT + value / most * (WIDTH - LEFT - RIGHT)

    def y(value):
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def text(at_x, at_y, content, more=""):
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" fill="#444"{more}>{content}</text>'

    middle, end = ' text-anchor="middle"', ' text-anchor="end"'
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="system-ui, sans-serif" font-size="15">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        text(LEFT, 28, f"Points per deal against {baseline}", ' font-size="17"'),
    ]
    for tick in ticks(low, high, 7):
        colour, at = "#555" if tick == 0 else "#ddd", y(tick)
        ends = f'x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"'
        out.append(f'<line {ends} stroke="{colour}"/>')
        out.append(text(LEFT - 10, at + 5, signed(tick), end))
    for tick in ticks(0, most, 8):
        out.append(text(x(tick), HEIGHT - BOTTOM + 24, f"{tick:g}", middle))
    axis = "decisions trained on (millions)"
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, axis, middle))
    meaning = "one seed"
    if len(runs) > 1:
        meaning = f"mean of {len(runs)} seeds, 95 % interval"
        upper = [f"{x(s):.1f},{y(mean + half):.1f}" for s, mean, half in points]
        lower = [f"{x(s):.1f},{y(mean - half):.1f}" for s, mean, half in reversed(points)]
        band = " ".join(upper + lower)
        out.append(f'<polygon points="{band}" fill="{COLOUR}" fill-opacity="0.18"/>')
    line = " ".join(f"{x(s):.1f},{y(mean):.1f}" for s, mean, _ in points)
    out.append(f'<polyline points="{line}" fill="none" stroke="{COLOUR}" stroke-width="2.5"/>')
    out.append(text(WIDTH - RIGHT, 28, meaning, end))
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
