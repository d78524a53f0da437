"""Column generation and enumeration: `pyfsel.algorithms.columns` as a backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyfsel.backends.base import Backend
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError

if TYPE_CHECKING:
    from pyfsel.algorithms.columns.state import SearchState


class Columns(Backend):
    """Prices features by a linear relaxation over single sets, and searches all sets that are worth it."""

    name = "columns"
    summary = "column generation bounds the objective; then the sets worth it are enumerated"
    basis = ("columns", "highs")

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        from pyfsel.algorithms.columns.search import too_large

        return too_large(problem)

    def rests_on(self, problem: Problem, formulation: str) -> frozenset[str]:
        """Return its basis, and of pairs of features also the searches for single sets."""
        single = {"ksubgraph", "packing"} if objective_of(problem).has_pairs else set()
        return super().rests_on(problem, formulation) | single

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.columns.search import enumerate_sets
        from pyfsel.algorithms.columns.state import SearchState

        state = SearchState(problem, control)
        answer = relaxed(state)
        return answer if answer is not None else proved(state, lambda: enumerate_sets(state))


def relaxed(state: SearchState) -> Answer | None:
    """Bound the objective, and find a good sum; return what that proves, or that time is up, or None."""
    try:
        state.relax()
        if state.infeasible:
            return Answer(Status.INFEASIBLE, statistics=state.statistics)
        if state.problem.aggregate == "sum" and state.problem.n_sets > 1:
            state.exchange_sets()
    except OutOfTimeError:
        return unfinished(state, StopReason.TIME_LIMIT)
    return optimal(state) if state.value is not None and state.value == state.bound else None


def proved(state: SearchState, go_on: Callable[[], None]) -> Answer:
    """Return what a search proves, or has found until time or memory run out."""
    try:
        go_on()
    except OutOfTimeError:
        return unfinished(state, StopReason.TIME_LIMIT)
    except TooManySetsError:
        message = "columns: more sets could be part of a best solution than fit into memory."
        return unfinished(state, StopReason.MEMORY_LIMIT, message)
    return Answer(Status.INFEASIBLE, statistics=state.statistics) if state.best is None else optimal(state)


def optimal(state: SearchState) -> Answer:
    """Return the best solution of a search as a proved one."""
    return Answer(Status.OPTIMAL, state.best, state.value, statistics=state.statistics, stated=state.stated())


def unfinished(state: SearchState, why: StopReason, message: str = "") -> Answer:
    """Return what a search has found and proved so far."""
    return Answer.unproved(state.best, state.bound, why, state.statistics, message)
