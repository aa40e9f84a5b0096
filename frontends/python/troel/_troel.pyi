"""The native half. The functions and classes of ``troel`` that call it have the documentation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = [
    "ACTION_VERSION",
    "Agent",
    "Batch",
    "FEATURE_VERSION",
    "Game",
    "HISTORY_LENGTH",
    "IllegalAction",
    "N_ACTIONS",
    "N_FEATURES",
    "N_FULL_FEATURES",
    "N_HISTORY_TOKENS",
    "OneSeat",
    "PACKED_FULL_SIZE",
    "PACKED_SIZE",
    "RELEASED",
    "RULES",
    "SelfPlay",
    "View",
    "__version__",
    "_restore",
    "_restore_agent",
    "_restore_one_seat",
    "_restore_self_play",
    "_write_moves",
    "action_code",
    "action_numbers",
    "behaviour",
    "compare",
    "deals",
    "evaluate",
    "exploit",
    "exploitation_text",
    "feature_blocks",
    "judge",
    "judge_corpus",
    "ladder",
    "make_corpus",
    "matches",
    "max_actions",
    "observe",
    "par",
    "play",
    "problems",
    "read_bundle",
    "review",
    "reward_range",
    "rules",
    "save_bundle",
    "save_onnx_bundle",
    "solve",
    "solve_record",
    "tensors",
    "unpack_into",
    "unpack_sparse",
    "worlds",
]

__version__: str
N_FEATURES: int
N_FULL_FEATURES: int
#: Number of bytes of a packed observation.
PACKED_SIZE: int
#: Number of bytes of a packed observation with full information.
PACKED_FULL_SIZE: int
N_ACTIONS: int
N_HISTORY_TOKENS: int
HISTORY_LENGTH: int
FEATURE_VERSION: int
ACTION_VERSION: int
RULES: list[str]
RELEASED: list[str]

class IllegalAction(ValueError):
    """An action that is not legal. Nothing has changed."""

@final
class View:
    """Observation of one seat in a deal and its match: the only input of a bot."""

    @property
    def seat(self) -> int:
        """The observing seat, 0 to 3 for N, E, S, W."""
    @property
    def turn(self) -> int:
        """The seat to act, 0 to 3."""
    @property
    def phase(self) -> str:
        """Phase of the deal: "auction", "trump", "discard", "exchange", "answer", "play" or "done"."""
    @property
    def rules(self) -> str:
        """The name of the rule set."""
    @property
    def legal(self) -> list[int]:
        """Numbers of the legal actions; empty unless it is the seat's turn."""
    @property
    def codes(self) -> list[str]:
        """Codes of the legal actions."""
    @property
    def hand(self) -> list[str]:
        """Codes of the cards that the seat holds."""
    @property
    def dealer(self) -> int:
        """The dealer, 0 to 3."""
    @property
    def calls(self) -> list[tuple[int, str]]:
        """Calls so far, oldest first: the seat and the code of each.

        Other actions that are not cards are among them, such as a choice of trumps.
        """
    @property
    def contract(self) -> dict[str, Any] | None:
        """The contract (kind, level, trump, declarers), or ``None`` before there is one."""
    @property
    def declarers(self) -> list[int]:
        """The declarers, 0 to 3; empty before there is a contract."""
    @property
    def trump(self) -> str | None:
        """The trump suit ("S", "C", "D" or "H"), or ``None`` without trumps or a contract."""
    @property
    def trick(self) -> list[tuple[int, str]]:
        """Cards of the current trick, in the order played: the seat and the code of each."""
    @property
    def tricks(self) -> list[int]:
        """Numbers of tricks won so far, by seat."""
    @property
    def totals(self) -> list[int]:
        """Match points before the deal, by seat."""
    def encode(
        self, *, canonical_suits: bool = False
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Returns :meth:`features` and :meth:`mask`."""
    def features(self, *, canonical_suits: bool = False) -> NDArray[np.float32]:
        """Returns the features, float32 of shape ``(N_FEATURES,)``, -2 to 2.

        With ``canonical_suits``, the suits are in canonical order in card play.
        """
    def mask(self, *, canonical_suits: bool = False) -> NDArray[np.int8]:
        """Returns the mask of legal actions, int8 of shape ``(N_ACTIONS,)``.

        It is all 0 unless it is the seat's turn. With ``canonical_suits``, the actions have the
        numbers of :meth:`canonical_action`.
        """
    def history(self, *, canonical_suits: bool = False) -> NDArray[np.int64]:
        """Returns the actions so far, oldest first, int64 of shape ``(actions, 2)``.

        Calls, cards and all others are among them, also those without a choice. The columns are:

        - the seat, 0 to 3 clockwise from the observer, which is 0
        - the number of the action; -1 for a card that another seat laid aside

        With ``canonical_suits``, all actions, of the auction too, have the numbers of
        :meth:`canonical_action`.
        """
    def history_tokens(self, *, canonical_suits: bool = False) -> NDArray[np.int64]:
        """Returns :meth:`history` as tokens, int64 of shape ``(HISTORY_LENGTH,)``.

        The token of an action is ``1 + 134 * seat + number``, with 133 as the number of a card
        that another seat laid aside. Zeros follow the last action. The tokens are below
        ``N_HISTORY_TOKENS``.
        """
    def canonical_action(self, action: int) -> int:
        """Returns the number of an action in canonical suits."""
    def real_action(self, action: int) -> int:
        """Returns the action with this number in canonical suits."""
    def suits(self) -> int:
        """Returns the number of the suit permutation, 0 to 23, for canonical suits."""
    def record(self) -> dict[str, Any]:
        """Returns the game record of the view. :func:`observe` turns it into an equal view."""
    def text(self, colours: bool = False) -> str:
        """Returns the table as text; ``colours`` adds ANSI escape sequences."""
    def svg(self) -> str:
        """Returns the table as an SVG image."""
    def _repr_svg_(self) -> str:
        """Returns the SVG image, for notebooks."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Game:
    """A deal or a match in progress, with all four seats.

    ``turn`` is the seat to act, and ``step`` takes its action. Within an episode, the next deal
    follows without a call. ``reset`` starts the next episode. Games can be copied (``copy.copy``)
    and pickled. All games with the same seed have the same deals; ``seed=None`` draws a seed.
    Notebooks show the table.

    Raises:
        ValueError: An argument is not usable, for example ``match=True`` under rules without a
            target.
    """

    def __new__(
        cls,
        rules: str = "luxembourg",
        *,
        match: bool = False,
        reward: str = "centred",
        scenario: str = "any",
        seed: int | None = 0,
    ) -> Self: ...
    @staticmethod
    def of_record(
        record: Mapping[str, Any] | str, *, reward: str = "centred", rules: str | None = None
    ) -> Game:
        """Returns a game of a single deal that continues at the end of a full game record.

        It has the match points of the record.
        """
    @staticmethod
    def _of_cards(rules: str, dealer: int, cards: bytes, reward: str) -> Game: ...
    @staticmethod
    def _of_seed(
        rules: str, dealer: int, seed: int, number: int, scenario: str, reward: str
    ) -> Game: ...
    def _write_features(self, seat: int, out: NDArray[np.float32]) -> None: ...
    def reset(self, seed: int | None = None) -> None:
        """Starts a new episode.

        It has the first deals of ``seed`` if one is given, else the next deals.
        """
    def step(
        self, action: int | str, *, canonical_suits: bool = False
    ) -> tuple[list[float], bool, bool, dict[str, Any] | None]:
        """Takes an action (number or code) of the seat to act.

        Returns the rewards by seat, whether a deal ended, whether the episode ended, and the
        outcome of a deal that ended. An outcome has the contract, and points, tricks and match
        points by seat. With ``canonical_suits``, a number is that of :meth:`View.canonical_action`.

        Raises:
            IllegalAction: The action is not legal. Nothing has changed.
        """
    @property
    def turn(self) -> int:
        """The seat to act, 0 to 3. It has no meaning once the episode is over."""
    @property
    def done(self) -> bool:
        """Whether the episode is over."""
    @property
    def phase(self) -> str:
        """Phase of the deal: "auction", "trump", "discard", "exchange", "answer", "play" or "done"."""
    @property
    def rules(self) -> str:
        """The name of the rule set."""
    @property
    def legal(self) -> list[int]:
        """Numbers of the legal actions of the seat to act."""
    @property
    def codes(self) -> list[str]:
        """Codes of the legal actions of the seat to act."""
    @property
    def totals(self) -> list[int]:
        """Match points by seat, including those of the last finished deal."""
    @property
    def contract(self) -> dict[str, Any] | None:
        """The contract (kind, level, trump, declarers), or ``None`` before there is one."""
    def view(self, seat: int | str | None = None) -> View:
        """Returns the observation of a seat; by default that of the seat to act."""
    def full_features(self, *, canonical_suits: bool = False) -> NDArray[np.float32]:
        """Returns full information with all four hands, for critics.

        It is float32 of shape ``(N_FULL_FEATURES,)``, from the point of view of the seat to act.
        With ``canonical_suits``, the suits are in the canonical order of that seat.
        """
    def record(self) -> dict[str, Any]:
        """Returns the full game record of the current deal."""
    def text(self, colours: bool = False) -> str:
        """Returns the table as text with all hands open."""
    def svg(self) -> str:
        """Returns the table as an SVG image with all hands open."""
    def _repr_svg_(self) -> str:
        """Returns the SVG image, for notebooks."""
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: Any) -> Game: ...

@final
class Batch:
    """Observations on which a bot written in Python decides in one call."""

    def __len__(self) -> int: ...
    @property
    def views(self) -> list[View]:
        """Observations of the seats to act."""
    @property
    def seats(self) -> list[int]:
        """Numbers of the seats to act."""
    def features(self, *, canonical_suits: bool = False) -> NDArray[np.float32]:
        """Returns the features, float32 of shape ``(n, N_FEATURES)``."""
    def masks(self, *, canonical_suits: bool = False) -> NDArray[np.bool_]:
        """Returns the masks of legal actions, bool of shape ``(n, N_ACTIONS)``."""
    def history_tokens(self, *, canonical_suits: bool = False) -> NDArray[np.int64]:
        """Returns the histories as tokens, int64 of shape ``(n, HISTORY_LENGTH)``.

        :meth:`View.history_tokens` describes them.
        """
    def real_actions(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Returns the actions, int64 of shape ``(n,)``, of numbers in canonical suits."""

@final
class Agent:
    """The native half of :class:`troel.Agent`."""

    def __new__(cls, name: str, rules: str | None = None, seed: int | None = 1) -> Self: ...
    @property
    def name(self) -> str: ...
    @property
    def rules(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def identity(self) -> str: ...
    def reset(self) -> None: ...
    def __deepcopy__(self, memo: Any) -> Agent: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def act_views(self, views: Sequence[View]) -> NDArray[np.int64]: ...
    def decide_views(
        self, views: Sequence[View]
    ) -> list[tuple[int, float, float | None, dict[int, float]]]: ...

@final
class SelfPlay:
    """The native half of :class:`troel.SelfPlayVectorEnv`."""

    def __new__(
        cls,
        num_envs: int,
        rules: str = "luxembourg",
        *,
        match: bool = False,
        reward: str = "centred",
        scenario: str = "any",
        seed: int | None = 0,
        full: bool = False,
        canonical_suits: bool = False,
        packed: bool = False,
        buffers: dict[str, NDArray[Any]] | None = None,
        history: bool = False,
    ) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def observations(self) -> NDArray[np.float32] | NDArray[np.uint8]: ...
    @property
    def masks(self) -> NDArray[np.bool_]: ...
    @property
    def seats(self) -> NDArray[np.uint8]: ...
    @property
    def rewards(self) -> NDArray[np.float32]: ...
    @property
    def dones(self) -> NDArray[np.bool_]: ...
    @property
    def scores(self) -> NDArray[np.int32]: ...
    @property
    def full(self) -> NDArray[np.float32] | NDArray[np.uint8] | None: ...
    @property
    def history(self) -> NDArray[np.int64] | None: ...
    def reset(self, seed: int | None = None) -> None: ...
    def step(self, actions: NDArray[np.int64]) -> None: ...
    def sample(self) -> NDArray[np.int64]: ...
    def act(self, bot: Agent, rows: NDArray[np.int64]) -> NDArray[np.int64]: ...
    def policy(self, bot: Agent, rows: NDArray[np.int64]) -> NDArray[np.float32]: ...
    def game(self, index: int) -> Game: ...
    def view(self, index: int) -> View: ...
    def __deepcopy__(self, memo: Any) -> SelfPlay: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class OneSeat:
    """The native half of :class:`troel.OneSeatEnv` and :class:`troel.OneSeatVectorEnv`."""

    def __new__(
        cls,
        num_envs: int,
        rules: str,
        bots: Sequence[Any],
        *,
        seat: int | str | None,
        match: bool,
        reward: str,
        scenario: str,
        seed: int | None,
        autoreset: str,
        canonical_suits: bool = False,
    ) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def observations(self) -> NDArray[np.float32]: ...
    @property
    def masks(self) -> NDArray[np.bool_]: ...
    @property
    def rewards(self) -> NDArray[np.float32]: ...
    @property
    def dones(self) -> NDArray[np.bool_]: ...
    @property
    def finals(self) -> NDArray[np.float32] | None: ...
    def reset(
        self,
        seed: int | None = None,
        which: NDArray[np.bool_] | None = None,
        seeds: Sequence[int | None] | None = None,
    ) -> None: ...
    def step(self, actions: NDArray[np.int64]) -> None: ...
    def sample(self) -> NDArray[np.int64]: ...
    def view(self, index: int) -> View: ...
    def learner(self, index: int) -> int: ...
    def outcome(self, index: int) -> dict[str, Any] | None: ...
    def ended(
        self,
    ) -> (
        tuple[NDArray[np.bool_], dict[str, NDArray[np.int32]], list[dict[str, Any] | None]] | None
    ): ...
    def __deepcopy__(self, memo: Any) -> OneSeat: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def rules(name: str) -> dict[str, Any]:
    """Returns a rule set as data: the fields of its rule file, and its hash."""

def reward_range(rules: str, reward: str) -> tuple[float, float]:
    """Returns the lowest and the highest reward of a seat in a single deal.

    ``reward`` is ``"points"`` or ``"centred"``.
    """

def max_actions(rules: str) -> int:
    """Returns an upper bound of the number of actions of a deal."""

def action_code(action: int) -> str:
    """Returns the code of an action, such as ``"9H"``, ``"misere"`` or ``"QD"``.

    Actions are 0 to ``N_ACTIONS - 1``. Cards are 0 to 51, followed by the calls. A call of a level
    and a suit can have the code of a card.
    """

def feature_blocks() -> list[tuple[str, int, str]]:
    """Returns the layout of the features: name, length and meaning of each block, in order."""

def observe(
    record: Mapping[str, Any] | str, seat: int | str, rules: str | None = None
) -> View:
    """Returns the view of a seat in a game record, which must have at least the hand of the seat.

    ``rules`` is the path of the rule file, for records of house rules.
    """

def action_numbers(
    record: Mapping[str, Any] | str, rules: str | None = None
) -> NDArray[np.int64]:
    """Returns the actions of a full game record as numbers, int64 of shape ``(actions, 2)``.

    The columns are the seat, 0 to 3 for N, E, S, W, and the number of the action. A code such as
    ``8S`` alone can be a card or a call. ``rules`` is the path of the rule file, for records of
    house rules.

    Raises:
        ValueError: A hand is missing, or an action is not legal.
    """

def _restore(record: Mapping[str, Any] | str, seat: int | str, spec: str | None) -> View: ...
def _restore_agent(name: str, rules: str, spec: str | None, seed: int) -> Agent: ...
def _restore_self_play(saved: str, arrays: Sequence[NDArray[Any]]) -> SelfPlay: ...
def _restore_one_seat(
    saved: str,
    bots: Sequence[Any],
    callables: Sequence[Sequence[Any]],
    arrays: Sequence[NDArray[Any]],
) -> OneSeat: ...
def worlds(view: View, count: int, seed: int | None = 0) -> list[dict[str, Any]]:
    """Returns ``count`` uniform samples of the deals that are consistent with a view.

    Each is a full game record of the deal so far.
    """

def deals(
    rules: str = "luxembourg",
    count: int = 1,
    *,
    seed: int | None = 1,
    first: int = 0,
    scenario: str = "any",
) -> list[dict[str, Any]]:
    """Returns ``count`` deals of a seed from number ``first`` on, as game records without actions.

    ``scenario`` is ``"any"``, or a kind of contract that suits at least one hand, such as
    ``"misere"``. Deal n of a seed is always the same.
    """

def evaluate(
    challenger: Any,
    baseline: Any,
    rules: str | None,
    deals: tuple[int, int],
    *,
    seed: int | None,
    scope: str,
    pairs: bool,
    scenario: str,
    fixed: Any,
    regret: bool,
    sprt: tuple[float, float] | None,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> tuple[dict[str, Any], str, str | None]: ...
def play(
    bots: Sequence[Any],
    rules: str | None,
    deals: tuple[int, int],
    *,
    seed: int | None,
    scenario: str,
) -> list[dict[str, Any]]: ...
def compare(
    first: Sequence[Any],
    second: Sequence[Any],
    rules: str | None,
    deals: tuple[int, int],
    *,
    seed: int | None,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> tuple[dict[str, Any], str]: ...
def ladder(
    file: str,
    bots: Sequence[Any],
    against: Sequence[Any],
    anchor: Any,
    rules: str | None,
    deals: tuple[int, int],
    *,
    seed: int | None,
    scope: str,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> tuple[dict[str, Any], str, str]: ...
def behaviour(
    bots: Sequence[Any],
    rules: str | None,
    deals: tuple[int, int],
    *,
    seed: int | None,
    scenario: str,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> tuple[list[tuple[str, dict[str, Any]]], str]: ...
def exploit(
    bot: Any,
    rules: str | None,
    methods: Sequence[str] | None,
    exploiter: Sequence[Any],
    *,
    deals: int,
    search_deals: int | None,
    worlds: int,
    seed: int | None,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> tuple[dict[str, Any], str]: ...
def exploitation_text(report: Mapping[str, Any]) -> str: ...
def matches(
    challenger: Any,
    baseline: Any,
    rules: str | None,
    count: int,
    *,
    seed: int | None,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> tuple[dict[str, Any], str]: ...
def make_corpus(
    folder: str,
    player: Any,
    rules: str | None,
    deals: tuple[int, int],
    *,
    worlds: int,
    per_deal: int,
    features: bool,
    seed: int | None,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> int: ...
def judge_corpus(
    folder: str,
    bots: Sequence[Any],
    rules: str | None,
    *,
    seed: int | None,
    threads: int | None,
    progress: Callable[[int, int], Any] | None,
) -> tuple[list[dict[str, Any]], str]: ...
def problems(
    suite: str, rules: str | None, count: int, *, seed: int | None
) -> list[dict[str, Any]]: ...
def judge(
    problems: Sequence[Mapping[str, Any]], bot: Any, rules: str | None, *, seed: int | None
) -> list[dict[str, Any]]: ...
def review(
    record: Mapping[str, Any] | str,
    bot: Any,
    rules: str | None,
    seat: int | str | None,
    *,
    worlds: int,
    seed: int | None,
) -> dict[str, Any]: ...
def solve(
    hands: str,
    declarers: str,
    trump: str | None,
    goal: str,
    leader: int | str,
    actions: list[str],
    nodes: int,
) -> dict[str, tuple[int, int]]: ...
def solve_record(
    record: Mapping[str, Any] | str, rules: str | None, nodes: int
) -> dict[str, tuple[int, int]]: ...
def par(
    record: Mapping[str, Any] | str, rules: str | None, nodes: int
) -> dict[str, Any] | None: ...
def tensors(hidden: int, blocks: int) -> list[tuple[str, list[int]]]: ...
def save_bundle(
    path: str,
    weights: Mapping[str, NDArray[np.float32]],
    rules: str,
    *,
    hidden: int,
    blocks: int,
    reward_scale: float | None,
    seed: int,
    steps: int,
    deals: int,
    seconds: float,
    command: str,
    match_totals: bool,
    canonical_suits: bool,
) -> None: ...
def save_onnx_bundle(
    path: str,
    model: bytes,
    rules: str,
    *,
    reward_scale: float | None,
    seed: int,
    steps: int,
    deals: int,
    seconds: float,
    command: str,
    canonical_suits: bool,
    rule_features: bool,
    any_rules: bool,
) -> None: ...
def read_bundle(name: str) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]: ...
def unpack_into(rows: NDArray[np.uint8], out: NDArray[np.float32]) -> None: ...
def unpack_sparse(
    rows: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]: ...
def _write_moves(moves: bytes, player: int | None, out: NDArray[np.float32]) -> None: ...
