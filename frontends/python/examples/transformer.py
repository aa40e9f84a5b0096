"""A causal transformer over the history of the deal, in one file, as an ONNX bundle.

    python transformer.py --decisions 500000 --out runs/transformer

It imitates the bot ``rules`` on deals that this bot plays against itself. The first token of a
sequence is made of the features of the seat to act, and the other tokens are the actions so far.
The model is exported to ONNX, saved with ``troel.save_onnx_bundle``, and plays like any other bot:
``troel eval runs/transformer rules``.
"""

from __future__ import annotations

import argparse
import io
import shlex
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import troel
from troel.torch import masked


def settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--rules", default="luxembourg", help="rule set, or path of a rule file")
    add("--teacher", default="rules", help="bot that is imitated")
    add("--decisions", type=int, default=500_000, help="decisions to imitate, all seats together")
    add("--seed", type=int, default=1, help="decides deals and weights")
    add("--out", type=Path, default=Path("runs/transformer"), help="folder of the bundle")
    add("--envs", type=int, default=256, help="deals that are played at once: the size of a minibatch")
    add("--width", type=int, default=64, help="width of the transformer")
    add("--layers", type=int, default=2, help="its layers")
    add("--heads", type=int, default=4, help="heads of attention, a divisor of the width")
    add("--learning-rate", type=float, default=1e-3, help="of Adam at the start; falls linearly to a tenth")
    add("--eval-deals", type=int, default=400, help="deals of the match against rules at the end")
    add("--threads", type=int, default=1, help="threads of PyTorch")
    add("--quick", action="store_true", help="a run of seconds, which learns next to nothing")
    args = parser.parse_args()
    if args.quick:
        args.decisions, args.envs, args.width, args.layers, args.eval_deals = 4096, 64, 32, 1, 10
    return args


class Layer(nn.Module):
    """Causal attention and a network of two layers, each added to its input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inner = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor, is_later: Tensor) -> Tensor:
        length, width = x.shape[1:]
        parts = self.inputs(self.norms[0](x)).chunk(3, dim=-1)
        shape = (-1, length, self.heads, width // self.heads)
        query, key, value = (part.reshape(shape).transpose(1, 2) for part in parts)
        scores = query @ key.transpose(2, 3) / (width // self.heads) ** 0.5
        weights = scores.masked_fill(is_later, -1e9).softmax(-1)
        x = x + self.output((weights @ value).transpose(1, 2).reshape(-1, length, width))
        return x + self.inner(self.norms[1](x))


class Transformer(nn.Module):
    """Policy from features ``(n, N_FEATURES)`` and the tokens of the history ``(n, length)``."""

    def __init__(self, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.first = nn.Linear(troel.N_FEATURES, width)
        self.tokens = nn.Embedding(troel.N_HISTORY_TOKENS, width)
        self.places = nn.Parameter(0.02 * torch.randn(1 + troel.HISTORY_LENGTH, width))
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm, self.policy = nn.LayerNorm(width), nn.Linear(width, troel.N_ACTIONS)

    def forward(self, features: Tensor, history: Tensor) -> Tensor:
        x = torch.cat([self.first(features).unsqueeze(1), self.tokens(history)], dim=1)
        length = x.shape[1]
        x = x + self.places[:length]
        is_later = torch.ones(length, length, dtype=torch.bool).triu(1)
        for layer in self.layers:
            x = layer(x, is_later)
        # Padding follows the last action, so that causal attention never reads it.
        last = (history != 0).sum(1).reshape(-1, 1, 1).expand(-1, 1, x.shape[2])
        return self.policy(self.norm(x.gather(1, last).squeeze(1)))


def save(network: Transformer, path: Path, rules: str, **about: object) -> None:
    """Exports the network and writes it as a bundle."""
    file = io.BytesIO()
    example = (torch.zeros(2, troel.N_FEATURES), torch.zeros(2, troel.HISTORY_LENGTH, dtype=torch.int64))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network.eval(),
            example,
            file,
            input_names=["features", "history"],
            output_names=["logits"],
            dynamic_axes={"features": {0: "n"}, "history": {0: "n"}, "logits": {0: "n"}},
            dynamo=False,
        )
    troel.save_onnx_bundle(path, file.getvalue(), rules, **about)


def main() -> None:
    args = settings()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    network = Transformer(args.width, args.layers, args.heads)
    optimiser = torch.optim.Adam(network.parameters(), args.learning_rate)
    teacher = troel.load(args.teacher, args.rules, seed=args.seed)
    envs = troel.SelfPlayVectorEnv(args.envs, args.rules, seed=args.seed, history=True)

    now, start, deals, decisions, agreed = envs.observe(), time.perf_counter(), 0, 0, 0.0
    steps = max(1, args.decisions // args.envs)
    for step in range(1, steps + 1):
        actions: NDArray[np.int64] = teacher.act([envs.view(env) for env in range(args.envs)])
        features, mask = torch.from_numpy(now.observations), torch.from_numpy(now.masks)
        # Shorter rows are faster, and padding changes nothing.
        longest = 1 + int((now.history != 0).sum(1).max())
        history = torch.from_numpy(now.history[:, :longest])
        policy = masked(network(features, history), mask)
        has_choice = mask.sum(1) > 1
        target = torch.from_numpy(actions)
        loss = -policy.log_prob(target)[has_choice].sum() / args.envs
        optimiser.param_groups[0]["lr"] = args.learning_rate * (1 - 0.9 * step / steps)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        decisions += args.envs
        agreement = (policy.probs.argmax(1) == target)[has_choice].float().mean().item()
        agreed = agreement if step == 1 else agreed + 0.05 * (agreement - agreed)
        now = envs.step(actions)
        deals += int(now.dones.sum())
        if step % 100 == 0 or step == steps:
            seconds = time.perf_counter() - start
            print(
                f"{decisions:>9} decisions, {decisions / seconds:.0f}/s, "
                f"agrees with {args.teacher} in {agreed:.0%}",
                flush=True,
            )

    save(
        network,
        args.out,
        args.rules,
        seed=args.seed,
        steps=decisions,
        deals=deals,
        seconds=time.perf_counter() - start,
        command=shlex.join(["python", "transformer.py", *sys.argv[1:]]),
    )
    match = troel.evaluate(troel.load(str(args.out)), "rules", args.rules, args.eval_deals)
    print(f"bundle {args.out}: {match}")


if __name__ == "__main__":
    main()
