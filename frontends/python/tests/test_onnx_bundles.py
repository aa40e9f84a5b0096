"""Histories as numbers and tokens, and bundles with ONNX models of any architecture."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import troel
from conftest import need


def games(rules: str, deals: int = 5) -> list[troel.Game]:
    """Finished games of random actions."""
    found = []
    for seed in range(deals):
        rng = np.random.default_rng(seed)
        game = troel.Game(rules, seed=seed)
        while not game.done:
            game.step(int(rng.choice(game.view().legal)))
        found.append(game)
    return found


def views(rules: str, deals: int = 3) -> list[troel.View]:
    found = []
    for seed in range(deals):
        game = troel.Game(rules, seed=seed)
        bot = troel.load("rules", rules)
        while not game.done:
            found.append(game.view())
            game.step(bot.act(game))
    return found


@pytest.mark.parametrize("rules", troel.RULES)
def test_histories_are_the_actions_of_the_record(rules: str) -> None:
    for game in games(rules):
        record = game.record()
        numbers = troel.action_numbers(record)
        assert [troel.ACTION_CODES[number] for number in numbers[:, 1]] == record["actions"]
    for view in views(rules):
        history, tokens = view.history(), view.history_tokens()
        assert history.shape == (len(view.record()["actions"]), 2) and history.dtype == np.int64
        codes = ["-" if number < 0 else troel.ACTION_CODES[number] for number in history[:, 1]]
        seen = [code if code in troel.ACTION_CODES else "-" for code in view.record()["actions"]]
        assert codes == seen
        assert tokens.shape == (troel.HISTORY_LENGTH,) and tokens.dtype == np.int64
        numbers = np.where(history[:, 1] < 0, troel.N_ACTIONS, history[:, 1])
        assert np.array_equal(tokens[: len(history)], 1 + 134 * history[:, 0] + numbers)
        assert not tokens[len(history) :].any() and tokens.max() < troel.N_HISTORY_TOKENS
        assert np.array_equal(troel.encode(view.record(), view.seat).history[0], tokens)


def test_seats_of_histories_are_relative_to_the_observer() -> None:
    game = troel.Game("wiezen", seed=1)
    first = game.turn
    game.step(game.view().legal[0])
    view = game.view()
    assert view.history()[0, 0] == (first - view.seat) % 4 == 3
    assert troel.action_numbers(game.record())[0, 0] == first


def test_histories_with_canonical_suits_have_the_renamed_actions() -> None:
    renamed = 0
    for view in views("luxembourg"):
        real, canonical = view.history(), view.history(canonical_suits=True)
        for number, other in zip(real[:, 1], canonical[:, 1], strict=True):
            assert other == (number if number < 0 else view.canonical_action(int(number)))
            renamed += other != number
    assert renamed > 100


def test_batches_have_the_tokens_of_their_views() -> None:
    def bot(batch: troel.Batch) -> list[int]:
        tokens = batch.history_tokens(canonical_suits=True)
        assert tokens.shape == (len(batch), troel.HISTORY_LENGTH)
        for row, view in zip(tokens, batch.views, strict=True):
            assert np.array_equal(row, view.history_tokens(canonical_suits=True))
        return [view.legal[0] for view in batch.views]

    troel.evaluate(bot, "random", "wiezen", deals=2)


@pytest.mark.parametrize("num_envs", [3, 100])
@pytest.mark.parametrize("canonical_suits", [False, True])
def test_vectors_have_the_tokens_of_their_views(num_envs: int, canonical_suits: bool) -> None:
    envs = troel.SelfPlayVectorEnv(
        num_envs, "luxembourg", seed=1, history=True, canonical_suits=canonical_suits
    )

    def check(envs: troel.SelfPlayVectorEnv) -> None:
        history = envs.observe().history
        assert history is not None and history.shape == (num_envs, troel.HISTORY_LENGTH)
        for env in range(num_envs):
            tokens = envs.view(env).history_tokens(canonical_suits=canonical_suits)
            assert np.array_equal(history[env], tokens)

    for _ in range(70):
        check(envs)
        envs.step(envs.sample_actions())
    check(copy.deepcopy(envs))
    check(pickle.loads(pickle.dumps(envs)))
    envs.reset(seed=2)
    check(envs)
    assert troel.SelfPlayVectorEnv(2).observe().history is None


def test_records_that_are_not_full_or_not_legal_have_no_numbers() -> None:
    record = troel.Game("wiezen", seed=1).view().record()
    with pytest.raises(ValueError, match="hand"):
        troel.action_numbers(record)
    record = {**games("wiezen", 1)[0].record(), "actions": ["nonsense"]}
    with pytest.raises(ValueError, match="nonsense"):
        troel.action_numbers(record)


def export(module: Any, inputs: dict[str, Any], outputs: list[str], **options: Any) -> bytes:
    need("torch", "onnx")
    import torch

    file = io.BytesIO()
    options.setdefault("dynamic_axes", {name: {0: "n"} for name in [*inputs, *outputs]})
    torch.onnx.export(
        module.eval(),
        tuple(inputs.values()),
        file,
        input_names=list(inputs),
        output_names=outputs,
        dynamo=False,
        **options,
    )
    return file.getvalue()


def transformer(has_value: bool = True) -> tuple[Any, dict[str, Any]]:
    """A small transformer over features, history and mask, and an example of its inputs."""
    need("torch", "onnx")
    import torch
    from torch import nn

    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(1)
            self.features = nn.Linear(troel.N_FEATURES, 16)
            self.tokens = nn.Embedding(troel.N_HISTORY_TOKENS, 16)
            self.layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True, norm_first=True)
            self.head = nn.Linear(16, troel.N_ACTIONS + 1)

        def forward(self, features: Any, history: Any, mask: Any) -> Any:
            x = torch.cat([self.features(features).unsqueeze(1), self.tokens(history)], 1)
            length = x.shape[1]
            later = torch.ones(length, length, dtype=torch.bool).triu(1)
            x = self.layer(x, src_mask=later)
            last = (history != 0).sum(1).reshape(-1, 1, 1).expand(-1, 1, 16)
            out = self.head(x.gather(1, last).squeeze(1))
            logits = out[:, : troel.N_ACTIONS] * (1 + mask.sum(1, keepdim=True) / 100)
            return (logits, out[:, troel.N_ACTIONS]) if has_value else logits

    inputs = {
        "features": torch.zeros(2, troel.N_FEATURES),
        "history": torch.zeros(2, troel.HISTORY_LENGTH, dtype=torch.int64),
        "mask": torch.ones(2, troel.N_ACTIONS),
    }
    return Small(), inputs


@pytest.mark.parametrize("canonical_suits", [False, True])
def test_a_transformer_from_pytorch_plays_what_it_says(tmp_path: Path, canonical_suits: bool) -> None:
    module, inputs = transformer()
    import torch

    model = export(module, inputs, ["logits", "value"])
    troel.save_onnx_bundle(
        tmp_path / "bot", model, "wiezen", reward_scale=10.0, canonical_suits=canonical_suits
    )
    bot = troel.load(tmp_path / "bot")
    assert bot.rules == "wiezen"
    for view in views("wiezen", 1):
        features = torch.from_numpy(view.features(canonical_suits=canonical_suits))[None]
        history = torch.from_numpy(view.history_tokens(canonical_suits=canonical_suits))[None]
        mask = torch.from_numpy(view.mask(canonical_suits=canonical_suits))[None].float()
        with torch.no_grad():
            logits, value = module(features, history, mask)
        policy = logits.masked_fill(mask == 0, -torch.inf).softmax(1)[0]
        decision = bot.decide(view)
        assert decision.value == pytest.approx(10 * value.item(), abs=1e-3)
        numbers = dict(zip(view.codes, view.legal, strict=True))
        for code, probability in decision.policy.items():
            number = view.canonical_action(numbers[code]) if canonical_suits else numbers[code]
            assert probability == pytest.approx(policy[number].item(), abs=1e-5)


def test_a_model_without_a_value_has_none(tmp_path: Path) -> None:
    module, inputs = transformer(has_value=False)
    troel.save_onnx_bundle(tmp_path / "bot", export(module, inputs, ["logits"]), "wiezen")
    assert troel.load(tmp_path / "bot").decide(troel.Game("wiezen", seed=1)).value is None
    first = troel.evaluate(str(tmp_path / "bot"), "random", "wiezen", deals=8)
    assert first.points_per_deal == troel.evaluate(str(tmp_path / "bot"), "random", deals=8).points_per_deal


def test_models_that_do_not_fit_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    module, inputs = transformer()
    import torch

    class Swapped(torch.nn.Module):
        def forward(self, features: Any) -> Any:
            return features[:, :7]

    features = {"features": inputs["features"]}
    long = {"features": torch.zeros(2, 1700)}
    cases = [
        (export(module, inputs, ["logits", "value"], dynamic_axes=None), "fixed batch of 2"),
        (export(module, inputs, ["output", "value"]), 'no output "logits"'),
        (export(Swapped(), {"x": inputs["features"]}, ["logits"]), 'unknown input "x"'),
        (export(Swapped(), long, ["logits"]), r"must have \(n, "),
        (export(Swapped(), features, ["logits"]), r"shape \[1, 7\]"),
        (export(Swapped(), {"features": torch.zeros(2, troel.N_FEATURES).long()}, ["logits"]), "float32"),
        (b"", "cannot be loaded"),
    ]
    for model, message in cases:
        with pytest.raises(ValueError, match=message):
            troel.save_onnx_bundle(tmp_path / "bot", model, "wiezen")
    assert not (tmp_path / "bot").exists()


def test_arguments_of_save_onnx_bundle(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="model is of type int"):
        troel.save_onnx_bundle(tmp_path / "bot", 3)
    with pytest.raises(FileNotFoundError):
        troel.save_onnx_bundle(tmp_path / "bot", tmp_path / "none.onnx")
    with pytest.raises(ValueError, match="rule_features=True"):
        troel.save_onnx_bundle(tmp_path / "bot", b"", any_rules=True)
    with pytest.raises(ValueError, match="reward_scale"):
        troel.save_onnx_bundle(tmp_path / "bot", b"", reward_scale=0.0)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").touch()
    with pytest.raises(ValueError, match="not part of a bundle"):
        troel.save_onnx_bundle(tmp_path / "thesis", b"")


@pytest.mark.parametrize("name", ["wiezen-v5", "universal-v2"])
def test_an_exported_model_becomes_the_same_bot(tmp_path: Path, program: str, name: str) -> None:
    rules = troel.load(name).rules
    subprocess.run([program, "export", name, str(tmp_path / "export")], check=True, capture_output=True)
    for_any = name == "universal-v2"
    troel.save_onnx_bundle(
        tmp_path / "copy",
        tmp_path / "export" / "model.onnx",
        rules,
        rule_features=for_any,
        any_rules=for_any,
    )
    copy, bot = troel.load(tmp_path / "copy"), troel.load(name)
    for view in views(rules, 2):
        ours, theirs = bot.decide(view), copy.decide(view)
        assert theirs.value == pytest.approx(ours.value, abs=1e-3)
        assert theirs.policy == pytest.approx(ours.policy, abs=1e-5)
    with pytest.raises(ValueError, match="ONNX model"):
        troel.load_weights(tmp_path / "copy")
