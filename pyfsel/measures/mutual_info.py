"""Mutual information in nats by nearest neighbours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.measures.neighbours import information_with
from pyfsel.measures.parts import AT_ONCE, Parts
from pyfsel.measures.registry import pairwise, relevance
from pyfsel.measures.tables.table import Columns, Table
from pyfsel.problem.checks import generator_of

AnyColumns = TypeVar("AnyColumns", bound="Columns")


@relevance("mutual_info", "nats of mutual information with the target", any_entries=True)
def mutual_info(
    table: Table, *, random_state: Any = None, in_parts: Parts = AT_ONCE, n_neighbors: int = 3
) -> Floats:
    """Mutual information with the target by nearest neighbours (the numbers of scikit-learn's estimators).

    The estimator breaks ties by tiny random noise, so the values depend on the seed, by about 1e-3 of the
    sum of all qualities.
    """
    is_discrete = table.task == "classification"
    return information_with(table, table.y, is_discrete, n_neighbors, random_state, in_parts)


@pairwise("mutual_info")
def mutual_info_pairs(
    columns: Columns, *, random_state: Any = None, in_parts: Parts = AT_ONCE, n_neighbors: int = 3
) -> Floats:
    """Mutual information of every ordered pair by nearest neighbours, one column as target after another.

    Slightly asymmetric, since each direction draws its own noise to break ties (by up to 0.01 on
    breast_cancer with its 569 rows, 0.04 on wine with 178); `make_instance` averages the two. Each column has
    its own seed drawn from `random_state`, so the result does not depend on which columns are measured
    together. A few hundred features take minutes, with `mutual_info_binned` a fraction of a second.
    """
    seeds = generator_of(random_state).randint(np.iinfo(np.int32).max, size=columns.n_features)
    return in_parts(_with_column, columns.n_features, lambda i: (columns, i, int(seeds[i]), n_neighbors)).T


@relevance(
    "mutual_info_numeric", "nats of mutual information with the target", any_entries=True, uses_order=True
)
def mutual_info_numeric(
    table: Table, *, random_state: Any = None, in_parts: Parts = AT_ONCE, n_neighbors: int = 3
) -> Floats:
    """Mutual information by nearest neighbours with every column as a number, and the class codes too.

    So the experiments of paper 000 measure it, whatever the columns hold.
    """
    y = table.y.astype(float)
    return information_with(_numeric(table), y, False, n_neighbors, random_state, in_parts)


@pairwise("mutual_info_numeric", uses_order=True)
def mutual_info_numeric_pairs(
    columns: Columns, *, random_state: Any = None, in_parts: Parts = AT_ONCE, n_neighbors: int = 3
) -> Floats:
    """Mutual information of every ordered pair as `mutual_info` estimates it, every column as a number."""
    return mutual_info_pairs(
        _numeric(columns), random_state=random_state, in_parts=in_parts, n_neighbors=n_neighbors
    )


def _numeric(columns: AnyColumns) -> AnyColumns:
    return replace(columns, is_discrete=np.zeros_like(columns.is_discrete))


def _with_column(columns: Columns, i: int, seed: int, n_neighbors: int) -> Floats:
    return information_with(columns, columns.X[:, i], bool(columns.is_discrete[i]), n_neighbors, seed)
