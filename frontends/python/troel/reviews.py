"""Reviews of recorded deals: the points lost by each decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _troel
from .agents import BotLike, native_bot


def review(
    record: Mapping[str, Any] | str,
    bot: BotLike = "expert",
    rules: str | None = None,
    seat: int | str | None = None,
    *,
    worlds: int = 40,
    seed: int | None = 1,
) -> dict[str, Any]:
    """Judges the decisions of a full game record by search, as ``troel review --json`` does.

    >>> from troel import deals
    >>> record = {**deals("luxembourg")[0], "actions": ["pass"]}
    >>> decision = review(record, "rules", worlds=4)["decisions"][0]
    >>> decision["did"], decision["best"] in [one["action"] for one in decision["candidates"]]
    ('pass', True)

    docs/table.md describes the fields. Each decision with a choice has:

    - ``best``: the best action by search
    - ``points``: the points lost against it
    - ``over_bot``: the points by which the decision is better than the bot's choice
    - ``candidates``: the values of all plausible actions

    ``tricks`` of a decision and ``par`` of the deal are hindsight, with all hands visible.

    Args:
        record: A full game record.
        bot: A name, an agent, or a bot written in Python, as for :func:`troel.evaluate`. A trained
            bot searches with its network, others by rules of thumb.
        rules: Rule set, or path of a rule file. The default is that of the record.
        seat: The seat to review. The default is all four.
        worlds: Number of worlds to average points over.
        seed: Seed of the worlds and of the bot; ``None`` draws one.

    Raises:
        ValueError: The record contradicts the rules, or the bot plays a different rule set.
    """
    return _troel.review(record, native_bot(bot), rules, seat, worlds=worlds, seed=seed)
