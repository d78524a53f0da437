"""Families of dissimilar sets of k of n features: counted, and drawn with equal probability (000, 3.3.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, combinations, islice
from math import comb, factorial, prod
from random import Random
from typing import NamedTuple

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.overlap import may_be_equal, may_stand_together
from pyfsel.questions.enumeration.single_sets import Family

MOST_TRIES = 200_000
MOST_SETS = 500
MOST_STEPS = 100_000
"""Half a second of counting."""
FEWEST_ACCEPTED = 0.001
"""Of the tries; less is drawn by counting or listing."""

Overlaps = tuple[int, ...]
_Beside = list[tuple[tuple[int, ...], int]]
State = tuple[int, int, tuple[int, ...], Overlaps]


class Drawn(NamedTuple):
    """Families that were drawn at random, and how: by what, or in how many tries."""

    families: tuple[Family, ...] = ()
    method: str = ""


def accepted(sets: Iterator[FeatureSet], n_sets: int, n_draws: int, problem: Instance) -> Drawn:
    """Return families of independent sets that are dissimilar; one that is not ends its family.

    All orders of a family are equally likely, and different sets have equally many.
    """
    if may_be_equal(problem):
        raise InputError("max_shared: allows equal sets; families are drawn of different ones")
    families: list[Family] = []
    tries = 0
    while tries < MOST_TRIES and len(families) < n_draws:
        tries += 1
        family: list[FeatureSet] = []
        for members in islice(sets, n_sets):
            if not all(may_stand_together(problem, members, other) for other in family):
                break
            family.append(members)
        else:
            families.append(tuple(sorted(family)))
    return Drawn(tuple(families), f"{tries:,} tries, of which {len(families):,} had dissimilar sets")


def count_families(n_features: int, k: int, n_sets: int, max_shared: int) -> int | None:
    """Return how many families of different k-subsets share pairwise at most so many of the features.

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
    beside = _beside_one(n_features, k, n_sets, max_shared)
    if beside is not None:
        return n_all * sum(last.bit_count() for _, last in beside) // n_sets
    try:
        return SharedParts(n_features, k, n_sets, max_shared).n_ordered // factorial(n_sets)
    except OverflowError:
        return None


def draw_families(problem: Instance, n_sets: int, n_draws: int, random: Random) -> Drawn:
    """Draw families of different k-subsets, as `count_families` counts them, with equal probability.

    Independent sets are tried until all are dissimilar; where that is known to succeed less than once in a
    thousand, families are drawn by counting or listing. Unknown, it ends after 200,000 tries.
    """
    n_features, k, max_shared = problem.n_features, problem.k, problem.max_shared
    n_all, n_families = comb(n_features, k), count_families(n_features, k, n_sets, max_shared)
    sets = iter(lambda: tuple(sorted(random.sample(range(n_features), k))), ())
    if n_families == 0:
        return Drawn((), "none exist")
    if max_shared == k - 1:
        return Drawn(tuple(_different(sets, n_sets) for _ in range(n_draws)), "different sets")
    if n_families is None or n_families * factorial(n_sets) >= FEWEST_ACCEPTED * n_all**n_sets:
        return accepted(sets, n_sets, n_draws, problem)
    beside = _beside_one(n_features, k, n_sets, max_shared)
    if beside is None:
        parts = SharedParts(n_features, k, n_sets, max_shared)
        return Drawn(tuple(parts.draw(random) for _ in range(n_draws)), "counting")
    return Drawn(tuple(_renamed(beside, n_features, k, random, n_draws)), "listing")


def _different(sets: Iterator[FeatureSet], n_sets: int) -> Family:
    family: set[FeatureSet] = set()
    while len(family) < n_sets:
        family.add(next(sets))
    return tuple(sorted(family))


def _renamed(beside: _Beside, n_features: int, k: int, random: Random, n_draws: int) -> Iterator[Family]:
    """Draw from the families that hold the first set, and name the features again.

    So a family comes from each of its sets with the same probability, and has as many sets as any other.
    """
    sets = list(combinations(range(n_features), k))
    before = list(accumulate(last.bit_count() for _, last in beside))
    for _ in range(n_draws):
        chosen, last = beside[bisect_right(before, random.randrange(before[-1]))]
        family = *chosen, random.choice([i for i in range(len(sets)) if last >> i & 1])
        names = random.sample(range(n_features), n_features)
        yield tuple(sorted(tuple(sorted(names[j] for j in sets[i])) for i in family))


def _beside_one(n_features: int, k: int, n_sets: int, max_shared: int) -> _Beside | None:
    """List the families that hold the first set, or None if they are too many.

    All sets stand in equally many. Each is given by all sets but its last one, which is any of the bits.
    """
    if comb(n_features, k) > MOST_SETS:
        return None
    sets = [sum(1 << j for j in members) for members in combinations(range(n_features), k)]
    later = [
        sum(1 << j for j in range(i + 1, len(sets)) if (sets[i] & sets[j]).bit_count() <= max_shared)
        for i in range(len(sets))
    ]
    open_: _Beside = [((0,), later[0])]
    found: _Beside = []
    for _ in range(MOST_STEPS):
        if not open_:
            return found
        chosen, candidates = open_.pop()
        if len(chosen) == n_sets - 1:
            found.append((chosen, candidates))
        elif candidates.bit_count() >= n_sets - len(chosen):
            first = (candidates & -candidates).bit_length() - 1
            open_.append((chosen, candidates & (candidates - 1)))
            open_.append(((*chosen, first), candidates & later[first]))
    return None


class SharedParts:
    """Families in order by how many features lie in exactly which of their sets.

    With c_T features in the sets T and no others, n! / Π c_T! families have these numbers. The parts of two
    sets and more are tried one after another; what is left of each set lies in it alone.

    Raises
    ------
    OverflowError
        If counting takes too many steps.
    """

    def __init__(self, n_features: int, k: int, n_sets: int, max_shared: int) -> None:
        together = range(2, n_sets + 1) if max_shared else ()
        if together and 2**n_sets > MOST_SETS:
            raise OverflowError
        pairs = {pair: at for at, pair in enumerate(combinations(range(n_sets if together else 0), 2))}
        self.parts = [part for size in together for part in combinations(range(n_sets), size)]
        self.within = [{pairs[pair] for pair in combinations(part, 2)} for part in self.parts]
        self.count = cache(self._count)
        self.start: State = (0, n_features, (k,) * n_sets, (max_shared,) * len(pairs))
        self.n_ordered = self.count(*self.start)

    def _count(self, at: int, left: int, sizes: tuple[int, ...], overlaps: Overlaps) -> int:
        if self.count.cache_info().misses > MOST_STEPS:
            raise OverflowError
        if at == len(self.parts):
            alone = sum(sizes)
            return comb(left, alone) * (factorial(alone) // prod(map(factorial, sizes)))
        return sum(ways for ways, _ in self._next(at, left, sizes, overlaps))

    def _next(
        self, at: int, left: int, sizes: tuple[int, ...], overlaps: Overlaps
    ) -> Iterator[tuple[int, State]]:
        """Yield what may follow, one feature more in this part each time, and in how many ways."""
        part, inside = self.parts[at], self.within[at]
        most = min(left, *(sizes[i] for i in part), *(overlaps[p] for p in inside))
        for c in range(most + 1):
            smaller = tuple(size - c * (i in part) for i, size in enumerate(sizes))
            fewer = tuple(overlap - c * (p in inside) for p, overlap in enumerate(overlaps))
            state = at + 1, left - c, smaller, fewer
            yield comb(left, c) * self.count(*state), state

    def draw(self, random: Random) -> Family:
        """Return a family, each with the same probability by whole numbers."""
        state, features = self.start, random.sample(range(self.start[1]), self.start[1])
        members: list[list[int]] = [[] for _ in state[2]]
        for part in self.parts:
            place = random.randrange(self.count(*state))
            for c, (ways, following) in enumerate(self._next(*state)):  # noqa: B007
                if place < ways:
                    break
                place -= ways
            state = following
            for feature in [features.pop() for _ in range(c)]:
                for i in part:
                    members[i].append(feature)
        for i, alone in enumerate(state[2]):
            members[i] += [features.pop() for _ in range(alone)]
        return tuple(sorted(tuple(sorted(features)) for features in members))
