"""Which of the solvers are installed here, in which version."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

from pyfsel.drivers.linear.connection import NAMES
from pyfsel.drivers.versions import installed_version

TITLES = {"cbc": "CBC", "highs": "HiGHS", "scip": "SCIP", "cpsat": "CP-SAT"}
PACKAGES = {
    "cbc": {"ortools": " of OR-Tools"},
    "highs": {"highspy": ""},
    "scip": {"pyscipopt": " of PySCIPOpt", "ortools": " of OR-Tools"},
    "cpsat": {"ortools": ""},
}
"""The packages that bring a solver, and whose version that is where it is not the solver's own."""
HINTS = {
    "cbc": "apt install coinor-cbc, or pip install ortools",
    "highs": "pip install highspy",
    "scip": "pip install pyfsel[scip], or pip install ortools",
    "cpsat": "pip install ortools",
}


def missing(name: str) -> str | None:
    """Return what has to be installed for a solver, or None.

    Examples
    --------
    >>> missing("cpsat")
    """
    if name not in NAMES:
        return f"{name} is none of {', '.join(NAMES)}"
    return None if version(name) else f"{TITLES[name]} is not installed ({HINTS[name]})"


@cache
def version(name: str) -> str | None:
    """Return the version of a solver, or None if it is missing; where its package has another, that one's."""
    if name == "cbc" and (program := shutil.which("cbc")) is not None:
        text = subprocess.run(
            [program, "-quit"], capture_output=True, text=True, check=False, timeout=60
        ).stdout
        found = re.search(r"Version: (\S+)", text)
        return found.group(1) if found else "unknown"
    for package, whose in PACKAGES[name].items():
        found_version = installed_version(package)
        if found_version is not None:
            return f"{found_version}{whose}"
    return None
