"""Problems: single decisions with known answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any

from . import _troel
from .agents import BotLike, native_bot


def problems(
    suite: str | PathLike[str],
    rules: str | None = None,
    count: int = 200,
    *,
    seed: int | None = 1,
) -> list[dict[str, Any]]:
    """Generates a suite of problems, or reads a file of problems (JSON lines).

    >>> problem = problems("sure-contracts", "wiezen", 1)[0]
    >>> sorted(problem)
    ['accept', 'proof', 'reason', 'record', 'seat', 'suite']

    A problem is a dict. It has the game record up to the decision, the seat that decides, the
    accepted actions (or the points of each action), the reason and the proof. docs/problems.md
    describes it.

    Args:
        suite: ``"sure-contracts"``, ``"long-trumps"``, ``"top-cards"``, ``"near-slams"``,
            ``"strong-contracts"``, ``"sure-miseres"``, ``"losing-miseres"``, ``"endings"``,
            ``"never"`` or ``"misere-defence"``, or the path of a file.
        rules: Rule set, or path of a rule file. The default is luxembourg, or for a file of
            problems the rule set of each record.
        count: Number of problems of a generated suite.
        seed: Seed of a generated suite; ``None`` draws one.

    Raises:
        ValueError: The suite is unknown, the rule set has too few such problems, or a line of the
            file is not a problem.
    """
    return _troel.problems(fspath(suite), rules, count, seed=seed)


def judge(
    problems: Iterable[Mapping[str, Any]],
    bot: BotLike,
    rules: str | None = None,
    *,
    seed: int | None = 1,
) -> list[dict[str, Any]]:
    """Asks a bot for its decisions on problems, and returns a dict for each suite.

    >>> sheet = judge(problems("sure-miseres", "iwwa", 20), "rules")[0]
    >>> sheet["suite"], sheet["problems"], sheet["solved"]
    ('sure-miseres', 20, 1.0)

    The dict has:

    - ``bot`` and ``suite``
    - ``problems``: number of problems
    - ``solved``: share of problems answered by an accepted action
    - ``probability``: mean probability of the accepted actions in the bot's policy
    - ``lost``: points lost per problem, with its 95 % interval ``ci95`` (whose ends are ``None``
      for a single problem)
    - ``worst``: the unsolved problems, those that lost most first, with their deals

    Args:
        problems: Problems of one rule set, as :func:`troel.problems` returns them.
        bot: A name, an agent, or a bot written in Python, as for :func:`troel.evaluate`. The bot
            plays deals out at all four seats, after its own action and after the best one.
        rules: Rule set, or path of a rule file. The default is that of the records.
        seed: Seed of the bot's random draws; ``None`` draws one.

    Raises:
        ValueError: There are no problems, one of them is not usable, or the bot plays a different
            rule set.
    """
    return _troel.judge(list(problems), native_bot(bot), rules, seed=seed)
