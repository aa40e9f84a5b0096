"""Draws a learning curve from the metrics of runs: points per deal over decisions.

    python3 docs/curve.py rules runs/quickstart/{1,2,3} > docs/curve.svg
    python3 docs/curve.py rules runs/ppo-{1,2,3}.csv > docs/curve-ppo.svg

A run is the folder of `troel train`, or the .csv file of `ppo.py`, which evaluates against `rules`.
The runs are those of one recipe, one per training seed. The line is their mean at each evaluation,
the band its 95 % interval over seeds (Student's t). One run gives the line alone. Needs nothing but
Python. `strength_time.py` draws with the same `Figure`.
"""

import csv
import json
import math
import statistics
import sys
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 64, 60

# Colours by class, for light and dark pages. The background is drawn, so that the figure is
# readable even where a page and the system disagree about the theme.
STYLE = """
.background { fill: #ffffff } text { fill: #3d4144 } .title { fill: #16191b; font-weight: 600 }
.grid { stroke: #e3e6e8 } .zero { stroke: #7b8287 }
.ink { stroke: #1b6ca8 } .fill { fill: #1b6ca8 }
.label { fill: #16191b; stroke: #ffffff; stroke-width: 4; paint-order: stroke }
@media (prefers-color-scheme: dark) {
.background { fill: #0d1117 } text { fill: #b5bcc3 } .title { fill: #eef1f4 }
.grid { stroke: #262c33 } .zero { stroke: #79828b }
.ink { stroke: #6cb6f0 } .fill { fill: #6cb6f0 }
.label { fill: #eef1f4; stroke: #0d1117 }
}"""

# The 97.5 % quantiles of Student's t distribution for 1, 2, … 30 degrees of freedom.
STUDENT = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
]


class Figure:
    """An SVG figure with a title, a horizontal axis and an axis of points per deal."""

    def __init__(self, title, subtitle, left, right, low, high, is_log=False):
        """The horizontal axis goes from left to right, the vertical one from low to high."""
        self.is_log = is_log
        self.left, self.right, self.low, self.high = left, right, low, high
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' font-family="system-ui, sans-serif" font-size="15">',
            f"<style>{STYLE}</style>",
            f'<rect class="background" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        ]
        self.text(LEFT, 28, title, 'class="title" font-size="17"')
        self.text(LEFT, 49, subtitle, 'font-size="14"')

    def x(self, value):
        left, right = self.left, self.right
        if self.is_log:
            value, left, right = math.log10(value), math.log10(left), math.log10(right)
        return LEFT + (value - left) / (right - left) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        return TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)

    def text(self, x, y, content, attributes=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(content)}</text>')

    def line(self, x1, y1, x2, y2, attributes):
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self.parts.append(f"<line {ends} {attributes}/>")

    def horizontal_axis(self, marks, title):
        """Draws the marks, pairs of a value and a text, and the title."""
        for value, content in marks:
            x, y = self.x(value), HEIGHT - BOTTOM
            self.line(x, y, x, y + 5, 'class="zero"')
            self.text(x, y + 22, content, 'text-anchor="middle"')
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 13, title, 'text-anchor="middle"')

    def points_axis(self):
        """Draws a line and a number at round numbers of points."""
        for value in ticks(self.low, self.high, 7):
            y = self.y(value)
            kind = "zero" if value == 0 else "grid"
            self.line(LEFT, y, WIDTH - RIGHT, y, f'class="{kind}"')
            self.text(LEFT - 10, y + 5, signed(value), 'text-anchor="end"')

    def band(self, points):
        """Draws the area between the ends of intervals: value, low end, high end."""
        upper = [f"{self.x(x):.1f},{self.y(high):.1f}" for x, _, high in points]
        lower = [f"{self.x(x):.1f},{self.y(low):.1f}" for x, low, _ in reversed(points)]
        self.parts.append(
            f'<polygon class="fill" points="{" ".join(upper + lower)}" fill-opacity="0.2"/>'
        )

    def curve(self, points):
        """Draws a line through points, with a dot at each."""
        at = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.parts.append(
            f'<polyline class="ink" points="{at}" fill="none" stroke-width="2.5"/>'
        )
        for x, y in points:
            self.dot(x, y)

    def dot(self, x, y, radius=4):
        self.parts.append(
            f'<circle class="fill" cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="{radius}"/>'
        )

    def svg(self):
        return "\n".join([*self.parts, "</svg>"])


def evaluations(run, baseline):
    """Returns the millions of decisions trained on and the points, by iteration or evaluation."""
    if run.endswith(".csv"):
        with open(run, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["points_per_deal"]]
        points = [(int(row["decisions"]) / 1e6, float(row["points_per_deal"])) for row in rows]
        return dict(enumerate(points))
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
    """Yields decisions, mean and half width at each iteration at which all runs were evaluated."""
    found = [evaluations(run, baseline) for run in runs]
    shared = sorted(set.intersection(*(set(of_run) for of_run in found)))
    for iteration in shared:
        steps, points = zip(*(of_run[iteration] for of_run in found))
        yield (statistics.fmean(steps), *mean_and_half_width(points))


def ticks(low, high, wanted):
    """Returns at most about `wanted` round numbers from low to high."""
    steps = [digit * 10.0**power for power in range(-1, 6) for digit in (1, 2, 5)]
    step = next((step for step in steps if (high - low) / step <= wanted), steps[-1])
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
    meaning = "One training seed"
    if len(runs) > 1:
        meaning = f"Mean of {len(runs)} training seeds with its 95 % interval"
    figure = Figure(f"Points per deal against {baseline}", meaning, 0, most, low, high)
    figure.points_axis()
    marks = [(tick, f"{tick:g}") for tick in ticks(0, most, 8)]
    figure.horizontal_axis(marks, "decisions trained on (millions)")
    if len(runs) > 1:
        figure.band([(x, mean - half, mean + half) for x, mean, half in points])
    figure.curve([(x, mean) for x, mean, _ in points])
    print(figure.svg())


if __name__ == "__main__":
    main()
