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

from pyfsel.measures.correlation import standardised
from pyfsel.measures.information import Contingency
from pyfsel.measures.mutual_info import binned
from pyfsel.measures.tables.entries import as_dense
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Table

Floats = NDArray[np.float64]
Influence = Callable[[slice], Floats]

N_REPLICATES = 200
"""Deviations of so many are exact to about 5 %."""
N_TOGETHER, MANY_UNITS = 4096, 2**15
"""From so many rows on runs of them are drawn together."""
NUMBERS_AT_ONCE = 2**25
"""Random ones, 256 MB."""


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
    n_units = len(table.y) if groups is None else int(groups.max()) + 1
    of_columns, rng = influence(table.varying), np.random.default_rng(seed)
    together = _drawn_together(n_units, rng)
    n_drawn = n_units if together is None else N_TOGETHER
    at_once = max(1, NUMBERS_AT_ONCE // n_drawn)
    width = max(1, BLOCK_ENTRIES // len(table.y))
    blocks = [slice(first, first + width) for first in range(0, len(varying), width)]
    for first in range(0, N_REPLICATES, at_once):
        drawn = rng.standard_normal((min(at_once, N_REPLICATES - first), n_drawn))
        for some in blocks:
            part = _parts(of_columns(some), table.weights, groups, n_units)
            errors[varying[some]] = np.sqrt((part**2).sum(axis=0))
            if together is not None:
                order, begins = together
                part = np.add.reduceat(part[order], begins)
            replicates[first : first + at_once, varying[some]] = drawn @ part
    return errors, replicates


def _drawn_together(
    n_units: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Return an order of many units and where each run begins that is drawn as one; None of few units.

    The parts of different units are independent, so the variance of sums over random runs is the sum of
    their variances on average, and exact to 2%.
    """
    if n_units < MANY_UNITS:
        return None
    return rng.permutation(n_units), np.linspace(0, n_units, N_TOGETHER, endpoint=False).astype(np.intp)


def _parts(rows: Floats, weights: Floats | None, groups: NDArray[np.intp] | None, n_units: int) -> Floats:
    """Return the part that each row, or each group of them, has in the error of each column."""
    rows = rows * (1 / len(rows) if weights is None else (weights / weights.sum())[:, None])
    if groups is None:
        return rows
    together = np.zeros((n_units, rows.shape[1]))
    np.add.at(together, groups, rows)
    return together


def influence_on_information(counts: Contingency) -> Floats:
    """Return the influence of a row on the information of a column, by their levels, shaped as the counts."""
    expected = counts.of_levels[:, None] * counts.of_target / counts.of_target.sum()
    occurs = counts.counts > 0
    logs = np.log(np.where(occurs, counts.counts, 1.0) / np.where(occurs, expected, 1.0))
    return np.asarray(logs - counts.by_level(counts.plain_information())[:, None])


def _on_share(counts: Contingency, information: Floats) -> Floats:
    """Return the influence on 2 · information / entropies."""
    total, rows = counts.entropies() + counts.entropy_of_target(), counts.of_target.sum()
    share, total = (counts.by_level(each)[:, None] for each in (2 * information / total, total))

    def surprise(sums: Floats) -> Floats:
        return np.asarray(-np.log(np.where(sums > 0, sums, rows) / rows))

    entropy = surprise(counts.of_levels)[:, None] + surprise(counts.of_target)
    return np.asarray((2 * influence_on_information(counts) - share * (entropy - total)) / total)


def _by_levels(
    counted: Callable[[Table], Contingency], shared: Callable[[Contingency], Floats] | None, table: Table
) -> Influence:
    """Return the influence on information, or on a share of entropies, of rows by their levels."""
    counts = counted(table)
    influence = influence_on_information(counts) if shared is None else _on_share(counts, shared(counts))
    return lambda some: influence[counts.cells(some), counts.target[:, None]]


def _pearson(table: Table) -> Influence:
    """Return the influence on |r|: sign(r) · (x y − r (x² + y²) / 2) of standardised values."""
    total = len(table.y) if table.weights is None else table.weights.sum()
    each = 1.0 if table.weights is None else table.weights[:, None]

    def of_columns(some: slice) -> Floats:
        both = np.column_stack([as_dense(table.X[:, some]), table.y])
        both = standardised(both, table.weights) * np.sqrt(total)
        if table.weights is not None:
            both /= np.sqrt(np.where(table.weights > 0, table.weights, 1.0))[:, None]
        x, y = both[:, :-1], both[:, -1:]
        r = (each * x * y).sum(axis=0) / total
        sign = np.where(r < 0, -1.0, 1.0)  # at r = 0 either is right: |r| moves as far
        return np.asarray(sign * (x * y - r * (x**2 + y**2) / 2))

    return of_columns


INFLUENCES: dict[str, Callable[[Table], Influence]] = {
    "information": partial(_by_levels, Contingency.of, None),
    "information_share": partial(_by_levels, Contingency.of, Contingency.information),
    "mutual_info_binned": partial(_by_levels, binned, None),
    "symmetrical_uncertainty": partial(_by_levels, binned, Contingency.plain_information),
    "pearson": _pearson,
}
