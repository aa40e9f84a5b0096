"""Duplicate evaluation: challenger and baseline play the same deals from the same seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from operator import index
from typing import Any, SupportsIndex

from . import _troel
from .agents import BotLike, native_bot, native_bots
from .seats import SEATS


@dataclass(frozen=True)
class Match:
    """Result of a duplicate evaluation."""

    #: Name of the challenger.
    challenger: str
    #: Name of the baseline.
    baseline: str
    #: Mean points per deal of the challenger minus the baseline's, on the same deals and seats.
    points_per_deal: float
    #: 95 % interval of ``points_per_deal``, clustered by deal; infinite for a single deal.
    ci95: tuple[float, float]
    #: Number of deals.
    deals: int
    #: Verdict of a sequential test, ``"low"``, ``"high"`` or ``"open"``; else ``None``.
    verdict: str | None
    #: The whole report, as ``troel eval --json`` prints it.
    report: dict[str, Any]
    #: Remark of ``troel eval`` on the interval, such as ``"not significant"``; may be empty.
    note: str = ""
    #: Verdict of a sequential test in words, with the log-likelihood ratio; else ``None``.
    test: str | None = None

    def __str__(self) -> str:
        half = (self.ci95[1] - self.ci95[0]) / 2
        line = (
            f"{self.challenger} against {self.baseline}: {self.points_per_deal:+.2f} ± {half:.2f} "
            f"points per deal ({self.deals} deals)"
        )
        line = f"{line}  {self.note}" if self.note else line
        return line if self.test is None else f"{line}\nsequential test: {self.test}"

    def contracts(self) -> list[dict[str, Any]]:
        """Returns results by contract and role, one row each, for ``pandas.DataFrame``."""
        rows = []
        for who in ("challenger", "baseline"):
            for key, tally in self.report["matches"][0]["detail"][who].items():
                rows.append({"bot": getattr(self, who), "contract": key, **tally})
        return rows


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """Settings of an evaluation; :func:`evaluate` explains them."""

    rules: str | None
    deals: SupportsIndex | tuple[int, int]
    seed: int | None
    scope: str
    pairs: bool
    scenario: str
    regret: bool = False
    #: The two differences of a sequential test, in points per deal.
    sprt: tuple[float, float] | None = None
    threads: int | None
    progress: Callable[[int, int], Any] | None


def deal_range(deals: SupportsIndex | tuple[int, int]) -> tuple[int, int]:
    """Returns the range of deals; the native half checks the numbers."""
    if isinstance(deals, (tuple, list)) and len(deals) == 2:
        first, end = deals
        return (first, end)
    if isinstance(deals, SupportsIndex):
        return (0, index(deals))
    raise TypeError(
        f"deals={deals!r}: use a whole number such as 1000, or a range such as (0, 1000), whose "
        "end is excluded"
    )


def check_progress(
    progress: Callable[[int, int], Any] | None,
) -> Callable[[int, int], Any] | None:
    """Returns a function that is called with the amounts of work done and in all."""
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress={progress!r}: use a function of two numbers, the deals played and all deals"
        )
    return progress


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
    """Plays a duplicate evaluation, on deals that no training plays.

    The challenger plays at each seat in turn, against three copies of the baseline.

    >>> print(evaluate("rules", "random", "wiezen", deals=2).challenger)
    rules

    A bot may be a name (see :func:`troel.load`), an agent, or written in Python. A bot in Python is
    a callable that takes a :class:`troel.Batch` and returns one action for each row. It may also be
    a class that is called with a seed and returns such a callable. One thread calls the bot with
    the decisions of many tables at once, in the same order each time. An exception of a bot is
    raised here. Ctrl-C ends an evaluation.

    Args:
        challenger: The bot to measure.
        baseline: Its opponent.
        rules: Rule set, or path of a rule file. The default is the rule set that the challenger or
            the baseline was trained or loaded for, else luxembourg.
        deals: Number of deals, or a range, whose end is excluded.
        seed: Seed of the deals and random draws; ``None`` draws one.
        scope: ``"full"``, ``"bidding"`` or ``"play"``; ``fixed`` makes the other decisions.
        pairs: Whether two challengers sit opposite each other, against two copies of the baseline.
        scenario: ``"any"``, or a kind of contract that suits at least one hand, such as
            ``"misere"``.
        regret: Whether to solve every position for double-dummy regret; slow.
        threads: Number of threads; results do not depend on it. An evaluation of a bot written in
            Python uses one thread.
        progress: Function that is called during the evaluation with the number of deals played and
            the number of all deals.

    Raises:
        ValueError: An argument is not usable, or a bot's action is not legal.
    """
    settings = _Settings(
        rules=rules,
        deals=deals,
        seed=seed,
        scope=scope,
        pairs=pairs,
        scenario=scenario,
        regret=regret,
        threads=threads,
        progress=progress,
    )
    return _play(challenger, baseline, fixed, settings)


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
    """Plays a duplicate evaluation with a sequential test.

    It ends when one of two differences in points per deal, ``low`` or ``high``, is accepted and the
    other one rejected, or after ``deals`` deals. Each error has a probability of 5 %. The other
    arguments are those of :func:`evaluate`.

    The interval of the result assumes a fixed number of deals. After a decided test it is too
    narrow, and ``print`` says so.
    """
    for name, mean in (("low", low), ("high", high)):
        if not isinstance(mean, Real):
            raise TypeError(f"{name}={mean!r}: use a number, in points per deal")
    settings = _Settings(
        rules=rules,
        deals=deals,
        seed=seed,
        scope=scope,
        pairs=pairs,
        scenario=scenario,
        sprt=(low, high),
        threads=threads,
        progress=progress,
    )
    return _play(challenger, baseline, fixed, settings)


def _play(challenger: BotLike, baseline: BotLike, fixed: BotLike, settings: _Settings) -> Match:
    report, note, test = _troel.evaluate(
        native_bot(challenger),
        native_bot(baseline),
        settings.rules,
        deal_range(settings.deals),
        seed=settings.seed,
        scope=settings.scope,
        pairs=settings.pairs,
        scenario=settings.scenario,
        fixed=native_bot(fixed),
        regret=settings.regret,
        sprt=settings.sprt,
        threads=settings.threads,
        progress=check_progress(settings.progress),
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
    """Lets bots play deals, and returns their full game records.

    The deals are those of :func:`troel.deals` with the same arguments.

    >>> records = play("rules", "wiezen", deals=3)
    >>> Game.of_record(records[0]).done
    True

    Args:
        bots: One bot for all seats, or four, north first. See :data:`troel.agents.BotLike`.
        rules: Rule set, or path of a rule file. The default is that of the first loaded bot, else
            that of the bots trained for one rule set, else luxembourg.
        deals: Number of deals, or a range, whose end is excluded.
        seed: Seed of the deals and random draws; ``None`` draws one.
        scenario: ``"any"``, or a kind of contract that suits at least one hand, such as
            ``"misere"``.

    Raises:
        ValueError: An argument is not usable, or a bot's action is not legal.
    """
    native = native_bots(bots, SEATS)
    return _troel.play(native, rules, deal_range(deals), seed=seed, scenario=scenario)
