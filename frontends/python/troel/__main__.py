"""Runs the program ``troel`` that the wheel installed: ``python -m troel``."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

_NAME = "troel" + (sysconfig.get_config_var("EXE") or "")
_MISSING = (
    "python -m troel: this installation has no program; from a clone of the repository, "
    "run 'cargo install --path cli', and then 'troel'"
)


def _folders(package: Path) -> list[Path]:
    """Returns the folders in which pip installs programs, the nearest to the package first."""
    site = package.parent
    folders = [site / "bin"]  # pip install --target
    scripts = Path(sysconfig.get_path("scripts"))
    # pip install --prefix: the package is in lib/python3.N/site-packages, on Windows in
    # Lib/site-packages.
    depth = 1 if sys.platform == "win32" else 2
    if site.name == "site-packages" and len(site.parents) > depth:
        folders.append(site.parents[depth] / scripts.name)
    folders.append(scripts)
    user = sysconfig.get_preferred_scheme("user")
    folders.append(Path(sysconfig.get_path("scripts", scheme=user)))
    return folders


def find_program(package: Path) -> Path | None:
    """Returns the program that was installed with the package, or ``None`` if there is none."""
    found = (folder / _NAME for folder in _folders(package))
    return next((program for program in found if program.is_file()), None)


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
