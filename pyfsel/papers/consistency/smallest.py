"""The search for a smallest consistent set: by branching if it can, else by implicit hitting sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pyfsel.drivers import cpsat
from pyfsel.errors import InputError
from pyfsel.model.model import ZeroOneModel
from pyfsel.papers.consistency.branching import (
    MOST_WORDS,
    DifferenceSets,
    as_sets,
    branching_refusal,
    minimal_differences,
    n_words,
)
from pyfsel.papers.consistency.distinct_rows import ConsistencyProblem
from pyfsel.papers.subset.criteria import ConsistencyCriterion
from pyfsel.papers.subset.search_state import SubsetRun
from pyfsel.papers.subset.searches import stepwise
from pyfsel.problem.checks import one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason, Task
from pyfsel.results.control import Control, Limits, OutOfTimeError

CUTS_PER_ROUND = 8  # different orders of the features give different cuts; a round costs a proof
MOST_FIRST_CUTS = 500  # minimal difference sets to begin with; others come when they are violated
MOST_SECONDS = 5.0  # for a start; the proof comes after it
METHODS = ("auto", "branching", "cpsat")


class ConsistencySearch(Task):
    """Proves the size of a smallest consistent set; the objective is minus the size.

    "branching": with rate 0 a set is consistent if and only if it hits all difference sets of rows of
    different classes. One size after another is refuted, until a set is found or the size of the best known
    set is reached.

    "cpsat": minimum hitting sets are solved until one is consistent (implicit hitting sets). Each of them is
    a smallest one for the cuts known so far, so its size is a lower bound. With rate 0 the first cuts are
    minimal difference sets; further ones come as they are violated.

    References
    ----------
    Moreno-Centeno and Karp, "The implicit hitting set approach to solve combinatorial optimization problems
    with an application to multigenome alignment", Operations Research 61(2), 2013.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def solve(self, problem: ConsistencyProblem, control: Control) -> BackendAnswer:
        if not problem.is_consistent(range(problem.n_features)):
            return BackendAnswer(Status.INFEASIBLE)
        known = _Known(problem, control)
        search = known.branch if self.name == "branching" else known.hit
        try:
            is_possible = search()
        except OutOfTimeError:
            sets = None if known.best is None else (known.best,)
            return BackendAnswer.unproved(sets, known.bound, StopReason.TIME_LIMIT, known.statistics)
        if not is_possible or known.best is None:
            return BackendAnswer(Status.INFEASIBLE, statistics=known.statistics)
        return BackendAnswer(Status.OPTIMAL, (known.best,), -len(known.best), statistics=known.statistics)


def task_of(name: str, problem: ConsistencyProblem) -> ConsistencySearch:
    """Return the search of this name; raise `InputError` if it does not take the problem."""
    one_of("method", name, METHODS)
    why_not = branching_refusal(problem)
    if name == "branching" and why_not is not None:
        raise InputError(f"method={name!r}: the problem {why_not}")
    return ConsistencySearch("cpsat" if name == "cpsat" or why_not is not None else "branching")


class _Known:
    """The smallest set that is consistent enough and an alternative, and minus a bound on its size."""

    def __init__(self, problem: ConsistencyProblem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.rng = np.random.default_rng(control.limits.random_state)
        self.best: FeatureSet | None = None
        self.bound: int | None = None
        self.statistics: dict[str, Any] = {}
        self.offer(range(problem.n_features))
        self.offer(forward_set(problem, control.limits))

    def offer(self, features: Iterable[int]) -> None:
        """Keep a consistent set, as small as it can be made, if it is an alternative."""
        smaller = reduced(self.problem, features)
        better = self.best is None or len(smaller) < len(self.best)
        if better and not self.problem.violations(smaller):
            self.best = smaller
            self.control.report_sets([smaller])

    def prove(self, bound: int) -> bool:
        """Report that smaller sets are impossible; return whether the best set is proved."""
        self.bound = -bound
        self.control.report_bound(-bound)
        return self.best is not None and len(self.best) == bound

    def branch(self) -> bool:
        """Refute one size after another; return whether there is a set."""
        assert self.best is not None
        sets = DifferenceSets(self.problem)
        for size in range(len(self.best)):
            found = sets.of_size(size, 1, self.control.check_time)
            self.statistics = {"nodes": sets.n_nodes}
            if found:
                self.offer(found[0])
                break
            self.prove(size + 1)
        return True

    def hit(self) -> bool:
        """Solve hitting sets until one is consistent; return whether there is a set."""
        cuts = self._first_cuts()
        for rounds in range(1, 10**9):
            self.statistics = {"cuts": len(cuts), "rounds": rounds}
            candidate = self._smallest_hitting_set(cuts)
            if candidate is None:
                return False
            if self.prove(len(candidate)):
                break
            if self.problem.is_consistent(candidate):
                self.best = candidate
                break
            cuts += self._cuts_against(candidate)
        return True

    def _first_cuts(self) -> list[FeatureSet]:
        problem = self.problem
        if problem.max_inconsistent or n_words(problem) > MOST_WORDS:
            return []
        classes = problem.counts.argmax(axis=1)
        return as_sets(minimal_differences(problem.patterns, classes)[:MOST_FIRST_CUTS])

    def _cuts_against(self, candidate: FeatureSet) -> list[FeatureSet]:
        """Return different cuts that the candidate does not hit."""
        cuts: set[FeatureSet] = set()
        for _ in range(CUTS_PER_ROUND):
            order = self.rng.permutation(self.problem.n_features).tolist()
            cuts.add(cut_of(self.problem, candidate, order))
            if self.control.expired():
                break
        union = set(candidate).union(*cuts)
        if self.problem.is_consistent(union):
            self.offer(union)
        return sorted(cuts)

    def _smallest_hitting_set(self, cuts: list[FeatureSet]) -> FeatureSet | None:
        """Return a smallest set that hits all cuts and is an alternative; None if there is none."""
        problem, model = self.problem, ZeroOneModel()
        x = [model.new("x", j) for j in range(problem.n_features)]
        model.member = [x]
        model.clauses += [tuple(x[j] for j in cut) for cut in cuts]
        for previous in problem.previous:
            model.clause(*(-x[j] for j in previous))
            shared = [(problem.shared_weight, x[j]) for j in previous]
            sizes = [(-problem.size_weight, v) for v in x]
            model.row([*shared, *sizes], high=problem.size_weight * len(previous))
        model.reward((-1, v) for v in x)
        self.control.check_time()
        answer = cpsat.solve(model, Control(self.control.limits))
        if answer.status is Status.INFEASIBLE:
            return None
        if answer.status is not Status.OPTIMAL or answer.sets is None:
            if answer.bound is not None:
                self.prove(max(-answer.bound, -(self.bound or 0)))
            raise OutOfTimeError
        return answer.sets[0]


def cut_of(problem: ConsistencyProblem, features: Iterable[int], order: Iterable[int]) -> FeatureSet:
    """Return the complement of a largest superset that is not consistent enough.

    Parameters
    ----------
    problem : ConsistencyProblem
    features : iterable of int
        A set that is not consistent enough.
    order : iterable of int
        All features, in the order in which they are tried.
    """
    largest = set(features)
    for j in order:
        if j not in largest and not problem.is_consistent(largest | {j}):
            largest.add(j)
    return tuple(j for j in range(problem.n_features) if j not in largest)


def reduced(problem: ConsistencyProblem, features: Iterable[int]) -> FeatureSet:
    """Return a smallest part of a consistent set: no single feature of it can be left out."""
    chosen = sorted(features)
    for j in list(chosen):
        rest = [i for i in chosen if i != j]
        if problem.is_consistent(rest):
            chosen = rest
    return tuple(chosen)


def forward_set(problem: ConsistencyProblem, limits: Limits) -> FeatureSet:
    """Return a small set that is consistent enough, by forward selection.

    All features must be consistent enough. If they are too many, or the rows, for the selection to end within
    `MOST_SECONDS`, all features are returned.
    """
    everything = tuple(range(problem.n_features))
    sizes, criterion = range(len(everything) + 1), ConsistencyCriterion(problem)
    run = SubsetRun(criterion, sizes, -problem.max_inconsistent, limits.within(MOST_SECONDS))
    result = run.execute("forward", stepwise)
    return result.features if result.reached else everything
