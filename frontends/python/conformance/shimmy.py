"""Shimmy's OpenSpiel compatibility wrapper over the OpenSpiel games, with PettingZoo's tests."""

from __future__ import annotations

import numpy as np
import troel
from gymnasium.utils.env_checker import data_equivalence
from harness import Skip, check
from pettingzoo.test import api_test
from shimmy import OpenSpielCompatibilityV0

PACKAGES = ("shimmy", "open_spiel", "pettingzoo", "gymnasium", "numpy")
GAMES = troel.register_openspiel()


@check(*GAMES)
def api(name: str) -> None:
    api_test(OpenSpielCompatibilityV0(game_name=name), num_cycles=200)


@check(*GAMES)
def seed(name: str) -> None:
    """Equal seeds give equal episodes. PettingZoo's own test of it cannot pass: Shimmy 2.0.1 makes its action spaces
    anew in every step, and their seeds are lost with them."""
    first, second = (OpenSpielCompatibilityV0(game_name=name) for _ in range(2))
    for number in range(5):
        draws = np.random.default_rng(number)
        first.reset(seed=number)
        second.reset(seed=number)
        for agent in first.agent_iter():
            assert agent == second.agent_selection
            last = first.last()
            assert data_equivalence(last, second.last())
            _, _, terminated, truncated, info = last
            over = terminated or truncated
            action = None if over else int(draws.choice(np.flatnonzero(info["action_mask"])))
            first.step(action)
            second.step(action)
        assert not second.agents


@check(*GAMES)
def whole_deals(name: str) -> None:
    """Episodes end where the deal does, with rewards that add up to zero."""
    env = OpenSpielCompatibilityV0(game_name=name)
    draws = np.random.default_rng(1)
    for number in range(5):
        env.reset(seed=number)
        _, _, terminated, truncated, info = env.last()
        while not (terminated or truncated):
            env.step(int(draws.choice(np.flatnonzero(info["action_mask"]))))
            _, _, terminated, truncated, info = env.last()
        if not terminated:
            moves = env.game_length - 1 - 52
            assert moves <= env.game_state.get_game().max_game_length()
            raise Skip(
                "Shimmy 2.0.1 cuts deals short, since it counts the 52 chance nodes of the deal towards "
                f"max_game_length, which by OpenSpiel's definition leaves them out (here after {moves} moves)"
            )
        # Not the reward of env.last(): when an agent leaves, Shimmy 2.0.1 adds it again for each
        # agent that remains.
        assert len(env.rewards) == 4 and abs(sum(env.rewards.values())) < 1e-6
