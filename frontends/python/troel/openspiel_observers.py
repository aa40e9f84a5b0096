"""Observers of :mod:`troel.openspiel_game`, in OpenSpiel's form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import _troel
from ._troel import N_ACTIONS, N_FEATURES

if TYPE_CHECKING:
    from .openspiel_game import ColourWhistState

#: Letters of the seats, by number.
LETTERS = "NESW"

#: Codes of the actions, by number.
CODES = tuple(_troel.action_code(action) for action in range(N_ACTIONS))

#: Flag of a move that only its seat has seen: a card laid aside face down.
HIDDEN = 0x80

#: Flag of a card played to a trick.
PLAYED = 0x40


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
        state._write_features(player, self.dict["features"])
        if self._perfect_recall:
            _troel._write_moves(state._moves, player, self.dict["moves"])

    def string_from(self, state: ColourWhistState, player: int) -> str:
        """Returns the observation of a player as text.

        With perfect recall it is a line with the hands that the player has seen, as they were
        dealt, and the moves. Without, it is the current table.
        """
        view = state.view(player)
        if view is None:
            return f"{LETTERS[player]} cards are being dealt"
        if not self._perfect_recall:
            return view.text()
        record = view.record()
        actions = record.pop("actions")
        del record["rules"], record["scores_before"]
        facts = (f"{key}={value}" for key, value in record.items())
        return " ".join([LETTERS[player], *facts, *actions])


class PublicObserver:
    """Observer of the public information: what a spectator without any hand sees.

    ``dict["turn_up"]``: the turn-up while it lies open, float32 of shape ``(52,)``, 0 or 1.
    ``dict["moves"]``, with perfect recall: the moves in order, as in :class:`ColourWhistObserver`,
    with seats relative to North.
    ``dict["actions"]``, without: the calls and cards of each seat, float32 of shape
    ``(4, N_ACTIONS)``, 0 or 1.
    ``dict["trick"]``, without: the cards of the trick on the table by seat, float32 of shape
    ``(4, 52)``, 0 or 1.
    ``tensor``: all of them, flat.
    """

    def __init__(self, perfect_recall: bool, max_game_length: int) -> None:
        self._perfect_recall = perfect_recall
        shapes = (
            {"turn_up": (52,), "moves": (max_game_length, 2)}
            if perfect_recall
            else {"turn_up": (52,), "actions": (4, N_ACTIONS), "trick": (4, 52)}
        )
        self.tensor, self.dict = _tensors(shapes)

    def set_from(self, state: ColourWhistState, player: int) -> None:
        """Writes the public information into ``tensor`` and ``dict``; the player has no effect."""
        self.tensor.fill(0)
        turn_up, moves, trick = _public(state)
        if turn_up is not None:
            self.dict["turn_up"][turn_up] = 1
        if self._perfect_recall:
            _troel._write_moves(state._moves, None, self.dict["moves"])
            return
        for seat, action in moves:
            if action is not None:
                self.dict["actions"][seat, action] = 1
        for seat, card in trick:
            self.dict["trick"][seat, card] = 1

    def string_from(self, state: ColourWhistState, player: int) -> str:
        """Returns the public information as text; the player has no effect."""
        turn_up, moves, trick = _public(state)
        parts = [] if turn_up is None else [f"turn_up={CODES[turn_up]}"]
        if self._perfect_recall:
            parts += [f"{LETTERS[seat]}:{_code(action)}" for seat, action in moves]
            return " ".join(parts)
        for seat, letter in enumerate(LETTERS):
            done = sorted({action for by, action in moves if by == seat and action is not None})
            parts.append(f"{letter}:" + ",".join(CODES[action] for action in done))
        parts.append("trick:" + ",".join(f"{LETTERS[seat]}{CODES[card]}" for seat, card in trick))
        return " ".join(parts)


class PrivateObserver:
    """Observer of the private information of a player: the cards in the hand.

    ``dict["hand"]``: the cards in the hand, or with perfect recall those that were dealt; float32
    of shape ``(52,)``, 0 or 1. A card that was laid aside is no longer in the hand.
    ``tensor``: the same.
    """

    def __init__(self, perfect_recall: bool) -> None:
        self._perfect_recall = perfect_recall
        self.tensor, self.dict = _tensors({"hand": (52,)})

    def set_from(self, state: ColourWhistState, player: int) -> None:
        """Writes the private information of a player into ``tensor`` and ``dict``."""
        self.tensor.fill(0)
        self.tensor[self._cards(state, player)] = 1

    def string_from(self, state: ColourWhistState, player: int) -> str:
        """Returns the cards of a player: spades, hearts, diamonds and clubs, high to low."""
        return f"{LETTERS[player]} {pbn(self._cards(state, player))}"

    def _cards(self, state: ColourWhistState, player: int) -> list[int]:
        view = state.view(player)
        if view is None:
            return []
        if self._perfect_recall:
            return cards_of(view.record()["deal"].removeprefix("N:").split(" ")[player])
        return [CODES.index(code) for code in view.hand]


def pbn(cards: Iterable[int]) -> str:
    """Returns a hand in the form of records: spades, hearts, diamonds, clubs, high to low."""
    codes = [CODES[card] for card in sorted(cards, reverse=True)]
    return ".".join("".join(code[0] for code in codes if code[1] == suit) for suit in "SHDC")


def cards_of(hand: str) -> list[int]:
    """Returns the numbers of the cards of a hand in the form of records."""
    return [
        CODES.index(rank + suit) for suit, ranks in zip("SHDC", hand.split(".")) for rank in ranks
    ]


def _tensors(
    shapes: Mapping[str, tuple[int, ...]],
) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
    """Returns a flat tensor of zeros, and its parts in the given shapes."""
    ends = np.cumsum([np.prod(shape) for shape in shapes.values()])
    tensor = np.zeros(ends[-1], np.float32)
    parts = np.split(tensor, ends[:-1])
    return tensor, {
        name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts)
    }


def _public(
    state: ColourWhistState,
) -> tuple[int | None, list[tuple[int, int | None]], list[tuple[int, int]]]:
    """Returns the open turn-up, the moves as seat and action (``None`` if hidden), and the trick
    on the table as seat and card."""
    table = state._table
    if table is None:
        return None, [], []
    # The dealer has seen a turn-up that does not lie open; the seat to the left has not.
    turn_up = table.view((state._dealer + 1) % 4).record().get("turn_up")
    moves: list[tuple[int, int | None]] = [
        (mark & 3, None if mark >= HIDDEN else action)
        for mark, action in zip(state._moves[::2], state._moves[1::2])
    ]
    played = [
        (mark & 3, action)
        for mark, action in zip(state._moves[::2], state._moves[1::2])
        if mark & PLAYED
    ]
    trick = played[len(played) - len(played) % 4 :]
    return None if turn_up is None else CODES.index(turn_up), moves, trick


def _code(action: int | None) -> str:
    return "?" if action is None else CODES[action]
