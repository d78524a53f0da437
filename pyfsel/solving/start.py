"""Where an exact simultaneous search starts from: a quick sequential search in this process."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from pyfsel.algorithms.heuristics import swap_sequence
from pyfsel.algorithms.packing.pool import CompletePool
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem

MOST_SETS = 20_000
MOST_SETS_IN_TURN = 100


def sequential_start(
    problem: Problem, expired: Callable[[], bool] = lambda: False
) -> tuple[FeatureSet, ...] | None:
    """Return the sets of a sequential search that takes milliseconds, or None if it does not find them all.

    Each set is the best one given those before it if at most 20,000 sets of one size are possible, which are
    enumerated. Otherwise it comes from `swap_sequence`. For more than 100 sets there is no start. The same
    problem gives the same sets.

    Parameters
    ----------
    problem : Problem
        With an objective of several sets.
    expired : callable
        Asked now and then; the search ends when it returns True.

    Examples
    --------
    >>> sequential_start(Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1))
    ((0, 1), (0, 2), (1, 2))
    """
    if problem.n_sets > MOST_SETS_IN_TURN:
        return None
    sets = tuple(_best_in_turn(problem) if is_enumerated(problem) else swap_sequence(problem, expired))
    return sets if len(sets) == problem.n_sets else None


def is_enumerated(problem: Problem) -> bool:
    """Return whether each set of `sequential_start` is the best one given those before it."""
    is_small = comb(problem.n_features, problem.set_size) <= MOST_SETS and not problem.has_size_range
    return is_small and problem.n_sets <= MOST_SETS_IN_TURN


def _best_in_turn(problem: Problem) -> list[FeatureSet]:
    """Return sets that are each the best given those before it, ties lexicographic, as many as there are."""
    pool = CompletePool(problem)
    left, _ = pool.above(pool.lowest)
    found: list[FeatureSet] = []
    inside = np.zeros(problem.n_features, dtype=bool)
    while len(left) and len(found) < problem.n_sets:
        best = left[0]
        found.append(tuple(best.tolist()))
        inside[:] = False
        inside[best] = True
        left = left[inside[left].sum(axis=1) <= problem.max_overlap]
    return found
