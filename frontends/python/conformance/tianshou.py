"""Tianshou's wrapper for PettingZoo, with deep Q-learning of four agents that respects the masks."""

from __future__ import annotations

import numpy as np
import troel
from harness import check
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode

PACKAGES = ("tianshou", "pettingzoo", "gymnasium", "torch", "numpy")


def environment(rules: str) -> PettingZooEnv:
    return PettingZooEnv(troel.env(rules, infos=False))


@check(*troel.RULES)
def wrapper(rules: str) -> None:
    """A deal through the wrapper, whose mask has to be that of the seat to act."""
    env = environment(rules)
    rng = np.random.default_rng(1)
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        over, total = False, np.zeros(4)
        while not over:
            mask = np.array(observation["mask"])
            assert mask.any() and observation["agent_id"] in troel.SEATS
            observation, rewards, over, _, _ = env.step(int(rng.choice(np.flatnonzero(mask))))
            total += rewards
        assert abs(total.sum()) < 1e-4 and total.any()
        observation, _ = env.reset()


@check(*troel.RULES)
def deep_q_learning(rules: str) -> None:
    """Whole deals and a few updates, in which an action that is not legal would raise."""

    def learner() -> DQN:
        net = Net(state_shape=troel.N_FEATURES, action_shape=troel.N_ACTIONS, hidden_sizes=[64])
        policy = DiscreteQLearningPolicy(
            model=net,
            action_space=env.action_space,
            observation_space=env.observation_space,
            eps_training=0.2,
        )
        optimiser = AdamOptimizerFactory(lr=1e-3)
        return DQN(policy=policy, optim=optimiser, target_update_freq=50)

    env = environment(rules)
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner() for _ in range(4)], env=env)
    envs = DummyVectorEnv([lambda: environment(rules) for _ in range(4)])
    buffer = VectorReplayBuffer(4000, 4)
    collector = Collector[CollectStats](algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    collected = collector.collect(n_step=600)
    assert collected.n_collected_episodes >= 4
    assert np.abs(collected.returns.sum(axis=1)).max() < 1e-3
    with policy_within_training_step(algorithm.policy), torch_train_mode(algorithm):
        losses = algorithm.update(buffer=buffer, sample_size=64).get_loss_stats_dict()
    assert set(losses) == {f"{seat}/loss" for seat in troel.SEATS}
    assert np.isfinite(list(losses.values())).all()
