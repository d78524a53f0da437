"""The solvers behind MiniZinc: known ones, and those that it lists."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from functools import cache
from json import loads
from typing import Any

from pyfsel.drivers.processes.guarded import GuardedProgram
from pyfsel.errors import SolverError

INT32_MAX = 2**31 - 2  # Gecode's largest integer
LISTING_SECONDS = 10.0
ABSENT = "<unknown version>"
ADVICE = "it comes with the MiniZinc of https://www.minizinc.org, while that of Debian has Gecode only"
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

    def native_id(self) -> str | None:
        """Return the id under which MiniZinc lists the solver, or None."""
        listed = installed_solvers() or {}
        return next((tag for tag in self.ids if tag in listed), None)

    def missing(self) -> str | None:
        """Return what has to be installed, or None."""
        if minizinc_missing() is not None:
            return minizinc_missing()
        if self.native_id() is not None:
            return None
        return f"MiniZinc does not list the solver {self.ids[0]}; {ADVICE}"

    def version(self) -> str | None:
        """Return the version of the solver, or None if it is missing."""
        native = self.native_id()
        return None if native is None else (installed_solvers() or {})[native]

    @property
    def tag(self) -> str:
        """What ``minizinc --solver`` takes."""
        return self.native_id() or self.ids[0]

    @property
    def flags(self) -> tuple[str, ...]:
        """The standard flags that the solver knows."""
        native = self.native_id()
        return () if native is None else tuple((listing() or {})[native].get("stdFlags", ()))


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


FIND_MUS = "org.minizinc.findmus"
TOOLS = (FIND_MUS, "org.minizinc.globalizer")
"""What MiniZinc lists among its solvers, but finds no solutions."""


def other_solvers() -> list[MiniZincSolver]:
    """Return the solvers that MiniZinc lists but `SOLVERS` lacks, named by the last part of their ids."""
    known = {solver.name for solver in SOLVERS}
    others = {}
    for tag in installed_solvers() or {}:
        name = tag.rsplit(".", 1)[-1]
        if tag not in TOOLS and name not in known and name not in others:
            summary = f"the MiniZinc models on {tag}, as MiniZinc lists it"
            others[name] = MiniZincSolver(name, (tag,), summary, family=_family_of(tag))
    return list(others.values())


def _family_of(tag: str) -> str:
    """Return the family of a solver by the words with which MiniZinc describes it."""
    tags = (listing() or {})[tag].get("tags", ())
    return LINEAR if "mip" in tags else CLAUSES if "lcg" in tags else PROPAGATION


def installed_solvers() -> dict[str, str] | None:
    """Return id → version of the solvers that MiniZinc lists and can run, or None without MiniZinc.

    Left out are those whose library is absent, and graphical ones.
    """
    listed = listing()
    return None if listed is None else {tag: solver["version"] for tag, solver in listed.items()}


def listing() -> dict[str, dict[str, Any]] | None:
    """Return id → configuration of the solvers that MiniZinc can run, or None without MiniZinc."""
    asked = asked_minizinc()
    return None if isinstance(asked, str) else asked


def minizinc_missing() -> str | None:
    """Return why there is no MiniZinc here, or None."""
    asked = asked_minizinc()
    return asked if isinstance(asked, str) else None


@cache
def asked_minizinc() -> dict[str, dict[str, Any]] | str:
    """Return what MiniZinc lists, or what is wrong with it."""
    program = shutil.which("minizinc")
    if program is None:
        return NO_MINIZINC
    try:
        with GuardedProgram([program, "--solvers-json"]) as running:
            text = b"".join(running.lines(time.monotonic() + LISTING_SECONDS))
            code, _ = running.exit_code_and_log()
        return {
            solver["id"]: solver
            for solver in loads(text)
            if solver["version"] != ABSENT and not solver.get("isGUIApplication")
        }
    except SolverError as error:
        why = str(error).removeprefix(f"{program}: ")
    except TimeoutError:
        why = f"does not answer within {LISTING_SECONDS} s"
    except (ValueError, LookupError, TypeError, AttributeError):
        why = f"ended with exit code {code}" if code else "does not list its solvers"
    return f"{program}: {why}. Install MiniZinc 2.6 or newer (https://www.minizinc.org)"
