"""The laboratory: the figures of the program, from Python."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import troel
from conftest import need


def printed(program: str, command: str, *arguments: str) -> Any:
    """Returns the JSON that a command of the program prints."""
    done = subprocess.run([program, *command.split(), "--json", *arguments], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def text(program: str, *arguments: str) -> str:
    """Returns the text that the program prints."""
    return subprocess.run([program, *arguments], check=True, capture_output=True).stdout.decode()


def test_compare_gives_the_figures_of_the_program(program: str) -> None:
    arguments = ["--rules", "wiezen", "--deals", "20..36", "--seed", "5", "rules", "--", "random", "expert"]
    found = troel.compare("rules", ["random", "expert"], "wiezen", (20, 36), seed=5)
    assert found.report == printed(program, "compare", *arguments)
    assert str(found) == text(program, "compare", *arguments)
    assert found.groups == (["rules"], ["random", "expert"])
    assert found.ci95 is not None and sum(found.ci95) / 2 == pytest.approx(found.mean)
    assert [row["points_per_deal"] for row in found.rows] == found.pairs[0]
    # Bots written in Python are the same bots.
    expert = troel.load("expert", "wiezen")

    def mine(batch: troel.Batch) -> Any:
        return expert.act(list(batch.views))

    again = troel.compare("rules", ["random", mine], deals=(20, 36), rules="wiezen", seed=5)
    assert again.groups[1] == ["random", "mine"]
    assert again.pairs[0][0] == found.pairs[0][0]


def test_compare_refuses_what_is_no_group() -> None:
    for first, match in [
        ([], "first is empty"),
        (["rules", "rules"], "rules is listed twice in its group"),
        (["luxembourg-v5", "rules"], "rules has no training seed"),
        ("nonesuch", "nonesuch"),
    ]:
        with pytest.raises(ValueError, match=match):
            troel.compare(first, "random", deals=2)
    with pytest.raises(ValueError, match=r"deals=\(0, 1\): too few for an interval"):
        troel.compare("rules", "random", deals=1)
    with pytest.raises(TypeError, match="progress=3"):
        troel.compare("rules", "random", deals=2, progress=3)  # type: ignore[arg-type]


def test_ladders_are_those_of_the_program(tmp_path: Path, program: str) -> None:
    mine, theirs = tmp_path / "mine.jsonl", tmp_path / "theirs.jsonl"
    bots = ["random", "rules", "expert"]
    arguments = [str(theirs), *bots, "--rules", "wiezen", "--deals", "32", "--seed", "3"]
    calls: list[tuple[int, int]] = []
    found = troel.ladder(
        mine, bots, rules="wiezen", deals=32, seed=3, progress=lambda *units: calls.append(units)
    )
    assert found.report == printed(program, "ladder", *arguments)
    assert calls[-1] == (6 * 32, 6 * 32)
    lines, programs = troel.read_ladder(mine), troel.read_ladder(theirs)
    assert [{**line, "commit": ""} for line in programs] == lines
    # Without bots the file is shown, by either.
    shown = troel.ladder(mine)
    assert shown == found
    assert f"**wiezen**\n\n{found.cross}" in text(program, "ladder", str(mine), "--cross")
    assert str(found) in text(program, "ladder", str(mine))
    assert [row["bot"] for row in found.rows] == [s["player"]["name"] for s in found.strengths]
    # Comparisons that the file has are not played again.
    calls.clear()
    more = troel.ladder(
        mine,
        ["pimc:worlds=1"],
        against="rules",
        rules="wiezen",
        deals=32,
        seed=3,
        progress=lambda *units: calls.append(units),
    )
    assert calls[-1] == (32, 32) and len(more.strengths) == 4
    assert troel.ladder(mine, scope="full", rules="wiezen").report == more.report


def test_ladders_refuse_what_they_cannot_rank(tmp_path: Path) -> None:
    file = tmp_path / "ladder.jsonl"
    for arguments, match in [
        ({}, "has no results of luxembourg in the scope full"),
        ({"bots": ["rules"]}, "has no opponent"),
        ({"against": ["rules"]}, "name the bots"),
        ({"bots": ["rules", "random"], "deals": 15}, "use at least 16"),
        ({"bots": ["expert", "random"]}, 'anchor="rules" is in no comparison'),
        ({"bots": ["rules", "random"], "scope": "all"}, "scope"),
    ]:
        with pytest.raises(ValueError, match=match):
            troel.ladder(file, **{"deals": 16, **arguments})  # type: ignore[arg-type]
    file.write_text("{}\n")
    with pytest.raises(ValueError, match="line 1: not a result"):
        troel.ladder(file)


def test_behaviour_sheets_are_those_of_the_program(program: str) -> None:
    arguments = ["rules", "expert", "--rules", "wiezen", "--deals", "70", "--seed", "2"]
    found = troel.behaviour(["rules", "expert"], "wiezen", 70, seed=2)
    assert found.sheets == printed(program, "behaviour", *arguments)
    assert text(program, "behaviour", *arguments).endswith(f"\n{found}")
    rows = [row for row in found.rows if row["bot"] == "rules"]
    assert sum(row["deals"] for row in rows) == 70
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    with pytest.raises(ValueError, match="two are named rules"):
        troel.behaviour(["rules", "rules"], deals=1)
    with pytest.raises(ValueError, match="none"):
        troel.behaviour("rules", deals=0)


def first_legal(view: troel.View) -> int:
    return view.legal[0]


def test_exploitation_is_that_of_the_program(program: str) -> None:
    arguments = ["wiezen-v5", "--deals", "4", "--search-deals", "2", "--worlds", "2", "--seed", "2"]
    theirs = printed(program, "exploit", *arguments)
    found = troel.exploit("wiezen-v5", deals=4, search_deals=2, worlds=2, seed=2)
    assert theirs.pop("commit")
    assert found.report == theirs
    assert str(found) == text(program, "exploit", *arguments)
    assert {row["method"] for row in found.rows} == {"search", "endings", "released"}
    assert troel.exploit(troel.load("wiezen-v5"), deals=4, search_deals=2, worlds=2, seed=2) == found
    # An exploiter may be written in Python.
    found = troel.exploit("rules", deals=2, methods=["ppo"], exploiter=troel.each(first_legal))
    assert [row["bot"] for row in found.rows][:1] == ["first_legal"]
    for arguments_, match in [
        ({"methods": ["ppo"]}, "ppo needs run"),
        ({"methods": ["search"]}, "rules is not a trained bot"),
        ({"methods": ["nonesuch"]}, "unknown; use ppo, search"),
        ({"methods": ["released"], "exploiter": "random"}, "needs the method ppo"),
        ({"set": {"deals": 1}}, "set needs run"),
    ]:
        with pytest.raises(ValueError, match=match):
            troel.exploit("rules", deals=2, **arguments_)  # type: ignore[arg-type]


def test_a_trained_exploiter_is_that_of_the_program(
    tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TROEL_PROGRAM", program)
    small = {"deals": 16, "ppo.update_epochs": 1}
    arguments: dict[str, Any] = {
        "methods": ["ppo"],
        "deals": 4,
        "run": tmp_path / "run",
        "iterations": 1,
        "set": small,
    }
    found = troel.exploit("wiezen-v5", **arguments)
    assert [row["method"] for row in found.rows][:1] == ["ppo"]
    assert (tmp_path / "run" / "bot").exists()
    settings = [f"--set={key}={value}" for key, value in small.items()]
    options = ["--methods", "ppo", "--deals", "4", "--iterations", "1", *settings]
    options = ["wiezen-v5", "--run", str(tmp_path / "run"), *options]
    assert found.report == printed(program, "exploit", *options)
    assert str(found) == text(program, "exploit", *options)
    with pytest.raises(troel.TrainingError, match="iterations"):
        troel.exploit("wiezen-v5", **{**arguments, "iterations": 0})
    with pytest.raises(TypeError, match="need a name or a folder"):
        troel.exploit(lambda batch: [], **arguments)


def test_matches_are_those_of_the_program(program: str) -> None:
    arguments = ["random", "rules", "--rules", "horesca", "--matches", "16", "--seed", "4"]
    found = troel.matches("random", "rules", "horesca", 16, seed=4)
    theirs = printed(program, "eval", *arguments)
    assert theirs.pop("commit")
    assert found.report == theirs
    assert str(found) + "\n" == text(program, "eval", *arguments)
    assert found.count == 16 and found.ci95[0] <= found.won <= found.ci95[1]
    with pytest.raises(ValueError, match="wiezen has no target"):
        troel.matches("random", "rules", "wiezen", 16)
    with pytest.raises(ValueError, match="count=15"):
        troel.matches("random", "rules", "horesca", 15)


def test_corpora_are_those_of_the_program(tmp_path: Path, program: str) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    arguments = ["--rules", "wiezen", "--deals", "60..70", "--worlds", "3", "--player", "rules", "--seed", "2"]
    text(program, "corpus", "make", str(theirs), *arguments)
    made = troel.corpus(mine, "wiezen", (60, 70), worlds=3, player="rules", seed=2)
    assert [shard.name for shard in made.shards] == [
        "00000060-00000064.safetensors",
        "00000064-00000070.safetensors",
    ]
    for shard in made.shards:
        assert shard.read_bytes() == (theirs / shard.name).read_bytes()
    bots = ["rules", "random"]
    losses = troel.Corpus(mine).judge(bots, seed=3)
    judging = [str(mine), *bots, "--seed", "3"]
    assert losses.losses == printed(program, "corpus judge", *judging)
    assert str(losses) == text(program, "corpus", "judge", *judging)
    assert [(row["bot"], row["kind"]) for row in losses.rows] == [
        (bot, kind) for bot in bots for kind in ("calls", "cards")
    ]
    with pytest.raises(ValueError, match="worlds: 3, not 4"):
        troel.corpus(mine, "wiezen", (60, 70), worlds=4, player="rules", seed=2)
    with pytest.raises(ValueError, match="nowhere"):
        troel.Corpus(tmp_path / "nowhere").judge("rules")


def test_results_are_data_frames(tmp_path: Path) -> None:
    need("pandas")
    frames = [
        troel.compare("rules", "random", deals=2).to_frame(),
        troel.ladder(tmp_path / "l.jsonl", ["rules", "random"], deals=16).to_frame(),
        troel.behaviour("rules", deals=8).to_frame(),
        troel.exploit("random", methods=["released"], deals=2).to_frame(),
        troel.corpus(tmp_path / "c", "wiezen", 1, worlds=1, player="rules").judge("rules").to_frame(),
    ]
    for frame in frames:
        assert len(frame) > 0


def test_errors_of_bots_and_callbacks_end_a_computation(tmp_path: Path) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    for run in [
        lambda bot, **more: troel.compare(bot, "rules", deals=16, **more),
        lambda bot, **more: troel.ladder(tmp_path / "l.jsonl", [bot, "rules"], deals=16, **more),
        lambda bot, **more: troel.behaviour(bot, deals=16, **more),
        lambda bot, **more: troel.matches(bot, "rules", "horesca", 16, **more),
        lambda bot, **more: troel.corpus(tmp_path / "c", deals=1, player=bot, worlds=1, **more),
    ]:
        with pytest.raises(ZeroDivisionError):
            run(fail)
        with pytest.raises(ZeroDivisionError):
            run("random", progress=fail)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "call",
    [
        "troel.compare('rules', 'expert', deals=10**6, progress=print)",
        "troel.behaviour('expert', deals=10**6, progress=print)",
        "troel.corpus('corpus', deals=10**6, worlds=2, progress=print)",
    ],
)
def test_an_interrupt_ends_a_computation(tmp_path: Path, call: str) -> None:
    script = (
        "import builtins, signal, troel\n"
        # A test that runs in the background ignores the signal, and its children too.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print = lambda *units: builtins.print(*units, flush=True)\n"
        f"{call}"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None and process.stdout.readline()
    process.send_signal(signal.SIGINT)
    # Far from the end of the computation.
    _, told = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in told


def test_an_exploiter_needs_a_seed_and_known_rules(program: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="seed=None: with run, give a seed"):
        troel.exploit("rules", run=tmp_path / "run", seed=None)
    club = tmp_path / "club.toml"
    club.write_text(text(program, "rules", "wiezen").replace('id = "wiezen"', 'id = "club"'))
    with pytest.raises(ValueError, match="plays club: with run, give its file as rules="):
        troel.exploit(troel.load("rules", str(club)), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()
