"""Relief: how much more a feature differs between near rows of different targets than of the same target."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyfsel.measures.arrays import Bools, Floats, Ints
from pyfsel.measures.parts import in_parts
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import generator_of, integer_in

MOST_PARTS = 50


def relief(
    table: Table,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
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
    rows, is_classes = np.arange(len(table.X)), table.task == "classification"
    if len(rows) > n_samples:
        rows = np.sort(generator_of(random_state).choice(len(rows), n_samples, replace=False))
    blocks, weigh = np.array_split(rows, min(MOST_PARTS, len(rows))), _by_class if is_classes else _by_value
    sums = in_parts(weigh, len(blocks), lambda i: (table, blocks[i], n_neighbors), n_jobs, "blocks of rows")
    found = np.asarray(sums.sum(axis=0))
    if is_classes:
        return found / len(rows)
    apart, differing, both = found
    alike = len(rows) - apart
    given_apart = np.divide(both, apart, out=np.zeros_like(both), where=apart > 0)
    given_alike = np.divide(differing - both, alike, out=np.zeros_like(both), where=alike > 0)
    return np.asarray(given_apart - given_alike)


def _by_class(table: Table, rows: Ints, n_neighbors: int) -> Floats:
    """Return the sum of the weights that the neighbours of some rows give to each feature."""
    share, weights = np.bincount(table.y) / len(table.y), np.zeros(table.n_features)
    spans = np.ptp(table.X, axis=0)
    for row in rows:
        own = table.y[row]
        for label in range(len(share)):
            near = _nearest(table, spans, row, table.y == label, n_neighbors)[1]
            if len(near):
                factor = -1.0 if label == own else share[label] / (1 - share[own])
                weights += factor * near.mean(axis=0)
    return weights


def _by_value(table: Table, rows: Ints, n_neighbors: int) -> Floats:
    """Return three sums over some rows: how much the targets of neighbours differ, the features, and both."""
    y, sums = (table.y - table.y.min()) / np.ptp(table.y), np.zeros((3, table.n_features))
    spans, every = np.ptp(table.X, axis=0), np.ones(len(y), dtype=bool)
    for row in rows:
        others, near = _nearest(table, spans, row, every, n_neighbors)
        apart = np.abs(y[others] - y[row])
        sums += [
            np.full(table.n_features, apart.mean()),
            near.mean(axis=0),
            (apart[:, None] * near).mean(axis=0),
        ]
    return sums


def _nearest(table: Table, spans: Floats, row: int, among: Bools, n_neighbors: int) -> tuple[Ints, Floats]:
    """Return the nearest others of a row among some, and how much each feature differs there, in [0, 1]."""
    others = np.flatnonzero(among)
    others = others[others != row]
    apart = np.abs(table.X[others] - table.X[row]) / spans
    apart = np.where(table.is_discrete, apart > 0, apart)
    near = np.argsort(apart.sum(axis=1), kind="stable")[:n_neighbors]
    return others[near], apart[near]
