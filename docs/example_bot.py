"""A bot in another language: it passes where it may and plays any card. See docs/protocol.md.

troel eval "bot:python3 docs/example_bot.py" rules --rules wiezen --deals 50
"""

import json
import random
import sys

HELLO = {
    "protocol": 1,
    "name": "example",
    "version": "1",
    "bot": {},
    "rules": ["luxembourg", "horesca", "wiezen", "iwwa"],
}
draw = random.Random(1)

for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "hello":
        answer = HELLO
    elif request["cmd"] == "act":
        legal = request["legal"]
        action = "pass" if "pass" in legal else draw.choice(legal)
        answer = {"action": action, "policy": {action: 1.0}, "value": None}
    else:
        answer = {"error": {"code": "bad-request", "message": "hello and act only"}}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
