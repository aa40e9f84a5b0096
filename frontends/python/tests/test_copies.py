"""Copies and pickles of environments and agents: they go on as the original would."""

from __future__ import annotations

import copy
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import troel
from conftest import ROOT, need

COPIES: list[Callable[[Any], Any]] = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
WAYS = pytest.mark.parametrize("copied", COPIES, ids=["deepcopy", "pickle"])


class Drawn:
    """A bot with a state: it draws from a generator of its own."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, batch: troel.Batch) -> list[int]:
        return [int(self.rng.choice(view.legal)) for view in batch.views]


def house_rules(folder: Path) -> str:
    """The path of a rule file with a name of its own."""
    lines = (ROOT / "configs" / "rules" / "luxembourg.toml").read_text("utf-8").splitlines()
    path = folder / "club.toml"
    path.write_text("\n".join('id = "club"' if line.startswith("id ") else line for line in lines), "utf-8")
    return str(path)


def same(one: Any, other: Any) -> bool:
    """Whether two results of a step are equal, arrays included."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray) and one.dtype != object:
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, np.ndarray):
        return same(one.tolist(), other.tolist())
    return bool(one == other)


@WAYS
@pytest.mark.parametrize("full", [False, True])
def test_self_play_goes_on(copied: Callable[[Any], Any], full: bool) -> None:
    envs = troel.SelfPlayVectorEnv(70, "iwwa", seed=2, full=full)
    for _ in range(90):
        envs.step(envs.sample_actions())
    other = copied(envs)
    assert len(other) == other.num_envs == 70
    assert same(tuple(envs.observe()), tuple(other.observe()))
    for _ in range(90):
        actions = envs.sample_actions().copy()
        assert np.array_equal(actions, other.sample_actions())
        assert same(tuple(envs.step(actions)), tuple(other.step(actions)))
    before = envs.observe().observations.copy()
    other.step(other.sample_actions())
    assert np.array_equal(before, envs.observe().observations), "a copy has arrays of its own"
    assert same(tuple(envs.reset(5)), tuple(other.reset(5)))


@WAYS
@pytest.mark.parametrize("bots", ["random", Drawn, Drawn(3)], ids=["random", "class", "callable"])
@pytest.mark.parametrize("mode", ["same-step", "next-step", "disabled"])
def test_vectors_go_on(copied: Callable[[Any], Any], bots: Any, mode: str) -> None:
    need("gymnasium")
    envs = troel.OneSeatVectorEnv(70, "wiezen", bots=["rules", bots, bots], seat=None, illegal="random", autoreset_mode=mode)

    def step(envs: Any, actions: Any) -> Any:
        if mode == "disabled" and (over := ~envs.action_masks().any(axis=1)).any():
            envs.reset(options={"reset_mask": over})
        return envs.step(actions)

    envs.reset(seed=4)
    for _ in range(20):
        step(envs, envs.sample_actions())
    other = copied(envs)
    assert np.array_equal(envs.action_masks(), other.action_masks())
    for number in range(25):
        actions = envs.sample_actions()
        assert np.array_equal(actions, other.sample_actions())
        # Sometimes what is not legal, so that the draws in its place are compared, too.
        actions = np.zeros_like(actions) if number % 3 == 0 else actions
        assert same(step(envs, actions), step(other, actions))
    assert same(envs.reset(seed=5), other.reset(seed=5))


@WAYS
def test_single_environments_go_on(copied: Callable[[Any], Any], tmp_path: Path) -> None:
    need("gymnasium")
    rules = house_rules(tmp_path)
    env = troel.OneSeatEnv(rules, bots=["random", troel.load("expert", rules), "random"], match=True, illegal="random")
    env.reset(seed=3)
    draws = np.random.default_rng(1)
    for _ in range(30):
        env.step(draws.integers(troel.N_ACTIONS))
    other = copied(env)
    over = False
    for _ in range(60):
        if over:
            assert same(env.reset(), other.reset())
        action = draws.integers(troel.N_ACTIONS)
        one, two = env.step(action), other.step(action)
        assert same(one, two)
        over = one[2]
    fresh = copied(troel.OneSeatEnv())
    assert fresh.reset(seed=1)[1]["codes"]


@WAYS
def test_environments_with_wrappers_go_on(copied: Callable[[Any], Any]) -> None:
    need("gymnasium", "pettingzoo")
    import gymnasium

    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("troel/horesca-v0", illegal="random"))
    env.reset(seed=1)
    other = copied(env)
    for action in (1, 2, 60, 61):
        assert same(env.step(action)[:4], other.step(action)[:4])
    table = troel.env("horesca", illegal="random")
    table.reset(seed=2)
    another = copied(table)
    for action in (1, 2, 60, 61):
        table.step(action)
        another.step(action)
        assert same(table.last(), another.last())


def test_a_vector_whose_bot_failed_is_copied_as_it_is() -> None:
    need("gymnasium")
    fails = [False]

    def sometimes(batch: troel.Batch) -> list[int]:
        if fails[0]:
            raise KeyError("once")
        return [view.legal[0] for view in batch.views]

    envs = troel.OneSeatVectorEnv(4, bots=sometimes)
    envs.reset(seed=1)
    fails[0] = True
    with pytest.raises(KeyError):
        for _ in range(9):
            envs.step(envs.sample_actions())
    other = copy.deepcopy(envs)
    with pytest.raises(ValueError, match="reset"):
        other.step(np.zeros(4, np.int64))
    fails[0] = False
    other.reset()
    other.step(other.sample_actions())


@WAYS
def test_agents_of_house_rules_are_copied(copied: Callable[[Any], Any], tmp_path: Path) -> None:
    rules = house_rules(tmp_path)
    agent = troel.load("random", rules, seed=8)
    game = troel.Game(rules, seed=2)
    other = copied(agent)
    assert other.rules == "club"
    assert [agent.act(game) for _ in range(9)] == [other.act(game) for _ in range(9)]


def test_a_deep_copy_loads_no_bot_anew(tmp_path: Path) -> None:
    need("gymnasium")
    weights = {name: np.zeros(shape, np.float32) for name, shape in troel.tensor_shapes(8, 0).items()}
    troel.save_bundle(tmp_path / "bot", weights)
    agent = troel.load(tmp_path / "bot")
    env = troel.OneSeatEnv(bots=[tmp_path / "bot", agent, "rules"])
    env.reset(seed=1)
    shutil.rmtree(tmp_path / "bot")
    other = copy.deepcopy(env)
    assert same(env.step(53), other.step(53))
    assert copy.deepcopy(agent).act(troel.Game()) == agent.act(troel.Game())
    # A pickle goes elsewhere, and finds the bot there.
    with pytest.raises(ValueError, match="bot"):
        pickle.loads(pickle.dumps(env))


def test_callables_are_copied_once() -> None:
    need("gymnasium")
    bot = Drawn(1)
    envs = troel.OneSeatVectorEnv(70, bots=bot)
    other = copy.deepcopy(envs)
    bots, seated = other._native.__reduce__()[1][1:3]
    assert bots[0] is not bot
    assert all(one is bots[0] for one in [*bots, *(one for lane in seated for one in lane)])


def test_what_is_no_saved_environment_is_refused() -> None:
    from troel import _troel

    arrays = [np.zeros((1, 4)), np.zeros(1, bool), np.zeros((1, 4))]
    for saved in ("", "{}", '{"envs": [], "stream": 3, "has_full": false}'):
        with pytest.raises(ValueError, match="not a saved environment"):
            _troel._restore_self_play(saved, arrays)
        with pytest.raises(ValueError, match="not a saved environment"):
            _troel._restore_one_seat(saved, ["rules"] * 3, [], arrays[:2])
