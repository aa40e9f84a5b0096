"""RLlib's wrappers of PettingZoo environments, with an iteration of PPO each, and one with masks."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import ray
import troel
from harness import check
from ray.cluster_utils import Cluster
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import FlattenObservations
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

PACKAGES = ("ray", "pettingzoo", "gymnasium", "torch", "numpy")
SMALL = {"fcnet_hiddens": [64]}
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "rllib_cluster.py"


class Masked(PettingZooEnv):
    """With the names of observations that RLlib's example of a module with masks asks for."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        one = env.observation_space("north")
        self.space = gymnasium.spaces.Dict(
            {
                "observations": one["observation"],
                "action_mask": gymnasium.spaces.Box(0, 1, one["action_mask"].shape, np.float32),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, self.space)
        self.observation_space = gymnasium.spaces.Dict(self.observation_spaces)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observations, infos = super().reset(seed=seed, options=options)
        return self._renamed(observations), infos

    def step(self, action: dict[str, Any]) -> Any:
        observations, *others = super().step(action)
        return self._renamed(observations), *others

    def _renamed(self, observations: dict[str, Any]) -> dict[str, Any]:
        return {
            agent: {
                "observations": observation["observation"],
                "action_mask": observation["action_mask"].astype(np.float32),
            }
            for agent, observation in observations.items()
        }


WRAPPERS: dict[str, Any] = {
    "aec": lambda rules: PettingZooEnv(troel.env(rules, illegal="random")),
    "parallel": lambda rules: ParallelPettingZooEnv(troel.parallel_env(rules, illegal="random")),
}


def one_iteration(name: str, module: RLModuleSpec, *, masks: bool = False, **runners: Any) -> None:
    """An iteration of PPO, all seats with one policy."""
    ray.init(num_cpus=2, include_dashboard=False, ignore_reinit_error=True, logging_level="ERROR")
    config = (
        PPOConfig()
        # RLlib's own check of an environment draws actions without heed to masks.
        .environment(name, disable_env_checking=masks)
        .env_runners(num_env_runners=0, **runners)
        .learners(num_learners=0)
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda agent, episode, **more: "all")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"all": module}))
        .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2)
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["num_episodes"] > 0
    assert result["env_runners"]["num_env_steps_sampled"] >= 512
    assert np.isfinite(result["learners"]["all"]["total_loss"])


@check(*WRAPPERS)
def episodes(form: str) -> None:
    """Observations and rewards of whole episodes are what the wrapper's spaces say."""
    for rules in troel.RULES:
        env = WRAPPERS[form](rules)
        draws = np.random.default_rng(1)
        for seed in range(3):
            observations, _ = env.reset(seed=seed)
            over, totals = False, dict.fromkeys(env.possible_agents, 0.0)
            while not over:
                for agent, observation in observations.items():
                    assert observation in env.observation_space[agent]
                actions = {agent: draws.integers(troel.N_ACTIONS) for agent in observations}
                observations, rewards, terminated, truncated, _ = env.step(actions)
                for agent, reward in rewards.items():
                    totals[agent] += reward
                assert not truncated["__all__"]
                over = terminated["__all__"]
            assert set(rewards) == set(totals) and abs(sum(totals.values())) < 1e-3


@check(*WRAPPERS)
def ppo(form: str) -> None:
    """On features and masks laid end to end; what is not legal is replaced."""
    register_env(f"troel-{form}", lambda config: WRAPPERS[form]("luxembourg"))
    one_iteration(
        f"troel-{form}",
        RLModuleSpec(model_config=SMALL),
        env_to_module_connector=lambda env, spaces, device: FlattenObservations(multi_agent=True),
    )


@check()
def ppo_with_masks() -> None:
    """With RLlib's example of a module that masks; an action that is not legal would raise."""
    register_env("troel-masked", lambda config: Masked(troel.env("luxembourg")))
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=SMALL)
    one_iteration("troel-masked", module, masks=True)


@check()
def example_on_two_nodes() -> None:
    """The example on a cluster of two nodes with a core each: it plays on both, and its bundle is a bot."""
    ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "bundle"
            command = [sys.executable, str(EXAMPLE), "--quick", "--address", cluster.address]
            ran = subprocess.run(
                [*command, "--runners", "2", "--out", str(out)], capture_output=True, text=True, timeout=300
            )
            assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
            _, where = ran.stdout.split("processes by node:", 1)
            processes = ast.literal_eval(where.splitlines()[0].strip())
            # Two that play, on two nodes, and the one that learns.
            assert len(processes) == 2 and sum(processes.values()) == 3, processes
            assert troel.load(str(out)).rules == "luxembourg"
    finally:
        cluster.shutdown()
