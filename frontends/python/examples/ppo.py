"""Masked PPO by self-play, in one file: one network learns all four seats of the same deals.

    python ppo.py --decisions 4000000 --out runs/ppo

The decisions of each seat are a separate trajectory. The next decision of a seat comes after the
moves of the three others. All four seats are rewarded at the end of the deal. Gamma is 1, because
deals are short.

An untrained table soon learns that passing is better than bidding, and stays there for long. So the
network first imitates a simple bot (``--imitate 0`` turns this off).

The program writes the network as a bundle, which plays greedily. Load it with ``troel.load(path)``
in Python, or with ``troel eval path rules`` on the command line.
"""

from __future__ import annotations

import argparse
import csv
import math
import shlex
import sys
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import troel
from troel.torch import Network, masked


def settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--rules", default="luxembourg", help="rule set, or path of a rule file")
    add("--decisions", type=int, default=4_000_000, help="decisions to train on, all seats together")
    add(
        "--imitate",
        type=int,
        default=200_000,
        help="number of decisions at the start that only imitate the bot --teacher; 0 turns imitation off",
    )
    add("--teacher", default="rules", help="bot that is imitated first")
    add("--seed", type=int, default=1, help="decides deals, weights and draws")
    add(
        "--out",
        type=Path,
        default=Path("runs/ppo"),
        help="folder of the bundle; progress goes to a .csv beside it",
    )
    add("--envs", type=int, default=128, help="deals that are played at once")
    add("--steps", type=int, default=128, help="decisions of each of them per iteration")
    add("--hidden", type=int, default=128, help="width of the network")
    add("--blocks", type=int, default=1, help="its residual blocks")
    add(
        "--critic",
        choices=["hidden", "full"],
        default="hidden",
        help="where the baseline comes from: the network's value head, which sees what the seat sees, "
        "or a separate network that sees all four hands",
    )
    add("--learning-rate", type=float, default=5e-4, help="of Adam at the start; falls linearly to a tenth")
    add("--epochs", type=int, default=2, help="passes over the decisions of an iteration")
    add("--minibatch", type=int, default=512, help="most decisions per step of the optimiser")
    add("--gae-lambda", type=float, default=0.95)
    add("--clip", type=float, default=0.2, help="probability ratios are clipped to 1 ± this")
    add(
        "--entropy",
        type=float,
        default=0.005,
        help="weight of the entropy bonus at the start; falls linearly to a tenth",
    )
    add("--value", type=float, default=0.5, help="weight of the value loss")
    add("--grad-norm", type=float, default=0.5, help="largest norm of a gradient")
    add("--reward-scale", type=float, default=10.0, help="points per unit of reward")
    add("--eval-deals", type=int, default=2000, help="deals of the match against rules at the end")
    add("--eval-every", type=int, default=15, help="iterations between shorter matches")
    add("--threads", type=int, default=1, help="threads of PyTorch; the environments use all cores anyway")
    add("--quick", action="store_true", help="a run of seconds, which learns next to nothing")
    args = parser.parse_args()
    if args.quick:
        args.decisions, args.imitate, args.envs, args.steps, args.hidden = 8192, 4096, 32, 64, 32
        args.minibatch, args.eval_deals, args.eval_every = 256, 40, 2
    return args


class Critic(nn.Module):
    """A value network over full information, for training only.

    ``forward(full)`` takes an array of shape ``(n, N_FULL_FEATURES)`` and returns values of shape
    ``(n,)``, in units of the reward. The value of the bundle is that of the value head, which
    learns the same returns.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(troel.N_FULL_FEATURES, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, full: Tensor) -> Tensor:
        return self.layers(full).squeeze(-1)


class Greedy:
    """Bot for ``troel.evaluate`` that plays the likeliest legal action of a network."""

    def __init__(self, network: Network) -> None:
        self.network = network

    @torch.no_grad()
    def __call__(self, batch: troel.Batch) -> NDArray[np.int64]:
        logits, _ = self.network(torch.from_numpy(batch.features()))
        return logits.masked_fill(~torch.from_numpy(batch.masks()), -torch.inf).argmax(1).numpy()


def estimate(
    values: NDArray[np.float32],
    rewards: NDArray[np.float32],
    dones: NDArray[np.bool_],
    seats: NDArray[np.uint8],
    choices: NDArray[np.bool_],
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Returns generalised advantage estimates over the decisions of each seat.

    Args:
        values: Values of the seat to act, ``(steps, envs)``, in units of reward.
        rewards: Rewards of all seats, ``(steps, envs, 4)``.
        dones: Whether the episode ended with the step, ``(steps, envs)``.
        seats: Seat that acted, 0 to 3, ``(steps, envs)``.
        choices: Whether the seat had a choice, ``(steps, envs)``. Other moves are not decisions.
        gae_lambda: λ of the estimates, 0 to 1.

    Returns:
        Advantages of shape ``(steps, envs)``, and a mask of the valid ones. The last decision of a
        seat in an unfinished episode has no advantage. It only provides the bootstrap value of the
        decision before.
    """
    steps, envs = values.shape
    advantages = np.zeros((steps, envs), np.float32)
    known = np.zeros((steps, envs), np.bool_)
    # State of the backward pass, by seat: the reward until the seat's next decision, and the value
    # and advantage of that decision.
    reward, next_value, next_advantage = np.zeros((3, envs, 4), np.float32)
    has_next = np.zeros((envs, 4), np.bool_)
    for t in reversed(range(steps)):
        over = dones[t][:, None]
        reward = np.where(over, rewards[t], reward + rewards[t])
        next_value, next_advantage = np.where(over, 0, next_value), np.where(over, 0, next_advantage)
        has_next |= over
        rows = np.flatnonzero(choices[t])
        at, value = (rows, seats[t, rows]), values[t, rows]
        delta = reward[at] + next_value[at] - value
        known[t, rows] = has_next[at]
        advantages[t, rows] = np.where(has_next[at], delta + gae_lambda * next_advantage[at], 0)
        reward[at], next_value[at], next_advantage[at], has_next[at] = 0, value, advantages[t, rows], True
    return advantages, known


def main() -> None:
    args = settings()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    network = Network(args.hidden, args.blocks)
    parameters = list(network.parameters())
    critic = Critic(args.hidden) if args.critic == "full" else None
    if critic is not None:
        parameters += critic.parameters()
    optimiser = torch.optim.Adam(parameters, args.learning_rate, eps=1e-5)
    envs = troel.SelfPlayVectorEnv(args.envs, args.rules, seed=args.seed, full=critic is not None)

    shape = (args.steps, args.envs)
    features = torch.zeros(*shape, troel.N_FEATURES)
    full = torch.zeros(*shape, troel.N_FULL_FEATURES if critic is not None else 0)
    masks = torch.zeros(*shape, troel.N_ACTIONS, dtype=torch.bool)
    actions = torch.zeros(shape, dtype=torch.int64)
    log_probs, values = torch.zeros(shape), torch.zeros(shape)
    seats, dones = np.zeros(shape, np.uint8), np.zeros(shape, np.bool_)
    rewards = np.zeros((*shape, 4), np.float32)

    args.out.parent.mkdir(parents=True, exist_ok=True)
    progress = open(args.out.with_suffix(".csv"), "w", newline="", encoding="utf-8")
    table = csv.writer(progress)
    table.writerow(
        ["decisions", "seconds", "entropy", "kl", "explained_variance", "points_per_deal", "half_ci95"]
    )
    per_iteration = args.steps * args.envs
    iterations = max(1, args.decisions // per_iteration)
    start, evaluating, deals = time.perf_counter(), 0.0, 0
    teacher = troel.load(args.teacher, args.rules, seed=args.seed)
    now = envs.observe()
    for iteration in range(1, iterations + 1):
        left = 1 - 0.9 * (iteration - 1) / iterations
        optimiser.param_groups[0]["lr"] = args.learning_rate * left
        imitates = (iteration - 1) * per_iteration < args.imitate

        with torch.no_grad():
            for t in range(args.steps):
                features[t], masks[t] = torch.from_numpy(now.observations), torch.from_numpy(now.masks)
                seats[t] = now.seats
                logits, value = network(features[t])
                if critic is not None:
                    full[t] = torch.from_numpy(now.full)
                    value = critic(full[t])
                policy = masked(logits, masks[t])
                if imitates:
                    actions[t] = torch.from_numpy(teacher.act([envs.view(env) for env in range(args.envs)]))
                else:
                    actions[t] = policy.sample()
                values[t] = value
                log_probs[t] = policy.log_prob(actions[t])
                now = envs.step(actions[t].numpy())
                rewards[t], dones[t] = now.rewards / args.reward_scale, now.dones
        deals += int(dones.sum())

        choices = masks.sum(2).numpy() > 1
        advantages, known = estimate(values.numpy(), rewards, dones, seats, choices, args.gae_lambda)
        chosen = torch.from_numpy(known.ravel()).nonzero().squeeze(1)
        advantage = torch.from_numpy(advantages.ravel())
        returns = advantage + values.ravel()
        explained = float(1 - advantage[chosen].var() / returns[chosen].var())
        advantage = (advantage - advantage[chosen].mean()) / (advantage[chosen].std() + 1e-8)

        entropies, kls = [], []
        for _ in range(args.epochs):
            # Equal minibatches: a step over a few samples would count as much as any other.
            parts = math.ceil(len(chosen) / args.minibatch)
            for rows in chosen[torch.randperm(len(chosen))].tensor_split(parts):
                logits, value = network(features.flatten(0, 1)[rows])
                policy = masked(logits, masks.flatten(0, 1)[rows])
                log_ratio = policy.log_prob(actions.ravel()[rows]) - log_probs.ravel()[rows]
                ratio = log_ratio.exp()
                gain = advantage[rows]
                if imitates:
                    policy_loss = -policy.log_prob(actions.ravel()[rows]).mean()
                else:
                    policy_loss = -torch.min(
                        gain * ratio, gain * ratio.clamp(1 - args.clip, 1 + args.clip)
                    ).mean()
                # An untrained table bids slams and loses a hundred points per deal. The squares of
                # such losses would dominate.
                value_loss = nn.functional.smooth_l1_loss(value, returns[rows])
                entropy = policy.entropy().mean()
                loss = policy_loss - args.entropy * left * entropy + args.value * value_loss
                if critic is not None:
                    judged = critic(full.flatten(0, 1)[rows])
                    loss = loss + nn.functional.smooth_l1_loss(judged, returns[rows])
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), args.grad_norm)
                if critic is not None:
                    nn.utils.clip_grad_norm_(critic.parameters(), args.grad_norm)
                optimiser.step()
                entropies.append(entropy.item())
                kls.append((ratio - 1 - log_ratio).mean().item())

        decisions = iteration * per_iteration
        points, half = "", ""
        if iteration % args.eval_every == 0 or iteration == iterations:
            before = time.perf_counter()
            size = args.eval_deals if iteration == iterations else max(1, args.eval_deals // 5)
            match = troel.evaluate(Greedy(network), "rules", args.rules, size)
            points, half = match.points_per_deal, (match.ci95[1] - match.ci95[0]) / 2
            evaluating += time.perf_counter() - before
            print(match, flush=True)
        seconds = time.perf_counter() - start - evaluating
        table.writerow(
            [decisions, round(seconds, 1), np.mean(entropies), np.mean(kls), explained, points, half]
        )
        progress.flush()
        if iteration % 5 == 0 or iteration == iterations:
            print(
                f"{decisions:>9} decisions, {decisions / seconds:.0f}/s, entropy {np.mean(entropies):.3f}, "
                f"KL {np.mean(kls):.4f}, explained variance {explained:.2f}",
                flush=True,
            )
    progress.close()

    network.save(
        args.out,
        args.rules,
        reward_scale=args.reward_scale,
        seed=args.seed,
        steps=iterations * per_iteration,
        deals=deals,
        seconds=seconds,
        command=shlex.join(["python", "ppo.py", *sys.argv[1:]]),
    )
    bundle = troel.evaluate(troel.load(str(args.out)), "rules", args.rules, args.eval_deals)
    print(f"bundle {args.out}: {bundle}")
    if abs(bundle.points_per_deal - match.points_per_deal) > 0.05:
        raise SystemExit("the bundle plays otherwise than the network that it was made of")


if __name__ == "__main__":
    main()
