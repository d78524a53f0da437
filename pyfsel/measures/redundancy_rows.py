"""Redundancies of tables with too many columns to measure all pairs, in exact integers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Self

import numpy as np

from pyfsel.core.arrays import ShortInts
from pyfsel.measures.arrays import Array, Floats, Ints, one_thread, slices
from pyfsel.measures.contingency import Coded
from pyfsel.measures.correlation import BITS_OF_LENGTH, ranks, whole_numbers
from pyfsel.measures.tables.entries import as_dense
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.redundancies import LazyRedundancy

PAIRS_OF_ROWS_A_SECOND = 4 * 10**9
COLUMNS_AT_ONCE = 4096
USER_SCALE = 10**6


class Products(LazyRedundancy):
    """Absolute products of columns: |Pearson| of columns of mean 0 and length 1.

    Columns are rounded to integers of length 2²⁶, so every sum of products of entries of two of them is
    below 2⁵³ in absolute value (Cauchy–Schwarz): in floating point it is exact in whatever order, and by
    whatever library, it is added up. The absolute value is divided by 2⁵² and scaled, in two roundings.

    Parameters
    ----------
    columns : array, shape (n_features, n_rows)
        Whole numbers, each row of a length of about 2²⁶, or 0.
    """

    @classmethod
    def of(cls, columns: Columns, scored: Callable[[Floats], Floats] = np.asarray) -> Self:
        """Return the absolute correlations of what a function makes of columns; 0 for constant ones."""
        whole = np.empty(columns.X.shape[::-1], np.int32)
        for some in slices(len(whole), COLUMNS_AT_ONCE):
            whole[some] = whole_numbers(scored(as_dense(columns.X[:, some]))).T
        whole[columns.is_constant] = 0
        return cls(whole, USER_SCALE)

    def _between(self, columns: Array, others: Array) -> ShortInts:
        found, chosen = np.empty((len(columns), len(others)), np.int32), columns.astype(float)
        for some in slices(len(others), COLUMNS_AT_ONCE):
            with one_thread():
                products = np.abs(chosen @ others[some].astype(float).T)
            shares = products * (self.largest / 2.0 ** (2 * BITS_OF_LENGTH))
            found[:, some] = np.minimum(np.rint(shares), self.largest)
        return found


class Information(LazyRedundancy):
    """Mutual information of columns of few levels, divided by the largest entropy of any column; at least 0.

    Parameters
    ----------
    levels : Coded
        Without weights, so information depends on the pair alone.
    is_beyond_chance : bool
    """

    def __init__(self, levels: Coded, is_beyond_chance: bool) -> None:
        self._measured = levels.information if is_beyond_chance else levels.plain_information
        self._most = float(levels.entropies().max())
        super().__init__(np.arange(len(levels.sizes)), USER_SCALE, self._most)
        self.entries_at_once = min(self.entries_at_once, PAIRS_OF_ROWS_A_SECOND // levels.n_rows + 1)

    def _between(self, columns: Ints, others: Ints) -> Ints:
        shares = np.maximum(self._measured(columns, others), 0) * (self.largest / self._most)
        return np.asarray(np.minimum(np.rint(shares), self.largest), dtype=np.int64)


ON_DEMAND: dict[str, Callable[..., LazyRedundancy]] = {
    "information": lambda columns: Information(Coded.of(columns), is_beyond_chance=True),
    "pearson": Products.of,
    "spearman": partial(Products.of, scored=ranks),
    "mutual_info_binned": lambda columns: Information(
        Coded.of(columns, 10, in_quantiles=True), is_beyond_chance=False
    ),
}
