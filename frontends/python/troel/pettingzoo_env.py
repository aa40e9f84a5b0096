"""Colour whist as PettingZoo environments: ``troel.env`` (AEC) and ``troel.parallel_env``."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from . import _troel
from ._troel import Game, View
from .infos import deal_info
from .pictures import RENDER_MODES, check_render_mode, render
from .seats import SEATS
from .spaces import (
    Observation,
    action_space,
    check_canonical_suits,
    check_illegal,
    observation_space,
)
from .vector import whole_action

_NUMBER = {agent: seat for seat, agent in enumerate(SEATS)}


def env(
    rules: str = "luxembourg",
    match: bool = False,
    reward: str = "centred",
    render_mode: str | None = None,
    scenario: str = "any",
    illegal: str = "raise",
    infos: bool = True,
    canonical_suits: bool = False,
) -> AECEnv[str, Any, Any]:
    """Returns the AEC environment with PettingZoo's usual wrappers.

    They refuse steps out of order and numbers that are not actions (``AssertionError``).
    :func:`raw_env` has no wrappers.

    Args:
        rules: Rule set, or path of a rule file.
        match: Whether an episode is a match to the rule set's target rather than a deal.
        reward: ``"centred"`` (points minus the mean of the four seats), ``"points"``, or
            ``"match"``.
        render_mode: ``"ansi"`` (text), ``"rgb_array"`` (an image, uint8 of shape
            ``(648, 900, 3)``), ``"human"`` (text on the terminal at each step), or ``None``.
        scenario: ``"any"`` for shuffled deals, or a kind of contract that suits at least one hand,
            such as ``"misere"``.
        illegal: Effect of an illegal action: ``"raise"`` (:class:`troel.IllegalAction`; nothing
            changes), or ``"random"`` (a random legal action, which the seed determines, replaces
            it), for algorithms without action masks.
        infos: Whether infos have content: ``"seat"``, ``"phase"``, ``"codes"`` of the legal actions
            and ``"totals"`` (match points by seat, int32 of shape ``(4,)``). When a deal ended,
            also ``"scores"``, ``"tricks"``, ``"contract"``, ``"level"``, ``"trump"`` and
            ``"declarers"``, as in :class:`troel.OneSeatEnv`. ``False`` leaves infos empty, for
            libraries that turn all infos into tensors (TorchRL).
        canonical_suits: Whether features, masks and action numbers in card play have the suits in
            canonical order, so that positions that differ only in the names of suits look equal.
            Codes and views keep the real suits; :meth:`troel.View.real_action` translates.
    """
    made = raw_env(rules, match, reward, render_mode, scenario, illegal, infos, canonical_suits)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


class _Table:
    """The game and its rendering, for both kinds of environments."""

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
        canonical_suits: bool,
    ) -> None:
        check_illegal(illegal)
        check_canonical_suits(canonical_suits)
        check_render_mode(render_mode)
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
        self._canonical_suits = canonical_suits
        self._random = np.random.default_rng(0)

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.float32]:
        """Returns full information with all four hands, for central critics, never for agents.

        It is float32 of shape ``(N_FULL_FEATURES,)``, from the point of view of the seat to act.
        """
        return self.game.full_features(canonical_suits=self._canonical_suits)

    def view(self, agent: str) -> View:
        """Returns the view of a seat, for Troel's bots."""
        return self.game.view(_NUMBER[agent])

    def render(self) -> str | NDArray[np.uint8] | None:
        """Renders the table with all hands open: as text, as an image, or on the terminal."""
        return render(self.game, self.render_mode)

    def close(self) -> None:
        """Does nothing, because nothing is open."""

    def _begin(self, seed: int | None) -> None:
        if seed is None and not self._has_begun:
            # Without a seed, each environment has different deals.
            seed = int(np.random.default_rng().integers(2**63))
        self._has_begun = True
        self.game.reset(seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = list(SEATS)

    def _legal(self, action: Any) -> int:
        """Returns the action to take for the given one."""
        number = whole_action(action)
        if self._illegal == "random" and number not in (legal := self._legal_numbers()):
            return int(self._random.choice(legal))
        return number

    def _legal_numbers(self) -> list[int]:
        """Returns the numbers of the legal actions, in the suits of the observations."""
        legal = self.game.legal
        if not self._canonical_suits:
            return legal
        view = self.game.view()
        return [view.canonical_action(action) for action in legal]

    def _step(self, action: Any) -> tuple[Any, bool, bool, Any]:
        """Takes an action in the suits of the observations, as ``Game.step`` does."""
        return self.game.step(self._legal(action), canonical_suits=self._canonical_suits)

    def _observation(self, seat: int) -> Observation:
        return Observation(self.game.view(seat), self._canonical_suits)

    def _infos(self, outcome: dict[str, Any] | None = None) -> dict[str, dict[str, Any]]:
        """Returns the infos of all seats.

        They have the seat, the phase, the codes of the legal actions, the match points, and the
        outcome of a deal that ended. There are no codes unless it is the seat's turn.
        """
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
        canonical_suits: bool = False,
    ) -> None:
        AECEnv.__init__(self)
        _Table.__init__(
            self, rules, match, reward, render_mode, scenario, illegal, infos, canonical_suits
        )

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode with the next deals, or with the first deals of a seed if one is given.

        There are no options; those of other environments are ignored.
        """
        self._begin(seed)
        self.rewards = dict.fromkeys(SEATS, 0.0)
        self._cumulative_rewards = dict.fromkeys(SEATS, 0.0)
        self.terminations = dict.fromkeys(SEATS, False)
        self.truncations = dict.fromkeys(SEATS, False)
        self.infos = self._infos()
        self.agent_selection = SEATS[self.game.turn]

    def observe(self, agent: str) -> Observation:
        """Returns the observation of a seat; its mask is all 0 unless it is the seat's turn."""
        return self._observation(_NUMBER[agent])

    def step(self, action: Any) -> None:
        """Takes an action of the selected agent.

        Raises:
            IllegalAction: The action is not legal. Nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act, and the action is None: use an action number")
        rewards, deal_over, done, outcome = self._step(action)
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
            # The infos of the other two seats are updated at the latest when it is their turn.
            self.infos[agent] = self._info(_NUMBER[agent])
            self.infos[SEATS[turn]] = self._info(turn)
        if done:
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()


class parallel_env(_Table, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """The parallel environment: all seats observe and act at each step.

    Only the action of the seat to act counts; the masks of the others are all 0. See :func:`env`
    for the arguments.
    """

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
        canonical_suits: bool = False,
    ) -> None:
        _Table.__init__(
            self, rules, match, reward, render_mode, scenario, illegal, infos, canonical_suits
        )

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Starts an episode with the next deals, or with the first deals of a seed if one is given.

        There are no options; those of other environments are ignored.
        """
        self._begin(seed)
        return self._observations(), self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Takes the action of the seat to act, and ignores those of the others.

        Raises:
            IllegalAction: The action is not legal. Nothing has changed.
            ValueError: The seat to act has no action, or the episode is over.
        """
        if not self.agents:
            raise ValueError("the episode is over; call reset() to start the next")
        turn = SEATS[self.game.turn]
        if turn not in actions:
            raise ValueError(f"{turn} is to act, but actions has none for it")
        rewards, _, done, outcome = self._step(actions[turn])
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
        return {agent: self._observation(seat) for seat, agent in enumerate(SEATS)}
