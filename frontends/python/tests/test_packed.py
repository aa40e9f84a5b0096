"""Packed observations, arrays of the caller, and bots that decide on all rows of a vector."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import troel
from conftest import need


def random_steps(envs: list[troel.SelfPlayVectorEnv], steps: int) -> Any:
    """Steps all vectors with the same actions, and yields after each step."""
    for _ in range(steps):
        actions = envs[0].sample_actions().copy()
        for env in envs:
            env.step(actions)
        yield


@pytest.mark.parametrize("canonical_suits", [False, True])
@pytest.mark.parametrize("rules", troel.RULES)
def test_packed_rows_are_the_dense_ones(rules: str, canonical_suits: bool) -> None:
    settings = {"seed": 3, "full": True, "canonical_suits": canonical_suits}
    dense = troel.SelfPlayVectorEnv(70, rules, **settings)
    packed = troel.SelfPlayVectorEnv(70, rules, **settings, packed=True)
    for _ in random_steps([dense, packed], 150):
        a, b = dense.observe(), packed.observe()
        assert b.observations.shape == (70, troel.PACKED_SIZE)
        assert b.full is not None and b.full.shape == (70, troel.PACKED_FULL_SIZE)
        np.testing.assert_array_equal(troel.unpack(b.observations), a.observations)
        np.testing.assert_array_equal(troel.unpack(b.full), a.full)
        for field in ("masks", "seats", "rewards", "dones", "scores"):
            np.testing.assert_array_equal(getattr(a, field), getattr(b, field), field)
        # A row with full information begins with the row of the seat.
        np.testing.assert_array_equal(b.full[:, : troel.PACKED_SIZE], b.observations)


def test_rows_are_read_in_any_order_and_memory() -> None:
    envs = troel.SelfPlayVectorEnv(300, seed=5, packed=True, canonical_suits=True)
    for _ in random_steps([envs], 30):
        pass
    rows = envs.observe().observations.copy()
    dense = troel.unpack(rows)
    order = np.random.default_rng(1).permutation(300)[:77]
    np.testing.assert_array_equal(troel.unpack(rows[order]), dense[order])
    np.testing.assert_array_equal(troel.unpack(rows[::-3]), dense[::-3])
    assert troel.unpack(rows[:0]).shape == (0, troel.N_FEATURES)
    out = np.full((300, troel.N_FEATURES), np.nan, np.float32)
    assert troel.unpack(rows, out) is out
    np.testing.assert_array_equal(out, dense)


@pytest.mark.parametrize("field", ["observations", "full"])
def test_sparse_rows_multiply_like_dense_ones(field: str) -> None:
    need("torch")
    import torch

    envs = troel.SelfPlayVectorEnv(150, seed=5, packed=True, full=True, canonical_suits=True)
    for _ in random_steps([envs], 40):
        pass
    rows = getattr(envs.observe(), field)
    dense, sparse = troel.unpack(rows), troel.unpack_sparse(rows)
    assert len(sparse.indices) == len(sparse.values) == np.count_nonzero(dense)
    weight = torch.randn(dense.shape[1], 8, generator=torch.Generator().manual_seed(1))
    product = torch.nn.functional.embedding_bag(
        torch.from_numpy(sparse.indices),
        weight,
        torch.from_numpy(sparse.offsets),
        mode="sum",
        per_sample_weights=torch.from_numpy(sparse.values),
    )
    torch.testing.assert_close(product, torch.from_numpy(dense) @ weight, atol=1e-4, rtol=0)


def test_tensors_are_written_in_place() -> None:
    need("torch")
    import torch

    envs = troel.SelfPlayVectorEnv(9, packed=True)
    out = torch.zeros(9, troel.N_FEATURES)
    troel.unpack(envs.observe().observations, out)
    np.testing.assert_array_equal(out.numpy(), troel.SelfPlayVectorEnv(9).observe().observations)
    masks = torch.zeros(9, troel.N_ACTIONS, dtype=torch.bool)
    into = troel.SelfPlayVectorEnv(9, buffers={"masks": masks, "observations": out})
    legal = masks.clone()
    for _ in random_steps([into], 5):
        pass
    assert not torch.equal(masks, legal)
    np.testing.assert_array_equal(masks.numpy(), into.observe().masks)
    np.testing.assert_array_equal(out.numpy(), into.observe().observations)
    with pytest.raises(TypeError, match="out: use a tensor on the CPU without a gradient"):
        troel.unpack(envs.observe().observations, out.requires_grad_())


def test_buffers_of_the_caller() -> None:
    rewards = np.full((16, 4), 7, np.float32)
    packed = np.zeros((16, troel.PACKED_SIZE), np.uint8)
    own = troel.SelfPlayVectorEnv(16, seed=2, packed=True)
    lent = troel.SelfPlayVectorEnv(
        16, seed=2, packed=True, buffers={"rewards": rewards, "observations": packed}
    )
    assert not rewards.any()
    for _ in random_steps([own, lent], 120):
        np.testing.assert_array_equal(own.observe().rewards, rewards)
        np.testing.assert_array_equal(own.observe().observations, packed)
    # A copy writes into its own arrays.
    before = packed.copy()
    for other in (copy.deepcopy(lent), pickle.loads(pickle.dumps(lent))):
        np.testing.assert_array_equal(other.observe().observations, packed)
        for _ in random_steps([other], 3):
            pass
        np.testing.assert_array_equal(packed, before)


@pytest.mark.parametrize(
    ("name", "buffer", "error"),
    [
        ("rewards", np.zeros((4, 4), np.float64), r'buffers\["rewards"\]: use a writable'),
        ("rewards", np.zeros((5, 4), np.float32), r"of type float32 and shape \[4, 4\]"),
        ("rewards", np.zeros((4, 4), np.float32).T[:, ::-1], "contiguous"),
        ("masks", np.zeros((4, 133), np.bool_)[:, ::-1], "contiguous"),
        ("rewards", np.zeros(65, np.uint8)[1:].view(np.float32).reshape(4, 4), "writable"),
        ("full", np.zeros((4, 1849), np.float32), r'buffers\["full"\]: this environment has no'),
        ("reward", np.zeros((4, 4), np.float32), "fields of troel.Transition"),
    ],
)
def test_bad_buffers(name: str, buffer: Any, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        troel.SelfPlayVectorEnv(4, buffers={name: buffer})


def test_locked_buffer_and_other_types() -> None:
    locked = np.zeros((4, 4), np.float32)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        troel.SelfPlayVectorEnv(4, buffers={"rewards": locked})
    with pytest.raises(TypeError, match="list: use a numpy array or a tensor"):
        troel.SelfPlayVectorEnv(4, buffers={"rewards": [0.0] * 16})
    with pytest.raises(ValueError, match="written"):
        shared = np.zeros((4, 4), np.int32)
        troel.SelfPlayVectorEnv(4, buffers={"scores": shared, "rewards": shared.view(np.float32)})


def test_rows_that_are_not_packed() -> None:
    rows = troel.SelfPlayVectorEnv(100, packed=True).observe().observations.copy()
    for bad in (np.zeros_like(rows), np.full_like(rows, 255)):
        mixed = rows.copy()
        mixed[70:] = bad[70:]
        for read in (troel.unpack, troel.unpack_sparse):
            with pytest.raises(ValueError, match=r"rows\[70\] is not a packed row of feature"):
                read(mixed)
    with pytest.raises(ValueError, match="packed rows have 344, or 368 with full"):
        troel.unpack(rows[:, :-1])
    with pytest.raises(ValueError, match="rows are float32 of shape"):
        troel.unpack(rows.astype(np.float32))
    with pytest.raises(ValueError, match="out has shape"):
        troel.unpack(rows, np.zeros((99, troel.N_FEATURES), np.float32))
    with pytest.raises(ValueError, match="out is float64"):
        troel.unpack(rows, np.zeros((100, troel.N_FEATURES)))
    # Any bytes are an error or features; none of them end the process.
    rng = np.random.default_rng(2)
    for _ in range(300):
        noisy = rows.copy()
        noisy[rng.integers(100, size=5), rng.integers(noisy.shape[1], size=5)] ^= np.uint8(1 << rng.integers(8))
        try:
            assert troel.unpack(noisy).shape == (100, troel.N_FEATURES)
            assert troel.unpack_sparse(noisy).indices.max() < troel.N_FEATURES
        except ValueError:
            pass


@pytest.mark.parametrize("canonical_suits", [False, True])
@pytest.mark.parametrize("bot", ["luxembourg-v5", "rules"])
def test_bots_decide_on_all_rows(bot: str, canonical_suits: bool) -> None:
    envs = troel.SelfPlayVectorEnv(
        24, "luxembourg", seed=4, packed=True, canonical_suits=canonical_suits
    )
    agent, other = troel.load(bot, "luxembourg"), troel.load(bot, "luxembourg")
    for _ in range(60):
        masks = envs.observe().masks
        actions = envs.act(agent)
        assert masks[np.arange(24), actions].all()
        views = [envs.view(row) for row in range(24)]
        real = other.act(views)
        if canonical_suits:
            for row, view in enumerate(views):
                assert view.real_action(int(actions[row])) == real[row]
        else:
            np.testing.assert_array_equal(actions, real)
        policy = envs.policy(agent)
        np.testing.assert_allclose(policy.sum(axis=1), 1, atol=1e-5)
        assert not policy[~masks].any()
        rows = envs.observe().seats == 2
        np.testing.assert_array_equal(envs.policy(agent, rows), policy[rows])
        np.testing.assert_array_equal(envs.act(agent, np.flatnonzero(rows)), actions[rows])
        envs.step(actions)


def test_bad_rows_for_bots() -> None:
    envs = troel.SelfPlayVectorEnv(4, "wiezen")
    with pytest.raises(ValueError, match="plays luxembourg, not wiezen"):
        envs.act(troel.load("luxembourg-v5"))
    rules = troel.load("rules", "wiezen")
    assert envs.act(rules, []).shape == (0,)
    with pytest.raises(ValueError, match="actions are of type uint64"):
        envs.step(np.full(4, 2**63, np.uint64))
    for rows, error in (([4], "rows has 4: use 0 to 3"), ([0.5], "numbers of environments")):
        with pytest.raises(ValueError, match=error):
            envs.policy(rules, rows)
