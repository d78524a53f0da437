"""Pairwise objectives as heaviest k-subgraphs: `pyfsel.algorithms.ksubgraph` as a backend."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from pyfsel.algorithms.cfs.steps import solve_by_steps
from pyfsel.backends.base import Backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.problem.values import takes_steps
from pyfsel.results.backend_answer import PAIRS_MEASURED, BackendAnswer
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
        before = 0 if problem.lazy_pairs is None else problem.lazy_pairs.measured
        answer = best_of_sizes(problem, control) if problem.n_sets == 1 else solve_several(problem, control)
        if problem.lazy_pairs is None:
            return answer
        measured = {PAIRS_MEASURED: problem.lazy_pairs.measured - before}
        return replace(answer, statistics={**answer.statistics, **measured})
