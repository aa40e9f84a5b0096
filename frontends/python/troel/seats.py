"""The seats of a table."""

from __future__ import annotations

#: Names of the seats, by number. PettingZoo's agents have the same names.
SEATS: tuple[str, ...] = ("north", "east", "south", "west")
