"""Pairwise objectives as heaviest k-subgraphs: `pyfsel.algorithms.ksubgraph` as a backend."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from pyfsel.algorithms.cfs.steps import solve_by_steps
from pyfsel.backends.base import Backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.problem.values import takes_steps
from pyfsel.results.backend_answer import PAIRS_MEASURED, BackendAnswer, Stated, Status
from pyfsel.results.control import Control


class KSubgraph(Backend):
    """Heavy chains for one set; several sets by packing those that it enumerates."""

    name = "ksubgraph"
    summary = "pairwise objectives as heaviest k-subgraphs: sets grow along heavy chains"
    objectives = (ObjectiveKind.PAIRS_OF_ONE_SIZE, ObjectiveKind.PAIRS, ObjectiveKind.FRACTIONS)
    side_constraints: ClassVar[tuple[str, ...]] = ("forced", "size_range")
    takes_lazy_redundancy = True
    basis = ("ksubgraph", "packing")
    by_steps = True

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if problem.lazy_pairs is not None and (problem.conflicts or problem.has_size_range):
            return f"takes {problem.n_features} features without conflicts and in sets of one size only"
        if problem.has_size_range and problem.forced:
            return "takes forced features in sets of one size only"
        if problem.has_size_range and problem.n_sets > 1:
            return f"finds one set of {problem.sizes_text} features, not {problem.n_sets}"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.ksubgraph.several_sets import solve_several
        from pyfsel.algorithms.ksubgraph.sizes import best_of_sizes

        if takes_steps(problem):
            return solve_by_steps(problem, control, best_of_sizes)
        if problem.has_size_range:
            return best_of_sizes(problem, control)
        before = 0 if problem.lazy_pairs is None else problem.lazy_pairs.measured
        answer = _solve_one(problem, control) if problem.n_sets == 1 else solve_several(problem, control)
        if problem.lazy_pairs is None:
            return answer
        measured = {PAIRS_MEASURED: problem.lazy_pairs.measured - before}
        return replace(answer, statistics={**answer.statistics, **measured})


def _solve_one(problem: Instance, control: Control) -> BackendAnswer:
    from pyfsel.algorithms.ksubgraph.all_heavy import best_set, instance_of
    from pyfsel.algorithms.ksubgraph.local_search import Start

    found = best_set(
        instance_of(problem),
        Start(control.limits.random_state, control.hint[0] if control.hint else None),
        expired=control.expired,
        on_set=lambda members: control.report_sets([members]),
        on_bound=control.report_bound,
    )
    statistics: dict[str, Any] = {"nodes": found.nodes, "root_bound": found.root_bound}
    sets = None if found.features is None else (found.features,)
    if not found.finished:
        return BackendAnswer.unproved(sets, found.bound, statistics=statistics)
    if sets is None or found.value is None:
        return BackendAnswer(Status.INFEASIBLE, statistics=statistics)
    control.report_bound(found.value)
    return BackendAnswer(Status.OPTIMAL, sets, found.bound, statistics=statistics, stated=Stated(found.value))
