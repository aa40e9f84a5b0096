"""TorchRL's specification check on its wrappers of the environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import torch
import troel
from harness import check
from pettingzoo.utils.wrappers import BaseParallelWrapper
from torchrl.envs import EnvBase, GymWrapper, PettingZooWrapper
from torchrl.envs.utils import check_env_specs

# TorchRL makes tensors of all infos, hence infos=False.
PACKAGES = ("torchrl", "tensordict", "torch", "pettingzoo", "gymnasium", "numpy")


class IdleSeatsMayDoAnything(BaseParallelWrapper[str, Any, Any]):
    """Full masks in place of empty ones. TorchRL 0.14.1 draws an action for each seat from its mask also where there is
    none to draw; only that of the seat to act counts."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observations, infos = super().reset(seed=seed, options=options)
        return self._filled(observations), infos

    def step(self, actions: dict[str, Any]) -> Any:
        observations, *others = super().step(actions)
        return self._filled(observations), *others

    def _filled(self, observations: dict[str, Any]) -> dict[str, Any]:
        for observation in observations.values():
            if not observation["action_mask"].any():
                observation["action_mask"] = observation["action_mask"] + 1
        return observations


def conforms(env: EnvBase) -> None:
    """Random episodes have the shapes and ranges specified, and end."""
    check_env_specs(env)
    for _ in range(5):
        assert env.rollout(500)["next", "done"][-1].all()


@check(*troel.RULES)
def pettingzoo(rules: str) -> None:
    torch.manual_seed(1)
    env = troel.env(rules, infos=False)
    conforms(PettingZooWrapper(env, use_mask=True, categorical_actions=True, seed=1))


@check(*troel.RULES)
def pettingzoo_parallel(rules: str) -> None:
    torch.manual_seed(1)
    env = IdleSeatsMayDoAnything(troel.parallel_env(rules, infos=False))
    conforms(PettingZooWrapper(env, categorical_actions=True, return_state=True, seed=1))


@check(*troel.RULES)
def gym(rules: str) -> None:
    torch.manual_seed(1)
    env = gymnasium.make(f"troel/{rules}-v0", illegal="random")
    conforms(GymWrapper(env, categorical_action_encoding=True))
