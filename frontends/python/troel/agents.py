"""Bots of Troel, and bots written in Python."""

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
    """Decision of a bot."""

    #: Number of the action.
    action: int
    #: Its code, such as ``"9H"``.
    code: str
    #: Natural logarithm of its probability under the bot's policy; 0 for bots that have none.
    log_prob: float
    #: Expected points of the deal for the seat; ``None`` for bots without an estimate.
    value: float | None
    #: Probabilities of the legal actions, by code; they sum to 1.
    policy: dict[str, float]


class Agent:
    """A bot that decides on the observation of one seat. :func:`load` returns one."""

    def __init__(self, native: _troel.Agent) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """Name under which the bot was loaded."""
        return self._native.name

    @property
    def rules(self) -> str:
        """Rule set that the bot plays."""
        return self._native.rules

    @property
    def identity(self) -> str:
        """Identity of the bot: a hash of the weights of a trained bot, the name of another."""
        return self._native.identity

    @overload
    def act(self, observation: Observable) -> int: ...
    @overload
    def act(self, observation: Sequence[Observable]) -> NDArray[np.int64]: ...
    def act(self, observation: Any) -> int | NDArray[np.int64]:
        """Returns the action for an observation, or an array of actions for a list of observations.

        Args:
            observation: An observation of Troel's PettingZoo or Gymnasium environments, a
                :class:`troel.View`, a :class:`troel.Game` (for its seat to act), or a list or tuple
                of these. A network decides on a list in one pass.

        Raises:
            ValueError: It is not the seat's turn, or the bot plays a different rule set.
        """
        if isinstance(observation, (list, tuple)):
            actions = self._native.act_views([view_of(one) for one in observation])
            for row, one in enumerate(observation):
                if getattr(one, "canonical_suits", False):
                    actions[row] = _number_for(one, int(actions[row]))
            return actions
        return _number_for(observation, int(self._native.act_views([view_of(observation)])[0]))

    def decide(self, observation: Observable) -> Decision:
        """Returns the action, the value estimate, and the probability of each legal action."""
        action, log_prob, value, policy = self._native.decide_views([view_of(observation)])[0]
        by_code = {_troel.action_code(a): p for a, p in policy.items()}
        number = _number_for(observation, action)
        return Decision(number, _troel.action_code(action), log_prob, value, by_code)

    def reset(self) -> None:
        """Resets the random draws: the next decisions are those of a bot that was just loaded."""
        self._native.reset()

    def __reduce__(self) -> tuple[type[Agent], tuple[_troel.Agent]]:
        """Returns the parts of a copy, which draws like a bot that was just loaded."""
        return Agent, (self._native,)

    def __repr__(self) -> str:
        return repr(self._native)


#: Input of an agent.
Observable = Union[View, Game, "dict[str, Any]", Any]

#: A bot for matches and environments: a name or path, an :class:`Agent`, a callable that takes a
#: :class:`troel.Batch` and returns one action for each row, or a class that is called with a seed
#: and returns such a callable. One thread calls the bots written in Python, in an order that the
#: seed determines, so that they may keep a state.
BotLike = Union[str, "PathLike[str]", Agent, Callable[[Batch], Any], type]


def load(name: str | PathLike[str], rules: str | None = None, *, seed: int | None = 1) -> Agent:
    """Loads a bot.

    >>> agent = load("rules", "wiezen")
    >>> game = Game("wiezen", seed=3)
    >>> agent.act(game) in game.legal
    True

    Args:
        name: ``random``, ``rules``, ``expert``, ``pimc:worlds=20``, a released bot
            (``troel.RELEASED``), the path of a checkpoint folder, or ``bot:COMMAND`` for a program
            that speaks the bot protocol. With the suffix ``:sample``, a checkpoint samples from its
            policy instead of playing the most probable action. The prefix ``search:`` (and the
            suffix ``:worlds=N`` or ``:ms=M``) adds look-ahead.
        rules: Rule set, or path of a rule file. The default is the rule set that the checkpoint was
            trained for, else luxembourg.
        seed: Seed of the random draws of this agent; ``None`` draws one. Matches and environments
            use new instances with their own seed.

    Raises:
        ValueError: There is no such bot, or it plays a different rule set.
    """
    return Agent(_troel.Agent(fspath(name), rules, seed))


def each(act: Callable[[View], int]) -> Callable[[Batch], list[int]]:
    """Turns a function that decides on one :class:`troel.View` into a bot for matches.

    >>> @each
    ... def lowest(view):
    ...     return min(view.legal)
    """

    if not callable(act):
        raise TypeError(
            f"act={act!r}: use a function that takes a troel.View and returns an action number"
        )

    def act_on_batch(batch: Batch) -> list[int]:
        return [act(view) for view in batch.views]

    act_on_batch.__name__ = getattr(act, "__name__", "bot")
    return act_on_batch


def _number_for(observation: Any, action: int) -> int:
    """Returns the number of an action in the suits of an observation."""
    if getattr(observation, "canonical_suits", False):
        return view_of(observation).canonical_action(action)
    return action


def view_of(observation: Any) -> View:
    """Returns the view of an observation.

    Raises:
        ValueError: The observation has no view. Its arrays alone are not enough for a bot.
    """
    if isinstance(observation, View):
        return observation
    if isinstance(observation, Game):
        return observation.view()
    view = getattr(observation, "view", None)
    if isinstance(view, View):
        return view
    raise ValueError(
        f"a bot cannot decide on {type(observation).__name__}: use a troel.View, a troel.Game or "
        "an observation of a Troel environment. An observation that was copied into plain arrays "
        "has lost its view: use env.view()"
    )


def native_bot(bot: BotLike) -> Any:
    """Returns the bot in the form that the native half takes."""
    if isinstance(bot, Agent):
        return bot._native
    return fspath(bot) if isinstance(bot, PathLike) else bot


def native_bots(bots: BotLike | Sequence[BotLike], seats: Sequence[str]) -> list[Any]:
    """Returns the bots of these seats in the form that the native half takes.

    A single bot plays at all of them.
    """
    if not isinstance(bots, (list, tuple)):
        return [native_bot(bots)] * len(seats)  # type: ignore[arg-type]
    if len(bots) != len(seats):
        raise ValueError(
            f"bots has {len(bots)} entries: name one bot, or one for each seat "
            f"({', '.join(seats)})"
        )
    return [native_bot(bot) for bot in bots]
