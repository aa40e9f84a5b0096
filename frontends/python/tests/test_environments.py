"""The environments as their conventions have them. Conformance with the frameworks' own checks: ``conformance/run``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import troel
from conftest import need


def test_rows_of_self_play_are_single_games() -> None:
    n = 70
    envs = troel.SelfPlayVectorEnv(n, "wiezen", seed=9, reward="points", full=True)
    now = envs.observe()
    games: dict[int, troel.Game] = {}
    ended = 0
    for _ in range(200):
        actions = envs.sample_actions().copy()
        assert now.masks[np.arange(n), actions].all()
        before = [envs.view(i) for i in range(n)]
        for i in (0, 1, 63, 64, n - 1):
            game = games.setdefault(i, envs.game(i))
            view = game.view()
            assert np.array_equal(now.observations[i], view.features())
            assert np.array_equal(now.masks[i], view.mask().astype(bool))
            assert now.seats[i] == view.seat == before[i].seat
            assert now.full is not None and np.array_equal(now.full[i], game.full_features())
        now = envs.step(actions)
        for i, game in list(games.items()):
            rewards, _, done, outcome = game.step(int(actions[i]))
            assert done == now.dones[i]
            assert now.rewards[i].tolist() == rewards
            if done:
                assert outcome is not None and now.scores[i].tolist() == outcome["points"]
                del games[i]
                ended += 1
    assert ended > 5


def test_self_play_does_not_depend_on_the_machine() -> None:
    one = troel.SelfPlayVectorEnv(200, seed=4)
    two = troel.SelfPlayVectorEnv(200, seed=4)
    for _ in range(60):
        a, b = one.sample_actions(), two.sample_actions()
        assert np.array_equal(a, b)
        x, y = one.step(a), two.step(b)
        assert np.array_equal(x.observations, y.observations) and np.array_equal(x.rewards, y.rewards)
    before = one.observe().observations.copy()
    one.reset(seed=4)
    assert np.array_equal(one.observe().observations, troel.SelfPlayVectorEnv(200, seed=4).observe().observations)
    assert not np.array_equal(one.observe().observations, before)


def test_self_play_does_not_depend_on_the_number_of_threads() -> None:
    code = (
        "import hashlib, troel\n"
        "envs = troel.SelfPlayVectorEnv(300, seed=4)\n"
        "many = troel.OneSeatVectorEnv(300, bots='expert')\n"
        "seen = hashlib.sha256()\n"
        "observations, _ = many.reset(seed=2)\n"
        "for _ in range(40):\n"
        "    seen.update(envs.step(envs.sample_actions()).observations.tobytes())\n"
        "    observations, rewards, *_ = many.step(many.sample_actions())\n"
        "    seen.update(observations['observation'].tobytes() + rewards.tobytes())\n"
        "print(seen.hexdigest())\n"
    )
    need("gymnasium")
    path = str(Path(troel.__file__).parents[1])
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path, "RAYON_NUM_THREADS": threads},
        ).stdout
        for threads in ("1", "3")
    }
    assert len(hashes) == 1


def test_arrays_may_be_reshaped_and_locked() -> None:
    envs = troel.SelfPlayVectorEnv(4, seed=1)
    now = envs.observe()
    now.observations.shape = (-1,)
    now.masks.flags.writeable = False
    sampled = envs.sample_actions()
    sampled.flags.writeable = False
    assert envs.step(envs.sample_actions()).seats.shape == (4,)


def test_a_forked_process_steps_on() -> None:
    if not hasattr(os, "fork"):
        pytest.skip("os.fork")
    code = (
        "import os, signal, troel\n"
        "envs = troel.SelfPlayVectorEnv(256); envs.step(envs.sample_actions())\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(60)\n"
        "    envs.step(envs.sample_actions()); os._exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
    )
    path = str(Path(troel.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path})


def test_after_a_bot_failed_only_a_reset_helps() -> None:
    need("gymnasium")
    fails = [False]

    def sometimes(batch: troel.Batch) -> list[int]:
        if fails[0]:
            raise KeyError("once")
        return [view.legal[0] for view in batch.views]

    envs = troel.OneSeatVectorEnv(100, bots=sometimes)
    envs.reset(seed=1)
    fails[0] = True
    with pytest.raises(KeyError):
        for _ in range(9):
            envs.step(envs.sample_actions())
    fails[0] = False
    with pytest.raises(ValueError, match="reset"):
        envs.sample_actions()
    with pytest.raises(ValueError, match="reset"):
        envs.step(np.zeros(100, np.int64))
    observations, _ = envs.reset()
    assert observations["action_mask"].any(axis=1).all()
    envs.step(envs.sample_actions())


def test_without_a_seed_deals_differ() -> None:
    need("gymnasium", "pettingzoo")
    single = [troel.OneSeatEnv().reset()[0]["observation"] for _ in range(3)]
    assert not np.array_equal(single[0], single[1]) and not np.array_equal(single[1], single[2])
    many = [troel.OneSeatVectorEnv(2).reset()[0]["observation"] for _ in range(2)]
    assert not np.array_equal(many[0], many[1])
    records = []
    for make in (troel.raw_env, troel.raw_env, troel.parallel_env, troel.parallel_env):
        env = make()
        env.reset()
        records.append(env.game.record()["deal"])
    assert len(set(records)) == 4


def test_bots_with_a_state_repeat_themselves() -> None:
    need("gymnasium")
    seen = []
    for _ in range(2):
        rng = np.random.default_rng(1)

        def drawn(batch: troel.Batch, rng: np.random.Generator = rng) -> list[int]:
            return [int(rng.choice(view.legal)) for view in batch.views]

        envs = troel.OneSeatVectorEnv(300, bots=drawn)
        envs.reset(seed=1)
        seen.append(sum(envs.step(envs.sample_actions())[0]["observation"].sum() for _ in range(10)))
    assert seen[0] == seen[1]


def test_a_batch_that_is_refused_has_changed_nothing() -> None:
    envs = troel.SelfPlayVectorEnv(8, seed=1)
    before = envs.observe().observations.copy()
    actions = envs.sample_actions().copy()
    actions[5] = 0
    with pytest.raises(troel.IllegalAction, match="environment 5"):
        envs.step(actions)
    with pytest.raises(ValueError, match="whole numbers"):
        envs.step(np.zeros(8))
    with pytest.raises(ValueError, match="7 actions"):
        envs.step(np.zeros(7, np.int64))
    assert np.array_equal(before, envs.observe().observations)
    assert len(envs) == envs.num_envs == 8


def test_pettingzoo_rewards_add_up_and_hide_hands() -> None:
    need("pettingzoo", "gymnasium")
    for rules in troel.RULES:
        env = troel.env(rules, reward="points", render_mode="ansi")
        env.reset(seed=3)
        rng = np.random.default_rng(3)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            totals[agent] += reward
            if termination or truncation:
                scores = info["scores"]
                env.step(None)
                continue
            assert info["seat"] == env.possible_agents.index(agent)
            legal = np.flatnonzero(observation["action_mask"])
            assert [troel.ACTION_CODES[a] for a in legal] == info["codes"]
            assert isinstance(env.render(), str)
            env.step(int(rng.choice(legal)))
        assert list(totals.values()) == scores.tolist()


def test_pettingzoo_observations_seat_any_bot() -> None:
    need("pettingzoo", "gymnasium")
    env = troel.env("luxembourg")
    bots = {"north": "luxembourg-v5", "east": "rules", "south": "expert", "west": "random"}
    agents = {seat: troel.load(name) for seat, name in bots.items()}
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else agents[agent].act(observation))


def test_matches_go_on_to_their_target() -> None:
    need("pettingzoo", "gymnasium")
    env = troel.raw_env("luxembourg", match=True, reward="match")
    env.reset(seed=2)
    bot = troel.load("rules")
    shares = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, _, info = env.last()
        shares[agent] += reward
        env.step(None if termination else bot.act(env.view(agent)))
    assert max(info["totals"]) >= 100
    assert sum(shares.values()) == pytest.approx(0)
    assert max(shares.values()) == 0.75 or sorted(shares.values())[-2] == max(shares.values())


def test_one_seat_is_the_game_with_bots_in_it() -> None:
    need("gymnasium")
    env = troel.OneSeatEnv("horesca", bots=["rules", "expert", "rules"], seat="E", reward="points")
    observation, info = env.reset(seed=11)
    game = troel.Game("horesca", seed=11, reward="points")
    seats = {2: troel.load("rules", "horesca", seed=11), 3: troel.load("expert", "horesca", seed=12), 0: troel.load("rules", "horesca", seed=13)}
    for _ in range(5):
        total = expected = 0.0
        over = False
        while not over:
            while not game.done and game.turn != 1:
                rewards, *_ = game.step(seats[game.turn].act(game))
                expected += rewards[1]
            assert info["seat"] == 1
            assert np.array_equal(observation["observation"], game.view(1).features())
            action = int(np.flatnonzero(observation["action_mask"])[0])
            rewards, *_ = game.step(action)
            expected += rewards[1]
            observation, reward, over, truncated, info = env.step(action)
            total += reward
            assert not truncated
        while not game.done:
            rewards, *_ = game.step(seats[game.turn].act(game))
            expected += rewards[1]
        assert total == expected
        observation, info = env.reset()
        game.reset()
    env.reset(seed=1)
    with pytest.raises(troel.IllegalAction):
        env.step(0)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_vectors_reset_as_they_declare(mode: str) -> None:
    need("gymnasium")
    envs = troel.OneSeatVectorEnv(67, "wiezen", bots="rules", autoreset_mode=mode)
    observations, _ = envs.reset(seed=5)
    assert envs.observation_space.contains(observations)
    ends = 0
    over = np.zeros(67, bool)
    for _ in range(120):
        actions = envs.sample_actions()
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        if mode == "NextStep":
            # A row that was over is a new episode now: no reward, and cards to call on.
            assert not rewards[over].any() and not terminated[over].any()
            assert observations["action_mask"][over].any(axis=1).all()
            assert not observations["action_mask"][terminated].any()
        else:
            assert observations["action_mask"].any(axis=1).all()
            if terminated.any():
                assert (infos["_final_obs"] == terminated).all()
                last = infos["final_obs"][np.flatnonzero(terminated)[0]]
                assert envs.single_observation_space.contains(last)
        over = terminated
        ends += int(terminated.sum())
    assert ends > 67


def test_vectors_play_what_single_environments_play() -> None:
    need("gymnasium")
    from gymnasium.vector import AutoresetMode

    envs = troel.OneSeatVectorEnv(1, "iwwa", bots="rules", seat="S", autoreset_mode=AutoresetMode.DISABLED)
    env = troel.OneSeatEnv("iwwa", bots="rules", seat="S")
    many, _ = envs.reset(seed=3)
    one, _ = env.reset(seed=3)
    over = False
    while not over:
        assert np.array_equal(many["observation"][0], one["observation"])
        action = int(np.flatnonzero(one["action_mask"])[-1])
        many, rewards, terminated, _, _ = envs.step([action])
        one, reward, over, _, _ = env.step(action)
        assert rewards[0] == reward and terminated[0] == over
    envs.reset(options={"reset_mask": np.array([True])})


def test_bots_in_python_sit_at_tables() -> None:
    need("gymnasium")
    asked = []

    def passive(batch: troel.Batch) -> list[int]:
        asked.append(len(batch))
        return [view.legal[0] for view in batch.views]

    envs = troel.OneSeatVectorEnv(100, bots=passive)
    envs.reset(seed=1)
    envs.step(envs.sample_actions())
    assert max(asked) > 10, "decisions of many tables are handed over at once"

    def broken(batch: troel.Batch) -> list[int]:
        raise RuntimeError("my fault")

    with pytest.raises(RuntimeError, match="my fault"):
        troel.OneSeatVectorEnv(4, bots=broken, seat=0).reset(seed=1)


def test_openspiel_games_end() -> None:
    need("pyspiel")
    import pyspiel

    troel.register_openspiel()
    troel.register_openspiel()
    for rules in troel.RULES:
        game = pyspiel.load_game(f"troel_{rules}")
        state = game.new_initial_state()
        rng = np.random.default_rng(1)
        while not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
        assert len(state.returns()) == 4
        assert sum(state.returns()) == pytest.approx(0, abs=1e-4)


def test_infos_say_what_a_deal_came_to() -> None:
    need("gymnasium")
    env = troel.OneSeatEnv("wiezen", bots="rules", seat="south", reward="points")
    _, info = env.reset(seed=3)
    assert info["seat"] == 2 and "scores" not in info
    over = False
    while not over:
        _, reward, over, _, info = env.step(np.flatnonzero(env.action_masks())[0])
    assert info["scores"][2] == reward and info["scores"].sum() == 0
    _, info = env.reset()
    assert "scores" not in info

    for mode in ("next-step", "same-step"):
        envs = troel.OneSeatVectorEnv(6, "wiezen", seat=None, reward="points", autoreset_mode=mode)
        envs.reset(seed=3)
        ended = 0
        for _ in range(60):
            _, rewards, terminated, _, infos = envs.step(envs.sample_actions())
            assert terminated.any() == ("scores" in infos)
            if terminated.any():
                assert np.array_equal(infos["_scores"], terminated)
                for i in np.flatnonzero(terminated):
                    assert infos["scores"][i, envs.learner(i)] == rewards[i]
                    ended += 1
        assert ended > 6


def test_a_vector_draws_in_place_of_what_is_not_legal() -> None:
    need("gymnasium")
    envs = troel.OneSeatVectorEnv(4, "iwwa", illegal="random")
    envs.reset(seed=1)
    for _ in range(100):
        envs.step([-1, 10**6, 0, 132])
    strict = troel.OneSeatVectorEnv(4, "iwwa")
    strict.reset(seed=1)
    with pytest.raises(troel.IllegalAction, match="environment 0: action -1"):
        strict.step([-1, 0, 0, 0])
    for wrong in ([0] * 3, [[0]] * 4):
        with pytest.raises(ValueError, match=r"shape \(4,\)"):
            strict.step(wrong)
    with pytest.raises(ValueError, match="next-step"):
        troel.OneSeatVectorEnv(4, autoreset_mode="later")
    with pytest.raises(ValueError, match="raise"):
        troel.OneSeatVectorEnv(4, illegal="perhaps")
