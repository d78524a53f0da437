"""How much qualities would differ in another sample of rows: by the influence of each row.

The influence of a row is the derivative of a quality by its weight (the infinitesimal jackknife). Multiplied
by random numbers and added up, influences make errors as other samples would, for all columns and pairs of
columns together (multiplier bootstrap): their deviation is the standard error of a quality, of a sum, or of
a difference. What follows from qualities and pairs, such as R², has their errors times its derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.arrays import Floats, Ints, one_thread, slices
from pyfsel.measures.contingency import Contingency, first_levels
from pyfsel.measures.correlation import standardised
from pyfsel.measures.tables.entries import as_dense, drawn_rows
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Table

ROUNDING = 1e-12
"""Smaller errors are none: rounding alone makes them, of columns without any influence."""
Influence = Callable[[Table, slice, int | None], Floats]
"""Returns the influence of rows, up to a constant, on what some columns share with the target or a column."""

N_REPLICATES = 200
"""Standard deviations of this many replicates are exact to about 5%."""
N_TOGETHER, MANY_UNITS = 1024, 2**13
"""From this many rows on, random runs of rows are drawn as one. The parts of different rows are independent,
so the variance of sums over runs is the sum of their variances on average, and exact to 5%."""


def _drawn(table: Table, seed: int, n_replicates: int) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Return what makes standard errors and their replicates of the influence of rows.

    It draws the same random numbers for all columns and pairs, one for each row, group or run of these.
    """
    groups = None if table.groups is None else np.unique(table.groups, return_inverse=True)[1]
    n_units, rng = len(table.y) if groups is None else int(groups.max()) + 1, np.random.default_rng(seed)
    runs = rng.integers(N_TOGETHER, size=n_units) if n_replicates and n_units >= MANY_UNITS else None
    numbers = rng.standard_normal((n_replicates, n_units if runs is None else N_TOGETHER))
    shares = None if table.weights is None else table.weights / table.weights.sum()

    def errors(influence: Floats) -> tuple[Floats, Floats]:
        influence -= influence.mean(axis=0) if shares is None else shares @ influence
        influence *= 1 / len(influence) if shares is None else shares[:, None]
        part = influence if groups is None else _summed(influence, groups)
        found = np.sqrt(np.einsum("ij,ij->j", part, part))
        found[found < ROUNDING] = 0
        part = part if runs is None else _summed(part, runs, N_TOGETHER)
        with one_thread():  # a product of narrow matrices
            return found, numbers @ part * (found > 0)

    return errors


def errors_of(
    table: Table, measure: Any, seed: int = 0, n_replicates: int = N_REPLICATES
) -> tuple[Floats, NDArray[np.float32]] | None:
    """Return the standard error of each column's quality, and replicates of the errors of all together.

    Parameters
    ----------
    table : Table
        Rows of one group (``table.groups``) are drawn together.
    measure : str or another description
    seed : int
    n_replicates : int
        0 for standard errors only, in less time.

    Returns
    -------
    standard_errors : array of float, shape (n_features,)
    replicates : array of float, shape (n_replicates, n_features)
        None in place of both if the influence of rows on the measure is not known.
    """
    if not is_known(table, measure):
        return None
    errors = np.zeros(table.n_features)
    replicates = np.zeros((n_replicates, table.n_features), dtype=np.float32)
    varying = np.flatnonzero(~table.is_constant)
    if len(varying):
        drawn, influence = _drawn(table, seed, n_replicates), INFLUENCES[measure]
        for some in slices(len(varying), BLOCK_ENTRIES // len(table.y)):
            errors[varying[some]], replicates[:, varying[some]] = drawn(influence(table.varying, some, None))
    return errors, replicates


def pair_errors(
    table: Table,
    columns: Ints,
    measures: tuple[str, str],
    factors: tuple[float, float],
    seed: int,
    features: Sequence[int],
) -> tuple[Floats, Floats]:
    """Return replicates of the errors of some features and of their pairs, by the same random numbers.

    Of many rows without groups 4,096 say how much the influence of rows varies, to about 2%.

    Parameters
    ----------
    table : Table
    columns : array of int
        The column of each feature of the problem.
    measures : tuple of str
        Of features and of pairs, both known (`is_known`).
    factors : tuple of float
        By what numbers of features and of pairs are multiplied in the problem.
    seed : int
    features : sequence of int

    Returns
    -------
    errors : array of float, shape (200, n)
    of_pairs : array of float, shape (200, n, n)
    """
    chosen, n = columns[list(features)], len(features)
    errors, of_pairs = np.zeros((N_REPLICATES, n)), np.zeros((N_REPLICATES, n, n))
    varying = np.flatnonzero(~table.is_constant[chosen])
    if not len(varying):
        return errors, of_pairs
    some, share, rows = table.select(chosen[varying]), 1.0, drawn_rows(len(table.y))
    if table.groups is None and len(rows) < len(table.y):
        some, share = some.at(rows), (len(rows) / len(table.y)) ** 0.5
    drawn, by, by_pairs = _drawn(some, seed, N_REPLICATES), *(share * each for each in factors)
    of_features, influence, every = INFLUENCES[measures[0]], OF_PAIRS[measures[1]], slice(None)
    with one_thread():  # products of narrow matrices
        errors[:, varying] = by * drawn(of_features(some, every, None))[1]
        for place, j in enumerate(varying):
            of_pairs[:, varying, j] = by_pairs * drawn(influence(some, every, place))[1]
            of_pairs[:, j, j] = 0
    return errors, of_pairs


def is_known(table: Table, measure: Any, pairs: str | None = None) -> bool:
    """Return whether the influence of rows is known for a measure, and for one of pairs."""
    if not isinstance(measure, str) or measure not in INFLUENCES or (pairs and pairs not in OF_PAIRS):
        return False
    return pairs != "" and not (measure == "pearson" and len(table.classes) > 2)


def _summed(rows: Floats, labels: Ints, n_labels: int = 0) -> Floats:
    """Return the sums of the rows of each label."""
    return np.column_stack([np.bincount(labels, column, n_labels) for column in rows.T])


def _by_levels(is_share: bool, table: Table, some: slice, j: int | None, **levels: Any) -> Floats:
    """Return the influence of rows on information, or on its share of both entropies, by their levels."""
    counts = Contingency.of(table, **levels)
    counts = counts if j is None else replace(counts, target=counts.codes[:, j])
    if not is_share:
        return _of_counts(counts, some)
    return _of_counts(counts, some, counts.plain_information() if levels else counts.information())


def _of_counts(counts: Contingency, some: slice, shared: Floats | None = None) -> Floats:
    """Return of each row by how much its cell is above what independence makes of it, in logarithms.

    Information is the mean of these over the rows. Its share of both entropies, if what is `shared` is given
    (beyond chance or not), is the ratio of two means.
    """
    x, y, both = (
        -np.log(np.where(sums > 0, sums, 1) / counts.total)
        for sums in (counts.of_levels[:, None], counts.of_target, counts.counts)
    )
    found = x + y - both
    if shared is not None:
        entropies = counts.both_entropies()
        total, share = (np.repeat(each, counts.sizes)[:, None] for each in (entropies, shared / entropies))
        found = 2 * (found - share * (x + y)) / total
    own = np.split(found, first_levels(counts.sizes)[1:])
    columns = range(len(own))[some]
    influence = np.empty((len(columns), len(counts.codes)))
    for row, j in zip(influence, columns, strict=True):
        np.take(own[j], counts.cells(j), out=row, mode="clip")  # without a mode, through a copy
    return influence.T


def _co_information(table: Table, some: slice, j: Any) -> Floats:
    """Return the influence on I(X_i; Y) + I(X_j; Y) − I(X_i, X_j; Y); a pair is one column of its levels."""
    counts = Contingency.of(table)
    both = counts.codes[:, :].astype(np.intp) * counts.sizes[j] + counts.codes[:, [j]]
    single, of_both = (_of_counts(each, some) for each in (counts, replace(counts, codes=both)))
    return single + single[:, [j]] - of_both


def _by_products(is_signed: bool, table: Table, some: slice, j: int | None) -> Floats:
    """Return the influence on |r| or, with its sign, on r: x y − r (x² + y²) / 2 of standardised values."""
    weights = np.ones(len(table.y)) if table.weights is None else table.weights
    of_rows = np.sqrt(weights.sum() / np.where(weights > 0, weights, 1.0))[:, None]  # without their roots
    given = table.y[:, None] if j is None else as_dense(table.X[:, [j]])
    x, y = (
        of_rows * standardised(np.asfortranarray(values, np.float64), table.weights)
        for values in (as_dense(table.X[:, some]), given)
    )
    both = x * y
    r = weights @ both / weights.sum()
    both -= r / 2 * (x**2 + y**2)
    return np.asarray(
        both * (1.0 if is_signed else np.where(r < 0, -1.0, 1.0))
    )  # at r = 0 either: |r| moves as far


IN_TENTHS: Any = {"n_bins": 10, "in_quantiles": True}
INFLUENCES: dict[str, Influence] = {
    "information": partial(_by_levels, False),
    "information_share": partial(_by_levels, True),
    "mutual_info_binned": partial(_by_levels, False, **IN_TENTHS),
    "symmetrical_uncertainty": partial(_by_levels, True, **IN_TENTHS),
    "pearson": partial(_by_products, False),
    "signed_pearson": partial(_by_products, True),
}
OF_PAIRS: dict[str, Influence] = {**INFLUENCES, "co_information": _co_information}
