"""mRMR as heaviest k-subgraph: `pyfsel.ksubgraph` as a backend."""

from __future__ import annotations

from typing import Any

from pyfsel.backends.base import Backend, Control, installed_version
from pyfsel.problem import Problem
from pyfsel.result import Answer, Status, StopReason


class KSubgraph(Backend):
    """Lagrangian branch and bound for one mRMR set."""

    name = "ksubgraph"
    summary = "mRMR, one set at a time: Lagrangian branch and bound on the heaviest k-subgraph (numba)"

    def missing(self) -> str | None:  # noqa: D102
        return None if installed_version("numba") else "numba is not installed"

    def version(self) -> str | None:  # noqa: D102
        return installed_version("numba")

    def unsupported(self, problem: Problem, formulation: str) -> str | None:  # noqa: D102
        if problem.objective != "mrmr":
            return f"objective={problem.objective!r}: only 'mrmr' has pairwise weights"
        if problem.n_sets > 1:
            return f"n_sets={problem.n_sets}: finds one set at a time; use search='sequential'"
        return None

    def solve(self, problem: Problem, control: Control) -> Answer:  # noqa: D102
        from pyfsel.ksubgraph import Instance, best_set

        found = best_set(
            Instance.of_problem(problem),
            random_state=control.random_state,
            first=control.hint[0] if control.hint else None,
            expired=control.expired,
            on_set=lambda members: control.report_sets([members]),
            on_bound=control.report_bound,
        )
        statistics: dict[str, Any] = {"nodes": found.nodes, "root_bound": found.root_bound}
        sets = None if found.features is None else (found.features,)
        if not found.finished:
            status = Status.NOT_SOLVED if sets is None else Status.FEASIBLE
            return Answer(status, sets, found.bound, StopReason.TIME_LIMIT, statistics)
        if sets is None:
            return Answer(Status.INFEASIBLE, statistics=statistics)
        return Answer(Status.OPTIMAL, sets, found.bound, statistics=statistics)
