"""Families of dissimilar sets of k of n features: counted, and drawn with equal probability (000, 3.3.2)."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb, factorial, prod
from random import Random
from typing import NamedTuple

from pyfsel.errors import InputError
from pyfsel.problem.dissimilarity import may_be_equal, may_stand_together
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.questions.methods import Family

MOST_TRIES = 200_000
MOST_SETS = 500
MOST_STEPS = 100_000
"""Half a second of counting."""


class Drawn(NamedTuple):
    """Families that were drawn at random, and in how many tries."""

    families: tuple[Family, ...] = ()
    method: str = ""


def draw_families(problem: Instance, n_sets: int, n_draws: int, random: Random) -> Drawn:
    """Draw families of sets with equal probability: independent sets, until all in a family are dissimilar.

    A set that is not ends its family; the draw ends after 200,000 tries. All orders of a family are equally
    likely, and different sets have equally many.
    """
    if may_be_equal(problem):
        raise InputError("max_shared: allows equal sets; families are drawn of different ones")
    families: list[Family] = []
    tries = 0
    while tries < MOST_TRIES and len(families) < n_draws:
        tries += 1
        family: list[FeatureSet] = []
        while len(family) < n_sets:
            members = tuple(sorted(random.sample(range(problem.n_features), problem.k)))
            if not all(may_stand_together(problem, members, other) for other in family):
                break
            family.append(members)
        else:
            families.append(tuple(sorted(family)))
    return Drawn(tuple(families), f"{tries:,} tries, of which {len(families):,} had dissimilar sets")


def count_families(n_features: int, k: int, n_sets: int, max_shared: int) -> int | None:
    """Return how many families of different k-subsets share pairwise at most `max_shared` features.

    Parameters
    ----------
    max_shared : int
        Less than k.

    Returns
    -------
    int or None
        None where counting takes more than 100,000 steps.

    Examples
    --------
    >>> count_families(6, 3, 4, max_shared=1), count_families(6, 2, 3, max_shared=0)
    (30, 15)
    """
    n_all = comb(n_features, k)
    if max_shared == k - 1 or n_sets == 1:
        return comb(n_all, n_sets)
    with_first = _count_with_first(n_features, k, n_sets, max_shared)
    if with_first is not None:
        return n_all * with_first // n_sets
    in_order = _count_by_shared_parts(n_features, k, n_sets, max_shared)
    return None if in_order is None else in_order // factorial(n_sets)


def _count_with_first(n_features: int, k: int, n_sets: int, max_shared: int) -> int | None:
    """Count the families that hold the first set, by listing all but the last set; None if they are too many.

    All sets stand in equally many.
    """
    if comb(n_features, k) > MOST_SETS:
        return None
    sets = [sum(1 << j for j in members) for members in combinations(range(n_features), k)]
    later = [
        sum(1 << j for j in range(i + 1, len(sets)) if (sets[i] & sets[j]).bit_count() <= max_shared)
        for i in range(len(sets))
    ]
    open_, found = [(1, later[0])], 0
    for _ in range(MOST_STEPS):
        if not open_:
            return found
        n_chosen, candidates = open_.pop()
        if n_chosen == n_sets - 1:
            found += candidates.bit_count()
        elif candidates.bit_count() >= n_sets - n_chosen:
            first = (candidates & -candidates).bit_length() - 1
            open_.append((n_chosen, candidates & (candidates - 1)))
            open_.append((n_chosen + 1, candidates & later[first]))
    return None


def _count_by_shared_parts(n_features: int, k: int, n_sets: int, max_shared: int) -> int | None:
    """Count families in order by how many features lie in exactly which of their sets; None if that is long.

    With c_T features in the sets T and no others, n! / Π c_T! families have these numbers. The parts of two
    sets and more are tried one after another; what is left of each set lies in it alone.
    """
    together = range(2, n_sets + 1) if max_shared else ()
    if together and 2**n_sets > MOST_SETS:
        return None
    pairs = {pair: at for at, pair in enumerate(combinations(range(n_sets if together else 0), 2))}
    parts = [part for size in together for part in combinations(range(n_sets), size)]
    within = [{pairs[pair] for pair in combinations(part, 2)} for part in parts]

    @cache
    def count(at: int, left: int, sizes: tuple[int, ...], overlaps: tuple[int, ...]) -> int:
        if count.cache_info().misses > MOST_STEPS:
            raise OverflowError
        if at == len(parts):
            alone = sum(sizes)
            return comb(left, alone) * (factorial(alone) // prod(map(factorial, sizes)))
        total = 0
        for c in range(min(left, *(sizes[i] for i in parts[at]), *(overlaps[p] for p in within[at])) + 1):
            smaller = tuple(size - c * (i in parts[at]) for i, size in enumerate(sizes))
            fewer = tuple(overlap - c * (p in within[at]) for p, overlap in enumerate(overlaps))
            total += comb(left, c) * count(at + 1, left - c, smaller, fewer)
        return total

    try:
        return count(0, n_features, (k,) * n_sets, (max_shared,) * len(pairs))
    except OverflowError:
        return None
