"""The heuristics of paper 004 for the graph score; `pyfsel.backends.ksubgraph` proves optima."""

from __future__ import annotations

from typing import ClassVar

from pyfsel.algorithms.heuristics.asdp import DynamicProgrammingRun, asdp, sdp_1
from pyfsel.backends.base import Backend
from pyfsel.problem.fields import LARGEST_TOTAL
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.problem.values import largest_graph_score, weighted
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason
from pyfsel.results.control import LITERAL, Control


class Asdp(Backend):
    """Alternating suboptimal dynamic programming (paper 004, Alg. 1 and 2).

    The formulations are its initialisations, see `pyfsel.algorithms.heuristics.asdp.asdp`.
    """

    name = "asdp"
    summary = "graph score by alternating suboptimal dynamic programming (004, Alg. 2)"
    exact = False
    objectives: tuple[str, ...] = (ObjectiveKind.PAIRS,)
    side_constraints: ClassVar[tuple[str, ...]] = ("size_range",)
    formulations: tuple[str, ...] = ("one-pass", "prefixes", "empty")

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if largest_graph_score(problem) > LARGEST_TOTAL:
            return "sums of its numbers can exceed 2**53; use a smaller scale"
        if problem.n_sets > 1:
            return f"finds one set, not {problem.n_sets}"
        if problem.conflicts or problem.previous:
            return "takes no conflicts and no previous sets"
        if problem.sizes != range(1, problem.n_features + 1):
            return (
                f"takes sets of any size only, not of {problem.sizes_text} of {problem.n_features} features"
            )
        return None

    def run(self, problem: Instance, control: Control) -> DynamicProgrammingRun:
        """Return the run of the heuristic."""
        features, pairs = weighted(problem)
        return asdp(
            -features,
            pairs,
            initialisation=control.formulation,
            expired=control.expired,
            on_improvement=lambda features: control.report_sets([features]),
        )

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        run = self.run(problem, control)
        why = StopReason.TIME_LIMIT if control.expired() else StopReason.FINISHED
        return BackendAnswer(Status.FEASIBLE, (run.features,), stop_reason=why)


class Sdp1(Asdp):
    """One forward pass of suboptimal dynamic programming (paper 004, Eq. 11)."""

    name = "sdp-1"
    summary = "graph score by one pass of suboptimal dynamic programming (004, Eq. 11)"
    formulations = (LITERAL,)

    def run(self, problem: Instance, control: Control) -> DynamicProgrammingRun:
        features, pairs = weighted(problem)
        return sdp_1(-features, pairs)
