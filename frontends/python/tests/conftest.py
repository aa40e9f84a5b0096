"""What the tests share: which packages and programs may be missing.

The reason of a skip names what is missing.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def lacks(what: str) -> None:
    """Skips a test for which something is missing; where everything must be there, it fails."""
    may_lack = os.environ.get("TROEL_PYTHON_MAY_LACK", "").split(",")
    if os.environ.get("TROEL_PYTHON_STRICT") == "1" and what not in may_lack:
        pytest.fail(f"{what} is missing; install it, or name it in TROEL_PYTHON_MAY_LACK")
    pytest.skip(what)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Appends a skipped test to the list that ``.ci/skipped`` prints, if ``TROEL_SKIPPED`` names it."""
    listed = os.environ.get("TROEL_SKIPPED")
    if listed and report.skipped and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        with open(listed, "a", encoding="utf-8") as file:
            file.write(f"{reason}\t{report.nodeid.removeprefix('::')}\n")


def need(*packages: str) -> None:
    """Skips or fails a test unless these packages can be imported."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            lacks(package)


@pytest.fixture(scope="session")
def program() -> str:
    """The program `troel`, to compare with."""
    built = ROOT / "target" / "release" / "troel"
    found = os.environ.get("TROEL_PROGRAM") or (str(built) if built.exists() else shutil.which("troel"))
    if found is None:
        lacks("troel")
    assert found is not None
    return found
