"""Mutual information in nats, by nearest neighbours or by bins, and symmetrical uncertainty."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from pyfsel.measures.arrays import Array, Bools, Floats
from pyfsel.measures.contingency import entropies, joint_entropies
from pyfsel.measures.information import Contingency, known_codes, once
from pyfsel.measures.levels import bin_columns, bin_values
from pyfsel.measures.neighbours import information_with, repeats
from pyfsel.measures.parts import AT_ONCE, Parts
from pyfsel.measures.registry import pairwise, relevance
from pyfsel.measures.tables.table import Columns, Table
from pyfsel.problem.checks import generator_of, integer_in

AnyColumns = TypeVar("AnyColumns", bound="Columns")
NO_ENTROPY = 1e-12


@relevance("mutual_info", "nats of mutual information with the target", any_entries=True)
def mutual_info(
    table: Table, *, random_state: Any = None, in_parts: Parts = AT_ONCE, n_neighbors: int = 3
) -> Floats:
    """Mutual information with the target by nearest neighbours (the numbers of scikit-learn's estimators).

    The estimator breaks ties by tiny random noise, so the values depend on the seed, by about 1e-3 of the
    sum of all qualities.
    """
    is_discrete = table.task == "classification"
    return _estimate(table, table.y, is_discrete, n_neighbors, random_state, in_parts)


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
    return _estimate(_numeric(table), table.y.astype(float), False, n_neighbors, random_state, in_parts)


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
    column = columns.X[:, i]
    is_discrete = bool(columns.is_discrete[i])
    target = np.unique(column, return_inverse=True)[1] if is_discrete else column
    return _estimate(columns, target, is_discrete, n_neighbors, seed)


def _estimate(
    columns: Columns,
    target: Array,
    is_discrete: bool,
    n_neighbors: int,
    random_state: Any,
    in_parts: Parts = AT_ONCE,
) -> Floats:
    """Return the information of the columns that have any with the target, 0 for the others."""
    n_neighbors = integer_in("n_neighbors", n_neighbors, 1, None)
    estimable = _estimable(columns, target, is_discrete)
    information = np.zeros(columns.n_features)
    if not estimable.any():
        return information
    chosen = columns.select(np.flatnonzero(estimable))
    information[estimable] = information_with(
        chosen.X,
        target,
        is_discrete=chosen.is_discrete,
        discrete_target=is_discrete,
        n_neighbors=n_neighbors,
        random_state=random_state,
        in_parts=in_parts,
    )
    return information


def _estimable(columns: Columns, target: Array, is_discrete: bool) -> Bools:
    """Return which columns have neighbours to compare: rows of one category, if target or column has any.

    Between numbers and categories that all occur once (an identifier) there are none; their information gets
    the value 0.
    """
    if is_discrete:
        return np.asarray(columns.is_discrete | repeats(target))
    estimable = ~columns.is_discrete
    for j in np.flatnonzero(columns.is_discrete):
        estimable[j] = repeats(columns.column(int(j)))
    return np.asarray(estimable)


@relevance(
    "mutual_info_binned", "nats of mutual information with the target", weighted=True, any_entries=True
)
def mutual_info_binned(table: Table, *, n_bins: int = 10) -> Floats:
    """Mutual information with the target after binning continuous columns into quantiles; no randomness."""
    return _with_target(table, n_bins)[0]


@pairwise("mutual_info_binned", weighted=True, any_entries=True)
def mutual_info_binned_pairs(columns: Columns, *, n_bins: int = 10) -> Floats:
    """Mutual information of all pairs after binning continuous columns into quantiles; exactly symmetric."""
    information, _ = _between(columns, n_bins)
    return information


@relevance("symmetrical_uncertainty", "share of both entropies", weighted=True, any_entries=True)
def symmetrical_uncertainty(table: Table, *, n_bins: int = 10) -> Floats:
    """Mutual information with the target relative to the mean of both entropies, in [0, 1] (binned)."""
    return _uncertainty(*_with_target(table, n_bins))


@pairwise("symmetrical_uncertainty", weighted=True, any_entries=True)
def symmetrical_uncertainty_pairs(columns: Columns, *, n_bins: int = 10) -> Floats:
    """Mutual information of all pairs relative to the mean of both entropies, in [0, 1] (binned)."""
    return _uncertainty(*_between(columns, n_bins))


def binned(table: Table, n_bins: int = 10) -> Contingency:
    """Return how often quantile bins, or values of discrete columns, occur with those of the target."""

    def counted() -> Contingency:
        weights = table.weights
        target = table.y if table.task == "classification" else bin_values(table.y, n_bins, weights)
        codes = bin_columns(table, n_bins, weights)
        return Contingency.of_codes(codes, np.asarray(target, dtype=np.intp), weights)

    return once(table, ("bins", n_bins), counted)


def _with_target(table: Table, n_bins: int) -> tuple[Floats, Floats]:
    """Return, for each feature, its mutual information with the target and the sum of both entropies."""
    counts = binned(table, n_bins)
    total = counts.entropies() + counts.entropy_of_target()
    return np.maximum(counts.plain_information(), 0.0), total


def _between(columns: Columns, n_bins: int) -> tuple[Floats, Floats]:
    """Return, for each pair of features, their mutual information and the sum of both entropies."""
    weights = columns.row_weights
    codes = known_codes(columns, ("bins", n_bins))
    codes = bin_columns(columns, n_bins, weights) if codes is None else codes
    joint = joint_entropies(codes, None, weights)
    single = entropies(codes, weights)
    total = single[:, None] + single[None, :]
    information = np.subtract(total, joint, out=joint)
    return np.maximum(information, 0.0, out=information), total


def _uncertainty(information: Floats, total: Floats) -> Floats:
    """Return 0 where both entropies are 0 but for rounding: columns whose values all fall into one bin."""
    informative = total > NO_ENTROPY
    return np.minimum(2 * information / np.where(informative, total, 1.0), 1.0) * informative
