"""Relevance scores of columns of a table without a target."""

from __future__ import annotations

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.measures.correlation import standardised
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import integer_in


def itself(table: Table) -> Floats:
    """1 for every column: that is how well it is represented by itself, for facility location."""
    return np.ones(table.n_features)


def laplacian_score(table: Table, *, n_neighbors: int = 5) -> Floats:
    """How much a column keeps the neighbourhoods of the rows: one minus the Laplacian score, at most 1.

    He, Cai and Niyogi 2005: rows are joined to their nearest neighbours in all standardised columns, with
    weights S = exp(−d²/t), where t is the mean of these d². With D the row sums of S, and the column f less
    its mean weighted by D, the score is fᵀ(D − S)f / fᵀDf; small is good, so here fᵀSf / fᵀDf is large.
    """
    from scipy.sparse import csr_array
    from sklearn.neighbors import NearestNeighbors

    n_rows = len(table.X)
    n_neighbors = integer_in("n_neighbors", n_neighbors, 1, n_rows - 1)
    X = standardised(table.X)
    distances, others = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors()
    squares = distances.ravel() ** 2
    weights = np.exp(-squares / max(squares.mean(), np.finfo(float).tiny))
    rows = np.repeat(np.arange(n_rows), n_neighbors)
    one_way = csr_array((weights, (rows, others.ravel())), shape=(n_rows, n_rows))
    S = one_way.maximum(one_way.T)
    degrees = S.sum(axis=1)
    X = X - degrees @ X / degrees.sum()
    spread = (degrees[:, None] * X**2).sum(axis=0)
    return np.asarray((X * (S @ X)).sum(axis=0) / np.where(spread > 0, spread, 1.0))
