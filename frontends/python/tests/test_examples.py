"""The examples, as somebody would run them, in their quick setting: they end well, and what they write plays."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import troel
from conftest import need

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def environment() -> dict[str, str]:
    """The environment of an example: it imports the package that is tested, wherever that lies."""
    package = str(Path(troel.__file__).resolve().parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RAY_USAGE_STATS_ENABLED": "0"}


@pytest.mark.parametrize(
    ("script", "options", "packages"),
    [
        ("ppo.py", [], ["torch"]),
        ("ppo.py", ["--critic", "hidden", "--learners", "4"], ["torch"]),
        ("ppo.py", ["--init", "luxembourg-v5", "--critic", "hidden"], ["torch"]),
        ("dmc.py", [], ["torch"]),
        ("maskable_ppo.py", [], ["torch", "sb3_contrib"]),
        ("rllib_cluster.py", [], ["torch", "pettingzoo", "ray"]),
        ("transformer.py", [], ["torch", "onnx"]),
    ],
    ids=["ppo", "ppo_self_play", "ppo_further", "dmc", "maskable_ppo", "rllib_cluster", "transformer"],
)
def test_example_writes_a_bundle_that_plays(
    tmp_path: Path, script: str, options: list[str], packages: list[str]
) -> None:
    need(*packages)
    out = tmp_path / "bundle"
    command = [sys.executable, str(EXAMPLES / script), "--quick", "--seed", "3", "--out", str(out), *options]
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
    assert "decisions" in ran.stdout and "points per deal" in ran.stdout

    bot = troel.load(str(out))
    assert bot.rules == "luxembourg"
    game = troel.Game("luxembourg", seed=5)
    while not game.done:
        game.step(bot.act(game))
    assert game.phase == "done"
    # `load_weights` reads no ONNX bundles.
    info = dict(re.findall(r"^(steps|seed) = (\d+)$", (out / "bot.toml").read_text(encoding="utf-8"), re.M))
    assert int(info["steps"]) >= 256 and int(info["seed"]) == 3


def test_the_bot_of_rules_scores_far_more_than_random(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import rule_bot

    assert len((EXAMPLES / "rule_bot.py").read_text(encoding="utf-8").splitlines()) <= 25
    match = troel.evaluate(rule_bot.bot, "random", "luxembourg", deals=100)
    assert match.points_per_deal > 40


def test_advantages_run_over_each_seats_own_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    need("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import ppo

    rng = np.random.default_rng(0)
    steps, envs, lam = 60, 3, 0.9
    values = rng.normal(size=(steps, envs)).astype(np.float32)
    dones = rng.random((steps, envs)) < 0.1
    rewards = rng.normal(size=(steps, envs, 4)).astype(np.float32) * (rng.random((steps, envs, 1)) < 0.3)
    seats = rng.integers(0, 4, (steps, envs)).astype(np.uint8)
    choices = rng.random((steps, envs)) < 0.7
    advantages, known = ppo.estimate(values, rewards, dones, seats, choices, lam)

    for env in range(envs):
        for seat in range(4):
            first = 0
            for last in [*np.flatnonzero(dones[:, env]), steps - 1]:
                is_over = bool(dones[last, env])
                mine = [t for t in range(first, last + 1) if seats[t, env] == seat and choices[t, env]]
                advantage = 0.0
                for t, after in reversed(list(zip(mine, [*mine[1:], None], strict=False))):
                    if after is None and not is_over:
                        assert not known[t, env] and advantages[t, env] == 0
                        continue
                    reward = rewards[t : last + 1 if after is None else after, env, seat].sum()
                    value = 0.0 if after is None else values[after, env]
                    advantage = reward + value - values[t, env] + lam * advantage
                    assert known[t, env]
                    assert advantages[t, env] == pytest.approx(advantage, abs=1e-4)
                first = last + 1


def test_a_table_records_the_choices_of_its_learning_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    need("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import ppo
    import torch
    from troel.torch import Network

    monkeypatch.setattr(sys, "argv", ["ppo.py", "--quick", "--envs", "8", "--learners", "2", "--steps", "120"])
    args = ppo.settings()
    torch.manual_seed(1)
    network = Network(8, 0, canonical_suits=True)
    tables = ppo.Tables(args)
    samples = tables.collect(network)
    assert len(samples.actions) == samples.is_sample.sum() > 0
    assert (samples.masks.sum(1) > 1).all()
    assert samples.masks.gather(1, samples.actions[:, None]).all()
    assert tables.deals == samples.dones.sum() > 0
    sizes = set()
    for env in range(args.envs):
        first = 0
        for last in np.flatnonzero(samples.dones[:, env]):
            deal = slice(first, last + 1)
            seats = set(samples.seats[deal, env][samples.is_sample[deal, env]].tolist())
            assert len(seats) <= 2, "two seats of a deal learn"
            sizes.add(len(seats))
            first = last + 1
    assert 2 in sizes

    # The imitation records all four seats, with the opponent's actions.
    tables = ppo.Tables(args)
    views = [tables.envs.view(env) for env in range(args.envs)]
    first = tables.collect(None)
    chosen = np.flatnonzero(first.is_sample[0])
    wanted = troel.load("rules", "luxembourg").act([views[env] for env in chosen])
    actions = first.actions[: len(chosen)].tolist()
    assert actions == [views[env].canonical_action(a) for env, a in zip(chosen, wanted.tolist(), strict=True)]
    assert {0, 1, 2, 3} == set(first.seats[first.is_sample].tolist())


def test_notebook_runs_and_holds_no_outputs() -> None:
    need("nbformat", "nbclient", "ipykernel", "matplotlib")
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(EXAMPLES / "play_a_deal.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}}
    )
    client.execute(env=environment())
    shown = {kind for cell in code for output in cell.outputs for kind in output.get("data", {})}
    assert {"image/svg+xml", "image/png"} <= shown


def run_audit(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / "call_audit.py"), *arguments]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300)


def test_calls_of_random_play_lose_points() -> None:
    ran = run_audit("rules", "--rules", "iwwa", "--adviser", "random", "--deals", "300", "--json")
    assert ran.returncode == 0, ran.stderr[-4000:]
    report = json.loads(ran.stdout)
    assert report["deals"] == 300 and report["rules"] == "iwwa"
    rows = {row["call"]: row for row in report["rows"]}
    assert {"suit", "abondance", "misere", "slam"} <= set(rows)
    slam = rows["slam"]
    assert slam["gain"] + slam["interval"] < 0 and slam["made_percent"] < 10
    assert sum(slam["instead_of"].values()) == slam["calls"]
    assert slam["gain_per_deal"] == pytest.approx(slam["gain"] * slam["calls"] / 300)


def test_the_bot_as_its_own_adviser_calls_nothing_else() -> None:
    ran = run_audit("wiezen-v5", "--adviser", "wiezen-v5", "--deals", "50")
    assert "The adviser makes the same calls as the bot." in ran.stdout, ran.stderr[-4000:]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "is not a bot"),
        (["rules", "--deals", "0"], "--deals is 0, but must be from 1"),
        (["rules", "--seed", "-1"], "--seed is -1, but must be from 0"),
        (["wiezen-v5", "--rules", "iwwa"], "trained for rule set wiezen"),
    ],
)
def test_an_audit_refuses_bad_input_in_a_line(arguments: list[str], message: str) -> None:
    ran = run_audit(*arguments)
    assert ran.returncode == 2 and message in ran.stderr and "Traceback" not in ran.stderr
