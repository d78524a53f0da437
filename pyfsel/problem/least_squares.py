"""How much of a target a few columns explain by least squares, in exact rationals.

All numbers are correlations in units of 1/scale. A set whose best coefficients (of columns of length 1) add
up to more than `LARGEST_COEFFICIENTS` in absolute value, or whose columns depend on each other, explains 0:
such a fit is a difference of nearly equal columns, which no float carries, nor the table that it came from.

With that limit B on |β|₁, a change of each correlation by at most δ changes what a set explains,
max over β of 2cᵀβ − βᵀGβ, by at most (B² + 2B)·δ; this is what rounding to integers, and floats in a search,
can do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, log

LARGEST_COEFFICIENTS = 1000
SENSITIVITY = LARGEST_COEFFICIENTS**2 + 2 * LARGEST_COEFFICIENTS
"""By how much at most a set explains more if each correlation changes by 1."""
STEPS = 10**8
"""Proportions that differ by less than one of this many steps may count as equal."""
CRITERIA: dict[str, Callable[[int, int], float]] = {
    "adjusted_r2": lambda k, n_rows: (n_rows - 1) / (n_rows - k - 1),
    "aic": lambda k, n_rows: exp(2 * k / n_rows),
    "bic": lambda k, n_rows: exp(k * log(n_rows) / n_rows),
}
"""By what the unexplained share 1 − R² of k columns is multiplied so that sizes can be compared.

N·log(RSS/N) + 2k, the AIC, and N·log(RSS/N) + k·log(N), the BIC (Akaike 1974, Schwarz 1978), are least where
their exponential is, which is (1 − R²) · weight up to a factor that all sets share.
"""
DECIMALS = 10**9
"""Weights are rounded to nine decimals, so floats of any machine make the same integers of them."""


def size_weight(criterion: str | None, k: int, n_rows: int | None) -> Fraction:
    """Return by what 1 − R² of k columns is multiplied, 1 without a criterion.

    Examples
    --------
    >>> size_weight("adjusted_r2", 3, 13)
    Fraction(1333333333, 1000000000)
    """
    weight = 1.0 if criterion is None or n_rows is None else CRITERIA[criterion](k, n_rows)
    return Fraction(round(weight * DECIMALS), DECIMALS)


def coefficients(gram: Sequence[Sequence[int]], target: Sequence[int]) -> tuple[Sequence[int], int] | None:
    """Return numerators and denominator of G⁻¹c, exactly; None if they are not bounded as said above.

    Parameters
    ----------
    gram : rows of int, shape (k, k)
        Symmetric.
    target : sequence of int, length k

    Notes
    -----
    Elimination without fractions (Bareiss 1968): the pivots are the leading minors, so the matrix is
    positive definite if they are, and each division leaves no rest.

    Examples
    --------
    >>> coefficients([[100, 0], [0, 50]], [50, 10])
    ([2500, 1000], 5000)
    """
    rows = [[*row, c] for row, c in zip(gram, target, strict=True)]
    before = 1
    for i, own in enumerate(rows):
        pivot = own[i]
        if pivot <= 0:
            return None
        for r, row in enumerate(rows):
            if r != i:
                times = row[i]
                rows[r] = [(pivot * a - times * b) // before for a, b in zip(row, own, strict=True)]
        before = pivot
    solution = [row[-1] for row in rows]
    return None if sum(map(abs, solution)) > LARGEST_COEFFICIENTS * before else (solution, before)


def explained(gram: Sequence[Sequence[int]], target: Sequence[int]) -> int:
    """Return ⌊cᵀG⁻¹c⌋, exactly, or 0 if the coefficients G⁻¹c are not bounded as said above.

    Examples
    --------
    >>> explained([[100, 0], [0, 100]], [50, 10])
    26
    >>> explained([[100, 100], [100, 100]], [50, 10])
    0
    """
    found = coefficients(gram, target)
    if found is None:
        return 0
    solution, denominator = found
    return sum(c * x for c, x in zip(target, solution, strict=True)) // denominator
