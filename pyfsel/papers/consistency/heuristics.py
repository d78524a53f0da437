"""The classic searches as backends of the smallest consistent set: claims without proof, but for ABB's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pyfsel.papers.consistency.criterion import ConsistencyCriterion
from pyfsel.papers.consistency.cuts import reduced
from pyfsel.papers.consistency.problem import ConsistencyProblem
from pyfsel.papers.subset_search.registry import METHODS
from pyfsel.papers.subset_search.result import SubsetResult
from pyfsel.papers.subset_search.run import Goal, Run
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Status
from pyfsel.results.control import Control, Limits
from pyfsel.results.task import Task

MOST_SECONDS = 5.0  # for a start; the proof comes after it


@dataclass(frozen=True)
class AlternativeGoal(Goal):
    """The smallest set that is consistent enough and an alternative.

    Parameters
    ----------
    problem : ConsistencyProblem
    kept : tuple of int
        The features of the problem that the search knows.
    """

    problem: ConsistencyProblem | None = None
    kept: FeatureSet = ()

    def rank(self, features: FeatureSet, key: float) -> tuple[float, ...]:
        rank = super().rank(features, key)
        assert self.problem is not None
        if rank[0] == 1 and not self.problem.is_alternative(self.kept[j] for j in features):
            return (0, len(features))
        return rank


class SubsetSearchTask(Task):
    """Runs a classic search until it has a set that is consistent enough, and an alternative.

    A search knows nothing of previous sets. Where it ends without an alternative, one feature of the previous
    sets is left out, such that the rest is still consistent enough, and the search begins again.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def solve(self, problem: ConsistencyProblem, control: Control) -> Answer:
        n_evaluations = 0
        for features in self._kept(problem, control):
            result = self._search(problem, features, control)
            n_evaluations += result.n_evaluations
            statistics = {"evaluations": n_evaluations}
            if result.reached:
                sets = (tuple(features[j] for j in result.features),)
                if result.is_proved:
                    return Answer(Status.OPTIMAL, sets, -len(sets[0]), statistics=statistics)
                return Answer(Status.FEASIBLE, sets, None, result.stop_reason, statistics)
            if control.expired():
                return Answer(Status.NOT_SOLVED, None, None, result.stop_reason, statistics)
            if self.name == "abb":
                return Answer(Status.INFEASIBLE, statistics=statistics)
        if not n_evaluations:
            return Answer(Status.INFEASIBLE)
        return Answer(Status.NOT_SOLVED, statistics=statistics)

    def _search(self, problem: ConsistencyProblem, features: FeatureSet, control: Control) -> SubsetResult:
        names = tuple(problem.feature_names[j] for j in features)
        part = replace(problem, patterns=problem.patterns[:, list(features)], feature_names=names)
        run = Run(
            ConsistencyCriterion(part),
            AlternativeGoal(range(len(features) + 1), -problem.max_inconsistent, None, problem, features),
            control.limits,
            report=lambda found: control.report_sets([[features[j] for j in found]]),
        )
        return run.execute(self.name, METHODS[self.name].search)

    def _kept(self, problem: ConsistencyProblem, control: Control) -> Iterator[FeatureSet]:
        """Yield all features, then always fewer of those in previous sets; nothing if none are consistent."""
        kept = list(range(problem.n_features))
        if problem.is_consistent(kept):
            yield tuple(kept)
        else:
            return
        for previous in problem.previous_sets:
            for j in previous:
                rest = [i for i in kept if i != j]
                if j in kept and problem.is_consistent(rest):
                    kept = rest
                    yield tuple(kept)


def forward_set(problem: ConsistencyProblem, limits: Limits) -> FeatureSet:
    """Return a small set that is consistent enough, by forward selection and then leaving out what it can.

    All features must be consistent enough. Where they are so many, or the rows, that the selection takes
    longer than `MOST_SECONDS`, all features are what is left out from.
    """
    everything = tuple(range(problem.n_features))
    goal = Goal(range(len(everything) + 1), -problem.max_inconsistent)
    result = Run(ConsistencyCriterion(problem), goal, limits.within(MOST_SECONDS)).execute(
        "forward", METHODS["forward"].search
    )
    return reduced(problem, result.features if result.reached else everything)
