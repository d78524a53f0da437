"""Counts first, sets afterwards: `pyfsel.algorithms.counts` as a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pyfsel.backends.base import Backend
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import is_plain_univariate
from pyfsel.results.answer import Answer
from pyfsel.results.control import Control


class Counts(Backend):
    """Decides how often each feature is used, then whether sets like that exist; cuts off what does not."""

    name = "counts"
    summary = "univariate sum: CP-SAT on how often each feature is used, SAT for the sets, and cuts between"
    objectives = (Kind.SUMS,)
    basis = ("counts", "cpsat", "clauses", "glucose")
    packages: ClassVar[Mapping[str, str]] = {"ortools": "ortools", "python-sat": "pysat"}

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        if not is_plain_univariate(problem):
            return "needs the univariate objective without conflicts and previous sets"
        if problem.n_sets > 1 and problem.aggregate != "sum":
            return f"needs sum-aggregation, not aggregate={problem.aggregate!r}"
        return None

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.counts.search import CountsSearch

        search = CountsSearch(problem, control)
        search.run()
        return search.proved() if search.finished else search.unproved()
