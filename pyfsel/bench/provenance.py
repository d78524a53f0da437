"""On what runs are made: machine, versions, and the sources of this package and its models."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import psutil

from pyfsel.backends.base import installed_version
from pyfsel.backends.minizinc.catalogue import CATALOGUE, catalogue_file
from pyfsel.drivers.processes.guard import MEGABYTE

PACKAGE = Path(__file__).parents[1]
SOURCES = (".py", ".c", ".h")
CPU_INFO = Path("/proc/cpuinfo")


def provenance() -> dict[str, Any]:
    """Return the machine, the versions of what is installed, and a hash of all sources; None: not known."""
    return {"machine": _hardware(), "versions": _packages(), "sources": _sources()}


def available_cores() -> list[int] | None:
    """Return the cores that this process may use; None if the system does not say (macOS)."""
    process = psutil.Process()
    return process.cpu_affinity() if hasattr(process, "cpu_affinity") else None


def _sources() -> str:
    """Return the SHA-256 of the code of this package and of its models."""
    files = [path for path in PACKAGE.rglob("*") if path.suffix in SOURCES]
    files += [catalogue_file(), *(model.path for model in CATALOGUE)]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _hardware() -> dict[str, Any]:
    text = CPU_INFO.read_text() if CPU_INFO.exists() else ""  # Python does not learn it from Linux
    named = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return {
        "system": platform.platform(),
        "cpu": named[1] if named else platform.processor() or None,
        "n_cpus": os.cpu_count(),
        "memory": round(psutil.virtual_memory().total / MEGABYTE),
        "host": platform.node(),
    }


def _packages() -> dict[str, str | None]:
    """Return the versions of Python, of this package and what it needs, and of MiniZinc."""
    needed = [line for line in requires("pyfsel") or () if "extra ==" not in line]
    names = sorted(re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in needed)
    own = {"pyfsel": installed_version("pyfsel"), "python": platform.python_version()}
    program = shutil.which("minizinc")
    if program is not None:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"version ([\d.]+\d)", told)
        own["MiniZinc (program)"] = found[1] if found else None
    return own | {name: installed_version(name) for name in names}
