"""Tasks: what can be run in this process or in a child process, with a name and an answer."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, ClassVar, Protocol

from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control


class Task(Protocol):
    """Solves something within its limits; a backend is one.

    A class that inherits this runs in a child process.

    Attributes
    ----------
    name : str
    shares_worker : bool
        Whether the child process may have loaded the libraries of others.
    slow_imports : tuple of str
        Modules that need seconds to load, such as the modules of a solver.
    """

    name: str
    shares_worker: bool = True
    slow_imports: ClassVar[tuple[str, ...]] = ()

    def is_isolated(self, formulation: str) -> bool:
        """Return whether it runs in a child process, which can be killed, with this formulation."""
        return True

    def solve(self, problem: Any, control: Control) -> Answer:
        """Return a claim."""
        ...


def timed_solve(task: Task, problem: Any, control: Control) -> Answer:
    """Solve, and add to the statistics the seconds of building the model and of the rest."""
    begin = time.monotonic()
    answer = task.solve(problem, control)
    if not isinstance(answer, Answer):
        return answer
    seconds = time.monotonic() - begin
    split = {
        "compile_seconds": control.compile_seconds,
        "solve_seconds": max(0.0, seconds - control.compile_seconds),
    }
    return replace(answer, statistics={**answer.statistics, **split})


def no_answer(stop_reason: str, message: str = "") -> Answer:
    """Return what is known of a task that ended without an answer."""
    return Answer(Status.NOT_SOLVED, stop_reason=StopReason(stop_reason), message=message)
