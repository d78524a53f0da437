"""How much of a target a few columns explain by least squares, in exact rationals.

All numbers are correlations in units of 1/scale. A set whose best coefficients (of columns of length 1) add
up to more than `LARGEST_COEFFICIENTS` in absolute value, or whose columns depend on each other, explains 0:
such a fit is a difference of nearly equal columns, which no float carries, nor the table that it came from.

With that limit B on |β|₁, a change of each correlation by at most δ changes what a set explains,
max over β of 2cᵀβ − βᵀGβ, by at most (B² + 2B)·δ; this is what rounding to integers, and floats in a search,
can do.
"""

from __future__ import annotations

from collections.abc import Sequence

LARGEST_COEFFICIENTS = 1000
SENSITIVITY = LARGEST_COEFFICIENTS**2 + 2 * LARGEST_COEFFICIENTS
"""By how much at most a set explains more if each correlation changes by 1."""
STEPS = 10**8
"""Shares that differ by less than one of so many steps may count as equal."""


def explained(gram: Sequence[Sequence[int]], target: Sequence[int]) -> int:
    """Return ⌊cᵀG⁻¹c⌋, exactly, or 0 where the coefficients G⁻¹c are not bounded as said above.

    Parameters
    ----------
    gram : rows of int, shape (k, k)
        Symmetric.
    target : sequence of int, length k

    Notes
    -----
    Elimination without fractions (Bareiss 1968): the pivots are the leading minors, so that the matrix is
    positive definite if they are, and each division leaves no rest.

    Examples
    --------
    >>> explained([[100, 0], [0, 100]], [50, 10])
    26
    >>> explained([[100, 100], [100, 100]], [50, 10])
    0
    """
    rows = [[*row, c] for row, c in zip(gram, target, strict=True)]
    before = 1
    for i, own in enumerate(rows):
        pivot = own[i]
        if pivot <= 0:
            return 0
        for r, row in enumerate(rows):
            if r != i:
                times = row[i]
                rows[r] = [(pivot * a - times * b) // before for a, b in zip(row, own, strict=True)]
        before = pivot
    solution = [row[-1] for row in rows]
    if sum(map(abs, solution)) > LARGEST_COEFFICIENTS * before:
        return 0
    return sum(c * x for c, x in zip(target, solution, strict=True)) // before
