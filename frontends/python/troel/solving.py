"""The double-dummy solver: values of cards if all hands are visible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from . import _troel

_UNLIMITED = 2**64 - 1


class Bounds(NamedTuple):
    """Bounds of a value; equal if it is proved."""

    least: int
    most: int


def solve(
    hands: str,
    declarers: str,
    trump: str | None,
    *,
    leader: str | int,
    goal: str = "most",
    actions: Sequence[str] = (),
    nodes: int | None = None,
) -> dict[str, Bounds]:
    """Returns the total tricks of the declarers for each legal card of the seat to play.

    Both sides play the rest perfectly.

    >>> solve("N:AK.2.. QJ.3.. 32.4.. T9.5..", "NS", None, leader="N")["AS"]
    Bounds(least=2, most=2)

    Args:
        hands: Four hands of the same size, north first: ``"N:AK.2.. QJ.3.. 32.4.. T9.5.."``
            (spades, hearts, diamonds, clubs).
        declarers: One to three seats, such as ``"NS"``.
        trump: ``"S"``, ``"H"``, ``"D"``, ``"C"`` or ``None``.
        leader: The seat on lead.
        goal: ``"most"`` tricks, ``"fewest"`` (misère), or exactly ``"one"`` (piccolo; the value is
            1 if the declarers reach it).
        actions: Cards already played.
        nodes: Maximum number of positions to search; a million take about 0.2 seconds. The default
            is no limit.

    Raises:
        ValueError: The hands are not usable, or a card cannot be played.
    """
    limit = _UNLIMITED if nodes is None else nodes
    values = _troel.solve(hands, declarers, trump, goal, leader, list(actions), limit)
    return {card: Bounds(*bounds) for card, bounds in values.items()}


def solve_record(
    record: Mapping[str, Any] | str, *, rules: str | None = None, nodes: int | None = None
) -> dict[str, Bounds]:
    """Solves a full game record in card play, under its contract; see :func:`solve`."""
    limit = _UNLIMITED if nodes is None else nodes
    values = _troel.solve_record(record, rules, limit)
    return {card: Bounds(*bounds) for card, bounds in values.items()}


def par(
    record: Mapping[str, Any] | str, *, rules: str | None = None, nodes: int = 100_000_000
) -> dict[str, Any] | None:
    """Returns the contract and points of a deal if all seats see all cards and play perfectly.

    The result is ``{"contract": …, "points": [N, E, S, W]}``. The contract is ``None`` if no seat
    gains by calling. The result is ``None`` if ``nodes`` positions are not enough for a contract.
    """
    return _troel.par(record, rules, nodes)
