"""Ranking: the best single sets, exact where any distinct sets will do."""

from __future__ import annotations

from itertools import islice

from pyfsel.backends.base import Backend
from pyfsel.backends.sorting import added_up
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.reductions.distinct import best_distinct_sets, only_distinct
from pyfsel.results.answer import Answer, Stated, Status
from pyfsel.results.control import Control


class Ranking(Backend):
    """Enumerates single sets by decreasing quality: sum and smallest quality, max_overlap = set_size − 1."""

    name = "ranking"
    summary = "the best distinct sets, where sets need only differ (000, A.5.1)"
    isolated = False
    needs_start = False
    objectives = (Kind.SUMS,)
    basis = ("ranking",)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return only_distinct(problem)

    def solve(self, problem: Problem, control: Control) -> Answer:
        sets = tuple(islice(best_distinct_sets(problem), problem.n_sets))
        if len(sets) < problem.n_sets:
            return Answer(Status.INFEASIBLE)
        value = added_up(problem, sets)
        return Answer(Status.OPTIMAL, sets, value, stated=Stated(value))
