"""Upper bounds on the number of dissimilar sets that reach a quality, by counting alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.packing.pool import pool_of, too_large
from pyfsel.problem.objectives import SUMS_OF_QUALITIES
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import FIXED_SIZE_CONSTRAINTS
from pyfsel.reductions.interchange import most_by_counting
from pyfsel.results.control import TooManySetsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

POOL_OBJECTIVES = (*SUMS_OF_QUALITIES, "mrmr")


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
    counted = most_by_counting(n_features, problem.sizes[0], problem.max_overlap)
    if good is not None and len(good) <= counted:
        return len(good), "the number of sets that are good enough"
    return counted, "counting features"


def good_sets(problem: Problem) -> NDArray[np.int32] | None:
    """Return all sets that are good enough on their own, or None where they cannot be enumerated."""
    fixed_size = set(problem.side_constraints) <= set(FIXED_SIZE_CONSTRAINTS)
    if problem.objective not in POOL_OBJECTIVES or not fixed_size or problem.min_quality is None:
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
    from pyfsel.algorithms.packing.bounds import bound_of

    least = problem.min_quality
    if least is None or problem.has_size_range or problem.objective not in SUMS_OF_QUALITIES:
        return None

    def is_excluded(number: int) -> bool:
        most = bound_of(problem.replace(n_sets=number), number)
        return most is not None and most < number * least

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
