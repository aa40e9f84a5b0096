"""Many deals that step together, with all four seats, for training by self-play."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _troel
from .agents import Agent
from .packed import shared_array


class Transition(NamedTuple):
    """Observations of the seats to act and results of the last step, a row for each environment.

    The arrays are views of the environment's arrays, which the next step overwrites. Copy them to
    keep them.
    """

    #: Features of the seat to act, float32 of shape ``(n, N_FEATURES)``, -2 to 2. With
    #: ``packed=True``, packed rows: uint8 of shape ``(n, PACKED_SIZE)``.
    observations: NDArray[np.float32] | NDArray[np.uint8]
    #: Masks of legal actions, bool of shape ``(n, N_ACTIONS)``.
    masks: NDArray[np.bool_]
    #: The seat to act, uint8 of shape ``(n,)``.
    seats: NDArray[np.uint8]
    #: Rewards of all seats, float32 of shape ``(n, 4)``; 0 except at the end of a deal.
    rewards: NDArray[np.float32]
    #: Whether an episode ended, bool of shape ``(n,)``. The row is then the start of the next one.
    dones: NDArray[np.bool_]
    #: Points of the deal that ended, int32 of shape ``(n, 4)``; zeros if none ended.
    scores: NDArray[np.int32]
    #: Full information with all four hands, for critics: float32 of shape
    #: ``(n, N_FULL_FEATURES)``, or packed rows: uint8 of shape ``(n, PACKED_FULL_SIZE)``. ``None``
    #: unless requested.
    full: NDArray[np.float32] | NDArray[np.uint8] | None
    #: Actions of the deal so far, int64 of shape ``(n, HISTORY_LENGTH)``:
    #: :meth:`troel.View.history_tokens`; ``None`` unless requested.
    history: NDArray[np.int64] | None


class SelfPlayVectorEnv:
    """``num_envs`` deals (or matches) that step together; every row is the seat to act.

    The next episode follows a finished one at once. Steps run in parallel on all cores, without the
    interpreter lock. Results do not depend on the number of threads, which ``RAYON_NUM_THREADS``
    sets. Only one thread of Python at a time may use an environment: a call from another thread
    during a step raises ``RuntimeError``.

    Environments can be copied (``copy.deepcopy``) and pickled. The copy continues as the original
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
        reward: ``"centred"`` (points minus the mean of the four seats), ``"points"``, or
            ``"match"`` (share of the match won, minus a quarter).
        scenario: ``"any"`` for shuffled deals, or a kind of contract that suits at least one hand,
            such as ``"misere"``.
        seed: Seed of all deals; environment i plays deals i, i + n, i + 2n, … of the seed. ``None``
            draws one.
        full: Whether to return full information, for critics.
        canonical_suits: Whether features, masks and action numbers in card play have the suits in
            canonical order, so that positions that differ only in the names of suits look equal.
            :meth:`troel.View.real_action` translates. ``sample_actions`` returns such numbers.
        packed: Whether observations are packed rows, which take a twentieth of the memory.
            :func:`troel.unpack` and :func:`troel.unpack_sparse` read them.
        buffers: Arrays that the environment writes into instead of its own, by the names of the
            fields of :class:`Transition`: numpy arrays or tensors on the CPU, such as pinned
            memory, contiguous, with the shape and type of the field. A copy of the environment has
            its own arrays.
        history: Whether to return the actions so far as tokens, for sequence models.

    Raises:
        ValueError: An argument is not usable. The message has the remedy.
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
        canonical_suits: bool = False,
        packed: bool = False,
        buffers: Mapping[str, Any] | None = None,
        history: bool = False,
    ) -> None:
        self._native = _troel.SelfPlay(
            num_envs,
            rules,
            match=match,
            reward=reward,
            scenario=scenario,
            seed=seed,
            full=full,
            canonical_suits=canonical_suits,
            packed=packed,
            buffers={
                name: shared_array(buffer, f"buffers[{name!r}]")
                for name, buffer in (buffers or {}).items()
            },
            history=history,
        )
        self._now = _arrays(self._native)
        self.num_envs = len(self._native)

    def observe(self) -> Transition:
        """Returns the current observations and the results of the last step."""
        return self._now

    def reset(self, seed: int | None = None) -> Transition:
        """Starts new episodes with the next deals, or with the first deals of a seed if given."""
        self._native.reset(seed)
        return self._now

    def step(self, actions: ArrayLike) -> Transition:
        """Takes one action in each environment.

        Args:
            actions: Action numbers of shape ``(num_envs,)``.

        Raises:
            IllegalAction: An action is not legal. The message names the environment; no environment
                has stepped.
        """
        if type(actions) is not np.ndarray or actions.dtype != np.int64 or actions.ndim != 1:
            actions = whole_actions(actions, self.num_envs)
        self._native.step(actions)
        return self._now

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws a legal action in each environment uniformly, int64 of shape ``(num_envs,)``.

        The seed determines the draws. Each call overwrites the array of the last one.
        """
        return self._native.sample()

    def act(self, bot: Agent, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Returns the actions of a bot for the seats to act, decided in one batch.

        Args:
            bot: A bot that :func:`troel.load` returned.
            rows: The environments, as numbers or as a mask of shape ``(num_envs,)``; ``None`` for
                all.

        Returns:
            Action numbers of these environments, int64 of shape ``(len(rows),)``.

        Raises:
            ValueError: The bot plays other rules, or a row is out of range.
        """
        return self._native.act(bot._native, self._numbers(rows))

    def policy(self, bot: Agent, rows: ArrayLike | None = None) -> NDArray[np.float32]:
        """Returns the policy of a bot for the seats to act, computed in one batch.

        Args:
            bot: A bot that :func:`troel.load` returned.
            rows: The environments, as for :meth:`act`.

        Returns:
            Probabilities of the actions by number, float32 of shape ``(len(rows), N_ACTIONS)``;
            each row sums to 1.

        Raises:
            ValueError: The bot plays other rules, or a row is out of range.
        """
        return self._native.policy(bot._native, self._numbers(rows))

    def view(self, index: int) -> _troel.View:
        """Returns the view of the seat to act in an environment, for bots."""
        return self._native.view(index)

    def game(self, index: int) -> _troel.Game:
        """Returns an independent copy of an environment, for example for a search."""
        return self._native.game(index)

    def _numbers(self, rows: ArrayLike | None) -> NDArray[np.int64]:
        if rows is None:
            return np.arange(self.num_envs)
        array = np.asarray(rows)
        if array.dtype == np.bool_ and array.shape == (self.num_envs,):
            return np.flatnonzero(array)
        is_whole = array.dtype.kind in "iu" and array.dtype != np.uint64
        if array.ndim != 1 or (array.size > 0 and not is_whole):
            raise ValueError(
                f"rows are {array.dtype} of shape {array.shape}: use numbers of environments, or "
                f"a mask of shape ({self.num_envs},)"
            )
        return np.ascontiguousarray(array, dtype=np.int64)

    def __len__(self) -> int:
        return self.num_envs

    # A copy has its own arrays.
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
        native.history,
    )


def whole_action(action: Any) -> int:
    """Returns an action as a whole number.

    Raises:
        TypeError: The action is not a whole number.
    """
    try:
        return index(action)
    except TypeError:
        raise TypeError(
            f"action={action!r} is not a whole number: use an action number, "
            f"0 to {_troel.N_ACTIONS - 1}"
        ) from None


def whole_actions(actions: ArrayLike, n: int) -> NDArray[np.int64]:
    """Returns action numbers as int64 of shape ``(n,)``. Raises an error instead of rounding."""
    array = np.asarray(actions)
    if array.shape != (n,):
        raise ValueError(
            f"actions have shape {array.shape}: give one for each environment, shape ({n},)"
        )
    # Large numbers of 64 bits without a sign would wrap.
    if array.dtype.kind not in "iu" or array.dtype == np.uint64:
        raise ValueError(f"actions are of type {array.dtype}: use whole numbers, such as int64")
    return np.ascontiguousarray(array, dtype=np.int64)
