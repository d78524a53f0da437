"""The exit codes of commands."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from pyfsel.errors import NoSetsError, PyfselError, SolverError


class ExitCode(IntEnum):
    """The exit codes, the same for every command."""

    OK = 0
    VIOLATIONS = 1
    BAD_INPUT = 2
    INFEASIBLE = 3
    NOT_SOLVED = 4
    FAULT = 5
    INTERRUPTED = 130
    CLOSED_PIPE = 141
    TERMINATED = 143


MEANINGS = {
    ExitCode.OK: "done; all requested sets were found (proved or not: see the status)",
    ExitCode.VIOLATIONS: "check, compare: something is wrong or contradicts",
    ExitCode.BAD_INPUT: "bad input, or a solver that is missing or cannot solve this problem",
    ExitCode.INFEASIBLE: "proved: no such sets exist",
    ExitCode.NOT_SOLVED: "fewer sets than requested, none included; with --require-proof also: not proved; "
    "check: a claim is not certified",
    ExitCode.FAULT: "a solver crashed or claimed something false, or pyfsel has a bug",
    ExitCode.INTERRUPTED: "stopped by Ctrl-C; what was found until then is printed",
    ExitCode.CLOSED_PIPE: "the reader of the output went away",
    ExitCode.TERMINATED: "stopped by SIGTERM; what was found until then is printed",
}


def code_of(found: Any, require_proof: bool = False) -> ExitCode:
    """Return the exit code of a command that printed this; a crash counts whatever was found."""
    by_reason = {"interrupted": ExitCode.INTERRUPTED, "error": ExitCode.FAULT}
    reason, status = (str(getattr(found, name, "")) for name in ("stop_reason", "status"))
    if reason in by_reason:
        return by_reason[reason]
    if status == "INFEASIBLE":
        return ExitCode.INFEASIBLE
    lacks = getattr(found, "question", "") in ("solve", "cheapest") and len(found) < found.problem.n_sets
    is_less = lacks or status in ("FEWER", "NOT_SOLVED") or (require_proof and not found.proved)
    return ExitCode.NOT_SOLVED if is_less else ExitCode.OK


def code_of_error(error: PyfselError) -> ExitCode:
    """Return the exit code of a command that ended with this error."""
    if isinstance(error, SolverError):
        return ExitCode.FAULT
    if isinstance(error, NoSetsError):
        is_proved = error.answer is not None and str(error.answer.status) == "INFEASIBLE"
        return ExitCode.INFEASIBLE if is_proved else ExitCode.NOT_SOLVED
    return ExitCode.BAD_INPUT
