"""How dissimilar two sets are, by four measures, and how many features two sets may share.

`shared_limit` is the one rule of a problem that models, searches and the verifier ask.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import floor, lcm
from typing import Any

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family

LARGEST_DENOMINATOR = 10**6  # of thresholds: 0.9 is nine tenths, not the float next to it


@dataclass(frozen=True)
class OverlapRule:
    """``|A ∩ B| ≤ portion · (|A| + |B|) + constant``, or twice the smaller size in place of both.

    The bounds of all thresholds of all measures here have this form; rounded down it is a whole number for
    each pair of sizes, which is all that a search needs to know.
    """

    portion: Fraction
    constant: Fraction = Fraction(0)
    shared_by_smaller: bool = False

    def most_shared(self, size: int, other: int) -> int:
        """Return how many features two sets of these sizes may share; below 0 where they cannot be."""
        sizes = 2 * min(size, other) if self.shared_by_smaller else size + other
        return floor(self.portion * sizes + self.constant)

    def fields(self) -> dict[str, Any]:
        """Return the rule in whole numbers, as fields of a problem."""
        whole = lcm(self.portion.denominator, self.constant.denominator)
        numbers = {"shared_weight": whole, "size_weight": int(self.portion * whole)}
        more = {"shared_constant": int(self.constant * whole), "shared_by_smaller": self.shared_by_smaller}
        return numbers | {name: value for name, value in more.items() if value}


@dataclass(frozen=True)
class DissimilarityMeasure:
    """A measure of how dissimilar two sets are: from 0, if they are equal, to 1 at most.

    Parameters
    ----------
    value : callable
        The dissimilarity of sets that share a number of features: of that number, the two sizes, and the
        number of all features.
    rule : callable
        What a minimum dissimilarity means, among a number of features.
    """

    value: Callable[[int, int, int, int], Fraction]
    rule: Callable[[Fraction, int], OverlapRule]


DISSIMILARITIES = {
    # 1 − 2·|A ∩ B| / (|A| + |B|) (paper 000, Eq. 3 and 4)
    "dice": DissimilarityMeasure(
        lambda shared, size, other, n: 1 - Fraction(2 * shared, size + other),
        lambda tau, n: OverlapRule((1 - tau) / 2),
    ),
    # 1 − |A ∩ B| / |A ∪ B| (paper 000, Eq. 2 and 7)
    "jaccard": DissimilarityMeasure(
        lambda shared, size, other, n: 1 - Fraction(shared, size + other - shared),
        lambda tau, n: OverlapRule((1 - tau) / (2 - tau)),
    ),
    # 1 − |A ∩ B| / min(|A|, |B|): a part of a set is not an alternative to it
    "overlap": DissimilarityMeasure(
        lambda shared, size, other, n: 1 - Fraction(shared, min(size, other)),
        lambda tau, n: OverlapRule((1 - tau) / 2, shared_by_smaller=True),
    ),
    # The proportion of all features that are in one of the sets only; of k features at most 2k/n
    "hamming": DissimilarityMeasure(
        lambda shared, size, other, n: Fraction(size + other - 2 * shared, n),
        lambda tau, n: OverlapRule(Fraction(1, 2), -tau * n / 2),
    ),
}
BY_BOTH_SIZES = ("dice", "jaccard")


def overlap_rule(tau: float, dissimilarity: str, n_features: int) -> OverlapRule:
    """Return what a threshold lets two sets share.

    Parameters
    ----------
    tau : float
        In [0, 1], read as the nearest fraction with a denominator of at most 10⁶, so 0.9 means nine
        tenths.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
    n_features : int
        Of which the sets are part; it counts for the Hamming distance.

    Examples
    --------
    >>> overlap_rule(0.6, "dice", 10).fields(), overlap_rule(0.6, "jaccard", 10).fields()
    ({'shared_weight': 5, 'size_weight': 1}, {'shared_weight': 7, 'size_weight': 2})
    """
    threshold = Fraction(tau).limit_denominator(LARGEST_DENOMINATOR)
    return DISSIMILARITIES[dissimilarity].rule(threshold, n_features)


def max_overlap_for(k: int, tau: float, dissimilarity: str = "dice", n_features: int = 0) -> int:
    """Return the largest overlap of two sets of one size that are dissimilar enough.

    Dice and the overlap coefficient give ``⌊(1−τ)k⌋``, Jaccard ``⌊2k(1−τ)/(2−τ)⌋`` (paper 000, Eq. 8 and its
    Jaccard counterpart), the Hamming distance ``⌊k − τn/2⌋``. Parameters as for `overlap_rule`.

    Raises
    ------
    InputError
        If no two sets of that size are so dissimilar.

    Examples
    --------
    >>> max_overlap_for(10, 0.9), max_overlap_for(10, 0.2, "hamming", n_features=30)
    (1, 7)
    """
    most = overlap_rule(tau, dissimilarity, n_features).most_shared(k, k)
    if most < 0:
        largest = float(largest_tau_for(k, 0, dissimilarity, n_features))
        raise InputError(
            f"dissimilarity={tau!r}: must be at most {largest:.4g}, the {dissimilarity} distance of two sets "
            f"of {k} of {n_features} features that share none"
        )
    return most


def largest_tau_for(k: int, max_shared: int, dissimilarity: str, n_features: int = 0) -> Fraction:
    """Return the dissimilarity of two sets of one size that share `max_shared` features.

    It is the largest threshold for which `max_overlap_for` gives that overlap.

    Examples
    --------
    >>> largest_tau_for(5, 2, "dice")
    Fraction(3, 5)
    """
    return DISSIMILARITIES[dissimilarity].value(max_shared, k, k, n_features)


def least_dissimilarity(problem: Instance, sets: Family, dissimilarity: str) -> Fraction:
    """Return the minimum dissimilarity of any two sets, or of a set and a previous one."""
    members, others = [set(s) for s in sets], [set(s) for s in problem.previous]
    pairs = [*combinations(members, 2), *product(members, others)]
    value = DISSIMILARITIES[dissimilarity].value
    return min((value(len(a & b), len(a), len(b), problem.n_features) for a, b in pairs), default=Fraction(1))


def shared_limit(problem: Instance, size: int, other: int) -> int | None:
    """Return how many features two sets of these sizes may share; None if two such sets do not exist.

    A limit in proportion to sizes, such as for the Hamming distance, can be below 0 for small sets: then
    two sets of these sizes are not allowed at all, not even if they share nothing.

    Examples
    --------
    >>> far = {"shared_weight": 2, "size_weight": 1, "shared_constant": -3}
    >>> problem = Instance([3, 2, 1], n_sets=2, k=2, k_min=1, max_shared=2, **far)
    >>> shared_limit(problem, 2, 2), shared_limit(problem, 1, 1)
    (0, None)
    """
    limit = problem.max_shared
    if problem.shared_weight is not None and problem.size_weight is not None:
        sizes = 2 * min(size, other) if problem.shared_by_smaller else size + other
        limit = min(limit, (problem.size_weight * sizes + problem.shared_constant) // problem.shared_weight)
    return limit if limit >= 0 else None


def may_stand_together(problem: Instance, one: Collection[int], other: Collection[int]) -> bool:
    """Return whether two sets are dissimilar enough.

    Examples
    --------
    >>> problem = Instance([3, 2, 1], n_sets=2, k=2, max_shared=1)
    >>> may_stand_together(problem, (0, 1), (1, 2)), may_stand_together(problem, (0, 1), (1, 0))
    (True, False)
    """
    limit = shared_limit(problem, len(one), len(other))
    return limit is not None and len({*one} & {*other}) <= limit


def previous_limits(problem: Instance, size: int) -> list[int] | None:
    """Return how many features a set may share with each previous set; None if no set of this size may be.

    Examples
    --------
    >>> previous_limits(Instance([3, 2, 1], n_sets=1, k=2, max_shared=1, previous=[(0, 1)]), 2)
    [1]

    A set of one feature could share only −1 with another; larger sets may share nothing.

    >>> far = {"shared_weight": 2, "size_weight": 1, "shared_constant": -3, "previous": [(0,), (1, 2)]}
    >>> problem = Instance([3, 2, 1], n_sets=1, k=2, k_min=1, max_shared=2, **far)
    >>> previous_limits(problem, 1), previous_limits(problem, 2), may_be_equal(problem)
    (None, [0, 0], False)
    """
    limits = [shared_limit(problem, size, len(previous)) for previous in problem.previous]
    known = [limit for limit in limits if limit is not None]
    return known if len(known) == len(limits) else None


def may_be_equal(problem: Instance) -> bool:
    """Return whether two equal sets are allowed."""
    return any((shared_limit(problem, size, size) or 0) >= size for size in problem.sizes)
