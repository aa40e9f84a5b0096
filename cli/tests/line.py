"""A line between two network namespaces on which packets are late and some are lost.

    python3 line.py FIRST SECOND DELAY LOSS

FIRST and SECOND are namespaces; each gets a device eth1, with the addresses 10.77.0.1 and 10.77.0.2. DELAY is in milliseconds, each way,
LOSS the share of the packets. Prints "ready" once the line works, and ends with standard input; then it prints how many packets came
through and how many were lost. Done here, as few kernels have netem.
"""

import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
LONGEST = 9000


def end(namespace: str, number: int) -> int:
    """A device in a namespace, as a file of the packets that are sent and received there."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    name = f"end{os.getpid()}-{number}"
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    for words in (
        f"link set {name} netns {namespace}",
        f"-n {namespace} link set {name} name eth1 mtu {LONGEST} txqueuelen 10000",
        f"-n {namespace} addr add 10.77.0.{number}/24 dev eth1",
        f"-n {namespace} link set eth1 up",
        f"-n {namespace} link set lo up",
    ):
        subprocess.run(["ip", *words.split()], check=True)
    return file


def main() -> None:
    first, second = end(sys.argv[1], 1), end(sys.argv[2], 2)
    delay, loss = float(sys.argv[3]) / 1e3, float(sys.argv[4])
    other = {first: second, second: first}
    # All are late by the same time, so they come in order.
    late: deque[tuple[float, int, bytes]] = deque()
    draws, passed, lost = random.Random(1), 0, 0
    print("ready", flush=True)
    while True:
        wait = max(0.0, late[0][0] - time.monotonic()) if late else None
        readable, _, _ = select.select([sys.stdin, first, second], [], [], wait)
        for file in readable:
            if file is sys.stdin:
                print(passed, lost)
                return
            packet = os.read(file, LONGEST)
            if draws.random() < loss:
                lost += 1
            else:
                late.append((time.monotonic() + delay, other[file], packet))
        while late and late[0][0] <= time.monotonic():
            _, file, packet = late.popleft()
            os.write(file, packet)
            passed += 1


if __name__ == "__main__":
    main()
