"""The program ``troel``: where it is, and running it under the control of Python."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from ._troel import __version__

_NAME = "troel" + (sysconfig.get_config_var("EXE") or "")

#: Environment variable with the path of the program.
_VARIABLE = "TROEL_PROGRAM"

#: Seconds between two looks at a program that runs.
_INTERVAL = 0.1

#: Exit status of a program that was asked to stop.
_STOPPED = 130

#: Largest number of lines of an error message from a program that did not end with an error of its
#: own.
_MAX_LINES = 20


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


def required_program(program: str | PathLike[str] | None = None) -> Path:
    """Returns the program that belongs to this package.

    It is the one that is named by the argument or by the environment variable ``TROEL_PROGRAM``,
    else the one of the wheel, else ``troel`` on the ``PATH``.

    Raises:
        FileNotFoundError: There is none.
        ValueError: It is of another version than the package.
    """
    named = os.environ.get(_VARIABLE) or None if program is None else fspath(program)
    if named is not None:
        source = _VARIABLE if program is None else "program"
        found = shutil.which(named)
        if found is None:
            raise FileNotFoundError(
                f"{source}={named!r}: there is no such program; use the path of troel"
            )
    else:
        installed = find_program(Path(__file__).resolve().parent)
        found = shutil.which(_NAME) if installed is None else str(installed)
        if found is None:
            raise FileNotFoundError(
                "this installation has no program troel: install a wheel of a release, or run "
                "'cargo install --path cli' in a clone of the repository"
            )
    version = _version(found)
    if version != __version__:
        raise ValueError(
            f"{found} is version {version}, but the package is {__version__}: install both from "
            f"the same version, or name the right program with program= or {_VARIABLE}"
        )
    return Path(found).resolve()


def _version(program: str) -> str:
    """Returns the version that a program prints, without the commit after it."""
    try:
        printed = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise ValueError(f"{program} is not the program troel: {error}") from error
    words = printed.stdout.decode(errors="replace").removeprefix("troel").split()
    return words[0] if words else ""


class Ended(NamedTuple):
    """A program that has ended."""

    #: Whether it stopped because it was asked to.
    stopped: bool
    #: What it printed on standard output.
    output: str
    #: Its error message; ``None`` if it succeeded or stopped.
    error: str | None


def run_supervised(
    program: Path, arguments: Sequence[str], watch: Callable[[str], bool]
) -> Ended:
    """Runs a command of the program that has the option ``--supervised``.

    ``watch`` is called several times a second, and at the end, with the standard output so far. If
    it returns ``False``, the program is asked to stop, saves its work and ends. An exception or
    Ctrl-C also lets the program save. A second Ctrl-C ends it at once.

    The program stops when its standard input has a byte or ends. So it does not outlive this process.
    """
    with tempfile.TemporaryDirectory(prefix="troel-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        with out.open("wb") as to_out, err.open("wb") as to_err:
            process = subprocess.Popen(
                [str(program), *arguments],
                stdin=subprocess.PIPE,
                stdout=to_out,
                stderr=to_err,
                # Ctrl-C at a terminal reaches Python alone, which lets the program save once.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        asked, shown = False, 0
        try:
            status = None
            while status is None:
                status = _wait(process)
                shown = _show_warnings(_text(err), shown)
                if not watch(_text(out)) and not asked:
                    asked = True
                    _ask_to_stop(process)
        except BaseException:
            _end(process)
            raise
        _ask_to_stop(process)
        if asked and status == _STOPPED:
            return Ended(True, _text(out), None)
        error = None if status == 0 else _error(_text(err), status)
        return Ended(False, _text(out), error)


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    """Returns the exit status of a process, or ``None`` if it still runs after the interval."""
    try:
        return process.wait(_INTERVAL)
    except subprocess.TimeoutExpired:
        return None


def _ask_to_stop(process: subprocess.Popen[bytes]) -> None:
    # The byte also reaches the program if another process holds the pipe: a fork of this one.
    if process.stdin is not None and not process.stdin.closed:
        with contextlib.suppress(OSError):
            process.stdin.write(b"\n")
            process.stdin.flush()
        with contextlib.suppress(OSError):
            process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Lets a process save and waits for its end. Another exception meanwhile kills it."""
    try:
        _ask_to_stop(process)
        process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _show_warnings(notes: str, shown: int) -> int:
    """Prints the warnings after the first ``shown`` lines; returns the number of lines read."""
    lines = notes.splitlines()
    # A program that a recipe runs is never started silently.
    for line in lines[shown:]:
        if "runs a program" in line:
            print(line, file=sys.stderr)
    return len(lines)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _error(notes: str, status: int) -> str:
    """Returns the error message at the end of a program's standard error."""
    lines = notes.splitlines()
    for number, line in reversed(list(enumerate(lines))):
        for start in ("troel: ", "error: "):
            if line.startswith(start):
                # The last error refers to those of single seeds.
                above = [one for one in lines[:number] if re.match(r"seed \d+ .*failed: ", one)]
                return "\n".join([*above, line.removeprefix(start), *lines[number + 1 :]])
    how = f"signal {-status}" if status < 0 else f"status {status}"
    return "\n".join([f"the program ended with {how}", *lines[-_MAX_LINES:]])
