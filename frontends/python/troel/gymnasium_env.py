"""Colour whist as Gymnasium environments: one seat learns, and bots play at the other three."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from . import _troel
from ._troel import View
from .agents import BotLike, native_bots
from .infos import Ended, deal_info, deal_infos
from .pictures import RENDER_MODES, check_render_mode, render
from .spaces import (
    Observation,
    action_space,
    check_illegal,
    features_space,
    observation_space,
)
from .vector import whole_action, whole_actions

#: The seats of the bots, as the learner sees them.
_OTHER_SEATS = ("to the left", "opposite", "to the right")

_AUTORESET = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}


def _rows(deals: Ended, where: NDArray[np.bool_]) -> Ended:
    """Returns the ended deals of the environments in ``where``."""
    ended, numbers, contracts = deals
    numbers = {name: np.where(where[:, None], rows, 0) for name, rows in numbers.items()}
    contracts = [one for one, is_there in zip(contracts, where[ended]) if is_there]
    return ended & where, numbers, contracts


class OneSeatEnv(gymnasium.Env[Any, np.int64]):
    """One seat learns, and bots play at the other three. An episode is a deal, or a match.

    Observations are dicts of ``"observation"`` (features, float32 of shape ``(N_FEATURES,)``) and
    ``"action_mask"`` (int8 of shape ``(N_ACTIONS,)``), or with ``flat=True`` the features alone.
    MaskablePPO of sb3-contrib calls :meth:`action_masks`.

    ``info`` is flat, and each key has one type:

    - ``"seat"``: int
    - ``"phase"``: str
    - ``"codes"``: list of the codes of the legal actions
    - ``"action_mask"``: as in the observation

    When a deal ended, it also has:

    - ``"scores"``, ``"tricks"``, ``"totals"``: points, tricks and match points by seat, int32 of
      shape ``(4,)``
    - ``"contract"``, ``"trump"``, ``"declarers"``: str, empty if there is none
    - ``"level"``: int, 0 if there is none

    Environments can be copied (``copy.deepcopy``) and pickled, if their bots can. The copy
    continues as the original would. A bot that is another program (``bot:COMMAND``) is restarted.

    An illegal action raises :class:`troel.IllegalAction` and changes nothing. With
    ``illegal="random"`` a random legal action replaces it, for algorithms without action masks.

    >>> env = OneSeatEnv("luxembourg", bots="rules")
    >>> observation, info = env.reset(seed=1)
    >>> legal = np.flatnonzero(observation["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(legal[0])

    Args:
        rules: Rule set, or path of a rule file.
        bots: Bots of the other seats: one bot, or three (to the left, opposite, to the right). See
            :data:`troel.agents.BotLike`.
        seat: The learner's seat: 0 to 3, a letter of NESW, or a name such as ``"south"``.
        match: Whether an episode is a match to the rule set's target rather than a deal.
        reward: ``"centred"`` (points minus the mean of the four seats), ``"points"``, or
            ``"match"``.
        scenario: ``"any"`` for shuffled deals, or a kind of contract that suits at least one hand,
            such as ``"misere"``.
        flat: Whether observations are the features alone.
        illegal: ``"raise"`` or ``"random"``.
        canonical_suits: Whether features, masks and action numbers in card play have the suits in
            canonical order, so that positions that differ only in the names of suits look equal.
            Codes and views keep the real suits; :meth:`troel.View.real_action` translates.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``.

    Raises:
        ValueError: An argument is not usable. The message has the remedy.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        rules: str = "luxembourg",
        bots: BotLike | Sequence[BotLike] = "rules",
        *,
        seat: int | str = "S",
        match: bool = False,
        reward: str = "centred",
        scenario: str = "any",
        flat: bool = False,
        illegal: str = "raise",
        canonical_suits: bool = False,
        render_mode: str | None = None,
    ) -> None:
        check_illegal(illegal)
        check_render_mode(render_mode)
        if seat is None:
            raise ValueError(
                "seat=None is for vectors of environments: use 0 to 3, a letter of NESW, or a name "
                'such as "south"'
            )
        self._native = _troel.OneSeat(
            1,
            rules,
            native_bots(bots, _OTHER_SEATS),
            seat=seat,
            match=match,
            reward=reward,
            scenario=scenario,
            seed=0,
            autoreset="disabled",
            canonical_suits=canonical_suits,
        )
        self._flat = flat
        self._canonical_suits = canonical_suits
        self._illegal = illegal
        self._is_over = True
        self._has_begun = False
        self.render_mode = render_mode
        self.observation_space = features_space() if flat else observation_space()
        self.action_space = action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode.

        It has the next deal, or with a seed the first deal of the seed and new instances of the
        bots.
        """
        super().reset(seed=seed)
        for key in options or {}:
            raise ValueError(f"options has {key!r}: this environment takes no options")
        if seed is None and not self._has_begun:
            # Without a seed, each environment has different deals.
            seed = int(self.np_random.integers(2**63))
        self._has_begun = True
        self._native.reset(seed)
        self._is_over = False
        if self.render_mode == "human":
            self.render()
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes the learner's action, and those of the bots until it is the learner's turn again.

        Raises:
            IllegalAction: The action is not legal (with ``illegal="raise"``). Nothing has changed.
            ValueError: The episode is over.
        """
        if self._is_over:
            raise ValueError("there is no episode in progress: call reset() to start one")
        action = whole_action(action)
        legal = self._native.masks[0]
        if self._illegal == "random" and not (0 <= action < len(legal) and legal[action]):
            action = int(self.np_random.choice(np.flatnonzero(legal)))
        self._native.step(np.array([action], np.int64))
        self._is_over = bool(self._native.dones[0])
        reward = float(self._native.rewards[0])
        if self.render_mode == "human":
            self.render()
        observation, info = self._seen()
        return observation, reward, self._is_over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the mask of legal actions, bool of shape ``(N_ACTIONS,)``, for MaskablePPO."""
        mask: NDArray[np.bool_] = self._native.masks[0].copy()
        return mask

    def view(self) -> View:
        """Returns the view of the learner, for Troel's bots."""
        return self._native.view(0)

    def render(self) -> Any:
        """Renders the table as the learner sees it: as text, as an image, or on the terminal."""
        return render(self.view(), self.render_mode)

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        """Returns the observation and the info."""
        view = self.view()
        info: dict[str, Any] = {
            "seat": view.seat,
            "phase": view.phase,
            "codes": view.codes,
            "action_mask": self._native.masks[0].astype(np.int8),
        }
        outcome = self._native.outcome(0)
        if outcome is not None:
            info.update(deal_info(outcome))
        if self._flat:
            return self._native.observations[0].copy(), info
        return Observation(view, self._canonical_suits), info


class OneSeatVectorEnv(VectorEnv[Any, Any, Any]):
    """Many environments in which one seat learns and bots play at the other three.

    They step in parallel on all cores, without the interpreter lock. Environment i plays deals i,
    i + n, i + 2n, … of the seed.

    Observations are dicts of ``"observation"`` (float32 of shape ``(num_envs, N_FEATURES)``) and
    ``"action_mask"`` (int8 of shape ``(num_envs, N_ACTIONS)``), or with ``flat=True`` the features
    alone. With ``copy=False``, the next step overwrites the arrays.

    ``metadata["autoreset_mode"]`` determines when the next episode follows a finished one:

    - ``NEXT_STEP``: with the next step, whose action is ignored
    - ``SAME_STEP``: at once; ``info["final_obs"]`` has the last observations
    - ``DISABLED``: with ``reset(options={"reset_mask": …})``

    When deals ended, ``infos`` has the keys of :class:`OneSeatEnv`, with a row for each
    environment. For example, ``infos["scores"]`` has the points by seat, int32 of shape
    ``(num_envs, 4)``, and ``infos["_scores"]`` marks the environments in which a deal ended. With
    ``SAME_STEP``, ``infos["final_info"]`` has the same keys for the episodes that ended.

    Vectors can be copied (``copy.deepcopy``) and pickled like single environments. Only one thread
    at a time may use a vector: a call from another thread during a step raises ``RuntimeError``.

    >>> envs = OneSeatVectorEnv(8, "wiezen", bots="rules")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.sample_actions())

    Args:
        num_envs: Number of environments.
        rules: Rule set, or path of a rule file.
        bots: Bots of the other seats: one bot, or three (to the left, opposite, to the right).
        seat: The learner's seat; with ``None``, environment i learns seat i modulo 4.
        match: Whether an episode is a match to the rule set's target rather than a deal.
        reward: ``"centred"`` (points minus the mean of the four seats), ``"points"``, or
            ``"match"``.
        scenario: ``"any"`` for shuffled deals, or a kind of contract that suits at least one hand,
            such as ``"misere"``.
        flat: Whether observations are the features alone.
        illegal: ``"raise"``, or ``"random"`` to replace an illegal action by a random legal one.
        canonical_suits: Whether features, masks and action numbers in card play have the suits in
            canonical order, so that positions that differ only in the names of suits look equal.
            Views keep the real suits; :meth:`troel.View.real_action` translates.
        autoreset_mode: Time at which the next episode follows a finished one.
        copy: Whether observations are copied.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str = "luxembourg",
        bots: BotLike | Sequence[BotLike] = "rules",
        *,
        seat: int | str | None = "S",
        match: bool = False,
        reward: str = "centred",
        scenario: str = "any",
        flat: bool = False,
        illegal: str = "raise",
        canonical_suits: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(
                "render_mode: a vector of environments cannot be rendered; use OneSeatEnv"
            )
        check_illegal(illegal)
        modes = {mode.value: mode for mode in AutoresetMode}
        modes.update((name, mode) for mode, name in _AUTORESET.items())
        mode = (
            autoreset_mode
            if isinstance(autoreset_mode, AutoresetMode)
            else modes.get(autoreset_mode)
        )
        if mode is None:
            names = list(_AUTORESET.values())
            raise ValueError(f"autoreset_mode={autoreset_mode!r}: use one of {names}")
        self._native = _troel.OneSeat(
            num_envs,
            rules,
            native_bots(bots, _OTHER_SEATS),
            seat=seat,
            match=match,
            reward=reward,
            scenario=scenario,
            seed=0,
            autoreset=_AUTORESET[mode],
            canonical_suits=canonical_suits,
        )
        self._flat = flat
        self._copy = copy
        self._illegal = illegal
        self._mode = mode
        self._has_begun = False
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.render_mode = None
        self.single_observation_space = features_space() if flat else observation_space()
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | NDArray[np.integer[Any]] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes.

        They have the next deals, or with a seed the first deals of the seed and new instances of
        the bots. In mode ``DISABLED``, ``options={"reset_mask": …}`` (bool of shape
        ``(num_envs,)``) selects the environments to reset.

        ``seed`` can be a sequence with one seed or ``None`` for each environment. An environment
        then starts with the first deal of ``OneSeatEnv.reset`` with its seed, or with its next
        deal. The first seed determines the random draws of all bots.
        """
        options = dict(options or {})
        which = options.pop("reset_mask", None)
        if which is not None and self._mode is not AutoresetMode.DISABLED:
            raise ValueError(
                "reset_mask: finished episodes are reset automatically here; use it with "
                "autoreset_mode=AutoresetMode.DISABLED"
            )
        for key in options:
            raise ValueError(f'options has {key!r}: this environment takes "reset_mask" only')
        first, seeds = self._seeds(seed)
        super().reset(seed=first)
        if which is not None:
            which = np.ascontiguousarray(which)
            if which.dtype != np.bool_ or which.shape != (self.num_envs,) or not which.any():
                raise ValueError(
                    f"reset_mask must be an array of {self.num_envs} bool, at least one of them "
                    "True; leave it out to reset all environments"
                )
        if not self._has_begun:
            # Without a seed, each environment has different deals.
            if seeds is not None:
                draw = self.np_random.integers
                seeds = [int(draw(2**63)) if one is None else one for one in seeds]
            elif first is None:
                first = int(self.np_random.integers(2**63))
        self._has_begun = True
        self._native.reset(first if seeds is None else None, which, seeds)
        return self._observations(), self._infos()

    def _seeds(self, seed: Any) -> tuple[int | None, list[int | None] | None]:
        """Returns the seed of all random draws, and those of the environments if given."""
        try:
            if seed is None or isinstance(seed, SupportsIndex) and not isinstance(seed, np.ndarray):
                return (None if seed is None else index(seed)), None
            seeds = [None if one is None else index(one) for one in seed]
        except TypeError:
            raise TypeError(
                f"seed={seed!r}: use a whole number, or a sequence with one or None for each "
                "environment"
            ) from None
        if len(seeds) != self.num_envs:
            raise ValueError(
                f"seed has {len(seeds)} entries: give one for each of {self.num_envs} environments"
            )
        return next((one for one in seeds if one is not None), None), seeds

    def step(
        self, actions: ArrayLike
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Takes one action of each learner, and those of the bots until the learners are to act.

        Raises:
            IllegalAction: An action is not legal. The message names the environment; no environment
                has stepped.
            ValueError: In mode ``DISABLED``, an episode is over and was not reset.
        """
        if self._mode is AutoresetMode.DISABLED and self._native.dones.any():
            over = np.flatnonzero(self._native.dones).tolist()
            raise ValueError(
                f"the episodes of environments {over} are over: reset them with "
                'reset(options={"reset_mask": …}) first'
            )
        self._native.step(self._legal(whole_actions(actions, self.num_envs)))
        infos = self._infos()
        terminated = self._native.dones.copy()
        deals = self._native.ended()
        if deals is not None:
            infos.update(deal_infos(*deals))
        if self._mode is AutoresetMode.SAME_STEP and terminated.any():
            infos["final_obs"] = self._finals(terminated)
            infos["_final_obs"] = terminated.copy()
            infos["final_info"] = {} if deals is None else deal_infos(*_rows(deals, terminated))
            infos["_final_info"] = terminated.copy()
        return (
            self._observations(),
            self._native.rewards.copy(),
            terminated,
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws a legal action of each learner uniformly, int64 of shape ``(num_envs,)``.

        It is 0 if the episode is over. The seed determines the draws.
        """
        return self._native.sample().copy()

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the masks of legal actions, bool of shape ``(num_envs, N_ACTIONS)``.

        A mask is all false once its episode is over.
        """
        return self._native.masks.copy()

    def view(self, index: int) -> View:
        """Returns the view of the learner of an environment, for Troel's bots."""
        return self._native.view(index)

    def learner(self, index: int) -> int:
        """Returns the seat that learns in an environment, 0 to 3."""
        return self._native.learner(index)

    def _observations(self) -> Any:
        features, masks = self._native.observations, self._native.masks.view(np.int8)
        if self._copy:
            features, masks = features.copy(), masks.copy()
        return features if self._flat else {"observation": features, "action_mask": masks}

    def _legal(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the actions to take for the given ones."""
        if self._illegal == "raise":
            return actions
        exist = (actions >= 0) & (actions < _troel.N_ACTIONS)
        chosen = np.where(exist, actions, 0)
        is_legal = exist & self._native.masks[np.arange(self.num_envs), chosen]
        return np.where(is_legal, chosen, self._native.sample())

    def _infos(self) -> dict[str, Any]:
        if not self._flat:
            return {}
        masks = self._native.masks.view(np.int8).copy()
        return {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}

    def _finals(self, terminated: NDArray[np.bool_]) -> NDArray[np.object_]:
        finals = np.full(self.num_envs, None, dtype=object)
        native = self._native.finals
        if native is None:
            return finals
        for index in np.flatnonzero(terminated):
            row = native[index].copy()
            mask = np.zeros(_troel.N_ACTIONS, np.int8)
            finals[index] = row if self._flat else {"observation": row, "action_mask": mask}
        return finals
