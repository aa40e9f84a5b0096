"""Bots: those that Troel has, and those that are written in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _troel
from ._troel import Batch, Game, View


@dataclass(frozen=True)
class Decision:
    """What a bot decided."""

    #: Number of the action.
    action: int
    #: Its code, such as ``"9H"``.
    code: str
    #: Natural logarithm of its probability under the bot's policy; 0 for bots that have none.
    log_prob: float
    #: Expected points of the deal for the seat; ``None`` for bots without an estimate.
    value: float | None
    #: Probabilities of the legal actions, by code; they add up to 1.
    policy: dict[str, float]


class Agent:
    """A bot that decides on what one seat sees. :func:`load` finds one."""

    def __init__(self, native: _troel.Agent) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """The name under which it was found."""
        return self._native.name

    @property
    def rules(self) -> str:
        """The rule set that it plays."""
        return self._native.rules

    @property
    def identity(self) -> str:
        """What tells it from others whatever its name: of a trained bot a hash of its weights."""
        return self._native.identity

    @overload
    def act(self, observation: Observable) -> int: ...
    @overload
    def act(self, observation: Sequence[Observable]) -> NDArray[np.int64]: ...
    def act(self, observation: Any) -> int | NDArray[np.int64]:
        """The action for what a seat sees, or an array of actions for a list of such.

        Args:
            observation: An observation of Troel's PettingZoo or Gymnasium environments, a :class:`troel.View`, a
                :class:`troel.Game` (the seat to act), or a list or tuple of these, which networks decide on in one pass.

        Raises:
            ValueError: It is not the seat's turn, or the bot plays other rules.
        """
        if isinstance(observation, (list, tuple)):
            return self._native.act_views([view_of(one) for one in observation])
        return int(self._native.act_views([view_of(observation)])[0])

    def decide(self, observation: Observable) -> Decision:
        """The decision in full: action, value estimate, and the probability of every legal action."""
        action, log_prob, value, policy = self._native.decide_views([view_of(observation)])[0]
        by_code = {_troel.action_code(a): p for a, p in policy.items()}
        return Decision(action, _troel.action_code(action), log_prob, value, by_code)

    def reset(self) -> None:
        """Forgets all random draws so far: the next decisions are those of a bot that was just loaded."""
        self._native.reset()

    def __reduce__(self) -> tuple[type[Agent], tuple[_troel.Agent]]:
        """A copy is the bot as it was loaded: its random draws begin anew."""
        return Agent, (self._native,)

    def __repr__(self) -> str:
        return repr(self._native)


#: What an agent decides on.
Observable = Union[View, Game, "dict[str, Any]", Any]

#: A bot for matches: a name or path, an :class:`Agent`, a callable that takes a
#: :class:`troel.Batch` and returns one action for each of its rows, or a class that is called with
#: a seed and gives such a callable. Those in Python are asked by one thread, in an order that
#: follows from the seed: they may keep a state. Matches run on many threads: a callable is called
#: by one of them at a time; of a class each has objects of its own, and several are called at once.
BotLike = Union[str, "PathLike[str]", Agent, Callable[[Batch], Any], type]


def load(name: str | PathLike[str], rules: str | None = None, *, seed: int | None = 1) -> Agent:
    """The bot of a name.

    >>> agent = load("rules", "wiezen")
    >>> game = Game("wiezen", seed=3)
    >>> agent.act(game) in game.legal
    True

    Args:
        name: ``random``, ``rules``, ``expert``, ``pimc:worlds=20``, a released bot (``troel.RELEASED``), the path of a
            checkpoint folder, or ``bot:COMMAND`` for a program that speaks the bot protocol. With ``:sample`` after it, a
            checkpoint draws from its policy instead of playing the likeliest action; with ``search:`` before it (and
            ``:worlds=N`` or ``:ms=M`` after it) it looks ahead.
        rules: Rule set, or path of a rule file. Without it: what the checkpoint was trained for, else luxembourg.
        seed: Decides the random draws of what it is asked for itself (``None`` draws one); matches
            and environments seat it anew, by theirs.

    Raises:
        ValueError: There is no such bot, or it plays other rules.
    """
    return Agent(_troel.Agent(fspath(name), rules, seed))


def each(act: Callable[[View], int]) -> Callable[[Batch], list[int]]:
    """Makes a bot for matches of a function that decides on one :class:`troel.View` at a time.

    >>> @each
    ... def lowest(view):
    ...     return min(view.legal)
    """

    if not callable(act):
        raise TypeError(f"act={act!r}: use a function that takes a troel.View and returns the number of an action")

    def act_on_batch(batch: Batch) -> list[int]:
        return [act(view) for view in batch.views]

    act_on_batch.__name__ = getattr(act, "__name__", "bot")
    return act_on_batch


def view_of(observation: Any) -> View:
    """The view behind what an environment gave.

    Raises:
        ValueError: There is none: the arrays alone do not say all that a bot needs.
    """
    if isinstance(observation, View):
        return observation
    if isinstance(observation, Game):
        return observation.view()
    view = getattr(observation, "view", None)
    if isinstance(view, View):
        return view
    raise ValueError(
        f"a bot decides on a troel.View, a troel.Game or an observation of a Troel environment, not on {type(observation).__name__}; "
        "an observation that was copied into plain arrays has lost its view, which env.view() gives"
    )


def native_bot(bot: BotLike) -> Any:
    """The bot as the native half takes it."""
    if isinstance(bot, Agent):
        return bot._native
    return fspath(bot) if isinstance(bot, PathLike) else bot
