"""Observations, spaces and checks that the PettingZoo and Gymnasium environments share."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces

from . import _troel
from ._troel import View


def check_illegal(illegal: str) -> None:
    """Raises a ``ValueError`` unless this is an effect of illegal actions."""
    if illegal not in ("raise", "random"):
        raise ValueError(f'illegal={illegal!r}: use "raise" or "random"')


def check_canonical_suits(canonical_suits: bool) -> None:
    """Raises a ``TypeError`` unless this is a bool."""
    if not isinstance(canonical_suits, (bool, np.bool_)):
        raise TypeError(f"canonical_suits={canonical_suits!r}: use True or False")


class Observation(dict[str, Any]):
    """An observation in Gymnasium's form, a dict, with a view for Troel's bots.

    ``observation["observation"]``: features, float32 of shape ``(N_FEATURES,)``, -2 to 2.
    ``observation["action_mask"]``: legal actions, int8 of shape ``(N_ACTIONS,)``, all 0 unless it
    is the seat's turn.
    ``observation.view``: the :class:`troel.View`.

    With ``canonical_suits``, features and mask have the suits in canonical order.
    """

    __slots__ = ("canonical_suits", "view")

    view: View
    canonical_suits: bool

    def __init__(self, view: View, canonical_suits: bool = False) -> None:
        encoded = view.encode(canonical_suits=canonical_suits)
        self["observation"], self["action_mask"] = encoded
        self.view = view
        self.canonical_suits = canonical_suits

    # Copies have the current arrays, not those of the view: a wrapper may have changed them.
    def __reduce__(self) -> Any:
        return (_restored, (self.view, self.canonical_suits, dict(self)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Observation:
        return _restored(self.view, self.canonical_suits, deepcopy(dict(self), memo))


def _restored(view: View, canonical_suits: bool, arrays: dict[str, Any]) -> Observation:
    observation = Observation.__new__(Observation)
    observation.update(arrays)
    observation.view = view
    observation.canonical_suits = canonical_suits
    return observation


def features_space() -> spaces.Box:
    """Returns the space of the features."""
    return spaces.Box(-2.0, 2.0, (_troel.N_FEATURES,), np.float32)


def observation_space() -> spaces.Dict:
    """Returns the space of observations."""
    mask = spaces.Box(0, 1, (_troel.N_ACTIONS,), np.int8)
    return spaces.Dict({"observation": features_space(), "action_mask": mask})


def action_space() -> spaces.Discrete[np.int64]:
    """Returns the space of actions."""
    return spaces.Discrete(_troel.N_ACTIONS)
