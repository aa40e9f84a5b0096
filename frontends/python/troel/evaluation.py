"""Duplicate matches: challenger and baseline play the same deals from the same seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from operator import index
from typing import Any, SupportsIndex

from . import _troel
from .agents import BotLike, native_bot


@dataclass(frozen=True)
class Match:
    """The result of a match."""

    #: Name of the challenger.
    challenger: str
    #: Name of the baseline.
    baseline: str
    #: Mean points a deal of the challenger less the baseline's, on the same deals and seats.
    points_per_deal: float
    #: Its 95 % interval, clustered by deal; infinite with a single deal.
    ci95: tuple[float, float]
    #: Number of deals.
    deals: int
    #: Of a sequential test: ``"low"``, ``"high"`` or ``"open"``; else ``None``.
    verdict: str | None
    #: The whole report, as ``troel eval --json`` prints it.
    report: dict[str, Any]
    #: What ``troel eval`` remarks on the interval, such as ``"not significant"``; empty if nothing.
    note: str = ""
    #: Of a sequential test: its verdict in words, with the log-likelihood ratio; else ``None``.
    test: str | None = None

    def __str__(self) -> str:
        half = (self.ci95[1] - self.ci95[0]) / 2
        line = (
            f"{self.challenger} against {self.baseline}: {self.points_per_deal:+.2f} ± {half:.2f} "
            f"points a deal ({self.deals} deals)"
        )
        line = f"{line}  {self.note}" if self.note else line
        return line if self.test is None else f"{line}\nsequential test: {self.test}"

    def contracts(self) -> list[dict[str, Any]]:
        """Results by contract and role, one row each, for ``pandas.DataFrame``."""
        rows = []
        for who in ("challenger", "baseline"):
            for key, tally in self.report["matches"][0]["detail"][who].items():
                rows.append({"bot": getattr(self, who), "contract": key, **tally})
        return rows


def _range(deals: SupportsIndex | tuple[int, int]) -> tuple[int, int]:
    """The range of deals that was asked for; the native half checks the numbers."""
    if isinstance(deals, (tuple, list)) and len(deals) == 2:
        first, end = deals
        return (first, end)
    if isinstance(deals, SupportsIndex):
        return (0, index(deals))
    raise TypeError(
        f"deals={deals!r}: use a whole number such as 1000, or a range such as (0, 1000): the first, and one past the last"
    )


def _match(report: dict[str, Any], note: str, test: str | None) -> Match:
    match = report["matches"][0]
    low, high = match["ci95"]
    sprt = match.get("sprt")
    return Match(
        challenger=match["challenger"],
        baseline=match["baseline"],
        points_per_deal=match["points_per_deal"],
        ci95=(float("-inf") if low is None else low, float("inf") if high is None else high),
        deals=match["deals"],
        verdict=sprt["verdict"] if sprt else None,
        report=report,
        note=note,
        test=test,
    )


def evaluate(
    challenger: BotLike,
    baseline: BotLike,
    rules: str | None = None,
    deals: int | tuple[int, int] = 1000,
    *,
    seed: int | None = 1,
    scope: str = "full",
    pairs: bool = False,
    scenario: str = "any",
    fixed: BotLike = "rules",
    regret: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Match:
    """Plays a duplicate match: the challenger takes each seat in turn among three of the baseline, on deals that no
    training plays.

    >>> print(evaluate("rules", "random", "wiezen", deals=2).challenger)
    rules

    A bot may be a name (see :func:`troel.load`), an agent, or written in Python: a callable that takes a
    :class:`troel.Batch` and returns one action for each of its rows, or a class that is called with a seed and gives such
    a callable. Decisions of many tables are handed over at once, by one thread and in the same order every time. What a
    bot raises is raised here; Ctrl-C ends a match.

    Args:
        challenger: The bot that is measured.
        baseline: The bot that it is measured against.
        rules: Rule set, or path of a rule file. Without it that of the challenger or the baseline, if either was trained or
            loaded for one; else luxembourg.
        deals: Number of deals, or a range: the first, and one past the last.
        seed: Decides deals and random draws; ``None`` draws one.
        scope: ``"full"``, ``"bidding"`` or ``"play"``; ``fixed`` makes the other decisions.
        pairs: Whether two challengers sit opposite each other against two of the baseline.
        scenario: ``"any"``, or a kind of contract that some hand must suit, such as ``"misere"``.
        regret: Whether to solve every position for double-dummy regret; slow.
        threads: Number of threads; results do not depend on it. A match with a bot written in Python takes one.
        progress: Called now and then with the number of deals that were played, and that of all.

    Raises:
        ValueError: An argument is not usable, or a bot's action is not legal.
    """
    return _play(
        (challenger, baseline, fixed), rules, deals, seed, scope, pairs, scenario, regret, None, threads, progress
    )


def sprt(
    challenger: BotLike,
    baseline: BotLike,
    low: float,
    high: float,
    rules: str | None = None,
    deals: int | tuple[int, int] = 50_000,
    *,
    seed: int | None = 1,
    scope: str = "full",
    pairs: bool = False,
    scenario: str = "any",
    fixed: BotLike = "rules",
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Match:
    """Plays until one of two differences in points a deal, ``low`` or ``high``, is accepted and the
    other rejected, with 5 % risk of error each way, at most ``deals`` deals. The other arguments
    are those of :func:`evaluate`.

    The interval of the result is that of a number of deals fixed beforehand: of a test that ended
    it is too narrow, as ``print`` says beside it."""
    for name, mean in (("low", low), ("high", high)):
        if not isinstance(mean, Real):
            raise TypeError(f"{name}={mean!r}: use a number, in points a deal")
    return _play(
        (challenger, baseline, fixed),
        rules,
        deals,
        seed,
        scope,
        pairs,
        scenario,
        False,
        (low, high),
        threads,
        progress,
    )


def _play(
    bots: tuple[BotLike, BotLike, BotLike],
    rules: str | None,
    deals: SupportsIndex | tuple[int, int],
    seed: int | None,
    scope: str,
    pairs: bool,
    scenario: str,
    regret: bool,
    sprt: tuple[float, float] | None,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> Match:
    challenger, baseline, fixed = (native_bot(bot) for bot in bots)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress={progress!r}: use a function of two numbers, the deals that were played and those of all")
    report, note, test = _troel.evaluate(
        challenger,
        baseline,
        rules,
        _range(deals),
        seed=seed,
        scope=scope,
        pairs=pairs,
        scenario=scenario,
        fixed=fixed,
        regret=regret,
        sprt=sprt,
        threads=threads,
        progress=progress,
    )
    return _match(report, note, test)


def play(
    bots: BotLike | Sequence[BotLike],
    rules: str | None = None,
    deals: int | tuple[int, int] = 1,
    *,
    seed: int | None = 1,
    scenario: str = "any",
) -> list[dict[str, Any]]:
    """Lets bots play deals, those of :func:`troel.deals` with the same arguments, and returns their full game records.

    >>> records = play("rules", "wiezen", deals=3)
    >>> Game.of_record(records[0]).done
    True

    Args:
        bots: One bot for all seats, or four, north first. See :data:`troel.agents.BotLike`.
        rules: Rule set, or path of a rule file. Without it that of the first bot that was trained or loaded for one; else
            luxembourg.
        deals: Number of deals, or a range: the first, and one past the last.
        seed: Decides deals and random draws; ``None`` draws one.
        scenario: ``"any"``, or a kind of contract that some hand must suit, such as ``"misere"``.

    Raises:
        ValueError: An argument is not usable, or a bot's action is not legal.
    """
    seated = list(bots) if isinstance(bots, (list, tuple)) else [bots] * 4
    if len(seated) != 4:
        raise ValueError(f"bots has {len(seated)} entries: name one bot, or four (north, east, south, west)")
    native = [native_bot(bot) for bot in seated]  # type: ignore[arg-type]
    return _troel.play(native, rules, _range(deals), seed=seed, scenario=scenario)
