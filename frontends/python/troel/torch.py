"""The network of Troel's bots in PyTorch, which can be saved as a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from . import _troel
from .bundles import load_weights, save_bundle


class _Block(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(hidden, hidden)
        self.second = nn.Linear(hidden, hidden)

    def forward(self, x: Tensor) -> Tensor:
        inner: Tensor = self.second(torch.relu(self.first(x)))
        return x + inner


class Network(nn.Module):
    """A residual network with a policy and a value.

    ``forward(features)`` returns logits of shape ``(n, N_ACTIONS)`` and values of shape ``(n,)``,
    in units of the training reward.

    Args:
        hidden: Width, 1 to 4096.
        blocks: Number of residual blocks, 0 to 64.
        canonical_suits: Whether the network is for environments with ``canonical_suits=True``. It
            determines how the network is saved. State dictionaries contain it, and
            ``load_state_dict`` refuses those of networks with the other value.

    Raises:
        ValueError: A size is out of range.
    """

    def __init__(
        self, hidden: int = 256, blocks: int = 2, *, canonical_suits: bool = False
    ) -> None:
        _troel.tensors(hidden, blocks)  # Refuses sizes that no bundle can have.
        super().__init__()
        self.canonical_suits = canonical_suits
        # What the bundle of a loaded network says about its values and about its training.
        self._loaded: dict[str, Any] = {}
        self._trained: dict[str, float] = {}
        self.input = nn.Linear(_troel.N_FEATURES, hidden)
        self.blocks = nn.ModuleList(_Block(hidden) for _ in range(blocks))
        self.policy = nn.Linear(hidden, _troel.N_ACTIONS)
        self.value = nn.Linear(hidden, 1)
        # Small weights make the first policy nearly uniform.
        for head in (self.policy, self.value):
            nn.init.normal_(head.weight, std=0.01)
            nn.init.zeros_(head.bias)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.relu(self.input(features))
        for block in self.blocks:
            x = block(x)
        x = torch.relu(x)
        return self.policy(x), self.value(x).squeeze(-1)

    # Weights with and without canonical suits have the same shapes, so PyTorch finds no
    # difference.
    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if metadata := getattr(destination, "_metadata", None):
            metadata[prefix[:-1]]["canonical_suits"] = self.canonical_suits

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: Mapping[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        found = local_metadata.get("canonical_suits", self.canonical_suits)
        if found != self.canonical_suits:
            error_msgs.append(
                f"The state dictionary is of a network with canonical_suits={found}: "
                f"use Network(…, canonical_suits={found}), and environments with the same value."
            )
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Returns the weights in the form of bundles."""
        state = self.state_dict()
        return {
            name: (tensor.t() if tensor.ndim == 2 else tensor).detach().cpu().numpy()
            for name, tensor in state.items()
        }

    def save(self, path: str | PathLike[str], rules: str = "luxembourg", **about: Any) -> None:
        """Writes a bundle; ``about`` has more arguments of :func:`troel.save_bundle`.

        ``steps``, ``deals`` and ``seconds`` are those of your training. For a network from
        :meth:`load`, those of the loaded bot are added. Its values keep their scale and unit.
        """
        for name, before in self._trained.items():
            about[name] = before + about.get(name, 0)
        about.setdefault("canonical_suits", self.canonical_suits)
        for name, value in self._loaded.items():
            about.setdefault(name, value)
        save_bundle(path, self.arrays(), rules, **about)

    @staticmethod
    def load(name: str | PathLike[str]) -> Network:
        """Loads the network of a trained bot, by name or path.

        If its ``canonical_suits`` is true, as in all released bots, give it features and masks
        with ``canonical_suits=True``.

        Raises:
            ValueError: There is no such bot, or its network has features of the rules, which this
                one lacks.
        """
        weights, info = load_weights(name)
        sizes = info["network"]
        if sizes.get("rule_features"):
            raise ValueError(
                f"{name} has features of the rules, which this network lacks: use "
                f"troel.load({name!r}), or its model.onnx (troel export)"
            )
        network = Network(
            sizes["hidden"],
            sizes["blocks"],
            canonical_suits=bool(sizes.get("canonical_suits", False)),
        )
        state = {
            name: torch.from_numpy(np.ascontiguousarray(array.T if array.ndim == 2 else array))
            for name, array in weights.items()
        }
        network.load_state_dict(state)
        network._loaded = {
            "reward_scale": info["reward_scale"] if info.get("value_in_points", True) else None,
            "match_totals": info.get("match_totals", False),
        }
        network._trained = {
            "steps": info["steps"],
            "deals": info["deals"],
            "seconds": info["train_seconds"],
        }
        return network


def masked(logits: Tensor, mask: Tensor) -> torch.distributions.Categorical:
    """Returns the policy over legal actions.

    Logits have shape ``(n, N_ACTIONS)``, and so has the mask, which is true for legal actions.
    Illegal actions have the probability e^-80, which is negligible in samples and entropies. A row
    without legal actions is uniform: leave out rows of finished episodes.
    """
    log_probs = logits.masked_fill(~mask.bool(), torch.finfo(logits.dtype).min).log_softmax(-1)
    # Categorical computes exponentials again, which is many times slower on a CPU if they
    # underflow.
    return torch.distributions.Categorical(logits=log_probs.clamp(min=-80.0), validate_args=False)
