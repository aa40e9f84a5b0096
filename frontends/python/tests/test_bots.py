"""Bots: those of the program, those in Python, bundles; matches, corpora, deals to records."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import troel
from conftest import ROOT, need


def test_agents_decide_on_whatever_holds_a_view() -> None:
    game = troel.Game("luxembourg", seed=2)
    agent = troel.load("luxembourg-v5")
    decision = agent.decide(game)
    assert decision.action == agent.act(game) == agent.act(game.view())
    assert decision.code in game.codes
    assert set(decision.policy) == set(game.codes)
    assert sum(decision.policy.values()) == pytest.approx(1, abs=1e-4)
    assert decision.value is not None
    views = []
    while not game.done:
        views.append(game.view())
        game.step(agent.act(game))
    assert agent.act(views).tolist() == [agent.act(view) for view in views]
    with pytest.raises(ValueError, match="turn"):
        agent.act(troel.Game(seed=2).view((troel.Game(seed=2).turn + 1) % 4))
    with pytest.raises(ValueError, match="plays luxembourg"):
        agent.act(troel.Game("wiezen"))
    with pytest.raises(ValueError, match="view"):
        agent.act({"observation": 1})


def lowest(batch: troel.Batch) -> np.ndarray:
    """Plays the lowest legal action."""
    return batch.masks().argmax(axis=1)


class Seeded:
    """Draws from the legal actions."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, batch: troel.Batch) -> list[int]:
        assert batch.features().shape == (len(batch), troel.N_FEATURES)
        return [int(self.rng.choice(view.legal)) for view in batch.views]


def test_matches_are_those_of_the_program(program: str) -> None:
    args = ["expert", "rules", "--rules", "wiezen", "--deals", "10..60", "--seed", "3", "--json"]
    theirs = json.loads(subprocess.run([program, "eval", *args], capture_output=True, check=True).stdout)
    ours = troel.evaluate("expert", "rules", "wiezen", (10, 60), seed=3).report
    theirs.pop("commit")
    assert ours == theirs


def test_bots_in_python_play_matches() -> None:
    one = troel.evaluate(lowest, "random", "horesca", deals=20, threads=1)
    assert one.challenger == "lowest" and one.deals == 20
    assert one.ci95[0] < one.points_per_deal < one.ci95[1]
    assert one.report == troel.evaluate(lowest, "random", "horesca", deals=20, threads=2).report
    by_view = troel.each(lambda view: min(view.legal))
    assert troel.evaluate(by_view, "random", "horesca", deals=20).points_per_deal == one.points_per_deal
    seeded = [troel.evaluate(Seeded, "random", "horesca", deals=100, threads=n) for n in (1, 2)]
    assert seeded[0].report == seeded[1].report
    assert "Seeded against random" in str(seeded[0])
    assert troel.evaluate(troel.load("rules"), "random", deals=5).challenger == "rules"


def test_what_a_bot_raises_is_raised() -> None:
    def broken(batch: troel.Batch) -> list[int]:
        raise KeyError("my fault")

    for bot, error in [
        (broken, KeyError),
        (lambda batch: [0] * len(batch), ValueError),
        (lambda batch: [], ValueError),
        (lambda batch: [999] * len(batch), ValueError),
        (lambda batch: ["pass"] * len(batch), ValueError),
        (lambda batch: batch.masks().argmax(axis=1) + 0.5, ValueError),
    ]:
        with pytest.raises(error):
            troel.evaluate(bot, "rules", deals=2)


def test_sequential_tests_end_when_they_know() -> None:
    match = troel.sprt("rules", "random", 0.0, 1.0, "wiezen", deals=2000)
    assert match.verdict == "high" and match.deals < 2000
    open_ended = troel.sprt("rules", "rules", -0.1, 0.1, deals=64)
    assert open_ended.verdict == "open"


def test_what_is_printed_of_a_match_is_what_the_program_says(program: str) -> None:
    """The remark on the interval and the verdict, to the letter."""
    for bots, deals, means in [
        (("rules", "random"), 2000, (0.0, 1.0)),
        (("rules", "expert"), 64, (0.0, 0.1)),
        (("rules", "random"), 2, (0.0, 1.0)),
    ]:
        args = [*bots, "--rules", "wiezen", "--deals", str(deals), "--sprt", *map(str, means)]
        theirs = subprocess.run([program, "eval", *args], capture_output=True, text=True, check=True).stdout
        match = troel.sprt(*bots, *means, "wiezen", deals=deals)
        first, second = str(match).splitlines()
        assert second in theirs.splitlines() and second.startswith("sequential test: ")
        assert first.endswith(f"({match.deals} deals)  {match.note}") and f"  {match.note}\n" in theirs
    assert "not significant" in str(troel.evaluate("rules", "expert", "wiezen", deals=10))
    assert "all deals gave the same" in str(troel.evaluate("rules", "rules", "wiezen", deals=10))
    assert "too few deals" in str(troel.evaluate("rules", "random", "wiezen", deals=1))
    assert str(troel.evaluate("rules", "random", "wiezen", deals=200)).endswith("(200 deals)")


def test_bundles_play_what_the_network_says(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    shapes = troel.tensor_shapes(hidden=24, blocks=2)
    weights = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    troel.save_bundle(tmp_path / "bot", weights, "wiezen", steps=7, reward_scale=10.0)
    read, info = troel.load_weights(str(tmp_path / "bot"))
    assert info["steps"] == 7 and info["rules"] == "wiezen"
    assert all(np.array_equal(read[name], weights[name]) for name in weights if name != "input.weight")
    # A network that saw no match points in training does not look at them.
    ignored = (read["input.weight"] != weights["input.weight"]).any(axis=1)
    names = np.concatenate([[name] * length for name, length, _ in troel.feature_blocks()])
    assert set(names[ignored]) == {"TOTALS"} and not read["input.weight"][ignored].any()
    troel.save_bundle(tmp_path / "seen", weights, "wiezen", match_totals=True)
    assert np.array_equal(troel.load_weights(str(tmp_path / "seen"))[0]["input.weight"], weights["input.weight"])
    agent = troel.load(str(tmp_path / "bot"))
    assert agent.rules == "wiezen"
    game = troel.Game("wiezen", seed=8)
    while not game.done:
        view = game.view()
        x = np.maximum(view.features() @ weights["input.weight"] + weights["input.bias"], 0)
        for block in ("blocks.0", "blocks.1"):
            inner = np.maximum(x @ weights[f"{block}.first.weight"] + weights[f"{block}.first.bias"], 0)
            x = x + inner @ weights[f"{block}.second.weight"] + weights[f"{block}.second.bias"]
        x = np.maximum(x, 0)
        logits = x @ weights["policy.weight"] + weights["policy.bias"]
        decision = agent.decide(view)
        assert decision.action == max(view.legal, key=lambda action: logits[action])
        value = (x @ weights["value.weight"] + weights["value.bias"]).item()
        assert decision.value == pytest.approx(10 * value, rel=1e-3, abs=1e-3)
        game.step(decision.action)


def test_bundles_that_cannot_be_are_refused(tmp_path: Path) -> None:
    shapes = troel.tensor_shapes(8, 0)
    good = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    for scale in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="reward_scale"):
            troel.save_bundle(tmp_path / "bot", good, reward_scale=scale)
    for change, word in [
        ({"input.weight": np.zeros((3, 8), np.float32)}, "shape"),
        ({"policy.bias": np.full(shapes["policy.bias"], np.nan, np.float32)}, "finite"),
        ({"more": np.zeros(1, np.float32)}, "more"),
    ]:
        with pytest.raises(ValueError, match=word):
            troel.save_bundle(tmp_path / "bot", {**good, **change})
    del good["value.bias"]
    with pytest.raises(ValueError, match="value.bias"):
        troel.save_bundle(tmp_path / "bot", good)
    assert not (tmp_path / "bot").exists()


def test_saving_never_takes_other_files(tmp_path: Path) -> None:
    weights = {name: np.zeros(shape, np.float32) for name, shape in troel.tensor_shapes(8, 0).items()}
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(ValueError, match="thesis"):
        troel.save_bundle(tmp_path, weights)
    with pytest.raises(ValueError, match="file"):
        troel.save_bundle(tmp_path / "thesis.tex", weights)
    assert (tmp_path / "thesis.tex").read_text() == "x"
    troel.save_bundle(tmp_path / "bot", weights)
    troel.save_bundle(tmp_path / "bot", weights)


def test_torch_networks_are_bundles(tmp_path: Path) -> None:
    need("torch")
    import torch
    from troel.torch import Network, masked

    torch.manual_seed(1)
    network = Network(hidden=32, blocks=1)
    torch.nn.init.normal_(network.policy.weight)
    network.save(tmp_path / "bot", "iwwa")
    again = Network.load(str(tmp_path / "bot"))
    agent = troel.load(str(tmp_path / "bot"))
    game = troel.Game("iwwa", seed=2)
    while not game.done:
        view = game.view()
        with torch.no_grad():
            logits, _ = again(torch.from_numpy(view.features())[None])
        policy = masked(logits, torch.from_numpy(view.mask())[None])
        decision = agent.decide(view)
        assert decision.log_prob == pytest.approx(float(policy.log_prob(torch.tensor([decision.action]))), abs=1e-3)
        game.step(decision.action)
    with pytest.raises(ValueError, match="features of the rules"):
        Network.load("universal-v2")


def test_a_network_that_is_trained_further_has_all_its_decisions(tmp_path: Path) -> None:
    need("torch")
    from troel.torch import Network

    network = Network(hidden=8, blocks=0)
    network.save(tmp_path / "first", "iwwa", steps=100, deals=10, seconds=2.5)
    further = Network.load(tmp_path / "first")
    for folder in ("second", "again"):  # Saving does not count the decisions twice.
        further.save(tmp_path / folder, "iwwa", steps=7, seconds=0.5)
        info = troel.load_weights(tmp_path / folder)[1]
        assert (info["steps"], info["deals"], info["train_seconds"]) == (107, 10, 3.0)
    further.save(tmp_path / "unchanged", "iwwa")
    assert troel.load_weights(tmp_path / "unchanged")[1]["steps"] == 100


def test_state_dictionaries_know_their_suits(tmp_path: Path) -> None:
    need("torch")
    import torch
    from troel.torch import Network

    network = Network(hidden=8, blocks=0, canonical_suits=True)
    torch.save(network.state_dict(), tmp_path / "state.pt")
    state = torch.load(tmp_path / "state.pt", weights_only=True)
    with pytest.raises(RuntimeError, match=r"canonical_suits=True: use Network\(…, canonical_suits=True\)"):
        Network(hidden=8, blocks=0).load_state_dict(state)
    with pytest.raises(RuntimeError, match="canonical_suits=False"):
        network.load_state_dict(Network(hidden=8, blocks=0).state_dict())
    network.load_state_dict(state)
    # As a part of another module, and from a plain dict, which does not know its suits.
    with pytest.raises(RuntimeError, match="canonical_suits=True"):
        torch.nn.Sequential(Network(hidden=8, blocks=0)).load_state_dict(
            torch.nn.Sequential(network).state_dict()
        )
    Network(hidden=8, blocks=0).load_state_dict(dict(state))


def test_results_do_not_depend_on_threads_or_pieces() -> None:
    whole = troel.evaluate(Seeded, "random", "luxembourg", (10, 600))
    assert whole.report == troel.evaluate(Seeded, "random", "luxembourg", (10, 600), threads=2).report
    results = [troel.evaluate("rules", "random", "luxembourg", (10, 600), threads=n).report for n in (1, 2, 3)]
    assert results[0] == results[1] == results[2]
    # A bot with a state of its own is asked in one order.
    first, second = [troel.evaluate(Seeded(1), "random", "luxembourg", 200).report for _ in range(2)]
    assert first == second
    ended = [troel.sprt("rules", "random", 0.0, 1.0, deals=(10, 2000), threads=n).report for n in (1, 2)]
    assert ended[0] == ended[1]


def test_bots_may_play_matches_themselves() -> None:
    def deep(batch: troel.Batch) -> list[int]:
        troel.evaluate("rules", "rules", "wiezen", deals=1, threads=2)
        return [view.legal[0] for view in batch.views]

    assert troel.evaluate(deep, "random", "wiezen", deals=1).deals == 1


def test_an_interrupt_ends_a_match() -> None:
    code = (
        "import signal, troel\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print('ready', flush=True)\n"
        "try: troel.evaluate('pimc:worlds=200', 'pimc:worlds=200', deals=10_000)\n"
        "except KeyboardInterrupt: print('interrupted', flush=True)\n"
        "import os; os._exit(0)\n"
    )
    path = str(Path(troel.__file__).parents[1])
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n"


def test_corpora_are_arrays(tmp_path: Path, program: str) -> None:
    out = tmp_path / "corpus"
    command = [program, "corpus", "make", "--rules", "wiezen", "--deals", "2", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.fail(done.stderr)
    shards = [path for path in ([out] if out.is_file() else sorted(out.rglob("*"))) if path.is_file()]
    arrays, info = troel.read_corpus(next(path for path in shards if path.suffix == ".safetensors"))
    assert info["rules"] == "wiezen"
    n = len(arrays["deal"])
    assert arrays["owner"].shape == (n, 52) and len(arrays["first"]) == n + 1
    assert arrays["points"].shape == (arrays["first"][-1], 2)
    with pytest.raises(ValueError, match="corpus"):
        troel.read_corpus(ROOT / "README.md")


def test_a_bot_for_one_rule_set_decides_the_rules() -> None:
    (record,) = troel.play(["universal-v2", "wiezen-v5", "rules", "rules"])
    assert record["rules"] == "wiezen"
    with pytest.raises(ValueError, match="cannot play each other"):
        troel.play(["wiezen-v5", "iwwa-v5", "rules", "rules"])


def test_bots_play_deals_to_records() -> None:
    def first(batch: troel.Batch) -> list[int]:
        return [view.legal[0] for view in batch.views]

    records = troel.play(["rules", first, "random", "rules"], "wiezen", 70, seed=5)
    assert len(records) == 70
    for record, deal in zip(records, troel.deals("wiezen", 70, seed=5)):
        assert record["deal"] == deal["deal"]
        game = troel.Game.of_record(record)
        assert game.done
    # A piece of them is played alike.
    assert troel.play("random", "wiezen", (64, 70), seed=5) == troel.play("random", "wiezen", 70, seed=5)[64:]
    assert troel.play(troel.load("rules", "iwwa"))[0]["rules"] == "iwwa"
    with pytest.raises(ValueError, match="one for each seat"):
        troel.play(["rules"] * 3)
    with pytest.raises(ZeroDivisionError):
        troel.play(lambda batch: 1 / 0)


def test_rules_of_a_match_are_those_of_its_bots() -> None:
    told = []
    match = troel.evaluate("wiezen-v5", "rules", deals=2, progress=lambda now, of: told.append((now, of)))
    assert match.report["rules"] == "wiezen" and told[-1] == (2, 2)
    assert troel.evaluate("rules", troel.load("rules", "iwwa"), deals=1).report["rules"] == "iwwa"
    with pytest.raises(ValueError, match="plays iwwa, not wiezen"):
        troel.evaluate(troel.load("rules", "wiezen"), troel.load("rules", "iwwa"), deals=1)


def test_a_network_that_looks_ahead_plays_the_rules_it_was_trained_for() -> None:
    bot = troel.load("search:wiezen-v5:worlds=2")
    assert bot.rules == "wiezen"
    game = troel.Game("wiezen", seed=3)
    assert bot.act(game) in game.legal
    with pytest.raises(ValueError, match="worlds=N"):
        troel.load("search:wiezen-v5:worlds=0")


def test_a_copy_of_an_agent_is_the_bot_as_it_was_loaded() -> None:
    agent = troel.load("random", "wiezen", seed=8)
    game = troel.Game("wiezen", seed=2)
    drawn = [agent.act(game) for _ in range(9)]
    copy = pickle.loads(pickle.dumps(agent))
    assert (copy.name, copy.rules) == ("random", "wiezen")
    assert [copy.act(game) for _ in range(9)] == drawn


def test_seats_have_names() -> None:
    game = troel.Game(seed=1)
    assert game.view("south").seat == game.view("S").seat == game.view(2).seat == 2
    for wrong in ("so", "", "x", 4):
        with pytest.raises(ValueError, match="a seat is 0 to 3"):
            game.view(wrong)
    with pytest.raises(ValueError, match="declarers"):
        troel.solve("N:AK.2.. QJ.3.. 32.4.. T9.5..", "NN", None, leader="N")
