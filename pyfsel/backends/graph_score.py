"""The graph score of paper 004: exact by semidefinite bounds or by looking at all sets, and heuristically."""

from __future__ import annotations

from typing import ClassVar

from pyfsel.algorithms.cfs.search import solve_by_steps
from pyfsel.algorithms.heuristics.asdp import DynamicProgrammingRun, asdp, sdp_1
from pyfsel.backends.base import Backend
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import LARGEST_TOTAL
from pyfsel.problem.values import largest_graph_score, takes_steps, weighted
from pyfsel.results.answer import Answer, Stated, Status, StopReason
from pyfsel.results.control import LITERAL, Control

LARGEST_GRAY_CODE = 24  # 17 million sets: a fraction of a second


class _GraphScoreBackend(Backend):
    """What backends share that find one unrestricted set of any size."""

    objectives: tuple[str, ...] = (Kind.PAIRS,)
    side_constraints: ClassVar[tuple[str, ...]] = ("size_range",)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        """Return why the backend cannot take this problem, or None."""
        if problem.n_sets > 1:
            return f"finds one set, not {problem.n_sets}"
        if problem.conflicts or problem.previous_sets:
            return "takes no conflicts and no previous sets"
        if problem.sizes != range(1, problem.n_features + 1):
            return (
                f"takes sets of any size only, not of {problem.sizes_text} of {problem.n_features} features"
            )
        return None


class SdpBound(_GraphScoreBackend):
    """Branch and bound with semidefinite bounds: `pyfsel.algorithms.graph_score`."""

    name = "sdp-bound"
    summary = "graph score and CFS by branch and bound with semidefinite bounds and triangle inequalities"
    objectives = (Kind.PAIRS, Kind.FRACTIONS)
    basis = ("graph_sdp",)
    by_steps = True

    def solve(self, problem: Problem, control: Control) -> Answer:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(control.limits.n_threads):
            if takes_steps(problem):
                return solve_by_steps(problem, control, self._lowest_score, leave_early=True)
            return self._lowest_score(problem, control)

    @staticmethod
    def _lowest_score(problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.graph_score.instance import Instance
        from pyfsel.algorithms.graph_score.search import Search

        result = Search(
            Instance.of_problem(problem),
            random_state=control.limits.random_state,
            first=control.hint[0] if control.hint else None,
            expired=control.expired,
            on_set=lambda features: control.report_sets([features]),
            on_bound=lambda bound: control.report_bound(-bound),
        ).run()
        return Answer(
            Status.OPTIMAL if result.finished else Status.FEASIBLE,
            (result.features,),
            -result.bound,
            StopReason.FINISHED if result.finished else StopReason.TIME_LIMIT,
            {"nodes": result.nodes, "root_bound": -result.root_bound},
            stated=Stated(-result.score),
        )


class GrayCode(_GraphScoreBackend):
    """All sets, each from the one before by one flip."""

    name = "gray-code"
    summary = f"graph score by all sets in the order of a Gray code, up to {LARGEST_GRAY_CODE} features"
    formulations = (LITERAL,)
    basis = ("graph_sdp",)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        if problem.n_features > LARGEST_GRAY_CODE:
            return f"2**{problem.n_features} sets are more than 2**{LARGEST_GRAY_CODE}"
        return super().unsupported(problem, formulation)

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.graph_score.gray_code import lowest_set
        from pyfsel.algorithms.graph_score.instance import Instance

        best: tuple[int, tuple[int, ...]] | None = None
        for best in lowest_set(Instance.of_problem(problem), expired=control.expired):
            control.report_sets([best[1]])
        assert best is not None
        score, features = best
        if control.expired():
            return Answer(Status.FEASIBLE, (features,), stop_reason=StopReason.TIME_LIMIT)
        return Answer(Status.OPTIMAL, (features,), -score, stated=Stated(-score))


class Asdp(_GraphScoreBackend):
    """Alternating suboptimal dynamic programming (paper 004, Alg. 1 and 2).

    The formulations are its initialisations, see `pyfsel.algorithms.heuristics.asdp.asdp`.
    """

    name = "asdp"
    summary = "graph score by alternating suboptimal dynamic programming (004, Alg. 2)"
    exact = False
    formulations: tuple[str, ...] = ("one-pass", "prefixes", "empty")

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        if largest_graph_score(problem) > LARGEST_TOTAL:
            return "sums of its numbers can exceed 2**53; use a smaller scale"
        return super().unsupported(problem, formulation)

    def run(self, problem: Problem, control: Control) -> DynamicProgrammingRun:
        """Return the run of the heuristic."""
        features, pairs = weighted(problem)
        return asdp(
            -features,
            pairs,
            initialisation=control.formulation,
            expired=control.expired,
            on_improvement=lambda features: control.report_sets([features]),
        )

    def solve(self, problem: Problem, control: Control) -> Answer:
        run = self.run(problem, control)
        scores = [-traversal.score for traversal in run.history]
        return Answer(
            Status.FEASIBLE,
            (run.features,),
            stop_reason=StopReason.TIME_LIMIT if control.expired() else StopReason.FINISHED,
            statistics={"iterations": run.n_iterations, "objective_by_iteration": scores},
        )


class Sdp1(Asdp):
    """One forward pass of suboptimal dynamic programming (paper 004, Eq. 11)."""

    name = "sdp-1"
    summary = "graph score by one pass of suboptimal dynamic programming (004, Eq. 11)"
    formulations = (LITERAL,)

    def run(self, problem: Problem, control: Control) -> DynamicProgrammingRun:
        features, pairs = weighted(problem)
        return sdp_1(-features, pairs)
