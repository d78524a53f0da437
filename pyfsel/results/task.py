"""What can be run, here or in a child process: something with a name that solves and answers."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Protocol

from pyfsel.results.answer import Answer
from pyfsel.results.control import Control


class Task(Protocol):
    """Solves something within its limits; a backend is one."""

    @property
    def name(self) -> str: ...

    def solve(self, problem: Any, control: Control) -> Answer:
        """Return a claim."""
        ...


def timed_solve(task: Task, problem: Any, control: Control) -> Answer:
    """Solve, and add to the statistics the seconds of building the model and those of the rest."""
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
