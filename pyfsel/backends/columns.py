"""Column generation and enumeration: `pyfsel.algorithms.columns` as a backend."""

from __future__ import annotations

from pyfsel.algorithms.columns.state import SearchState
from pyfsel.backends.base import Backend
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.answer import Answer, Status
from pyfsel.results.control import Control, OutOfTimeError


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
        return answer if answer is not None else state.answer(lambda: enumerate_sets(state), self.name)


def relaxed(state: SearchState) -> Answer | None:
    """Bound the objective, and find a good sum; return what that proves, or that time is up, or None."""
    try:
        state.relax()
        if state.infeasible:
            return Answer(Status.INFEASIBLE, statistics=state.statistics)
        if state.problem.aggregate == "sum" and state.problem.n_sets > 1:
            state.exchange_sets()
    except OutOfTimeError:
        return state.unproved()
    return state.proved() if state.value is not None and state.value == state.bound else None
