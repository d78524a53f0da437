"""Information beyond chance: the default measure, for columns and targets of every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from pyfsel.measures.arrays import Array, Floats, Ints
from pyfsel.measures.contingency import (
    counts_of_levels,
    entropies,
    first_levels,
    joint_entropies,
    level_counts,
    x_log_x,
)
from pyfsel.measures.expected_information import expected_of_pairs, expected_with
from pyfsel.measures.levels import ENTRIES_AT_ONCE, level_codes, levels_of
from pyfsel.measures.registry import pairwise, relevance
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.tables.table import Columns, Table

ROUNDING = 1e-9
"""Information of less nats is none."""


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
    return _between(columns, n_bins)[0]


@pairwise("co_information", goes_with="information", sees_target=True, weighted=True, any_entries=True)
def co_information(table: Table, *, n_bins: int | None = None) -> Floats:
    """I(X_i; X_j) − I(X_i; X_j | Y) of all pairs, both beyond chance.

    Negative where two features tell more about the target together than apart. By it JMI and CIFE follow from
    `information` (`pyfsel.problem.objectives.Jmi`). The information given the target is the mean over its
    levels, by their rows.
    """
    codes, target = level_codes(table, n_bins)[:, :], _target_codes(table, n_bins)
    weights = table.weights
    result, _ = _beyond_chance(codes, weights)
    for level in np.unique(target):
        rows = target == level if weights is None else (target == level) & (weights > 0)
        if not rows.any():
            continue
        its_codes = [np.unique(column, return_inverse=True)[1] for column in codes[rows].T]
        its_weights, portion = None, rows.mean()
        if weights is not None:
            its_weights = weights[rows]
            portion = its_weights.sum() / weights.sum()
        result -= portion * _beyond_chance(np.column_stack(its_codes).astype(codes.dtype), its_weights)[0]
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
    return at_least_zero(2 * counts.information() / (counts.entropies() + counts.entropy_of_target()))


@pairwise("information_share", weighted=True, any_entries=True)
def information_share_pairs(columns: Columns, *, n_bins: int | None = None) -> Floats:
    """Symmetrical uncertainty of all pairs beyond chance."""
    found, single = _between(columns, n_bins)
    return 2 * found / (single[:, None] + single)


@dataclass(frozen=True, eq=False)
class Counts:
    """How often the levels of columns occur with those of a target.

    Attributes
    ----------
    starts : array of int, shape (n_features,)
        The first level of each column.
    counts : array of float, shape (n_levels, n_target_levels)
        Rows, or the sum of their weights.
    n_rows : int
        By their weights: as many rows of equal weight would be as exact, (Σ w)² / Σ w² (Kish).
    """

    starts: Ints
    counts: Floats
    n_rows: int

    @property
    def of_levels(self) -> Floats:
        """The rows of each level, shape (n_levels,)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def of_target(self) -> Floats:
        """The rows of each level of the target, shape (n_target_levels,)."""
        end = self.starts[1] if len(self.starts) > 1 else None
        return np.asarray(self.counts[:end].sum(axis=0))

    def information(self) -> Floats:
        """Return the information of each column with the target minus that of chance; may be negative."""
        return self.plain_information() - self.expected_information()

    def plain_information(self) -> Floats:
        """Return the information as the counts say it, in nats, shape (n_features,)."""
        joint = _entropy(self._by_column(x_log_x(self.counts).sum(axis=1)), self.of_target.sum())
        return np.asarray(self.entropies() + self.entropy_of_target() - joint)

    def expected_information(self) -> Floats:
        """Return the expected information of as many rows in random order, shape (n_features,)."""
        expected = expected_with(self._whole(self.of_levels), self._whole(self.of_target))
        return self._by_column(expected)

    def entropies(self) -> Floats:
        """Return the entropy of each column, shape (n_features,)."""
        return np.asarray(_entropy(self._by_column(x_log_x(self.of_levels)), self.of_target.sum()))

    def entropy_of_target(self) -> float:
        """Return the entropy of the target."""
        return float(_entropy(x_log_x(self.of_target).sum(), self.of_target.sum()))

    def by_level(self, of_columns: Floats) -> Floats:
        """Return what is of a column for each of its levels."""
        return np.repeat(of_columns, np.diff(self.starts, append=len(self.counts)))

    def _by_column(self, of_levels: Floats) -> Floats:
        return np.asarray(np.add.reduceat(of_levels, self.starts))

    def _whole(self, counts: Floats) -> Ints:
        """Return counts of `n_rows` in all for each column, from sums of weights."""
        return whole_counts(counts, self.n_rows / self.of_target.sum())


@dataclass(frozen=True, eq=False)
class Contingency(Counts):
    """The same of a table that is in memory, with its rows.

    Attributes
    ----------
    codes : array of int, shape (n_rows, n_features), or lanes
        The level of each entry, from 0 in each column.
    target : array of int, shape (n_rows,)
        Codes of the levels of the target.
    """

    codes: Ints | Lanes
    target: Ints

    def cells(self, some: slice) -> Ints:
        """Return the level of each entry of some columns, numbered over all of them."""
        return np.asarray(self.codes[:, some] + self.starts[some])

    @classmethod
    def of(cls, table: Table, n_bins: int | None = None) -> Contingency:
        """Count the rows of a table by levels, once while the table is there."""

        def counted() -> Contingency:
            codes = level_codes(table, n_bins)
            target, weights = _target_codes(table, n_bins), table.weights
            return cls.of_codes(codes, target, weights, effective_rows(codes, weights))

        return once(table, ("levels", n_bins), counted)

    @classmethod
    def of_codes(
        cls,
        codes: Ints | Lanes,
        target: Ints,
        weights: Floats | None = None,
        n_rows: int | None = None,
    ) -> Contingency:
        """Count rows of codes, each of which occurs in its column from 0 on."""
        (m, n), sizes, n_classes = codes.shape, level_counts(codes), int(target.max()) + 1
        at_once, counts = max(1, ENTRIES_AT_ONCE // m), []
        for some in (slice(first, first + at_once) for first in range(0, n, at_once)):
            its_sizes, rows = sizes[some], codes[:, some].T
            pairs = (rows + first_levels(its_sizes)[:, None]) * n_classes + target
            each = None if weights is None else np.tile(weights, len(rows))
            counts.append(np.bincount(pairs.ravel(), each, int(its_sizes.sum()) * n_classes))
        together = np.concatenate(counts).astype(np.float64).reshape(-1, n_classes)
        return cls(first_levels(sizes), together, n_rows or m, codes, target)


_COUNTED: WeakKeyDictionary[Columns, dict[Any, Contingency]] = WeakKeyDictionary()


def once(table: Columns, how: tuple[str, int | None], counted: Callable[[], Contingency]) -> Contingency:
    """Return what is counted of a table in some way, counted once while the table is there."""
    known = _COUNTED.setdefault(table, {})
    if how not in known:
        known[how] = counted()
    return known[how]


def known_codes(columns: Columns, how: tuple[str, int | None]) -> Any:
    """Return the codes of columns that were counted in some way already, None otherwise."""
    found = _COUNTED.get(columns, {}).get(how)
    return None if found is None else found.codes


def _between(columns: Columns, n_bins: int | None) -> tuple[Floats, Floats]:
    """Return the information of each pair beyond chance, at least 0, and the entropy of each column."""
    codes = known_codes(columns, ("levels", n_bins))
    codes = level_codes(columns, n_bins) if codes is None else codes
    found, single = _beyond_chance(codes, columns.row_weights)
    return at_least_zero(found), single


def _beyond_chance(codes: Ints | Lanes, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the information of each pair minus that of chance, maybe negative, and the entropies."""
    single, starts = entropies(codes, weights), first_levels(level_counts(codes))
    counts = np.concatenate(counts_of_levels(codes, weights))
    if weights is not None:
        counts = whole_counts(counts, effective_rows(codes, weights) / weights.sum())
    joint = joint_entropies(codes, None, weights)
    return single[:, None] + single - joint - expected_of_pairs(counts, starts), single


def effective_rows(codes: Array | Lanes, weights: Floats | None) -> int:
    """Return the number of rows, or how many of equal weight would be as exact (Kish)."""
    return len(codes) if weights is None else max(1, round(weights.sum() ** 2 / (weights**2).sum()))


def whole_counts(sums: Floats, factor: float) -> Ints:
    """Return whole numbers in the place of sums of weights, which add up to as many rows for each column.

    Sums from the first level on are rounded, and what is between them counts.
    """
    return np.asarray(np.diff(np.rint(sums.cumsum() * factor), prepend=0), dtype=np.int64)


def _target_codes(table: Table, n_bins: int | None) -> Ints:
    target = table.y if table.task == "classification" else levels_of(table.y, n_bins)
    return np.asarray(target, dtype=np.intp)


def at_least_zero(values: Floats) -> Floats:
    """Return information, or a share of it, that is none where rounding alone may have made it."""
    return np.where(values > ROUNDING, values, 0.0)


def _entropy(x_log_x: Any, total: float) -> Any:
    return np.log(total) - x_log_x / total
