"""Mutual information of levels: beyond chance, the default measure, and of quantile bins as it is."""

from __future__ import annotations

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.measures.contingency import Coded, Contingency
from pyfsel.measures.tables.table import Columns, Table

ROUNDING = 1e-9
"""Information of less nats is none: rounding alone may have made it."""


def shared(counts: Coded, *, beyond_chance: bool = True, as_share: bool = False) -> Floats:
    """Return the information that columns share with the target or each other, at least 0.

    Parameters
    ----------
    counts : Coded
        A `Contingency` if it is about the target.
    beyond_chance : bool
        Whether what chance alone makes is subtracted.
    as_share : bool
        Whether it is divided by the mean of both entropies. Columns whose values all fall into one bin have
        none, and share nothing.
    """
    found = counts.information() if beyond_chance else counts.plain_information()
    found = np.where(found > ROUNDING, found, 0.0)
    if not as_share:
        return found
    both = counts.both_entropies()
    return np.minimum(2 * found / np.where(both > ROUNDING, both, 1.0), 1.0)


def information(table: Table, *, n_bins: int | None = None) -> Floats:
    """Mutual information with the target minus its expectation under chance, at least 0; no randomness.

    Numbers are put into 3 to 10 bins of about equally many rows, the cube root of the number of rows, but
    values of many rows have their own; a gap is a value (``missing="category"``). Of what the bins are too
    coarse for, such as many waves, ``mutual_info`` sees more.
    """
    return shared(Contingency.of(table, n_bins))


def information_pairs(columns: Columns, *, n_bins: int | None = None) -> Floats:
    """Mutual information of all pairs minus its expectation under chance, at least 0; symmetric."""
    return shared(Coded.of(columns, n_bins))


def co_information_pairs(table: Table, *, n_bins: int | None = None) -> Floats:
    """I(X_i; X_j) − I(X_i; X_j | Y) of all pairs, both beyond chance.

    It is negative if two features together are more informative about the target than the sum of both. With
    it, JMI and CIFE follow from `information` (`pyfsel.problem.objectives.JMI`). The information given the
    target is the mean over the target's categories, weighted by their rows.
    """
    levels, counts = Coded.of(table, n_bins), Contingency.of(table, n_bins)
    codes, weights, result = levels.codes[:, :], levels.weights, levels.information()
    for level in np.unique(counts.target):
        rows = (counts.target == level) & (True if weights is None else weights > 0)
        if rows.any():
            dense = [np.unique(column, return_inverse=True)[1] for column in codes[rows].T]
            of_level = Coded(
                np.column_stack(dense).astype(codes.dtype), None if weights is None else weights[rows]
            )
            result -= of_level.total / counts.total * of_level.information()
    return np.where(np.abs(result) > ROUNDING, result, 0.0)


def information_share(table: Table, *, n_bins: int | None = None) -> Floats:
    """Symmetrical uncertainty beyond chance: `information` relative to the mean of both entropies."""
    return shared(Contingency.of(table, n_bins), as_share=True)


def information_share_pairs(columns: Columns, *, n_bins: int | None = None) -> Floats:
    """Symmetrical uncertainty of all pairs beyond chance."""
    return shared(Coded.of(columns, n_bins), as_share=True)


def mutual_info_binned(table: Table, *, n_bins: int = 10) -> Floats:
    """Mutual information with the target after binning continuous columns into quantiles; no randomness."""
    return shared(Contingency.of(table, n_bins, in_quantiles=True), beyond_chance=False)


def mutual_info_binned_pairs(columns: Columns, *, n_bins: int = 10) -> Floats:
    """Mutual information of all pairs after binning continuous columns into quantiles; exactly symmetric."""
    return shared(Coded.of(columns, n_bins, in_quantiles=True), beyond_chance=False)


def symmetrical_uncertainty(table: Table, *, n_bins: int = 10) -> Floats:
    """Mutual information with the target relative to the mean of both entropies, in [0, 1] (binned)."""
    return shared(Contingency.of(table, n_bins, in_quantiles=True), beyond_chance=False, as_share=True)


def symmetrical_uncertainty_pairs(columns: Columns, *, n_bins: int = 10) -> Floats:
    """Mutual information of all pairs relative to the mean of both entropies, in [0, 1] (binned)."""
    return shared(Coded.of(columns, n_bins, in_quantiles=True), beyond_chance=False, as_share=True)
