"""Infos of PettingZoo and Gymnasium environments about a deal that ended.

Each key has the same type in all deals, and is never ``None``: Gymnasium's vectors stack the values
of their environments in arrays, whose type is that of the first value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Ended deals: whether each environment has one, bool of shape ``(num_envs,)``; ``"scores"``,
#: ``"tricks"`` and ``"totals"``, int32 of shape ``(num_envs, 4)``; and their contracts in order.
Ended = tuple[NDArray[np.bool_], dict[str, NDArray[np.int32]], list[dict[str, Any] | None]]

_NAMES = ("contract", "trump", "declarers")


def deal_info(outcome: dict[str, Any]) -> dict[str, Any]:
    """Returns the keys of one deal, from the outcome that :meth:`troel.Game.step` returns.

    ``"scores"``, ``"tricks"``, ``"totals"``: points, tricks and match points by seat, int32 of
    shape ``(4,)``.
    ``"contract"``: its kind, such as ``"solo"``; empty if the deal was passed out.
    ``"level"``: number of tricks to make; 0 for contracts without one.
    ``"trump"``: ``"S"``, ``"H"``, ``"D"`` or ``"C"``; empty without trumps.
    ``"declarers"``: letters of the seats, such as ``"NS"``.
    """
    contract = outcome["contract"] or {}
    return {
        "scores": np.array(outcome["points"], np.int32),
        "tricks": np.array(outcome["tricks"], np.int32),
        "totals": np.array(outcome["totals"], np.int32),
        "level": contract.get("level") or 0,
        **{name: _name(contract, name) for name in _NAMES},
    }


def deal_infos(
    ended: NDArray[np.bool_],
    numbers: dict[str, NDArray[np.int32]],
    contracts: list[dict[str, Any] | None],
) -> dict[str, Any]:
    """Returns the same keys for many environments, in the form of Gymnasium's vectors.

    Each array has a row for each environment, which is zero or ``None`` if no deal ended in it. The
    key with an underscore before it (``"_scores"``) says whether one ended, bool of shape
    ``(num_envs,)``. The arguments are the parts of :data:`Ended`.
    """
    infos: dict[str, Any] = dict(numbers)
    infos["level"] = np.zeros(len(ended), np.int64)
    infos["level"][ended] = [(contract or {}).get("level") or 0 for contract in contracts]
    for name in _NAMES:
        infos[name] = np.full(len(ended), None, dtype=object)
        infos[name][ended] = [_name(contract or {}, name) for contract in contracts]
    return {**infos, **{f"_{key}": ended.copy() for key in infos}}


def _name(contract: dict[str, Any], name: str) -> str:
    key = "kind" if name == "contract" else name
    return contract.get(key) or ""
