"""Decisions per second of PPO in PyTorch, end to end, beside `troel bench --only train`.

The same network (1,693 features, 256 wide, one residual block, 133 actions and a value), the same number of epochs,
the same minibatches. The environment is free: observations come from a table, of as many active features and legal
actions as ours have on average; nothing is dealt, encoded or scored. Run it on an idle machine, with as many
threads as the other:

    python3 -m venv peer && peer/bin/pip install -r requirements.txt
    troel bench --only train --seconds 20 --table --peer "peer/bin/python ppo.py --threads 2 --seconds 20"

Ways to run it: `plain` (intra-op threads), `bag` (the first layer as an EmbeddingBag over the active features),
`bf16` (autocast), `compile` (torch.compile), `replicas` (a process for each thread, gradients averaged by gloo),
`maskable` (sb3-contrib's MaskablePPO with its own loop).
"""

import argparse
import json
import os
import sys
import time

FEATURES, ACTIONS, HIDDEN = 1693, 133, 256
# Means of random play under luxembourg.
ACTIVE, LEGAL = 114, 5
ENVIRONMENTS, STEPS, MINIBATCH, POOL = 1024, 32, 2048, 8192
WAYS = ["plain", "bag", "bf16", "compile", "replicas", "maskable"]


def network(torch, bag):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.input = nn.EmbeddingBag(FEATURES, HIDDEN, mode="sum") if bag else nn.Linear(FEATURES, HIDDEN)
            self.first, self.second = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
            self.heads = nn.Linear(HIDDEN, ACTIONS + 1)

        def forward(self, x, mask):
            h = torch.relu(self.input(x))
            h = torch.relu(h + self.second(torch.relu(self.first(h))))
            out = self.heads(h)
            return out[:, :ACTIONS].masked_fill(~mask, -1e9), out[:, ACTIONS]

    return Net()


def pool(torch, bag):
    """A table of observations, and their masks."""
    torch.manual_seed(0)
    active = torch.rand(POOL, FEATURES).topk(ACTIVE, dim=1).indices.sort(dim=1).values
    mask = torch.zeros(POOL, ACTIONS, dtype=torch.bool)
    mask.scatter_(1, torch.rand(POOL, ACTIONS).topk(LEGAL, dim=1).indices, True)
    return active if bag else torch.zeros(POOL, FEATURES).scatter_(1, active, 1.0), mask


def ppo(torch, way, epochs, seconds, rank=0, world=1):
    """Decisions per second of one process."""
    bag = way == "bag"
    net = network(torch, bag)
    table, masks = pool(torch, bag)
    call = torch.compile(net) if way == "compile" else net
    if world > 1:
        call = torch.nn.parallel.DistributedDataParallel(net)
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-4, eps=1e-5, fused=True)
    autocast = torch.autocast("cpu", dtype=torch.bfloat16, enabled=way == "bf16")
    envs, minibatch = ENVIRONMENTS // world, MINIBATCH // world
    generator = torch.Generator().manual_seed(rank)
    n = envs * STEPS

    def iteration():
        rows, actions, log_probs, values = [], [], [], []
        with torch.inference_mode(), autocast:
            for _ in range(STEPS):
                row = torch.randint(POOL, (envs,), generator=generator)
                logits, value = net(table[row], masks[row])
                log_p = torch.log_softmax(logits.float(), dim=1)
                action = torch.multinomial(log_p.exp(), 1)
                rows.append(row), actions.append(action)
                log_probs.append(log_p.gather(1, action)[:, 0]), values.append(value.float())
        advantages, last = torch.zeros(STEPS, envs), torch.zeros(envs)
        values = torch.stack(values)
        for t in reversed(range(STEPS)):
            after = values[t + 1] if t + 1 < STEPS else torch.zeros(envs)
            last = after - values[t] + 0.95 * last
            advantages[t] = last
        returns = (advantages + values).reshape(-1).clone()
        advantages = advantages.reshape(-1)
        advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).clone()
        rows, actions = torch.cat(rows).clone(), torch.cat(actions).clone()
        log_probs = torch.cat(log_probs).clone()
        for _ in range(epochs):
            for part in torch.randperm(n, generator=generator).split(minibatch):
                with autocast:
                    logits, value = call(table[rows[part]], masks[rows[part]])
                log_p = torch.log_softmax(logits.float(), dim=1)
                ratio = (log_p.gather(1, actions[part])[:, 0] - log_probs[part]).exp()
                advantage = advantages[part]
                gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
                entropy = -(log_p.exp() * log_p).sum(1)
                loss = (0.25 * (value.float() - returns[part]).square() - gain - 0.01 * entropy).mean()
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimiser.step()

    iteration()
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds or done == 0:
        iteration()
        done += n
        if world > 1:
            # All stop together.
            on = torch.tensor(float(time.perf_counter() - start < seconds))
            torch.distributed.broadcast(on, 0)
            if not on.item():
                break
    return done / (time.perf_counter() - start)


def replica(rank, world, epochs, seconds, port, results):
    import torch

    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=world)
    results.put(ppo(torch, "replicas", epochs, seconds, rank, world))
    torch.distributed.destroy_process_group()


def replicas(threads, epochs, seconds):
    import socket

    import torch.multiprocessing as mp

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    context = mp.get_context("spawn")
    results = context.Queue()
    workers = [
        context.Process(target=replica, args=(rank, threads, epochs, seconds, port, results))
        for rank in range(threads)
    ]
    [w.start() for w in workers]
    rates = [results.get() for _ in workers]
    [w.join() for w in workers]
    return sum(rates)


def maskable(epochs, seconds):
    import gymnasium as gym
    import numpy as np
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnv

    rng = np.random.default_rng(0)
    table = (rng.random((POOL, FEATURES)) < ACTIVE / FEATURES).astype(np.float32)
    masks = rng.random((POOL, ACTIONS)) < LEGAL / ACTIONS
    masks[:, 0] = True

    class Free(VecEnv):
        """Environments that cost nothing: rows of a table."""

        def __init__(self, n):
            space = gym.spaces.Box(-2, 2, (FEATURES,), np.float32)
            super().__init__(n, space, gym.spaces.Discrete(ACTIONS))
            self.at, self.infos = 0, [{} for _ in range(n)]
            self.rewards, self.dones = np.zeros(n, np.float32), np.zeros(n, bool)

        def rows(self):
            self.at = (self.at + self.num_envs) % (POOL - self.num_envs)
            return slice(self.at, self.at + self.num_envs)

        def reset(self):
            return table[self.rows()]

        def step_async(self, actions):
            pass

        def step_wait(self):
            return table[self.rows()], self.rewards, self.dones, self.infos

        def env_method(self, name, *args, indices=None, **kwargs):
            return list(masks[self.at : self.at + self.num_envs]) if name == "action_masks" else [None] * self.num_envs

        def has_attr(self, name):
            return name == "action_masks"

        def get_attr(self, name, indices=None):
            return [None] * self.num_envs

        def set_attr(self, name, value, indices=None):
            pass

        def env_is_wrapped(self, wrapper_class, indices=None):
            return [False] * self.num_envs

        def close(self):
            pass

    envs, steps = 256, 32
    model = MaskablePPO(
        "MlpPolicy", Free(envs), n_steps=steps, batch_size=MINIBATCH, n_epochs=epochs,
        policy_kwargs={"net_arch": [HIDDEN, HIDDEN]}, device="cpu",
    )
    model.learn(envs * steps)
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds or done == 0:
        model.learn(envs * steps, reset_num_timesteps=False)
        done += envs * steps
    return done / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=10.0, help="for each measurement")
    parser.add_argument("--epochs", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    args = parser.parse_args()

    import torch

    torch.set_num_threads(args.threads)
    for way in args.ways:
        for epochs in args.epochs:
            try:
                if way == "replicas":
                    rate = replicas(args.threads, epochs, args.seconds)
                elif way == "maskable":
                    rate = maskable(epochs, args.seconds)
                else:
                    rate = ppo(torch, way, epochs, args.seconds)
            except Exception as error:  # one way that fails (no compiler, say) does not end the others
                print(f"{way}: {error}", file=sys.stderr)
                break
            beside = "train" if epochs == 2 else f"train/epochs-{epochs}"
            row = {"name": f"torch/{way}/epochs-{epochs}", "beside": beside, "value": round(rate), "unit": "decisions/s"}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
