#!/usr/bin/env python3
"""Trains and serves side by side and watches memory, descriptors and throughput.

    python3 cli/tests/soak.py target/release/troel --minutes 60 --csv docs/soak.csv --svg docs/soak.svg

Compares the last quarter of the time after the warm-up with the first. Ends with status 1 if

- a process grew by more than a tenth, or keeps more descriptors open;
- a process does less by more than a fifth for its processor time;
- fewer requests are answered, or their 99th percentile has doubled;
- a request was answered wrongly, or nothing was trained.

The requests are POST /v1/act alone; cli/tests/serve.rs tests tables. Processor time is counted in
runs of a fixed loop (the yardstick) that is timed with each reading, because other programs share
the processor. Needs Linux, and matplotlib for the figure.
"""

import argparse
import csv
import http.client
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["seconds", "yardstick", "train_mib", "train_fds", "train_cpu", "steps", "serve_mib", "serve_fds", "serve_cpu", "requests", "p99_ms"]


class Clients:
    """Clients that ask at a steady rate, each by a connection. Every 50th request is nonsense."""

    def __init__(self, address, count, rate):
        self.address, self.rate = address, rate
        lines = (ROOT / "docs/transcript.jsonl").read_text().splitlines()
        # A request and its answer follow each other.
        self.bodies = [ask for ask, answer in zip(lines, lines[1:]) if '"cmd": "act"' in ask and '"action"' in answer]
        assert self.bodies, "docs/transcript.jsonl has no request to act that is answered with an action"
        self.times, self.faults, self.answered = [], [], 0
        self.lock = threading.Lock()
        for number in range(count):
            threading.Thread(target=self.ask, args=(number,), daemon=True).start()

    def ask(self, number):
        draw, connection = random.Random(number), None
        while True:
            is_nonsense = draw.randrange(50) == 0
            body = "nope" if is_nonsense else draw.choice(self.bodies)
            begun = time.monotonic()
            try:
                if connection is None:
                    connection = http.client.HTTPConnection(self.address, timeout=60)
                connection.request("POST", "/v1/act", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                text = answer.read().decode()
                is_right = answer.status == 400 if is_nonsense else '"action"' in text
                fault = None if is_right else f"{answer.status}: {text[:200]}"
            except Exception as error:  # Whatever it is, it went wrong.
                fault, connection = repr(error), None
            took = time.monotonic() - begun
            with self.lock:
                self.answered += 1
                self.times.append(took)
                if fault:
                    self.faults.append(fault)
            # A new connection now and then, as clients come and go.
            if draw.randrange(500) == 0 and connection is not None:
                connection.close()
                connection = None
            time.sleep(max(0.0, 1 / self.rate - took))

    def take(self):
        """Requests so far, and the 99th percentile of the seconds of those since the last call."""
        with self.lock:
            times, self.times = sorted(self.times), []
            return self.answered, times[int(0.99 * len(times))] if times else 0.0


def usage(pid):
    """MiB resident, open descriptors, and seconds of processor time."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    kib = next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS:"))
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = int(fields[11]) + int(fields[12])
    return int(kib) / 1024, len(os.listdir(f"/proc/{pid}/fd")), ticks / os.sysconf("SC_CLK_TCK")


def yardstick():
    """Seconds of processor time that a fixed loop takes now."""
    begun = time.thread_time()
    sum(number * number for number in range(500_000))
    return time.thread_time() - begun


def steps(run):
    """Decisions of the run so far."""
    path = run / "metrics.jsonl"
    if not path.exists() or not path.stat().st_size:
        return 0
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 20_000))
        lines = [line for line in file.read().split(b"\n") if line.startswith(b"{") and line.endswith(b"}")]
    return json.loads(lines[-1])["charts/global_step"] if lines else 0


def watch(program, minutes, every, run):
    """Rows of COLUMNS, one every so many seconds, and the requests that went wrong."""
    # The pool of past selves, which takes most of the memory, is full after a minute or two.
    train = subprocess.Popen(
        [program, "train", "champion", "--run", run, "--threads", "1", "--set", "start=", "--set", "iterations=1000000",
         "--set", "init=checkpoints/luxembourg-v5", "--set", "eval.final_deals=0", "--set", "eval.every=25",
         "--set", "eval.deals=50", "--set", "deals=1024", "--set", "pool.every=5", "--set", "checkpoint_every=5"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    serve = subprocess.Popen([program, "serve", "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    rows = []
    try:
        address = serve.stdout.readline().strip().removeprefix("http://").rstrip("/")
        clients = Clients(address, count=4, rate=25)
        begun = time.monotonic()
        while time.monotonic() - begun < 60 * minutes:
            time.sleep(every)
            for process, name in [(train, "troel train"), (serve, "troel serve")]:
                if process.poll() is not None:
                    sys.exit(f"{name} ended with status {process.returncode}")
            requests, p99 = clients.take()
            train_usage, serve_usage = usage(train.pid), usage(serve.pid)
            rows.append([time.monotonic() - begun, yardstick(), *train_usage, steps(run), *serve_usage, requests, 1000 * p99])
        # A copy: what is asked after the end goes wrong.
        return rows, list(clients.faults)
    finally:
        for process in (train, serve):
            process.terminate()
        for process in (train, serve):
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                print(f"{process.args[1]} had to be killed")
                process.kill()


def rate(rows, work, cpu):
    """Work done for the processor time that the yardstick takes."""
    spent = sum((b[cpu] - a[cpu]) / b["yardstick"] for a, b in zip(rows, rows[1:]))
    return (rows[-1][work] - rows[0][work]) / max(1e-9, spent)


def judge(rows):
    """Faults of the whole: differences between the first and the last quarter after the warm-up.

    The warm-up is a fifth of the readings.
    """
    rows = [dict(zip(COLUMNS, row)) for row in rows[len(rows) // 5:]]
    quarter = len(rows) // 4
    if quarter < 4:
        return ["too few readings: take more --minutes"]
    first, last = rows[:quarter], rows[-quarter:]
    found = []
    for name, of, most in [("train_mib", max, 1.1), ("serve_mib", max, 1.1), ("train_fds", statistics.median, 1.0),
                           ("serve_fds", statistics.median, 1.0)]:
        before, after = (of(row[name] for row in part) for part in (first, last))
        print(f"{name}: {of.__name__} {before:.1f} in the first quarter, {after:.1f} in the last")
        if after > before * most:
            found.append(f"{name} grew from {before:.1f} to {after:.1f}")
    for work, cpu in [("steps", "train_cpu"), ("requests", "serve_cpu")]:
        before, after = (rate(part, work, cpu) for part in (first, last))
        print(f"{work} for the time of a yardstick: {before:.1f} in the first quarter, {after:.1f} in the last")
        if before <= 0 or after < 0.8 * before:
            found.append(f"{work} for the time of a yardstick fell from {before:.1f} to {after:.1f}")
    before, after = (part[-1]["requests"] - part[0]["requests"] for part in (first, last))
    print(f"requests: {before} in the first quarter, {after} in the last")
    if after < 0.9 * before:
        found.append(f"{before} requests became {after}")
    before, after = (sorted(row["p99_ms"] for row in part)[quarter // 2] for part in (first, last))
    print(f"99th percentile: median {before:.1f} ms in the first quarter, {after:.1f} in the last")
    if after > 2 * before:
        found.append(f"the 99th percentile rose from {before:.1f} to {after:.1f} ms")
    return found


def draw(rows, path):
    """The figure: memory, descriptors, work for a second of processor time."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    column = {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
    minutes = [seconds / 60 for seconds in column["seconds"]]
    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(8, 8), layout="constrained")
    for name, label in [("train", "train"), ("serve", "serve")]:
        axes[0].plot(minutes, column[f"{name}_mib"], label=label)
        axes[1].plot(minutes, column[f"{name}_fds"], label=label)
    axes[0].set_ylabel("memory, MiB")
    axes[1].set_ylabel("open descriptors")
    readings, span = [dict(zip(COLUMNS, row)) for row in rows], 12
    for work, cpu, label in [("steps", "train_cpu", "train: decisions"), ("requests", "serve_cpu", "serve: requests")]:
        rates = [rate(readings[i - span:i + 1], work, cpu) for i in range(span, len(rows))]
        axes[2].plot(minutes[span:], rates, label=label)
    axes[2].set_yscale("log")
    axes[2].set_ylabel("for a yardstick's time")
    axes[2].set_xlabel("minutes")
    for axis in axes:
        axis.legend(loc="center right")
        if axis is not axes[2]:
            axis.set_ylim(bottom=0)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=5, help="seconds between two readings")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows, faults = watch(args.program, args.minutes, args.every, pathlib.Path(folder) / "run")
    begun = rows[0][COLUMNS.index("steps")]
    if args.csv:
        with args.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows([[f"{value:.4g}" if i == 1 else f"{value:.1f}" for i, value in enumerate(row)] for row in rows])
    if args.svg:
        draw(rows, args.svg)
    print(f"{rows[-1][COLUMNS.index('requests')]} requests, {len(faults)} answered wrongly {faults[:3]}; {rows[-1][COLUMNS.index('steps')] - begun:.0f} decisions trained")
    found = judge(rows) + ([f"{len(faults)} requests went wrong"] if faults else [])
    for fault in found:
        print(f"FAULT: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
