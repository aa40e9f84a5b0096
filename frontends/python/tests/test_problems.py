"""Problems with known answers: generated, read from files, and asked of bots."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import troel


def test_problems_and_sheets_are_those_of_the_program(tmp_path: Path, program: str) -> None:
    posed = troel.problems("sure-contracts", "wiezen", 40, seed=3)
    path = tmp_path / "problems.jsonl"
    args = ["--rules", "wiezen", "--problems", "40", "--seed", "3", "--write", str(path)]
    subprocess.run([program, "problems", "sure-contracts", *args], check=True, capture_output=True)
    assert posed == [json.loads(line) for line in path.read_text().splitlines()]
    assert posed == troel.problems(path) == troel.problems(path, "wiezen")
    printed = subprocess.run(
        [program, "problems", str(path), "expert", "--json", "--worst", "100"], check=True, capture_output=True
    )
    theirs = json.loads(printed.stdout)
    (ours,) = troel.judge(posed, "expert")
    assert (ours["bot"], ours["suite"], ours["problems"]) == ("expert", "sure-contracts", 40)
    assert (ours["solved"], ours["probability"]) == (theirs["solved"], theirs["probability"])
    assert (ours["lost"], ours["ci95"]) == (theirs["lost"]["mean"], theirs["lost"]["ci95"])
    assert ours["worst"] == theirs["worst"]
    assert ours == troel.judge(posed, troel.load("expert", "wiezen"))[0]


def test_bots_in_python_are_asked() -> None:
    posed = troel.problems("sure-contracts", "luxembourg", 20)
    asked = []

    @troel.each
    def knowing(view: troel.View) -> int:
        asked.append(view)
        hand = set(view.hand)
        for problem in posed:
            game = troel.Game.of_record(problem["record"])
            if view.phase == "auction" and set(game.view().hand) == hand and problem["accept"][0] in view.codes:
                return view.legal[view.codes.index(problem["accept"][0])]
        return min(view.legal)

    (sheet,) = troel.judge(posed, knowing)
    assert asked
    assert (sheet["solved"], sheet["probability"], sheet["lost"], sheet["worst"]) == (1.0, 1.0, 0.0, [])
    with pytest.raises(ZeroDivisionError):
        troel.judge(posed, lambda batch: 1 / 0)


def test_bad_problems_are_refused() -> None:
    posed = troel.problems("sure-miseres", "iwwa", 2)
    wrong: dict[str, Any] = {**posed[1], "accept": ["AS"]}
    for problems, bot, match in [
        ([], "rules", "empty"),
        ([posed[0], wrong], "rules", r"problems\[1\].*AS"),
        ([{"suite": "x"}], "rules", "problem"),
        ([*posed, *troel.problems("sure-miseres", "wiezen", 1)], "rules", "iwwa and wiezen"),
        (posed, "wiezen-v5", "wiezen"),
        (posed, troel.load("rules", "wiezen"), "wiezen"),
    ]:
        with pytest.raises(ValueError, match=match):
            troel.judge(problems, bot)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="neither a suite"):
        troel.problems("nonesuch")
