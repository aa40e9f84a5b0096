"""The laboratory: comparisons of recipes, ladders, behaviour sheets, exploitation and matches."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _troel
from .agents import Agent, BotLike, native_bot
from .evaluation import check_progress, deal_range
from .frames import frame
from .program import required_program, run_supervised
from .training import TrainingError, in_python, set_arguments


@dataclass(frozen=True)
class Comparison:
    """Result of :func:`compare`: points per deal of the first group over the second."""

    #: Names of the bots of both groups.
    groups: tuple[list[str], list[str]]
    #: Mean over all pairs and deals, in points per deal.
    mean: float
    #: 95 % interval over training seeds and deals; ``None`` if a side has one training seed.
    ci95: tuple[float, float] | None
    #: Number of deals that each pair played, both ways.
    deals: int
    #: Mean by pair: a row for each bot of the first group, a column for each of the second.
    pairs: list[list[float]]
    #: The whole result, as ``troel compare --json`` prints it.
    report: dict[str, Any]
    #: The text that ``troel compare`` prints.
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each pair of bots: ``first``, ``second`` and ``points_per_deal``."""
        first, second = self.groups
        return [
            {"first": a, "second": b, "points_per_deal": mean}
            for a, row in zip(first, self.pairs)
            for b, mean in zip(second, row)
        ]

    def to_frame(self) -> Any:
        """Returns the pairs as a ``pandas.DataFrame``; see :attr:`rows`."""
        return frame(self.rows)


def compare(
    first: BotLike | Sequence[BotLike],
    second: BotLike | Sequence[BotLike],
    rules: str | None = None,
    deals: int | tuple[int, int] = 1000,
    *,
    seed: int | None = 1,
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Comparison:
    """Compares two recipes by bots that were trained with several seeds, as ``troel compare`` does.

    Every bot of the first group plays every bot of the second on the same deals, in both
    directions. The interval is over training seeds and deals together.

    >>> found = compare("rules", "random", "wiezen", deals=2)
    >>> found.mean > 0, found.deals
    (True, 2)

    Args:
        first: Bots of the first recipe, one for each training seed, or a fixed bot. A bot is as for
            :func:`troel.evaluate`.
        second: Bots of the second recipe.
        rules: Rule set, or path of a rule file. The default is that of the bots, else luxembourg.
        deals: Number of deals that each pair plays, or a range, whose end is excluded.
        seed: Seed of the deals and random draws; ``None`` draws one.
        threads: Number of threads; results do not depend on it. Bots written in Python use one.
        progress: Function that is called with the number of deals played and that of all deals.

    Raises:
        ValueError: The bots are not groups of training seeds, or another argument is not usable.
    """
    report, text = _troel.compare(
        _bots(first, "first"),
        _bots(second, "second"),
        rules,
        deal_range(deals),
        seed=seed,
        threads=threads,
        progress=check_progress(progress),
    )
    mean, half = report["mean"], report["half_width"]
    return Comparison(
        groups=(report["first"], report["second"]),
        mean=mean,
        ci95=None if half is None else (mean - half, mean + half),
        deals=report["deals"],
        pairs=report["pairs"],
        report=report,
        text=text,
    )


@dataclass(frozen=True)
class Ladder:
    """Result of :func:`ladder`: one strength for each bot."""

    #: A dict for each bot, strongest first: ``player`` (a dict), ``points`` per deal beyond the
    #: anchor, ``half_width`` of the 95 % interval, ``deals``, ``forfeits``, ``misfit``, and the
    #: ``share`` of α-Rank.
    strengths: list[dict[str, Any]]
    #: Names of bots that no chain of comparisons connects with the anchor.
    unconnected: list[str]
    #: The whole result, as ``troel ladder --json`` prints it.
    report: dict[str, Any]
    #: Table of the strengths.
    text: str
    #: Cross table of the comparisons, in Markdown.
    cross: str

    def __str__(self) -> str:
        return self.text

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for each bot, strongest first."""
        rows = []
        for strength in self.strengths:
            misfit = strength["misfit"] or {"points": None, "errors": None}
            rows.append(
                {
                    "bot": strength["player"]["name"],
                    "points": strength["points"],
                    "half_width": strength["half_width"],
                    "deals": strength["deals"],
                    "forfeits": strength["forfeits"],
                    "misfit_points": misfit["points"],
                    "misfit_errors": misfit["errors"],
                    "share": strength["share"],
                }
            )
        return rows

    def to_frame(self) -> Any:
        """Returns the strengths as a ``pandas.DataFrame``; see :attr:`rows`."""
        return frame(self.rows)


def ladder(
    file: str | PathLike[str],
    bots: Sequence[BotLike] = (),
    *,
    against: BotLike | Sequence[BotLike] = (),
    anchor: BotLike = "rules",
    rules: str | None = None,
    deals: int | tuple[int, int] = 1000,
    seed: int | None = 1,
    scope: str = "full",
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Ladder:
    """Ranks bots by comparisons that are kept in a file, as ``troel ladder`` does.

    Each result is appended to the file as soon as its comparison ends. Comparisons that the file
    has are not played again, so an interrupted ladder continues where it stopped. Without bots, the
    function shows the file and plays nothing. :func:`troel.read_ladder` returns its lines.

    Args:
        file: File of results, JSON lines; it is created if it does not exist.
        bots: Bots, as for :func:`troel.evaluate`. A bot written in Python is identified by its name
            alone.
        against: Bots that they play against, instead of each other.
        anchor: Bot whose strength is zero.
        rules: Rule set, or path of a rule file. The default is that of the bots or of the results,
            else luxembourg.
        deals: Number of deals of a comparison (at least 16), or a range, whose end is excluded.
        seed: Seed of the deals and random draws; ``None`` draws one.
        scope: ``"full"``, ``"bidding"`` or ``"play"``; ``rules`` makes the other decisions.
        threads: Number of threads; results do not depend on it. Bots written in Python use one.
        progress: Function that is called with the number of deals played and that of all deals to
            play.

    Raises:
        ValueError: The file has no results or damaged ones, or an argument is not usable.
    """
    report, text, cross = _troel.ladder(
        fspath(file),
        _bots(bots, "bots", at_least=0),
        _bots(against, "against", at_least=0),
        native_bot(anchor),
        rules,
        deal_range(deals),
        seed=seed,
        scope=scope,
        threads=threads,
        progress=check_progress(progress),
    )
    return Ladder(report["strengths"], report["unconnected"], report, text, cross)


@dataclass(frozen=True)
class Behaviour:
    """Result of :func:`behaviour`: a sheet for each bot."""

    #: Sheet of each bot, by name, as ``troel behaviour --json`` prints it.
    sheets: dict[str, dict[str, Any]]
    #: Table of the sheets, side by side.
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each bot and kind of contract.

        ``share`` is the share of the deals with this contract, ``made`` the share of these in which
        it was made, and ``points`` the mean points of the first declarer. The contract of deals
        that were passed out is ``None``.
        """
        rows = []
        for bot, sheet in self.sheets.items():
            deals = sheet["deals"]
            out = sheet["passed_out"]
            row = {"bot": bot, "contract": None, "deals": out, "share": out / deals}
            rows.append({**row, "made": None, "points": None})
            for kind, counts in sheet["contracts"].items():
                number = counts["deals"]
                rows.append(
                    {
                        "bot": bot,
                        "contract": kind,
                        "deals": number,
                        "share": number / deals,
                        "made": counts["made"] / number,
                        "points": counts["points"] / number,
                    }
                )
        return rows

    def to_frame(self) -> Any:
        """Returns the contracts as a ``pandas.DataFrame``; see :attr:`rows`."""
        return frame(self.rows)


def behaviour(
    bots: BotLike | Sequence[BotLike],
    rules: str | None = None,
    deals: int | tuple[int, int] = 1000,
    *,
    seed: int | None = 1,
    scenario: str = "any",
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Behaviour:
    """Counts the bids, results and leads of bots, as ``troel behaviour`` does.

    Each bot plays all four seats of the same evaluation deals.

    >>> sheet = behaviour("rules", "wiezen", 8).sheets["rules"]
    >>> sheet["deals"], sheet["rules"]
    (8, 'wiezen')

    Args:
        bots: A bot, or a list of bots with different names, as for :func:`troel.evaluate`.
        rules: Rule set, or path of a rule file. The default is that of the bots, else luxembourg.
        deals: Number of deals, or a range, whose end is excluded.
        seed: Seed of the deals and random draws; ``None`` draws one.
        scenario: ``"any"``, or a kind of contract that suits at least one hand, such as
            ``"misere"``.
        threads: Number of threads; results do not depend on it. Bots written in Python use one.
        progress: Function that is called with the number of deals played and that of all deals.

    Raises:
        ValueError: An argument is not usable.
    """
    sheets, text = _troel.behaviour(
        _bots(bots, "bots"),
        rules,
        deal_range(deals),
        seed=seed,
        scenario=scenario,
        threads=threads,
        progress=check_progress(progress),
    )
    names = [name for name, _ in sheets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"bots: two are named {twice}; use different names")
    return Behaviour(dict(sheets), text)


@dataclass(frozen=True)
class Exploitation:
    """Result of :func:`exploit`: gains of the methods against a bot."""

    #: Gain of each candidate on the deals that choose the best one, a dict each: ``method``,
    #: ``bot``, ``identity``, ``deals``, ``points_per_deal`` and ``ci95``.
    candidates: list[dict[str, Any]]
    #: Gain of the best candidate on other deals, an estimated lower bound of the exploitability.
    #: ``None`` if no candidate gained.
    held_out: dict[str, Any] | None
    #: The whole result, as ``troel exploit --json`` prints it.
    report: dict[str, Any]
    #: The text that ``troel exploit`` prints.
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for each candidate, and one for the held-out deals."""
        gains = [(gain, False) for gain in self.candidates]
        if self.held_out is not None:
            gains.append((self.held_out, True))
        rows = []
        for gain, held_out in gains:
            low, high = gain["ci95"]
            first, end = gain["deals"]
            rows.append(
                {
                    "method": gain["method"],
                    "bot": gain["bot"],
                    "held_out": held_out,
                    "deals": end - first,
                    "points_per_deal": gain["points_per_deal"],
                    "low": low,
                    "high": high,
                }
            )
        return rows

    def to_frame(self) -> Any:
        """Returns the gains as a ``pandas.DataFrame``; see :attr:`rows`."""
        return frame(self.rows)


#: Arguments of :func:`exploit` by the options of the program.
_EXPLOIT_ARGUMENTS = {"exploiter": "exploiter=", "methods": "methods=", "run": "run=", "set": "set="}


def exploit(
    bot: BotLike,
    rules: str | None = None,
    *,
    methods: Sequence[str] | None = None,
    deals: int = 2000,
    search_deals: int | None = None,
    worlds: int = 32,
    exploiter: BotLike | Sequence[BotLike] = (),
    run: str | PathLike[str] | None = None,
    iterations: int = 30,
    set: Mapping[str, Any] | None = None,
    seed: int | None = 1,
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    program: str | PathLike[str] | None = None,
) -> Exploitation:
    """Measures how much a bot can be exploited, as ``troel exploit`` does.

    One seat plays against three copies of the bot. The first deals choose the best candidate of all
    methods, and other deals measure its gain in points per deal.

    With ``run`` the program ``troel`` trains an exploiter and measures all methods. Bots must then
    have names. Ctrl-C lets the program save the training, and the same call continues it.

    Args:
        bot: Bot to exploit, as for :func:`troel.evaluate`.
        rules: Rule set, or path of a rule file. The default is that of the bot, else luxembourg.
        methods: ``"ppo"`` (a trained exploiter), ``"search"``, ``"endings"`` (both need a
            checkpoint) and ``"released"`` (existing bots). The default is all that apply.
        deals: Number of deals that choose, and as many held-out deals.
        search_deals: The same for ``"search"`` and ``"endings"``. The default is a fifth of
            ``deals``.
        worlds: Number of worlds that searches sample per decision.
        exploiter: Trained exploiters.
        run: Folder of the run that trains an exploiter. A finished run is used as it is.
        iterations: Number of PPO iterations of the exploiter.
        set: Keys of its recipe (champion), as in :func:`troel.train`.
        seed: Seed of the deals, of the random draws and of the training. ``None`` draws one, but
            not with ``run``.
        threads: Number of threads; results do not depend on it. Bots written in Python use one.
        progress: Function that is called with the number of deals played and that of all deals so
            far. It is not called with ``run``.
        program: Path of the program, as for :func:`troel.train`.

    Raises:
        ValueError: A method does not apply, or another argument is not usable.
        TrainingError: The program failed.
    """
    exploiters = _bots(exploiter, "exploiter", at_least=0)
    check_progress(progress)
    if isinstance(methods, str):
        raise TypeError(f"methods={methods!r}: use a list, such as [{methods!r}]")
    if run is None:
        if set is not None:
            raise ValueError("set needs run, the folder of the run that trains an exploiter")
        names = None if methods is None else list(methods)
        report, text = _troel.exploit(
            native_bot(bot),
            rules,
            names,
            exploiters,
            deals=deals,
            search_deals=search_deals,
            worlds=worlds,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        return Exploitation(report["candidates"], report["held_out"], report, text)
    if seed is None:
        raise ValueError("seed=None: with run, give a seed, so that the same call continues the run")
    if rules is None and isinstance(bot, Agent):
        if bot.rules not in _troel.RULES:
            raise ValueError(f"{bot.name} plays {bot.rules}: with run, give its file as rules=")
        rules = bot.rules
    options = {
        "rules": rules,
        "methods": None if methods is None else ",".join(methods),
        "deals": deals,
        "search-deals": search_deals,
        "worlds": worlds,
        "run": fspath(run),
        "iterations": iterations,
        "seed": seed,
        "threads": threads,
    }
    arguments = [f"--{name}={value}" for name, value in options.items() if value is not None]
    arguments += [f"--exploiter={_name(one, 'exploiter')}" for one in _many(exploiter)]
    arguments += [*set_arguments(set), "--json", "--supervised", "--", _name(bot, "bot")]
    ended = run_supervised(required_program(program), ["exploit", *arguments], lambda _: True)
    if ended.error is not None:
        raise TrainingError(in_python(ended.error, _EXPLOIT_ARGUMENTS))
    report = json.loads(ended.output)
    text = _troel.exploitation_text(report)
    return Exploitation(report["candidates"], report["held_out"], report, text)


@dataclass(frozen=True)
class MatchWins:
    """Result of :func:`matches`."""

    #: Name of the challenger.
    challenger: str
    #: Name of the baseline.
    baseline: str
    #: Share of the matches that the challenger wins, 0 to 1; a quarter among equal bots.
    won: float
    #: 95 % interval of ``won``.
    ci95: tuple[float, float]
    #: Number of matches, each with the challenger at every seat in turn.
    count: int
    #: The whole result, as ``troel eval --matches --json`` prints it.
    report: dict[str, Any]
    #: The text that ``troel eval --matches`` prints.
    text: str

    def __str__(self) -> str:
        return self.text


def matches(
    challenger: BotLike,
    baseline: BotLike,
    rules: str | None = None,
    count: int = 1000,
    *,
    seed: int | None = 1,
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> MatchWins:
    """Plays whole matches to the target of the rule set, as ``troel eval --matches`` does.

    The challenger plays at each seat in turn, against three copies of the baseline.

    Args:
        challenger: The bot to measure, as for :func:`troel.evaluate`.
        baseline: Its opponent.
        rules: Rule set with a target (luxembourg, horesca), or path of a rule file. The default is
            that of the bots, else luxembourg.
        count: Number of matches, at least 16.
        seed: Seed of the deals and random draws; ``None`` draws one.
        threads: Number of threads; results do not depend on it. Bots written in Python use one.
        progress: Function that is called with the number of matches played and that of all matches.

    Raises:
        ValueError: The rule set has no target, or an argument is not usable.
    """
    report, text = _troel.matches(
        native_bot(challenger),
        native_bot(baseline),
        rules,
        count,
        seed=seed,
        threads=threads,
        progress=check_progress(progress),
    )
    low, high = report["ci95"]
    return MatchWins(
        challenger=report["challenger"],
        baseline=report["baseline"],
        won=report["won"],
        ci95=(low, high),
        count=report["matches"],
        report=report,
        text=text,
    )


@dataclass(frozen=True)
class Losses:
    """Result of :meth:`Corpus.judge`: points that bots give away per decision."""

    #: A dict for each bot, as ``troel corpus judge --json`` prints it. ``calls`` and ``cards`` have
    #: the number of ``decisions``, the ``points`` given away per decision and the ``half_width`` of
    #: the 95 % interval. ``beyond_first`` has their differences to the first bot's.
    losses: list[dict[str, Any]]
    #: The text that ``troel corpus judge`` prints.
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for each bot and kind of decision (``"calls"``, ``"cards"``)."""
        return [
            {
                "bot": one["bot"],
                "kind": kind,
                **one[kind],
                **{f"{key}_beyond_first": one["beyond_first"][kind][key] for key in _LOSS_KEYS},
            }
            for one in self.losses
            for kind in ("calls", "cards")
        ]

    def to_frame(self) -> Any:
        """Returns the losses as a ``pandas.DataFrame``; see :attr:`rows`."""
        return frame(self.rows)


_LOSS_KEYS = ("points", "half_width")


@dataclass(frozen=True)
class Corpus:
    """A folder of searched positions. :func:`corpus` makes one; ``Corpus(folder)`` opens one.

    :func:`troel.read_corpus` reads the arrays of a file of :attr:`shards`.
    """

    #: Folder of the corpus.
    folder: Path

    @property
    def shards(self) -> list[Path]:
        """Files of the corpus, in the order of the deals."""
        return sorted(Path(self.folder).glob("*.safetensors"))

    def judge(
        self,
        bots: BotLike | Sequence[BotLike],
        rules: str | None = None,
        *,
        seed: int | None = 1,
        threads: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ) -> Losses:
        """Measures the points that bots give away, as ``troel corpus judge`` does.

        One set of worlds chooses the best action, the other values it. Below zero, a bot chooses
        better than the search.

        Args:
            bots: A bot, or a list of bots, as for :func:`troel.evaluate`. The others are also
                compared with the first.
            rules: Path of the rule file, if the rules of the corpus are not built in.
            seed: Seed of the bots' random draws; ``None`` draws one.
            threads: Number of threads; results do not depend on it. Bots written in Python use one.
            progress: Function that is called with the number of decisions made and that of all.

        Raises:
            ValueError: The folder is not a corpus, or a bot plays a different rule set.
        """
        losses, text = _troel.judge_corpus(
            fspath(self.folder),
            _bots(bots, "bots"),
            rules,
            seed=seed,
            threads=threads,
            progress=check_progress(progress),
        )
        return Losses(losses, text)


def corpus(
    folder: str | PathLike[str],
    rules: str | None = None,
    deals: int | tuple[int, int] = 500,
    *,
    player: BotLike = "expert",
    worlds: int = 50,
    per_deal: int = 2,
    features: bool = False,
    seed: int | None = 1,
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Corpus:
    """Makes a corpus of searched positions, as ``troel corpus make`` does.

    A bot plays all seats, and positions are chosen at random and searched. Shards that the folder
    has are kept, so an interrupted call continues where it stopped.

    Args:
        folder: Folder of the corpus.
        rules: Rule set, or path of a rule file. The default is that of the player, else luxembourg.
        deals: Number of deals, or a range, whose end is excluded.
        player: Bot that plays, as for :func:`troel.evaluate`.
        worlds: Number of worlds in each of the two sets that value an action.
        per_deal: Maximum number of calls, and of other decisions, of each deal.
        features: Whether to store the features that a network sees (6.8 kB per position).
        seed: Seed of the deals, of the choice of positions and of the worlds; ``None`` draws one.
        threads: Number of threads; results do not depend on it. Bots written in Python use one.
        progress: Function that is called with the number of deals searched and that of all deals.

    Raises:
        ValueError: The folder has shards that were made with other settings, or an argument is not
            usable.
    """
    _troel.make_corpus(
        fspath(folder),
        native_bot(player),
        rules,
        deal_range(deals),
        worlds=worlds,
        per_deal=per_deal,
        features=features,
        seed=seed,
        threads=threads,
        progress=check_progress(progress),
    )
    return Corpus(Path(folder))


def _many(bots: BotLike | Sequence[BotLike]) -> list[BotLike]:
    return list(bots) if isinstance(bots, (list, tuple)) else [bots]  # type: ignore[list-item]


def _bots(bots: BotLike | Sequence[BotLike], name: str, *, at_least: int = 1) -> list[Any]:
    """Returns one bot or several in the form that the native half takes."""
    found = [native_bot(bot) for bot in _many(bots)]
    if len(found) < at_least:
        raise ValueError(f"{name} is empty: name a bot")
    return found


def _name(bot: BotLike, argument: str) -> str:
    """Returns the name of a bot for the program."""
    if isinstance(bot, Agent):
        return bot.name
    if isinstance(bot, (str, PathLike)):
        return fspath(bot)
    raise TypeError(
        f"{argument}={bot!r}: with run, the program plays the bots, so they need a name or a folder"
    )
