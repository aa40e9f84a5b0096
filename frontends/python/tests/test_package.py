"""The package as a whole: docstrings, types, imports."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import troel
from conftest import need

PACKAGE = Path(troel.__file__).parent


@pytest.mark.parametrize(
    "module",
    [
        "vector",
        "agents",
        "evaluation",
        "judging",
        "laboratory",
        "solving",
        "records",
        "bundles",
        "gymnasium_env",
    ],
)
def test_examples_in_docstrings_hold(module: str) -> None:
    if module == "gymnasium_env":
        need("gymnasium")
    found = importlib.import_module(f"troel.{module}")
    failed, _ = doctest.testmod(found, extraglobs={"Game": troel.Game})
    assert failed == 0


def test_everything_public_is_documented_and_there() -> None:
    for name in troel.__all__:
        if name in ("env", "raw_env", "parallel_env", "OneSeatEnv", "OneSeatVectorEnv", "register_openspiel"):
            continue
        value = getattr(troel, name)
        assert not callable(value) or value.__doc__, name


def test_importing_needs_numpy_alone() -> None:
    code = (
        "import sys\n"
        "for name in ('gymnasium', 'pettingzoo', 'pyspiel', 'torch'): sys.modules[name] = None\n"
        "import troel\n"
        "troel.Game().step('pass')\n"
        "try: troel.env\n"
        "except ImportError as error: assert 'pip install' in str(error), error\n"
        "else: raise SystemExit('no error')\n"
        "import pydoc\n"
        "text = pydoc.plaintext.document(troel)\n"
        "assert 'evaluate(' in text and 'register_openspiel' not in dir(troel), text\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent)


def test_types() -> None:
    need("mypy", "gymnasium", "pettingzoo")
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml"]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_stub_says_what_the_native_half_has() -> None:
    need("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "troel._troel", "--ignore-disjoint-bases"]
    command += ["--mypy-config-file", "pyproject.toml"]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_an_old_processor_gets_an_error(tmp_path: Path) -> None:
    """A library that uses AVX2 is refused without it, another one is not."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("processor : 0\nflags : fpu sse sse2 ssse3 avx\n")
    new.write_text("processor : 0\nflags : fpu sse sse2 ssse3 avx avx2\n")
    with pytest.raises(ImportError, match=r"lacks AVX2.*target-cpu=native"):
        troel.processor.check(PACKAGE, old)
    troel.processor.check(PACKAGE, new)
    troel.processor.check(PACKAGE, tmp_path / "no such file")
    (tmp_path / "_troel.abi3.so").write_bytes(b"a library for every processor")
    troel.processor.check(tmp_path, old)
