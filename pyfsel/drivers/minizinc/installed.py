"""The solvers behind MiniZinc: known ones, and those that it lists."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from json import loads
from typing import Any

from pyfsel.drivers.processes.guarded import GuardedProgram
from pyfsel.errors import SolverError

INT32_MAX = 2**31 - 2  # Gecode's largest integer
LISTING_SECONDS = 10.0
ABSENT = "<unknown version>"
ADVICE = "it comes with the MiniZinc of https://www.minizinc.org, while Debian's has Gecode only"
NO_MINIZINC = "the program minizinc is not on the PATH (https://www.minizinc.org, or apt install minizinc)"


PROPAGATION, LINEAR, CLAUSES = "propagation", "linear", "clauses"


@dataclass(frozen=True)
class MiniZincSolver:
    """A solver that MiniZinc can run the models on.

    Parameters
    ----------
    name : str
        What stands behind ``minizinc:`` in the name of the backend.
    ids : tuple of str
        What MiniZinc calls it, the preferred name first.
    summary : str
    largest_total : int
        Largest integer objective that the solver can represent.
    does_fractions : bool
        Whether it solves the literal model of objectives that are fractions reliably.
    family : {"propagation", "linear", "clauses"}
        What it is good at: propagation, linear relaxations, or learning clauses. Models are strengthened
        differently for each.
    """

    name: str
    ids: tuple[str, ...]
    summary: str
    largest_total: int = INT32_MAX
    does_fractions: bool = True
    family: str = PROPAGATION

    def missing(self) -> str | None:
        """Return what has to be installed, or None."""
        listed, wrong = asked_minizinc()
        if wrong or self.tag in listed:
            return wrong
        return f"MiniZinc does not list the solver {self.tag}; {ADVICE}"

    def version(self) -> str | None:
        """Return the version of the solver, or None if it is missing."""
        return self._listed.get("version")

    @property
    def tag(self) -> str:
        """What ``minizinc --solver`` takes."""
        return next((tag for tag in self.ids if tag in asked_minizinc()[0]), self.ids[0])

    @property
    def flags(self) -> tuple[str, ...]:
        """The standard flags that the solver knows."""
        return tuple(self._listed.get("stdFlags", ()))

    @property
    def _listed(self) -> Mapping[str, Any]:
        return asked_minizinc()[0].get(self.tag, {})


SOLVERS = (
    MiniZincSolver(
        name="gecode",
        ids=("org.gecode.gecode",),
        summary="the MiniZinc models on Gecode (constraint programming)",
    ),
    MiniZincSolver(
        name="cbc",
        ids=("org.minizinc.mip.coin-bc",),
        summary="the MiniZinc models on CBC (mixed-integer programming); sets come at the end only",
        does_fractions=False,
        family=LINEAR,
    ),
    MiniZincSolver(
        name="highs",
        ids=("org.minizinc.mip.highs",),
        summary="the MiniZinc models on HiGHS (mixed-integer programming)",
        family=LINEAR,
    ),
    MiniZincSolver(
        name="scip",
        ids=("org.minizinc.mip.scip",),
        summary="the MiniZinc models on SCIP (mixed-integer programming)",
        family=LINEAR,
    ),
    MiniZincSolver(
        name="cpsat",
        ids=("com.google.ortools.sat",),
        summary="the MiniZinc models on CP-SAT of OR-Tools (constraint programming with clause learning)",
        largest_total=2**50,
        family=CLAUSES,
    ),
)


TOOLS = ("org.minizinc.findmus", "org.minizinc.globalizer")
"""What MiniZinc lists among its solvers, but finds no solutions."""


def other_solvers() -> list[MiniZincSolver]:
    """Return the solvers that MiniZinc lists but `SOLVERS` lacks, named by the last part of their ids."""
    others = {solver.name: solver for solver in SOLVERS}
    for tag, listed in asked_minizinc()[0].items():
        name, tags = tag.rsplit(".", 1)[-1], listed.get("tags", ())
        if tag not in TOOLS and name not in others:
            family = LINEAR if "mip" in tags else CLAUSES if "lcg" in tags else PROPAGATION
            summary = f"the MiniZinc models on {tag}, as MiniZinc lists it"
            others[name] = MiniZincSolver(name, (tag,), summary, family=family)
    return list(others.values())[len(SOLVERS) :]


@cache
def asked_minizinc() -> tuple[dict[str, dict[str, Any]], str | None]:
    """Return id → configuration of the solvers that MiniZinc can run, and what is wrong with it, or None.

    Left out are those whose library is absent, and graphical ones.
    """
    program = shutil.which("minizinc")
    if program is None:
        return {}, NO_MINIZINC
    try:
        with GuardedProgram([program, "--solvers-json"]) as running:
            text = b"".join(running.lines(time.monotonic() + LISTING_SECONDS))
            code, _ = running.exit_code_and_log()
        listed = (one for one in loads(text) if one["version"] != ABSENT and not one.get("isGUIApplication"))
        return {solver["id"]: solver for solver in listed}, None
    except SolverError as error:
        why = str(error).removeprefix(f"{program}: ")
    except TimeoutError:
        why = f"does not answer within {LISTING_SECONDS} s"
    except (ValueError, LookupError, TypeError, AttributeError):
        why = f"ended with exit code {code}" if code else "does not list its solvers"
    return {}, f"{program}: {why}. Install MiniZinc 2.6 or newer (https://www.minizinc.org)"
