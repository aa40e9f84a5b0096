"""NashConv of ``troel nashconv`` against that of OpenSpiel on the same small games."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, need

#: One card each: the auction is all there is to decide, and a solver in Python needs seconds.
HEAD = """
id = "one-card"
family = "turn-up"
scoring = "{scoring}"
deal = "shuffle"
ranks = "A"
packets = [[1, 0, 0]]
match_target = 0
void_moves_dealer = false
open_misere_shown_after = 0
share_miseres = true
"""
CONTRACTS = """
[[contract]]
kind = "suit"
level = 8
tricks = 1
made = [3]
failed = 4
opponents = 2

[[contract]]
kind = "alone"
level = 5
tricks = 1
made = [5]
failed = 4
opponents = 1

[[contract]]
kind = "misere"
made = [4]
failed = 5
opponents = 3
"""


def compare(program: str, rules: str, bot: str) -> None:
    import small_game

    ours, our_gains = small_game.by_troel(program, rules, bot)
    theirs, their_gains = small_game.by_openspiel(rules, bot)
    assert ours == pytest.approx(theirs, abs=1e-6) and ours > 0.1
    assert our_gains == pytest.approx(their_gains, abs=1e-6)


@pytest.mark.parametrize("scoring", ["table", "settlement"])
def test_nash_conv_is_that_of_openspiel(scoring: str, program: str, tmp_path: Path) -> None:
    need("pyspiel")
    rules = tmp_path / "one-card.toml"
    rules.write_text(HEAD.format(scoring=scoring) + CONTRACTS, "utf-8")
    compare(program, str(rules), "random")
    if scoring == "settlement":
        return
    compare(program, str(rules), "rules")
    # A trained bot, whose policy is neither uniform nor a single action.
    run = tmp_path / "run"
    recipe = ROOT / "configs" / "experiments" / "small.toml"
    train = [program, "train", str(recipe), "--run", str(run), "--set", f"rules={rules}"]
    train += ["--iterations", "3", "--set", "deals=512"]
    subprocess.run(train, check=True, capture_output=True)
    compare(program, str(rules), str(run / "bot"))
