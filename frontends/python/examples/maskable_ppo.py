"""MaskablePPO of sb3-contrib on one seat, against three bots.

    python maskable_ppo.py --decisions 500000 --out runs/maskable_ppo

Bots play at the other three seats, so that this is an ordinary single-agent problem: a response to
these bots. The network has one hidden layer for the policy and one for the value. It is saved as
the network of a bundle without residual blocks.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

import numpy as np
import torch
from gymnasium.wrappers import TransformReward
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import troel

POINTS_PER_REWARD = 10.0


def settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--rules", default="luxembourg", help="rule set, or path of a rule file")
    add("--bots", default="rules", help="who holds the other seats")
    add("--decisions", type=int, default=500_000, help="decisions of the learner to train on")
    add("--seed", type=int, default=1, help="decides deals, weights and draws")
    add("--out", type=Path, default=Path("runs/maskable_ppo"), help="folder of the bundle")
    add("--envs", type=int, default=16, help="environments")
    add("--hidden", type=int, default=128, help="width of the network")
    add("--eval-deals", type=int, default=2000, help="deals of the match against rules at the end")
    add("--quick", action="store_true", help="a run of seconds, which learns next to nothing")
    args = parser.parse_args()
    if args.quick:
        args.decisions, args.envs, args.hidden, args.eval_deals = 2048, 4, 32, 40
    return args


def tensors(policy: torch.nn.Module) -> dict[str, NDArray[np.float32]]:
    """Returns the policy as the tensors of a bundle, with matrices as (inputs, outputs).

    The two hidden layers are side by side, and each head reads one half.
    """
    state = {name: tensor.numpy() for name, tensor in policy.cpu().state_dict().items()}
    actor, critic = "mlp_extractor.policy_net.0", "mlp_extractor.value_net.0"
    both = {
        part: np.concatenate([state[f"{actor}.{part}"], state[f"{critic}.{part}"]])
        for part in ("weight", "bias")
    }
    action, value = state["action_net.weight"], state["value_net.weight"]
    return {
        "input.weight": both["weight"].T,
        "input.bias": both["bias"],
        "policy.weight": np.concatenate([action, np.zeros_like(action)], 1).T,
        "policy.bias": state["action_net.bias"],
        "value.weight": np.concatenate([np.zeros_like(value), value], 1).T,
        "value.bias": state["value_net.bias"],
    }


def main() -> None:
    args = settings()
    torch.set_num_threads(1)

    def make() -> TransformReward:
        env = troel.OneSeatEnv(args.rules, args.bots, flat=True)
        return TransformReward(env, lambda points: points / POINTS_PER_REWARD)

    # DummyVecEnv is the default: a step against rules is faster than a message to a process.
    envs = make_vec_env(make, args.envs, seed=args.seed)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=128 if args.quick else 512,
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        learning_rate=lambda left: 1e-3 * (0.1 + 0.9 * left),
        policy_kwargs={"net_arch": [args.hidden], "activation_fn": torch.nn.ReLU},
        seed=args.seed,
        device="cpu",
        verbose=1,
    )
    start = time.perf_counter()
    # Prints decisions per second ("fps") and the mean reward of the last 100 deals.
    model.learn(args.decisions, log_interval=1 if args.quick else 10)
    seconds = time.perf_counter() - start
    envs.close()

    def learnt(batch: troel.Batch) -> NDArray[np.int64]:
        return model.predict(batch.features(), action_masks=batch.masks(), deterministic=True)[0]

    match = troel.evaluate(learnt, "rules", args.rules, args.eval_deals)
    print(f"{match}, after {model.num_timesteps} decisions in {seconds / 60:.1f} minutes")
    troel.save_bundle(
        args.out,
        tensors(model.policy),
        args.rules,
        reward_scale=POINTS_PER_REWARD,
        seed=args.seed,
        steps=model.num_timesteps,
        seconds=seconds,
        command=shlex.join(["python", "maskable_ppo.py", *sys.argv[1:]]),
    )
    bundle = troel.evaluate(troel.load(str(args.out)), "rules", args.rules, args.eval_deals)
    print(f"bundle {args.out}: {bundle}")
    if abs(bundle.points_per_deal - match.points_per_deal) > 0.05:
        raise SystemExit("the bundle plays otherwise than the network that it was made of")


if __name__ == "__main__":
    main()
