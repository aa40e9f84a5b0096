"""Bundles of networks that were trained in Python, which Troel uses like its own."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _troel


def tensor_shapes(hidden: int, blocks: int) -> dict[str, tuple[int, ...]]:
    """Returns the names and shapes of a network's tensors; matrices are ``(inputs, outputs)``.

    The network computes ``x = relu(input(features))``, then ``x = x + second(relu(first(x)))`` for
    each block, and a ReLU after the last block. Its outputs are ``policy(x)`` (``N_ACTIONS``
    logits) and ``value(x)`` (one number, in units of ``reward_scale`` points).
    :class:`troel.torch.Network` implements it in PyTorch.
    """
    return {name: tuple(shape) for name, shape in _troel.tensors(hidden, blocks)}


#: The files of a bundle.
_FILES = {"bot.toml", "model.safetensors"}


def save_bundle(
    path: str | PathLike[str],
    weights: Mapping[str, ArrayLike],
    rules: str = "luxembourg",
    *,
    reward_scale: float | None = 1.0,
    seed: int = 0,
    steps: int = 0,
    deals: int = 0,
    seconds: float = 0.0,
    command: str = "",
    match_totals: bool = False,
    canonical_suits: bool = False,
) -> None:
    """Writes a network as a bundle for ``troel.load``, ``troel eval`` and ``troel export``.

    Args:
        path: Folder. A bundle in it is replaced; a folder with other files is refused.
        weights: Arrays by name, with the shapes of :func:`tensor_shapes`.
        rules: Rule set that the network was trained for, or path of a rule file.
        reward_scale: Points per unit of the value; ``None`` if the values are not points, as with
            ``reward="match"``. Decisions of the bot then have no value.
        seed, steps, deals, seconds, command: Origin of the network: seed, number of decisions and
            of deals in training, seconds of training, and command.
        match_totals: Whether training used match points other than 0. Otherwise the rows of
            ``input.weight`` for them are zeroed on load, because they are untrained.
        canonical_suits: Whether the network was trained on environments with
            ``canonical_suits=True``.

    Raises:
        ValueError: The folder has other files, or a tensor is missing, has the wrong shape or has a
            number that is not finite.
    """
    if not isinstance(weights, Mapping):
        raise TypeError(
            f"weights are of type {type(weights).__name__}: use a mapping of names to arrays, "
            "such as a dict"
        )
    arrays = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}
    shape = arrays["input.weight"].shape if "input.weight" in arrays else ()
    if len(shape) != 2:
        raise ValueError('weights lack "input.weight", a matrix of shape (N_FEATURES, hidden)')
    blocks = sum(name.startswith("blocks.") and name.endswith(".first.weight") for name in arrays)
    wanted = tensor_shapes(shape[1], blocks)
    for name in arrays:
        if name not in wanted:
            raise ValueError(
                f"weights have {name!r}, which is not a tensor of the network: use {list(wanted)}"
            )
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: name a folder")
    others = sorted(one.name for one in folder.iterdir()) if folder.exists() else []
    if others and not set(others) <= _FILES:
        raise ValueError(
            f"{folder} has files that are not part of a bundle ({others[0]}, …): name a new folder"
        )
    _troel.save_bundle(
        fspath(path),
        arrays,
        rules,
        hidden=shape[1],
        blocks=blocks,
        reward_scale=reward_scale,
        seed=seed,
        steps=steps,
        deals=deals,
        seconds=seconds,
        command=command,
        match_totals=match_totals,
        canonical_suits=canonical_suits,
    )


def load_weights(
    name: str | PathLike[str],
) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Returns the weights of a trained bot, by name or path, and the metadata in its ``bot.toml``.

    Raises:
        ValueError: There is no such bot, or it is damaged.
    """
    info, weights = _troel.read_bundle(fspath(name))
    return weights, info
