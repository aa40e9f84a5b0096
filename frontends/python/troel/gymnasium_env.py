"""Colour whist as Gymnasium environments: one seat learns, bots hold the other three."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from . import _troel, pictures
from ._troel import View
from .agents import BotLike, native_bot
from .infos import Ended, deal_info, deal_infos
from .spaces import Observation, action_space, features_space, observation_space
from .vector import _whole, whole_action

_AUTORESET = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}
_ILLEGAL = ("raise", "random")
_RENDER_MODES = ["ansi", "rgb_array", "human"]


def _three(bots: BotLike | Sequence[BotLike]) -> list[Any]:
    if isinstance(bots, (list, tuple)):
        if len(bots) != 3:
            raise ValueError(
                f"bots has {len(bots)} entries: name one bot, or three (to the left, opposite, to the right)"
            )
        return [native_bot(bot) for bot in bots]
    return [native_bot(bots)] * 3  # type: ignore[arg-type]


def _rows(deals: Ended, where: NDArray[np.bool_]) -> Ended:
    """Of the deals that ended, those of some environments."""
    ended, numbers, contracts = deals
    numbers = {name: np.where(where[:, None], rows, 0) for name, rows in numbers.items()}
    return ended & where, numbers, [one for one, is_there in zip(contracts, where[ended]) if is_there]


class OneSeatEnv(gymnasium.Env[Any, np.int64]):
    """One seat learns; bots hold the other three. An episode is a deal, or a match.

    Observations are dicts of ``"observation"`` (features, float32 of shape ``(N_FEATURES,)``) and
    ``"action_mask"`` (int8 of shape ``(N_ACTIONS,)``), or with ``flat=True`` the features alone.
    :meth:`action_masks` is what MaskablePPO of sb3-contrib asks for. ``info`` is flat, and each key
    has one type: ``"seat"`` (int), ``"phase"`` (str), ``"codes"`` (list of the codes of the legal
    actions) and ``"action_mask"``; when a deal ended also ``"scores"``, ``"tricks"`` and
    ``"totals"`` (points, tricks and match points by seat, int32 of shape ``(4,)``), ``"contract"``,
    ``"trump"`` and ``"declarers"`` (str, empty where there is none) and ``"level"`` (int, 0 where
    there is none).

    Environments can be copied (``copy.deepcopy``) and pickled, with bots that can. The copy goes on
    as the original would; a bot that is another program (``bot:COMMAND``) starts again.

    An action that is not legal raises :class:`troel.IllegalAction` and changes nothing; with ``illegal="random"`` a legal
    one is drawn in its place, for algorithms that know no masks.

    >>> env = OneSeatEnv("luxembourg", bots="rules")
    >>> observation, info = env.reset(seed=1)
    >>> legal = np.flatnonzero(observation["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(legal[0])

    Args:
        rules: Rule set, or path of a rule file.
        bots: Who holds the other seats: one bot, or three (to the left, opposite, to the right). See
            :data:`troel.agents.BotLike`.
        seat: The learner's seat: 0 to 3, a letter of NESW, or a name such as ``"south"``.
        match: Whether an episode is a match to the rule set's target rather than a deal.
        reward: ``"centred"`` (points less the mean of the four seats), ``"points"``, or ``"match"``.
        scenario: ``"any"`` for shuffled deals, or a kind of contract that some hand must suit, such as ``"misere"``.
        flat: Whether observations are the features alone.
        illegal: ``"raise"`` or ``"random"``.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``.

    Raises:
        ValueError: An argument is not usable; the message says how it would be.
    """

    metadata = {"render_modes": _RENDER_MODES, "render_fps": 2}

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
        render_mode: str | None = None,
    ) -> None:
        if illegal not in _ILLEGAL:
            raise ValueError(f'illegal={illegal!r}: use "raise" or "random"')
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(f"render_mode={render_mode!r}: use one of {_RENDER_MODES} or None")
        if seat is None:
            raise ValueError('seat=None is for vectors of environments: use 0 to 3, a letter of NESW, or a name such as "south"')
        self._native = _troel.OneSeat(
            1,
            rules,
            _three(bots),
            seat=seat,
            match=match,
            reward=reward,
            scenario=scenario,
            seed=0,
            autoreset="disabled",
        )
        self._flat = flat
        self._illegal = illegal
        self._is_over = True
        self._has_begun = False
        self.render_mode = render_mode
        self.observation_space = features_space() if flat else observation_space()
        self.action_space = action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode: with the first deal of a seed and bots seated anew if one is given, else with the next
        deal."""
        super().reset(seed=seed)
        for key in options or {}:
            raise ValueError(f"options has {key!r}: this environment takes none")
        if seed is None and not self._has_begun:
            # Without a seed, every environment has deals of its own.
            seed = int(self.np_random.integers(2**63))
        self._has_begun = True
        self._native.reset(seed)
        self._is_over = False
        if self.render_mode == "human":
            self.render()
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes the learner's action, and then the bots' until it is the learner's turn again.

        Raises:
            IllegalAction: It is not legal (with ``illegal="raise"``); nothing has changed.
            ValueError: The episode is over.
        """
        if self._is_over:
            raise ValueError("there is no episode; call reset() to start one")
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
        """The legal actions, bool of shape ``(N_ACTIONS,)``, for MaskablePPO."""
        mask: NDArray[np.bool_] = self._native.masks[0].copy()
        return mask

    def view(self) -> View:
        """What the learner knows, for Troel's own bots."""
        return self._native.view(0)

    def render(self) -> Any:
        """The table as the learner sees it: text, an image, or (``"human"``) text on the terminal."""
        if self.render_mode == "ansi":
            return self.view().text()
        if self.render_mode == "rgb_array":
            return pictures.rgb_array(self.view().text())
        if self.render_mode == "human":
            print(self.view().text(colours=True))
        return None

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        """Observation and info."""
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
        return self._native.observations[0].copy() if self._flat else Observation(view), info


class OneSeatVectorEnv(VectorEnv[Any, Any, Any]):
    """Many environments in which one seat learns and bots hold the other three, stepped in parallel on all cores
    without the interpreter's lock. Environment i plays deals i, i + n, i + 2n, … of the seed.

    Observations are dicts of ``"observation"`` (float32 of shape ``(num_envs, N_FEATURES)``) and ``"action_mask"`` (int8
    of shape ``(num_envs, N_ACTIONS)``), or with ``flat=True`` the features alone. With ``copy=False`` the arrays are those
    that the next step writes anew.

    Finished episodes are followed by the next as ``metadata["autoreset_mode"]`` says: with ``NEXT_STEP`` by the step
    after it, whose action is ignored; with ``SAME_STEP`` at once, and ``info["final_obs"]`` holds the last observations;
    with ``DISABLED`` by ``reset(options={"reset_mask": …})``.

    Where deals ended, ``infos`` has the keys that :class:`OneSeatEnv` has then, with a row for each
    environment: ``infos["scores"]`` has their points, int32 of shape ``(num_envs, 4)`` by seat, and
    ``infos["_scores"]`` says where, and so on. With ``SAME_STEP``, ``infos["final_info"]`` has them
    of the episodes that ended.

    Vectors can be copied (``copy.deepcopy``) and pickled like single environments. They are for one
    thread at a time: a call from another thread during a step raises ``RuntimeError``.

    >>> envs = OneSeatVectorEnv(8, "wiezen", bots="rules")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.sample_actions())

    Args:
        num_envs: Number of environments.
        rules: Rule set, or path of a rule file.
        bots: Who holds the other seats: one bot, or three (to the left, opposite, to the right).
        seat: The learner's seat; ``None``: environment i learns seat i modulo 4.
        match: Whether an episode is a match to the rule set's target rather than a deal.
        reward: ``"centred"`` (points less the mean of the four seats), ``"points"``, or ``"match"``.
        scenario: ``"any"`` for shuffled deals, or a kind of contract that some hand must suit, such as ``"misere"``.
        flat: Whether observations are the features alone.
        illegal: ``"raise"``, or ``"random"`` to draw a legal action in place of one that is not.
        autoreset_mode: When a finished episode is followed by the next.
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
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError("render_mode: a vector of environments is not rendered; use OneSeatEnv")
        if illegal not in _ILLEGAL:
            raise ValueError(f'illegal={illegal!r}: use "raise" or "random"')
        modes = {**{mode.value: mode for mode in AutoresetMode}, **{name: mode for mode, name in _AUTORESET.items()}}
        mode = autoreset_mode if isinstance(autoreset_mode, AutoresetMode) else modes.get(autoreset_mode)
        if mode is None:
            raise ValueError(f"autoreset_mode={autoreset_mode!r}: use one of {list(_AUTORESET.values())}")
        self._native = _troel.OneSeat(
            num_envs,
            rules,
            _three(bots),
            seat=seat,
            match=match,
            reward=reward,
            scenario=scenario,
            seed=0,
            autoreset=_AUTORESET[mode],
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
        """Starts new episodes: with the first deals of a seed and bots seated anew if one is given,
        else with the next deals. With ``options={"reset_mask": …}`` (bool of shape ``(num_envs,)``)
        only those, in mode ``DISABLED``.

        With a sequence of seeds, one or ``None`` for each environment, an environment starts with
        the deals that ``OneSeatEnv.reset`` gives with its seed, or with its next deal; the first
        seed decides the draws of all bots."""
        options = dict(options or {})
        which = options.pop("reset_mask", None)
        if which is not None and self._mode is not AutoresetMode.DISABLED:
            raise ValueError("reset_mask is for autoreset_mode=AutoresetMode.DISABLED; here finished episodes reset themselves")
        for key in options:
            raise ValueError(f'options has {key!r}: this environment takes "reset_mask" only')
        first, seeds = self._seeds(seed)
        super().reset(seed=first)
        if which is not None:
            which = np.ascontiguousarray(which)
            if which.dtype != np.bool_ or which.shape != (self.num_envs,) or not which.any():
                raise ValueError(
                    f"reset_mask is an array of {self.num_envs} bool, of which at least one is True; without it all "
                    "environments are reset"
                )
        if not self._has_begun:
            # Without a seed, every environment has deals of its own.
            if seeds is not None:
                seeds = [int(self.np_random.integers(2**63)) if one is None else one for one in seeds]
            elif first is None:
                first = int(self.np_random.integers(2**63))
        self._has_begun = True
        self._native.reset(first if seeds is None else None, which, seeds)
        return self._observations(), self._infos()

    def _seeds(self, seed: Any) -> tuple[int | None, list[int | None] | None]:
        """The seed that decides all draws, and one for each environment if several were given."""
        try:
            if seed is None or isinstance(seed, SupportsIndex) and not isinstance(seed, np.ndarray):
                return (None if seed is None else index(seed)), None
            seeds = [None if one is None else index(one) for one in seed]
        except TypeError:
            raise TypeError(
                f"seed={seed!r}: use a whole number, or a sequence with one or None for each environment"
            ) from None
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed has {len(seeds)} entries: give one for each of {self.num_envs} environments")
        return next((one for one in seeds if one is not None), None), seeds

    def step(
        self, actions: ArrayLike
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Takes one action of each learner, and then the bots' until it is its turn again.

        Raises:
            IllegalAction: An action is not legal; the message names the environment. Nothing has stepped then.
            ValueError: In mode ``DISABLED``, an episode is over and was not reset.
        """
        if self._mode is AutoresetMode.DISABLED and self._native.dones.any():
            raise ValueError(
                f"the episodes of environments {np.flatnonzero(self._native.dones).tolist()} are over; reset them with "
                'reset(options={"reset_mask": …}) first'
            )
        self._native.step(self._legal(_whole(actions, self.num_envs)))
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
        """An action drawn uniformly from the learner's legal ones in each environment, int64 of shape ``(num_envs,)``; 0
        where the episode is over. The draws follow from the seed."""
        return self._native.sample().copy()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool of shape ``(num_envs, N_ACTIONS)``; none where the episode is over."""
        return self._native.masks.copy()

    def view(self, index: int) -> View:
        """What the learner of an environment knows, for Troel's own bots."""
        return self._native.view(index)

    def learner(self, index: int) -> int:
        """The seat that learns in an environment, 0 to 3."""
        return self._native.learner(index)

    def _observations(self) -> Any:
        features, masks = self._native.observations, self._native.masks.view(np.int8)
        if self._copy:
            features, masks = features.copy(), masks.copy()
        return features if self._flat else {"observation": features, "action_mask": masks}

    def _legal(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions to take for those that were handed in."""
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
