"""Counts first, sets afterwards: `pyfsel.algorithms.counts` as a backend."""

from __future__ import annotations

from pyfsel.backends.base import Backend
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import is_plain_univariate
from pyfsel.results.answer import Answer, Status
from pyfsel.results.control import Control
from pyfsel.solvers.versions import installed_version, is_installed

NEEDED = {"ortools": "ortools", "python-sat": "pysat"}
"""By the name of the package that is to be installed: that of the import."""


class Counts(Backend):
    """Decides how often each feature is used, then whether sets like that exist; cuts off what does not."""

    name = "counts"
    summary = "univariate sum: CP-SAT on how often each feature is used, SAT for the sets, and cuts between"
    objectives = (Kind.SUMS,)
    basis = ("counts", "cpsat", "clauses", "glucose")

    def missing(self) -> str | None:
        lacking = [name for name, package in NEEDED.items() if not is_installed(package)]
        return f"pip install {' '.join(lacking)}" if lacking else None

    def version(self) -> str | None:
        return installed_version("ortools")

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        if not is_plain_univariate(problem):
            return "needs the univariate objective without conflicts and previous sets"
        if problem.n_sets > 1 and problem.aggregate != "sum":
            return f"needs sum-aggregation, not aggregate={problem.aggregate!r}"
        return None

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.counts import CountsSearch

        search = CountsSearch(problem, control)
        search.run()
        if search.finished:
            status = Status.INFEASIBLE if search.best is None else Status.OPTIMAL
            stated = None if search.best is None else search.stated()
            return Answer(status, search.best, search.bound, statistics=search.statistics, stated=stated)
        return Answer.unproved(search.best, search.bound, statistics=search.statistics)
