"""Colour whist as PettingZoo environments: ``troel.env`` (AEC) and ``troel.parallel_env``."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from . import _troel, pictures
from ._troel import Game, View
from .infos import deal_info
from .spaces import Observation, action_space, observation_space
from .vector import whole_action

SEATS = ["north", "east", "south", "west"]
_NUMBER = {agent: seat for seat, agent in enumerate(SEATS)}
RENDER_MODES = ["ansi", "rgb_array", "human"]


def env(
    rules: str = "luxembourg",
    match: bool = False,
    reward: str = "centred",
    render_mode: str | None = None,
    scenario: str = "any",
    illegal: str = "raise",
    infos: bool = True,
) -> AECEnv[str, Any, Any]:
    """The AEC environment with PettingZoo's usual wrappers, which refuse steps out of order and numbers that are no
    action (``AssertionError``); :func:`raw_env` is the one without.

    Args:
        rules: Rule set, or path of a rule file.
        match: Whether an episode is a match to the rule set's target rather than a deal.
        reward: ``"centred"`` (points less the mean of the four seats), ``"points"``, or ``"match"``.
        render_mode: ``"ansi"`` (text), ``"rgb_array"`` (an image, uint8 of shape ``(648, 900, 3)``), ``"human"`` (text on
            the terminal at every step), or ``None``.
        scenario: ``"any"`` for shuffled deals, or a kind of contract that some hand must suit, such as ``"misere"``.
        illegal: What becomes of an action that is not legal: ``"raise"`` (:class:`troel.IllegalAction`, and nothing
            changes), or ``"random"`` (a legal one is drawn in its place, which follows from the seed), for algorithms
            that know no masks.
        infos: Whether infos say something: ``"seat"``, ``"phase"``, ``"codes"`` of the legal
            actions, ``"totals"`` (match points by seat, int32 of shape ``(4,)``), and when a deal
            ended ``"scores"``, ``"tricks"``, ``"contract"``, ``"level"``, ``"trump"`` and
            ``"declarers"``, as in :class:`troel.OneSeatEnv`. ``False`` leaves them empty, for
            libraries that make tensors of all they find there (TorchRL).
    """
    made = raw_env(rules, match, reward, render_mode, scenario, illegal, infos)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


class _Table:
    """What both forms share: the game, and how it is shown."""

    metadata: dict[str, Any]

    def __init__(
        self,
        rules: str,
        match: bool,
        reward: str,
        render_mode: str | None,
        scenario: str,
        illegal: str,
        infos: bool,
    ) -> None:
        if illegal not in ("raise", "random"):
            raise ValueError(f'illegal={illegal!r}: use "raise" or "random"')
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode={render_mode!r}: use one of {RENDER_MODES} or None")
        self.possible_agents = list(SEATS)
        self.agents: list[str] = []
        self._has_begun = False
        self.render_mode = render_mode
        self.observation_spaces = {agent: observation_space() for agent in SEATS}
        self.action_spaces = {agent: action_space() for agent in SEATS}
        self.state_space = spaces.Box(-2.0, 2.0, (_troel.N_FULL_FEATURES,), np.float32)
        self.game = Game(rules, match=match, reward=reward, scenario=scenario)
        self._illegal = illegal
        self._has_infos = infos
        self._random = np.random.default_rng(0)

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.float32]:
        """All four hands from the point of view of the seat to act, float32 of shape ``(N_FULL_FEATURES,)``: for central
        critics, never for those who act."""
        return self.game.full_features()

    def view(self, agent: str) -> View:
        """What a seat knows, for Troel's own bots."""
        return self.game.view(_NUMBER[agent])

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table with all hands open: text, an image, or (``"human"``) text on the terminal."""
        if self.render_mode == "ansi":
            return self.game.text()
        if self.render_mode == "rgb_array":
            return pictures.rgb_array(self.game.text())
        if self.render_mode == "human":
            print(self.game.text(colours=True))
        return None

    def close(self) -> None:
        """Nothing is open."""

    def _begin(self, seed: int | None) -> None:
        if seed is None and not self._has_begun:
            # Without a seed, every environment has deals of its own.
            seed = int(np.random.default_rng().integers(2**63))
        self._has_begun = True
        self.game.reset(seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = list(SEATS)

    def _legal(self, action: Any) -> int:
        """The action to take for one that was handed in."""
        number = whole_action(action)
        if self._illegal == "random" and number not in (legal := self.game.legal):
            return int(self._random.choice(legal))
        return number

    def _infos(self, outcome: dict[str, Any] | None = None) -> dict[str, dict[str, Any]]:
        """Seat, phase, codes of the legal actions (none unless it is the seat's turn), match
        points, and what a deal that ended came to."""
        return {agent: self._info(seat, outcome) for seat, agent in enumerate(SEATS)}

    def _info(self, seat: int, outcome: dict[str, Any] | None = None) -> dict[str, Any]:
        if not self._has_infos:
            return {}
        game = self.game
        codes = game.codes if seat == game.turn else []
        totals = np.array(game.totals, np.int32)
        info = {"seat": seat, "phase": game.phase, "codes": codes, "totals": totals}
        return info if outcome is None else {**info, **deal_info(outcome)}


class raw_env(_Table, AECEnv[str, Any, Any]):  # type: ignore[misc]
    """The AEC environment without wrappers. See :func:`env`."""

    metadata = {
        "name": "troel_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: str = "luxembourg",
        match: bool = False,
        reward: str = "centred",
        render_mode: str | None = None,
        scenario: str = "any",
        illegal: str = "raise",
        infos: bool = True,
    ) -> None:
        AECEnv.__init__(self)
        _Table.__init__(self, rules, match, reward, render_mode, scenario, illegal, infos)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode: with the first deals of a seed if one is given, else with the next deals. There are no
        options; what others read is ignored."""
        self._begin(seed)
        self.rewards = dict.fromkeys(SEATS, 0.0)
        self._cumulative_rewards = dict.fromkeys(SEATS, 0.0)
        self.terminations = dict.fromkeys(SEATS, False)
        self.truncations = dict.fromkeys(SEATS, False)
        self.infos = self._infos()
        self.agent_selection = SEATS[self.game.turn]

    def observe(self, agent: str) -> Observation:
        """What a seat knows; its mask is all 0 unless it is its turn."""
        return Observation(self.game.view(_NUMBER[agent]))

    def step(self, action: Any) -> None:
        """Takes an action for the agent selected.

        Raises:
            IllegalAction: It is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act, and got None for an action")
        rewards, deal_over, done, outcome = self.game.step(self._legal(action))
        self._cumulative_rewards[agent] = 0.0
        if deal_over:
            self.rewards = dict(zip(SEATS, rewards))
        elif any(self.rewards.values()):
            self.rewards = dict.fromkeys(SEATS, 0.0)
        if done:
            self.terminations = dict.fromkeys(SEATS, True)
        turn = self.game.turn
        self.agent_selection = SEATS[turn] if not done else agent
        if deal_over:
            self.infos = self._infos(outcome)
            self._accumulate_rewards()
        else:
            # Of the two whose turn it was and is; what the others know of phases waits until then.
            self.infos[agent] = self._info(_NUMBER[agent])
            self.infos[SEATS[turn]] = self._info(turn)
        if done:
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()


class parallel_env(_Table, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """The parallel form: all seats observe and hand in an action at every step; only that of the seat to act counts,
    the others' masks are all 0. See :func:`env` for the arguments."""

    metadata = {"name": "troel_v0", "render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        rules: str = "luxembourg",
        match: bool = False,
        reward: str = "centred",
        render_mode: str | None = None,
        scenario: str = "any",
        illegal: str = "raise",
        infos: bool = True,
    ) -> None:
        _Table.__init__(self, rules, match, reward, render_mode, scenario, illegal, infos)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Starts an episode: with the first deals of a seed if one is given, else with the next deals. There are no
        options; what others read is ignored."""
        self._begin(seed)
        return self._observations(), self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Takes the action of the seat to act; those of the others are ignored.

        Raises:
            IllegalAction: It is not legal; nothing has changed.
            ValueError: There is none, or the episode is over.
        """
        if not self.agents:
            raise ValueError("the episode is over; call reset() to start the next")
        turn = SEATS[self.game.turn]
        if turn not in actions:
            raise ValueError(f"{turn} is to act, and has no action")
        rewards, _, done, outcome = self.game.step(self._legal(actions[turn]))
        result = (
            self._observations(),
            dict(zip(SEATS, rewards)),
            dict.fromkeys(SEATS, done),
            dict.fromkeys(SEATS, False),
            self._infos(outcome),
        )
        if done:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return result

    def _observations(self) -> dict[str, Observation]:
        return {agent: Observation(self.game.view(seat)) for seat, agent in enumerate(SEATS)}
