"""The smallest consistent set by branching over the difference sets of all pairs of rows, size by size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, islice, product

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.bits import WORD
from pyfsel.errors import InputError
from pyfsel.papers.consistency.cuts import row_pairs
from pyfsel.papers.consistency.heuristics import forward_set
from pyfsel.papers.consistency.problem import ConsistencyProblem
from pyfsel.papers.hitting_sets.minimal import MOST_PAIRS, minimal_differences
from pyfsel.papers.hitting_sets.search import HittingSets
from pyfsel.problem.checks import integer_in, is_a
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, Limits, OutOfTimeError
from pyfsel.results.task import Task

BRANCHING = "branching"


class BranchingSearch(Task):
    """Proves for one size after another that no set is consistent, until one is.

    With rate 0 a set is consistent if and only if it hits all difference sets of rows of different classes.
    What forward selection finds is an upper end: a size below it that is refuted ends the search.
    """

    name = BRANCHING

    def solve(self, problem: ConsistencyProblem, control: Control) -> Answer:
        if not problem.is_consistent(range(problem.n_features)):
            return Answer(Status.INFEASIBLE)
        best, bound = forward_set(problem, control.limits), 0
        control.report_sets([best])
        sets = None
        try:
            sets = DifferenceSets(problem)
            for size in range(len(best)):
                found = sets.of_size(size, 1, control.check_time)
                if found:
                    best = found[0]
                    break
                bound = size + 1
                control.report_bound(-bound)
        except OutOfTimeError:
            why = StopReason.TIME_LIMIT
            return Answer(Status.FEASIBLE, (best,), -bound, why, {"nodes": sets.n_nodes if sets else 0})
        return Answer(Status.OPTIMAL, (best,), -len(best), statistics={"nodes": sets.n_nodes})


def branching_refusal(problem: ConsistencyProblem) -> str | None:
    """Return why a problem cannot be branched on; None if it can."""
    if problem.max_inconsistent:
        return f"allows {problem.max_inconsistent} inconsistent rows, {BRANCHING} none (rate 0)"
    if problem.previous_sets:
        return f"asks for an alternative, {BRANCHING} finds the smallest set only"
    n_different = len(_copies(problem.patterns))
    if n_different > WORD:
        return f"has {n_different} features that are no copies, {BRANCHING} takes {WORD} at most"
    if row_pairs(problem) > MOST_PAIRS:
        return f"has {row_pairs(problem)} pairs of rows, {BRANCHING} takes {MOST_PAIRS} at most"
    return None


class DifferenceSets:
    """The sets that consistent sets hit, among one feature of each group of copies.

    Copies tell the same pairs of rows apart, so they are in the same difference sets: a smallest hitting set
    holds one of them at most, and any other one serves as well.
    """

    def __init__(self, problem: ConsistencyProblem) -> None:
        self.n_features = problem.n_features
        self._copies = _copies(problem.patterns)
        rows = problem.patterns[:, [group[0] for group in self._copies]].astype(np.int64)
        classes = problem.counts.argmax(axis=1).astype(np.int64)
        self._to_hit = HittingSets(minimal_differences(rows, classes), len(self._copies))

    @property
    def n_nodes(self) -> int:
        """Nodes of all trees so far."""
        return self._to_hit.n_nodes

    def of_size(
        self, size: int, most: int | None = None, on_pause: Callable[[], None] = lambda: None
    ) -> list[FeatureSet]:
        """Return the smallest consistent sets, or so many of them; see `HittingSets.of_size`."""
        found = self._to_hit.of_size(size, most, on_pause)
        each = (product(*(self._copies[j] for j in members)) for members in found)
        return sorted(tuple(sorted(s)) for s in islice(chain.from_iterable(each), most))


def _copies(patterns: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Return the features in groups that divide the rows alike, whatever their values are called."""
    groups: dict[bytes, list[int]] = {}
    for j, column in enumerate(patterns.T):
        _, first, codes = np.unique(column, return_index=True, return_inverse=True)
        groups.setdefault(first[codes].tobytes(), []).append(j)
    return [tuple(group) for group in groups.values()]


@dataclass(frozen=True)
class SmallestSets:
    """All smallest consistent sets, or the first of them.

    Attributes
    ----------
    sets : tuple of feature sets
    is_complete : bool
        Whether these are all.
    """

    sets: tuple[FeatureSet, ...]
    is_complete: bool


def all_smallest_sets(
    problem: ConsistencyProblem, *, most: int = 10_000, time_limit: float | None = None
) -> SmallestSets:
    """List all smallest sets without inconsistent rows.

    Parameters
    ----------
    problem : ConsistencyProblem
        Rate 0, at most 64 features that are no copies of each other, no previous sets.
    most : int
        Stop after so many.
    time_limit : float, optional
        Seconds; nothing is listed if it passes before the smallest size is known.

    Returns
    -------
    SmallestSets

    Raises
    ------
    InputError
        If the problem is not of this kind.

    Examples
    --------
    >>> from pyfsel.papers.consistency import consistency_problem
    >>> all_smallest_sets(consistency_problem([[0, 0, 1], [0, 1, 0], [1, 1, 0]], [0, 1, 1]))
    SmallestSets(sets=((1,), (2,)), is_complete=True)
    """
    is_a("problem", problem, ConsistencyProblem, "a ConsistencyProblem, as consistency_problem returns")
    integer_in("most", most, 1, None)
    why_not = branching_refusal(problem)
    if why_not is not None:
        raise InputError(f"problem: {why_not}")
    if not problem.is_consistent(range(problem.n_features)):
        return SmallestSets((), True)
    limits = Limits.checked(time_limit)
    try:
        return _listed(DifferenceSets(problem), most, Control(limits).check_time)
    except OutOfTimeError:
        return SmallestSets((), False)


def _listed(sets: DifferenceSets, most: int, on_pause: Callable[[], None]) -> SmallestSets:
    for size in range(sets.n_features + 1):
        found = sets.of_size(size, most + 1, on_pause)
        if found:
            return SmallestSets(tuple(found[:most]), len(found) <= most)
    raise AssertionError("all features together hit every difference set")
