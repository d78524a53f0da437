"""Relief: how much more a feature differs between near rows of different targets than of the same target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pyfsel.measures.arrays import Floats, Ints
from pyfsel.measures.parts import AT_ONCE, Parts
from pyfsel.measures.registry import relevance
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import generator_of, integer_in

MOST_PARTS = 50


@relevance("relief", "Relief weight")
def relief(
    table: Table,
    *,
    random_state: Any = None,
    in_parts: Parts = AT_ONCE,
    n_neighbors: int = 10,
    n_samples: int = 500,
) -> Floats:
    """Return Relief weights, in [−1, 1]; irrelevant features are near 0 or below.

    Relief (paper 001, Algorithm 3) in its forms for several neighbours and classes (ReliefF) and for
    regression (RReliefF). Continuous features differ by their distance relative to the range, discrete ones
    by 0 or 1. With more than `n_samples` rows a random sample of them looks for its neighbours among all.
    """
    for argument, number in (("n_neighbors", n_neighbors), ("n_samples", n_samples)):
        integer_in(argument, number, 1, None)
    m = len(table.X)
    rows = np.arange(m)
    if m > n_samples:
        rows = np.sort(generator_of(random_state).choice(m, n_samples, replace=False))
    blocks = np.array_split(rows, min(MOST_PARTS, len(rows)))
    weigh = _class_sums if table.task == "classification" else _value_sums
    sums = in_parts(weigh, len(blocks), lambda i: (table, blocks[i], n_neighbors), "blocks of rows").sum(
        axis=0
    )
    return sums / len(rows) if table.task == "classification" else _value_weights(sums, len(rows))


def _class_sums(table: Table, rows: Ints, n_neighbors: int) -> Floats:
    """Return the sum of the weights that the neighbours of some rows give to each feature."""
    members = [np.flatnonzero(table.y == label) for label in range(len(table.classes))]
    share = np.array([len(m) for m in members]) / len(table.y)
    weights = np.zeros(table.n_features)
    for row, differences in zip(rows, _differences(table, rows), strict=True):
        own = int(table.y[row])
        for label, candidates in enumerate(members):
            others = candidates[candidates != row]
            if len(others):
                near = others[_nearest(differences[others], n_neighbors)]
                factor = -1.0 if label == own else share[label] / (1 - share[own])
                weights += factor * differences[near].mean(axis=0)
    return weights


def _value_sums(table: Table, rows: Ints, n_neighbors: int) -> Floats:
    """Return three sums over some rows: how much the targets of neighbours differ, the features, and both."""
    y = (table.y - table.y.min()) / np.ptp(table.y)
    sums = np.zeros((3, table.n_features))
    for row, differences in zip(rows, _differences(table, rows), strict=True):
        others = np.delete(np.arange(len(y)), row)
        near = others[_nearest(differences[others], n_neighbors)]
        distance = np.abs(y[near] - y[row])
        sums[0] += distance.mean()
        sums[1] += differences[near].mean(axis=0)
        sums[2] += (distance[:, None] * differences[near]).mean(axis=0)
    return sums


def _value_weights(sums: Floats, n_rows: int) -> Floats:
    apart, differing, both = sums
    alike = n_rows - apart
    given_apart = np.divide(both, apart, out=np.zeros_like(both), where=apart > 0)
    given_alike = np.divide(differing - both, alike, out=np.zeros_like(both), where=alike > 0)
    return np.asarray(given_apart - given_alike)


def _differences(table: Table, rows: Ints) -> Iterator[Floats]:
    """Yield for some rows how much every row differs from it in each feature, in [0, 1]."""
    spans = np.ptp(table.X, axis=0)
    for row in rows:
        distance = np.abs(table.X - table.X[row]) / spans
        yield np.where(table.is_discrete, distance > 0, distance)


def _nearest(differences: Floats, n_neighbors: int) -> Ints:
    return np.argsort(differences.sum(axis=1), kind="stable")[:n_neighbors]
