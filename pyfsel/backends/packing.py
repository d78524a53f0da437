"""Candidate packing: the sets are enumerated by decreasing value, compatible ones are picked from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyfsel.backends.base import Backend
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import FIXED_SIZE_CONSTRAINTS
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError

if TYPE_CHECKING:
    from pyfsel.algorithms.packing.search import PackingSearch


class Packing(Backend):
    """Enumerates single sets in order of their value; for any objective that can be evaluated."""

    name = "packing"
    summary = "enumerates single sets by decreasing value and picks compatible ones"
    side_constraints = FIXED_SIZE_CONSTRAINTS
    basis = ("packing",)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        from pyfsel.algorithms.packing.pool import too_large

        return too_large(problem)

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.packing.search import PackingSearch

        return answer_by_packing(PackingSearch(problem, control))


def answer_by_packing(search: PackingSearch) -> Answer:
    """Run a search and return what it proves."""
    try:
        search.run()
    except OutOfTimeError:
        return Answer.unproved(search.best, search.bound)
    except TooManySetsError:
        message = "packing: more sets could be part of a best solution than fit into memory."
        return Answer.unproved(search.best, search.bound, StopReason.MEMORY_LIMIT, message=message)
    if search.best is None:
        return Answer(Status.INFEASIBLE)
    return Answer(Status.OPTIMAL, search.best, search.value, stated=search.stated())
