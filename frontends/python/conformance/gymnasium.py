"""Gymnasium's checker on the single environment, and the conventions of vector environments, wrappers and ``make``."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import troel
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers import vector as vector_wrappers
from harness import check

PACKAGES = ("gymnasium", "numpy")

#: Enough steps for each environment of a vector to end an episode or two.
STEPS = 60

#: Of the long runs: enough for every kind of contract to end beside every other.
MANY_ENVS, MANY_STEPS = 16, 2000

#: What infos say of a deal that ended, with the type of a value.
DEAL = {"scores": np.int32, "tricks": np.int32, "totals": np.int32, "level": np.int64}
NAMES = ("contract", "trump", "declarers")


@contextlib.contextmanager
def strictly() -> Iterator[None]:
    """Takes what Gymnasium warns of for a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def vector(mode: AutoresetMode, num_envs: int = 6, **settings: Any) -> troel.OneSeatVectorEnv:
    return troel.OneSeatVectorEnv(num_envs, "luxembourg", autoreset_mode=mode, **settings)


def rows(observations: Any, where: Any) -> Any:
    """The observations of some environments."""
    return {name: values[where] for name, values in observations.items()}


# The checker draws actions without the mask, so illegal ones are replaced. In each render mode it
# makes the environment again, from the specification that gymnasium.make leaves behind.
@check(*troel.RULES)
def check_env_dict(rules: str) -> None:
    with strictly(), contextlib.redirect_stdout(io.StringIO()):
        check_env(gymnasium.make(f"troel/{rules}-v0", illegal="random").unwrapped)


@check(*troel.RULES)
def check_env_flat(rules: str) -> None:
    with strictly(), contextlib.redirect_stdout(io.StringIO()):
        check_env(gymnasium.make(f"troel/{rules}-v0", flat=True, illegal="random").unwrapped)


@check("ansi", "rgb_array", "human")
def check_env_rendered(mode: str) -> None:
    env = gymnasium.make("troel/luxembourg-v0", render_mode=mode, illegal="random")
    with strictly(), contextlib.redirect_stdout(io.StringIO()):
        check_env(env.unwrapped)


@check(*troel.RULES)
def make(rules: str) -> None:
    with strictly():
        env = gymnasium.make(f"troel/{rules}-v0", bots=["random", "rules", "random"], seat="W")
        for seed in range(3):
            observation, info = env.reset(seed=seed)
            over = False
            while not over:
                assert info["seat"] == 3
                action = np.flatnonzero(observation["action_mask"])[0]
                observation, reward, over, truncated, info = env.step(action)
                assert observation in env.observation_space and not truncated
                assert not observation["action_mask"].any() if over else reward == 0


@check("entry point", "sync", "async")
def make_vec(mode: str) -> None:
    how = {} if mode == "entry point" else {"vectorization_mode": mode}
    with strictly():
        envs = gymnasium.make_vec("troel/wiezen-v0", num_envs=3, **how)
        assert isinstance(envs, troel.OneSeatVectorEnv) == (mode == "entry point")
        observations, _ = envs.reset(seed=1)
        for _ in range(20):
            assert observations in envs.observation_space
            actions = observations["action_mask"].argmax(axis=1)
            observations, rewards, terminated, truncated, _ = envs.step(actions)
            assert rewards.shape == terminated.shape == truncated.shape == (3,)
        envs.close()


def many(kind: str, rules: str) -> VectorEnv[Any, Any, Any]:
    """Environments without masks in one of Gymnasium's vectors or in Troel's."""
    settings = {"flat": True, "illegal": "random"}
    if kind == "native":
        return gymnasium.make_vec(f"troel/{rules}-v0", num_envs=MANY_ENVS, **settings)
    make = partial(gymnasium.make, f"troel/{rules}-v0", **settings)
    return {"sync": SyncVectorEnv, "async": AsyncVectorEnv}[kind]([make] * MANY_ENVS)


@check(*(f"{kind} {rules}" for rules in troel.RULES for kind in ("sync", "async", "native")))
def long_runs(case: str) -> None:
    """Infos of any deals stack, such as of different contracts that end in one step."""
    kind, rules = case.split()
    draws = np.random.default_rng(1)
    with strictly():
        envs = many(kind, rules)
        try:
            envs.reset(seed=1)
            together, kinds = 0, set()
            for _ in range(MANY_STEPS):
                actions = draws.integers(troel.N_ACTIONS, size=MANY_ENVS)
                _, rewards, terminated, truncated, infos = envs.step(actions)
                assert not truncated.any() and ("scores" in infos) == terminated.any()
                if not terminated.any():
                    continue
                for key, dtype in DEAL.items():
                    assert infos[key].dtype == dtype and np.array_equal(infos[f"_{key}"], terminated), key
                scores = infos["scores"][terminated]
                assert np.allclose(rewards[terminated], scores[:, 2] - scores.mean(axis=1))
                for name in NAMES:
                    assert np.array_equal(infos[f"_{name}"], terminated)
                    assert all(isinstance(value, str) for value in infos[name][terminated]), name
                together += len(set(infos["contract"][terminated])) > 1
                kinds |= set(infos["contract"][terminated])
        finally:
            envs.close()
    assert together > 100 and len(kinds) > 3, (together, kinds)


@check(*AutoresetMode)
def like_sync_vector_env(mode: AutoresetMode) -> None:
    """A vector of one environment does just what Gymnasium's own makes of a single environment."""
    for flat in (False, True):
        ours = vector(mode, 1, seat="S", flat=flat)
        theirs = SyncVectorEnv([partial(troel.OneSeatEnv, flat=flat)], autoreset_mode=mode)
        assert ours.observation_space == theirs.observation_space
        assert ours.single_observation_space == theirs.single_observation_space
        assert ours.action_space == theirs.action_space
        assert ours.single_action_space == theirs.single_action_space
        assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
        (observation, _), (expected, _) = ours.reset(seed=5), theirs.reset(seed=5)
        assert data_equivalence(observation, expected)
        episodes = 0
        for _ in range(STEPS):
            action = ours.sample_actions()
            observation, *outcome, info = ours.step(action)
            expected, *expected_outcome, expected_info = theirs.step(action)
            assert data_equivalence(observation, expected)
            for one, other in zip(outcome, expected_outcome):
                assert np.array_equal(one, other) and one.shape == other.shape
            for key in (*DEAL, *NAMES):
                # In the mode of the same step Gymnasium has them in the final info alone.
                there = expected_info.get("final_info", {}) if mode is AutoresetMode.SAME_STEP else expected_info
                for name in (key, f"_{key}"):
                    assert (name in info) == (name in there)
                    assert name not in info or data_equivalence(info[name], there[name]), name
                    found = info.get("final_info", {})
                    assert name not in found or data_equivalence(found[name], there[name]), name
            assert ("final_obs" in info) == ("final_obs" in expected_info)
            if "final_obs" in info:
                final, expected_final = info["final_obs"][0], expected_info["final_obs"][0]
                if not flat:
                    final, expected_final = dict(final), dict(expected_final)
                assert data_equivalence(final, expected_final)
                assert info["_final_obs"] == expected_info["_final_obs"]
                assert info["_final_info"] == expected_info["_final_info"]
                assert set(DEAL) | set(NAMES) <= set(info["final_info"])
            if outcome[1][0]:
                episodes += 1
                if mode is AutoresetMode.DISABLED:
                    which = np.array([True])
                    observation, _ = ours.reset(options={"reset_mask": which})
                    expected, _ = theirs.reset(options={"reset_mask": which})
                    assert data_equivalence(observation, expected)
        assert episodes >= 2


@check()
def next_step() -> None:
    """The step after the last one resets; its action is ignored, its reward 0."""
    envs = vector(AutoresetMode.NEXT_STEP)
    observations, _ = envs.reset(seed=1)
    over = np.zeros(envs.num_envs, bool)
    episodes = 0
    for _ in range(STEPS):
        actions = envs.sample_actions()
        actions[over] = -1
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert observations in envs.observation_space and not truncated.any()
        assert not (terminated & over).any() and not rewards[over].any()
        # A new episode begins with the learner to act; an old one has ended with nobody to.
        assert (observations["action_mask"].any(axis=1) == ~terminated).all()
        assert "final_obs" not in infos
        over = terminated
        episodes += terminated.sum()
    assert episodes >= envs.num_envs


@check()
def same_step() -> None:
    """The last step resets, and hands over the last observation in ``infos``."""
    envs = vector(AutoresetMode.SAME_STEP)
    envs.reset(seed=1)
    episodes = 0
    for _ in range(STEPS):
        observations, rewards, terminated, truncated, infos = envs.step(envs.sample_actions())
        assert observations in envs.observation_space and not truncated.any()
        assert observations["action_mask"].any(axis=1).all()
        assert ("final_obs" in infos) == terminated.any()
        for index in np.flatnonzero(terminated):
            final = infos["final_obs"][index]
            assert final in envs.single_observation_space and not final["action_mask"].any()
            assert not np.array_equal(final["observation"], observations["observation"][index])
        if terminated.any():
            assert np.array_equal(infos["_final_obs"], terminated)
            assert np.array_equal(infos["_final_info"], terminated)
            assert all(infos["final_obs"][index] is None for index in np.flatnonzero(~terminated))
        episodes += terminated.sum()
    assert episodes >= envs.num_envs


@check()
def disabled() -> None:
    """Nothing resets but by a mask, and then nothing else does."""
    envs = vector(AutoresetMode.DISABLED)
    envs.reset(seed=1)
    episodes = 0
    for _ in range(STEPS):
        observations, _, terminated, truncated, _ = envs.step(envs.sample_actions())
        assert observations in envs.observation_space and not truncated.any()
        assert (observations["action_mask"].any(axis=1) == ~terminated).all()
        if terminated.any():
            try:
                envs.step(np.zeros(envs.num_envs, np.int64))
            except ValueError as error:
                assert "reset_mask" in str(error)
            else:
                raise AssertionError("a finished episode was stepped on")
            anew, _ = envs.reset(options={"reset_mask": terminated})
            assert data_equivalence(rows(anew, ~terminated), rows(observations, ~terminated))
            assert anew["action_mask"].any(axis=1).all()
        episodes += terminated.sum()
    assert episodes >= envs.num_envs


@check()
def bad_masks() -> None:
    envs = vector(AutoresetMode.DISABLED)
    envs.reset(seed=1)
    for mask in (np.zeros(6, bool), np.ones(5, bool), np.ones(6, np.int64)):
        try:
            envs.reset(options={"reset_mask": mask})
        except (TypeError, ValueError) as error:
            assert "reset_mask" in str(error)
        else:
            raise AssertionError(f"reset_mask={mask!r} was taken")


@check()
def vectors_repeat() -> None:
    first, second = vector(AutoresetMode.NEXT_STEP), vector(AutoresetMode.NEXT_STEP)
    for seed in (3, None):
        assert data_equivalence(first.reset(seed=seed), second.reset(seed=seed))
        for _ in range(STEPS):
            actions = first.sample_actions()
            assert np.array_equal(actions, second.sample_actions())
            assert data_equivalence(first.step(actions), second.step(actions))
    assert not data_equivalence(first.reset(seed=3), first.reset(seed=4))


@check()
def record_episode_statistics() -> None:
    with strictly():
        env = RecordEpisodeStatistics(gymnasium.make("troel/luxembourg-v0"))
        observation, _ = env.reset(seed=1)
        total, length, over = 0.0, 0, False
        while not over:
            action = np.flatnonzero(observation["action_mask"])[-1]
            observation, reward, over, _, info = env.step(action)
            total, length = total + reward, length + 1
        assert info["episode"]["r"] == total and info["episode"]["l"] == length


@check(*AutoresetMode)
def record_episode_statistics_of_vectors(mode: AutoresetMode) -> None:
    with strictly():
        inner = vector(mode)
        envs = vector_wrappers.RecordEpisodeStatistics(inner)
        envs.reset(seed=1)
        totals, lengths = np.zeros(inner.num_envs), np.zeros(inner.num_envs, int)
        over = np.zeros(inner.num_envs, bool)
        for _ in range(STEPS):
            starts = over if mode is AutoresetMode.NEXT_STEP else np.zeros_like(over)
            _, rewards, terminated, _, infos = envs.step(inner.sample_actions())
            totals += rewards
            lengths += ~starts
            over = terminated
            if over.any():
                assert np.array_equal(infos["_episode"], over)
                assert np.allclose(infos["episode"]["r"][over], totals[over])
                assert np.array_equal(infos["episode"]["l"][over], lengths[over])
                totals[over], lengths[over] = 0, 0
                if mode is AutoresetMode.DISABLED:
                    envs.reset(options={"reset_mask": over})
        assert envs.episode_count >= inner.num_envs


@check()
def other_wrappers() -> None:
    with strictly():
        env = TimeLimit(FlattenObservation(gymnasium.make("troel/horesca-v0")), 3)
        observation, info = env.reset(seed=1)
        assert observation in env.observation_space
        for step in range(3):
            observation, _, over, truncated, info = env.step(np.flatnonzero(info["action_mask"])[0])
            assert observation in env.observation_space
            assert truncated == (step == 2) or over
        # Gymnasium flattens no observations of environments that reset by the same step.
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):
            inner = vector(mode)
            envs = vector_wrappers.FlattenObservation(inner)
            observations, _ = envs.reset(seed=1)
            assert observations in envs.observation_space
            observations, *_ = envs.step(inner.sample_actions())
            assert observations in envs.observation_space
        for flat in (False, True):
            inner = vector(AutoresetMode.SAME_STEP, flat=flat)
            envs = vector_wrappers.DictInfoToList(inner)
            envs.reset(seed=1)
            for _ in range(STEPS):
                _, _, terminated, _, infos = envs.step(inner.sample_actions())
                assert ["final_obs" in info for info in infos] == terminated.tolist()
                assert ["scores" in info for info in infos] == terminated.tolist()
