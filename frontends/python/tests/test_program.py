"""``python -m troel``: finds the program that pip installed beside the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import troel
from troel import __main__ as program
from troel.program import _NAME as NAME


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which Python looks for installed programs; it is empty."""
    scripts = tmp_path / "scheme" / Path(sysconfig.get_path("scripts")).name
    scripts.mkdir(parents=True)
    monkeypatch.setattr(sysconfig, "get_path", lambda *_, **__: str(scripts))
    return scripts


def put(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / NAME
    file.write_text('#!/bin/sh\necho "got $*"; exit 3\n')
    file.chmod(0o755)
    return file


def test_the_nearest_program_is_found(tmp_path: Path, nothing_installed: Path) -> None:
    prefix = tmp_path / "prefix"
    lib = prefix / "Lib" if sys.platform == "win32" else prefix / "lib" / "python3.12"
    package = lib / "site-packages" / "troel"
    assert program.find_program(package) is None
    in_scheme = put(nothing_installed)
    assert program.find_program(package) == in_scheme
    in_prefix = put(prefix / nothing_installed.name)
    assert program.find_program(package) == in_prefix
    in_target = put(package.parent / "bin")
    assert program.find_program(package) == in_target


def test_a_folder_of_that_name_is_no_program(tmp_path: Path, nothing_installed: Path) -> None:
    (nothing_installed / NAME).mkdir()
    assert program.find_program(tmp_path / "troel") is None


def test_without_a_program_the_message_has_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "find_program", lambda _: None)
    with pytest.raises(SystemExit, match="this installation has no program.*cargo install --path cli"):
        program.main()


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_arguments_and_exit_status_are_those_of_the_program(tmp_path: Path) -> None:
    # The package as `pip install --target` leaves it.
    copied = tmp_path / "copied"
    shutil.copytree(Path(troel.__file__).parent, copied / "troel")
    put(copied / "bin")
    environment = {**os.environ, "PYTHONPATH": str(copied)}
    command = [sys.executable, "-m", "troel", "eval", "a b"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "got eval a b\n"), done.stderr
