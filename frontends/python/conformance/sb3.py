"""Stable-Baselines3's checker, PPO on plain observations, and MaskablePPO of sb3-contrib with masks."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import troel
from harness import check
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env

PACKAGES = ("stable-baselines3", "sb3-contrib", "gymnasium", "torch", "numpy")


@check(*troel.RULES)
def check_env_flat(rules: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(troel.OneSeatEnv(rules, flat=True, illegal="random"), skip_render_check=False)


@check(*troel.RULES)
def check_env_dict(rules: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(troel.OneSeatEnv(rules, illegal="random"), skip_render_check=False)


@check()
def ppo_without_masks() -> None:
    envs = make_vec_env("troel/luxembourg-v0", 4, seed=1, env_kwargs={"flat": True, "illegal": "random"})
    PPO("MlpPolicy", envs, n_steps=128, n_epochs=2, seed=1).learn(1024)


@check("MlpPolicy", "MultiInputPolicy")
def maskable_ppo(policy: str) -> None:
    """A few thousand steps, in which an action that is not legal would raise."""
    settings = {"flat": policy == "MlpPolicy"}
    envs = make_vec_env("troel/luxembourg-v0", 4, seed=1, env_kwargs=settings)
    assert is_masking_supported(envs)
    model = MaskablePPO(policy, envs, n_steps=256, n_epochs=2, seed=1)
    model.learn(3072)
    assert model.num_timesteps >= 3072
    env = gymnasium.make("troel/luxembourg-v0", **settings)
    observation, _ = env.reset(seed=2)
    masks = get_action_masks(env)
    action, _ = model.predict(observation, action_masks=masks, deterministic=True)
    assert masks[action] and np.array_equal(masks, env.unwrapped.action_masks())
    mean, _ = evaluate_policy(model, make_vec_env("troel/luxembourg-v0", 1, seed=3, env_kwargs=settings), 10)
    assert np.isfinite(mean)
