"""Mutual information by nearest neighbours, the numbers of scikit-learn's estimators without their trees.

In one dimension the neighbours of a value stand beside it in order, and those within a distance are a window:
one sort of a column serves all its rows (Kraskov et al., Phys. Rev. E 69, 2004; Ross, PLoS ONE 9(2), 2014).
"""

from __future__ import annotations

from functools import lru_cache
from math import log
from typing import Any

import numpy as np

from pyfsel.measures.arrays import Array, Bools, Floats, Ints
from pyfsel.measures.parts import AT_ONCE, Parts
from pyfsel.measures.tables.entries import centred, column
from pyfsel.problem.checks import generator_of

NOISE = 1e-10
"""Deviation of the noise that breaks ties, as in scikit-learn; that of a column is 1."""


def information_with(
    X: Any,
    target: Array,
    *,
    is_discrete: Bools,
    discrete_target: bool,
    n_neighbors: int,
    random_state: Any,
    in_parts: Parts = AT_ONCE,
) -> Floats:
    """Return the mutual information of each column with a target, in nats.

    The same as ``mutual_info_classif`` or ``mutual_info_regression`` of centred columns, whose noise and
    order of summation it has. In a class of fewer than ``2 · n_neighbors + 2`` rows scikit-learn compares
    squares of rounded differences; here distances are exact there, too.

    Parameters
    ----------
    X : array or scipy.sparse.csc_array of shape (n_rows, n_features)
    target : array of shape (n_rows,)
    is_discrete : array of bool, shape (n_features,)
        Which columns hold categories.
    discrete_target : bool
    n_neighbors : int
    random_state : int, RandomState or None
        Seed of the noise that breaks ties.
    in_parts : Parts
        By column.
    """
    rng = generator_of(random_state)
    noise, place = rng.standard_normal((X.shape[0], int((~is_discrete).sum()))), np.cumsum(~is_discrete) - 1
    if not discrete_target:
        target = with_noise(target, rng)
    order = None if discrete_target else np.argsort(target)

    def arguments(j: int) -> tuple[Any, ...]:
        values = column(X, j)
        if not is_discrete[j]:
            values = _scaled(values) + NOISE * noise[:, place[j]]
        return values, target, bool(is_discrete[j]), discrete_target, n_neighbors, order

    return in_parts(between, X.shape[1], arguments)


def with_noise(numbers: Array, rng: np.random.RandomState) -> Floats:
    """Return a column scaled and with the noise that breaks ties."""
    scaled = _scaled(numbers.astype(np.float64))
    return scaled + NOISE * rng.standard_normal(len(scaled))


def _scaled(numbers: Floats) -> Floats:
    """Return columns, or one, of mean 0 and deviation 1.

    scikit-learn leaves the mean, and adds noise in proportion to it, which drowns what varies far from 0.
    """
    apart = centred(numbers)
    deviation = apart.std(axis=0)
    return np.asarray(np.divide(apart, np.where(deviation > 0, deviation, 1.0), out=apart))


def between(
    x: Floats,
    y: Array,
    discrete_x: bool,
    discrete_y: bool,
    n_neighbors: int,
    order: Ints | None = None,
) -> float:
    """Return the information between two columns, of numbers with noise or of classes.

    The order of the second one, of numbers, may be known already.
    """
    if discrete_x and discrete_y:
        return between_classes(x, y)
    if discrete_x:
        return with_classes(y, x, n_neighbors)
    if discrete_y:
        return with_classes(x, y, n_neighbors)
    return between_numbers(x, y, n_neighbors, order)


def between_classes(x: Array, y: Array) -> float:
    """Return the information between two columns of classes, summed in the order of `mutual_info_score`.

    Examples
    --------
    >>> round(between_classes(np.array([0, 0, 1, 1]), np.array([5, 5, 7, 7])), 6)
    0.693147
    """
    (x, sizes_x), (y, sizes_y) = (np.unique(c, return_inverse=True, return_counts=True)[1:] for c in (x, y))
    pairs, counts = np.unique(x * len(sizes_y) + y, return_counts=True)
    if len(sizes_x) == 1 or len(sizes_y) == 1:
        return 0.0
    in_x, in_y = np.divmod(pairs, len(sizes_y))
    shares, log_n = counts / len(x), log(len(x))
    apart = -np.log(sizes_x[in_x] * sizes_y[in_y]) + log_n + log_n
    terms = shares * (np.log(counts) - log_n) + shares * apart
    return float(max(0.0, np.where(np.abs(terms) < np.finfo(np.float64).eps, 0.0, terms).sum()))


def with_classes(numbers: Floats, classes: Array, n_neighbors: int) -> float:
    """Return the information between a column of numbers and one of classes; classes of one row are left out.

    Examples
    --------
    >>> numbers, classes = np.array([0.0, 0.1, 0.3, 5.0, 5.1, 5.3]), np.array([0, 0, 0, 1, 1, 1])
    >>> round(with_classes(numbers, classes, 1), 3)
    0.783
    """
    codes, counts = np.unique(classes, return_inverse=True, return_counts=True)[1:]
    several = counts[codes] > 1
    numbers, codes = numbers[several], codes[several]
    order = np.argsort(numbers, kind="stable")
    ordered, their_codes = numbers[order], codes[order]
    psi, neighbours = _digamma_to(len(numbers)), np.minimum(n_neighbors, counts - 1)
    radius = np.empty(len(numbers))
    for code in np.flatnonzero(counts > 1):
        inside = their_codes == code
        radius[inside] = np.nextafter(_distances(ordered[inside], int(neighbours[code])), 0)
    within = np.empty(len(numbers), np.intp)
    within[order] = _within(ordered, radius)
    total = psi[-1] + psi[neighbours[codes]].mean() - psi[counts[codes]].mean() - psi[within].mean()
    return max(0.0, float(total))


def between_numbers(
    x: Floats,
    y: Floats,
    n_neighbors: int,
    order: Ints | None = None,
) -> float:
    """Return the information between two columns of numbers, summed in the order of the rows.

    The order of the second column may be known already. Of fewer neighbours than asked for all count, as in
    small classes.
    """
    n_neighbors = min(n_neighbors, len(x) - 1)
    by_x, by_y = np.argsort(x), np.argsort(y) if order is None else order
    radius = np.nextafter(kth_distances(x, y, n_neighbors), 0)
    psi, within = _digamma_to(len(x)), np.empty(len(x), np.intp)
    total = psi[-1] + psi[n_neighbors]
    for values, by_value in ((x, by_x), (y, by_y)):
        within[by_value] = _within(values[by_value], radius[by_value])
        total -= psi[within].mean()
    return max(0.0, float(total))


def repeats(classes: Array) -> bool:
    """Return whether any class occurs twice; without that, rows of one class have no distances."""
    return len(np.unique(classes)) < len(classes)


@lru_cache(maxsize=4)
def _digamma_to(n: int) -> Floats:
    """Return ψ(0) … ψ(n), the first of which is not finite."""
    from scipy.special import digamma

    return np.asarray(digamma(np.arange(n + 1)))


def kth_distances(x: Floats, y: Floats, k: int) -> Floats:
    """Return the distance of each point to the k-th nearest other one, the larger of both differences.

    Examples
    --------
    >>> kth_distances(np.array([0.0, 1.0, 1.0, 5.0]), np.array([0.0, 0.5, 3.0, 5.0]), 2).tolist()
    [3.0, 2.5, 3.0, 4.5]
    """
    from scipy.spatial import KDTree

    points = np.column_stack([x, y])
    return np.asarray(KDTree(points).query(points, k=[k + 1], p=np.inf)[0][:, 0], dtype=np.float64)


def _distances(ordered: Floats, k: int) -> Floats:
    """Return the distance of each of some increasing values to its k-th neighbour.

    For some s, the k nearest are the s values just before it and the k − s just after it.
    """
    n = len(ordered)
    nearest = np.full(n, np.inf)
    for before in range(k + 1):
        after = k - before
        middle = slice(before, n - after)
        farthest = np.maximum(ordered[middle] - ordered[: n - k], ordered[k:] - ordered[middle])
        nearest[middle] = np.minimum(nearest[middle], farthest)
    return nearest


def _within(ordered: Floats, radius: Floats) -> Ints:
    """Return how many of some increasing values are within a radius of each, itself included.

    The ends of the windows are found by rounded sums, and then moved until the differences say the same.
    """
    n, last = len(ordered), len(ordered) - 1
    first = np.searchsorted(ordered, ordered - radius, side="left")
    stop = np.searchsorted(ordered, ordered + radius, side="right")
    while (more := (first > 0) & (ordered - ordered[first - 1] <= radius)).any():
        first -= more
    while (fewer := ordered - ordered[np.minimum(first, last)] > radius).any():
        first += fewer
    while (more := (stop < n) & (ordered[np.minimum(stop, last)] - ordered <= radius)).any():
        stop += more
    while (fewer := ordered[stop - 1] - ordered > radius).any():
        stop -= fewer
    return stop - first
