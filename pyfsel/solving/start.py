"""Where an exact simultaneous search starts from: a quick sequential search in this process."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from pyfsel.algorithms.heuristics.swap_sequence import swap_sequence
from pyfsel.algorithms.packing.pool import best_in_turn, falling, pool_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.results.control import TooManySetsError

MOST_SETS = 20_000  # all of them are listed and sorted in a few milliseconds
MOST_SETS_IN_TURN = 100  # each takes a look at all listed sets
GROWTH = 2.0


def sequential_start(
    problem: Instance, expired: Callable[[], bool] = lambda: False
) -> tuple[FeatureSet, ...] | None:
    """Return the sets of a sequential search that takes milliseconds, or None if it does not find them all.

    Each set is the best one given those before it if that takes a look at no more than 20,000 sets, all of
    one size; otherwise it comes from `swap_sequence`. For more than 100 sets it returns None. The same
    problem gives the same sets.

    Parameters
    ----------
    problem : Instance
        With an objective of several sets.
    expired : callable
        Asked now and then; the search ends when it returns True.

    Examples
    --------
    >>> sequential_start(Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1))
    ((0, 1), (0, 2), (1, 2))
    """
    if problem.n_sets > MOST_SETS_IN_TURN:
        return None
    is_listed = objective_of(problem).is_sum and not problem.has_size_range
    is_small = comb(problem.n_features, problem.k) <= MOST_SETS and not problem.has_size_range
    best = _best_in_turn(problem) if is_listed or is_small else None
    if best is None and objective_of(problem).is_fraction:
        return None  # swaps are of features and pairs that have weights
    sets = tuple(swap_sequence(problem, expired) if best is None else best)
    return sets if len(sets) == problem.n_sets else None


def _best_in_turn(problem: Instance) -> list[FeatureSet] | None:
    """Return sets that are each the best given those before it, or None if that takes a look at too many."""
    try:
        return best_in_turn(problem, falling(pool_of(problem, MOST_SETS), growth=GROWTH))
    except TooManySetsError:
        return None
