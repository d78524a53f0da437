"""How many dissimilar sets can reach a quality: bounds by counting, and by packing all good sets."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.packing.pool import pool_of, too_large
from pyfsel.drivers.cpsat import solve
from pyfsel.drivers.versions import is_installed
from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.overlap import shared_limit
from pyfsel.problem.side_constraints import FIXED_SIZE_CONSTRAINTS
from pyfsel.problem.values import objective_of
from pyfsel.reductions.interchange import most_by_counting
from pyfsel.reductions.promising import highest_sum
from pyfsel.results.backend_answer import BackendAnswer, Status, Task
from pyfsel.results.control import Control, TooManySetsError
from pyfsel.solving.asking import climb

LARGEST_MODEL = 1_000_000  # variables in all constraints together


def first_bounds(problem: Instance) -> tuple[int, str]:
    """Return the best bound that needs no solver, and what it comes from.

    Where the sets that are good enough can be enumerated, only their features count.

    Examples
    --------
    >>> first_bounds(Instance([9, 8, 7, 3, 2, 1], n_sets=1, k=2, max_shared=0, min_quality=9))
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


def most_of_all_sizes(problem: Instance, n_features: int) -> int:
    """Return how many sets of the allowed sizes can be dissimilar to each other, at most.

    Sets of one size s share at most what two of this size may, which is less than s, and are counted size by
    size. Any two sets share at most what two of the largest size may: where that is less than some size, the
    sets of at least this size can be counted together, like subsets of this size.

    Examples
    --------
    >>> problem = Instance([3, 2, 1], n_sets=1, k=2, k_min=1, max_shared=1, shared_weight=4,
    ...     size_weight=1)
    >>> most_of_all_sizes(problem, 3)
    6
    """
    most_shared = shared_limit(problem, problem.k, problem.k)
    if most_shared is None:
        return 1
    smaller, totals = 0, []
    for size in problem.sizes:
        if most_shared < size:
            totals.append(smaller + most_by_counting(n_features, size, most_shared))
        shared = shared_limit(problem, size, size)
        smaller += 1 if shared is None else most_by_counting(n_features, size, shared)
    return min([smaller, *totals])


def good_sets(problem: Instance) -> NDArray[np.int32] | None:
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


def quality_bound(problem: Instance, known: int, highest: int) -> int | None:
    """Return a bound from the sums that a number of sets can reach, or None if they exclude nothing.

    A number of sets is impossible if their sum of qualities, bounded by counting uses of features, is below
    this number times the minimum quality.

    Parameters
    ----------
    problem : Instance
        A problem with a minimum quality.
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

    bound, excluded = climb(known, highest + 1, lambda number: not is_excluded(number))
    return None if excluded > highest else bound


class MostSetsPacking(Task):
    """Picks as many good sets as possible such that no max_shared + 1 features lie in two, by CP-SAT.

    The number of sets is what is maximised: sets and bounds that are reported are about it.
    """

    name = "cpsat on the good sets"
    basis: tuple[str, ...] = ("packing", "cpsat")

    def refusal(self, problem: Instance) -> str | None:
        """Return why the problem cannot be taken, or None."""
        if not is_installed("ortools"):
            return "pip install ortools"
        sets = good_sets(problem)
        if sets is None:
            return "the good sets cannot be listed"
        subsets = len(sets) * math.comb(problem.k, problem.max_shared + 1)
        return None if subsets <= LARGEST_MODEL else f"{len(sets)} good sets are too many"

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        sets = good_sets(problem)
        assert sets is not None
        pool: list[FeatureSet] = [tuple(members) for members in sets.tolist()]
        m = ZeroOneModel(limits=(0, len(pool)))
        chosen = [m.new("set", i) for i in range(len(pool))]
        m.read = lambda value: tuple(s for s, v in zip(pool, chosen, strict=True) if value(v))
        m.reward([(1, v) for v in chosen])
        holders: dict[tuple[int, ...], list[int]] = {}
        for variable, members in zip(chosen, pool, strict=True):
            for part in combinations(members, problem.max_shared + 1):
                holders.setdefault(part, []).append(variable)
        for variables in holders.values():
            if len(variables) > 1:
                m.row([(1, v) for v in variables], high=1)
        answer = solve(m, control)
        if answer.status is not Status.OPTIMAL or answer.sets is None:
            return answer
        return replace(answer, bound=len(answer.sets))
