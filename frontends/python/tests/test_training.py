"""``troel.train``: runs of the program, followed, stopped, interrupted and resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import troel
from conftest import need
from troel import program as programs

RECIPE = """\
rules = "wiezen"
run = "unused"
iterations = 6
deals = 64
checkpoint_every = 1
tensorboard = false
network = { hidden = 8, blocks = 0 }
[eval]
every = 0
final_deals = 16
"""


@pytest.fixture
def recipe(tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe of a few short iterations, and the program that trains it."""
    monkeypatch.setenv("TROEL_PROGRAM", program)
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def weights(bot: Path | None) -> bytes:
    assert bot is not None
    return (bot / "model.safetensors").read_bytes()


def test_a_run_gives_its_metrics_and_the_bot_of_the_program(
    tmp_path: Path, recipe: Path, program: str
) -> None:
    rows: list[dict[str, Any]] = []
    run = troel.train(
        recipe,
        set={"iterations": 3, "ppo.update_epochs": 1, "scenarios": [{"scenario": "misere", "share": 0.1}]},
        seed=5,
        folder=tmp_path / "run it",
        threads=1,
        progress=rows.append,
    )
    assert [row.pop("run") for row in rows] == [str(tmp_path / "run it")] * 3
    assert rows == run.rows
    assert [row["iteration"] for row in rows] == [1, 2, 3]
    assert rows[-1]["losses/entropy"] > 0
    (evaluation,) = run.evaluation
    assert (evaluation["baseline"], evaluation["deals"]) == ("rules", 16)
    assert run.bot is not None
    bot = troel.load(run.bot)
    assert bot.rules == "wiezen"
    game = troel.Game("wiezen", seed=1)
    assert bot.act(game) in game.legal

    settings = ["iterations=3", "ppo.update_epochs=1", 'scenarios=[{scenario="misere",share=0.1}]']
    command = [program, "train", str(recipe), "--run", str(tmp_path / "theirs"), "--seed", "5"]
    command += [f"--set={setting}" for setting in settings]
    subprocess.run(command, check=True, capture_output=True)
    assert weights(run.bot) == weights(tmp_path / "theirs" / "bot")


def test_metrics_are_a_data_frame(tmp_path: Path, recipe: Path) -> None:
    need("pandas")
    run = troel.train(recipe, set={"iterations": 2, "eval.final_deals": 0}, folder=tmp_path / "run")
    assert run.metrics["iteration"].tolist() == [1, 2]
    assert run.metrics["losses/entropy"].dtype == float
    assert run.evaluation == []


def test_without_pandas_metrics_are_rows(
    tmp_path: Path, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = troel.train(recipe, set={"iterations": 1, "eval.final_deals": 0}, folder=tmp_path / "run")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert run.metrics == run.rows


def test_a_stopped_run_resumes_to_the_same_bot(tmp_path: Path, recipe: Path) -> None:
    whole = troel.train(recipe, folder=tmp_path / "whole", threads=1)
    seen: list[int] = []

    def stop(row: dict[str, Any]) -> bool:
        seen.append(row["iteration"])
        return row["iteration"] < 2

    stopped = troel.train(recipe, folder=tmp_path / "run", threads=1, progress=stop)
    assert stopped.bot is None and stopped.folder == tmp_path / "run"
    done = len(stopped.rows)
    assert seen == list(range(1, done + 1)) and 2 <= done < 6
    rest: list[int] = []
    resumed = troel.train(
        recipe,
        folder=tmp_path / "run",
        threads=1,
        resume=True,
        progress=lambda row: rest.append(row["iteration"]),
    )
    # Iterations before the resumption are not passed on again.
    assert rest == list(range(done + 1, 7))
    assert [row["iteration"] for row in resumed.rows] == [1, 2, 3, 4, 5, 6]
    assert weights(resumed.bot) == weights(whole.bot)


def test_seeds_are_runs_in_folders(tmp_path: Path, recipe: Path) -> None:
    arguments: dict[str, Any] = {"set": {"iterations": 2}, "folder": tmp_path / "runs", "threads": 1}
    folders: list[str] = []
    runs = troel.train(
        recipe, seeds=[7, 3], progress=lambda row: folders.append(row["run"]), **arguments
    )
    assert [run.folder for run in runs] == [tmp_path / "runs" / "7", tmp_path / "runs" / "3"]
    assert folders == [str(run.folder) for run in runs for _ in range(2)]
    alone = troel.train(recipe, **{**arguments, "folder": tmp_path / "alone"}, seed=3)
    assert weights(alone.bot) == weights(runs[1].bot)
    # Finished runs are skipped, and missing ones are trained.
    again = troel.train(recipe, seeds=[7, 4, 3], resume=True, **arguments)
    assert [run.folder.name for run in again] == ["7", "4", "3"]
    assert [again[0], again[2]] == runs and again[1].bot is not None
    # They are groups of bots for a comparison.
    bots = [run.bot for run in again]
    compared = troel.compare(bots[:2], bots[2], deals=16)  # type: ignore[arg-type]
    assert compared.report["seeds"] == [2, 1] and compared.ci95 is None


def test_a_seed_that_fails_does_not_end_the_others(tmp_path: Path, recipe: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "2").write_text("a file in the place of a folder")
    with pytest.raises(troel.TrainingError, match=r"seed 2 \(2 of 3\) failed: .*\n1 of 3 seeds failed: 2"):
        troel.train(recipe, set={"iterations": 1}, seeds=range(1, 4), folder=tmp_path / "runs")
    assert (tmp_path / "runs" / "3" / "bot").exists()


def test_the_recipe_that_comes_first_is_followed(tmp_path: Path, recipe: Path) -> None:
    first = tmp_path / "first.toml"
    first.write_text(RECIPE.replace("final_deals = 16", "final_deals = 0"))
    start = {"recipe": str(first), "set": ["iterations=2"]}
    rows: list[dict[str, Any]] = []
    run = troel.train(
        recipe, set={"start": start, "iterations": 1}, folder=tmp_path / "run", progress=rows.append
    )
    assert [(Path(row["run"]), row["iteration"]) for row in rows] == [
        (tmp_path / "run" / "start", 1),
        (tmp_path / "run" / "start", 2),
        (tmp_path / "run", 1),
    ]
    assert run.folder == tmp_path / "run"


def test_an_error_in_the_callback_stops_the_run(tmp_path: Path, recipe: Path) -> None:
    def fail(row: dict[str, Any]) -> None:
        raise ZeroDivisionError(row["iteration"])

    with pytest.raises(ZeroDivisionError):
        troel.train(recipe, folder=tmp_path / "run", progress=fail)
    # The lock is free and there is a checkpoint, so the program has saved and ended.
    assert troel.train(recipe, folder=tmp_path / "run", resume=True).bot is not None


# A test that runs in the background ignores the signal, and its children too.
SCRIPT = """\
import signal, sys, troel
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begins", flush=True)
troel.train(sys.argv[1], set={"iterations": 100000}, folder=sys.argv[2],
            progress=lambda row: print(row["iteration"], flush=True))
"""


def started(recipe: Path, folder: Path) -> subprocess.Popen[str]:
    """Starts a long training in another Python, and waits for its first iteration."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(recipe), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["begins\n", "1\n"], process.communicate()
    return process


def resumes(recipe: Path, folder: Path) -> bool:
    """Returns whether a run can be resumed: no program holds its lock any more."""
    try:
        troel.train(recipe, set={"iterations": 100000}, folder=folder, resume=True, progress=lambda _: False)
    except (ValueError, troel.TrainingError):
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_the_run_cleanly(tmp_path: Path, recipe: Path) -> None:
    process = started(recipe, tmp_path / "run")
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in told
    assert resumes(recipe, tmp_path / "run")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_program_ends_with_a_killed_python(tmp_path: Path, recipe: Path) -> None:
    process = started(recipe, tmp_path / "run")
    process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while not resumes(recipe, tmp_path / "run"):
        assert time.monotonic() < deadline, "the program still runs"
        time.sleep(0.1)


def test_programs_that_a_recipe_runs_are_named(
    tmp_path: Path, recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = Path(__file__).resolve().parents[3] / "docs" / "example_bot.py"
    bot = f"bot:{sys.executable} {example}"
    changes = {"eval.baselines": [bot], "iterations": 1}
    run = troel.train(recipe, set=changes, folder=tmp_path / "run")
    assert run.bot is not None
    printed = capsys.readouterr().err
    assert "the recipe runs a program" in printed and "example_bot.py" in printed
    assert len(printed.splitlines()) == 1


def test_errors_are_those_of_the_program(tmp_path: Path, recipe: Path) -> None:
    def refused(match: str, error: type[Exception] = ValueError, **arguments: Any) -> None:
        with pytest.raises(error, match=match):
            troel.train(**{"recipe": recipe, "folder": tmp_path / "run", **arguments})

    refused("no-such", recipe="no-such")
    refused("nonesuch", set={"ppo.nonesuch": 1})
    refused("deals", set={"deals": -1})
    refused("iterations", iterations=-1)
    refused("seeds is empty", seeds=[])
    refused("seed 1 is listed twice", seeds=[1, 1])
    refused("use one of the two", seed=1, seeds=[1])
    refused("not a seed", seeds=[-1])
    refused("holds no checkpoint; start without resume=True", troel.TrainingError, resume=True)
    refused("exploit", exploit="nonesuch")
    refused(r"seeds: 1.5 is not a whole number", TypeError, seeds=[1.5])
    refused("use a list of whole numbers", TypeError, seeds=1)
    refused("use a dict", TypeError, set=["deals=1"])
    refused(r"set\['deals'\]=<object", TypeError, set={"deals": object()})
    refused("use a function", TypeError, progress=3)
    assert not (tmp_path / "run").exists()
    troel.train(recipe, set={"iterations": 1, "eval.final_deals": 0}, folder=tmp_path / "run")
    refused("already holds a run; continue it with resume=True, or name another folder with folder=")


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")
def test_a_training_that_fails_raises_the_end_of_what_it_printed(
    tmp_path: Path, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fake(*lines: str) -> None:
        script = ["#!/bin/sh", f'[ "$1" = --version ] && echo "troel {troel.__version__} (0123abc)" && exit']
        (tmp_path / "fake").write_text("\n".join([*script, *lines, ""]))
        (tmp_path / "fake").chmod(0o755)

    monkeypatch.setenv("TROEL_PROGRAM", str(tmp_path / "fake"))
    fake("echo run: here", "echo a note >&2", "echo 'troel: disk full' >&2", "echo free it >&2", "exit 2")
    with pytest.raises(troel.TrainingError, match="^disk full\nfree it$"):
        troel.train(recipe)
    fake("echo run: here", "echo the last words >&2", "kill -9 $$")
    with pytest.raises(troel.TrainingError, match="^the program ended with signal 9\nthe last words$"):
        troel.train(recipe)


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")
def test_the_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def put(name: str, version: str) -> Path:
        path = tmp_path / name / "troel"
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\necho troel {version}\n")
        path.chmod(0o755)
        return path

    named, variable = put("named", troel.__version__), put("variable", troel.__version__)
    wheel, on_path = put("wheel", troel.__version__), put("path", troel.__version__)
    old = put("old", "0.0.1")
    monkeypatch.setattr(programs, "find_program", lambda _: wheel)
    monkeypatch.setenv("PATH", f"{on_path.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TROEL_PROGRAM", str(variable))
    assert programs.required_program(named) == named
    assert programs.required_program() == variable
    monkeypatch.delenv("TROEL_PROGRAM")
    assert programs.required_program() == wheel
    monkeypatch.setattr(programs, "find_program", lambda _: None)
    assert programs.required_program() == on_path
    with pytest.raises(FileNotFoundError, match="program='nonesuch': there is no such program"):
        programs.required_program("nonesuch")
    with pytest.raises(ValueError, match="is version 0.0.1, but the package is"):
        programs.required_program(old)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="cargo install --path cli"):
        troel.train("quickstart")
