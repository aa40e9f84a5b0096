"""Measures the gain of an adviser's calls at a table of four copies of a bot.

    python call_audit.py luxembourg-v5 --adviser pimc:worlds=20 --deals 2000

At every call of the bot, the adviser decides on the same observation. Where its call is another one,
it is made in a copy of the game, and the bot plays both games to the end of the deal. The difference
in points of the calling seat is the gain of the advice. The table has a row for each kind of call
that the adviser would make:

- calls: number of such differences
- deals: per cent of the deals that have one
- gain: points per call (95 % interval over deals; none for fewer than 20 deals)
- per deal: points per deal, summed over the four seats
- made: per cent of the contracts of this kind that were made, of those that the caller declared
- instead of: kinds of the bot's own calls, the most frequent first

A contract that the bot misses has a gain clear of zero. Of twenty rows, one is clear of zero by
chance, so confirm it with another seed.
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import troel

BATCH = 500
"""Deals that are played at once."""

MIN_DEALS = 20
"""Deals from which a row has an interval. The spread of fewer is too uncertain."""

DEALS_PER_SEED = 1_000_000
"""Distance of the first deals of two seeds, so that no two seeds share deals."""

MAX_SEED = 1_000_000_000

Z_95 = 1.96
"""Half the width of a 95 % interval, in standard errors."""


@dataclass
class Advice:
    """An adviser's call that is not the bot's, and its result."""

    advised: str
    """Kind of the adviser's call."""
    own: str
    """Kind of the bot's call."""
    deal: int
    """Number of the deal."""
    gain: float
    """Points of the calling seat after the advised call minus those after its own."""
    made: bool | None
    """Whether the contract was made; ``None`` if the caller did not declare one of this kind."""


def settings() -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    description, legend = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(
        description=description, epilog=legend, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("bot", help="bot to audit, for example luxembourg-v5 or the folder of a run")
    add("--adviser", default="pimc:worlds=20", help="bot whose calls are tried (pimc:worlds=20)")
    add("--rules", help="rule set, or path of a rule file (that of a trained bot, else luxembourg)")
    add("--deals", type=int, default=2000, help=f"number of deals, 1 to {DEALS_PER_SEED:,} (2000)")
    add("--seed", type=int, default=1, help="seed of the deals and of the adviser's draws (1)")
    add("--json", action="store_true", help="print a JSON object with the settings and the rows")
    args = parser.parse_args()
    if not 1 <= args.deals <= DEALS_PER_SEED:
        parser.error(f"--deals is {args.deals}, but must be from 1 to {DEALS_PER_SEED:,}")
    if not 0 <= args.seed <= MAX_SEED:
        parser.error(f"--seed is {args.seed}, but must be from 0 to {MAX_SEED:,}")
    return parser, args


def kind_of(call: str) -> str:
    """Returns the kind of a call: its code without level and trumps, or ``suit``."""
    if re.fullmatch(r"\d+[SCDH]", call):
        return "suit"
    return re.sub(r"-(\d+[SCDH]?|[SCDH]|NT)$", "", call)


def play_out(
    bot: troel.Agent,
    games: list[troel.Game],
    before_calls: Callable[[list[tuple[int, int]]], None] | None = None,
    first_actions: list[int] | None = None,
) -> list[dict[str, Any]]:
    """Plays the deals of all games to the end.

    ``before_calls`` is called with the numbers of the games whose next action is a call, and the
    actions of the bot in them. ``first_actions`` are actions to take before those of the bot.

    Returns:
        The outcome of each deal, as :meth:`troel.Game.step` returns it.
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


def audit(bot: troel.Agent, adviser: troel.Agent, rules: str, seed: int, deals: range) -> list[Advice]:
    """Returns the advice in the deals with these numbers of a seed."""
    games = [troel.Game(rules, seed=seed * DEALS_PER_SEED + deal) for deal in deals]
    branches: list[tuple[int, int, int, troel.Game]] = []

    def ask(calls: list[tuple[int, int]]) -> None:
        advised = adviser.act([games[i] for i, _ in calls])
        for (i, own), action in zip(calls, advised):
            if own != action:
                branches.append((i, own, int(action), copy.copy(games[i])))

    outcomes = play_out(bot, games, ask)
    seats = [branch.turn for *_, branch in branches]
    advised = [action for _, _, action, _ in branches]
    others = play_out(bot, [branch for *_, branch in branches], first_actions=advised)
    advice = []
    for (i, own, action, _), seat, outcome in zip(branches, seats, others):
        kind = kind_of(troel.action_code(action))
        points = outcome["points"][seat]
        contract = outcome["contract"]
        declares = contract and contract["kind"] == kind and "NESW"[seat] in contract["declarers"]
        advice.append(
            Advice(
                advised=kind,
                own=kind_of(troel.action_code(own)),
                deal=deals[i],
                gain=points - outcomes[i]["points"][seat],
                # A declarer has points above zero only if the contract was made.
                made=points > 0 if declares else None,
            )
        )
    return advice


def rows_of(advice: list[Advice], deals: int) -> list[dict[str, Any]]:
    """Returns a row for each kind of advised call, the most frequent first."""
    by_kind: dict[str, list[Advice]] = defaultdict(list)
    for one in advice:
        by_kind[one.advised].append(one)
    rows = []
    for kind, ones in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        gains = np.array([one.gain for one in ones])
        # Calls in one deal are not independent, so the interval is over the sums of deals.
        sums: dict[int, float] = defaultdict(float)
        for one in ones:
            sums[one.deal] += one.gain - gains.mean()
        half = Z_95 * float(np.sqrt(sum(s * s for s in sums.values()))) / len(ones)
        made = [one.made for one in ones if one.made is not None]
        rows.append(
            {
                "call": kind,
                "calls": len(ones),
                "deals_percent": 100 * len(sums) / deals,
                "gain": float(gains.mean()),
                "interval": half if len(sums) >= MIN_DEALS else None,
                "gain_per_deal": float(gains.sum()) / deals,
                "declared": len(made),
                "made_percent": 100 * float(np.mean(made)) if made else None,
                "instead_of": dict(Counter(one.own for one in ones).most_common()),
            }
        )
    return rows


def line_of(row: dict[str, Any]) -> str:
    """Returns a row of the table as text."""
    gain = f"{row['gain']:+.2f}"
    if row["interval"] is not None:
        gain += f" ± {row['interval']:.2f}"
    made = "" if row["made_percent"] is None else f"{row['made_percent']:.0f} % of {row['declared']}"
    own = ", ".join(f"{kind} {n}" for kind, n in list(row["instead_of"].items())[:3])
    return (
        f"{row['call']:13} {row['calls']:6} {row['deals_percent']:5.1f} %  {gain:16} "
        f"{row['gain_per_deal']:+8.3f}  {made:13} {own}"
    )


def main() -> None:
    parser, args = settings()
    try:
        bot = troel.load(args.bot, rules=args.rules)
        rules = args.rules or bot.rules
        adviser = troel.load(args.adviser, rules=rules, seed=args.seed)
    except ValueError as error:
        parser.error(str(error))
    advice: list[Advice] = []
    finished = 0
    try:
        for first in range(0, args.deals, BATCH):
            print(f"{first} of {args.deals} deals", file=sys.stderr)
            deals = range(first, min(first + BATCH, args.deals))
            advice += audit(bot, adviser, rules, args.seed, deals)
            finished = deals.stop
    except KeyboardInterrupt:
        print(f"interrupted: the result is that of {finished} deals", file=sys.stderr)
        if finished == 0:
            sys.exit(130)
    rows = rows_of(advice, finished)
    if args.json:
        facts = {"bot": args.bot, "rules": rules, "adviser": args.adviser, "deals": finished}
        print(json.dumps({**facts, "seed": args.seed, "rows": rows}))
        return
    print(f"{args.bot} · {rules} · advice of {args.adviser} · {finished} deals · seed {args.seed}")
    if not rows:
        print("The adviser makes the same calls as the bot.")
        return
    print("advised call   calls   deals  points per call  per deal  made          instead of")
    for row in rows:
        print(line_of(row))


if __name__ == "__main__":
    main()
