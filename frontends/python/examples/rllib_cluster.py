"""PPO of RLlib by self-play, with one policy for all four seats, on this computer or on a Ray cluster.

    python rllib_cluster.py --runners 2                    # starts Ray here
    python rllib_cluster.py --runners 32 --address auto    # on a cluster, whose nodes have troel and torch installed

Each runner plays different deals in the PettingZoo environment, on the node where Ray places it.
The learner runs in this program. The module around ``troel.torch.Network`` masks illegal actions,
and its weights are saved as a bundle.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

import troel
from troel.torch import Network, masked

POINTS_PER_REWARD = 10.0


def settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--rules", default="luxembourg", help="rule set, or path of a rule file")
    add("--address", help='of a Ray cluster, such as "auto"; without it Ray starts here')
    add("--decisions", type=int, default=500_000, help="decisions to train on, all seats together")
    add("--seed", type=int, default=1, help="decides deals, weights and draws")
    add("--out", type=Path, default=Path("runs/rllib"), help="folder of the bundle")
    add("--runners", type=int, default=2, help="processes that play, one core each; 0: only this one")
    add("--envs", type=int, default=16, help="deals that each of them plays at once")
    add("--batch", type=int, default=16384, help="decisions per iteration")
    add("--hidden", type=int, default=128, help="width of the network")
    add("--blocks", type=int, default=1, help="its residual blocks")
    add("--eval-deals", type=int, default=2000, help="deals of the match against rules at the end")
    add("--quick", action="store_true", help="a run of seconds, which learns next to nothing")
    args = parser.parse_args()
    if args.quick:
        args.decisions, args.envs, args.batch = 256, 2, 256
        if not args.address:
            args.runners = 0
        args.hidden, args.eval_deals = 32, 40
    return args


class Table(PettingZooEnv):
    """Troel's PettingZoo environment for RLlib.

    Observations are plain dicts, and rewards are in units of ten points.
    """

    def __init__(self, config: Any) -> None:
        super().__init__(troel.env(config["rules"]))
        self.first = 1_000_000 * getattr(config, "worker_index", 0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        # RLlib gives the environments of a runner consecutive seeds, and starts the next runner one
        # seed later. With `first`, no two environments play the same deals.
        observations, infos = super().reset(seed=None if seed is None else self.first + seed)
        return plain(observations), infos

    def step(self, action: dict[str, Any]) -> Any:
        observations, rewards, *rest = super().step(action)
        return plain(observations), {seat: r / POINTS_PER_REWARD for seat, r in rewards.items()}, *rest


def plain(observations: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the observations without views, which only Troel's bots need."""
    return {seat: dict(observation) for seat, observation in observations.items()}


class Player(TorchRLModule, ValueFunctionAPI):
    """Policy and value of Troel's network, over legal actions."""

    def setup(self) -> None:
        self.network = Network(self.model_config["hidden"], self.model_config["blocks"])

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        logits, values = self.network(batch[Columns.OBS]["observation"])
        logits = masked(logits, batch[Columns.OBS]["action_mask"]).logits
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: values}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self.network(batch[Columns.OBS]["observation"])[1] if embeddings is None else embeddings


def main() -> None:
    args = settings()
    local = {"num_cpus": max(1, args.runners), "include_dashboard": False}
    ray.init(address=args.address, log_to_driver=False, **({} if args.address else local))
    config = (
        PPOConfig()
        .environment(Table, env_config={"rules": args.rules}, disable_env_checking=True)
        .env_runners(
            num_env_runners=args.runners, num_envs_per_env_runner=args.envs, rollout_fragment_length="auto"
        )
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda *_, **__: "all")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    "all": RLModuleSpec(
                        module_class=Player, model_config={"hidden": args.hidden, "blocks": args.blocks}
                    )
                }
            )
        )
        .training(
            gamma=1.0,
            lambda_=0.95,
            lr=5e-4,
            entropy_coeff=0.01,
            train_batch_size_per_learner=args.batch,
            minibatch_size=min(1024, args.batch),
            num_epochs=2,
            grad_clip=0.5,
            use_kl_loss=False,
            # An untrained table loses ten units of reward per deal. Clipped, such losses would have
            # no gradient.
            vf_clip_param=1000.0,
            vf_loss_coeff=0.05,
        )
        .debugging(seed=args.seed, log_level="ERROR")
    )
    algorithm = config.build_algo()
    where = Counter(
        algorithm.env_runner_group.foreach_env_runner(lambda _: ray.get_runtime_context().get_node_id())
    )
    print("processes by node:", {node[:8]: count for node, count in where.items()}, flush=True)
    start, decisions = time.perf_counter(), 0
    while decisions < args.decisions:
        result = algorithm.train()
        decisions = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        seconds = time.perf_counter() - start
        print(
            f"{decisions:>9} decisions, {decisions / seconds:.0f}/s, "
            f"entropy {float(result['learners']['all']['entropy']):.3f}",
            flush=True,
        )

    weights = algorithm.learner_group.get_state(components="learner/rl_module")["learner"]["rl_module"]["all"]
    network = Network(args.hidden, args.blocks)
    prefix = "network."
    network.load_state_dict(
        {name.removeprefix(prefix): torch.as_tensor(np.array(w)) for name, w in weights.items()}
    )
    network.save(
        args.out,
        args.rules,
        reward_scale=POINTS_PER_REWARD,
        seed=args.seed,
        steps=decisions,
        seconds=seconds,
        command=shlex.join(["python", "rllib_cluster.py", *sys.argv[1:]]),
    )
    algorithm.stop()
    ray.shutdown()
    print(
        f"bundle {args.out}: {troel.evaluate(troel.load(str(args.out)), 'rules', args.rules, args.eval_deals)}"
    )


if __name__ == "__main__":
    main()
