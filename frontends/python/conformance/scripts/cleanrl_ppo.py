"""PPO in a single file, as CleanRL has it, with the usual names of parameters.

It uses Gymnasium's own vector and RecordEpisodeStatistics, and is here to find out whether a script
of that shape runs on Troel as it is. To learn well, see ``examples``.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import gymnasium as gym
import numpy as np
import torch
import troel  # noqa: F401  (registers the environments)
from torch import Tensor, nn, optim
from torch.distributions.categorical import Categorical


@dataclass
class Args:
    env_id: str = "troel/wiezen-v0"
    seed: int = 1
    total_timesteps: int = 100_000
    learning_rate: float = 2.5e-4
    num_envs: int = 8
    num_steps: int = 128
    anneal_lr: bool = True
    gamma: float = 0.99
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 4
    norm_adv: bool = True
    clip_coef: float = 0.2
    clip_vloss: bool = True
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    # Without masks, an illegal action is replaced by a legal one that is drawn at random.
    mask_actions: bool = True


def make_env(args: Args) -> Callable[[], gym.Env[Any, Any]]:
    def thunk() -> gym.Env[Any, Any]:
        env = gym.make(args.env_id, flat=True, illegal="raise" if args.mask_actions else "random")
        return gym.wrappers.RecordEpisodeStatistics(env)

    return thunk


def layer_init(layer: nn.Linear, std: float = np.sqrt(2)) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, 0.0)
    return layer


class Agent(nn.Module):
    def __init__(self, envs: gym.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__()
        inputs = int(np.array(envs.single_observation_space.shape).prod())
        self.critic = nn.Sequential(
            layer_init(nn.Linear(inputs, 64)), nn.Tanh(), layer_init(nn.Linear(64, 1), std=1.0)
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(inputs, 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, envs.single_action_space.n), std=0.01),
        )

    def get_value(self, x: Tensor) -> Tensor:
        return self.critic(x)

    def get_action_and_value(
        self, x: Tensor, mask: Tensor, action: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        probs = Categorical(logits=self.actor(x).masked_fill(~mask, -1e8))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


def main(arguments: Sequence[str] | None = None) -> list[float]:
    """Trains, and returns the returns of all episodes."""
    parser = argparse.ArgumentParser(description=__doc__)
    for field in fields(Args):
        kind = type(field.default)
        how = {"action": argparse.BooleanOptionalAction} if kind is bool else {"type": kind}
        parser.add_argument(f"--{field.name.replace('_', '-')}", default=field.default, **how)
    args = Args(**vars(parser.parse_args(arguments)))
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches
    num_iterations = args.total_timesteps // batch_size

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    envs = gym.vector.SyncVectorEnv(
        [make_env(args) for _ in range(args.num_envs)],
        autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
    )
    assert isinstance(envs.single_action_space, gym.spaces.Discrete)
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape)
    masks = torch.ones((*shape, int(envs.single_action_space.n)), dtype=torch.bool)
    actions = torch.zeros(shape + envs.single_action_space.shape)
    logprobs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))

    def mask_of(infos: dict[str, Any]) -> Tensor:
        mask = torch.from_numpy(infos["action_mask"]).bool()
        return mask if args.mask_actions else torch.ones_like(mask)

    global_step, episodes = 0, []
    start_time = time.time()
    next_obs, infos = envs.reset(seed=args.seed)
    next_obs, next_mask, next_done = torch.Tensor(next_obs), mask_of(infos), torch.zeros(args.num_envs)
    for iteration in range(1, num_iterations + 1):
        if args.anneal_lr:
            optimizer.param_groups[0]["lr"] = (1.0 - (iteration - 1.0) / num_iterations) * args.learning_rate
        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step], masks[step], dones[step] = next_obs, next_mask, next_done
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs, next_mask)
                values[step] = value.flatten()
            actions[step], logprobs[step] = action, logprob
            next_obs, reward, terminations, truncations, infos = envs.step(action.cpu().numpy())
            rewards[step] = torch.tensor(reward).view(-1)
            next_obs, next_mask = torch.Tensor(next_obs), mask_of(infos)
            next_done = torch.Tensor(np.logical_or(terminations, truncations))
            if "final_info" in infos:
                final = infos["final_info"]
                for index in np.flatnonzero(final["_episode"]):
                    episodes.append(float(final["episode"]["r"][index]))

        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(1, -1)
            advantages, lastgaelam = torch.zeros_like(rewards), 0
            for t in reversed(range(args.num_steps)):
                last = t == args.num_steps - 1
                nextnonterminal = 1.0 - (next_done if last else dones[t + 1])
                nextvalues = next_value if last else values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nextnonterminal - values[t]
                lastgaelam = delta + args.gamma * args.gae_lambda * nextnonterminal * lastgaelam
                advantages[t] = lastgaelam
            returns = advantages + values

        b_obs, b_masks = obs.flatten(0, 1), masks.flatten(0, 1)
        b_logprobs, b_actions, b_advantages = logprobs.reshape(-1), actions.reshape(-1), advantages.reshape(-1)
        b_returns, b_values = returns.reshape(-1), values.reshape(-1)
        b_inds = np.arange(batch_size)
        for _ in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, batch_size, minibatch_size):
                mb_inds = b_inds[start : start + minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(
                    b_obs[mb_inds], b_masks[mb_inds], b_actions.long()[mb_inds]
                )
                ratio = (newlogprob - b_logprobs[mb_inds]).exp()
                mb_advantages = b_advantages[mb_inds]
                if args.norm_adv:
                    mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
                clipped = torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(-mb_advantages * ratio, -mb_advantages * clipped).mean()
                newvalue = newvalue.view(-1)
                v_loss = (newvalue - b_returns[mb_inds]) ** 2
                if args.clip_vloss:
                    change = torch.clamp(newvalue - b_values[mb_inds], -args.clip_coef, args.clip_coef)
                    v_clipped = b_values[mb_inds] + change
                    v_loss = torch.max(v_loss, (v_clipped - b_returns[mb_inds]) ** 2)
                loss = pg_loss - args.ent_coef * entropy.mean() + args.vf_coef * 0.5 * v_loss.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
        assert torch.isfinite(loss), "the loss is not finite"
        sps = int(global_step / (time.time() - start_time))
        print(f"global_step={global_step}, episodes={len(episodes)}, SPS={sps}", flush=True)
    envs.close()
    return episodes


if __name__ == "__main__":
    main()
