"""How dissimilar two sets are, by four measures, and how many features that lets sets of two sizes share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import Any

from pyfsel.errors import InputError

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


def largest_tau_for(k: int, max_shared: int, dissimilarity: str = "dice", n_features: int = 0) -> Fraction:
    """Return the dissimilarity of two sets of one size that share `max_shared` features.

    It is the largest threshold for which `max_overlap_for` gives that overlap.

    Examples
    --------
    >>> largest_tau_for(5, 2)
    Fraction(3, 5)
    """
    return DISSIMILARITIES[dissimilarity].value(max_shared, k, k, n_features)
