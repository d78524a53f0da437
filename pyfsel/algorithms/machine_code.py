"""Whether the machine code of a backend is on disk, and is to be used; nothing big is loaded to know it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from pyfsel.solvers.compiling import current_task
from pyfsel.solvers.versions import is_installed

SOURCES = Path(__file__).parent
COMPILING = "PYFSEL_COMPILING"
SECONDS_WITHOUT = 0.5
LONGEST_COMPILATION_SECONDS = 60.0
SECONDS_BETWEEN_LOOKS = 0.1
_next_look: dict[str, float] = {}


def is_compiled(name: str) -> bool:
    """Return whether all machine code of a backend is on disk, see `pyfsel.solving.compile_searches`.

    That is remembered by an empty file beside the code, whose name depends on all that the code depends on.
    """
    return _mark(name).exists()


def is_compiling() -> bool:
    """Return whether this process, or the one that started it, runs only to compile all machine code."""
    return os.environ.get(COMPILING) == "1"


def takes_machine_code(name: str) -> bool:
    """Return whether a search that could do without should use the machine code of a backend now.

    It should if Numba is loaded already; to load it takes half a second, which pays only for what takes as
    long. While another process compiles the code, nobody does so as well. It is looked up now and then only.
    """
    now = time.monotonic()
    if now < _next_look.get(name, 0.0):
        return False
    if is_compiling() or ("numba" in sys.modules and is_compiled(name)):
        return True
    _next_look[name] = now + SECONDS_BETWEEN_LOOKS
    return current_task().seconds >= SECONDS_WITHOUT and is_installed("numba") and can_load(name)


def can_load(name: str) -> bool:
    """Return whether the machine code of a backend is there, or nobody else is about to compile it."""
    task = current_task()
    return is_compiled(name) or not task.is_compiling_aside or task.seconds > LONGEST_COMPILATION_SECONDS


def note_compiled(name: str) -> None:
    """Remember that all machine code of a backend is on disk, if anything can be written there."""
    with suppress(OSError):
        _mark(name).parent.mkdir(parents=True, exist_ok=True)
        _mark(name).touch()


def lock_of_compiling() -> Path:
    """Return the file that is locked by the process that compiles."""
    _code_folder().mkdir(parents=True, exist_ok=True)
    return _mark("lock")


def _mark(name: str) -> Path:
    return _code_folder() / f"pyfsel-{name}-{_fingerprint()}"


def _code_folder() -> Path:
    """Return a folder near to that where Numba keeps its code."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    beside = SOURCES / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return beside if os.access(beside, os.W_OK) else home / "pyfsel"


@cache
def _fingerprint() -> str:
    """Return a word for the sources, the compiler, and the processor that it compiles for."""
    parts = [sys.version, platform.machine()]
    compiler = importlib.util.find_spec("numba")
    files = [
        *sorted(SOURCES.rglob("*.py")),
        *([Path(compiler.origin)] if compiler and compiler.origin else []),
    ]
    for file in files:
        about = file.stat()
        parts.append(f"{file} {about.st_mtime_ns} {about.st_size}")
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as processors:
            parts += [line for line in processors.read(10_000).splitlines() if line.startswith("flags")][:1]
    except OSError:
        parts.append(platform.processor())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
