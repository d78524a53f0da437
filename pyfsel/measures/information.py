"""Mutual information of levels: beyond chance, the default measure, and of quantile bins as it is."""

from __future__ import annotations

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.measures.contingency import Coded, Contingency
from pyfsel.measures.registry import pairwise, relevance
from pyfsel.measures.tables.table import Columns, Table

ROUNDING = 1e-9
"""Information of less nats is none."""
NO_ENTROPY = 1e-12


@relevance(
    "information", "nats of information beyond chance", weighted=True, any_entries=True, takes_gaps=True
)
def information(table: Table, *, n_bins: int | None = None) -> Floats:
    """Mutual information with the target minus its expectation under chance, at least 0; no randomness.

    Numbers are put into 3 to 10 bins of about equally many rows, the cube root of the number of rows, but
    values of many rows have their own; a gap is a value (``missing="category"``). Of what the bins are too
    coarse for, such as many waves, ``mutual_info`` sees more.
    """
    return at_least_zero(Contingency.of(table, n_bins).information())


@pairwise("information", weighted=True, any_entries=True)
def information_pairs(columns: Columns, *, n_bins: int | None = None) -> Floats:
    """Mutual information of all pairs minus its expectation under chance, at least 0; symmetric."""
    return at_least_zero(_beyond_chance(Coded.of(columns, n_bins)))


@pairwise("co_information", goes_with="information", sees_target=True, weighted=True, any_entries=True)
def co_information(table: Table, *, n_bins: int | None = None) -> Floats:
    """I(X_i; X_j) − I(X_i; X_j | Y) of all pairs, both beyond chance.

    It is negative if two features together are more informative about the target than the sum of both. With
    it, JMI and CIFE follow from `information` (`pyfsel.problem.objectives.JMI`). The information given the
    target is the mean over the target's categories, weighted by their rows.
    """
    counts = Contingency.of(table, n_bins)
    codes, weights, result = counts.codes[:, :], counts.weights, _beyond_chance(counts)
    for level in np.unique(counts.target):
        rows = (counts.target == level) & (True if weights is None else weights > 0)
        if rows.any():
            dense = [np.unique(column, return_inverse=True)[1] for column in codes[rows].T]
            of_level = Coded(
                np.column_stack(dense).astype(codes.dtype), None if weights is None else weights[rows]
            )
            result -= of_level.total / counts.total * _beyond_chance(of_level)
    return result


@relevance(
    "information_share",
    "share of both entropies beyond chance",
    weighted=True,
    any_entries=True,
    takes_gaps=True,
)
def information_share(table: Table, *, n_bins: int | None = None) -> Floats:
    """Symmetrical uncertainty beyond chance: `information` relative to the mean of both entropies."""
    counts = Contingency.of(table, n_bins)
    return at_least_zero(2 * counts.information() / counts.both_entropies())


@pairwise("information_share", weighted=True, any_entries=True)
def information_share_pairs(columns: Columns, *, n_bins: int | None = None) -> Floats:
    """Symmetrical uncertainty of all pairs beyond chance."""
    single = Coded.of(columns, n_bins).entropies()
    return 2 * information_pairs(columns, n_bins=n_bins) / (single[:, None] + single)


@relevance(
    "mutual_info_binned", "nats of mutual information with the target", weighted=True, any_entries=True
)
def mutual_info_binned(table: Table, *, n_bins: int = 10) -> Floats:
    """Mutual information with the target after binning continuous columns into quantiles; no randomness."""
    return np.maximum(Contingency.of(table, n_bins, in_quantiles=True).plain_information(), 0.0)


@pairwise("mutual_info_binned", weighted=True, any_entries=True)
def mutual_info_binned_pairs(columns: Columns, *, n_bins: int = 10) -> Floats:
    """Mutual information of all pairs after binning continuous columns into quantiles; exactly symmetric."""
    return np.maximum(Coded.of(columns, n_bins, in_quantiles=True).information_of_pairs(), 0.0)


@relevance("symmetrical_uncertainty", "share of both entropies", weighted=True, any_entries=True)
def symmetrical_uncertainty(table: Table, *, n_bins: int = 10) -> Floats:
    """Mutual information with the target relative to the mean of both entropies, in [0, 1] (binned)."""
    total = Contingency.of(table, n_bins, in_quantiles=True).both_entropies()
    return _uncertainty(mutual_info_binned(table, n_bins=n_bins), total)


@pairwise("symmetrical_uncertainty", weighted=True, any_entries=True)
def symmetrical_uncertainty_pairs(columns: Columns, *, n_bins: int = 10) -> Floats:
    """Mutual information of all pairs relative to the mean of both entropies, in [0, 1] (binned)."""
    single = Coded.of(columns, n_bins, in_quantiles=True).entropies()
    return _uncertainty(mutual_info_binned_pairs(columns, n_bins=n_bins), single[:, None] + single)


def _uncertainty(found: Floats, total: Floats) -> Floats:
    """Return 0 where both entropies are 0 but for rounding: columns whose values all fall into one bin."""
    informative = total > NO_ENTROPY
    return np.minimum(2 * found / np.where(informative, total, 1.0), 1.0) * informative


def _beyond_chance(levels: Coded) -> Floats:
    """Return the information of each pair minus what chance makes, maybe negative."""
    return levels.information_of_pairs() - levels.expected_of_pairs()


def at_least_zero(values: Floats) -> Floats:
    """Return information, or a share of it, that is none where rounding alone may have made it."""
    return np.where(values > ROUNDING, values, 0.0)
