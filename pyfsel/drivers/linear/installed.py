"""Which of the solvers are installed here, in which version."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

from pyfsel.drivers.linear.connection import NAMES
from pyfsel.drivers.versions import installed_version

TITLES = {"cbc": "CBC", "highs": "HiGHS", "scip": "SCIP"}
HINTS = {
    "cbc": "apt install coinor-cbc",
    "highs": "pip install highspy",
    "scip": "pip install pyfsel[scip]",
}


def missing(name: str) -> str | None:
    """Return what has to be installed for a solver, or None.

    Examples
    --------
    >>> missing("highs")
    """
    if name not in NAMES:
        return f"{name} is none of {', '.join(NAMES)}"
    return None if version(name) else f"{TITLES[name]} is not installed ({HINTS[name]})"


@cache
def version(name: str) -> str | None:
    """Return the version of a solver, or None if it is missing; of SCIP that of its package."""
    if name == "cbc":
        program = shutil.which("cbc")
        if program is None:
            return None
        text = subprocess.run(
            [program, "-quit"], capture_output=True, text=True, check=False, timeout=60
        ).stdout
        found = re.search(r"Version: (\S+)", text)
        return found.group(1) if found else "unknown"
    found_version = installed_version({"highs": "highspy", "scip": "pyscipopt"}[name])
    return f"{found_version} of PySCIPOpt" if name == "scip" and found_version else found_version
