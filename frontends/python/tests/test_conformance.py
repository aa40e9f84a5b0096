"""The cheap suites of ``conformance/run``, in the Python that runs the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import troel
from conftest import need

HARNESS = Path(__file__).resolve().parents[1] / "conformance" / "harness.py"


@pytest.mark.parametrize(
    ("suite", "packages"),
    [("pettingzoo", ["pettingzoo"]), ("gymnasium", ["gymnasium"]), ("cleanrl", ["gymnasium", "torch"])],
    ids=["pettingzoo", "gymnasium", "cleanrl"],
)
def test_frameworks_find_nothing(suite: str, packages: list[str], tmp_path: Path) -> None:
    need(*packages)
    report = tmp_path / "report.json"
    # The package that is under test here, wherever it was imported from.
    settings = {**os.environ, "PYTHONPATH": str(Path(troel.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, str(HARNESS), suite, str(report)],
        cwd=tmp_path,
        env=settings,
        capture_output=True,
        text=True,
    )
    found = json.loads(report.read_text("utf-8"))
    assert found["failed"] == [] and found["skipped"] == [], done.stdout + done.stderr
    assert found["checks"] > 5 and done.returncode == 0
