"""Best subsets for least squares: `pyfsel.algorithms.best_subsets` as a backend."""

from __future__ import annotations

from typing import ClassVar

from pyfsel.backends.base import Backend
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Answer, Stated, Status, StopReason
from pyfsel.results.control import Control


class BestSubsetsBackend(Backend):
    """Branch and bound on Schur complements; the winner is decided in integers."""

    name = "best-subsets"
    summary = "least squares by branch and bound on the correlations of the features"
    objectives = (Kind.LEAST_SQUARES,)
    side_constraints: ClassVar[tuple[str, ...]] = ()
    basis = ("best-subsets",)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        if problem.n_sets > 1:
            return "takes one set at a time"
        return "takes no conflicts" if problem.conflicts else None

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.best_subsets import BestSubsets

        search = BestSubsets(problem, control)
        finished = search.run()
        sets = None if search.best is None else (search.best,)
        statistics = {"nodes": int(search.tree.state[1]), "bounds": int(search.tree.state[2])}
        if not finished:
            status = Status.NOT_SOLVED if sets is None else Status.FEASIBLE
            return Answer(status, sets, search.bound(), StopReason.TIME_LIMIT, statistics)
        if sets is None or search.value is None:
            return Answer(Status.INFEASIBLE, statistics=statistics)
        stated = Stated(search.value)
        return Answer(Status.OPTIMAL, sets, search.value, statistics=statistics, stated=stated)
