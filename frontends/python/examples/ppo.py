"""Masked PPO in one file: it imitates a bot first, and then learns to beat it.

    python ppo.py --seed 1 --out runs/ppo

1. Imitation. The bot ``--opponent`` plays all four seats. The network learns its decisions, and the
   critic the returns. An untrained table would soon learn to always pass, and stay there for long.
2. PPO. At each table ``--learners`` seats learn, and the opponent plays the others. With
   ``--learners 4`` this is self-play.

With ``--init BOT`` the training starts from a trained bot, and has no imitation.

The decisions of each seat are a separate trajectory. The next decision of a seat comes after the
moves of the three others. A move with one legal action is not a decision. Gamma is 1, because deals
are short.

The program writes the network as a bundle, which plays greedily. Load it with ``troel.load(path)``
in Python, or with ``troel eval path rules`` on the command line. The learning curve is in a .csv
file beside it.
"""

from __future__ import annotations

import argparse
import csv
import math
import shlex
import sys
import time
from dataclasses import dataclass
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
    add("--opponent", default="rules", help="bot that is imitated first, and then played against")
    add("--init", help="trained bot to start from, by name or path; turns the imitation off")
    add("--learners", type=int, default=1, help="seats that learn at each table in PPO, 1 to 4")
    add("--imitate", type=int, default=1_500_000, help="decisions of the imitation; 0 turns it off")
    add("--decisions", type=int, default=3_000_000, help="decisions of PPO, of the learning seats")
    add("--seed", type=int, default=1, help="decides deals, weights and draws")
    add("--out", type=Path, default=Path("runs/ppo"), help="folder of the bundle")
    add("--envs", type=int, default=1024, help="deals that are played at once")
    add("--steps", type=int, default=64, help="moves of each of them per iteration")
    add("--hidden", type=int, default=256, help="width of the network")
    add("--blocks", type=int, default=1, help="its residual blocks")
    add("--critic-hidden", type=int, default=128, help="width of the critic")
    add(
        "--critic",
        choices=["hidden", "full"],
        default="full",
        help="source of the advantage baseline: the network's value head, which sees what the seat "
        "sees, or a separate network that sees all four hands",
    )
    add("--imitation-rate", type=float, default=3e-3, help="its learning rate; falls to a third")
    add("--learning-rate", type=float, default=3e-4, help="learning rate of PPO; falls to a tenth")
    add("--imitation-minibatch", type=int, default=1024, help="its decisions per optimiser step")
    add("--minibatch", type=int, default=1024, help="most decisions per optimiser step of PPO")
    add("--epochs", type=int, default=1, help="passes over the decisions of an iteration")
    add("--gae-lambda", type=float, default=0.95)
    add("--clip", type=float, default=0.2, help="probability ratios are clipped to 1 ± this")
    add("--entropy", type=float, default=0.001, help="weight of the bonus; falls to a tenth")
    add("--value", type=float, default=0.5, help="weight of the value loss")
    add("--grad-norm", type=float, default=0.5, help="largest norm of a gradient")
    add("--reward-scale", type=float, default=10.0, help="points per unit of reward")
    add("--eval-deals", type=int, default=2000, help="deals of the match against rules at the end")
    add("--eval-every", type=int, default=250_000, help="decisions between matches of a quarter")
    add("--threads", type=int, default=1, help="threads of PyTorch; environments use all cores")
    add("--quick", action="store_true", help="a run of seconds, which learns next to nothing")
    args = parser.parse_args()
    if args.quick:
        args.imitate, args.decisions = 4096, 4096
        args.envs, args.hidden, args.critic_hidden = 32, 32, 32
        args.imitation_minibatch, args.minibatch = 256, 256
        args.eval_deals, args.eval_every = 40, 2048
    if args.init:
        args.imitate = 0
    if not 1 <= args.learners <= 4:
        parser.error(f"--learners {args.learners}: use 1 to 4")
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
        logits, _ = self.network(torch.from_numpy(batch.features(canonical_suits=True)))
        masks = torch.from_numpy(batch.masks(canonical_suits=True))
        return batch.real_actions(logits.masked_fill(~masks, -torch.inf).argmax(1).numpy())


@dataclass
class Samples:
    """Decisions of the learning seats, in the order of steps and environments.

    The first four have a row for each of the n decisions. The others have the shape ``(steps,
    envs)``, and for the rewards ``(steps, envs, 4)``.
    """

    observations: Tensor  #: ``(n, N_FULL_FEATURES)``; the first ``N_FEATURES`` are the seat's own.
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    is_sample: NDArray[np.bool_]
    seats: NDArray[np.uint8]
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]


class Tables:
    """Deals at which some seats learn, and the opponent plays the others."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.envs = troel.SelfPlayVectorEnv(
            args.envs, args.rules, reward="points", seed=args.seed, full=True, canonical_suits=True
        )
        self.opponent = troel.load(args.opponent, args.rules, seed=args.seed)
        self.rng = np.random.default_rng(args.seed)
        self.steps, self.learners, self.reward_scale = args.steps, args.learners, args.reward_scale
        self.learns = self.draw_learners(args.envs)
        self.deals = 0

    def draw_learners(self, tables: int) -> NDArray[np.bool_]:
        """Draws the learning seats of new deals, ``(tables, 4)``."""
        return self.rng.permuted(np.tile(np.arange(4) < self.learners, (tables, 1)), axis=1)

    def ask_opponent(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the opponent's actions in these environments."""
        views = [self.envs.view(row) for row in rows]
        actions = self.opponent.act(views).tolist() if views else []
        return np.array([view.canonical_action(a) for view, a in zip(views, actions)], np.int64)

    @torch.no_grad()
    def collect(self, network: Network | None) -> Samples:
        """Plays on for some steps. Without a network the opponent decides for all seats."""
        now, n = self.envs.observe(), len(self.envs)
        shape = (self.steps, n)
        is_sample, dones = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        seats, rewards = np.zeros(shape, np.uint8), np.zeros((*shape, 4), np.float32)
        rows: list[tuple[Tensor, ...]] = []
        for t in range(self.steps):
            seats[t] = now.seats
            has_choice = now.masks.sum(1) > 1
            actions = now.masks.argmax(1)
            is_sample[t] = has_choice
            if network is not None:
                is_sample[t] &= self.learns[np.arange(n), now.seats]
            mine, others = np.flatnonzero(is_sample[t]), np.flatnonzero(has_choice & ~is_sample[t])
            observations = torch.from_numpy(now.full[mine])
            masks = torch.from_numpy(now.masks[mine])
            if network is None:
                actions[mine] = self.ask_opponent(mine)
                log_probs = torch.zeros(len(mine))
            else:
                logits, _ = network(observations[:, : troel.N_FEATURES])
                policy = masked(logits, masks)
                drawn = policy.sample()
                log_probs = policy.log_prob(drawn)
                actions[mine] = drawn.numpy()
                actions[others] = self.ask_opponent(others)
            rows.append((observations, masks, torch.from_numpy(actions[mine]), log_probs))
            now = self.envs.step(actions)
            rewards[t], dones[t] = now.rewards / self.reward_scale, now.dones
            self.learns[now.dones] = self.draw_learners(int(now.dones.sum()))
        self.deals += int(dones.sum())
        return Samples(*(torch.cat(part) for part in zip(*rows)), is_sample, seats, rewards, dones)


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
        choices: Whether the move is a decision of a trajectory, ``(steps, envs)``.
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
        next_value = np.where(over, 0, next_value)
        next_advantage = np.where(over, 0, next_advantage)
        has_next |= over
        rows = np.flatnonzero(choices[t])
        at, value = (rows, seats[t, rows]), values[t, rows]
        delta = reward[at] + next_value[at] - value
        known[t, rows] = has_next[at]
        advantages[t, rows] = np.where(has_next[at], delta + gae_lambda * next_advantage[at], 0)
        reward[at], next_value[at], has_next[at] = 0, value, True
        next_advantage[at] = advantages[t, rows]
    return advantages, known


def main() -> None:
    args = settings()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    if args.init:
        network = Network.load(args.init)
        info = troel.load_weights(args.init)[1]
        if not network.canonical_suits or not info["value_in_points"]:
            raise SystemExit(
                f"--init {args.init}: this bot has no canonical suits, or its values are not points. "
                "Use another bot, such as luxembourg-v5"
            )
        args.reward_scale = info["reward_scale"]  # The unit of the value head.
    else:
        network = Network(args.hidden, args.blocks, canonical_suits=True)
    critic = Critic(args.critic_hidden)
    parameters = [*network.parameters(), *critic.parameters()]
    tables = Tables(args)

    @torch.no_grad()
    def judge(observations: Tensor) -> Tensor:
        """Returns the advantage baselines of samples."""
        parts = observations.split(4096)
        if args.critic == "full":
            return torch.cat([critic(part) for part in parts])
        return torch.cat([network(part[:, : troel.N_FEATURES])[1] for part in parts])

    args.out.parent.mkdir(parents=True, exist_ok=True)
    progress = open(args.out.with_suffix(".csv"), "w", newline="", encoding="utf-8")
    table = csv.writer(progress)
    columns = ["decisions", "seconds", "phase", "loss", "entropy", "kl", "explained_variance"]
    table.writerow([*columns, "points_per_deal", "half_ci95"])
    start, evaluating, decisions, evaluated = time.perf_counter(), 0.0, 0, 0
    total = args.imitate + args.decisions
    optimiser = torch.optim.Adam(parameters, eps=1e-5, fused=True)
    while decisions < total:
        imitates = decisions < args.imitate
        if imitates:
            rate = args.imitation_rate * (1 - 2 / 3 * decisions / args.imitate)
            minibatch, epochs, entropy_weight, gae_lambda = args.imitation_minibatch, 1, 0.0, 1.0
        else:
            left = 1 - 0.9 * (decisions - args.imitate) / args.decisions
            rate, entropy_weight = args.learning_rate * left, args.entropy * left
            minibatch, epochs, gae_lambda = args.minibatch, args.epochs, args.gae_lambda
        optimiser.param_groups[0]["lr"] = rate

        samples = tables.collect(None if imitates else network)
        judged = judge(samples.observations)
        values = np.zeros(samples.is_sample.shape, np.float32)
        values[samples.is_sample] = judged.numpy()
        advantages, known = estimate(
            values, samples.rewards, samples.dones, samples.seats, samples.is_sample, gae_lambda
        )
        advantage = torch.from_numpy(advantages[samples.is_sample])
        returns = advantage + judged
        chosen = torch.from_numpy(known[samples.is_sample]).nonzero().squeeze(1)
        explained = float(1 - advantage[chosen].var() / returns[chosen].var())
        advantage = (advantage - advantage[chosen].mean()) / (advantage[chosen].std() + 1e-8)

        sums = torch.zeros(3)
        steps = epochs * math.ceil(len(chosen) / minibatch)
        for _ in range(epochs):
            # Equal minibatches: a step over a few samples would count as much as any other.
            for rows in chosen[torch.randperm(len(chosen))].tensor_split(steps // epochs):
                observations = samples.observations[rows]
                logits, value = network(observations[:, : troel.N_FEATURES])
                policy = masked(logits, samples.masks[rows])
                log_prob = policy.log_prob(samples.actions[rows])
                log_ratio = log_prob - samples.log_probs[rows]
                ratio, gain = log_ratio.exp(), advantage[rows]
                entropy = policy.entropy().mean()
                if imitates:
                    policy_loss = -log_prob.mean()
                else:
                    clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                    policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
                # Some deals cost a hundred points. The squares of such losses would dominate.
                value_loss = nn.functional.smooth_l1_loss(value, returns[rows])
                loss = policy_loss - entropy_weight * entropy + args.value * value_loss
                if args.critic == "full":
                    loss = loss + nn.functional.smooth_l1_loss(critic(observations), returns[rows])
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), args.grad_norm)
                nn.utils.clip_grad_norm_(critic.parameters(), args.grad_norm)
                optimiser.step()
                kl = (ratio - 1 - log_ratio).mean()
                sums += torch.stack([policy_loss, entropy, kl]).detach() / steps

        decisions += len(chosen)
        points, half = "", ""
        if decisions - evaluated >= args.eval_every or decisions >= total:
            before, evaluated = time.perf_counter(), decisions
            size = args.eval_deals if decisions >= total else max(1, args.eval_deals // 4)
            match = troel.evaluate(Greedy(network), "rules", args.rules, size)
            points, half = match.points_per_deal, (match.ci95[1] - match.ci95[0]) / 2
            evaluating += time.perf_counter() - before
            print(match, flush=True)
        seconds = time.perf_counter() - start - evaluating
        loss, entropy, kl = sums.tolist()
        phase = "imitation" if imitates else "ppo"
        # In the imitation another bot decides: the KL divergence from its decisions has no use.
        figures = [phase, loss, entropy, "" if imitates else kl, explained, points, half]
        table.writerow([decisions, round(seconds, 1), *figures])
        progress.flush()
        divergence = "" if imitates else f"KL {kl:.4f}, "
        print(
            f"{decisions:>9} decisions, {decisions / seconds:.0f}/s, {phase}, loss {loss:.4f}, "
            f"entropy {entropy:.3f}, {divergence}explained variance {explained:.2f}",
            flush=True,
        )
    progress.close()

    network.save(
        args.out,
        args.rules,
        reward_scale=args.reward_scale,
        seed=args.seed,
        steps=decisions,
        deals=tables.deals,
        seconds=seconds,
        command=shlex.join(["python", "ppo.py", *sys.argv[1:]]),
    )
    bundle = troel.evaluate(troel.load(str(args.out)), "rules", args.rules, args.eval_deals)
    print(f"bundle {args.out}: {bundle}")
    if abs(bundle.points_per_deal - match.points_per_deal) > 0.05:
        raise SystemExit("the bundle plays otherwise than the network that it was made of")


if __name__ == "__main__":
    main()
