"""The heuristics of papers 000 (greedy) and 004 (graph score) as backends; they prove nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from pyfsel.algorithms.heuristics import greedy_balancing, greedy_depth_search, greedy_replacement
from pyfsel.algorithms.heuristics.asdp import DynamicProgrammingRun, asdp, sdp_1
from pyfsel.algorithms.heuristics.swap_sequence import swap_sequence, too_large
from pyfsel.backends.base import Backend
from pyfsel.problem.fields import LARGEST_TOTAL, SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, FeatureSet, ObjectiveKind
from pyfsel.problem.values import is_interchangeable, largest_graph_score, total, weighted
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason
from pyfsel.results.control import LITERAL, Control

NOT_PLAIN = "takes the univariate objective only, without conflicts and previous sets"


class _Greedy(Backend):
    """What the greedy backends share: they find one set after another in this process, and prove nothing."""

    exact = False
    isolated = False
    objectives: tuple[str, ...] = (ObjectiveKind.SUMS,)
    formulations = (LITERAL,)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return NOT_PLAIN if problem.previous or not is_interchangeable(problem) else None

    @abstractmethod
    def sequence(self, problem: Instance, control: Control) -> Iterator[FeatureSet]: ...

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        sets = tuple(self.sequence(problem, control))
        if len(sets) == problem.n_sets:
            return BackendAnswer(Status.FEASIBLE, sets)
        why = StopReason.TIME_LIMIT if control.expired() else StopReason.FINISHED
        message = f"Found {len(sets)} of {problem.n_sets} sets."
        return BackendAnswer(Status.NOT_SOLVED, stop_reason=why, message=message)


class GreedyReplacement(_Greedy):
    """Paper 000, Algorithm 2."""

    name = "greedy-replacement"
    summary = "best features in every set, the others replaced; sets one after another (000, Alg. 2)"

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        answer = super().solve(problem, control)
        return answer if answer.sets is None else replace(answer, message=_guarantee(problem, answer.sets))

    def sequence(self, problem: Instance, control: Control) -> Iterator[FeatureSet]:
        return iter(greedy_replacement(problem))


class GreedyDepthSearch(_Greedy):
    """Paper 000, Algorithm 4; takes conflicts and previous sets as well."""

    name = "greedy-depth-search"
    summary = "lexicographically first sets that fit; sets one after another (000, Alg. 4)"

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return None

    def sequence(self, problem: Instance, control: Control) -> Iterator[FeatureSet]:
        return greedy_depth_search(problem, should_stop=control.expired)


class GreedyBalancing(_Greedy):
    """Paper 000, Algorithm 3; as many sets as the features allow, if these are fewer than requested."""

    name = "greedy-balancing"
    summary = "best features in every set, the others dealt evenly; all sets at once (000, Alg. 3)"
    first_search = "simultaneous"

    def sequence(self, problem: Instance, control: Control) -> Iterator[FeatureSet]:
        changing = problem.k - problem.max_shared
        most = (problem.n_features - problem.max_shared) // changing if changing else problem.n_sets
        if most:
            yield from greedy_balancing(problem.replace(n_sets=min(most, problem.n_sets)))


class SwapSequence(_Greedy):
    """Local search by exchanges, set after set; not of a paper."""

    name = "swap-sequence"
    summary = "each set improved by exchanges of features, one set after another"
    objectives = (ObjectiveKind.SUMS, ObjectiveKind.PAIRS_OF_ONE_SIZE, ObjectiveKind.PAIRS)
    side_constraints = SIDE_CONSTRAINTS

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return "its moves are too many" if too_large(problem) else None

    def sequence(self, problem: Instance, control: Control) -> Iterator[FeatureSet]:
        return swap_sequence(problem, control.expired)


def _guarantee(problem: Instance, sets: Family) -> str:
    """Return what share of the optimum Proposition 12 of paper 000 promises, and what `highest_sum` shows.

    Both are for qualities of 0 and more. No minimum exceeds the mean of the sets.
    """
    from pyfsel.reductions.promising import highest_sum

    bound = highest_sum(problem, problem.n_sets)
    if not bound or problem.quality.min() < 0:
        return ""
    n_counted = problem.n_sets if problem.aggregate == "min" else 1
    promised = 100 * problem.max_shared // problem.k
    shown = 100 * n_counted * total(problem, sets) // bound
    return (
        f"Greedy Replacement always reaches {promised} % of the optimum (paper 000, Proposition 12), "
        f"here at least {shown} %: features can be used only so often."
    )


class Asdp(Backend):
    """Alternating suboptimal dynamic programming (paper 004, Alg. 1 and 2).

    The formulations are its initialisations, see `pyfsel.algorithms.heuristics.asdp.asdp`.
    """

    name = "asdp"
    summary = "graph score by alternating suboptimal dynamic programming (004, Alg. 2)"
    exact = False
    objectives = (ObjectiveKind.PAIRS,)
    side_constraints = ("size_range",)
    formulations: tuple[str, ...] = ("one-pass", "prefixes", "empty")

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if largest_graph_score(problem) > LARGEST_TOTAL:
            return "sums of its numbers can exceed 2**53; use a smaller scale"
        if problem.n_sets > 1:
            return f"finds one set, not {problem.n_sets}"
        if problem.has_conflicts or problem.previous:
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
