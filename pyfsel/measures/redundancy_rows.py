"""Redundancies of tables with too many columns to measure all pairs, in exact integers."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.arrays import Array, Floats, Ints, slices
from pyfsel.measures.contingency import Coded, by_pair
from pyfsel.measures.correlation import BITS_OF_LENGTH, ranks, whole_numbers
from pyfsel.measures.expected_information import expected_cells
from pyfsel.measures.levels import bin_columns, level_codes
from pyfsel.measures.tables.entries import as_dense
from pyfsel.measures.tables.table import Columns
from pyfsel.measures.threads import one_thread
from pyfsel.problem.redundancies import LazyRedundancy

BITS_OF_INFORMATION = 30
MOST_ROWS = 10**8
"""Sums of more could be beyond 64 bits."""
COUNTS_AT_ONCE = 2**21
PAIRS_OF_ROWS_A_SECOND = 4 * 10**9
COLUMNS_AT_ONCE = 4096
USER_SCALE = 10**6


class OfColumns(LazyRedundancy):
    """Redundancies of columns, some of which these are."""

    _columns: Array

    @property
    def n_features(self) -> int:
        return len(self._columns)

    def _among(self, features: Ints) -> Self:
        return self._changed(_columns=self._columns[features])

    def scaled(self, largest: int, bound: float = 1.0) -> Self:
        return self._changed(largest=largest, bound=bound)

    def _changed(self, **attributes: Any) -> Self:
        """Return the same with other attributes, and nothing computed so far."""
        found = copy(self)
        vars(found).update(attributes)
        return found


class Products(OfColumns):
    """Absolute products of columns: |Pearson| of columns of mean 0 and length 1.

    Columns are rounded to integers of length 2²⁶, so every sum of products of entries of two of them is
    below 2⁵³ in absolute value (Cauchy–Schwarz): in floating point it is exact in whatever order, and by
    whatever library, it is added up. The absolute value is divided by 2⁵² and scaled, in two roundings.

    Parameters
    ----------
    columns : array, shape (n_features, n_rows)
        Whole numbers, each row of a length of about 2²⁶, or 0.
    """

    def __init__(self, columns: NDArray[np.int32]) -> None:
        super().__init__(USER_SCALE)
        self._columns = columns

    @classmethod
    def of(cls, columns: Columns, scored: Callable[[Floats], Floats] = np.asarray) -> Self:
        """Return the absolute correlations of what a function makes of columns; 0 for constant ones."""
        whole = np.empty(columns.X.shape[::-1], np.int32)
        for some in slices(len(whole), COLUMNS_AT_ONCE):
            whole[some] = whole_numbers(scored(as_dense(columns.X[:, some]))).T
        whole[columns.is_constant] = 0
        return cls(whole)

    @classmethod
    def of_ranks(cls, columns: Columns) -> Self:
        """Return the absolute correlations of the ranks of the columns; 0 for constant ones."""
        return cls.of(columns, ranks)

    def _rows(self, features: Ints, start: int, stop: int) -> NDArray[np.int32]:
        rows, chosen = (
            np.empty((len(features), stop - start), np.int32),
            self._columns[features].astype(float),
        )
        for some in slices(stop - start, COLUMNS_AT_ONCE):
            others = self._columns[start:stop][some].astype(float)
            with one_thread():
                rows[:, some] = self._rounded(chosen @ others.T)
        return rows

    def _entries(self, features: Ints, others: Ints) -> NDArray[np.int64]:
        first, second = (self._columns[chosen].astype(np.int64) for chosen in (features, others))
        return self._rounded((first * second).sum(axis=1)).astype(np.int64)

    def _rounded(self, products: Array) -> Floats:
        shares = np.abs(products) * (self.largest / 2.0 ** (2 * BITS_OF_LENGTH))
        return np.asarray(np.minimum(np.rint(shares), self.largest))


def fixed_point(numbers: Array) -> Ints:
    """Return numbers in multiples of 2⁻³⁰, whose sums do not depend on their order."""
    return np.asarray(np.rint(numbers * 2.0**BITS_OF_INFORMATION), dtype=np.int64)


def weighted_logs(counts: Ints) -> Ints:
    """Return c · ln c of each count c, 0 for 0, in multiples of 2⁻³⁰."""
    return fixed_point(counts * np.log(np.maximum(counts, 1)))


class Information(OfColumns):
    """Mutual information of columns of few levels, divided by the largest entropy of any column.

    With f(c) = c · ln c the information of two columns of m rows is ``Σ f(c_ab) − Σ f(c_a) − Σ f(c_b) +
    f(m)``, divided by m, over the counts of pairs of levels and of levels. f is rounded to multiples of 2⁻³⁰,
    and its sums are exact. What chance alone makes of two levels, which depends on their counts only, is
    rounded as f is; the information beyond it is at least 0.

    Parameters
    ----------
    levels : Coded
    is_beyond_chance : bool
    """

    def __init__(self, levels: Coded, is_beyond_chance: bool) -> None:
        self._levels, self._is_beyond_chance, self._n_rows = levels, is_beyond_chance, levels.n_rows
        self._columns = np.arange(len(levels.sizes))
        self._own = levels.by_column(weighted_logs(levels.of_levels))
        self._rows_of = np.split(levels.of_levels, levels.starts[1:])
        self._of_all = int(weighted_logs(np.array(self._n_rows)))
        self._most = self._of_all - int(self._own.min())
        super().__init__(USER_SCALE, self._most / 2.0**BITS_OF_INFORMATION / self._n_rows)
        self.entries_at_once = min(self.entries_at_once, PAIRS_OF_ROWS_A_SECOND // self._n_rows + 1)

    @classmethod
    def of(cls, columns: Columns, n_bins: int = 10) -> Self:
        """Return the information between columns, the continuous ones in quantile bins."""
        return cls(Coded(bin_columns(columns, n_bins)), False)

    @classmethod
    def beyond_chance(cls, columns: Columns, n_bins: int | None = None) -> Self:
        """Return the information beyond chance between columns (`pyfsel.measures.information`)."""
        return cls(Coded(level_codes(columns, n_bins)), True)

    def _rows(self, features: Ints, start: int, stop: int) -> NDArray[np.int32]:
        columns, others, sizes = self._columns[features], self._columns[start:stop], self._levels.sizes
        n_parts = int(sizes[columns].sum() * sizes[others].sum()) // COUNTS_AT_ONCE + 1
        parts = np.array_split(others, min(n_parts, len(others)))  # not the rows: lanes are read once so
        return np.hstack([self._between(columns, part) for part in parts]).astype(np.int32)

    def _entries(self, features: Ints, others: Ints) -> NDArray[np.int64]:
        entries = np.empty(len(features), np.int64)
        for feature in np.unique(features):
            which = features == feature
            second, places = np.unique(others[which], return_inverse=True)
            entries[which] = self._between(self._columns[[feature]], self._columns[second])[0, places]
        return entries

    def _between(self, columns: Ints, others: Ints) -> Ints:
        """Return the entries of some columns of the table with others."""
        sums = weighted_logs(self._levels.counter.count(others.tolist(), columns.tolist()))
        if self._is_beyond_chance:
            sums -= self._expected(columns, others)
        found = by_pair(sums, self._levels.sizes[columns], self._levels.sizes[others])
        found += self._of_all - self._own[columns][:, None] - self._own[others]
        shares = np.maximum(found, 0) * (self.largest / max(self._most, 1))
        return np.asarray(np.minimum(np.rint(shares), self.largest), dtype=np.int64)

    def _expected(self, columns: Ints, others: Ints) -> Ints:
        """Return what chance alone makes of each pair of levels."""
        some, many = (np.concatenate([self._rows_of[j] for j in each]) for each in (columns, others))
        return fixed_point(expected_cells(some, many, self._n_rows) * self._n_rows)


ON_DEMAND: dict[str, Callable[..., LazyRedundancy]] = {
    "information": Information.beyond_chance,
    "pearson": Products.of,
    "spearman": Products.of_ranks,
    "mutual_info_binned": Information.of,
}
