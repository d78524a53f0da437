"""Mutual information of levels: beyond chance, the default measure, and of quantile bins as it is.

What is measured of each column with the target, from a `Contingency`, is measured of pairs of columns in the
same way, from what is `Coded`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pyfsel.measures.arrays import Floats
from pyfsel.measures.contingency import Coded, Contingency
from pyfsel.measures.tables.table import Columns, Table

ROUNDING = 1e-9
"""Information of less nats is none: rounding alone may have made it."""


def _beyond_chance(
    kind: type[Coded], as_share: bool, columns: Columns, *, n_bins: int | None = None
) -> Floats:
    """Return mutual information minus its expectation under chance, at least 0; no randomness.

    Numbers are put into 3 to 10 bins of about equally many rows, the cube root of the number of rows, but
    values of many rows have their own; a gap is a value (``missing="category"``). Of what the bins are too
    coarse for, such as many waves, ``mutual_info`` sees more.
    """
    counts = kind.of(columns, n_bins)
    return _shared(counts, counts.information(), as_share)


def _in_quantiles(kind: type[Coded], as_share: bool, columns: Columns, *, n_bins: int = 10) -> Floats:
    """Return mutual information after binning continuous columns into quantiles; no randomness."""
    counts = kind.of(columns, n_bins, in_quantiles=True)
    return _shared(counts, counts.plain_information(), as_share)


def _shared(counts: Coded, found: Floats, as_share: bool) -> Floats:
    """Return information without what rounding makes, or its share of the mean of both entropies.

    Columns whose values all fall into one bin have no entropy, and share nothing.
    """
    found = np.where(found > ROUNDING, found, 0.0)
    if not as_share:
        return found
    both = counts.both_entropies()
    return np.minimum(2 * found / np.where(both > ROUNDING, both, 1.0), 1.0)


information = partial(_beyond_chance, Contingency, False)
information_pairs = partial(_beyond_chance, Coded, False)
information_share = partial(_beyond_chance, Contingency, True)
"""Symmetrical uncertainty beyond chance, in [0, 1]."""
information_share_pairs = partial(_beyond_chance, Coded, True)
mutual_info_binned = partial(_in_quantiles, Contingency, False)
mutual_info_binned_pairs = partial(_in_quantiles, Coded, False)
symmetrical_uncertainty = partial(_in_quantiles, Contingency, True)
"""Relative to the mean of both entropies, in [0, 1]."""
symmetrical_uncertainty_pairs = partial(_in_quantiles, Coded, True)


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
