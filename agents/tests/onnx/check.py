"""Checks a model in full and runs it in ONNX Runtime beside the results that burn gave."""

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

folder, rules_hash = Path(sys.argv[1]), sys.argv[2]
path = str(folder / "model.onnx")
onnx.checker.check_model(onnx.load(path), full_check=True)
session = onnxruntime.InferenceSession(path)
inputs = [i.name for i in session.get_inputs()]
assert inputs in (["features", "mask"], ["features", "mask", "suits"]), inputs
assert [o.name for o in session.get_outputs()] == ["policy", "value"]
metadata = session.get_modelmeta().custom_metadata_map
assert metadata["rules_hash"] == rules_hash, metadata
read = lambda name, kind: np.frombuffer((folder / name).read_bytes(), kind)
features = read("features", np.float32).reshape(-1, session.get_inputs()[0].shape[1])
mask = read("mask", np.uint8).astype(bool).reshape(len(features), -1)
wanted_policy = read("policy", np.float32).reshape(mask.shape)
wanted_value = read("value", np.float32).reshape(-1, 1)
suits = read("suits", np.int64).reshape(-1, 1)
given = {name: {"features": features, "mask": mask, "suits": suits}[name] for name in inputs}
policy, value = session.run(None, given)
worst_policy = np.abs(policy - wanted_policy).max()
# Relative to the largest value: in a small difference of large terms, rounding is as large as in
# the terms.
worst_value = np.abs(value - wanted_value).max() / (1 + np.abs(wanted_value).max())
assert worst_policy <= 1e-5 and worst_value <= 1e-5, (worst_policy, worst_value)
assert (policy[~mask] == 0).all() and np.allclose(policy.sum(1), 1, atol=1e-5)
assert (policy.argmax(1) == wanted_policy.argmax(1)).all()
one = session.run(["policy"], {name: rows[:1] for name, rows in given.items()})[0]
assert np.abs(one - policy[:1]).max() <= 1e-5
print(f"{len(features)} observations, policy within {worst_policy:.1e}, value within {worst_value:.1e}, same moves")
