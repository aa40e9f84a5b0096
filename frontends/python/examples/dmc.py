"""Deep Monte Carlo by self-play, in one file, as in DouZero (Zha et al. 2021).

    python dmc.py --decisions 4000000 --out runs/dmc

All four seats play epsilon-greedily with one network, which computes Q for every action from the
seat's features. There is no bootstrapping: the target of a decision is the score of its seat at the
end of the deal. The bundle has Q in place of the logits of a policy. Its likeliest action has the
highest Q, and its probabilities have no meaning.
"""

from __future__ import annotations

import argparse
import csv
import shlex
import sys
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import troel
from troel.torch import Network


def settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--rules", default="luxembourg", help="rule set, or path of a rule file")
    add("--decisions", type=int, default=4_000_000, help="decisions to train on, all seats together")
    add("--seed", type=int, default=1, help="decides deals, weights and draws")
    add(
        "--out",
        type=Path,
        default=Path("runs/dmc"),
        help="folder of the bundle; progress goes to a .csv beside it",
    )
    add("--envs", type=int, default=128, help="deals that are played at once")
    add("--steps", type=int, default=64, help="decisions of each of them between updates")
    add(
        "--memory",
        type=int,
        default=256,
        help="last decisions of each of them that are learnt from; at least two deals",
    )
    add("--hidden", type=int, default=128, help="width of the network")
    add("--blocks", type=int, default=1, help="its residual blocks")
    add("--learning-rate", type=float, default=1e-3, help="of Adam at the start; falls linearly to a tenth")
    add("--reuse", type=float, default=2.0, help="times that a decision is learnt from, on average")
    add("--minibatch", type=int, default=1024, help="decisions per step of the optimiser")
    add(
        "--epsilon",
        type=float,
        default=0.1,
        help="share of random actions at the start; falls linearly to a tenth",
    )
    add("--reward-scale", type=float, default=10.0, help="points per unit of reward")
    add("--eval-deals", type=int, default=2000, help="deals of the match against rules at the end")
    add("--eval-every", type=int, default=80, help="iterations between shorter matches")
    add("--threads", type=int, default=1, help="threads of PyTorch; the environments use all cores anyway")
    add("--quick", action="store_true", help="a run of seconds, which learns next to nothing")
    args = parser.parse_args()
    if args.quick:
        args.decisions, args.envs, args.memory, args.hidden = 8192, 32, 128, 32
        args.minibatch, args.eval_deals, args.eval_every = 256, 40, 2
    return args


class Greedy:
    """Bot for ``troel.evaluate`` that plays the legal action with the highest Q."""

    def __init__(self, network: Network) -> None:
        self.network = network

    @torch.no_grad()
    def __call__(self, batch: troel.Batch) -> NDArray[np.int64]:
        q, _ = self.network(torch.from_numpy(batch.features()))
        return q.masked_fill(~torch.from_numpy(batch.masks()), -torch.inf).argmax(1).numpy()


class Memory:
    """The last ``steps`` decisions of each of ``envs`` environments, with their returns."""

    def __init__(self, steps: int, envs: int) -> None:
        self.features = torch.zeros(steps, envs, troel.N_FEATURES)
        self.actions = torch.zeros(steps, envs, dtype=torch.int64)
        self.returns = torch.zeros(steps, envs)
        self.is_known = torch.zeros(steps, envs, dtype=torch.bool)
        self.seats = torch.zeros(steps, envs, dtype=torch.int64)
        self.steps, self.at = steps, 0
        #: Step at which the current deal of each environment began.
        self.began = np.zeros(envs, np.int64)

    def see(self, now: troel.Transition) -> torch.Tensor:
        """Stores the features of the seats to act, and returns them."""
        row = self.at % self.steps
        self.features[row], self.seats[row] = torch.from_numpy(now.observations), torch.from_numpy(now.seats)
        self.is_known[row] = False
        return self.features[row]

    def end(self, actions: torch.Tensor, rewards: NDArray[np.float32], dones: NDArray[np.bool_]) -> None:
        """Stores the actions, and the returns of all decisions of deals that ended with them."""
        self.actions[self.at % self.steps] = actions
        self.at += 1
        for env in np.flatnonzero(dones):
            rows = np.arange(max(self.began[env], self.at - self.steps), self.at) % self.steps
            self.returns[rows, env] = torch.from_numpy(rewards[env])[self.seats[rows, env]]
            self.is_known[rows, env] = True
            self.began[env] = self.at


def main() -> None:
    args = settings()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    torch.set_num_threads(args.threads)
    network = Network(args.hidden, args.blocks)
    optimiser = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    envs = troel.SelfPlayVectorEnv(args.envs, args.rules, seed=args.seed)
    memory = Memory(args.memory, args.envs)

    args.out.parent.mkdir(parents=True, exist_ok=True)
    progress = open(args.out.with_suffix(".csv"), "w", newline="", encoding="utf-8")
    table = csv.writer(progress)
    table.writerow(["decisions", "seconds", "loss", "points_per_deal", "half_ci95"])
    per_iteration = args.steps * args.envs
    iterations = max(1, args.decisions // per_iteration)
    start, evaluating, deals = time.perf_counter(), 0.0, 0
    now = envs.observe()
    for iteration in range(1, iterations + 1):
        left = 1 - 0.9 * (iteration - 1) / iterations
        optimiser.param_groups[0]["lr"] = args.learning_rate * left

        with torch.no_grad():
            for _ in range(args.steps):
                q, _ = network(memory.see(now))
                best = q.masked_fill(~torch.from_numpy(now.masks), -torch.inf).argmax(1)
                explore = rng.random(args.envs) < args.epsilon * left
                actions = np.where(explore, envs.sample_actions(), best.numpy())
                now = envs.step(actions)
                memory.end(torch.from_numpy(actions), now.rewards / args.reward_scale, now.dones)
                deals += int(now.dones.sum())

        known = memory.is_known.ravel().nonzero().squeeze(1)
        losses = []
        for _ in range(round(args.reuse * per_iteration / args.minibatch) if len(known) else 0):
            rows = known[torch.randint(len(known), (args.minibatch,))]
            q, value = network(memory.features.flatten(0, 1)[rows])
            returns = memory.returns.ravel()[rows]
            taken = q.gather(1, memory.actions.ravel()[rows, None]).squeeze(1)
            # The bot does not use the value. It is learnt because a bundle has a value head.
            loss = nn.functional.mse_loss(taken, returns) + nn.functional.mse_loss(value, returns)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimiser.step()
            losses.append(loss.item())

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
        loss = float(np.mean(losses)) if losses else float("nan")
        table.writerow([decisions, round(seconds, 1), loss, points, half])
        progress.flush()
        if iteration % 20 == 0 or iteration == iterations:
            print(f"{decisions:>9} decisions, {decisions / seconds:.0f}/s, loss {loss:.3f}", flush=True)
    progress.close()

    network.save(
        args.out,
        args.rules,
        reward_scale=args.reward_scale,
        seed=args.seed,
        steps=iterations * per_iteration,
        deals=deals,
        seconds=seconds,
        command=shlex.join(["python", "dmc.py", *sys.argv[1:]]),
    )
    bundle = troel.evaluate(troel.load(str(args.out)), "rules", args.rules, args.eval_deals)
    print(f"bundle {args.out}: {bundle}")
    if abs(bundle.points_per_deal - match.points_per_deal) > 0.05:
        raise SystemExit("the bundle plays otherwise than the network that it was made of")


if __name__ == "__main__":
    main()
