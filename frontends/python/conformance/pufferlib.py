"""PufferLib's emulation of the PettingZoo environment, and its vectors of them."""

from __future__ import annotations

import numpy as np
import pufferlib.emulation
import pufferlib.vector
import troel
from harness import check

PACKAGES = ("pufferlib", "pettingzoo", "gymnasium", "numpy")


def emulated(rules: str) -> pufferlib.emulation.PettingZooPufferEnv:
    """PufferLib knows no masks, so what is not legal is replaced."""
    return pufferlib.emulation.PettingZooPufferEnv(
        env_creator=troel.parallel_env, env_kwargs={"rules": rules, "illegal": "random"}
    )


@check(*troel.RULES)
def episodes(rules: str) -> None:
    """Emulated observations hold what the environment gave, and rewards arrive at the end."""
    env, plain = emulated(rules), troel.parallel_env(rules, illegal="random")
    draws = np.random.default_rng(1)
    for seed in range(5):
        observations, _ = env.reset(seed=seed)
        expected, _ = plain.reset(seed=seed)
        over = False
        while not over:
            for index, agent in enumerate(plain.possible_agents):
                assert observations[agent].dtype == env.single_observation_space.dtype
                row = observations[agent].view(env.obs_dtype)[0]
                for name, values in expected[agent].items():
                    assert np.array_equal(row[name], values), (index, name)
            actions = {agent: int(draws.integers(troel.N_ACTIONS)) for agent in plain.agents}
            observations, rewards, terminated, truncated, _ = env.step(actions)
            expected, expected_rewards, expected_terminated, expected_truncated, _ = plain.step(actions)
            assert rewards == expected_rewards and terminated == expected_terminated
            assert truncated == expected_truncated
            over = all(terminated.values())
        assert abs(sum(rewards.values())) < 1e-3


@check("Serial", "Multiprocessing")
def vector(backend: str) -> None:
    envs = pufferlib.vector.make(
        emulated, env_kwargs={"rules": "luxembourg"}, backend=getattr(pufferlib.vector, backend), num_envs=2
    )
    try:
        observations, _ = envs.reset(seed=1)
        assert len(observations) == 8 and len(observations[0]) == envs.single_observation_space.shape[0]
        ends = 0
        for _ in range(150):
            actions = np.array([envs.single_action_space.sample() for _ in range(8)])
            _, rewards, terminated, truncated, _ = envs.step(actions)
            assert not np.any(truncated) and abs(np.sum(rewards)) < 1e-3
            ends += int(np.sum(terminated)) // 4
        assert ends >= 2
    finally:
        envs.close()
