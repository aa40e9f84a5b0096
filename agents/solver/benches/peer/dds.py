"""Runs DDS (Bo Haglund's Double Dummy Solver) on the positions that `troel bench` solved.

    troel bench --only solve/opposite --positions positions.jsonl
    pip install -r agents/solver/benches/peer/requirements.txt
    python agents/solver/benches/peer/dds.py positions.jsonl

Prints solves per second and percentiles of DDS on one thread, and how many values differ. DDS knows opposite pairs
only; other positions are left out.
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
    for name, spent in times.items():
        spent.sort()
        count = len(spent)
        print(
            f"{name:<20} {count / sum(spent):>10.0f} solves/s  median {spent[count // 2] * 1e3:.3f} ms  "
            f"99th percentile {spent[count * 99 // 100] * 1e3:.3f} ms  {wrong[name]} of {count} differ"
        )


main()
