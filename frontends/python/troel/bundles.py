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
_FILES = {"bot.toml", "model.safetensors", "model.onnx"}


def _check_folder(folder: Path) -> None:
    """Refuses a folder with files that are not part of a bundle, because it would be replaced."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: name a folder")
    others = sorted({one.name for one in folder.iterdir()} - _FILES) if folder.exists() else []
    if others:
        raise ValueError(
            f"{folder} has files that are not part of a bundle ({others[0]}, …): name a new folder"
        )


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
    _check_folder(Path(path))
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


def save_onnx_bundle(
    path: str | PathLike[str],
    model: Any,
    rules: str = "luxembourg",
    *,
    reward_scale: float | None = 1.0,
    seed: int = 0,
    steps: int = 0,
    deals: int = 0,
    seconds: float = 0.0,
    command: str = "",
    canonical_suits: bool = False,
    rule_features: bool = False,
    any_rules: bool = False,
) -> None:
    """Writes an ONNX model of any architecture as a bundle, a bot for ``troel.load`` and the program.

    The model has one or more of these inputs, by name; n is a dynamic dimension:

    - ``features``: float32 of shape ``(n, N_FEATURES)``
    - ``history``: int64 of shape ``(n, HISTORY_LENGTH)``, :meth:`troel.View.history_tokens`
    - ``mask``: bool or float32 of shape ``(n, N_ACTIONS)``, true for legal actions

    Its outputs are ``logits``, float32 of shape ``(n, N_ACTIONS)``, and optionally ``value`` of
    shape ``(n,)`` or ``(n, 1)``. Logits of illegal actions are ignored. A model of ``troel export``
    fits, too: its output ``policy`` takes the place of ``logits``, and it may have the input
    ``suits``.

    The model is loaded and run once before it is written. It must be one file: weights in a second
    file are refused.

    Args:
        path: Folder. A bundle in it is replaced; a folder with other files is refused.
        model: Bytes of the model, the path of its file, or the result of ``torch.onnx.export`` with
            ``dynamo=True``.
        rules: Rule set that the network was trained for, or path of a rule file.
        reward_scale: Points per unit of the value; ``None`` if the values are not points.
        seed, steps, deals, seconds, command: Origin of the network, as for :func:`save_bundle`.
        canonical_suits: Whether ``features``, ``history``, ``mask`` and the outputs have canonical
            suits, as in environments with ``canonical_suits=True``.
        rule_features: Whether ``features`` is followed by the features of the rules, as in exports
            of ``universal-v2``.
        any_rules: Whether the bot plays under any rule set. Needs ``rule_features=True``.

    Raises:
        ValueError: The model does not fit, or the folder has other files.
    """
    proto = getattr(model, "model_proto", model)
    if hasattr(proto, "SerializeToString"):
        model = proto.SerializeToString()
    elif isinstance(model, (str, PathLike)):
        model = Path(model).read_bytes()
    if not isinstance(model, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"model is of type {type(model).__name__}: use bytes, the path of a file, or the result "
            "of torch.onnx.export(…, dynamo=True)"
        )
    _check_folder(Path(path))
    _troel.save_onnx_bundle(
        fspath(path),
        bytes(model),
        rules,
        reward_scale=reward_scale,
        seed=seed,
        steps=steps,
        deals=deals,
        seconds=seconds,
        command=command,
        canonical_suits=canonical_suits,
        rule_features=rule_features,
        any_rules=any_rules,
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
