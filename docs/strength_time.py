"""Draws the strength of bots over the processor time that they take.

    python3 docs/strength_time.py docs/strength-time.csv > docs/strength-time.svg

The first line of the file names the columns:

- bot: name of the bot, under the rules `luxembourg`
- points: points per deal of one seat against three copies of `rules`, minus those of a fourth copy
  in this seat
- interval: half the width of the 95 % interval
- ms_per_deal: processor time of one seat for one deal (13 cards and its calls)
- deals, seed: the arguments of `troel eval`

Each row is `troel eval BOT rules --deals DEALS --seed SEED --threads 1` under `time`. The user time
of the same command with the bot `random` is subtracted. The rest is divided by four seats and the
number of deals. Needs nothing but Python.
"""

import csv
import math
import sys

from curve import RIGHT, WIDTH, Figure


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 docs/strength_time.py FILE.csv")
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = ["points", "interval", "ms_per_deal"]
    values = [[float(row[column]) for column in columns] for row in rows]
    low = min(0, *(points - half for points, half, _ in values)) - 0.2
    high = max(points + half for points, half, _ in values) + 0.3
    powers = [math.log10(ms) for *_, ms in values]
    first, last = math.floor(min(powers)), math.ceil(max(powers))
    figure = Figure(
        "Points per deal of one seat against three copies of rules",
        "luxembourg, 95 % intervals; rules scores 0",
        10.0**first, 10.0**last, low, high, is_log=True,
    )
    figure.points_axis()
    marks = [(10.0**power, f"{10.0**power:g}") for power in range(first, last + 1)]
    title = "processor time of one seat for a deal, milliseconds (logarithmic)"
    figure.horizontal_axis(marks, title)
    for i, (row, (points, half, ms)) in enumerate(zip(rows, values)):
        x, top, bottom = figure.x(ms), figure.y(points + half), figure.y(points - half)
        figure.line(x, top, x, bottom, 'class="ink" stroke-width="2"')
        figure.dot(ms, points, radius=5)
        # Names are above and below the intervals in turn, so that neighbours do not overlap.
        y = top - 8 if i % 2 == 0 else bottom + 26
        # Names in the last part of the axis end at its end.
        x, anchor = (WIDTH - RIGHT, "end") if ms > 10.0 ** (last - 1) else (x, "middle")
        figure.text(x, y, row["bot"], f'class="label" text-anchor="{anchor}"')
    print(figure.svg())


if __name__ == "__main__":
    main()
