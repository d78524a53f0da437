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

from pyfsel.measures.arrays import Floats, Ints
from pyfsel.measures.correlation import standardised
from pyfsel.measures.information import Contingency
from pyfsel.measures.mutual_info import binned
from pyfsel.measures.tables.entries import as_dense
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Table

Influence = Callable[[slice], Floats]

N_REPLICATES = 200
"""Deviations of so many are exact to about 5 %."""
N_TOGETHER, MANY_UNITS = 1024, 2**13
"""From so many rows on random runs of them are drawn as one. The parts of different rows are independent, so
the variance of sums over runs is the sum of their variances on average, and exact to 5%."""


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
    width = max(1, BLOCK_ENTRIES // len(table.y))
    of_columns = influence(table.varying)
    is_plain = groups is None and table.weights is None
    for some in (slice(first, first + width) for first in range(0, len(varying), width)):
        if isinstance(of_columns, ByLevels) and is_plain and runs is not None:
            errors[varying[some]], part = of_columns.summed(some, runs)
        else:
            part = _parts(of_columns(some), table.weights, groups, n_units)
            errors[varying[some]] = np.sqrt((part**2).sum(axis=0))
            if runs is not None:
                part = np.column_stack([np.bincount(runs, each, N_TOGETHER) for each in part.T])
        replicates[:, varying[some]] = drawn @ part
    return errors, replicates


def _parts(rows: Floats, weights: Floats | None, groups: Ints | None, n_units: int) -> Floats:
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


class ByLevels:
    """The influence of rows by their levels, on information or on a share of entropies.

    Parameters
    ----------
    counts : Contingency
    influence : array of float, shape (n_levels, n_target_levels)
    """

    def __init__(self, counts: Contingency, influence: Floats) -> None:
        self._counts, self._influence = counts, influence

    def __call__(self, some: slice) -> Floats:
        """Return the influence of each row on some columns."""
        return self._influence[self._counts.cells(some), self._counts.target[:, None]]

    def summed(self, some: slice, runs: Ints) -> tuple[Floats, Floats]:
        """Return the errors of some columns by their counts, and the part of each run of rows in them."""
        counts, parts, n_rows = self._counts, [], len(runs)
        squares = (counts.counts * self._influence**2).sum(axis=1)
        n_classes = counts.counts.shape[1]
        of_rows, n_cells = runs * n_classes + counts.target, N_TOGETHER * n_classes
        for column, first in zip(counts.codes[:, some].T, counts.starts[some], strict=True):
            n_levels = int(column.max()) + 1
            each = np.bincount(column.astype(np.intp) * n_cells + of_rows, minlength=n_levels * n_cells)
            its_own = self._influence[first : first + n_levels]
            parts.append(np.einsum("lrc,lc->r", each.reshape(n_levels, -1, n_classes), its_own) / n_rows)
        return np.sqrt(np.add.reduceat(squares, counts.starts)[some]) / n_rows, np.column_stack(parts)


def _by_levels(
    counted: Callable[[Table], Contingency], shared: Callable[[Contingency], Floats] | None, table: Table
) -> ByLevels:
    """Return the influence on information, or on a share of entropies, of rows by their levels."""
    counts = counted(table)
    return ByLevels(
        counts, influence_on_information(counts) if shared is None else _on_share(counts, shared(counts))
    )


def _pearson(table: Table) -> Influence:
    """Return the influence on |r|: sign(r) · (x y − r (x² + y²) / 2) of standardised values."""
    weights = np.ones(len(table.y)) if table.weights is None else table.weights
    total, roots = weights.sum(), np.sqrt(np.where(weights > 0, weights, 1.0))[:, None]

    def scaled(values: Floats) -> Floats:
        return np.asarray(standardised(values, table.weights) * np.sqrt(total) / roots)

    y = scaled(table.y[:, None].astype(np.float64))

    def of_columns(some: slice) -> Floats:
        x = scaled(np.asfortranarray(as_dense(table.X[:, some])))
        both = x * y
        r = weights @ both / total
        sign = np.where(r < 0, -1.0, 1.0)  # at r = 0 either is right: |r| moves as far
        return np.asarray(sign * (both - r * (x**2 + y**2) / 2))

    return of_columns


INFLUENCES: dict[str, Callable[[Table], Influence]] = {
    "information": partial(_by_levels, Contingency.of, None),
    "information_share": partial(_by_levels, Contingency.of, Contingency.information),
    "mutual_info_binned": partial(_by_levels, binned, None),
    "symmetrical_uncertainty": partial(_by_levels, binned, Contingency.plain_information),
    "pearson": _pearson,
}
