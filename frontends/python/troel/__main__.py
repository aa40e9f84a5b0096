"""Runs the program ``troel`` that the wheel installed: ``python -m troel``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .program import find_program

_MISSING = (
    "python -m troel: this installation has no program; from a clone of the repository, "
    "run 'cargo install --path cli', and then 'troel'"
)


def main() -> None:
    """Runs the program with the arguments of this process, and ends with its exit status."""
    program = find_program(Path(__file__).resolve().parent)
    if program is None:
        sys.exit(_MISSING)
    arguments = [str(program), *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(program, arguments)
    # On Windows, exec returns to the shell before the program has ended.
    try:
        sys.exit(subprocess.run(arguments, check=False).returncode)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
