"""Reviews are those of the program, and name a certain contract that a bot does not call."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import troel

#: South is eldest hand and holds thirteen trumps.
THIRTEEN: dict[str, Any] = {
    "rules": "luxembourg",
    "dealer": "E",
    "deal": "S:AKQJT98765432... .AKQJT.9876.5432 .9876.5432.AKQJT .5432.AKQJT.9876",
    "actions": ["8S"],
}


def test_a_review_is_that_of_the_program(tmp_path: Path, program: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(THIRTEEN))
    for bot in ("luxembourg-v5", "expert"):
        args = ["--bot", bot, "--seat", "S", "--worlds", "10", "--seed", "3", "--json"]
        printed = subprocess.run([program, "review", str(path), *args], check=True, capture_output=True)
        ours = troel.review(THIRTEEN, bot, seat="S", worlds=10, seed=3)
        assert ours == json.loads(printed.stdout)
        (decision,) = ours["decisions"]
        assert (decision["did"], decision["best"]) == ("8S", "slam-S")
        assert decision["points"] > 10


def test_bots_in_python_are_asked() -> None:
    (decision,) = troel.review(THIRTEEN, troel.each(lambda view: min(view.legal)), seat="S")["decisions"]
    assert decision["best"] == "slam-S"
    with pytest.raises(ZeroDivisionError):
        troel.review(THIRTEEN, lambda batch: 1 / 0)


def test_bad_records_are_refused() -> None:
    for record, match in [({**THIRTEEN, "actions": ["9S"]}, "9S"), ({**THIRTEEN, "deal": "S:- - - -"}, "hand")]:
        with pytest.raises(ValueError, match=match):
            troel.review(record, "rules")
    with pytest.raises(ValueError, match="worlds"):
        troel.review(THIRTEEN, "rules", worlds=0)
