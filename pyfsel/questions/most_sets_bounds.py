"""Upper bounds on the number of dissimilar sets that reach a quality, by counting alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.packing.pool import pool_of, too_large
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import FIXED_SIZE_CONSTRAINTS
from pyfsel.problem.values import objective_of
from pyfsel.reductions.interchange import most_by_counting
from pyfsel.reductions.promising import highest_sum
from pyfsel.results.control import TooManySetsError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def first_bounds(problem: Problem) -> tuple[int, str]:
    """Return the best bound that needs no solver, and what it comes from.

    Where the sets that are good enough can be enumerated, only their features count.

    Examples
    --------
    >>> first_bounds(Problem([9, 8, 7, 3, 2, 1], n_sets=1, set_size=2, max_overlap=0, min_quality=9))
    (3, 'counting features')
    """
    n_features = problem.n_features - len(problem.forbidden)
    good = good_sets(problem)
    if good is not None:
        n_features = len(np.unique(good))
    counted = most_of_all_sizes(problem, n_features)
    if good is not None and len(good) <= counted:
        return len(good), "the number of sets that are good enough"
    return counted, "counting features"


def most_of_all_sizes(problem: Problem, n_features: int) -> int:
    """Return how many sets of the allowed sizes can be dissimilar to each other, at most.

    Sets of one size s share at most what two of this size may, which is less than s, and are counted size by
    size. Any two sets share at most what two of the largest size may: where that is less than some size, the
    sets of at least this size can be counted together, like subsets of this size.

    Examples
    --------
    >>> problem = Problem([3, 2, 1], n_sets=1, set_size=2, min_set_size=1, max_overlap=1, overlap_factor=4,
    ...     size_factor=1)
    >>> most_of_all_sizes(problem, 3)
    6
    """
    most_shared = problem.allowed_overlap(problem.set_size, problem.set_size)
    smaller, totals = 0, []
    for size in problem.sizes:
        if most_shared < size:
            totals.append(smaller + most_by_counting(n_features, size, most_shared))
        smaller += most_by_counting(n_features, size, problem.allowed_overlap(size, size))
    return min([smaller, *totals])


def good_sets(problem: Problem) -> NDArray[np.int32] | None:
    """Return all sets that are good enough on their own, or None where they cannot be enumerated."""
    fixed_size = set(problem.side_constraints) <= set(FIXED_SIZE_CONSTRAINTS)
    if objective_of(problem).is_fraction or not fixed_size or problem.min_quality is None:
        return None
    if too_large(problem) is not None:
        return None
    try:
        return pool_of(problem).above(problem.min_quality)[0]
    except TooManySetsError:
        return None


def quality_bound(problem: Problem, known: int, highest: int) -> int | None:
    """Return a bound from the sums that so many sets can reach, or None if they exclude nothing.

    Impossible is every number of sets whose sum of qualities, bounded by counting uses of features, is below
    that many times the least quality.

    Parameters
    ----------
    problem : Problem
        With a least quality.
    known : int
        A number of sets that is possible.
    highest : int
        A number that need not be exceeded.
    """
    least = problem.min_quality
    if least is None or problem.has_size_range or not objective_of(problem).is_sum:
        return None

    def is_excluded(number: int) -> bool:
        most = highest_sum(problem, number)
        return most is None or most < number * least

    low, step = known, 1
    while low + step <= highest and not is_excluded(low + step):
        low, step = low + step, 2 * step
    high = min(low + step, highest + 1)
    if high > highest and not is_excluded(highest):
        return None
    high = min(high, highest)
    while high - low > 1:
        middle = (low + high) // 2
        if is_excluded(middle):
            high = middle
        else:
            low = middle
    return high - 1
