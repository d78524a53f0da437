"""The search for a smallest consistent set: by branching if it can, else by implicit hitting sets.

"branching": with rate 0 a set is consistent if and only if it hits all difference sets of rows of different
classes. One size after another is refuted, until a set is found or the size of the best known set is reached.

"cpsat": minimum hitting sets, as problems with a group for each set to hit, are solved until one is
consistent (implicit hitting sets). Each of them is a smallest one for the cuts known so far, so its size is a
lower bound. With rate 0 the first cuts are minimal difference sets; further ones come as they are violated.

References
----------
Moreno-Centeno and Karp, "The implicit hitting set approach to solve combinatorial optimization problems with
an application to multigenome alignment", Operations Research 61(2), 2013.
"""

from collections.abc import Callable, Collection

import numpy as np

from pyfsel.errors import FalseClaimError, InputError, SolverError
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
from pyfsel.problem.fields import Group
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason
from pyfsel.results.control import OutOfTimeError
from pyfsel.solving.asking import Asking

CUTS_PER_ROUND = 8  # different orders of the features give different cuts; a round costs a proof
MOST_FIRST_CUTS = 500  # minimal difference sets to begin with; others come when they are violated
MOST_SECONDS = 5.0  # for a start; the proof comes after it
METHODS = ("auto", "branching", "cpsat")


def method_of(name: str, problem: ConsistencyProblem) -> str:
    """Return "branching" or "cpsat"; raise `InputError` if the method does not take the problem."""
    one_of("method", name, METHODS)
    why_not = branching_refusal(problem)
    if name == "branching" and why_not is not None:
        raise InputError(f"method={name!r}: the problem {why_not}")
    return "cpsat" if name == "cpsat" or why_not is not None else "branching"


class SmallestSet:
    """The search: the smallest set known that is an alternative, and a lower bound on the size.

    Parameters
    ----------
    problem : ConsistencyProblem
    asking : Asking
        Whose limits hold, and whose solver finds hitting sets.
    """

    def __init__(self, problem: ConsistencyProblem, asking: Asking) -> None:
        self.problem = problem
        self.asking = asking
        self.rng = np.random.default_rng(asking.limits.random_state)
        self.best: FeatureSet | None = None
        self.bound = self.n_rounds = 0

    def run(self, method: str) -> BackendAnswer:
        """Search; return the set, and as `bound` the proved lower bound on the size.

        Raises
        ------
        FalseClaimError
            If the solver claims what a known set refutes.
        SolverError
            If the solver crashed and no set is known.
        """
        everything = range(self.problem.n_features)
        if not self.problem.is_consistent(everything) or not all(self.problem.previous):
            return BackendAnswer(Status.INFEASIBLE)
        self.offer(everything)
        self.offer(forward_set(self.problem, self.asking))
        try:
            proved = self.is_proved or (self.branch() if method == "branching" else self.hit())
        except OutOfTimeError:
            if self.best is None and self.asking.stop_reason is StopReason.ERROR:
                raise SolverError(self.asking.message) from None
            sets = None if self.best is None else (self.best,)
            return BackendAnswer.unproved(sets, self.bound or None, self.asking.stop_reason)
        assert proved or self.best is None
        if self.best is None:
            return BackendAnswer(Status.INFEASIBLE)
        return BackendAnswer(Status.OPTIMAL, (self.best,), self.bound)

    @property
    def is_proved(self) -> bool:
        """Whether no set is smaller than the best one."""
        return self.best is not None and len(self.best) == self.bound

    def offer(self, features: Collection[int]) -> None:
        """Keep a consistent set, as small as it can be made, or else itself, if it is an alternative.

        Of a set that is an alternative, the part need not be one: it may share a larger proportion.
        """
        for members in (reduced(self.problem, features, self.asking.is_stopped), tuple(sorted(features))):
            better = self.best is None or len(members) < len(self.best)
            if better and not self.problem.violations(members):
                self.best = members

    def prove(self, bound: int) -> bool:
        """Take that smaller sets are impossible; return whether the best set is proved."""
        if self.best is not None and bound > len(self.best):
            raise FalseClaimError(f"cpsat: sets below {bound} features were ruled out, not {self.best}")
        self.bound = bound
        return self.is_proved

    def check(self) -> None:
        """Raise `OutOfTimeError` if the time is up, or the user has interrupted."""
        if self.asking.is_stopped():
            raise OutOfTimeError

    def branch(self) -> bool:
        """Refute one size after another."""
        assert self.best is not None
        sets = DifferenceSets(self.problem, self.check)
        for size in range(1, len(self.best)):
            self.prove(size)
            found = sets.of_size(size, 1, self.check)
            if found:
                self.offer(found[0])
                return self.prove(size)
        return self.prove(len(self.best))

    def hit(self) -> bool:
        """Solve hitting sets until one is consistent; return whether there is a set."""
        cuts = self._first_cuts()
        while True:
            self.n_rounds += 1
            candidate = self._smallest_hitting_set(cuts)
            if candidate is None:
                return self.prove(self.problem.n_features + 1)
            if self.problem.is_consistent(candidate):
                self.offer(candidate)
            if self.prove(len(candidate)):
                return True
            cuts += self._cuts_against(candidate)

    def _first_cuts(self) -> list[FeatureSet]:
        problem = self.problem
        if problem.max_inconsistent or n_words(problem) > MOST_WORDS:
            return []
        classes = problem.counts.argmax(axis=1)
        return as_sets(minimal_differences(problem.patterns, classes, self.check)[:MOST_FIRST_CUTS])

    def _cuts_against(self, candidate: FeatureSet) -> list[FeatureSet]:
        """Return different cuts that the candidate does not hit."""
        cuts = set()
        for _ in range(CUTS_PER_ROUND):
            order = self.rng.permutation(self.problem.n_features).tolist()
            cuts.add(cut_of(self.problem, candidate, order, self.check))
        union = set(candidate).union(*cuts)
        if self.problem.is_consistent(union):
            self.offer(union)
        return sorted(cuts)

    def _smallest_hitting_set(self, cuts: list[FeatureSet]) -> FeatureSet | None:
        """Return a smallest set that hits all cuts and is an alternative; None if there is none."""
        problem, n = self.problem, self.problem.n_features
        groups = [Group(cut, at_least=1) for cut in cuts]
        groups += [Group(members, at_most=len(members) - 1) for members in problem.previous]
        instance = Instance(
            np.full(n, -1),
            n_sets=1,
            k=n,
            k_min=1,
            max_shared=n,
            groups=tuple(groups),
            previous=problem.previous,
            shared_weight=problem.shared_weight if n > 1 else None,
            size_weight=problem.size_weight if n > 1 else None,
        )
        try:
            result = self.asking.solve(instance, "a smallest hitting set")
        except FalseClaimError:
            raise
        except SolverError as error:
            self.asking.stop_reason, self.asking.message = StopReason.ERROR, str(error)
            result = None
        if result is not None and result.status is Status.INFEASIBLE:
            return None
        if result is None or result.status is not Status.OPTIMAL:
            if result is not None and result.integer_bound is not None:
                self.prove(max(-result.integer_bound, self.bound))
            raise OutOfTimeError
        return result.sets[0]


def cut_of(
    problem: ConsistencyProblem, features: Collection[int], order: Collection[int], check: Callable[[], None]
) -> FeatureSet:
    """Return the complement of a largest superset that is not consistent enough.

    Parameters
    ----------
    problem : ConsistencyProblem
    features : iterable of int
        A set that is not consistent enough.
    order : iterable of int
        All features, in the order in which they are tried.
    check : callable
        Called before each is tried; may raise to end it.
    """
    largest = set(features)
    for j in order:
        check()
        if j not in largest and not problem.is_consistent(largest | {j}):
            largest.add(j)
    return tuple(j for j in range(problem.n_features) if j not in largest)


def reduced(
    problem: ConsistencyProblem, features: Collection[int], is_stopped: Callable[[], bool]
) -> FeatureSet:
    """Return a smallest part of a consistent set, or what is left of it when the search is stopped.

    No single feature of a smallest part can be left out.
    """
    chosen = sorted(features)
    for j in list(chosen):
        if is_stopped():
            break
        rest = [i for i in chosen if i != j]
        if problem.is_consistent(rest):
            chosen = rest
    return tuple(chosen)


def forward_set(problem: ConsistencyProblem, asking: Asking) -> FeatureSet:
    """Return a small set that is consistent enough, by forward selection.

    All features must be consistent enough. If they are too many, or the rows, for the selection to end within
    `MOST_SECONDS`, or before the user interrupts it, all features are returned.
    """
    everything = tuple(range(problem.n_features))
    run = SubsetRun(
        ConsistencyCriterion(problem),
        range(len(everything) + 1),
        least=-problem.max_inconsistent,
        limits=asking.limits.within(MOST_SECONDS),
        is_stopped=asking.is_stopped,
    )
    result = run.execute("forward", stepwise)
    return result.features if result.reached else everything
