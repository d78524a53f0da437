"""Information that chance alone makes: its expectation over all orders of the rows.

With given counts a of a level and b of another column's, the count K of both together is hypergeometric, and
the expected information is the sum over all pairs of levels of ``f(a, b) = E[K/n · ln(n K / (a b))]`` (Vinh,
Epps and Bailey, JMLR 11, 2010, Theorem 1 of its Section 3). It is computed once for equal pairs of counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from pyfsel.measures.arrays import Floats, Ints, slices

DEVIATIONS, EXTRA = 9, 12
"""Half the window of K around its mean; what lies outside has a probability below 1e-14."""
LARGE_MEAN = 10_000
"""Expected counts from which moments do: what they leave out is below 2e-9 of f(a, b)."""
PAIRS_AT_ONCE = 1024


def expected_cells(
    counts: Ints, others: Ints, n_rows: int, rounded: Callable[[Floats], Floats] = np.asarray
) -> Floats:
    """Return f(a, b) in nats for each a of some counts and b of others, shape (len(counts), len(others)).

    What is `rounded` is computed once for equal pairs of counts, too.

    Examples
    --------
    >>> float(expected_cells(np.array([2, 2]), np.array([2, 2]), 4).sum().round(6))
    0.231049
    """
    (few, rows), (many, places) = (np.unique(some, return_inverse=True) for some in (counts, others))
    low, high = (of_two(few[:, None], many) for of_two in (np.minimum, np.maximum))  # f is symmetric
    pairs, which = np.unique(low * np.uint64(n_rows + 1) + high.astype(np.uint64), return_inverse=True)
    a, b = (each.astype(np.float64) for each in np.divmod(pairs, np.uint64(n_rows + 1)))
    found, is_large = np.empty(len(a)), a * b >= LARGE_MEAN * n_rows
    if is_large.any():
        found[is_large] = _by_moments(a[is_large], b[is_large], n_rows)
    found[~is_large] = _by_windows(a[~is_large], b[~is_large], n_rows)
    return np.take(rounded(found)[which.reshape(low.shape)][rows], places, axis=1)


def _by_moments(a: Floats, b: Floats, n_rows: int) -> Floats:
    """Return f(a, b) by the central moments M of K, whose mean is μ: K ln(K/μ) as its Taylor series.

    ``E[K ln(K/μ)] = M₂/2μ − M₃/6μ² + M₄/12μ³ − …``; of M₄ the largest term is taken, 3 M₂². Summed over all
    levels of two columns of A and B the first terms are (A − 1)(B − 1)/2(n − 1).
    """
    mean, n = a * b / n_rows, float(n_rows)
    second = mean * (1 - a / n) * (1 - b / n) * n / (n - 1)
    third = second * (1 - 2 * a / n) * (1 - 2 * b / n) * n / (n - 2)
    return (second / mean / 2 - third / mean**2 / 6 + second**2 / mean**3 / 4) / n


def _by_windows(a: Floats, b: Floats, n_rows: int) -> Floats:
    """Return f(a, b) by all values that K has with some probability, windows of like width together."""
    mean = a * b / n_rows
    half = DEVIATIONS * np.sqrt(mean * (1 - a / n_rows) * (1 - b / n_rows)) + EXTRA
    low = np.maximum(np.maximum(0, a + b - n_rows), np.floor(mean - half))
    width = (np.minimum(np.minimum(a, b), np.ceil(mean + half)) - low + 1).astype(np.intp)
    found, order = np.empty(len(a)), np.argsort(width)
    for some in slices(len(order), PAIRS_AT_ONCE):
        like = order[some]
        found[like] = _window(a[like], b[like], low[like], width[like], n_rows)
    return found


def _window(
    a: Floats,
    b: Floats,
    low: Floats,
    width: Ints,
    n_rows: int,
) -> Floats:
    """Return the expectation over windows from `low` on.

    Probabilities come from the ratios of successive ones, which are exact but for rounding, and sum to 1:
    factorials of large numbers would lose digits. They are added one after another, so zeros behind a
    window, which the others of its group need, change nothing; a row of the arrays is a step of all windows,
    as rows are added quickly.
    """
    step = np.arange(int(width.max()))[:, None]
    k, inside = low + step, step < width
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log((a - k) * (b - k) / ((k + 1) * (n_rows - a - b + k + 1)))
        terms = np.where(inside & (k > 0), k / n_rows * np.log(k * n_rows / (a * b)), 0.0)
    logs = np.zeros_like(terms)
    np.where(inside[1:], ratio[:-1], -np.inf).cumsum(axis=0, out=logs[1:])
    weights = np.exp(logs - logs.max(axis=0))
    sums = [reduce(np.add, each) for each in (weights * terms, weights)]
    return np.asarray(sums[0] / sums[1])
