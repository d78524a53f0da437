"""How many sets of k of n features can be dissimilar, and how many such families there are (000, A.5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb, factorial, prod
from typing import Any, ClassVar, Unpack

from pyfsel.problem.checks import integer_in
from pyfsel.problem.make import make_problem
from pyfsel.questions.answered import Facts
from pyfsel.questions.asking import QuestionSolving
from pyfsel.questions.most_sets import MostSets, most_sets
from pyfsel.results.answer import Status
from pyfsel.results.display import listed_names

LARGEST_N = 100_000
MOST_SHOWN = 20
MOST_SETS = 500
MOST_STEPS = 100_000
"""Half a second of counting."""


@dataclass(frozen=True, repr=False, kw_only=True)
class HowMany(MostSets):
    """The largest number of dissimilar sets, and how many families of some number of them there are.

    Parameters
    ----------
    family_size : int
        Sets in a family: as many as were asked for, else as many as possible.
    n_families : int or None
        Different families, in no order; None where that is open.
    """

    question: ClassVar[str] = "how_many"

    family_size: int
    n_families: int | None

    def _found(self) -> dict[str, Any]:
        problem, found = self.problem, super()._found()
        for name in ("min_quality", "best_quality"):
            del found[name]
        asked = {"n_features": problem.n_features, "k": problem.set_size}
        return {**asked, **found, "family_size": self.family_size, "n_families": self.n_families}

    def _facts(self) -> Facts:
        families = "not counted: too many steps, or the number of sets is open"
        if self.n_families is not None:
            families = f"{self.n_families:,} of {self.family_size} sets"
        facts = [super()._facts()[0], ("families", families)]
        for number, members in enumerate(self.sets[:MOST_SHOWN]):
            facts.append((f"set {number}", listed_names(self.problem.names_of(members))))
        more = self.n_sets - MOST_SHOWN
        return [*facts, ("…", f"{more} more (--format json lists all)")] if more > 0 else facts

    def _shown(self) -> None:
        """Return nothing: all qualities are alike."""


def how_many(
    n_features: int,
    k: int,
    *,
    n_alternatives: int | None = None,
    tau: float | None = None,
    max_overlap: int | None = None,
    dissimilarity: str = "dice",
    **options: Unpack[QuestionSolving],
) -> HowMany:
    """Say how many dissimilar sets of k of n features there are, whatever their quality (000, A.5.4).

    The number of sets is that of a packing of k-subsets of which no two have t = max_overlap + 1 elements in
    common, and of a code of constant weight, A(n, 2·(k − max_overlap), k). It comes from `most_sets`, with
    Johnson's bound. Families are counted by the sizes of what their sets share, without listing them; few
    features also by extending one set, which by symmetry stands for all.

    Parameters
    ----------
    n_features, k : int
    n_alternatives : int, optional
        Count the families of so many sets and one more, and look for no more sets; without it the families
        of as many sets as there are.
    tau, max_overlap, dissimilarity
        As in `pyfsel.make_problem`: exactly one of the first two. Two sets must be able to differ.
    **options
        Backend, limits and more, see `QuestionSolving`.

    Returns
    -------
    HowMany
        A limit leaves an interval for the number of sets.

    Raises
    ------
    InputError
        If an argument is not allowed.

    Examples
    --------
    >>> fano = how_many(7, 3, max_overlap=1)
    >>> fano.n_sets, str(fano.status), fano.n_families
    (7, 'OPTIMAL', 30)
    >>> how_many(100, 5, n_alternatives=2, tau=0.6).n_families
    70996435465407426152640
    """
    n_features = integer_in("n_features", n_features, 1, LARGEST_N)
    if n_alternatives is not None:
        n_alternatives = integer_in("n_alternatives", n_alternatives, 0, None)
    problem = make_problem(
        [1] * n_features,
        k=k,
        n_alternatives=1,
        tau=tau,
        max_overlap=max_overlap,
        dissimilarity=dissimilarity,
        min_quality=0,
    )
    asked = None if n_alternatives is None else n_alternatives + 1
    most = most_sets(problem, at_most=asked, **options)
    size = most.n_sets if asked is None else asked
    n_families = None
    if most.bound is not None and most.bound < size:
        n_families = 0
    elif asked is not None or most.status is Status.OPTIMAL:
        n_families = count_families(n_features, k, size, problem.max_overlap)
    return HowMany(**vars(most), family_size=size, n_families=n_families)


def count_families(n_features: int, k: int, n_sets: int, max_overlap: int) -> int | None:
    """Return how many families of different k-subsets share pairwise at most so many of the features.

    Parameters
    ----------
    max_overlap : int
        Less than k.

    Returns
    -------
    int or None
        None where counting takes more than 100,000 steps.

    Examples
    --------
    >>> count_families(6, 3, 4, max_overlap=1), count_families(6, 2, 3, max_overlap=0)
    (30, 15)
    """
    n_all = comb(n_features, k)
    if max_overlap == k - 1 or n_sets == 1:
        return comb(n_all, n_sets)
    if n_all <= MOST_SETS:
        counted = _beside_one(n_features, k, n_sets, max_overlap)
        if counted is not None:
            return n_all * counted // n_sets
    return _by_shared_parts(n_features, k, n_sets, max_overlap)


def _beside_one(n_features: int, k: int, n_sets: int, max_overlap: int) -> int | None:
    """Count the families that hold the first set: all sets stand in equally many."""
    sets = [sum(1 << j for j in members) for members in combinations(range(n_features), k)]
    later = [
        sum(1 << j for j in range(i + 1, len(sets)) if (sets[i] & sets[j]).bit_count() <= max_overlap)
        for i in range(len(sets))
    ]
    families, count = [(1, later[0])], 0
    for _ in range(MOST_STEPS):
        if not families:
            return count
        size, candidates = families.pop()
        if size == n_sets - 1:
            count += candidates.bit_count()
        elif candidates.bit_count() >= n_sets - size:
            first = (candidates & -candidates).bit_length() - 1
            families.append((size, candidates & (candidates - 1)))
            families.append((size + 1, candidates & later[first]))
    return None


def _by_shared_parts(n_features: int, k: int, n_sets: int, max_overlap: int) -> int | None:
    """Count the families by how many features lie in exactly which sets.

    With c_T features in the sets T and no others, n! / Π c_T! orders of sets have these numbers. The parts of
    two sets and more are tried one after another; what is left of each set lies in it alone.
    """
    together = range(2, n_sets + 1) if max_overlap else ()
    if together and 2**n_sets > MOST_SETS:
        return None
    shared = [part for size in together for part in combinations(range(n_sets), size)]
    pairs = {pair: at for at, pair in enumerate(combinations(range(n_sets if together else 0), 2))}
    within = [[pairs[pair] for pair in combinations(part, 2)] for part in shared]

    @cache
    def count(at: int, left: int, sizes: tuple[int, ...], overlaps: tuple[int, ...]) -> int:
        if count.cache_info().misses > MOST_STEPS:
            raise OverflowError
        if at == len(shared):
            alone = sum(sizes)
            return comb(left, alone) * (factorial(alone) // prod(map(factorial, sizes)))
        part, inside = shared[at], within[at]
        most = min(left, *(sizes[i] for i in part), *(overlaps[p] for p in inside))
        return sum(
            comb(left, c)
            * count(
                at + 1,
                left - c,
                tuple(size - c * (i in part) for i, size in enumerate(sizes)),
                tuple(overlap - c * (p in inside) for p, overlap in enumerate(overlaps)),
            )
            for c in range(most + 1)
        )

    try:
        ordered = count(0, n_features, (k,) * n_sets, (max_overlap,) * len(pairs))
    except OverflowError:
        return None
    return ordered // factorial(n_sets)
