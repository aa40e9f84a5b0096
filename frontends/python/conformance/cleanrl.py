"""A single-file PPO after CleanRL's, on Gymnasium's own vector, with and without masks."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import torch
import troel
from harness import check

# The network is small: more threads cost more than they give.
torch.set_num_threads(1)

PACKAGES = ("gymnasium", "torch", "numpy")
SCRIPT = Path(__file__).with_name("scripts") / "cleanrl_ppo.py"
SETTINGS = ["--total-timesteps", "2048", "--num-envs", "16", "--num-steps", "64"]


def returns(*arguments: str) -> list[float]:
    """Returns of the episodes of a short run."""
    main = runpy.run_path(str(SCRIPT), run_name="cleanrl_ppo")["main"]
    return main([*SETTINGS, *arguments])


@check(*troel.RULES)
def ppo_with_masks(rules: str) -> None:
    """An action that is not legal would raise."""
    found = returns("--env-id", f"troel/{rules}-v0")
    assert len(found) > 50 and np.isfinite(found).all() and np.any(found)


@check(*troel.RULES)
def ppo_without_masks(rules: str) -> None:
    found = returns("--env-id", f"troel/{rules}-v0", "--no-mask-actions")
    assert len(found) > 50 and np.isfinite(found).all() and np.any(found)


@check()
def runs_repeat() -> None:
    settings = ["--total-timesteps", "1024", "--seed", "7"]
    assert returns(*settings) == returns(*settings) != returns(*settings[:-1], "8")
