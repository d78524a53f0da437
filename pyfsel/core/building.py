"""Compiles the C sources in this folder: with the C compiler of the system, or else with Zig's.

It runs while the package is being installed, too: only the standard library is there.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

SOURCES = Path(__file__).parent
LIBRARY = SOURCES / {"win32": "core.dll", "darwin": "libcore.dylib"}.get(sys.platform, "libcore.so")
ZIG = "ziglang==0.17.1"
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-shared")
"""Without contraction each product is rounded before it is added: the same results on all processors."""
NO_COMPILER = (
    "pyfsel: its core is in C, and no C compiler was found. Install one (Debian: apt-get install gcc), "
    f"name one in the environment variable CC, or run: python -m pip install {ZIG}"
)


class NoCompilerError(OSError):
    """There is neither a C compiler nor Zig."""


def system_compiler() -> list[str] | None:
    """Return the C compiler in the environment variable CC or else of the system; None if there is none.

    On Windows the usual compiler does not accept C11 with these options, so only CC is used.
    """
    chosen = os.environ.get("CC")
    if chosen:
        return shlex.split(chosen)
    if sys.platform == "win32":
        return None
    return next(([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), None)


def zig_compiler(target: str | None = None) -> list[str]:
    """Return Zig's C compiler for a system in its words, such as "aarch64-linux-gnu.2.17", or for this one.

    Raises
    ------
    NoCompilerError
        It is not installed.
    """
    if find_spec("ziglang") is None:
        raise NoCompilerError(NO_COMPILER)
    return [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline", *(["-target", target] if target else [])]


def compile_library(
    library: Path,
    compiler: Sequence[str] | None = None,
    files: Sequence[Path] | None = None,
    options: Sequence[str] = (),
) -> None:
    """Compile sources into one library, which appears at once or not at all.

    Parameters
    ----------
    library : Path
    compiler : sequence of str, optional
        The command; by default, the compiler of the system or else Zig's.
    files : sequence of Path, optional
        All sources of the core unless given.
    options : sequence of str
        Come after the usual ones.

    Raises
    ------
    NoCompilerError
    subprocess.CalledProcessError
        The compiler does not take the sources; it has said why.
    """
    command = [*(compiler or system_compiler() or zig_compiler()), *FLAGS]
    if library.suffix != ".dll":
        command.append("-fPIC")
    with tempfile.TemporaryDirectory(dir=library.parent, prefix=".building-") as folder:
        made = Path(folder) / library.name
        subprocess.run([*command, *options, *(files or sources()), "-lm", "-o", made], check=True)
        made.replace(library)


def sources() -> list[Path]:
    """Return the C sources, without headers; there are none in an installed wheel."""
    return sorted(SOURCES.glob("*.c"))


def current_library() -> Path:
    """Return the library; compile it first where a source, or a header, is newer (an editable install).

    The environment variable PYFSEL_CORE_LIBRARY names another one, such as one with sanitizers.
    """
    other = os.environ.get("PYFSEL_CORE_LIBRARY")
    if other:
        return Path(other)
    newest = max((file.stat().st_mtime for file in SOURCES.glob("*.[ch]")), default=0.0)
    if not LIBRARY.exists() or LIBRARY.stat().st_mtime < newest:
        compile_library(LIBRARY)
    return LIBRARY
