"""What the calls of an adviser would gain at a table of four copies of a bot.

    python call_audit.py luxembourg-v5 --adviser pimc:worlds=20 --deals 2000

Averages over deals hide calls that a bot never makes. This script asks an adviser at every call of
the bot. Where the adviser calls something else, it makes that call in a copy of the game, and the
bot plays both games to the end of the deal. The difference in points of the calling seat is the gain
of the advice. The table has a row for each kind of call that the adviser would make:

- calls: such differences
- deals: per cent of the deals that have one
- gain: points per call, with a 95 % interval over deals (none for fewer than 20 calls)
- made: per cent of the contracts that were made, if the caller declared that contract

A bot that lacks a contract has a row with a gain clear of zero. A row with a loss says that the
adviser is wrong, against these opponents.
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import troel

BATCH = 500
"""Deals that are played at once."""

MIN_CALLS = 20
"""Calls of a kind from which there is an interval; the spread of fewer says nothing."""


@dataclass
class Advice:
    """An adviser's call that is not the bot's, and what came of it."""

    kind: str
    deal: int
    gain: float
    made: bool | None
    """Whether the contract was made; ``None`` if the caller did not declare such a contract."""


def settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("bot", help="trained bot, or a bot of any rule set with --rules")
    add("--adviser", default="pimc:worlds=20", help="bot whose calls are tried")
    add("--rules", help="rule set, or path of a rule file; by default that of the bot")
    add("--deals", type=int, default=2000, help="number of deals")
    add("--seed", type=int, default=1, help="decides the deals and the draws of the adviser")
    add("--json", action="store_true", help="print a JSON object for each kind of call")
    add("--quick", action="store_true", help="16 deals, which show that everything works")
    args = parser.parse_args()
    if args.quick:
        args.deals = 16
    return args


def kind_of(call: str) -> str:
    """Returns the kind of contract of a call, without level and trumps."""
    if re.fullmatch(r"\d+[SCDH]", call):
        return "suit"
    return re.sub(r"-(\d+[SCDH]?|[SCDH]|NT)$", "", call)


def play_out(
    bot: troel.Agent,
    games: list[troel.Game],
    before_calls: Callable[[list[tuple[int, int]]], None] | None = None,
    first_actions: list[int] | None = None,
) -> list[dict[str, Any]]:
    """Plays the deals of all games to the end, and returns their outcomes.

    ``before_calls`` is called with the numbers of the games whose next action is a call, and the
    actions of the bot in them. ``first_actions`` are actions to take before those of the bot.
    """
    outcomes: list[dict[str, Any]] = [{}] * len(games)
    live = list(range(len(games)))
    while live:
        actions = first_actions or bot.act([games[i] for i in live])
        first_actions = None
        calls = [(i, int(a)) for i, a in zip(live, actions) if games[i].phase == "auction"]
        if before_calls is not None and calls:
            before_calls(calls)
        rest = []
        for i, action in zip(live, actions):
            *_, outcome = games[i].step(int(action))
            if outcome is None:
                rest.append(i)
            else:
                outcomes[i] = outcome
        live = rest
    return outcomes


def audit(bot: troel.Agent, adviser: troel.Agent, rules: str, first: int, n: int, seed: int) -> list[Advice]:
    """Returns the advice in deals ``first`` to ``first + n - 1``."""
    games = [troel.Game(rules, seed=seed * 1_000_000 + first + i) for i in range(n)]
    branches: list[tuple[int, int, troel.Game]] = []

    def ask(calls: list[tuple[int, int]]) -> None:
        advised = adviser.act([games[i] for i, _ in calls])
        for (i, own), action in zip(calls, advised):
            if own != action:
                branches.append((i, int(action), copy.copy(games[i])))

    outcomes = play_out(bot, games, ask)
    seats = [branch.turn for *_, branch in branches]
    advised = [action for _, action, _ in branches]
    others = play_out(bot, [branch for *_, branch in branches], first_actions=advised)
    advice = []
    for (i, action, _), seat, outcome in zip(branches, seats, others):
        kind = kind_of(troel.action_code(action))
        points = outcome["points"][seat]
        contract = outcome["contract"]
        declares = contract and contract["kind"] == kind and "NESW"[seat] in contract["declarers"]
        made = points > 0 if declares else None
        advice.append(Advice(kind, first + i, points - outcomes[i]["points"][seat], made))
    return advice


def rows_of(advice: list[Advice], deals: int) -> list[dict[str, Any]]:
    """Returns a row for each kind of call, the most frequent first."""
    by_kind: dict[str, list[Advice]] = defaultdict(list)
    for one in advice:
        by_kind[one.kind].append(one)
    rows = []
    for kind, ones in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        gains = np.array([one.gain for one in ones])
        # Calls in one deal are not independent, so the interval is over the sums of deals.
        sums: dict[int, float] = defaultdict(float)
        for one in ones:
            sums[one.deal] += one.gain - gains.mean()
        interval = 1.96 * float(np.sqrt(sum(s * s for s in sums.values()))) / len(ones)
        made = [one.made for one in ones if one.made is not None]
        rows.append(
            {
                "call": kind,
                "calls": len(ones),
                "deals_percent": 100 * len(sums) / deals,
                "gain": float(gains.mean()),
                "interval": interval if len(ones) >= MIN_CALLS else None,
                "made_percent": 100 * float(np.mean(made)) if made else None,
            }
        )
    return rows


def main() -> None:
    args = settings()
    bot = troel.load(args.bot, rules=args.rules)
    rules = args.rules or bot.rules
    adviser = troel.load(args.adviser, rules=rules, seed=args.seed)
    advice: list[Advice] = []
    for first in range(0, args.deals, BATCH):
        n = min(BATCH, args.deals - first)
        advice += audit(bot, adviser, rules, first, n, args.seed)
        print(f"{first + n} of {args.deals} deals", file=sys.stderr)
    rows = rows_of(advice, args.deals)
    if args.json:
        for row in rows:
            print(json.dumps(row))
        return
    print(f"{args.bot} · {rules} · advice of {args.adviser} · {args.deals} deals · seed {args.seed}")
    print("call            calls  deals    gain            made")
    for row in rows:
        made = "" if row["made_percent"] is None else f"{row['made_percent']:.0f} %"
        gain = f"{row['gain']:+.2f}"
        if row["interval"] is not None:
            gain += f" ± {row['interval']:.2f}"
        print(f"{row['call']:15} {row['calls']:5} {row['deals_percent']:5.1f} %  {gain:15} {made}")


if __name__ == "__main__":
    main()
