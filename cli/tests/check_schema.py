"""Checks a transcript, request and answer in turn, against the schema. Requests that are answered with an error may break it."""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

docs = Path(sys.argv[1])
schema = json.loads((docs / "protocol.schema.json").read_text())
Draft202012Validator.check_schema(schema)
part = lambda name: Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"})
lines = (docs / "transcript.jsonl").read_text().splitlines()
checked = 0
for request, answer in zip(lines[::2], lines[1::2]):
    part("answer").validate(json.loads(answer))
    if "error" not in json.loads(answer):
        part("request").validate(json.loads(request))
        checked += 1
assert checked >= 4
assert not part("request").is_valid({"id": 1, "cmd": "act"})
print(f"{len(lines) // 2} pairs")
