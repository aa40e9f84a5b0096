"""Check that the processor has the instructions that the native half was compiled for.

Without this check, an older processor ends Python with an illegal instruction and no message.
"""

from __future__ import annotations

from pathlib import Path

# `INSTRUCTIONS` in src/lib.rs: part of a native half that uses AVX2.
_USES_AVX2 = b"troel was compiled for AVX2"


def check(package: Path, cpuinfo: Path) -> None:
    """Raise ImportError if the processor lacks AVX2 and the native half in a folder uses it.

    Args:
        package: folder of the package
        cpuinfo: ``/proc/cpuinfo``; other systems than Linux have none, and are not checked
    """
    try:
        flags = cpuinfo.read_text(errors="replace").split()
    except OSError:
        return
    if "avx2" in flags:
        return
    # The library is read here only, because that takes a while.
    if any(_USES_AVX2 in library.read_bytes() for library in package.glob("_troel*")):
        message = (
            "this processor lacks AVX2, which this build of troel uses. Use a processor with AVX2 "
            '(most since 2015), or build troel from source with RUSTFLAGS="-C target-cpu=native"'
        )
        raise ImportError(message)


check(Path(__file__).parent, Path("/proc/cpuinfo"))
