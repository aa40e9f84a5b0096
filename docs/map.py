#!/usr/bin/env python3
"""Draws the crates of the workspace and their dependencies as docs/map.svg.

    python3 docs/map.py

Reads the Cargo.toml files of the workspace members. Needs Python 3.11 and no packages.
"""

import itertools
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]

BOX_WIDTH, BOX_HEIGHT = 150, 48
COLUMN_WIDTH, ROW_HEIGHT = 176, 114
MARGIN = 28
INK, ARROW, BACKGROUND = "#1f2933", "#52606d", "#ffffff"

# Fill of the boxes by top-level folder.
FILLS = {
    "env": "#ffe8b3",
    "agents": "#cfe6ff",
    "eval": "#d5f0d3",
    "train": "#d5f0d3",
    "frontends": "#f7d9e6",
}
OTHER_FILL = "#e4e7eb"


def read_crates():
    """Returns the folder of each crate, and the crates that it depends on (tests left out)."""
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    manifests = {folder: tomllib.loads((ROOT / folder / "Cargo.toml").read_text()) for folder in members}
    folders = {manifest["package"]["name"]: folder for folder, manifest in manifests.items()}
    uses = {}
    for manifest in manifests.values():
        names = manifest.get("dependencies", {})
        uses[manifest["package"]["name"]] = sorted(name for name in names if name in folders)
    return folders, uses


def reachable(crate, uses):
    """Returns all crates that a crate depends on, directly or not."""
    found = set()
    for used in uses[crate]:
        found |= {used} | reachable(used, uses)
    return found


def direct_uses(uses):
    """Returns the dependencies of each crate without those that follow from the others."""
    reduced = {}
    for crate, used in uses.items():
        implied = set().union(*(reachable(one, uses) for one in used))
        reduced[crate] = [one for one in used if one not in implied]
    return reduced


def levels_of(uses):
    """Returns the row of each crate: 0 without dependencies, else below all that it uses.

    Crates that are not connected are in the last row.
    """
    levels = {}

    def level(crate):
        if crate not in levels:
            levels[crate] = max((level(used) + 1 for used in uses[crate]), default=0)
        return levels[crate]

    last_row = max(level(crate) for crate in uses)
    users = set(itertools.chain.from_iterable(uses.values()))
    for crate in uses:
        if not uses[crate] and crate not in users:
            levels[crate] = last_row
    return levels


def paths_of(uses, levels):
    """Returns one path per arrow: a node for each row that it passes, from the user upwards.

    A node is a crate, or a tuple for a place between boxes.
    """
    for crate in sorted(uses):
        for used in uses[crate]:
            between = range(levels[crate] - 1, levels[used], -1)
            yield [crate, *((crate, used, row) for row in between), used]


def arrange(rows, edges):
    """Orders each row so that as few arrows cross as possible, and then so that they are short.

    Arrows join neighbouring rows only, so the best arrangement follows row by row: for each order
    of a row, the best arrangement of the rows above that ends with it.
    """
    best = {order: (0, 0, [order]) for order in itertools.permutations(rows[0])}
    for row in rows[1:]:
        between = [(a, b) for a, b in edges if a in row]
        best = {
            order: min((extended(above, order, between) for above in best.values()), key=cost)
            for order in itertools.permutations(row)
        }
    return min(best.values(), key=cost)[2]


def cost(arrangement):
    return arrangement[:2]


def extended(above, row, edges):
    """Returns an arrangement with one more row: crossings, length of the arrows, rows."""
    crossings, length, rows = above
    lower, upper = dict(places(row)), dict(places(rows[-1]))
    ends = [(lower[a], upper[b]) for a, b in edges]
    crossings += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in itertools.combinations(ends, 2))
    return crossings, length + sum(abs(a - b) for a, b in ends), [*rows, row]


def places(row):
    """Yields each node of a row with its column; the row is centred at 0."""
    for number, node in enumerate(row):
        yield node, number - (len(row) - 1) / 2


def draw(folders, uses):
    """Returns the drawing as SVG."""
    reduced = direct_uses(uses)
    levels = levels_of(uses)
    paths = list(paths_of(reduced, levels))
    rows = [sorted(crate for crate in uses if levels[crate] == row) for row in range(max(levels.values()) + 1)]
    for path in paths:
        for node in path[1:-1]:
            rows[node[2]].append(node)
    edges = [edge for path in paths for edge in itertools.pairwise(path)]
    rows = arrange(rows, edges)

    columns = max(len(row) for row in rows)
    width = 2 * MARGIN + columns * COLUMN_WIDTH - (COLUMN_WIDTH - BOX_WIDTH)
    height = 2 * MARGIN + len(rows) * ROW_HEIGHT - (ROW_HEIGHT - BOX_HEIGHT)
    centre = {}
    for number, row in enumerate(rows):
        for node, place in places(row):
            centre[node] = (width / 2 + place * COLUMN_WIDTH, MARGIN + number * ROW_HEIGHT + BOX_HEIGHT / 2)

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="system-ui, sans-serif" role="img">',
        "<title>The crates of Troel; arrows point to the crates that they use</title>",
        f'<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8"'
        f' orient="auto"><path d="M0 0.5 L10 5 L0 9.5 z" fill="{ARROW}"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
    ]
    for path in paths:
        (x, y), points = centre[path[0]], []
        start = x + spread(path[0], path[1], edges, centre, outgoing=True)
        points.append((start, y - BOX_HEIGHT / 2))
        for node in path[1:-1]:
            x, y = centre[node]
            points += [(x, y + BOX_HEIGHT / 2), (x, y - BOX_HEIGHT / 2)]
        x, y = centre[path[-1]]
        end = x + spread(path[-1], path[-2], edges, centre, outgoing=False)
        points.append((end, y + BOX_HEIGHT / 2 + 3))
        line = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        svg.append(f'<path d="M{line}" fill="none" stroke="{ARROW}" stroke-width="1.6" marker-end="url(#tip)"/>')
    for crate in sorted(folders, key=lambda crate: (centre[crate][1], centre[crate][0])):
        x, y = centre[crate]
        fill = FILLS.get(folders[crate].split("/")[0], OTHER_FILL)
        svg += [
            f'<rect x="{x - BOX_WIDTH / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}" width="{BOX_WIDTH}"'
            f' height="{BOX_HEIGHT}" rx="6" fill="{fill}" stroke="{INK}"/>',
            f'<text x="{x:.1f}" y="{y - 3:.1f}" text-anchor="middle" font-size="15" font-weight="600"'
            f' fill="{INK}">{escape(crate)}</text>',
            f'<text x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle" font-size="12"'
            f' fill="{INK}">{escape(folders[crate])}/</text>',
        ]
    return "\n".join([*svg, "</svg>", ""])


def spread(node, other, edges, centre, outgoing):
    """Returns the offset of an arrow from the middle of a box, so that arrows do not meet."""
    ends = [(b if outgoing else a) for a, b in edges if (a if outgoing else b) == node]
    ends.sort(key=lambda end: centre[end][0])
    step = BOX_WIDTH * 0.7 / max(len(ends), 2)
    return (ends.index(other) - (len(ends) - 1) / 2) * step


if __name__ == "__main__":
    (ROOT / "docs" / "map.svg").write_text(draw(*read_crates()))
