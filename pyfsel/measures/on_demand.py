"""Redundancies of tables with so many columns that not all pairs can be measured, in exact integers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from pyfsel.measures.contingency import bin_columns
from pyfsel.measures.correlation import ranks, standardised
from pyfsel.measures.expected_information import expected_between
from pyfsel.measures.levels import level_codes
from pyfsel.measures.neighbours import between, most_information, repeats, with_noise
from pyfsel.measures.tables.entries import as_dense
from pyfsel.measures.threads import one_thread
from pyfsel.problem.checks import generator_of, integer_in
from pyfsel.problem.redundancies import LazyRedundancy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.measures.tables.table import Columns

BITS_OF_LENGTH = 26
"""The most for which products of columns are below 2⁵³, see `Products`."""
BITS_OF_INFORMATION = 30
"""Sums of c · ln c over a hundred million rows stay below 2⁶³."""
ONE_HOT_ENTRIES = 2**24
COLUMNS_AT_ONCE = 4096
MOST_IN_64_BITS = 2**25
"""Larger tables, of 256 MB, are kept in 32 bits."""
USER_SCALE = 10**6
ENTRIES_OF_ONE_ROW_AT_ONCE = 2**19
"""Entries of columns by neighbours that take about a second."""


class Products(LazyRedundancy):
    """Absolute products of columns: |Pearson| of columns of mean 0 and length 1.

    Columns are rounded to integers of length 2²⁶, so that every sum of products of entries of two of them is
    below 2⁵³ in absolute value (Cauchy–Schwarz): in floating point it is exact in whatever order, and by
    whatever library, it is added up. The absolute value is divided by 2⁵² and scaled, in two roundings.

    Parameters
    ----------
    columns : array, shape (n_features, n_rows)
        Whole numbers, each row of a length of about 2²⁶, or 0. Many are kept in 32 bits, which takes time.
    largest, bound
        As for `LazyRedundancy`.
    """

    def __init__(
        self, columns: NDArray[np.float64 | np.int32], largest: int = USER_SCALE, bound: float = 1.0
    ) -> None:
        super().__init__(largest, bound)
        kind = np.float64 if columns.size <= MOST_IN_64_BITS else np.int32
        self._columns: NDArray[Any] = columns.astype(kind, copy=False)

    @classmethod
    def of(cls, columns: Columns) -> Self:
        """Return the absolute correlations of the columns; 0 for constant ones."""
        return cls._of_scores(columns, np.asarray)

    @classmethod
    def of_ranks(cls, columns: Columns) -> Self:
        """Return the absolute correlations of the ranks of the columns; 0 for constant ones."""
        return cls._of_scores(columns, ranks)

    @classmethod
    def _of_scores(
        cls, columns: Columns, scored: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> Self:
        whole = np.empty(columns.X.shape[::-1], np.int32)
        for first in range(0, len(whole), COLUMNS_AT_ONCE):
            some = slice(first, first + COLUMNS_AT_ONCE)
            part = standardised(scored(as_dense(columns.X[:, some])))
            whole[some] = np.rint(part.T * 2.0**BITS_OF_LENGTH)
        whole[columns.is_constant] = 0
        return cls(whole)

    @property
    def n_features(self) -> int:
        return len(self._columns)

    def _rows(self, features: NDArray[np.intp], start: int, stop: int) -> NDArray[np.int32]:
        rows, chosen = (
            np.empty((len(features), stop - start), np.int32),
            self._columns[features].astype(float),
        )
        for first in range(start, stop, COLUMNS_AT_ONCE):
            others = self._columns[first : min(stop, first + COLUMNS_AT_ONCE)].astype(float, copy=False)
            with one_thread():
                products = chosen @ others.T
            rows[:, first - start : first - start + len(others)] = self._rounded(products)
        return rows

    def _entries(self, features: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int64]:
        first, second = (self._columns[chosen].astype(np.int64) for chosen in (features, others))
        return self._rounded((first * second).sum(axis=1)).astype(np.int64)

    def _rounded(self, products: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
        shares = np.abs(products) * (self.largest / 2.0 ** (2 * BITS_OF_LENGTH))
        return np.asarray(np.minimum(np.rint(shares), self.largest))

    def _among(self, features: NDArray[np.intp]) -> Products:
        return Products(self._columns[features], self.largest, self.bound)

    def scaled(self, largest: int, bound: float = 1.0) -> Self:
        return type(self)(self._columns, largest, bound)


def fixed_point(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return numbers in multiples of 2⁻³⁰, whose sums do not depend on their order."""
    return np.asarray(np.rint(numbers * 2.0**BITS_OF_INFORMATION), dtype=np.int64)


def weighted_logs(counts: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return c · ln c of each count c, 0 for 0, in multiples of 2⁻³⁰."""
    return fixed_point(counts * np.log(np.maximum(counts, 1)))


class Information(LazyRedundancy):
    """Mutual information of columns of few values, divided by the largest entropy of any column.

    With f(c) = c · ln c the information of two columns of m rows is ``Σ f(c_ab) − Σ f(c_a) − Σ f(c_b) +
    f(m)``, divided by m, over the counts of pairs of values and of values. f is rounded to multiples of 2⁻³⁰,
    and its sums are exact.

    Parameters
    ----------
    codes : array of int, shape (n_features, n_rows)
        From 0.
    largest, bound
        As for `LazyRedundancy`.
    most : int, optional
        The information that counts as `largest`, in units of f; that of the column of the largest entropy.
    """

    def __init__(
        self,
        codes: NDArray[np.intp],
        largest: int = USER_SCALE,
        bound: float = 1.0,
        most: int | None = None,
    ) -> None:
        super().__init__(largest, bound)
        self._codes = codes
        m = codes.shape[1]
        counts = np.arange(m + 1)
        self._f = weighted_logs(counts)
        self._width = int(codes.max(initial=0)) + 1
        self._own = np.array(
            [self._f[np.bincount(column, minlength=self._width)].sum() for column in codes], dtype=np.int64
        )
        self._most = int(self._f[m] - self._own.min()) if most is None else most

    @classmethod
    def of(cls, columns: Columns, n_bins: int = 10) -> Self:
        """Return the information between columns, the continuous ones in quantile bins."""
        found = cls(np.ascontiguousarray(bin_columns(columns, n_bins).T))
        return found.scaled(USER_SCALE, found.entropy)

    @property
    def entropy(self) -> float:
        """The largest entropy of a column in nats, by which all is divided."""
        return float(self._most / 2.0**BITS_OF_INFORMATION / self._codes.shape[1])

    @property
    def n_features(self) -> int:
        return len(self._codes)

    def _rows(self, features: NDArray[np.intp], start: int, stop: int) -> NDArray[np.int32]:
        rows, m = np.empty((len(features), stop - start), np.int32), self._codes.shape[1]
        if len(features) > 1 and len(features) * self._width * m > ONE_HOT_ENTRIES:
            halves = np.array_split(features, 2)
            return np.concatenate([self._rows(half, start, stop) for half in halves])
        at_once = max(1, ONE_HOT_ENTRIES // (self._width * max(m, self._width * len(features))))
        chosen = self._one_hot(self._codes[features])
        for first in range(start, stop, at_once):
            others = slice(first, min(stop, first + at_once))
            with one_thread():
                counts = chosen @ self._one_hot(self._codes[others]).T
            joint = self._f[counts.astype(np.int64)].reshape(len(features), self._width, -1, self._width)
            found = joint.sum(axis=(1, 3)) - self._own[features][:, None] - self._own[others]
            found -= self._of_chance(features, np.arange(others.start, others.stop))
            rows[:, others.start - start : others.stop - start] = self._rounded(found)
        return rows

    def _of_chance(self, features: NDArray[np.intp], others: NDArray[np.intp]) -> Any:
        """Return what is not counted of the information of each feature with each other one."""
        return 0

    def _one_hot(self, codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return one row for each column and value, 1 where the column has the value."""
        table = codes[:, None, :] == np.arange(self._width)[:, None]
        return np.asarray(table.reshape(-1, codes.shape[1]), dtype=np.float64)

    def _entries(self, features: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int64]:
        entries = np.empty(len(features), np.int64)
        for place, (i, j) in enumerate(zip(features, others, strict=True)):
            joint = np.bincount(self._codes[i] * self._width + self._codes[j])
            entries[place] = self._f[joint].sum() - self._own[i] - self._own[j]
            entries[place] -= np.sum(self._of_chance(np.array([i]), np.array([j])))
        return self._rounded(entries).astype(np.int64)

    def _rounded(self, without_f_of_m: NDArray[np.int64]) -> NDArray[np.float64]:
        information = np.maximum(without_f_of_m + self._f[-1], 0)
        shares = information * (self.largest / max(self._most, 1))
        return np.asarray(np.minimum(np.rint(shares), self.largest))

    def _among(self, features: NDArray[np.intp]) -> Self:
        return type(self)(self._codes[features], self.largest, self.bound, self._most)

    def scaled(self, largest: int, bound: float = 1.0) -> Self:
        return type(self)(self._codes, largest, bound, self._most)


class InformationBeyondChance(Information):
    """The same minus its expectation under chance, at least 0 (`pyfsel.measures.information`).

    The expectation is a sum over pairs of levels, each of which depends on their counts only and is rounded
    as f is.
    """

    @classmethod
    def of(cls, columns: Columns, n_bins: int | None = None) -> Self:
        """Return the information beyond chance between columns."""
        codes = [level_codes(block, n_bins).T for block in columns.blocks()]
        found = cls(np.ascontiguousarray(np.concatenate(codes)))
        return found.scaled(USER_SCALE, found.entropy)

    @cached_property
    def _expected(self) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """What two levels contribute, by the places of their counts; and the places for each feature."""
        n_rows = self._codes.shape[1]
        counts = np.array([np.bincount(column, minlength=self._width) for column in self._codes])
        distinct, places = np.unique(counts, return_inverse=True)
        cells = expected_between(distinct, n_rows) * n_rows
        return fixed_point(cells), places.reshape(counts.shape)

    def _of_chance(self, features: NDArray[np.intp], others: NDArray[np.intp]) -> Any:
        cells, places = self._expected
        return cells[places[features]].sum(axis=1)[:, places[others]].sum(axis=2)


class Prepared(NamedTuple):
    """Columns for nearest neighbours.

    Attributes
    ----------
    values : array of float, shape (n_features, n_rows)
        Numbers with noise, or codes of classes.
    is_discrete : array of bool, shape (n_features,)
        Which are classes.
    is_constant : array of bool, shape (n_features,)
        Which have no information.
    places : array of int, shape (n_features,)
        Where they are in the whole table.
    """

    values: NDArray[np.float64]
    is_discrete: NDArray[np.bool_]
    is_constant: NDArray[np.bool_]
    places: NDArray[np.intp]


class NeighbourInformation(LazyRedundancy):
    """Mutual information by nearest neighbours, divided by an upper bound on it.

    The noise that breaks ties is drawn once for each column, by a seed of its own, so that both directions of
    a pair are the same but for the order of summation, which is that of the whole table. Pairs are computed
    one by one.

    Parameters
    ----------
    columns : Prepared
    n_neighbors : int
    largest, bound
        As for `LazyRedundancy`.
    """

    def __init__(
        self, columns: Prepared, n_neighbors: int, largest: int = USER_SCALE, bound: float = 1.0
    ) -> None:
        super().__init__(largest, bound)
        self._columns = columns
        self._n_neighbors = n_neighbors
        n_rows = columns.values.shape[1]
        self._most = most_information(n_rows, n_neighbors)
        self.entries_at_once = ENTRIES_OF_ONE_ROW_AT_ONCE // n_rows + 1

    @classmethod
    def of(cls, columns: Columns, n_neighbors: int = 3, random_state: Any = None) -> Self:
        """Return the information between columns."""
        n, n_neighbors = columns.n_features, integer_in("n_neighbors", n_neighbors, 1, None)
        seeds = generator_of(random_state).randint(np.iinfo(np.int32).max, size=n)
        values = np.empty(columns.X.shape[::-1])
        for j, is_discrete in enumerate(columns.is_discrete):
            given = columns.column(j)
            if is_discrete:
                values[j] = np.unique(given, return_inverse=True)[1]
            else:
                values[j] = with_noise(given, np.random.RandomState(seeds[j]))
        found = cls(Prepared(values, columns.is_discrete, columns.is_constant, np.arange(n)), n_neighbors)
        return found.scaled(USER_SCALE, found._most)

    @property
    def n_features(self) -> int:
        return len(self._columns.values)

    def _rows(self, features: NDArray[np.intp], start: int, stop: int) -> NDArray[np.int32]:
        others = np.arange(start, stop)
        entries = self._entries(np.repeat(features, len(others)), np.tile(others, len(features)))
        return entries.astype(np.int32).reshape(len(features), len(others))

    def _entries(self, features: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int64]:
        information = np.array([self._information(*pair) for pair in zip(features, others, strict=True)])
        return np.minimum(np.rint(information * (self.largest / self._most)), self.largest).astype(np.int64)

    def _information(self, i: int, j: int) -> float:
        values, is_discrete, is_constant, places = self._columns
        if is_constant[i] or is_constant[j]:
            return 0.0
        pair = [i, j] if places[i] < places[j] else [j, i]
        x, y = values[pair]
        x_is_discrete, y_is_discrete = is_discrete[pair]
        if x_is_discrete != y_is_discrete and not repeats(x if x_is_discrete else y):
            return 0.0
        return between(x, y, x_is_discrete, y_is_discrete, self._n_neighbors)

    def _among(self, features: NDArray[np.intp]) -> NeighbourInformation:
        some = Prepared._make(part[features] for part in self._columns)
        return NeighbourInformation(some, self._n_neighbors, self.largest, self.bound)

    def scaled(self, largest: int, bound: float = 1.0) -> Self:
        return type(self)(self._columns, self._n_neighbors, largest, bound)


ON_DEMAND: dict[str, Callable[..., LazyRedundancy]] = {
    "information": InformationBeyondChance.of,
    "pearson": Products.of,
    "spearman": Products.of_ranks,
    "mutual_info_binned": Information.of,
    "mutual_info": NeighbourInformation.of,
}
