"""What the suites share. ``run`` starts it in the environment of a suite: ``harness.py SUITE REPORT``.

A suite is a file of functions marked with :func:`check`, each of which raises if Troel does not conform, and a tuple
``PACKAGES`` of the distributions whose versions are reported.
"""

from __future__ import annotations

import json
import runpy
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

_CHECKS: list[tuple[str, Callable[[], None]]] = []


class Skip(Exception):
    """Raised by a check that cannot be run; the message says why."""


def check(*values: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Marks a function as a check, or as one check for each value, with which it is called."""

    def mark(function: Callable[..., None]) -> Callable[..., None]:
        if not values:
            _CHECKS.append((function.__name__, function))
        for value in values:
            _CHECKS.append((f"{function.__name__}[{value}]", partial(function, value)))
        return function

    return mark


def main(suite: str, report: Path) -> int:
    """Runs the checks of a suite and writes a report of them; 0 if none failed."""
    names = runpy.run_path(str(HERE / f"{suite}.py"))
    failed: list[str] = []
    skipped: list[str] = []
    for name, function in _CHECKS:
        start = time.monotonic()
        word = "ok"
        try:
            function()
        except Skip as skip:
            word = "SKIPPED"
            skipped.append(f"{name} SKIPPED: {skip}")
        except Exception as error:
            word = "FAILED"
            traceback.print_exc()
            failed.append(f"{name} FAILED: {type(error).__name__}: {_first_line(error)}")
        print(f"{word:<8}{name} ({time.monotonic() - start:.1f} s)", flush=True)
    data = {
        "versions": {package: version(package) for package in names["PACKAGES"]},
        "checks": len(_CHECKS) - len(skipped),
        "failed": failed,
        "skipped": skipped,
    }
    report.write_text(json.dumps(data), "utf-8")
    return int(bool(failed))


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else "without a message"


if __name__ == "__main__":
    # The suites are named after the frameworks, and must not be taken for them.
    sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != HERE]
    sys.modules["harness"] = sys.modules["__main__"]
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
