"""Telling MiniZinc about the bridge: a configuration and a small program per solver."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from pyfsel.drivers.linear.installed import TITLES
from pyfsel.problem.text_files import home_folder

ID_PREFIX = "pyfsel."
LAUNCHER = Path(__file__).with_name("launch.py")
STANDARD_FLAGS = ("-a", "-i", "-n", "-f", "-t", "-p", "-r", "-s", "-v")
LIMITATIONS = {"cbc": "tells its last solution only, also with -a and -i"}


class Installed(NamedTuple):
    """The files of one solver; `complete` tells whether both are there."""

    name: str
    configuration: Path
    program: Path

    @property
    def complete(self) -> bool:
        """Whether the files exist."""
        return self.configuration.is_file() and self.program.is_file()


def user_folder() -> Path:
    """Return the folder in which MiniZinc looks for the solvers of this user."""
    if sys.platform == "win32":
        return Path(os.environ["APPDATA"]) / "MiniZinc" / "solvers"
    return home_folder() / ".minizinc" / "solvers"


def files(name: str, folder: Path) -> Installed:
    """Return where the files of a solver are, or would be."""
    program = f"pyfsel-fzn-{name}{'.bat' if os.name == 'nt' else ''}"
    return Installed(name, folder / f"{ID_PREFIX}{name}.msc", folder / program)


def command(name: str) -> list[str]:
    """Return the command that starts a solver; FlatZinc file and options come after it.

    The way to the program `cbc` needs no installed package, and starts without looking for any.
    """
    flags = ["-P", "-S"] if name == "cbc" else ["-P"]
    return [sys.executable, *flags, str(LAUNCHER), name]


def install(name: str, folder: Path, version: str) -> Installed:
    """Write the files of a solver into a folder.

    Each solver has a program of its own: MiniZinc resolves links before it starts one, so a program
    could not tell under which name it was called.

    Parameters
    ----------
    name : str
        One of `connection.NAMES`.
    folder : Path
        Exists afterwards.
    version : str
        Shown by ``minizinc --solvers``.
    """
    target = files(name, folder)
    folder.mkdir(parents=True, exist_ok=True)
    if os.name == "nt":
        script = f"@{subprocess.list2cmdline(command(name))} %*\n"
    else:
        script = f'#!/bin/sh\nexec {shlex.join(command(name))} "$@"\n'
    _write(target.program, script, mode=0o755)
    configuration = {
        "id": f"{ID_PREFIX}{name}",
        "name": f"{TITLES[name]} (pyfsel)",
        "description": "; ".join([f"{TITLES[name]} on linear FlatZinc", *limitation(name)]),
        "version": version,
        "mznlib": "-Glinear",
        "mznlibVersion": 1,
        "executable": str(target.program.absolute()),
        "tags": ["int"] if name == "cpsat" else ["mip", "int", "float"],
        "stdFlags": list(STANDARD_FLAGS),
        "supportsMzn": False,
        "supportsFzn": True,
        "needsSolns2Out": True,
        "needsMznExecutable": False,
        "needsStdlibDir": False,
        "isGUIApplication": False,
    }
    _write(target.configuration, json.dumps(configuration, indent=1, ensure_ascii=False) + "\n", mode=0o644)
    return target


def limitation(name: str) -> list[str]:
    """Return what a solver cannot do that others can, at most one sentence.

    Examples
    --------
    >>> limitation("cbc"), limitation("highs")
    (['tells its last solution only, also with -a and -i'], [])
    """
    return [LIMITATIONS[name]] if name in LIMITATIONS else []


def _write(path: Path, text: str, mode: int) -> None:
    """Write a file as a whole: whoever looks meanwhile sees the old one, or none.

    MiniZinc takes paths byte by byte, so those that are not UTF-8 are written as they are.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", errors="surrogateescape")
        draft.chmod(mode)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def uninstall(name: str, folder: Path) -> bool:
    """Remove the files of a solver and return whether there were any."""
    found = [path for path in files(name, folder)[1:] if path.is_file()]
    for path in found:
        path.unlink()
    return bool(found)
