"""Runs DDS (Bo Haglund's Double Dummy Solver) on the positions that `troel bench` solved.

    pip install -r agents/solver/benches/peer/requirements.txt
    troel bench --only solve/opposite --positions positions.jsonl --table \\
        --peer "python agents/solver/benches/peer/dds.py positions.jsonl"

Prints solves per second and percentiles of DDS on one thread as JSON lines. Fails if a value differs. DDS knows
opposite pairs only; other positions are left out.
"""

import collections
import ctypes
import json
import sys
import time

import endplay._dds as dds

RANKS = "23456789TJQKA"
TRUMPS = {"S": 0, "H": 1, "D": 2, "C": 3, None: 4}


def board(position):
    """The position as DDS wants it."""
    deal = dds.deal()
    deal.trump = TRUMPS[position["contract"]["trump"]]
    deal.first = "NESW".index(position["contract"]["leader"])
    for seat, hand in enumerate(position["deal"][2:].split(" ")):
        for suit, ranks in enumerate(hand.split(".")):
            deal.remainCards[seat][suit] = sum(1 << (RANKS.index(rank) + 2) for rank in ranks)
    return deal


def main():
    dds.SetMaxThreads(1)
    times, wrong = collections.defaultdict(list), collections.Counter()
    for line in open(sys.argv[1], encoding="utf-8"):
        position = json.loads(line)
        if position["contract"]["declarers"] != "NS":
            continue
        deal, future = board(position), dds.futureTricks()
        start = time.perf_counter()
        # Target -1, one solution: the number of tricks. Mode 1: no reuse from the deal before.
        dds._dll.SolveBoard(deal, -1, 1, 1, ctypes.byref(future), 0)
        times[position["bench"]].append(time.perf_counter() - start)
        cards = sum(len(suit) for suit in position["deal"][2:].split(" ")[0].split("."))
        north_south = future.score[0] if deal.first % 2 == 0 else cards - future.score[0]
        wrong[position["bench"]] += north_south != position["value"]
    for beside, spent in times.items():
        spent.sort()
        count = len(spent)
        name = beside.replace("solve/", "dds/")
        rows = [("", count / sum(spent), "solves/s")]
        rows += [(f"/p{p}", spent[count * p // 100] * 1e3, "ms") for p in (50, 90, 99)]
        for suffix, value, unit in rows:
            row = {"name": name + suffix, "beside": beside + suffix, "value": value, "unit": unit}
            print(json.dumps(row), flush=True)
    if differing := {name: count for name, count in wrong.items() if count}:
        sys.exit(f"values differ: {differing}")


main()
