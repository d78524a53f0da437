"""What the exit code of a command says."""

from __future__ import annotations

from collections.abc import Collection, Sized
from enum import IntEnum
from typing import Protocol

from pyfsel.errors import NoSetsError, PyfselError, SolverError
from pyfsel.results.answer import Status, StopReason


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
    ExitCode.OK: "done; all requested sets were found (proved optimal or not: see the status)",
    ExitCode.VIOLATIONS: "verify, check: the solution violates the problem, or claims something false; "
    "compare: backends contradict each other; lab: a model is wrong",
    ExitCode.BAD_INPUT: "bad input, or a backend that is missing or does not take the problem",
    ExitCode.INFEASIBLE: "proved that no such sets exist",
    ExitCode.NOT_SOLVED: "fewer sets than requested, or none: no further set exists (FEWER), a limit, or a "
    "heuristic; certify, check: a claim is not certified",
    ExitCode.FAULT: "a backend crashed or claimed something false, or pyfsel has a bug; sets found before a "
    "crash are printed",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C; what was found until then is printed",
    ExitCode.CLOSED_PIPE: "the reader of the output went away",
    ExitCode.TERMINATED: "terminated by SIGTERM; what was found until then is printed",
}
EPILOG = "[bold]Exit codes[/bold]\n" + "\n".join(
    f"{code.value:>5}  {meaning}" for code, meaning in MEANINGS.items()
)


class Found(Protocol):
    """What a command can end with: sets, a status, and why it stopped."""

    @property
    def sets(self) -> Sized:
        """The sets found."""

    @property
    def status(self) -> Status:
        """What is known."""

    @property
    def stop_reason(self) -> StopReason:
        """Why the run ended."""


def code_of_result(result: Found, n_requested: int = 1) -> ExitCode:
    """Return the exit code of a command that printed this result, given how many sets were requested."""
    found = len(result.sets) >= n_requested
    return code_of_runs([result.stop_reason], found, result.status is Status.INFEASIBLE)


def code_of_runs(stop_reasons: Collection[StopReason], found: bool, infeasible: bool = False) -> ExitCode:
    """Return the exit code of a command, given why its runs ended and what they found or proved together.

    A crash is one whatever was found before it.
    """
    if StopReason.INTERRUPTED in stop_reasons:
        return ExitCode.INTERRUPTED
    if StopReason.ERROR in stop_reasons:
        return ExitCode.FAULT
    if found:
        return ExitCode.OK
    return ExitCode.INFEASIBLE if infeasible else ExitCode.NOT_SOLVED


def code_of_error(error: PyfselError) -> ExitCode:
    """Return the exit code of a command that ended with this error."""
    if isinstance(error, SolverError):
        return ExitCode.FAULT
    if isinstance(error, NoSetsError):
        proved = error.answer is not None and error.answer.status is Status.INFEASIBLE
        return ExitCode.INFEASIBLE if proved else ExitCode.NOT_SOLVED
    return ExitCode.BAD_INPUT
