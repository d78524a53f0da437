"""How many sets of k of n features can be dissimilar, and how many such families there are (000, A.5.4)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from math import comb, factorial, prod
from random import Random
from typing import Any

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.problem import Problem
from pyfsel.problem.checks import integer_in, number_of, seed
from pyfsel.problem.dissimilarity import may_stand_together
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.problem.rules import Constraints, Dissimilarity
from pyfsel.questions.most_sets import most_sets
from pyfsel.results.backend_answer import Status

LARGEST_N = 100_000
MOST_DRAWN = 100_000
MOST_DRAWN_FEATURES = 5_000_000
"""In all families together, some 200 MB."""
MOST_TRIES = 200_000
MOST_SETS = 500
MOST_STEPS = 100_000
"""Half a second of counting."""


def draw_families(
    problem: Instance, n_sets: int, n_draws: int, random: Random
) -> tuple[tuple[Family, ...], str]:
    """Return families that were drawn, and in how many tries.

    Families of sets are drawn with equal probability: independent sets, until all in a family are dissimilar.
    A set that is not ends its family; the draw ends after 200,000 tries. All orders of a family are equally
    likely, and different sets have equally many.
    """
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
    return tuple(families), f"{tries:,} tries, of which {len(families):,} had dissimilar sets"


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


def how_many(
    n_features: int,
    k: int = 5,
    *,
    n_sets: int | None = None,
    n_draws: int = 0,
    dissimilarity: float | str | Dissimilarity = 0.6,
    solver: Any = "auto",
    time_limit: float | None = 60,
    random_state: int = 0,
) -> Answer:
    """Say how many dissimilar sets of k of n features there are, whatever their quality (000, A.5.4).

    It is the number of sets of a packing of k-subsets of which no two have t = max_shared + 1 elements in
    common, and of a code of constant weight, A(n, 2·(k − max_shared), k). It comes from `most_sets`, with
    Johnson's bound. Families are counted by the sizes of what their sets share, without listing them; few
    features also by extending one set, which by symmetry stands for all.

    Parameters
    ----------
    n_features : int
        The number of features.
    k : int
        Features per set.
    n_sets : int, optional
        Count the families of this number of sets, and look for no more sets; without it the families of as
        many sets as there are.
    n_draws : int
        Draw this number of these families at random (seed `random_state`), with replacement and each with the
        same probability: independent sets are drawn until they are dissimilar, in at most 200,000 tries. So
        an answer may have fewer; it has none if the number of sets is open. At most 100,000, whose sets have
        at most 5,000,000 features together.
    dissimilarity : float, str or Dissimilarity
        How different any two sets are, such as 0.6, "jaccard:0.5" or "shared:2". Equal sets are not counted.
    solver : str, MiniZincModel or Program
        The name of the solver that finds as many sets as possible, if nothing is known of their number.
    time_limit : float, optional
        Seconds for the whole call.
    random_state : int
        Seed of families that are drawn.

    Returns
    -------
    Answer
        `low` and `high` are about the number of sets. In `details`: ``n_families``, None if it is open;
        ``family_size``, the sets in a family; ``families`` that were drawn, and ``drawn_by`` what.

    Raises
    ------
    InputError
        If an argument is not allowed.

    Examples
    --------
    >>> fano = how_many(7, 3, dissimilarity="shared:1")
    >>> fano.low, fano.high, fano.details["n_families"]
    (7.0, 7.0, 30)
    >>> how_many(100, 5, n_sets=3).details["n_families"]
    70996435465407426152640
    """
    n_features = integer_in("n_features", n_features, 1, LARGEST_N)
    n_draws = integer_in("n_draws", n_draws, 0, MOST_DRAWN)
    if n_sets is not None:
        n_sets = integer_in("n_sets", n_sets, 1, None)
    instance = make_instance(
        [1] * n_features,
        k=k,
        n_sets=2,
        dissimilarity=dissimilarity,
        constraints=Constraints(min_quality=0),
    )
    solving = {"solver": solver, "time_limit": time_limit, "random_state": random_state}
    most = most_sets(Problem.of_instance(instance, "sum"), at_most=n_sets, **solving)
    size = len(most) if n_sets is None else n_sets
    largest = MOST_DRAWN_FEATURES // max(1, size * instance.k)
    if n_draws > largest:
        raise InputError(f"n_draws={n_draws}: is too large for families of {size} sets of {k}. Try {largest}")
    n_families, families, drawn_by = None, tuple[Family, ...](), ""
    if most.high is not None and most.high < size:
        n_families = 0
    elif n_sets is not None or most.status is Status.OPTIMAL:
        n_families = count_families(n_features, k, size, instance.max_shared)
        families, drawn_by = draw_families(instance, size, n_draws, Random(seed(random_state)))
    counted = "not counted" if n_families is None else f"{n_families:,}"
    least = "" if most.status is Status.OPTIMAL else "At least "
    headline = f"{least}{number_of(len(most), 'dissimilar set')} of {k} of {n_features} features"
    return replace(
        most,
        question="how_many",
        headline=f"{headline}; families of {number_of(size, 'set')}: {counted}",
        cautions=(),
        details={
            **most.details,
            "n_families": n_families,
            "family_size": size,
            "families": families,
            "drawn_by": drawn_by,
        },
    )
