"""The trainer: runs of ``troel train``, followed from Python."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any, SupportsIndex, overload

from . import _troel
from .frames import frame_or_rows
from .program import required_program, run_supervised

_METRICS = "metrics.jsonl"


class TrainingError(RuntimeError):
    """A training that failed, or that cannot be resumed. The message is the program's."""


@dataclass(frozen=True)
class Run:
    """A run of the trainer."""

    #: Folder of the run.
    folder: Path
    #: Folder of the trained bot, for :func:`troel.load`; ``None`` if the run was stopped.
    bot: Path | None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Metrics of the run so far, a dict for each iteration.

        They are the lines of ``metrics.jsonl`` in the folder of the run. docs/train.md explains the
        keys, such as ``"losses/entropy"``.
        """
        return _rows(self.folder / _METRICS)

    @property
    def metrics(self) -> Any:
        """:attr:`rows` as a ``pandas.DataFrame``, or as they are if pandas is not installed."""
        return frame_or_rows(self.rows)

    @property
    def evaluation(self) -> list[dict[str, Any]]:
        """Final evaluation, a dict for each baseline; empty if there was none.

        Each has ``points_per_deal``, ``ci95``, ``deals`` and the name of the ``baseline``.
        """
        if self.bot is None:
            return []
        info, _ = _troel.read_bundle(str(self.bot))
        return list(info.get("evaluation", []))


@overload
def train(
    recipe: str | PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    seed: int | None = None,
    seeds: None = None,
    exploit: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], Any] | None = None,
    program: str | PathLike[str] | None = None,
) -> Run: ...
@overload
def train(
    recipe: str | PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    seed: None = None,
    seeds: Iterable[int],
    exploit: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], Any] | None = None,
    program: str | PathLike[str] | None = None,
) -> list[Run]: ...
def train(
    recipe: str | PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    seed: int | None = None,
    seeds: Iterable[int] | None = None,
    exploit: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], Any] | None = None,
    program: str | PathLike[str] | None = None,
) -> Run | list[Run]:
    """Trains a bot by a recipe, as ``troel train`` does.

    It starts the program ``troel``, which the wheels of a release contain, and returns a
    :class:`Run`. With ``seeds`` it returns a list of runs, one for each seed.

    ::

        run = troel.train("quickstart", set={"iterations": 20}, folder="runs/short")
        run.metrics.plot(x="iteration", y="losses/entropy")
        troel.evaluate(run.bot, "rules")

    Ctrl-C, or the interrupt of a notebook, lets the program save a checkpoint, which takes until
    the end of its iteration, and raises ``KeyboardInterrupt``. A second one ends it at once. The
    same call with ``resume=True`` continues the run exactly where it stopped.

    Args:
        recipe: A built-in recipe (``"quickstart"``, ``"champion"``), or the path of a TOML file.
        set: Keys of the recipe with other values, such as ``{"ppo.update_epochs": 1}``. ``None``
            removes a key. ``troel train --keys`` lists them.
        iterations: Number of PPO iterations, instead of the recipe's.
        seed: Master seed, instead of the recipe's.
        seeds: Master seeds: one run for each seed, one after the other, in folders named by them
            below ``folder``.
        exploit: Bot to exploit: one seat learns against three copies of it.
        folder: Folder of the run, instead of the recipe's.
        resume: Whether to continue from the last checkpoint. With ``seeds``, finished runs are
            skipped, and missing ones are started.
        threads: Number of threads; results do not depend on it.
        progress: Function that is called after each iteration with its metrics as a dict, in which
            ``"run"`` is the folder of the run. If it returns ``False``, the run saves a checkpoint
            and stops. Its bot is then ``None``.
        program: Path of the program. The default is the environment variable ``TROEL_PROGRAM``,
            else the program of the wheel, else ``troel`` on the ``PATH``.

    Raises:
        ValueError: The recipe or an argument is not usable, or the program is of another version.
        FileNotFoundError: There is no program.
        TrainingError: The training failed, or there is no checkpoint to resume from.
    """
    if progress is not None and not callable(progress):
        raise TypeError(f"progress={progress!r}: use a function of one dict, the metrics")
    arguments = ["train", "--supervised"]
    many = None if seeds is None else _seeds(seeds)
    if many is not None and seed is not None:
        raise ValueError(f"seed={seed} and seeds={many}: use one of the two")
    options = {
        "iterations": iterations,
        "seed": seed,
        "seeds": None if many is None else ",".join(map(str, many)),
        "threads": threads,
        "exploit": None if exploit is None else fspath(exploit),
        "run": None if folder is None else fspath(folder),
    }
    arguments += [f"--{name}={value}" for name, value in options.items() if value is not None]
    arguments += set_arguments(set)
    if resume:
        arguments.append("--resume")
    arguments += ["--", fspath(recipe)]
    watch = _Watch(progress)
    ended = run_supervised(required_program(program), arguments, watch.look)
    folders = _announced(ended.output, "run")
    if ended.error is not None:
        error = in_python(ended.error)
        raise TrainingError(error) if folders else ValueError(error)
    bots = {bot.parent: bot for bot in _announced(ended.output, "bot")}
    # A finished run that was skipped is announced by its bot alone.
    begun = dict.fromkeys([*bots, *folders])
    runs = [Run(path, bots.get(path)) for path in begun]
    if many is None:
        return runs[0]
    return sorted(runs, key=lambda run: many.index(int(run.folder.name)))


class _Watch:
    """Passes the metrics of new iterations to a function."""

    def __init__(self, progress: Callable[[dict[str, Any]], Any] | None) -> None:
        self._progress = progress
        # A resumed run has older lines, and repeats some of them.
        self._since = time.time()
        #: Number of the last iteration that was passed on, by folder.
        self._done: dict[Path, int] = {}
        #: Time and size of the last change that was seen, by folder.
        self._seen: dict[Path, tuple[int, int]] = {}

    def look(self, output: str) -> bool:
        """Passes new metrics on. Returns whether the program should continue."""
        if self._progress is None:
            return True
        folders = _announced(output, "run", "start")
        rows = [
            {"run": str(folder), **row} for folder in folders for row in self._new_rows(folder)
        ]
        # A recipe's `start` is trained before it, but announced after it.
        rows.sort(key=lambda row: row["time"])
        return all([self._progress(row) is not False for row in rows])

    def _new_rows(self, folder: Path) -> list[dict[str, Any]]:
        path = folder / _METRICS
        try:
            status = path.stat()
        except FileNotFoundError:
            return []
        change = (status.st_mtime_ns, status.st_size)
        if change == self._seen.get(folder):
            return []
        self._seen[folder] = change
        done = self._done.get(folder, -1)
        rows = [
            row for row in _rows(path) if row["iteration"] > done and row["time"] >= self._since
        ]
        if rows:
            self._done[folder] = rows[-1]["iteration"]
        return rows


def _announced(output: str, *kinds: str) -> list[Path]:
    """Returns the folders that the program has announced, in order."""
    lines = (line.split(": ", 1) for line in output.splitlines(keepends=True))
    return [
        Path(part[1].rstrip("\r\n"))
        for part in lines
        # The last line may not be complete yet.
        if part[0] in kinds and part[-1].endswith("\n")
    ]


def _rows(path: Path) -> list[dict[str, Any]]:
    """Returns the complete lines of a file of metrics; none if it does not exist."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]


def _seeds(seeds: Iterable[int]) -> list[int]:
    """Returns the seeds as a list of numbers."""
    if isinstance(seeds, (str, bytes)) or not isinstance(seeds, Iterable):
        raise TypeError(f"seeds={seeds!r}: use a list of whole numbers, such as [1, 2, 3]")
    numbers = [_whole(seed, "seeds") for seed in seeds]
    if not numbers:
        raise ValueError("seeds is empty: name a seed, or leave it out")
    return numbers


def _whole(number: SupportsIndex, name: str) -> int:
    try:
        return index(number)
    except TypeError:
        raise TypeError(f"{name}: {number!r} is not a whole number (int)") from None


def set_arguments(settings: Mapping[str, Any] | None) -> list[str]:
    """Returns the options ``--set`` of these keys and values."""
    if settings is None:
        return []
    if not isinstance(settings, Mapping):
        raise TypeError(f'set={settings!r}: use a dict, such as {{"ppo.update_epochs": 1}}')
    return [f"--set={key}={_setting(str(key), value)}" for key, value in settings.items()]


def _setting(key: str, value: Any) -> str:
    return "" if value is None else _toml(key, value)


def _toml(key: str, value: Any) -> str:
    """Returns a value of a recipe as TOML."""
    if hasattr(value, "tolist"):  # a number or an array of NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, PathLike)):
        return json.dumps(fspath(value), ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(str(name))} = {_toml(key, one)}" for name, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(key, one) for one in value)}]"
    raise TypeError(
        f"set[{key!r}]={value!r}: use a number, a bool, a string, a list or a dict, or None to "
        "remove the key"
    )


#: Arguments that replace the options of the program in its messages.
_ARGUMENTS = {
    "exploit": "exploit=",
    "iterations": "iterations=",
    "resume": "resume=True",
    "run": "folder=",
    "seed": "seed=",
    "seeds": "seeds=",
    "set": "set=",
    "threads": "threads=",
}


def in_python(message: str, arguments: Mapping[str, str] = _ARGUMENTS) -> str:
    """Returns a message of the program with the names of arguments in Python.

    Args:
        message: The message.
        arguments: Name of the argument for each option of the program. Commands in the message stay
            as they are.
    """

    def named(line: str) -> str:
        if line.lstrip().startswith("troel "):
            return line
        return re.sub(r"--([a-z]+)(?: <\w+>)?", lambda m: arguments.get(m[1], m[0]), line)

    lines = [named(line) for line in message.split("\n")]
    return "\n".join(line for line in lines if not line.startswith("For more information, try"))
