"""The smallest consistent set by branching over the difference sets of all pairs of rows, size by size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pyfsel.algorithms import hitting_sets
from pyfsel.algorithms.bits import WORD
from pyfsel.algorithms.hitting_sets.minimal import MOST_PAIRS, minimal_differences
from pyfsel.algorithms.hitting_sets.search import HittingSets
from pyfsel.errors import UnsupportedError
from pyfsel.problem.checks import integer_in, is_a
from pyfsel.problem.objectives import FeatureSet
from pyfsel.questions.consistency.cuts import row_pairs
from pyfsel.questions.consistency.heuristics import forward_set
from pyfsel.questions.consistency.problem import ConsistencyProblem
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, Limits, OutOfTimeError
from pyfsel.results.task import Task
from pyfsel.solving.compile_aside import compiled_aside

NAME = "branching"


class BranchingSearch(Task):
    """Proves for one size after another that no set is consistent, until one is.

    With rate 0 a set is consistent if and only if it hits all difference sets of rows of different classes.
    What forward selection finds is an upper end: a size below it that is refuted ends the search.
    """

    name = NAME
    compiled_aside = (hitting_sets.NAME,)

    def solve(self, problem: ConsistencyProblem, control: Control) -> Answer:
        if not problem.is_consistent(range(problem.n_features)):
            return Answer(Status.INFEASIBLE)
        best, bound = forward_set(problem, control.limits), 0
        control.report_sets([best])
        sets = None
        try:
            sets = difference_sets(problem)
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


def refusal(problem: ConsistencyProblem) -> str | None:
    """Return why a problem cannot be branched on; None if it can."""
    if problem.max_inconsistent:
        return f"allows {problem.max_inconsistent} inconsistent rows, {NAME} none (rate 0)"
    if problem.previous_sets:
        return f"asks for an alternative, {NAME} finds the smallest set only"
    if problem.n_features > WORD:
        return f"has {problem.n_features} features, {NAME} takes {WORD} at most"
    if row_pairs(problem) > MOST_PAIRS:
        return f"has {row_pairs(problem)} pairs of rows, {NAME} takes {MOST_PAIRS} at most"
    return None


def difference_sets(problem: ConsistencyProblem) -> HittingSets:
    """Return the sets that consistent sets hit."""
    classes = problem.counts.argmax(axis=1).astype(np.int64)
    return HittingSets(minimal_differences(problem.patterns.astype(np.int64), classes), problem.n_features)


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
        Rate 0, at most 64 features, no previous sets.
    most : int
        Stop after so many.
    time_limit : float, optional
        Seconds; nothing is listed if it passes before the smallest size is known.

    Returns
    -------
    SmallestSets

    Raises
    ------
    UnsupportedError
        If the problem is not of this kind.

    Examples
    --------
    >>> from pyfsel.questions.consistency import consistency_problem
    >>> all_smallest_sets(consistency_problem([[0, 0, 1], [0, 1, 0], [1, 1, 0]], [0, 1, 1]))
    SmallestSets(sets=((1,), (2,)), is_complete=True)
    """
    is_a("problem", problem, ConsistencyProblem, "a ConsistencyProblem, as consistency_problem returns")
    integer_in("most", most, 1, None)
    why_not = refusal(problem)
    if why_not is not None:
        raise UnsupportedError(f"problem: {why_not}")
    if not problem.is_consistent(range(problem.n_features)):
        return SmallestSets((), True)
    limits = Limits.checked(time_limit)
    try:
        with compiled_aside(BranchingSearch.compiled_aside):
            return _listed(difference_sets(problem), most, Control(limits).check_time)
    except OutOfTimeError:
        return SmallestSets((), False)


def _listed(sets: HittingSets, most: int, on_pause: Callable[[], None]) -> SmallestSets:
    for size in range(sets.n_features + 1):
        found = sets.of_size(size, most + 1, on_pause)
        if found:
            return SmallestSets(tuple(found[:most]), len(found) <= most)
    raise AssertionError("all features together hit every difference set")
