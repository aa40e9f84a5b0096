"""Arguments that cannot be used: errors of a fitting type that name the argument and the remedy."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import troel
from conftest import need

DEAL = "N:AK.2.. QJ.3.. 32.4.. T9.5.."

#: What takes a whole number, by what it is called there.
NUMBERS: list[tuple[str, Callable[[Any], Any]]] = [
    ("seed", lambda n: troel.Game(seed=n)),
    ("seed", lambda n: troel.Game().reset(n)),
    ("seed", lambda n: troel.SelfPlayVectorEnv(2, seed=n)),
    ("seed", lambda n: troel.SelfPlayVectorEnv(2).reset(n)),
    ("seed", lambda n: troel.load("random", seed=n)),
    ("seed", lambda n: troel.evaluate("random", "random", deals=2, seed=n)),
    ("seed", lambda n: troel.sprt("random", "random", 0, 1, deals=2, seed=n)),
    ("seed", lambda n: troel.play("random", deals=2, seed=n)),
    ("seed", lambda n: troel.deals(seed=n)),
    ("seed", lambda n: troel.worlds(troel.Game().view(), 1, n)),
    ("num_envs", lambda n: troel.SelfPlayVectorEnv(n)),
    ("deals", lambda n: troel.evaluate("random", "random", deals=n)),
    ("deals", lambda n: troel.evaluate("random", "random", deals=(n, 3))),
    ("deals", lambda n: troel.sprt("random", "random", 0, 1, deals=n)),
    ("deals", lambda n: troel.play("random", deals=n)),
    ("threads", lambda n: troel.evaluate("random", "random", deals=2, threads=n)),
    ("count", lambda n: troel.deals(count=n)),
    ("count", lambda n: troel.problems("sure-contracts", count=n)),
    ("seed", lambda n: troel.problems("sure-contracts", count=1, seed=n)),
    ("seed", lambda n: troel.judge(troel.problems("sure-contracts", count=1), "rules", seed=n)),
    ("first", lambda n: troel.deals(first=n)),
    ("count", lambda n: troel.worlds(troel.Game().view(), n)),
    ("nodes", lambda n: troel.solve(DEAL, "NS", None, leader="N", nodes=n)),
    ("nodes", lambda n: troel.par(troel.deals()[0], nodes=n)),
    ("action", lambda n: troel.action_code(n)),
    ("index", lambda n: troel.SelfPlayVectorEnv(2).view(n)),
    ("index", lambda n: troel.SelfPlayVectorEnv(2).game(n)),
    ("hidden", lambda n: troel.tensor_shapes(n, 1)),
    ("blocks", lambda n: troel.tensor_shapes(8, n)),
]


@pytest.mark.parametrize(("name", "call"), NUMBERS)
def test_numbers_are_whole_and_in_range(name: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=f"{name}=-1: use a whole number from"):
        call(-1)
    with pytest.raises(ValueError, match=f"{name}=1000000000000000000000000000000: use a whole number"):
        call(10**30)
    for wrong in (1e3, "12", [1, 2, 3]):
        with pytest.raises(TypeError, match=f"{name}=.*whole number"):
            call(wrong)
    call(np.int64(1))


def test_numbers_of_gymnasium_environments_are_whole_and_in_range() -> None:
    need("gymnasium")
    for wrong in (-1, 0, 1 << 21):
        with pytest.raises(ValueError, match=f"num_envs={wrong}: use a whole number from 1 to 1048576"):
            troel.OneSeatVectorEnv(wrong)
    with pytest.raises(TypeError, match="num_envs=2.0"):
        troel.OneSeatVectorEnv(2.0)  # type: ignore[arg-type]
    envs = troel.OneSeatVectorEnv(2)
    for method in (envs.view, envs.learner):
        with pytest.raises(ValueError, match="index=2: use a whole number from 0 to 1"):
            method(2)
    with pytest.raises(ValueError, match="seed=18446744073709551616: use a whole number from 0 to 2"):
        troel.OneSeatEnv().reset(seed=2**64)
    with pytest.raises(ValueError, match="seat=None"):
        troel.OneSeatEnv(seat=None)  # type: ignore[arg-type]
    env = troel.OneSeatEnv()
    env.reset(seed=1)
    for wrong_action in (0.5, None, "pass", [1]):
        with pytest.raises(TypeError, match="action=.*0 to 132"):
            env.step(wrong_action)


def test_numbers_of_pettingzoo_environments_are_whole_and_in_range() -> None:
    need("pettingzoo", "gymnasium")
    for make in (troel.raw_env, troel.parallel_env):
        with pytest.raises(ValueError, match="seed=-1"):
            make().reset(seed=-1)
        with pytest.raises(TypeError, match="seed=0.5"):
            make().reset(seed=0.5)  # type: ignore[arg-type]
    env = troel.raw_env()
    env.reset(seed=1)
    with pytest.raises(TypeError, match="action=1.5"):
        env.step(1.5)


def test_networks_that_no_bundle_can_hold_are_refused() -> None:
    need("torch")
    from troel.torch import Network

    for sizes, word in [((0,), "hidden = 0"), ((-1,), "hidden=-1"), ((5000,), "hidden = 5000"), ((8, -1), "blocks=-1"), ((8, 65), "blocks = 65")]:
        with pytest.raises(ValueError, match=word):
            Network(*sizes)
    with pytest.raises(TypeError, match="hidden=8.0"):
        Network(8.0)  # type: ignore[arg-type]


def test_other_arguments_name_the_remedy(tmp_path: Path) -> None:
    weights = {name: np.zeros(shape, np.float32) for name, shape in troel.tensor_shapes(8, 0).items()}
    calls: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: troel.Game().view(-1), ValueError, "seat=-1: a seat is 0 to 3"),
        (lambda: troel.Game().view(1.5), ValueError, "seat=1.5: a seat is 0 to 3"),  # type: ignore[arg-type]
        (lambda: troel.evaluate("rules", "rules", deals=(1, 2, 3)), TypeError, "deals=.*a range such as"),  # type: ignore[arg-type]
        (lambda: troel.evaluate("rules", "rules", deals=None), TypeError, "deals=None"),  # type: ignore[arg-type]
        (lambda: troel.evaluate("rules", "rules", deals=(5, 5)), ValueError, "none"),
        (lambda: troel.play("rules", deals=(5, 4)), ValueError, "none"),
        (lambda: troel.evaluate("rules", "rules", deals=1, threads=0), ValueError, "threads=0"),
        (lambda: troel.evaluate("rules", "rules", deals=1, progress=3), TypeError, "progress=3"),  # type: ignore[arg-type]
        (lambda: troel.sprt("rules", "rules", 1, 0), ValueError, "lower first"),
        (lambda: troel.sprt("rules", "rules", "a", 1), TypeError, "low='a'"),  # type: ignore[arg-type]
        (lambda: troel.save_bundle(tmp_path / "a", 3), TypeError, "weights.*mapping"),  # type: ignore[arg-type]
        (lambda: troel.evaluate(3, "rules"), ValueError, "3 is not a bot: use a name"),  # type: ignore[arg-type]
        (lambda: troel.each(3), TypeError, "act=3"),  # type: ignore[arg-type]
        (lambda: troel.save_bundle(tmp_path / "a", weights, steps=-1), ValueError, "steps=-1"),
        (lambda: troel.save_bundle(tmp_path / "a", weights, deals=1.5), TypeError, "deals=1.5"),  # type: ignore[arg-type]
        (lambda: troel.save_bundle(tmp_path / "a", weights, seed=-1), ValueError, "seed=-1"),
        (lambda: troel.save_bundle(tmp_path / "a", weights, seconds=-1.0), ValueError, "seconds=-1"),
        (lambda: troel.deals(count=1 << 21), ValueError, "count=2097152: use a whole number from 0 to 1048576"),
    ]
    for call, kind, words in calls:
        with pytest.raises(kind, match=words):
            call()
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("rules", ["wiezen", "iwwa"])
def test_matches_need_a_target(rules: str) -> None:
    makes: list[Callable[..., Any]] = [lambda *a, **k: troel.Game(*a, **k), lambda *a, **k: troel.SelfPlayVectorEnv(2, *a, **k)]
    try:
        makes += [troel.OneSeatEnv, lambda *a, **k: troel.OneSeatVectorEnv(2, *a, **k), troel.raw_env, troel.parallel_env]
    except ImportError:
        need("gymnasium", "pettingzoo")
    for make in makes:
        with pytest.raises(ValueError, match=f"match=True: {rules} has no target .*leave it out"):
            make(rules, match=True)
        with pytest.raises(ValueError, match=f'reward="match": {rules} has no target .*"points"'):
            make(rules, reward="match")
        make("luxembourg", match=True, reward="match")
    with pytest.raises(ValueError, match="no target"):
        troel.Game.of_record(troel.deals(rules)[0], reward="match")


def test_no_seed_draws_one() -> None:
    deals = {troel.Game(seed=None).record()["deal"] for _ in range(3)}
    assert len(deals) == 3
    rows = {troel.SelfPlayVectorEnv(1, seed=None).observe().observations.tobytes() for _ in range(3)}
    assert len(rows) == 3
    seeds = {troel.evaluate("random", "random", deals=1, seed=None).report["seed"] for _ in range(3)}
    assert len(seeds) == 3
    assert troel.deals(seed=None) != troel.deals(seed=None)
    assert troel.load("random", seed=None)._native.seed != troel.load("random", seed=None)._native.seed


def test_a_seed_for_each_environment() -> None:
    need("gymnasium")
    envs = troel.OneSeatVectorEnv(3, "horesca", bots="rules")
    singles = [troel.OneSeatEnv("horesca", bots="rules") for _ in range(3)]
    for seeds in ([7, 5, 7], (1, 2, 3), np.array([4, 5, 6])):
        observations, _ = envs.reset(seed=seeds)
        for row, (env, seed) in enumerate(zip(singles, seeds, strict=True)):
            one, _ = env.reset(seed=int(seed))
            assert np.array_equal(one["observation"], observations["observation"][row])
    first = envs.reset(seed=[7, 5, 7])[0]["observation"]
    actions = envs.sample_actions()
    assert np.array_equal(first[0], first[2]) and not np.array_equal(first[0], first[1])
    assert np.array_equal(envs.reset(seed=[7, 5, 7])[0]["observation"], first)
    assert np.array_equal(envs.sample_actions(), actions)
    # Where there is none, the next deal.
    singles[1].reset(seed=5)
    observations, _ = envs.reset(seed=[7, None, 7])
    assert np.array_equal(observations["observation"][1], singles[1].reset()[0]["observation"])
    unseeded = [troel.OneSeatVectorEnv(2).reset(seed=[1, None])[0]["observation"] for _ in range(2)]
    assert np.array_equal(unseeded[0][0], unseeded[1][0])
    for wrong in ([1, 2.5, 3], 1.5, "123"):
        with pytest.raises(TypeError, match="seed=.*a sequence"):
            envs.reset(seed=wrong)  # type: ignore[arg-type]
    for wrong, words in [([1, 2], "seed has 2 entries"), ([1, -2, 3], "seed=-2")]:
        with pytest.raises(ValueError, match=words):
            envs.reset(seed=wrong)
    assert np.array_equal(envs.reset(seed=np.int64(5))[0]["observation"], envs.reset(seed=5)[0]["observation"])
    some = troel.OneSeatVectorEnv(2, "horesca", bots="rules", autoreset_mode="disabled")
    before = some.reset(seed=1)[0]["observation"]
    after = some.reset(seed=[9, 7], options={"reset_mask": np.array([False, True])})[0]["observation"]
    assert np.array_equal(after[0], before[0]) and np.array_equal(after[1], first[0])


def test_two_threads_on_one_environment_are_told() -> None:
    need("gymnasium")
    inside, go_on = threading.Event(), threading.Event()

    def slow(batch: troel.Batch) -> list[int]:
        inside.set()
        assert go_on.wait(60)
        return [view.legal[0] for view in batch.views]

    go_on.set()
    envs = troel.OneSeatVectorEnv(4, bots=slow)
    envs.reset(seed=1)
    actions = envs.sample_actions()
    go_on.clear()
    inside.clear()
    stepping = threading.Thread(target=lambda: [envs.step(envs.sample_actions()) for _ in range(8)])
    stepping.start()
    assert inside.wait(60)
    try:
        for call in (lambda: envs.step(actions), envs.sample_actions, envs.action_masks, lambda: envs.view(0), envs.reset):
            with pytest.raises(RuntimeError, match="in the middle of a step.*threading.Lock"):
                call()
    finally:
        go_on.set()
        stepping.join(60)
    assert not stepping.is_alive()
    envs.step(envs.sample_actions())


def test_paths_name_bots(tmp_path: Path) -> None:
    weights = {name: np.zeros(shape, np.float32) for name, shape in troel.tensor_shapes(8, 0).items()}
    troel.save_bundle(tmp_path / "bot", weights, "wiezen")
    assert troel.load(tmp_path / "bot").rules == "wiezen"
    assert troel.load_weights(tmp_path / "bot")[1]["rules"] == "wiezen"
    assert troel.evaluate(tmp_path / "bot", "random", deals=1).report["rules"] == "wiezen"


def test_notebooks_show_the_table() -> None:
    game = troel.Game("wiezen", seed=1)
    for shown in (game, game.view()):
        assert shown._repr_svg_() == shown.svg() and shown.svg().startswith("<svg")
    assert game._repr_svg_() != game.view()._repr_svg_()
