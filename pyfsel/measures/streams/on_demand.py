"""Redundancies of a table that is read in parts, with too many columns for the counts of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from pyfsel.measures.contingency import first_levels
from pyfsel.measures.expected_information import expected_cells
from pyfsel.measures.on_demand import BITS_OF_INFORMATION, USER_SCALE, fixed_point, weighted_logs
from pyfsel.problem.redundancies import LazyRedundancy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.measures.streams.lanes import Lanes
    from pyfsel.measures.streams.statistics import Statistics

MOST_ROWS = 10**8
"""Sums of more could be beyond 64 bits."""
COUNTS_AT_ONCE = 2**21
PAIRS_OF_ROWS_A_SECOND = 4 * 10**9


class CountedInformation(LazyRedundancy):
    """Information beyond chance, in the integers of `pyfsel.measures.on_demand.InformationBeyondChance`.

    Parameters
    ----------
    lanes : Lanes
        The levels of all rows.
    statistics : Statistics
        Of the same columns.
    columns : array of int, shape (n_features,)
        Those of the table that these are.
    largest, bound
        As for `LazyRedundancy`.
    """

    def __init__(
        self,
        lanes: Lanes,
        statistics: Statistics,
        columns: NDArray[np.intp],
        largest: int = USER_SCALE,
        bound: float = 1.0,
    ) -> None:
        super().__init__(largest, bound)
        self._lanes, self._statistics, self._columns = lanes, statistics, columns
        self._n_rows = statistics.n_rows
        self._of_levels = statistics.with_target.sum(axis=1)
        self._own = np.add.reduceat(weighted_logs(self._of_levels), first_levels(statistics.sizes))
        self._most = int(weighted_logs(np.array(self._n_rows)) - self._own.min())
        self.entries_at_once = PAIRS_OF_ROWS_A_SECOND // self._n_rows + 1

    @classmethod
    def of(cls, lanes: Lanes, statistics: Statistics) -> Self:
        """Return the redundancies of all columns, divided by the largest entropy of one."""
        found = cls(lanes, statistics, np.arange(len(statistics.names)))
        return found.scaled(USER_SCALE, found._most / 2.0**BITS_OF_INFORMATION / found._n_rows)

    @property
    def n_features(self) -> int:
        return len(self._columns)

    def _rows(self, features: NDArray[np.intp], start: int, stop: int) -> NDArray[np.int32]:
        columns, others, sizes = self._columns[features], self._columns[start:stop], self._statistics.sizes
        n_parts = int(sizes[columns].sum() * sizes[others].sum()) // COUNTS_AT_ONCE + 1
        parts = np.array_split(others, min(n_parts, len(others)))  # not the rows: lanes are read once so
        return np.hstack([self._counted(columns, part) for part in parts]).astype(np.int32)

    def _entries(self, features: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int64]:
        entries = np.empty(len(features), np.int64)
        for feature in np.unique(features):
            which = features == feature
            second, places = np.unique(others[which], return_inverse=True)
            entries[which] = self._counted(self._columns[[feature]], self._columns[second])[0, places]
        return entries

    def _counted(self, columns: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the entries of some columns of the table with others."""
        counts = self._lanes.count(others.tolist(), self._statistics.sizes, columns.tolist())
        found = self._sums(weighted_logs(counts) - self._expected(columns, others), columns, others)
        found += int(weighted_logs(np.array(self._n_rows))) - self._own[columns][:, None] - self._own[others]
        shares = np.maximum(found, 0) * (self.largest / max(self._most, 1))
        return np.asarray(np.minimum(np.rint(shares), self.largest), dtype=np.int64)

    def _expected(self, columns: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return what chance alone makes of each pair of levels."""
        (few, rows), (many, places) = (
            np.unique(np.concatenate([self._levels(j) for j in some]), return_inverse=True)
            for some in (columns, others)
        )
        low, high = (each(few[:, None], many).ravel() for each in (np.minimum, np.maximum))
        cells = fixed_point(expected_cells(low, high, self._n_rows) * self._n_rows)
        return np.asarray(cells.reshape(len(few), -1)[rows[:, None], places])

    def _levels(self, column: int) -> NDArray[np.int64]:
        begin = int(self._statistics.sizes[:column].sum())
        return np.asarray(self._of_levels[begin : begin + self._statistics.sizes[column]])

    def _sums(
        self, numbers: NDArray[np.int64], columns: NDArray[np.intp], others: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return sums over the levels of columns."""
        rows, places = (first_levels(self._statistics.sizes[some]) for some in (columns, others))
        return np.asarray(np.add.reduceat(np.add.reduceat(numbers, places, axis=1), rows, axis=0))

    def _among(self, features: NDArray[np.intp]) -> CountedInformation:
        return type(self)(self._lanes, self._statistics, self._columns[features], self.largest, self.bound)

    def scaled(self, largest: int, bound: float = 1.0) -> Self:
        return type(self)(self._lanes, self._statistics, self._columns, largest, bound)
