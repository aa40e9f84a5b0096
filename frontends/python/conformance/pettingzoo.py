"""PettingZoo's own tests, on both forms of the environment under all rule sets."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator

import numpy as np
import troel
from gymnasium.utils.env_checker import data_equivalence
from harness import check
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test
from pettingzoo.utils import parallel_to_aec

PACKAGES = ("pettingzoo", "gymnasium", "numpy")


@contextlib.contextmanager
def strictly() -> Iterator[None]:
    """Takes what PettingZoo warns of for a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Dicts with an action mask are PettingZoo's convention, but only its own games are exempt,
        # by name. The agents are named after the seats.
        for what in (
            "Observation space for each agent probably should be",
            "Observation is not a NumPy array",
            "We recommend agents to be named",
        ):
            warnings.filterwarnings("ignore", message=what)
        yield


@check(*troel.RULES)
def api(rules: str) -> None:
    env = troel.env(rules)
    with strictly():
        for _ in range(10):  # each time with other deals
            api_test(env, num_cycles=1000)


@check("luxembourg", "horesca")
def api_of_matches(rules: str) -> None:
    with strictly():
        api_test(troel.env(rules, match=True, reward="match"), num_cycles=1000)


@check(*troel.RULES)
def seed(rules: str) -> None:
    with strictly():
        seed_test(lambda: troel.env(rules), num_cycles=200)


@check(*troel.RULES)
def parallel_api(rules: str) -> None:
    env = troel.parallel_env(rules)
    with strictly():
        for _ in range(10):
            parallel_api_test(env, num_cycles=500)


# The next two draw actions without heed to the mask, so what is not legal has to be replaced.
@check(*troel.RULES)
def parallel_seed(rules: str) -> None:
    with strictly():
        parallel_seed_test(lambda: troel.parallel_env(rules, illegal="random"), num_cycles=200)


@check(*troel.RULES)
def parallel_seed_to_the_end(rules: str) -> None:
    """The same for whole deals: in PettingZoo 1.27.0 the test ends with its first step, since it asks
    ``any(terminations)`` of a dict, which is true of its keys."""
    first, second = (troel.parallel_env(rules, illegal="random") for _ in range(2))
    for seed in range(5):
        assert data_equivalence(first.reset(seed=seed), second.reset(seed=seed))
        draws = np.random.default_rng(seed)
        while first.agents:
            actions = {agent: draws.integers(troel.N_ACTIONS) for agent in first.agents}
            assert data_equivalence(first.step(actions), second.step(actions))
        assert not second.agents


@check(*troel.RULES)
def state(rules: str) -> None:
    with strictly():
        state_test(troel.env(rules, illegal="random"), troel.parallel_env(rules), num_cycles=100)


@check(*troel.RULES)
def parallel_to_aec_api(rules: str) -> None:
    with strictly():
        api_test(parallel_to_aec(troel.parallel_env(rules, illegal="random")), num_cycles=200)


@check()
def render() -> None:
    with strictly(), contextlib.redirect_stdout(io.StringIO()):
        render_test(troel.env)


@check()
def performance() -> None:
    performance_benchmark(troel.env())
