"""How much qualities would differ in another sample of rows: by the influence of each row.

The influence of a row is the derivative of a quality by its weight (the infinitesimal jackknife). Multiplied
by random numbers and added up, influences make errors as other samples would, for all columns together
(multiplier bootstrap): their deviation is the standard error of a quality, of a sum, or of a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.arrays import Floats, Ints, slices
from pyfsel.measures.contingency import Contingency
from pyfsel.measures.correlation import standardised
from pyfsel.measures.tables.entries import as_dense
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Table

Influence = Callable[[slice], Floats]

N_REPLICATES = 200
"""Standard deviations of this many replicates are exact to about 5%."""
N_TOGETHER, MANY_UNITS = 1024, 2**13
"""From this many rows on, random runs of rows are drawn as one. The parts of different rows are independent,
so the variance of sums over runs is the sum of their variances on average, and exact to 5%."""


def errors_of(table: Table, measure: Any, seed: int = 0) -> tuple[Floats, NDArray[np.float32]] | None:
    """Return the standard error of each column's quality, and replicates of the errors of all together.

    Parameters
    ----------
    table : Table
        Rows of one group (``table.groups``) are drawn together.
    measure : str or another description
    seed : int

    Returns
    -------
    standard_errors : array of float, shape (n_features,)
    replicates : array of float, shape (200, n_features)
        None in place of both if the influence of rows on the measure is not known.
    """
    influence = INFLUENCES.get(measure) if isinstance(measure, str) else None
    if influence is None or (measure == "pearson" and len(table.classes) > 2):
        return None
    errors = np.zeros(table.n_features)
    replicates = np.zeros((N_REPLICATES, table.n_features), dtype=np.float32)
    varying = np.flatnonzero(~table.is_constant)
    if len(varying) == 0:
        return errors, replicates
    groups = None if table.groups is None else np.unique(table.groups, return_inverse=True)[1]
    n_units, rng = len(table.y) if groups is None else int(groups.max()) + 1, np.random.default_rng(seed)
    runs = rng.integers(N_TOGETHER, size=n_units) if n_units >= MANY_UNITS else None
    drawn = rng.standard_normal((N_REPLICATES, n_units if runs is None else N_TOGETHER))
    weights = np.ones(len(table.y)) if table.weights is None else table.weights
    of_columns = influence(table.varying)
    for some in slices(len(varying), BLOCK_ENTRIES // len(table.y)):
        part = of_columns(some)
        part *= (weights / weights.sum())[:, None]
        part = _summed(part, groups)
        errors[varying[some]] = np.sqrt(np.einsum("ij,ij->j", part, part))
        replicates[:, varying[some]] = drawn @ _summed(part, runs, N_TOGETHER)
    return errors, replicates


def _summed(rows: Floats, labels: Ints | None, n_labels: int = 0) -> Floats:
    """Return the sums of the rows of each label, if there are any."""
    if labels is None:
        return rows
    return np.column_stack([np.bincount(labels, column, n_labels) for column in rows.T])


def _by_levels(is_share: bool, table: Table, **levels: Any) -> Influence:
    """Return the influence on information, or on 2 · information / entropies, of rows by their levels."""
    counts = Contingency.of(table, **levels)
    expected = counts.of_levels[:, None] * counts.of_target / counts.total
    found = np.log(np.where(counts.counts > 0, counts.counts / np.where(expected > 0, expected, 1.0), 1.0))
    plain = counts.plain_information()
    found -= np.repeat(plain, counts.sizes)[:, None]
    if is_share:
        information = plain if levels else counts.information()
        both = counts.both_entropies()
        share, total = (np.repeat(each, counts.sizes)[:, None] for each in (2 * information / both, both))
        surprise = _surprise(counts.of_levels, counts.total)[:, None]
        surprise = surprise + _surprise(counts.of_target, counts.total)
        found = (2 * found - share * (surprise - total)) / total

    def of_columns(some: slice) -> Floats:
        return np.asarray(found[counts.codes[:, some] + counts.starts[some], counts.target[:, None]])

    return of_columns


def _surprise(sums: Floats, total: float) -> Floats:
    return np.asarray(-np.log(np.where(sums > 0, sums, total) / total))


def _pearson(table: Table) -> Influence:
    """Return the influence on |r|: sign(r) · (x y − r (x² + y²) / 2) of standardised values."""
    weights = np.ones(len(table.y)) if table.weights is None else table.weights
    total = weights.sum()
    of_rows = np.sqrt(total / np.where(weights > 0, weights, 1.0))[:, None]  # without the roots of weights
    y = standardised(table.y[:, None].astype(np.float64), table.weights) * of_rows

    def of_columns(some: slice) -> Floats:
        x = standardised(np.asfortranarray(as_dense(table.X[:, some])), table.weights)
        x *= of_rows
        both: Floats = x * y
        r = weights @ both / total
        x *= x
        x += y**2
        x *= r / 2
        both -= x
        both *= np.where(r < 0, -1.0, 1.0)  # at r = 0 either is right: |r| moves as far
        return both

    return of_columns


IN_TENTHS: Any = {"n_bins": 10, "in_quantiles": True}
INFLUENCES: dict[str, Callable[[Table], Influence]] = {
    "information": partial(_by_levels, False),
    "information_share": partial(_by_levels, True),
    "mutual_info_binned": partial(_by_levels, False, **IN_TENTHS),
    "symmetrical_uncertainty": partial(_by_levels, True, **IN_TENTHS),
    "pearson": _pearson,
}
