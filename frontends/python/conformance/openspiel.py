"""OpenSpiel's simulation test on the four games, its algorithms and its reinforcement-learning environment."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pyspiel
import troel
from harness import check
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import ismcts, mcts, random_agent
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver
from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver

PACKAGES = ("open_spiel", "numpy")
GAMES = troel.register_openspiel()


def deal(game: Any, rng: random.Random) -> Any:
    """A state in which the cards are dealt."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    return state


def seen(state: Any, player: int) -> tuple[Any, ...]:
    """All that OpenSpiel lets a player see of a state."""
    tensor = np.array(state.information_state_tensor(player), np.float32)
    observation = np.array(state.observation_tensor(player), np.float32)
    strings = state.information_state_string(player), state.observation_string(player)
    return *strings, tensor.tobytes(), observation.tobytes(), tuple(state.legal_actions(player))


@check()
def register_again() -> None:
    assert troel.register_openspiel() == GAMES and set(GAMES) <= set(pyspiel.registered_names())


@check(*GAMES)
def random_sim_test(name: str) -> None:
    for dealer in range(4):
        game = pyspiel.load_game(name, {"dealer": dealer})
        assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
        pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)


@check(*GAMES)
def random_sim_test_in_points(name: str) -> None:
    game = pyspiel.load_game(name, {"reward": "points"})
    is_general = game.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    assert is_general == (name in ("troel_luxembourg", "troel_horesca"))
    pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)


@check(*GAMES)
def deals(name: str) -> None:
    """Chance deals each card that is left with the same probability, round the table; the last is the turn-up."""
    game = pyspiel.load_game(name, {"dealer": 2})
    state, rng, dealt = game.new_initial_state(), random.Random(1), []
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        assert sorted(card for card, _ in outcomes) == sorted(set(range(52)) - set(dealt))
        assert all(probability == 1 / (52 - len(dealt)) for _, probability in outcomes)
        dealt.append(rng.choice(outcomes)[0])
        state.apply_action(dealt[-1])
    assert len(dealt) == 52 == game.max_chance_nodes_in_history()
    for place in range(4):
        view = state.view((3 + place) % 4)
        assert sorted(view.hand) == sorted(troel.ACTION_CODES[card] for card in dealt[place::4])
    turn_up = state.view(2).record().get("turn_up")
    assert turn_up == (troel.ACTION_CODES[dealt[-1]] if name in ("troel_wiezen", "troel_iwwa") else None)
    assert state.current_player() == 3


@check(*GAMES)
def serialisation(name: str) -> None:
    game = pyspiel.load_game(name)
    rng = random.Random(2)
    state = deal(game, rng)
    while True:
        again = game.new_initial_state()
        for action in state.history():
            again.apply_action(action)
        _, deserialised = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        for other in (again, deserialised, pickle.loads(pickle.dumps(state)), state.clone()):
            assert str(other) == str(state) and other.history() == state.history()
            assert other.returns() == state.returns()
            assert all(seen(other, player) == seen(state, player) for player in range(4))
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


@check(*GAMES)
def information_states(name: str) -> None:
    """Strings and tensors tell the same states apart, and a resampled state looks the same to its player."""
    game = pyspiel.load_game(name)
    rng = random.Random(3)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    tensors: dict[str, bytes] = {}
    different = 0
    for _ in range(10):
        state = deal(game, rng)
        while not state.is_terminal():
            player = state.current_player()
            string, _, tensor, *_ = view = seen(state, player)
            assert tensors.setdefault(string, tensor) == tensor
            if rng.random() < 0.2:
                other = state.resample_from_infostate(player, sampler)
                assert seen(other, player) == view
                assert other.current_player() == player
                different += str(other) != str(state)
            state.apply_action(rng.choice(state.legal_actions()))
    assert len(set(tensors.values())) == len(tensors) > 200 and different > 50


@check(*GAMES)
def outcome_sampling(name: str) -> None:
    """MCCFR on whole deals, in Python and in C++."""
    np.random.seed(1)
    solver = OutcomeSamplingSolver(pyspiel.load_game(name))
    for _ in range(5):
        solver.iteration()
    state = deal(pyspiel.load_game(name), random.Random(1))
    policy = solver.average_policy().action_probabilities(state)
    assert set(policy) <= set(state.legal_actions()) and abs(sum(policy.values()) - 1) < 1e-9
    compiled = pyspiel.OutcomeSamplingMCCFRSolver(pyspiel.load_game(name))
    for _ in range(5):
        compiled.run_iteration()


@check(*GAMES)
def external_sampling(name: str) -> None:
    """MCCFR that tries all actions of a player, so on the last four tricks of a deal: no deal is small enough."""
    np.random.seed(1)
    rng = random.Random(4)
    position = deal(pyspiel.load_game(name), rng)
    while position.view(0).phase != "play" or len(position.view(position.current_player()).hand) > 4:
        position.apply_action(rng.choice(position.legal_actions()))
        if position.is_terminal():
            position = deal(pyspiel.load_game(name), rng)

    class Ending(type(pyspiel.load_game(name))):  # type: ignore[misc]
        def new_initial_state(self) -> Any:
            return position.clone()

    solver = ExternalSamplingSolver(Ending())
    for _ in range(5):
        solver.iteration()
    policy = solver.average_policy().action_probabilities(position)
    assert set(policy) == set(position.legal_actions()) and abs(sum(policy.values()) - 1) < 1e-9


@check(*GAMES)
def is_mcts(name: str) -> None:
    """IS-MCTS for one player, against three who draw their actions."""
    game = pyspiel.load_game(name)
    state = deal(game, random.Random(5))
    rng = np.random.RandomState(5)
    searcher = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rng), uct_c=50.0, max_simulations=8, random_state=rng
    )
    others = [pyspiel.make_uniform_random_bot(player, player) for player in range(3)]
    bots = [*others, searcher]
    while not state.is_terminal():
        action = bots[state.current_player()].step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
    assert abs(sum(state.returns())) < 1e-9


@check(*GAMES)
def reinforcement_learning(name: str) -> None:
    for kind in rl_environment.ObservationType:
        env = rl_environment.Environment(name, observation_type=kind, enable_legality_check=True)
        env.seed(6)
        size = env.observation_spec()["info_state"][0]
        agents = [random_agent.RandomAgent(player, env.action_spec()["num_actions"]) for player in range(4)]
        for _ in range(3):
            step = env.reset()
            while not step.last():
                assert len(step.observations["info_state"][0]) == size
                step = env.step([agents[step.observations["current_player"]].step(step).action])
            for agent in agents:
                agent.step(step)
            assert abs(sum(step.rewards)) < 1e-9


@check()
def bad_parameters() -> None:
    for parameters in ({"dealer": 4}, {"reward": "match"}):
        try:
            pyspiel.load_game("troel_wiezen", parameters)
        except ValueError as error:
            assert next(iter(parameters)) in str(error)
        else:
            raise AssertionError(f"{parameters} were taken")
