"""Canonical suits: environments, networks and bots that rename suits in card play."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import troel
from conftest import need

#: Released bots with canonical suits and without features of the rules.
BOTS = [name for name in troel.RELEASED if not name.startswith("universal")]


def renamed(view: troel.View) -> bool:
    """Returns whether the canonical suits of a view differ from the real ones."""
    return view.suits() != 0


def policy_of(network: Any, view: troel.View) -> tuple[dict[str, float], float, int]:
    """Returns probabilities by code, the value, and the real number of the likeliest action."""
    import torch
    from troel.torch import masked

    features, mask = view.encode(canonical_suits=True)
    with torch.no_grad():
        logits, values = network(torch.from_numpy(features)[None])
        probs = masked(logits, torch.from_numpy(mask)[None]).probs[0].numpy()
    real = {view.real_action(action): float(probs[action]) for action in np.flatnonzero(mask)}
    assert sorted(real) == sorted(view.legal)
    by_code = {troel.action_code(action): p for action, p in real.items()}
    return by_code, float(values[0]), max(real, key=lambda action: real[action])


@pytest.mark.parametrize("name", BOTS)
def test_networks_decide_like_the_released_bot(name: str, tmp_path: Path) -> None:
    need("torch")
    from troel.torch import Network

    network, agent = Network.load(name), troel.load(name)
    info = troel.load_weights(name)[1]
    assert network.canonical_suits is info["network"].get("canonical_suits", False) is True
    scale = info["reward_scale"]
    network.save(tmp_path / "bot", agent.rules)
    kept = troel.load_weights(tmp_path / "bot")[1]
    assert kept["match_totals"] == info["match_totals"]
    assert not info["value_in_points"] or kept["reward_scale"] == scale
    again = troel.load(tmp_path / "bot")
    assert troel.load_weights(tmp_path / "bot")[1]["network"] == info["network"]
    rng, decisions, in_renamed = np.random.default_rng(1), 0, 0
    game = troel.Game(agent.rules, seed=5)
    while decisions < 150:
        if game.done:
            game.reset()
        view = game.view()
        decision, saved = agent.decide(view), again.decide(view)
        probabilities, value, _ = policy_of(network, view)
        assert probabilities == pytest.approx(decision.policy, abs=1e-5)
        assert saved.policy == pytest.approx(decision.policy, abs=1e-5)
        if decision.value is not None:
            assert value == pytest.approx(decision.value / scale, rel=1e-5, abs=1e-5)
            assert saved.value == pytest.approx(decision.value, abs=1e-4)
        decisions, in_renamed = decisions + 1, in_renamed + renamed(view)
        game.step(decision.action if rng.random() < 0.8 else int(rng.choice(view.legal)))
    assert in_renamed > 20


@pytest.mark.parametrize("name", BOTS)
def test_a_network_plays_an_environment_like_the_bot(name: str) -> None:
    need("torch", "pettingzoo")
    from troel.torch import Network

    network, agent = Network.load(name), troel.load(name)
    env = troel.raw_env(agent.rules, canonical_suits=True)
    for seed in range(3):
        env.reset(seed=seed)
        game = troel.Game(agent.rules, seed=seed)
        while not game.done:
            observation = env.observe(env.agent_selection)
            _, _, real = policy_of(network, observation.view)
            env.step(observation.view.canonical_action(real))
            game.step(agent.act(game))
        assert env.game.record() == game.record()


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("n", [3, 70])
def test_self_play_renames_rows_and_plays_the_same_deals(n: int, full: bool) -> None:
    plain = troel.SelfPlayVectorEnv(n, "luxembourg", seed=2, full=full)
    canonical = troel.SelfPlayVectorEnv(n, "luxembourg", seed=2, full=full, canonical_suits=True)
    differing = 0
    for step in range(80):
        now, real = canonical.observe(), plain.observe()
        for row in range(n):
            view = canonical.view(row)
            features, mask = view.encode(canonical_suits=True)
            assert (now.observations[row] == features).all() and (now.masks[row] == mask).all()
            differing += bool((now.masks[row] != real.masks[row]).any())
            if full:
                assert now.full is not None
                expected = canonical.game(row).full_features(canonical_suits=True)
                assert (now.full[row] == expected).all() and (expected[: troel.N_FEATURES] == features).all()
                hands = [expected[troel.N_FEATURES :].reshape(3, 4, 13)[i] for i in range(3)]
                plain_hands = canonical.game(row).full_features()[troel.N_FEATURES :].reshape(3, 4, 13)
                for suit in range(4):
                    place = view.canonical_action(13 * suit) // 13 if renamed(view) else suit
                    assert all((hands[i][place] == plain_hands[i][suit]).all() for i in range(3))
        if step == 40:
            copies = [copy.deepcopy(canonical), pickle.loads(pickle.dumps(canonical))]
        after = canonical.step(canonical.sample_actions())
        expected_after = plain.step(plain.sample_actions())
        assert (after.scores == expected_after.scores).all()
        assert (after.rewards == expected_after.rewards).all()
        if step >= 40:
            for one in copies:
                copied = one.step(one.sample_actions())
                assert (copied.observations == after.observations).all()
                assert (copied.masks == after.masks).all()
    assert differing > n


@pytest.mark.parametrize("flat", [False, True])
def test_one_seat_renames_and_plays_the_same_deals(flat: bool) -> None:
    need("gymnasium")
    from gymnasium.utils.env_checker import check_env

    check_env(troel.OneSeatEnv("luxembourg", canonical_suits=True, illegal="random", flat=flat), skip_render_check=True)
    env, plain = (troel.OneSeatEnv("luxembourg", canonical_suits=on, flat=flat) for on in (True, False))
    env.reset(seed=4)
    plain.reset(seed=4)
    over, steps, differing = False, 0, 0
    while not over and steps < 60:
        view = env.view()
        assert view == plain.view()
        action = view.legal[-1]
        number = view.canonical_action(action)
        differing += number != action
        assert env.action_masks()[number]
        env = pickle.loads(pickle.dumps(env))
        observation, reward, over, _, info = env.step(number)
        _, expected, _, _, expected_info = plain.step(action)
        features = observation if flat else observation["observation"]
        assert (features == env.view().features(canonical_suits=True)).all()
        assert reward == expected and info["codes"] == expected_info["codes"]
        assert (info["action_mask"] == env.view().mask(canonical_suits=True)).all()
        steps += 1
    assert over and differing > 0


@pytest.mark.parametrize("mode", ["same-step", "next-step"])
def test_vectors_rename_rows(mode: str) -> None:
    need("gymnasium")
    made = [troel.OneSeatVectorEnv(70, "wiezen", autoreset_mode=mode, canonical_suits=on) for on in (True, False)]
    for envs in made:
        envs.reset(seed=3)
    canonical, plain = made
    differing = 0
    for step in range(30):
        actions = canonical.sample_actions()
        observations, rewards, *_ = canonical.step(actions)
        expected = plain.step(plain.sample_actions())
        assert (rewards == expected[1]).all()
        differing += int((observations["action_mask"] != expected[0]["action_mask"]).any(1).sum())
        for row in range(0, 70, 9):
            features, mask = canonical.view(row).encode(canonical_suits=True)
            assert (observations["observation"][row] == features).all()
            assert (observations["action_mask"][row] == mask).all()
        if step == 10:
            twin = copy.deepcopy(canonical)
        if step > 10:
            assert (twin.step(actions)[0]["observation"] == observations["observation"]).all()
    assert differing > 70


def test_pettingzoo_conforms_with_canonical_suits() -> None:
    need("pettingzoo")
    from pettingzoo.test import api_test, parallel_api_test

    api_test(troel.env(canonical_suits=True), num_cycles=200)
    parallel_api_test(troel.parallel_env(canonical_suits=True, illegal="random"), num_cycles=200)


@pytest.mark.parametrize("bot", ["rules", "luxembourg-v5"])
def test_bots_of_troel_play_in_canonical_environments(bot: str) -> None:
    need("pettingzoo")
    agent, env = troel.load(bot), troel.raw_env(canonical_suits=True)
    env.reset(seed=6)
    game = troel.Game(seed=6)
    differing = 0
    while not game.done:
        observation = copy.deepcopy(env.observe(env.agent_selection))
        number, action = agent.act(observation), agent.act(game)
        differing += number != action
        assert agent.act([observation]).tolist() == [number]
        assert (env.state() == env.game.full_features(canonical_suits=True)).all()
        env.step(number)
        game.step(action)
    assert env.game.record() == game.record() and differing > 0


def test_an_illegal_action_is_named_and_replaced() -> None:
    need("pettingzoo")
    strict, lenient = troel.raw_env(canonical_suits=True), troel.raw_env(canonical_suits=True, illegal="random")
    for env in (strict, lenient):
        env.reset(seed=6)
    agent = troel.load("rules")
    while not renamed(strict.game.view()) or len(strict.game.legal) < 2:
        action = agent.act(strict.observe(strict.agent_selection))
        for env in (strict, lenient):
            env.step(action)
    view = strict.game.view()
    illegal = next(a for a in range(52) if not view.mask(canonical_suits=True)[a])
    code = troel.action_code(view.real_action(illegal))
    with pytest.raises(troel.IllegalAction, match=rf"action {illegal} \({code}\) is not legal"):
        strict.step(illegal)
    assert strict.game.view() == view
    lenient.step(illegal)
    assert lenient.game.record()["actions"][:-1] == strict.game.record()["actions"]


def test_batches_convert_actions() -> None:
    seen = 0

    def bot(batch: troel.Batch) -> Any:
        nonlocal seen
        masks = batch.masks(canonical_suits=True)
        for row, view in enumerate(batch.views):
            assert (masks[row] == view.mask(canonical_suits=True)).all()
            assert (batch.features(canonical_suits=True)[row] == view.features(canonical_suits=True)).all()
        actions = masks.argmax(1)
        real = batch.real_actions(actions)
        assert real.tolist() == [view.real_action(int(a)) for view, a in zip(batch.views, actions)]
        seen += int((real != actions).sum())
        with pytest.raises(ValueError, match="one for each"):
            batch.real_actions([0] * (len(batch) + 1))
        return real

    troel.evaluate(bot, "random", "luxembourg", 5)
    assert seen > 0


@pytest.mark.parametrize("value", ["yes", None, 2])
def test_other_values_are_refused(value: Any, tmp_path: Path) -> None:
    need("pettingzoo", "gymnasium")
    makers = [troel.raw_env, troel.parallel_env, troel.env, troel.OneSeatEnv]
    for make in makers:
        with pytest.raises(TypeError, match="canonical_suits"):
            make(canonical_suits=value)
    for vector in (troel.SelfPlayVectorEnv, troel.OneSeatVectorEnv):
        with pytest.raises(TypeError, match="canonical_suits"):
            vector(2, canonical_suits=value)
    weights = {name: np.zeros(shape, np.float32) for name, shape in troel.tensor_shapes(4, 0).items()}
    with pytest.raises(TypeError, match="canonical_suits"):
        troel.save_bundle(tmp_path / "bot", weights, canonical_suits=value)
    view = troel.Game().view()
    for number in (-1, troel.N_ACTIONS):
        with pytest.raises(ValueError, match="action="):
            view.real_action(number)
        with pytest.raises(ValueError, match="action="):
            view.canonical_action(number)
