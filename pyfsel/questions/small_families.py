"""Whether sets exist that are pairwise dissimilar, where they are so few that counted steps decide it."""

from __future__ import annotations

from itertools import combinations
from math import comb

from pyfsel.problem.problem import Problem
from pyfsel.results.verify import violations

MOST_SETS = 500
MOST_STEPS = 5_000


def small_family_exists(problem: Problem, most_steps: int = MOST_STEPS) -> bool | None:
    """Return whether the problem has a solution, or None if that takes too many steps.

    Enumerates all sets and extends families by them, in milliseconds and in this process: the answer does not
    depend on how busy the machine is.

    Parameters
    ----------
    problem : Problem
    most_steps : int
        Families that are extended before the search gives up.

    Examples
    --------
    >>> problem = Problem(quality=[4, 3, 2, 1], n_sets=2, set_size=2, max_overlap=0)
    >>> small_family_exists(problem), small_family_exists(problem.replace(n_sets=3))
    (True, False)
    """
    n, n_sets = problem.n_features, problem.n_sets
    if sum(comb(n, size) for size in problem.sizes) > MOST_SETS:
        return None
    alone = problem.replace(n_sets=1)
    sets = [s for size in problem.sizes for s in combinations(range(n), size) if not violations(alone, [s])]
    later = [_compatible_from(problem, sets, i) for i in range(len(sets))]
    families = [(0, (1 << len(sets)) - 1)]
    for _ in range(most_steps):
        if not families:
            return False
        size, candidates = families.pop()
        if size == n_sets:
            return True
        while candidates:
            first = (candidates & -candidates).bit_length() - 1
            families.append((size + 1, candidates & later[first]))
            candidates &= candidates - 1
    return None


def _compatible_from(problem: Problem, sets: list[tuple[int, ...]], i: int) -> int:
    """Return as bits which sets from the i-th on, itself included, may stand beside the i-th one."""
    one = {*sets[i]}
    fits = (len(one & {*s}) <= problem.allowed_overlap(len(one), len(s)) for s in sets[i:])
    return sum(1 << j for j, is_compatible in enumerate(fits, i) if is_compatible)
