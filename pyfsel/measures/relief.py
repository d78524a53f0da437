"""Relief: how much more a feature differs between near rows of different targets than of the same target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.measures.registry import relevance
from pyfsel.problem.checks import integer_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.measures.tables.table import Table


@relevance("relief", "Relief weight")
def relief(
    table: Table, *, random_state: Any = None, n_neighbors: int = 10, n_samples: int = 500
) -> NDArray[np.float64]:
    """Return Relief weights, in [−1, 1]; irrelevant features are near 0 or below.

    Relief (paper 001, Algorithm 3) in its forms for several neighbours and classes (ReliefF) and for
    regression (RReliefF). Continuous features differ by their distance relative to the range, discrete ones
    by 0 or 1. With more than `n_samples` rows a random sample of them looks for its neighbours among all.
    """
    from sklearn.utils import check_random_state

    for argument, number in (("n_neighbors", n_neighbors), ("n_samples", n_samples)):
        integer_in(argument, number, 1, None)
    m = len(table.X)
    rows = np.arange(m)
    if m > n_samples:
        rows = np.sort(check_random_state(random_state).choice(m, n_samples, replace=False))
    weigh = _weigh_classes if table.task == "classification" else _weigh_values
    return weigh(table, rows, n_neighbors)


def _weigh_classes(table: Table, rows: NDArray[np.intp], n_neighbors: int) -> NDArray[np.float64]:
    members = [np.flatnonzero(table.y == label) for label in range(len(table.classes))]
    share = np.array([len(m) for m in members]) / len(table.y)
    weights = np.zeros(table.n_features)
    for row in rows:
        differences = _differences(table, row)
        own = int(table.y[row])
        for label, candidates in enumerate(members):
            others = candidates[candidates != row]
            if len(others):
                near = others[_nearest(differences[others], n_neighbors)]
                factor = -1.0 if label == own else share[label] / (1 - share[own])
                weights += factor * differences[near].mean(axis=0)
    return weights / len(rows)


def _weigh_values(table: Table, rows: NDArray[np.intp], n_neighbors: int) -> NDArray[np.float64]:
    y = table.y / np.ptp(table.y)
    apart = 0.0
    differing = np.zeros(table.n_features)
    both = np.zeros(table.n_features)
    for row in rows:
        differences = _differences(table, row)
        others = np.delete(np.arange(len(y)), row)
        near = others[_nearest(differences[others], n_neighbors)]
        distance = np.abs(y[near] - y[row])
        apart += distance.mean()
        differing += differences[near].mean(axis=0)
        both += (distance[:, None] * differences[near]).mean(axis=0)
    given_apart = both / apart if apart > 0 else np.zeros_like(both)
    alike = len(rows) - apart
    return np.asarray(given_apart - ((differing - both) / alike if alike > 0 else 0.0))


def _differences(table: Table, row: int) -> NDArray[np.float64]:
    """Return how much each row differs from one row in each feature, in [0, 1]."""
    distance = np.abs(table.X - table.X[row]) / np.ptp(table.X, axis=0)
    return np.asarray(np.where(table.is_discrete, distance > 0, distance))


def _nearest(differences: NDArray[np.float64], n_neighbors: int) -> NDArray[np.intp]:
    return np.argsort(differences.sum(axis=1), kind="stable")[:n_neighbors]
