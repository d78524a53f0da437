"""Mutual information by nearest neighbours, the numbers of scikit-learn's estimators without their trees.

In one dimension the neighbours of a value are next to it in order, and those within a distance are a window:
one sort of a column serves all its rows (Kraskov et al., Phys. Rev. E 69, 2004; Ross, PLoS ONE 9(2), 2014).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from pyfsel.measures.arrays import Array, Floats, Ints
from pyfsel.measures.contingency import x_log_x
from pyfsel.measures.parts import AT_ONCE, Parts
from pyfsel.measures.tables.entries import centred, column
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.checks import generator_of, integer_in

NOISE = 1e-10
"""Deviation of the noise that breaks ties, as in scikit-learn; a column has deviation 1."""


def information_with(
    columns: Columns,
    target: Array,
    discrete_target: bool,
    n_neighbors: int,
    random_state: Any,
    in_parts: Parts = AT_ONCE,
) -> Floats:
    """Return the mutual information of each column with a target, in nats.

    The same as ``mutual_info_classif`` or ``mutual_info_regression`` of centred columns, whose noise it has.
    In a class of fewer than ``2 · n_neighbors + 2`` rows scikit-learn compares squares of rounded
    differences; here distances are exact there, too. Between numbers and categories that all occur once (an
    identifier) no neighbours can be compared, and the information is 0.

    Parameters
    ----------
    columns : Columns
    target : array of shape (n_rows,)
    discrete_target : bool
    n_neighbors : int
        From 1.
    random_state : int, RandomState or None
        Seed of the noise that breaks ties.
    in_parts : Parts
        By column.
    """
    integer_in("n_neighbors", n_neighbors, 1, None)
    rng, X, is_discrete = generator_of(random_state), columns.X, columns.is_discrete
    noise, place = rng.standard_normal((X.shape[0], int((~is_discrete).sum()))), np.cumsum(~is_discrete) - 1
    if not discrete_target:
        target = _scaled(target.astype(np.float64)) + NOISE * rng.standard_normal(len(target))

    def arguments(j: int) -> tuple[Any, ...]:
        values = column(X, j)
        if not is_discrete[j]:
            values = _scaled(values) + NOISE * noise[:, place[j]]
        return values, target, bool(is_discrete[j]), discrete_target, n_neighbors

    return in_parts(between, X.shape[1], arguments)


def _scaled(numbers: Floats) -> Floats:
    """Return a column of mean 0 and deviation 1.

    scikit-learn leaves the mean, and adds noise in proportion to it, which drowns what varies far from 0.
    """
    apart = centred(numbers)
    deviation = apart.std()
    return np.asarray(apart / (deviation if deviation > 0 else 1.0))


def between(x: Array, y: Array, discrete_x: bool, discrete_y: bool, n_neighbors: int) -> float:
    """Return the information between two columns, of numbers with noise or of classes."""
    if discrete_x and discrete_y:
        return between_classes(x, y)
    if discrete_x:
        return with_classes(y, x, n_neighbors)
    return (with_classes if discrete_y else between_numbers)(x, y, n_neighbors)


def between_classes(x: Array, y: Array) -> float:
    """Return the information between two columns of classes.

    Examples
    --------
    >>> round(between_classes(np.array([0, 0, 1, 1]), np.array([5, 5, 7, 7])), 6)
    0.693147
    """
    (x, y), n = (np.unique(classes, return_inverse=True)[1] for classes in (x, y)), len(x)
    counts = (np.unique(codes, return_counts=True)[1] for codes in (x, y, x * n + y))
    of_x, of_y, of_both = (x_log_x(each).sum() for each in counts)
    return max(0.0, float(np.log(n) + (of_both - of_x - of_y) / n))


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
    if not several.any():
        return 0.0
    numbers, codes = numbers[several], codes[several]
    psi, neighbours = _digamma_to(len(numbers)), np.minimum(n_neighbors, counts - 1)
    radius = np.empty(len(numbers))
    for code in np.flatnonzero(counts > 1):
        inside = codes == code
        radius[inside] = np.nextafter(_distances(numbers[inside], int(neighbours[code])), 0)
    of_rows = psi[neighbours[codes]] - psi[counts[codes]] - psi[_within(numbers, radius)]
    return max(0.0, float(psi[-1] + of_rows.mean()))


def between_numbers(x: Floats, y: Floats, n_neighbors: int) -> float:
    """Return the information between two columns of numbers.

    If there are fewer neighbours than requested, as in small classes, all count.
    """
    n_neighbors = min(n_neighbors, len(x) - 1)
    radius, psi = np.nextafter(kth_distances(x, y, n_neighbors), 0), _digamma_to(len(x))
    of_rows = psi[_within(x, radius)] + psi[_within(y, radius)]
    return max(0.0, float(psi[-1] + psi[n_neighbors] - of_rows.mean()))


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


def _distances(values: Floats, k: int) -> Floats:
    """Return the distance of each of some values to its k-th neighbour.

    In order the k nearest are, for some s, the s values just before it and the k − s just after it.
    """
    order, n = np.argsort(values), len(values)
    ordered, nearest, found = values[order], np.full(n, np.inf), np.empty(n)
    for before in range(k + 1):
        middle = slice(before, n - k + before)
        farthest = np.maximum(ordered[middle] - ordered[: n - k], ordered[k:] - ordered[middle])
        nearest[middle] = np.minimum(nearest[middle], farthest)
    found[order] = nearest
    return found


def _within(values: Floats, radius: Floats) -> Ints:
    """Return how many of some values are within a radius of each, itself included."""
    order, found = np.argsort(values), np.empty(len(values), np.intp)
    ordered, radius = values[order], radius[order]
    found[order] = _above(ordered, radius) + _above(-ordered[::-1], radius[::-1])[::-1] + 1
    return found


def _above(ordered: Floats, radius: Floats) -> Ints:
    """Return how many of some increasing values are behind each one and at most a radius larger.

    The ends of the windows are found by rounded sums, and then moved until the differences say the same.
    """
    n = len(ordered)
    stop = np.searchsorted(ordered, ordered + radius, side="right")
    while (more := (stop < n) & (ordered[np.minimum(stop, n - 1)] - ordered <= radius)).any():
        stop += more
    while (fewer := ordered[stop - 1] - ordered > radius).any():
        stop -= fewer
    return np.asarray(stop - np.arange(1, n + 1))
