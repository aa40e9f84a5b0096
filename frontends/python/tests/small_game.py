"""Small rule files as OpenSpiel games, and NashConv of a Troel bot by OpenSpiel's own algorithms.

    python small_game.py RULES BOT

prints what ``exploitability.nash_conv`` of OpenSpiel finds next to what ``troel nashconv`` does. It takes the program
from ``TROEL_PROGRAM`` or from the path.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
import troel
from open_spiel.python import policy as openspiel_policy
from open_spiel.python.algorithms import exploitability
from troel import _troel

_LETTERS = "NESW"
#: The dealer of ``troel nashconv``.
_DEALER = 3
_SUITS = "SHDC"

#: Deals and rule files of games by number. States hold only the number, because they are cloned by
#: deep copies.
_GAMES: list[tuple[str, list[dict[str, Any]]]] = []


class SmallGame(pyspiel.Game):  # type: ignore[misc]
    """A deal of a small rule file: one chance node, uniform over all deals, then the four players."""

    def __init__(self, rules: str) -> None:
        spec = _troel.rules(rules)
        deals = list(_deals(spec))
        self._number = len(_GAMES)
        _GAMES.append((rules, deals))
        kinds = pyspiel.GameType
        kind = kinds(
            short_name=f"small_{self._number}",
            long_name=spec["id"],
            dynamics=kinds.Dynamics.SEQUENTIAL,
            chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
            information=kinds.Information.IMPERFECT_INFORMATION,
            utility=kinds.Utility.GENERAL_SUM,
            reward_model=kinds.RewardModel.TERMINAL,
            max_num_players=4,
            min_num_players=4,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=False,
            provides_observation_tensor=False,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=troel.N_ACTIONS,
            max_chance_outcomes=len(deals),
            num_players=4,
            min_utility=-1000.0,
            max_utility=1000.0,
            max_game_length=100,
        )
        super().__init__(kind, info, {})

    def new_initial_state(self) -> SmallState:
        return SmallState(self, self._number)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> None:
        return None


class SmallState(pyspiel.State):  # type: ignore[misc]
    """The deal is drawn first; then a :class:`troel.Game` goes on."""

    def __init__(self, game: SmallGame, number: int) -> None:
        super().__init__(game)
        self._number = number
        self._table: troel.Game | None = None
        self._rewards = b""

    def current_player(self) -> int:
        if self._table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._rewards else self._table.turn

    def is_terminal(self) -> bool:
        return bool(self._rewards)

    def returns(self) -> list[float]:
        return np.frombuffer(self._rewards).tolist() if self._rewards else [0.0] * 4

    def chance_outcomes(self) -> list[tuple[int, float]]:
        count = len(_GAMES[self._number][1])
        return [(deal, 1.0 / count) for deal in range(count)]

    def view(self, player: int) -> troel.View:
        assert self._table is not None
        return self._table.view(player)

    def information_state_string(self, player: int | None = None) -> str:
        player = self.current_player() if player is None else player
        return f"{_LETTERS[player]} {json.dumps(self.view(player).record(), sort_keys=True)}"

    def _legal_actions(self, player: int) -> list[int]:
        return self._table.legal if self._table else []

    def _apply_action(self, action: int) -> None:
        if self._table is None:
            rules, deals = _GAMES[self._number]
            self._table = _troel.Game.of_record(deals[action], reward="points", rules=rules)
            return
        rewards, _, is_over, _ = self._table.step(action)
        if is_over:
            self._rewards = np.array(rewards, np.float64).tobytes()

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def __str__(self) -> str:
        return self.history_str()


class BotPolicy(openspiel_policy.Policy):  # type: ignore[misc]
    """The policy of a Troel bot; the action of a bot without one."""

    def __init__(self, game: SmallGame, rules: str, bot: str) -> None:
        super().__init__(game, list(range(4)))
        self._agent = troel.load(bot, rules)._native
        self._known: dict[str, dict[int, float]] = {}

    def action_probabilities(self, state: SmallState, player_id: int | None = None) -> dict[int, float]:
        key = state.information_state_string()
        if key not in self._known:
            action, _, _, policy = self._agent.decide_views([state.view(state.current_player())])[0]
            total = sum(policy.values())
            self._known[key] = {a: p / total for a, p in policy.items()} if policy else {action: 1.0}
        return self._known[key]


def _deals(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All deals as game records; with a turn-up, one for each card of the dealer."""
    deck = [rank + suit for suit in _SUITS for rank in spec["ranks"]]
    size = len(spec["ranks"])
    for hands in _split(deck, size, 4):
        written = [
            ".".join("".join(r for r in spec["ranks"] if r + suit in hand) for suit in _SUITS) for hand in hands
        ]
        record = {
            "rules": spec["id"],
            "dealer": _LETTERS[_DEALER],
            "deal": "N:" + " ".join(written),
            "actions": [],
        }
        if spec["family"] != "turn-up":
            yield record
            continue
        for card in hands[_DEALER]:
            yield record | {"turn_up": card}


def _split(cards: list[str], size: int, seats: int) -> Iterator[list[tuple[str, ...]]]:
    if seats == 0:
        yield []
        return
    for hand in itertools.combinations(cards, size):
        rest = [card for card in cards if card not in hand]
        for others in _split(rest, size, seats - 1):
            yield [hand, *others]


def by_openspiel(rules: str, bot: str) -> tuple[float, list[float]]:
    """NashConv and the gain of each player."""
    game = SmallGame(rules)
    found = exploitability.nash_conv(game, BotPolicy(game, rules, bot), return_only_nash_conv=False)
    return float(found.nash_conv), [float(gain) for gain in found.player_improvements]


def by_troel(program: str, rules: str, bot: str) -> tuple[float, list[float]]:
    """The same by ``troel nashconv``."""
    command = [program, "nashconv", bot, "--rules", rules, "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found["nash_conv"], [seat["gain"] for seat in found["seats"]]


def main() -> None:
    rules, bot = sys.argv[1:]
    program = os.environ.get("TROEL_PROGRAM", "troel")
    for name, (conv, gains) in {
        "troel": by_troel(program, rules, bot),
        "OpenSpiel": by_openspiel(rules, bot),
    }.items():
        print(f"{name:<9} NashConv {conv:.6f}, gains " + " ".join(f"{gain:.6f}" for gain in gains))


if __name__ == "__main__":
    main()
