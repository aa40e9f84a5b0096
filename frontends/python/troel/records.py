"""Game records, corpora and ladders as data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _troel


@dataclass(frozen=True)
class Encoded:
    """Inputs of an exported model, with one row."""

    #: float32 of shape ``(1, N_FEATURES)``.
    features: NDArray[np.float32]
    #: bool of shape ``(1, N_ACTIONS)``: legal actions.
    mask: NDArray[np.bool_]
    #: int64 of shape ``(1, 1)``: number of the suit permutation of a network with canonical suits.
    suits: NDArray[np.int64]
    #: int64 of shape ``(1, HISTORY_LENGTH)``: :meth:`troel.View.history_tokens`.
    history: NDArray[np.int64]

    def feed(self, session: Any) -> dict[str, NDArray[Any]]:
        """Returns the inputs of a session of ONNX Runtime."""
        return {i.name: getattr(self, i.name) for i in session.get_inputs()}


def encode(
    record: Mapping[str, Any] | str, seat: int | str, *, rules: str | None = None
) -> Encoded:
    """Returns the view of a seat in a game record as the inputs of ``model.onnx``.

    >>> record = _troel.deals("wiezen")[0]
    >>> encode(record, "N").features.shape == (1, _troel.N_FEATURES)
    True

    Args:
        record: Game record, with at least the seat's hand.
        seat: 0 to 3, or a letter of NESW.
        rules: Path of the rule file, for records of house rules.
    """
    view = _troel.observe(record, seat, rules)
    return Encoded(
        view.features()[None],
        view.mask()[None].astype(np.bool_),
        np.array([[view.suits()]], np.int64),
        view.history_tokens()[None],
    )


def read_records(path: str | PathLike[str]) -> Iterator[dict[str, Any]]:
    """Yields the game records of a file, one JSON object per line."""
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    raise ValueError(f"{path}, line {number}: not JSON: {error}") from error


def read_ladder(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """Returns the results in a file of ``troel ladder``, one row each, for ``pandas.DataFrame``."""
    return list(read_records(path))


_DTYPES = {"I64": np.int64, "U8": np.uint8, "F32": np.float32}


def read_corpus(path: str | PathLike[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Returns a shard of ``troel corpus`` as memory-mapped arrays by name, and its metadata.

    Decision i has the rows ``first[i]`` to ``first[i + 1]`` (excluded) of three arrays:

    - ``action``: the searched actions
    - ``points``: expected points of the deal for the seat to act
    - ``spread``: standard deviation of the points over the worlds

    ``points`` and ``spread`` have two columns, for two independent sets of worlds.

    Raises:
        ValueError: The file is not a corpus.
    """
    data = np.memmap(Path(path), mode="r")
    try:
        length = int.from_bytes(bytes(data[:8]), "little")
        header = json.loads(bytes(data[8 : 8 + length]))
        info = json.loads(header.pop("__metadata__")["troel"])
    except (ValueError, KeyError) as error:
        raise ValueError(f"{path} is not a corpus: use a file that troel corpus wrote") from error
    arrays = {}
    for name, tensor in header.items():
        start, end = (8 + length + offset for offset in tensor["data_offsets"])
        arrays[name] = data[start:end].view(_DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
    return arrays, info
