"""Colour whist for reinforcement learning.

Four players bid in an auction that forms the partnerships of the deal, and then play thirteen
tricks. The rule sets are those of Luxembourg and Flanders (``troel.RULES``: luxembourg, horesca,
wiezen, iwwa). Wherever a rule set is named, the path of a rule file can be given.

Environments:

- ``troel.env`` and ``troel.parallel_env``: PettingZoo, all four seats.
- ``troel.OneSeatEnv`` and ``troel.OneSeatVectorEnv``: Gymnasium; one seat learns, and bots play at
  the others. Once ``troel`` is imported, ``gymnasium.make("troel/luxembourg-v0")`` and
  ``gymnasium.make_vec`` make them, too.
- ``troel.SelfPlayVectorEnv``: many deals that step together in numpy arrays, to train all four
  seats by self-play.
- ``troel.register_openspiel()``: OpenSpiel games, such as ``troel_luxembourg``.
- ``troel.Game``: one deal or match, without any framework.

Other parts of the package:

- bots: ``load``, ``play``
- duplicate evaluation: ``evaluate``, ``sprt``
- problems with known answers: ``problems``, ``judge``
- reviews of played deals: ``review``
- the double-dummy solver: ``solve``, ``par``
- packed observations: ``unpack``, ``unpack_sparse``
- game records: ``encode``, ``observe``, ``action_numbers``, ``deals``, ``worlds``
- the trainer: ``train``
- the laboratory: ``compare``, ``ladder``, ``behaviour``, ``exploit``, ``matches``, ``corpus``
- networks trained in Python: ``save_bundle``, ``save_onnx_bundle``

Seats are 0 to 3 for North, East, South and West. Actions are 0 to ``N_ACTIONS - 1``: the cards,
then the calls. ``troel.action_code`` and ``troel.ACTION_CODES`` have their codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import processor as processor  # first: it checks the processor
from ._troel import (
    ACTION_VERSION,
    FEATURE_VERSION,
    HISTORY_LENGTH,
    N_ACTIONS,
    N_FEATURES,
    N_FULL_FEATURES,
    N_HISTORY_TOKENS,
    PACKED_FULL_SIZE,
    PACKED_SIZE,
    RELEASED,
    RULES,
    Batch,
    Game,
    IllegalAction,
    View,
    __version__,
    action_code,
    action_numbers,
    deals,
    feature_blocks,
    observe,
    rules,
    worlds,
)
from .agents import Agent, Decision, each, load
from .bundles import load_weights, save_bundle, save_onnx_bundle, tensor_shapes
from .evaluation import Match, evaluate, play, sprt
from .judging import judge, problems
from .laboratory import (
    Behaviour,
    Comparison,
    Corpus,
    Exploitation,
    Ladder,
    Losses,
    MatchWins,
    behaviour,
    compare,
    corpus,
    exploit,
    ladder,
    matches,
)
from .packed import SparseRows, unpack, unpack_sparse
from .records import Encoded, encode, read_corpus, read_ladder, read_records
from .reviews import review
from .seats import SEATS
from .solving import Bounds, par, solve, solve_record
from .training import Run, TrainingError, train
from .vector import SelfPlayVectorEnv, Transition

#: Codes of all actions, by number.
ACTION_CODES: tuple[str, ...] = tuple(action_code(action) for action in range(N_ACTIONS))

if TYPE_CHECKING:
    from .gymnasium_env import OneSeatEnv, OneSeatVectorEnv
    from .openspiel_game import register as register_openspiel
    from .pettingzoo_env import env, parallel_env, raw_env

# Module, attribute and extra of each name that needs a framework. It is imported at its first use.
_LAZY = {
    "env": ("pettingzoo_env", "env", "pettingzoo"),
    "raw_env": ("pettingzoo_env", "raw_env", "pettingzoo"),
    "parallel_env": ("pettingzoo_env", "parallel_env", "pettingzoo"),
    "OneSeatEnv": ("gymnasium_env", "OneSeatEnv", "gymnasium"),
    "OneSeatVectorEnv": ("gymnasium_env", "OneSeatVectorEnv", "gymnasium"),
    "register_openspiel": ("openspiel_game", "register", "openspiel"),
}

__all__ = [
    "ACTION_CODES",
    "ACTION_VERSION",
    "Agent",
    "Batch",
    "Behaviour",
    "Bounds",
    "Comparison",
    "Corpus",
    "Decision",
    "Encoded",
    "Exploitation",
    "FEATURE_VERSION",
    "Game",
    "HISTORY_LENGTH",
    "IllegalAction",
    "Ladder",
    "Losses",
    "Match",
    "MatchWins",
    "N_ACTIONS",
    "N_FEATURES",
    "N_FULL_FEATURES",
    "N_HISTORY_TOKENS",
    "OneSeatEnv",
    "OneSeatVectorEnv",
    "PACKED_FULL_SIZE",
    "PACKED_SIZE",
    "RELEASED",
    "RULES",
    "Run",
    "SEATS",
    "SelfPlayVectorEnv",
    "SparseRows",
    "TrainingError",
    "Transition",
    "View",
    "__version__",
    "action_code",
    "action_numbers",
    "behaviour",
    "compare",
    "corpus",
    "deals",
    "each",
    "encode",
    "env",
    "evaluate",
    "exploit",
    "feature_blocks",
    "judge",
    "ladder",
    "load",
    "load_weights",
    "matches",
    "observe",
    "par",
    "parallel_env",
    "play",
    "problems",
    "raw_env",
    "read_corpus",
    "read_ladder",
    "read_records",
    "register_openspiel",
    "review",
    "rules",
    "save_bundle",
    "save_onnx_bundle",
    "solve",
    "solve_record",
    "sprt",
    "tensor_shapes",
    "train",
    "unpack",
    "unpack_sparse",
    "worlds",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module, attribute, extra = _LAZY[name]
    try:
        value = getattr(importlib.import_module(f".{module}", __name__), attribute)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("troel"):
            raise
        raise ImportError(
            f'troel.{name} needs {error.name}: pip install "troel[{extra}]"'
        ) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Returns the public names, except those that need an extra that is not installed."""
    # help() reads the value of each name, and a missing extra would raise ImportError.
    from importlib.util import find_spec

    packages = {"gymnasium": "gymnasium", "pettingzoo": "pettingzoo", "openspiel": "pyspiel"}
    missing = {extra for extra, package in packages.items() if find_spec(package) is None}
    unusable = {name for name, (_, _, extra) in _LAZY.items() if extra in missing}
    return sorted((set(globals()) | set(__all__)) - unusable)


def _register_gymnasium() -> None:
    """Registers the single-agent environments, if Gymnasium is installed."""
    try:
        from gymnasium.envs.registration import register
    except ModuleNotFoundError:
        return
    for name in RULES:
        register(
            id=f"troel/{name}-v0",
            entry_point="troel.gymnasium_env:OneSeatEnv",
            vector_entry_point="troel.gymnasium_env:OneSeatVectorEnv",
            kwargs={"rules": name},
        )


_register_gymnasium()
