"""Games, views, the solver, records."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import troel
from conftest import ROOT, need
from troel import _troel


def play(game: troel.Game, choose: str = "random", seed: int = 0) -> list[str]:
    """Plays an episode to its end; the codes of what was played."""
    rng = np.random.default_rng(seed)
    codes = []
    while not game.done:
        index = int(rng.integers(len(game.legal)))
        codes.append(game.codes[index])
        game.step(game.legal[index])
    return codes


@pytest.mark.parametrize("rules", troel.RULES)
def test_random_deals_end_in_points_that_the_program_gives(rules: str, program: str) -> None:
    records, points = [], []
    for seed in range(40):
        game = troel.Game(rules, seed=seed, reward="points")
        rewards = [0.0] * 4
        rng = np.random.default_rng(seed)
        while not game.done:
            rewards, deal_over, done, outcome = game.step(int(rng.choice(game.legal)))
            assert deal_over == done == (outcome is not None)
        records.append(json.dumps(game.record()))
        points.append(rewards)
    replayed = subprocess.run(
        [program, "replay", "-"], input="\n".join(records), capture_output=True, text=True, check=True
    )
    for line, expected in zip(replayed.stdout.splitlines(), points, strict=True):
        assert json.loads(line)["scores"] == expected


@pytest.mark.parametrize("rules", troel.RULES)
def test_no_deal_leaves_the_bounds(rules: str) -> None:
    for reward in ("points", "centred"):
        lowest, highest = _troel.reward_range(rules, reward)
        for seed in range(20):
            game, rewards, actions = troel.Game(rules, seed=seed, reward=reward), [0.0] * 4, 0
            rng = np.random.default_rng(seed)
            while not game.done:
                rewards, *_ = game.step(int(rng.choice(game.legal)))
                actions += 1
            assert lowest <= min(rewards) and max(rewards) <= highest
            assert actions <= _troel.max_actions(rules)
    with pytest.raises(ValueError, match="single deal"):
        _troel.reward_range(rules, "match")


def test_a_seed_decides_the_deals() -> None:
    one, two = troel.Game(seed=5), troel.Game(seed=5)
    assert one.record() == two.record() != troel.Game(seed=6).record()
    assert play(one) == play(two)
    one.reset()
    two.reset()
    assert one.record() == two.record()
    one.reset(5)
    assert one.record() == troel.Game(seed=5).record()


def test_copies_and_pickles_go_on_alike() -> None:
    game = troel.Game(match=True, seed=3)
    for _ in range(30):
        game.step(game.legal[0])
    others = [copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
    view = game.view()
    assert pickle.loads(pickle.dumps(view)) == view == others[2].view()
    for _ in range(100):
        rewards = [g.step(g.legal[-1]) for g in [game, *others] if not g.done]
        assert all(r == rewards[0] for r in rewards)


def test_what_is_not_legal_changes_nothing() -> None:
    game = troel.Game(seed=1)
    before = game.record()
    for action in (-1, 133, 10**12, 10**30, 0, 0.5, None, "nonsense", "AS"):
        with pytest.raises(troel.IllegalAction, match="legal"):
            game.step(action)  # type: ignore[arg-type]
    assert game.record() == before
    game.step("pass")
    assert game.record()["actions"] == ["pass"]
    while not game.done:
        game.step(game.legal[0])
    with pytest.raises(troel.IllegalAction, match="reset"):
        game.step(0)


def test_arguments_that_cannot_be_used_name_the_remedy() -> None:
    for make, word in [
        (lambda: troel.Game("bridge"), "luxembourg"),
        (lambda: troel.Game(reward="money"), "centred"),
        (lambda: troel.Game(scenario="none"), "misere"),
        (lambda: troel.Game().view("X"), "NESW"),
        (lambda: troel.load("nobody"), "expert"),
        (lambda: troel.load("wiezen-v5", "iwwa"), "wiezen"),
        (lambda: troel.observe({"rules": "wiezen"}, 0), "record"),
        (lambda: troel.SelfPlayVectorEnv(0), "num_envs"),
        (lambda: troel.evaluate("rules", "rules", deals=0), "none"),
        (lambda: troel.evaluate("rules", 3), "bot"),  # type: ignore[arg-type]
        (lambda: troel.solve("N:A... K... Q... 2...", "NS", "X", leader="N"), "S, H, D, C"),
    ]:
        with pytest.raises(ValueError, match=word):
            make()


def test_a_view_hides_what_the_seat_does_not_know() -> None:
    game = troel.Game("iwwa", seed=4)
    rng = np.random.default_rng(4)
    while not game.done:
        view = game.view()
        for world in troel.worlds(view, 2, seed=1):
            other = troel.Game.of_record(world).view(view.seat)
            assert np.array_equal(other.features(), view.features())
            assert other.codes == view.codes
        assert troel.observe(view.record(), view.seat) == view
        assert view.mask().sum() == len(view.legal) > 0
        assert game.view((view.seat + 1) % 4).mask().sum() == 0
        game.step(int(rng.choice(game.legal)))


@pytest.mark.parametrize("rules", troel.RULES)
def test_a_view_has_the_facts_of_the_table(rules: str) -> None:
    kinds, bidder = set(), troel.load("rules", rules)  # Random calls end in slams.
    for seed in range(60):
        game, rng = troel.Game(rules, seed=seed), np.random.default_rng(seed)
        calls: list[tuple[int, str]] = []
        trick: list[tuple[int, str]] = []
        tricks, outcome = [0] * 4, None
        while not game.done:
            contract = game.contract or {"trump": None, "declarers": ""}
            for view in map(game.view, range(4)):
                assert view.contract == game.contract and view.dealer == "NESW".index(game.record()["dealer"])
                assert view.trump == contract["trump"]
                assert view.declarers == ["NESW".index(letter) for letter in contract["declarers"]]
                assert (view.calls, view.trick, view.tricks) == (calls, trick, tricks)
            seat, phase = game.turn, game.phase
            number = int(rng.choice(game.legal)) if phase == "play" else bidder.act(game)
            made = (seat, troel.action_code(number))
            *_, outcome = game.step(number)
            if phase == "play":
                trick.append(made)
            elif number >= 52:
                calls.append(made)
            if len(trick) == 4 and not game.done:
                tricks[game.turn] += 1
                trick.clear()
        assert outcome is not None and game.view().tricks == outcome["tricks"] and game.view().trick == []
        kinds.add(outcome["contract"] and outcome["contract"]["kind"])
    assert len(kinds) > 2


def test_the_solver_agrees_with_play() -> None:
    bot = troel.load("rules", "wiezen")
    checked = sum(_played_out(troel.Game.of_record(record), bot) for record in troel.deals("wiezen", 20))
    assert checked > 5


def _played_out(game: troel.Game, bot: troel.Agent) -> bool:
    """Plays a deal with best cards from its eighth trick on: what the best card is worth comes about."""
    while not game.done and sum(code in troel.ACTION_CODES[:52] for code in game.record()["actions"]) < 28:
        game.step(bot.act(game))
    if game.done:
        return False
    contract = game.contract
    assert contract is not None
    value = None
    while not game.done:
        values = troel.solve_record(game.record())
        assert set(values) == set(game.codes)
        assert all(bounds.least == bounds.most for bounds in values.values())
        mine = "NESW"[game.turn] in contract["declarers"]
        most = contract["kind"] not in ("misere", "open-misere", "small-misere")
        best = max if mine == most else min
        card = best(values, key=lambda code: values[code].least)
        value = values[card].least if value is None else value
        assert values[card].least == value
        _, _, _, outcome = game.step(card)
    assert outcome is not None
    taken = sum(outcome["tricks"]["NESW".index(seat)] for seat in contract["declarers"])
    assert contract["kind"] == "piccolo" or taken == value
    return True


def test_budgets_give_bounds() -> None:
    deal = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"
    within = troel.solve(deal, "EW", "S", leader="N", nodes=10)
    assert any(bounds.least < bounds.most for bounds in within.values())
    exact = troel.solve(deal, "EW", "S", leader="N")
    for card, bounds in exact.items():
        assert within[card].least <= bounds.least == bounds.most <= within[card].most
    record = troel.deals("wiezen")[0]
    assert troel.par(record, nodes=10) is None


def test_par_is_that_of_the_program(program: str) -> None:
    done = subprocess.run([program, "deal", "--rules", "wiezen", "--par"], capture_output=True, check=True)
    record = json.loads(done.stdout)
    assert troel.par({k: v for k, v in record.items() if k != "par"}) == record["par"]
    assert troel.deals("wiezen", seed=1)[0]["deal"] == record["deal"]


def test_encoded_records_run_in_onnx(tmp_path: Path, program: str) -> None:
    need("onnxruntime")
    import onnxruntime

    subprocess.run([program, "export", "luxembourg-v5", str(tmp_path / "bot")], check=True, capture_output=True)
    session = onnxruntime.InferenceSession(str(tmp_path / "bot" / "model.onnx"))
    game = troel.Game(seed=6)
    agent = troel.load("luxembourg-v5")
    while not game.done:
        encoded = troel.encode(game.record(), game.turn)
        policy = session.run(None, encoded.feed(session))[0][0]
        assert int(np.argmax(np.where(encoded.mask[0], policy, -np.inf))) == agent.act(game)
        game.step(agent.act(game))


def test_golden_records_replay() -> None:
    """The golden records of ``troel-env``: every action is legal, and the points come out."""
    folder = ROOT / "env" / "tests" / "golden"
    checked = 0
    for file in sorted(folder.glob("*.jsonl")):
        for record in list(troel.read_records(file))[:30]:
            deal = {key: record[key] for key in ("rules", "dealer", "deal", "turn_up") if key in record}
            game = troel.Game.of_record({**deal, "actions": []}, reward="points")
            rewards = [0.0] * 4
            for code in record["actions"]:
                rewards, *_ = game.step(code)
            assert game.done == (record["expect"]["scores"] is not None)
            assert not game.done or rewards == record["expect"]["scores"]
            checked += 1
    assert checked == 120


HOUSE = ROOT / "configs" / "rules"


def test_house_rules_survive_copies_pickles_and_worlds(tmp_path: Path) -> None:
    name = sorted(HOUSE.glob("*.toml"))[0]
    rules = tmp_path / "club.toml"
    lines = name.read_text("utf-8").splitlines()
    rules.write_text("\n".join('id = "club"' if line.startswith("id ") else line for line in lines), "utf-8")
    game = troel.Game(str(rules), seed=1)
    view = game.view()
    assert view.rules == "club"
    assert copy.copy(view) == view
    world = troel.worlds(view, 1)[0]
    assert troel.Game.of_record(world).view(view.seat) == view
    code = "import pickle, sys; view = pickle.load(sys.stdin.buffer); print(view.rules, view.codes == pickle.load(sys.stdin.buffer))"
    sent = pickle.dumps(view) + pickle.dumps(view.codes)
    path = str(Path(troel.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout == b"club True\n", done.stderr


def test_worlds_of_a_match_have_its_points() -> None:
    game = troel.Game(match=True, seed=3)
    bot = troel.load("rules")
    while not any(game.totals):
        game.step(bot.act(game))
    view = game.view()
    for world in troel.worlds(view, 3):
        again = troel.Game.of_record(world).view(view.seat)
        assert again.totals == view.totals and np.array_equal(again.features(), view.features())
