"""How much qualities would differ in another sample of rows: by the influence of each row.

The influence of a row is the derivative of a quality by its weight (the infinitesimal jackknife). Multiplied
by random numbers and added up, influences make errors as other samples would, for all columns together
(multiplier bootstrap): their deviation is the standard error of a quality, of a sum, or of a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.measures.contingency import bin_columns, bin_values
from pyfsel.measures.correlation import standardised
from pyfsel.measures.information import Contingency

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.measures.tables.table import Table

    Floats = NDArray[np.float64]

N_REPLICATES = 200
"""Deviations of so many are exact to about 5 %."""


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
    groups = None if table.groups is None else np.unique(table.groups, return_inverse=True)[1]
    n_units = len(table.y) if groups is None else int(groups.max()) + 1
    drawn = np.random.default_rng(seed).standard_normal((N_REPLICATES, n_units))
    place = 0
    for some in table.select(varying).blocks() if len(varying) else ():
        parts = _weighted(influence(some), table.weights)
        if groups is not None:
            rows, parts = parts, np.zeros((n_units, some.n_features))
            np.add.at(parts, groups, rows)
        columns = varying[place : place + some.n_features]
        errors[columns] = np.sqrt((parts**2).sum(axis=0))
        replicates[:, columns] = drawn @ parts
        place += some.n_features
    return errors, replicates


def _weighted(influence: Floats, weights: Floats | None) -> Floats:
    """Return the part that each row has in the error of each column."""
    shares = 1 / len(influence) if weights is None else (weights / weights.sum())[:, None]
    return np.asarray(influence * shares)


def influence_on_information(counts: Contingency) -> Floats:
    """Return the influence of each row on the information of each column, shape (n_rows, n_features)."""
    expected = counts.of_levels[:, None] * counts.of_target / counts.of_target.sum()
    occurs = counts.counts > 0
    logs = np.log(np.where(occurs, counts.counts, 1.0) / np.where(occurs, expected, 1.0))
    return np.asarray(logs[counts.cells, counts.target[:, None]] - counts.plain_information())


def _on_share(counts: Contingency, share: Floats) -> Floats:
    """Return the influence on 2 · information / entropies, of which `share` are the values."""
    total, rows = counts.entropies() + counts.entropy_of_target(), counts.of_target.sum()

    def surprise(sums: Floats) -> Floats:
        return np.asarray(-np.log(np.where(sums > 0, sums, rows) / rows))

    entropy = surprise(counts.of_levels)[counts.cells] + surprise(counts.of_target)[counts.target][:, None]
    return np.asarray((2 * influence_on_information(counts) - share * (entropy - total)) / total)


def _information(table: Table) -> Floats:
    return influence_on_information(Contingency.of(table))


def _information_share(table: Table) -> Floats:
    counts = Contingency.of(table)
    entropies = counts.entropies() + counts.entropy_of_target()
    return _on_share(counts, 2 * counts.information() / entropies)


def _binned(table: Table) -> Contingency:
    target = table.y if table.task == "classification" else bin_values(table.y, 10)
    return Contingency.of_codes(bin_columns(table, 10), np.asarray(target, dtype=np.intp), table.weights)


def _mutual_info_binned(table: Table) -> Floats:
    return influence_on_information(_binned(table))


def _symmetrical_uncertainty(table: Table) -> Floats:
    counts = _binned(table)
    entropies = counts.entropies() + counts.entropy_of_target()
    return _on_share(counts, 2 * counts.plain_information() / entropies)


def _pearson(table: Table) -> Floats:
    """Return the influence on |r|: sign(r) · (x y − r (x² + y²) / 2) of standardised values."""
    total = len(table.y) if table.weights is None else table.weights.sum()
    both = np.column_stack([table.X, table.y]).astype(np.float64)
    both = standardised(both, table.weights) * np.sqrt(total)
    if table.weights is not None:
        both /= np.sqrt(np.where(table.weights > 0, table.weights, 1.0))[:, None]
    x, y, each = both[:, :-1], both[:, -1:], 1.0 if table.weights is None else table.weights[:, None]
    r = (each * x * y).sum(axis=0) / total
    sign = np.where(r < 0, -1.0, 1.0)  # at r = 0 either is right: |r| moves as far
    return np.asarray(sign * (x * y - r * (x**2 + y**2) / 2))


INFLUENCES: dict[str, Callable[[Table], Floats]] = {
    "information": _information,
    "information_share": _information_share,
    "mutual_info_binned": _mutual_info_binned,
    "symmetrical_uncertainty": _symmetrical_uncertainty,
    "pearson": _pearson,
}
