"""Colour whist as OpenSpiel games.

They are ``troel_luxembourg``, ``troel_horesca``, ``troel_wiezen`` and ``troel_iwwa``.

Importing this module registers them, and so does :func:`register` (``troel.register_openspiel``):

>>> import pyspiel
>>> names = register()
>>> game = pyspiel.load_game("troel_wiezen", {"dealer": 2})
>>> game.num_players(), game.max_chance_outcomes()
(4, 52)

A game is one deal. Players are the seats, 0 to 3 for North, East, South and West.

The game starts with 52 chance nodes, which deal the cards one by one. Each is uniform over the
cards that are left, so that all deals are equally likely. The first card goes to the dealer's left,
and the last one to the dealer. The last card is the turn-up, if there is one. (``iwwa`` shuffles
only the first deal of a session. The game is such a first deal.)

Then the players act. Their actions are Troel's, 0 to ``N_ACTIONS - 1``. The outcome of a chance
node is the card with the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from . import _troel
from ._troel import N_ACTIONS, N_FEATURES, Game, View

#: Parameters of a game with their default values.
PARAMETERS: dict[str, Any] = {"dealer": 0, "reward": "centred"}

_CARDS = 52
_LETTERS = "NESW"
_CODES = tuple(_troel.action_code(action) for action in range(N_ACTIONS))

#: Flag of a move that only its seat has seen: a card laid aside face down.
_HIDDEN = 0x80


class ColourWhistGame(pyspiel.Game):  # type: ignore[misc]
    """A deal of colour whist. Each rule set is a subclass; ``pyspiel.load_game`` makes the games.

    Returns are points minus the mean of the four players' points, and sum to zero under every rule
    set. With ``reward="points"`` they are the points: zero-sum in ``wiezen`` and ``iwwa``,
    general-sum in ``luxembourg`` and ``horesca``.

    Args:
        params: ``"dealer"``: seat of the dealer, 0 to 3 (default: 0); the player to the left speaks
            first. ``"reward"``: ``"centred"`` (default) or ``"points"``.

    Raises:
        ValueError: A parameter is not usable. The message has the remedy.
    """

    #: The rule set.
    rules: str

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        settings = PARAMETERS | dict(params or {})
        dealer, reward = settings["dealer"], settings["reward"]
        if dealer not in range(4):
            raise ValueError(f"dealer={dealer!r}: use a seat, 0 to 3 for N, E, S, W")
        if reward not in ("centred", "points"):
            raise ValueError(f'reward={reward!r}: use "centred" or "points"')
        spec = _troel.rules(self.rules)
        is_zero_sum = reward == "centred" or spec["scoring"] == "settlement"
        lowest, highest = _troel.reward_range(self.rules, reward)
        info = pyspiel.GameInfo(
            num_distinct_actions=N_ACTIONS,
            max_chance_outcomes=_CARDS,
            num_players=4,
            min_utility=lowest,
            max_utility=highest,
            utility_sum=0.0 if is_zero_sum else None,
            max_game_length=_troel.max_actions(self.rules),
        )
        super().__init__(_game_type(self.rules, is_zero_sum), info, settings)
        self._start = partial(
            ColourWhistState,
            rules=self.rules,
            dealer=dealer,
            reward=reward,
            has_turn_up=spec["family"] == "turn-up",
        )

    def new_initial_state(self) -> ColourWhistState:
        """Returns the state before the first card is dealt."""
        return self._start(self)

    def max_chance_nodes_in_history(self) -> int:
        """Returns the number of chance nodes: one for each card of the deal."""
        return _CARDS

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ColourWhistObserver:
        """Returns an observer, which writes the observations of a player.

        Args:
            iig_obs_type: Type of the observations in OpenSpiel's terms: with perfect recall
                (information states) or without (the default). They always have the public
                information and that of the player.
            params: Must be empty.

        Raises:
            ValueError: The type of the observations is not supported.
        """
        if params:
            raise ValueError(f"params={dict(params)!r}: the observer takes no parameters")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(
                "iig_obs_type: use public_info=True and "
                "private_info=PrivateInfoType.SINGLE_PLAYER, with or without perfect_recall"
            )
        return ColourWhistObserver(kind.perfect_recall, self.max_game_length())


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
        self, game: ColourWhistGame, *, rules: str, dealer: int, reward: str, has_turn_up: bool
    ) -> None:
        super().__init__(game)
        self._rules = rules
        self._dealer = dealer
        self._reward = reward
        self._has_turn_up = has_turn_up
        #: Cards in the order in which they were dealt.
        self._dealt = b""
        #: Seat and action of each move, one after the other.
        self._moves = b""
        #: Rewards of the four players as float64; empty before the end.
        self._rewards = b""
        self._table: Game | None = None

    def current_player(self) -> int:
        """Returns the player to act, chance while cards are dealt, or terminal."""
        if self._table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._rewards else self._table.turn

    def is_terminal(self) -> bool:
        """Returns whether the deal is over."""
        return bool(self._rewards)

    def returns(self) -> list[float]:
        """Returns the returns of the four players; zeros before the end of the deal."""
        return np.frombuffer(self._rewards).tolist() if self._rewards else [0.0] * 4

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the cards that are left, all with the same probability."""
        left = sorted(set(range(_CARDS)) - set(self._dealt))
        return [(card, 1.0 / len(left)) for card in left]

    def view(self, player: int) -> View | None:
        """Returns the view of a player, for Troel's bots; ``None`` while cards are dealt."""
        return self._table.view(player) if self._table else None

    def moves(self, player: int) -> NDArray[np.float32]:
        """Returns the moves so far as a player saw them, float32 of shape ``(moves, 2)``, 0 to 1.

        The first number of a row is the seat relative to the player (1 to 4, the player first) / 4.
        The second is the action (1 to ``N_ACTIONS``) / ``N_ACTIONS``, or 0 for a card that another
        seat laid aside.
        """
        marks, actions = np.frombuffer(self._moves, np.uint8).reshape(-1, 2).T
        seats = marks & 3
        is_seen = (marks < _HIDDEN) | (seats == player)
        numbers = np.where(is_seen, actions + np.float32(1), 0) / N_ACTIONS
        return np.stack([((seats - player) % 4 + 1) / 4, numbers], axis=1).astype(np.float32)

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> ColourWhistState:
        """Returns a uniform sample of the states that a player cannot distinguish from this one.

        OpenSpiel's IS-MCTS in Python (``open_spiel.python.algorithms.ismcts``) calls it.

        Args:
            player_id: The player, 0 to 3.
            probability_sampler: Function that returns a random number in [0, 1).

        Raises:
            ValueError: The cards are not all dealt yet.
        """
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
        if self._table is None:
            self._dealt += bytes([action])
            if len(self._dealt) == _CARDS:
                self._table = Game.of_record(self._record(), reward=self._reward)
            return
        mark = self._table.turn | (_HIDDEN if self._table.phase == "discard" else 0)
        rewards, _, is_over, _ = self._table.step(action)
        self._moves += bytes([mark, action])
        if is_over:
            self._rewards = np.array(rewards, np.float64).tobytes()

    def _action_to_string(self, player: int, action: int) -> str:
        code = _CODES[action]
        return f"deal {code}" if player == pyspiel.PlayerId.CHANCE else code

    def _record(self) -> dict[str, Any]:
        """Returns the game record of the deal."""
        record = {
            "rules": self._rules,
            "dealer": _LETTERS[self._dealer],
            "deal": "N:" + " ".join(_pbn(self._hand(seat)) for seat in range(4)),
            "actions": [],
        }
        if self._has_turn_up:
            record["turn_up"] = _CODES[self._dealt[-1]]
        return record

    def _hand(self, seat: int) -> bytes:
        """Returns the cards dealt to a seat so far."""
        return self._dealt[(seat - self._dealer - 1) % 4 :: 4]

    def __str__(self) -> str:
        """Returns the table with all hands open, and the moves so far."""
        if self._table is None:
            hands = (f"{_LETTERS[seat]}:{_pbn(self._hand(seat))}" for seat in range(4))
            return f"dealer {_LETTERS[self._dealer]} " + " ".join(hands)
        return self._table.text() + " ".join(_CODES[action] for action in self._moves[1::2])


class ColourWhistObserver:
    """Observer in OpenSpiel's form, which writes the observations of a player.

    ``dict["features"]``: the features of :class:`troel.View`, float32 of shape ``(N_FEATURES,)``,
    -2 to 2.
    ``dict["moves"]``, with perfect recall only: the moves in order (see
    :meth:`ColourWhistState.moves`), float32 of shape ``(max_game_length, 2)``, 0 to 1, with zeros
    after the last one. The features alone do not have the order of the cards.
    ``tensor``: both, flat. It is all zeros while cards are dealt.
    """

    def __init__(self, perfect_recall: bool, max_game_length: int) -> None:
        self._perfect_recall = perfect_recall
        size = N_FEATURES + (2 * max_game_length if perfect_recall else 0)
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"features": self.tensor[:N_FEATURES]}
        if perfect_recall:
            self.dict["moves"] = self.tensor[N_FEATURES:].reshape(max_game_length, 2)

    def set_from(self, state: ColourWhistState, player: int) -> None:
        """Writes the observation of a player into ``tensor`` and ``dict``."""
        self.tensor.fill(0)
        view = state.view(player)
        if view is None:
            return
        self.dict["features"][:] = view.features()
        if self._perfect_recall:
            moves = state.moves(player)
            self.dict["moves"][: len(moves)] = moves

    def string_from(self, state: ColourWhistState, player: int) -> str:
        """Returns the observation of a player as text.

        With perfect recall it is a line with the hands that the player has seen, as they were
        dealt, and the moves. Without, it is the current table.
        """
        view = state.view(player)
        if view is None:
            return f"{_LETTERS[player]} cards are being dealt"
        if not self._perfect_recall:
            return view.text()
        record = view.record()
        actions = record.pop("actions")
        del record["rules"], record["scores_before"]
        facts = (f"{key}={value}" for key, value in record.items())
        return " ".join([_LETTERS[player], *facts, *actions])


def register() -> list[str]:
    """Registers the games with OpenSpiel, unless they are registered, and returns their names."""
    names = []
    known = set(pyspiel.registered_names())
    for game in (LuxembourgGame, HorescaGame, WiezenGame, IwwaGame):
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
        short_name=f"troel_{rules}",
        long_name=f"Colour whist ({rules})",
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
        parameter_specification=PARAMETERS,
    )


def _pbn(cards: Iterable[int]) -> str:
    """Returns a hand in the form of records: spades, hearts, diamonds, clubs, high to low."""
    codes = [_CODES[card] for card in sorted(cards, reverse=True)]
    return ".".join("".join(code[0] for code in codes if code[1] == suit) for suit in "SHDC")


def _in_dealing_order(record: Mapping[str, Any], dealer: int) -> list[int]:
    """Returns the cards of a full game record in an order that deals it."""
    hands = [
        [
            _CODES.index(rank + suit)
            for suit, ranks in zip("SHDC", hand.split("."))
            for rank in ranks
        ]
        for hand in record["deal"].removeprefix("N:").split(" ")
    ]
    if "turn_up" in record:
        turn_up = _CODES.index(record["turn_up"])
        hands[dealer].sort(key=lambda card: card == turn_up)
    from_eldest = [hands[(dealer + step) % 4] for step in range(1, 5)]
    return [card for turn in zip(*from_eldest) for card in turn]


register()
