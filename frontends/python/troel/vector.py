"""Many deals that step together, all four seats of each, for those who train by self-play."""

from __future__ import annotations

from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _troel


class Transition(NamedTuple):
    """What the seats to act see, and what the last step came to; ``n`` rows, one for each environment.

    The arrays are views of the environment's own, which the next step writes anew; copy what you keep.
    """

    #: Features of the seat to act, float32 of shape ``(n, N_FEATURES)``, -2 to 2.
    observations: NDArray[np.float32]
    #: Its legal actions, bool of shape ``(n, N_ACTIONS)``.
    masks: NDArray[np.bool_]
    #: The seat to act, uint8 of shape ``(n,)``.
    seats: NDArray[np.uint8]
    #: Rewards of all seats, float32 of shape ``(n, 4)``: 0 but at the end of a deal.
    rewards: NDArray[np.float32]
    #: Whether an episode ended, bool of shape ``(n,)``; the row shows the next one already.
    dones: NDArray[np.bool_]
    #: Points of the deal that ended, int32 of shape ``(n, 4)``; zeros where none did.
    scores: NDArray[np.int32]
    #: All four hands, for critics: float32 of shape ``(n, N_FULL_FEATURES)``; ``None`` unless asked for.
    full: NDArray[np.float32] | None


class SelfPlayVectorEnv:
    """``num_envs`` deals (or matches) that step together; every row is the seat to act.

    An episode that ends is followed by the next at once. Steps run in parallel on all cores,
    without the interpreter's lock; results do not depend on the number of threads.
    ``RAYON_NUM_THREADS`` sets it. An environment is for one thread of Python at a time: a call
    from another thread during a step raises ``RuntimeError``.

    Environments can be copied (``copy.deepcopy``) and pickled; the copy goes on as the original
    would.

    >>> envs = SelfPlayVectorEnv(64, "wiezen", seed=1)
    >>> now = envs.observe()
    >>> now.observations.shape == (64, _troel.N_FEATURES)
    True
    >>> after = envs.step(envs.sample_actions())
    >>> after.rewards.shape
    (64, 4)

    Args:
        num_envs: Number of environments.
        rules: Rule set, or path of a rule file.
        match: Whether an episode is a match to the rule set's target rather than a deal.
        reward: ``"centred"`` (points less the mean of the four seats), ``"points"``, or ``"match"`` (a share of a match
            won, less a quarter).
        scenario: ``"any"`` for shuffled deals, or a kind of contract that some hand must suit, such as ``"misere"``.
        seed: Decides all deals; environment i plays deals i, i + n, i + 2n, … of the seed. ``None``
            draws one.
        full: Whether to give full information, for critics.

    Raises:
        ValueError: An argument is not usable; the message says how it would be.
    """

    def __init__(
        self,
        num_envs: int,
        rules: str = "luxembourg",
        *,
        match: bool = False,
        reward: str = "centred",
        scenario: str = "any",
        seed: int | None = 0,
        full: bool = False,
    ) -> None:
        self._native = _troel.SelfPlay(
            num_envs,
            rules,
            match=match,
            reward=reward,
            scenario=scenario,
            seed=seed,
            full=full,
        )
        self._now = _arrays(self._native)
        self.num_envs = len(self._native)

    def observe(self) -> Transition:
        """What the seats to act see now, and what the last step came to."""
        return self._now

    def reset(self, seed: int | None = None) -> Transition:
        """Starts new episodes: with the first deals of a seed if one is given, else with the next deals."""
        self._native.reset(seed)
        return self._now

    def step(self, actions: ArrayLike) -> Transition:
        """Takes one action in each environment.

        Args:
            actions: Action numbers of shape ``(num_envs,)``.

        Raises:
            IllegalAction: An action is not legal; the message names the environment. Nothing has stepped then.
        """
        if type(actions) is not np.ndarray or actions.dtype != np.int64 or actions.ndim != 1:
            actions = _whole(actions, self.num_envs)
        self._native.step(actions)
        return self._now

    def sample_actions(self) -> NDArray[np.int64]:
        """An action drawn uniformly from the legal ones of each environment, int64 of shape ``(num_envs,)``.

        The draws follow from the seed. The array is written anew by each call.
        """
        return self._native.sample()

    def view(self, index: int) -> _troel.View:
        """What the seat to act of an environment knows, for bots."""
        return self._native.view(index)

    def game(self, index: int) -> _troel.Game:
        """A copy of an environment, to be played on by itself, as a search does."""
        return self._native.game(index)

    def __len__(self) -> int:
        return self.num_envs

    # A copy has arrays of its own.
    def __getstate__(self) -> _troel.SelfPlay:
        return self._native

    def __setstate__(self, native: _troel.SelfPlay) -> None:
        self._native = native
        self._now = _arrays(native)
        self.num_envs = len(native)


def _arrays(native: _troel.SelfPlay) -> Transition:
    return Transition(
        native.observations,
        native.masks,
        native.seats,
        native.rewards,
        native.dones,
        native.scores,
        native.full,
    )


def whole_action(action: Any) -> int:
    """The number of an action that was handed in.

    Raises:
        TypeError: It is no whole number.
    """
    try:
        return index(action)
    except TypeError:
        raise TypeError(
            f"action={action!r} is not a whole number: use the number of an action, 0 to {_troel.N_ACTIONS - 1}"
        ) from None


def _whole(actions: ArrayLike, n: int) -> NDArray[np.int64]:
    """Action numbers as int64 of shape ``(n,)``; what is no whole number is refused rather than rounded."""
    array = np.asarray(actions)
    if array.shape != (n,):
        raise ValueError(f"actions have shape {array.shape}; one for each environment is wanted, shape ({n},)")
    if array.dtype.kind not in "iu":
        raise ValueError(f"actions are whole numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)
