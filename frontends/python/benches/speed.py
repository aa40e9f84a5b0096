"""Decisions a second from Python: Troel beside OpenSpiel, RLCard and an environment of PettingZoo's that does nothing.

    python benches/speed.py                    # one core: RAYON_NUM_THREADS=1 python benches/speed.py
    pip install open_spiel rlcard pettingzoo   # what is not installed is left out, and said to be
    troel bench --only env-features/luxembourg --table --peer "python benches/speed.py --peer --only 'OpenSpiel bridge'"

Random legal actions through whole episodes, observation and mask read at every decision. Every row is run in turn with
the others, several rounds; medians and extremes over the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import troel

#: A row: a function that runs for the given number of seconds and returns decisions per second.
Row = Callable[[float], float]


def timed(step: Callable[[], int]) -> Row:
    """Repeats what makes some decisions, and counts them."""

    def run(seconds: float) -> float:
        decisions = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            decisions += step()
        return decisions / spent

    return run


def self_play(n: int, packed: bool = False) -> Row:
    envs = troel.SelfPlayVectorEnv(n, seed=1, packed=packed)

    def step() -> int:
        for _ in range(8):
            envs.step(envs.sample_actions())
        return 8 * n

    return timed(step)


def one_seat(n: int) -> Row:
    envs = troel.OneSeatVectorEnv(n, bots="rules", copy=False)
    envs.reset(seed=1)

    def step() -> int:
        envs.step(envs.sample_actions())
        return n

    return timed(step)


def game() -> Row:
    state = troel.Game(seed=1)
    rng = np.random.default_rng(1)

    def step() -> int:
        if state.done:
            state.reset()
        view = state.view()
        legal = np.flatnonzero(view.mask())
        view.features()
        state.step(int(legal[rng.integers(len(legal))]))
        return 1

    return timed(step)


def aec(env: Any) -> Row:
    """Through ``last()`` and ``step()``, as everybody drives it."""
    env.reset(seed=1)
    rng = np.random.default_rng(1)

    def step() -> int:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            return 0
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[rng.integers(len(legal))]))
        return 1

    return timed(step)


def empty() -> Any:
    """An AEC environment that does nothing, with spaces and episodes as long as Troel's: PettingZoo's own overhead."""
    from pettingzoo import AECEnv
    from troel.spaces import action_space, observation_space

    class Empty(AECEnv):  # type: ignore[misc,type-arg]
        metadata = {"name": "empty_v0", "render_modes": []}

        def __init__(self) -> None:
            super().__init__()
            self.possible_agents = list(troel.SEATS)
            self.seen = {
                "observation": np.zeros(troel.N_FEATURES, np.float32),
                "action_mask": np.ones(troel.N_ACTIONS, np.int8),
            }
            self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
            self.action_spaces = {agent: action_space() for agent in self.possible_agents}
            self.render_mode = None

        def observation_space(self, agent: str) -> Any:
            return self.observation_spaces[agent]

        def action_space(self, agent: str) -> Any:
            return self.action_spaces[agent]

        def reset(self, seed: int | None = None, options: Any = None) -> None:
            self.agents = list(self.possible_agents)
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
            self.steps = 0
            self.agent_selection = self.agents[0]

        def observe(self, agent: str) -> Any:
            return self.seen

        def step(self, action: Any) -> None:
            if self.terminations[self.agent_selection]:
                self._was_dead_step(action)
                return
            self.steps += 1
            self._cumulative_rewards[self.agent_selection] = 0.0
            self.agent_selection = self.agents[self.steps % 4]
            self._accumulate_rewards()
            if self.steps == 57:
                self.terminations = dict.fromkeys(self.agents, True)

    return Empty()


def openspiel(name: str) -> Row:
    import pyspiel

    troel.register_openspiel()
    game = pyspiel.load_game(name)
    rng = np.random.default_rng(1)
    state = game.new_initial_state()

    def step() -> int:
        nonlocal state
        if state.is_terminal():
            state = game.new_initial_state()
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes())
            state.apply_action(int(rng.choice(actions, p=chances)))
            return 0
        player = state.current_player()
        np.asarray(state.information_state_tensor(player) if has_information else state.observation_tensor(player), np.float32)
        np.asarray(state.legal_actions_mask(player))
        legal = state.legal_actions(player)
        state.apply_action(legal[rng.integers(len(legal))])
        return 1

    has_information = game.get_type().provides_information_state_tensor
    return timed(step)


def openspiel_observer(name: str) -> Row:
    """Information states in numpy arrays by an observer, instead of in lists."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    troel.register_openspiel()
    game = pyspiel.load_game(name)
    observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    rng = np.random.default_rng(1)
    state = game.new_initial_state()

    def step() -> int:
        nonlocal state
        if state.is_terminal():
            state = game.new_initial_state()
        if state.is_chance_node():
            outcomes = state.legal_actions()
            state.apply_action(outcomes[rng.integers(len(outcomes))])
            return 0
        observation.set_from(state, state.current_player())
        legal = state.legal_actions()
        state.apply_action(legal[rng.integers(len(legal))])
        return 1

    return timed(step)


def rlcard_env(name: str) -> Row:
    import rlcard

    env = rlcard.make(name, config={"seed": 1})
    rng = np.random.default_rng(1)
    state, _ = env.reset()

    def step() -> int:
        nonlocal state
        if env.is_over():
            state, _ = env.reset()
        legal = list(state["legal_actions"])
        state, _ = env.step(legal[rng.integers(len(legal))])
        return 1

    return timed(step)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="of each row in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose names contain this text")
    parser.add_argument("--peer", action="store_true", help="print JSON lines for `troel bench --peer` instead of a table")
    args = parser.parse_args()
    rows: dict[str, Callable[[], Row]] = {
        "SelfPlayVectorEnv, 64 deals": lambda: self_play(64),
        "SelfPlayVectorEnv, 1,024 deals": lambda: self_play(1024),
        "SelfPlayVectorEnv, 4,096 deals": lambda: self_play(4096),
        "SelfPlayVectorEnv, 1,024 deals, packed": lambda: self_play(1024, packed=True),
        "SelfPlayVectorEnv, 4,096 deals, packed": lambda: self_play(4096, packed=True),
        "SelfPlayVectorEnv, 16,384 deals": lambda: self_play(16384),
        "SelfPlayVectorEnv, 16,384 deals, packed": lambda: self_play(16384, packed=True),
        "OneSeatVectorEnv, 1,024 deals, three `rules` (decisions of the learner)": lambda: one_seat(1024),
        "troel.Game": game,
        "raw_env (AEC, no wrappers)": lambda: aec(troel.raw_env()),
        "an AEC environment that does nothing, no wrappers": lambda: aec(empty()),
        "env (AEC, PettingZoo's two wrappers)": lambda: aec(troel.env()),
        "the one that does nothing, the same wrappers": lambda: aec(_wrapped(empty())),
        "OpenSpiel bridge": lambda: openspiel("bridge(use_double_dummy_result=false)"),
        "OpenSpiel bridge, observer": lambda: openspiel_observer("bridge(use_double_dummy_result=false)"),
        "Troel in OpenSpiel": lambda: openspiel("troel_luxembourg"),
        "Troel in OpenSpiel, observer": lambda: openspiel_observer("troel_luxembourg"),
        "Troel in OpenSpiel, observer, one chance node": lambda: openspiel_observer("troel_luxembourg(deals=1000)"),
        "OpenSpiel spades": lambda: openspiel("spades"),
        "RLCard bridge": lambda: rlcard_env("bridge"),
        "RLCard doudizhu": lambda: rlcard_env("doudizhu"),
    }
    made: dict[str, Row] = {}
    for name, make in rows.items():
        if args.only not in name:
            continue
        try:
            made[name] = make()
        except (ImportError, RuntimeError) as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
    found: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(args.rounds):
        for name, row in made.items():
            found[name].append(row(args.seconds))
    if args.peer:
        for name, rates in found.items():
            row = {"name": name, "value": round(statistics.median(rates)), "unit": "decisions/s"}
            # Troel's random play of whole deals.
            print(json.dumps(row | {"beside": "env-features/luxembourg"}))
        return
    print("| decisions/s | median | least | most |\n|---|---|---|---|")
    for name, rates in found.items():
        middle, least, most = statistics.median(rates), min(rates), max(rates)
        print(f"| {name} | {middle:,.0f} | {least:,.0f} | {most:,.0f} |")


def _wrapped(env: Any) -> Any:
    from pettingzoo.utils import wrappers

    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


if __name__ == "__main__":
    main()
