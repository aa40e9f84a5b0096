"""Colour whist as OpenSpiel games.

They are ``troel_luxembourg``, ``troel_horesca``, ``troel_wiezen`` and ``troel_iwwa``, and ``troel``
with the parameter ``rules``: a rule set or the path of a rule file.

Importing this module registers them, and so does :func:`register` (``troel.register_openspiel``):

>>> import pyspiel
>>> names = register()
>>> game = pyspiel.load_game("troel_wiezen", {"dealer": 2})
>>> game.num_players(), game.max_chance_outcomes()
(4, 52)
>>> misere = pyspiel.load_game("troel_luxembourg(scenario=misere,deals=1000)")
>>> misere.max_chance_nodes_in_history(), misere.max_chance_outcomes()
(1, 1000)

A game is one deal. Players are the seats, 0 to 3 for North, East, South and West.

By default the game starts with 52 chance nodes, which deal the cards one by one. Each is uniform
over the cards that are left, so that all deals are equally likely. The first card goes to the
dealer's left, and the last one to the dealer. The last card is the turn-up, if there is one.
(``iwwa`` shuffles only the first deal of a session. The game is such a first deal.) The outcome of
a chance node is the card with the same number.

With ``deals=N`` there is one chance node, uniform over the first N deals of a seed. The outcome is
the number of the deal. ``scenario`` needs this form.

Then the players act. Their actions are Troel's, 0 to ``N_ACTIONS - 1``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from . import _troel
from ._troel import N_ACTIONS, Game, View
from .openspiel_observers import (
    CODES,
    HIDDEN,
    LETTERS,
    PLAYED,
    ColourWhistObserver,
    PrivateObserver,
    PublicObserver,
    cards_of,
    pbn,
)

#: Parameters of a game with their default values.
PARAMETERS: dict[str, Any] = {
    "dealer": 0,
    "reward": "centred",
    "scenario": "any",
    "deals": 0,
    "seed": 1,
}

#: Maximum of the parameter ``deals``: OpenSpiel lists all outcomes of a chance node.
_MAX_DEALS = 1 << 20

_CHANCE = int(pyspiel.PlayerId.CHANCE)
_TERMINAL = int(pyspiel.PlayerId.TERMINAL)
_FLAGS = {"discard": HIDDEN, "play": PLAYED}


class ColourWhistGame(pyspiel.Game):  # type: ignore[misc]
    """A deal of colour whist. Each rule set is a subclass; ``pyspiel.load_game`` makes the games.

    Returns are points minus the mean of the four players' points, and sum to zero under every rule
    set. With ``reward="points"`` they are the points: zero-sum in ``wiezen`` and ``iwwa``,
    general-sum in ``luxembourg`` and ``horesca``.

    Args:
        params: ``"dealer"``: seat of the dealer, 0 to 3 (default: 0); the player to the left speaks
            first. ``"reward"``: ``"centred"`` (default) or ``"points"``. ``"deals"``: number of
            deals of the only chance node; 0 (default) to deal card by card. ``"seed"``: seed of
            these deals (default: 1). ``"scenario"``: ``"any"`` (default), or a kind of contract
            that suits at least one hand of each deal, such as ``"misere"``, as for
            :func:`troel.deals`. ``"rules"``, of ``troel`` only: a rule set or the path of a rule
            file.

    Raises:
        ValueError: A parameter is not usable. The message has the remedy.
    """

    #: The rule set; empty if it is a parameter.
    rules = ""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        settings = _parameters(self.rules) | dict(params or {})
        dealer, reward, deals = settings["dealer"], settings["reward"], settings["deals"]
        if dealer not in range(4):
            raise ValueError(f"dealer={dealer!r}: use a seat, 0 to 3 for N, E, S, W")
        if reward not in ("centred", "points"):
            raise ValueError(f'reward={reward!r}: use "centred" or "points"')
        if deals not in range(_MAX_DEALS + 1):
            raise ValueError(f"deals={deals!r}: use 0 to deal card by card, or 1 to {_MAX_DEALS}")
        if settings["seed"] < 0:
            raise ValueError(f"seed={settings['seed']}: use 0 or more")
        scenario = settings["scenario"]
        if scenario != "any" and deals == 0:
            raise ValueError(
                f"scenario={scenario}: its deals are drawn whole; use deals=N, such as deals=1000"
            )
        rules = self.rules or settings["rules"]
        _troel.deals(rules, 0, scenario=scenario)  # Refuses unknown rules and scenarios.
        spec = _troel.rules(rules)
        is_zero_sum = reward == "centred" or spec["scoring"] == "settlement"
        lowest, highest = _troel.reward_range(rules, reward)
        deck = _deck(spec.get("ranks"))
        self._chance_nodes = 1 if deals else len(deck)
        info = pyspiel.GameInfo(
            num_distinct_actions=N_ACTIONS,
            max_chance_outcomes=deals or max(deck) + 1,
            num_players=4,
            min_utility=lowest,
            max_utility=highest,
            utility_sum=0.0 if is_zero_sum else None,
            max_game_length=_troel.max_actions(rules),
        )
        super().__init__(_game_type(self.rules, is_zero_sum), info, settings)
        self._start = partial(
            ColourWhistState,
            rules=rules,
            dealer=dealer,
            reward=reward,
            source=(settings["seed"], deals, scenario),
            deck=deck,
        )

    def new_initial_state(self) -> ColourWhistState:
        """Returns the state before the first card is dealt."""
        return self._start(self)

    def max_chance_nodes_in_history(self) -> int:
        """Returns the number of chance nodes: one for each card, or one with ``deals``."""
        return self._chance_nodes

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Any = None
    ) -> ColourWhistObserver | PublicObserver | PrivateObserver:
        """Returns an observer, which writes the observations of a player.

        Args:
            iig_obs_type: Type of the observations in OpenSpiel's terms: with perfect recall
                (information states) or without (the default), and with the public information,
                that of the player, or both (the default).
            params: Must be empty.

        Raises:
            ValueError: The type of the observations is not supported.
        """
        if params:
            raise ValueError(f"params={dict(params)!r}: the observer takes no parameters")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("iig_obs_type: use PrivateInfoType.SINGLE_PLAYER or NONE")
        if not (kind.public_info or is_private):
            raise ValueError("iig_obs_type: use public_info=True, or PrivateInfoType.SINGLE_PLAYER")
        if not kind.public_info:
            return PrivateObserver(kind.perfect_recall)
        if not is_private:
            return PublicObserver(kind.perfect_recall, self.max_game_length())
        return ColourWhistObserver(kind.perfect_recall, self.max_game_length())


class TroelGame(ColourWhistGame):
    """``troel``, with the rule set as a parameter."""


class LuxembourgGame(ColourWhistGame):
    """``troel_luxembourg``."""

    rules = "luxembourg"


class HorescaGame(ColourWhistGame):
    """``troel_horesca``."""

    rules = "horesca"


class WiezenGame(ColourWhistGame):
    """``troel_wiezen``."""

    rules = "wiezen"


class IwwaGame(ColourWhistGame):
    """``troel_iwwa``."""

    rules = "iwwa"


class ColourWhistState(pyspiel.State):  # type: ignore[misc]
    """A deal in progress: the cards dealt so far, then a :class:`troel.Game`.

    States are cheap to clone, and can be serialised. :meth:`ColourWhistGame.new_initial_state`
    returns the first one.
    """

    # OpenSpiel clones a state by a deep copy of each attribute, so all types here are cheap to
    # copy.
    def __init__(
        self,
        game: ColourWhistGame,
        *,
        rules: str,
        dealer: int,
        reward: str,
        source: tuple[int, int, str],
        deck: bytes,
    ) -> None:
        super().__init__(game)
        self._rules = rules
        self._dealer = dealer
        self._reward = reward
        # Seed, number of deals and scenario.
        self._source = source
        # Cards that are left, in ascending order.
        self._left = deck
        # Cards in the order in which they were dealt.
        self._dealt = b""
        # Seat and action of each move, one after the other.
        self._moves = b""
        # Rewards of the four players as float64; empty before the end.
        self._rewards = b""
        self._table: Game | None = None

    def current_player(self) -> int:
        """Returns the player to act, chance while cards are dealt, or terminal."""
        if self._table is None:
            return _CHANCE
        return _TERMINAL if self._rewards else self._table.turn

    def is_terminal(self) -> bool:
        """Returns whether the deal is over."""
        return bool(self._rewards)

    def returns(self) -> list[float]:
        """Returns the returns of the four players; zeros before the end of the deal."""
        return np.frombuffer(self._rewards).tolist() if self._rewards else [0.0] * 4

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the cards that are left, or the deals; all with the same probability."""
        outcomes = range(self._source[1]) if self._source[1] else self._left
        return list(zip(outcomes, repeat(1.0 / len(outcomes))))

    def view(self, player: int) -> View | None:
        """Returns the view of a player, for Troel's bots; ``None`` while cards are dealt."""
        return self._table.view(player) if self._table else None

    def moves(self, player: int | None) -> NDArray[np.float32]:
        """Returns the moves so far as a player saw them, float32 of shape ``(moves, 2)``, 0 to 1.

        The first number of a row is the seat relative to the player (1 to 4, the player first) / 4.
        The second is the action (1 to ``N_ACTIONS``) / ``N_ACTIONS``, or 0 for a card that another
        seat laid aside. Without a player, the moves are as the public saw them, and seats are
        relative to North.
        """
        rows = np.empty((len(self._moves) // 2, 2), np.float32)
        _troel._write_moves(self._moves, player, rows)
        return rows

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> ColourWhistState:
        """Returns a uniform sample of the states that a player cannot distinguish from this one.

        OpenSpiel's IS-MCTS in Python (``open_spiel.python.algorithms.ismcts``) calls it.

        Args:
            player_id: The player, 0 to 3.
            probability_sampler: Function that returns a random number in [0, 1).

        Raises:
            ValueError: The cards are not all dealt yet, or the game has the parameter ``deals``:
                the hand of a player usually identifies the deal.
        """
        if self._source[1]:
            raise ValueError("with deals=N the states cannot be resampled: use deals=0")
        if self._table is None:
            raise ValueError("the cards are still being dealt: resample once the players act")
        seed = int(probability_sampler() * 2**53)
        world = _troel.worlds(self._table.view(player_id), 1, seed)[0]
        state: ColourWhistState = self.get_game().new_initial_state()
        for card in _in_dealing_order(world, self._dealer):
            state.apply_action(card)
        for code in world["actions"]:
            state.apply_action(state.string_to_action(code))
        return state

    def _legal_actions(self, player: int) -> list[int]:
        return self._table.legal if self._table else []

    def _apply_action(self, action: int) -> None:
        table = self._table
        if table is None:
            self._deal(action)
            return
        mark = table.turn | _FLAGS.get(table.phase, 0)
        rewards, _, is_over, _ = table.step(action)
        self._moves += bytes((mark, action))
        if is_over:
            self._rewards = np.array(rewards, np.float64).tobytes()

    def _deal(self, outcome: int) -> None:
        seed, deals, scenario = self._source
        if deals:
            self._table = Game._of_seed(
                self._rules, self._dealer, seed, outcome, scenario, self._reward
            )
            return
        card = bytes((outcome,))
        self._dealt += card
        self._left = self._left.replace(card, b"")
        if not self._left:
            self._table = Game._of_cards(self._rules, self._dealer, self._dealt, self._reward)

    def _write_features(self, player: int, out: NDArray[np.float32]) -> None:
        """Writes the features of a player, float32 of shape ``(N_FEATURES,)``, -2 to 2."""
        if self._table is not None:
            self._table._write_features(player, out)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != _CHANCE:
            return CODES[action]
        return f"deal {action if self._source[1] else CODES[action]}"

    def _hand(self, seat: int) -> bytes:
        """Returns the cards dealt to a seat so far."""
        return self._dealt[(seat - self._dealer - 1) % 4 :: 4]

    def __str__(self) -> str:
        """Returns the table with all hands open, and the moves so far."""
        if self._table is None:
            hands = (f"{LETTERS[seat]}:{pbn(self._hand(seat))}" for seat in range(4))
            return f"dealer {LETTERS[self._dealer]} " + " ".join(hands)
        return self._table.text() + " ".join(CODES[action] for action in self._moves[1::2])


def register() -> list[str]:
    """Registers the games with OpenSpiel, unless they are registered, and returns their names."""
    names = []
    known = set(pyspiel.registered_names())
    for game in (TroelGame, LuxembourgGame, HorescaGame, WiezenGame, IwwaGame):
        kind = _game_type(game.rules, True)
        names.append(kind.short_name)
        if kind.short_name not in known:
            # OpenSpiel frees the factory of a game after the interpreter has ended. The process
            # would abort if it were a function or a partial, but not with a class.
            pyspiel.register_game(kind, game)
    return names


def _game_type(rules: str, is_zero_sum: bool) -> Any:
    kinds = pyspiel.GameType
    return kinds(
        short_name=f"troel_{rules}" if rules else "troel",
        long_name=f"Colour whist ({rules})" if rules else "Colour whist",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if is_zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=4,
        min_num_players=4,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=_parameters(rules),
    )


def _parameters(rules: str) -> dict[str, Any]:
    """Returns the parameters of a game with their default values."""
    return PARAMETERS if rules else PARAMETERS | {"rules": "luxembourg"}


def _deck(ranks: str | None) -> bytes:
    """Returns the numbers of the cards of a deck of these ranks (all 13 without ranks)."""
    cards = range(52)
    return bytes(card for card in cards if ranks is None or CODES[card][0] in ranks)


def _in_dealing_order(record: Mapping[str, Any], dealer: int) -> list[int]:
    """Returns the cards of a full game record in an order that deals it."""
    hands = [cards_of(hand) for hand in record["deal"].removeprefix("N:").split(" ")]
    if "turn_up" in record:
        turn_up = CODES.index(record["turn_up"])
        hands[dealer].sort(key=lambda card: card == turn_up)
    from_eldest = [hands[(dealer + step) % 4] for step in range(1, 5)]
    return [card for turn in zip(*from_eldest) for card in turn]


register()
