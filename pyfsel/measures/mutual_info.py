"""Mutual information in nats by nearest neighbours: scikit-learn's estimators, with fewer trees.

In one dimension the values within a distance of one are a window: one sort of a column serves all its rows
(Kraskov et al., Phys. Rev. E 69, 2004; Ross, PLoS ONE 9(2), 2014).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from pyfsel.measures.arrays import Array, Floats, Ints
from pyfsel.measures.parts import in_parts
from pyfsel.measures.tables.entries import centred, column
from pyfsel.measures.tables.table import Columns, Table
from pyfsel.problem.checks import generator_of, integer_in

NOISE = 1e-10
"""Deviation of the noise that breaks ties, as in scikit-learn; a column has deviation 1."""
AnyColumns = TypeVar("AnyColumns", bound="Columns")


def _with_target(
    is_numeric: bool,
    table: Table,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    n_neighbors: int = 3,
) -> Floats:
    """Return mutual information with the target by nearest neighbours (the numbers of scikit-learn).

    The estimator breaks ties by tiny random noise, so the values depend on the seed, by about 1e-3 of the
    sum of all qualities. If `is_numeric`, every column and the target are numbers.
    """
    has_classes = table.task == "classification" and not is_numeric
    columns, y = (_numeric(table), table.y.astype(float)) if is_numeric else (table, table.y)
    return information_with(columns, y, has_classes, n_neighbors, random_state, n_jobs)


def _of_pairs(
    is_numeric: bool,
    columns: Columns,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    n_neighbors: int = 3,
) -> Floats:
    """Return mutual information of every ordered pair by nearest neighbours, one column after another.

    Slightly asymmetric, since each direction draws its own noise to break ties (by up to 0.01 on
    breast_cancer with its 569 rows, 0.04 on wine with 178); `make_instance` averages the two. Each column has
    its own seed drawn from `random_state`, so the result does not depend on which columns are measured
    together. A few hundred features take minutes, with `mutual_info_binned` a fraction of a second.
    """
    columns = _numeric(columns) if is_numeric else columns
    columns = columns if columns.coded is None else columns.dense()  # read once, not by each process
    seeds = generator_of(random_state).randint(np.iinfo(np.int32).max, size=columns.n_features)
    return in_parts(
        _with_column, columns.n_features, lambda i: (columns, i, int(seeds[i]), n_neighbors), n_jobs
    ).T


mutual_info = partial(_with_target, False)
mutual_info_pairs = partial(_of_pairs, False)
mutual_info_numeric = partial(_with_target, True)
"""So the experiments of paper 000 measure it, whatever the columns hold: as numbers, the class codes too."""
mutual_info_numeric_pairs = partial(_of_pairs, True)


def _numeric(columns: AnyColumns) -> AnyColumns:
    return replace(columns, is_discrete=np.zeros_like(columns.is_discrete))


def _with_column(columns: Columns, i: int, seed: int, n_neighbors: int) -> Floats:
    return information_with(columns, column(columns.X, i), bool(columns.is_discrete[i]), n_neighbors, seed)


def information_with(
    columns: Columns,
    target: Array,
    discrete_target: bool,
    n_neighbors: int,
    random_state: Any,
    n_jobs: int | None = None,
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
    n_jobs : int, optional
        Processes; each gets some of the columns.
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

    return in_parts(between, X.shape[1], arguments, n_jobs)


def _scaled(numbers: Floats) -> Floats:
    """Return a column of mean 0 and deviation 1.

    scikit-learn leaves the mean, and adds noise in proportion to it, which drowns what varies far from 0.
    """
    apart = centred(numbers)
    deviation = apart.std()
    return apart / (deviation if deviation > 0 else 1.0)


def between(x: Array, y: Array, discrete_x: bool, discrete_y: bool, n_neighbors: int) -> float:
    """Return the information between two columns, of numbers with noise or of classes."""
    if discrete_x and discrete_y:
        from sklearn.metrics import mutual_info_score

        return max(0.0, float(mutual_info_score(x, y)))
    if discrete_x:
        return with_classes(y, x, n_neighbors)
    return (with_classes if discrete_y else between_numbers)(x, y, n_neighbors)


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
        radius[inside] = np.nextafter(_kth_apart(numbers[inside], int(neighbours[code])), 0)
    of_rows = psi[neighbours[codes]] - psi[counts[codes]] - psi[_within(numbers, radius)]
    return max(0.0, float(psi[-1] + of_rows.mean()))


def between_numbers(x: Floats, y: Floats, n_neighbors: int) -> float:
    """Return the information between two columns of numbers.

    If there are fewer neighbours than requested, as in small classes, all count.
    """
    n_neighbors = min(n_neighbors, len(x) - 1)
    points, psi = np.column_stack([x, y]), _digamma_to(len(x))
    radius = np.nextafter(kth_distances(points, n_neighbors), 0)
    of_rows = psi[_within(x, radius)] + psi[_within(y, radius)]
    return max(0.0, float(psi[-1] + psi[n_neighbors] - of_rows.mean()))


@lru_cache(maxsize=4)
def _digamma_to(n: int) -> Floats:
    """Return ψ(0) … ψ(n), the first of which is not finite."""
    from scipy.special import digamma

    return np.asarray(digamma(np.arange(n + 1)))


def kth_distances(points: Floats, k: int) -> Floats:
    """Return the distance of each point to the k-th nearest other one, the largest of its differences.

    Examples
    --------
    >>> kth_distances(np.array([[0.0, 0.0], [1.0, 0.5], [1.0, 3.0], [5.0, 5.0]]), 2).tolist()
    [3.0, 2.5, 3.0, 4.5]
    """
    from scipy.spatial import KDTree

    return np.asarray(KDTree(points).query(points, k=[k + 1], p=np.inf)[0][:, 0], dtype=np.float64)


def _kth_apart(values: Floats, k: int) -> Floats:
    """Return the distance of each value to the k-th nearest other one.

    Among values in their order, it and its k nearest ones are one of the runs of k + 1 that contain it: the
    one whose farther end is nearest.
    """
    order, found, n = np.argsort(values), np.full(len(values), np.inf), len(values)
    own = values[order]
    padded = np.pad(own, k, constant_values=(-np.inf, np.inf))
    for begin in range(k + 1):
        first, last = padded[begin : begin + n], padded[begin + k : begin + k + n]
        found = np.minimum(found, np.maximum(own - first, last - own))
    return found[np.argsort(order)]


def _within(values: Floats, radius: Floats) -> Ints:
    """Return how many of some values are within a radius of each, itself included."""
    order, found = np.argsort(values), np.empty(len(values), np.intp)
    ordered, radius = values[order], radius[order]
    found[order] = _above(ordered, radius) + _above(-ordered[::-1], radius[::-1])[::-1] + 1
    return found


def _above(ordered: Floats, radius: Floats) -> Ints:
    """Return how many of some increasing values are behind each one and at most a radius larger.

    The ends of the windows are found by sums rounded up, and then moved back until the differences say so.
    """
    stop = np.searchsorted(ordered, np.nextafter(ordered + radius, np.inf), side="right")
    while (fewer := ordered[stop - 1] - ordered > radius).any():
        stop -= fewer
    return stop - np.arange(1, len(ordered) + 1)
