"""OpenSpiel's simulation test on the four games, its algorithms and its reinforcement-learning environment."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import troel
from harness import check
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts, random_agent
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver
from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver
from open_spiel.python.observation import make_observation

PACKAGES = ("open_spiel", "numpy")
GAMES = [name for name in troel.register_openspiel() if name != "troel"]


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
    names = troel.register_openspiel()
    assert names == ["troel", *GAMES] and set(names) <= set(pyspiel.registered_names())


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


@check(*GAMES)
def factored_observations(name: str) -> None:
    """The public and the private parts change with what they show, and with nothing else."""
    game = pyspiel.load_game(name)
    rng = random.Random(7)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    kinds = pyspiel.PrivateInfoType
    public, private, public_history, private_history = (
        make_observation(
            game,
            pyspiel.IIGObservationType(
                perfect_recall=recall, public_info=is_public, private_info=private_info
            ),
        )
        for recall in (False, True)
        for is_public, private_info in ((True, kinds.NONE), (False, kinds.SINGLE_PLAYER))
    )

    def of(observation: Any, state: Any, player: int) -> tuple[str, bytes]:
        observation.set_from(state, player)
        return observation.string_from(state, player), observation.tensor.tobytes()

    tricks = set()
    for _ in range(6):
        state = deal(game, rng)
        while not state.is_terminal():
            other = state.resample_from_infostate(state.current_player(), sampler)
            for part in (public, public_history):
                assert len({of(part, world, player) for world in (state, other) for player in range(4)}) == 1
            hands = [of(private, state, player) for player in range(4)]
            dealt = [of(private_history, state, player) for player in range(4)]
            for player in range(4):
                private.set_from(state, player)
                held = {troel.ACTION_CODES[card] for card in np.flatnonzero(private.dict["hand"])}
                assert held == set(state.view(player).hand)
                private_history.set_from(state, player)
                assert private_history.dict["hand"].sum() == 13
            assert len(set(hands)) == len(set(dealt)) == 4 or not state.view(0).hand
            before = [of(private, world, state.current_player()) for world in (state, other)]
            assert before[0] == before[1]
            public.set_from(state, 0)
            tricks.add(int(public.dict["trick"].sum()))
            state.apply_action(rng.choice(state.legal_actions()))
    assert tricks == {0, 1, 2, 3}


@check()
def one_chance_node() -> None:
    """`deals` are those of `troel.deals`, all with the same probability; `scenario` shapes them."""
    for scenario in ("any", "misere"):
        text = f"troel_wiezen(dealer=3,deals=20,seed=5,scenario={scenario})"
        game = pyspiel.load_game(text)
        records = troel.deals("wiezen", 20, seed=5, scenario=scenario)
        state = game.new_initial_state()
        assert state.chance_outcomes() == [(n, 1 / 20) for n in range(20)]
        for number in (0, 7, 19):
            child = state.child(number)
            record = child.view(3).record()
            if number % 4 == 3:  # the dealer of deal n of troel.deals is seat n modulo 4
                hands = [of["deal"].removeprefix("N:").split(" ")[3] for of in (record, records[number])]
                assert hands[0] == hands[1]
            assert child.current_player() == 0 and str(child) != str(state)
            assert child.history() == [number]
            assert state.action_to_string(pyspiel.PlayerId.CHANCE, number) == f"deal {number}"
        pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)


@check()
def any_rules() -> None:
    """`troel` takes a rule set or a rule file, also one with a smaller deck."""
    for name in troel.RULES:
        one, other = pyspiel.load_game(f"troel(rules={name})"), pyspiel.load_game(f"troel_{name}")
        rng = random.Random(8)
        state, twin = one.new_initial_state(), other.new_initial_state()
        while not state.is_terminal():
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            twin.apply_action(action)
            assert str(state) == str(twin)
        assert state.returns() == twin.returns()
    path = Path(__file__).resolve().parents[3] / "examples" / "rules" / "small-16.toml"
    game = pyspiel.load_game("troel", {"rules": str(path)})
    assert game.max_chance_nodes_in_history() == 16
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)


@check("troel_luxembourg(deals=4)", "troel_wiezen(deals=4,dealer=1)")
def playthrough(name: str) -> None:
    """A recorded deal, state by state, is what OpenSpiel's generator writes."""
    file = name.replace("(", "_").replace(")", "").replace("=", "_").replace(",", "_") + ".txt"
    path = Path(__file__).parent / "playthroughs" / file
    text = generate_playthrough.playthrough(name, action_sequence=None, seed=1)
    # Hashes of the tensors, which would take 10 kB for each state.
    text = re.sub(
        r"(Tensor.* = )(.{200,})",
        lambda line: line[1] + hashlib.sha256(line[2].encode()).hexdigest(),
        text,
    )
    if os.environ.get("TROEL_WRITE_PLAYTHROUGHS"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@check()
def bad_parameters() -> None:
    for name, parameters in (
        ("troel_wiezen", {"dealer": 4}),
        ("troel_wiezen", {"reward": "match"}),
        ("troel_wiezen", {"deals": -1}),
        ("troel_wiezen", {"scenario": "misere"}),
        ("troel_wiezen", {"scenario": "mystery", "deals": 5}),
        ("troel_wiezen", {"seed": -1, "deals": 5}),
        ("troel", {"rules": "mystery"}),
    ):
        try:
            pyspiel.load_game(name, parameters)
        except ValueError as error:
            assert next(iter(parameters)) in str(error) or "mystery" in str(error), error
        else:
            raise AssertionError(f"{parameters} were taken")
