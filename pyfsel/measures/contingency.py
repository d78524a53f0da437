"""How often levels of columns occur: alone, with a target, and in pairs of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from pyfsel.measures.arrays import Array, Floats, Ints, slices
from pyfsel.measures.expected_information import expected_cells
from pyfsel.measures.levels import bin_columns, bin_values, level_codes, levels_of
from pyfsel.measures.tables.table import Columns

if TYPE_CHECKING:
    from pyfsel.measures.streams.lanes import Lanes

BLOCK_WIDTH = 2048
"""Columns of a one-hot table, 32 MB in single precision with all its rows."""
BLOCK_ROWS = MANY_ROWS = 4096
"""Sums of this many ones are exact in single precision, whose products are twice as fast. With this many rows
or more, lanes count pairs in less time."""

_KNOWN: WeakKeyDictionary[Columns, dict[Any, Any]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Coded:
    """The levels of columns, and how often each occurs alone or with one of another column.

    Parameters
    ----------
    codes : array of int, shape (n_rows, n_features), or lanes
        The level of each entry; in each column all from 0 to the largest occur.
    weights : array of float, shape (n_rows,), optional
        How much each row counts.
    """

    codes: Ints | Lanes
    weights: Floats | None = None

    @classmethod
    def of(cls, columns: Columns, n_bins: int | None = None, *, in_quantiles: bool = False) -> Self:
        """Return the levels of a table, found and counted once while the table is there.

        Parameters
        ----------
        columns : Columns
            For counts with a target a `Table`.
        n_bins : int, optional
        in_quantiles : bool
            Whether `bin_columns` finds the levels, not `level_codes`.
        """
        known, key = _KNOWN.setdefault(columns, {}), (cls, n_bins, in_quantiles)
        if key not in known:
            known[key] = cls._made(columns, n_bins, in_quantiles)
        found: Self = known[key]
        return found

    @classmethod
    def _made(cls, columns: Columns, n_bins: Any, in_quantiles: bool) -> Self:
        weights = columns.weights
        if in_quantiles:
            return cls(bin_columns(columns, n_bins, weights), weights)
        return cls(level_codes(columns, n_bins), weights)

    @cached_property
    def sizes(self) -> Ints:
        """The number of levels of each column."""
        if isinstance(self.codes, np.ndarray):
            return np.asarray(self.codes.max(axis=0).astype(np.int64) + 1)
        return self.codes.sizes

    @cached_property
    def of_levels(self) -> Array:
        """The rows of each level, or the sums of their weights, shape (n_levels,)."""
        return np.concatenate(
            [np.bincount(self.codes[:, j], self.weights) for j in range(self.codes.shape[1])]
        )

    @cached_property
    def total(self) -> float:
        """The number of rows, or the sum of their weights."""
        return len(self.codes) if self.weights is None else float(self.weights.sum())

    @cached_property
    def n_rows(self) -> int:
        """The number of rows, or how many of equal weight would be as exact."""
        return len(self.codes) if self.weights is None else effective_rows(self.weights)

    def entropies(self) -> Floats:
        """Return the entropy of each column in nats, shape (n_features,)."""
        return np.asarray(self._entropy(self.by_column(x_log_x(self.of_levels))))

    def by_column(self, of_levels: Array) -> Array:
        """Return sums over the levels of each column."""
        return np.add.reduceat(of_levels, first_levels(self.sizes))

    def information(self, *pairs: Ints) -> Floats:
        """Return the information of pairs of columns minus what chance makes; it may be negative.

        Parameters
        ----------
        *pairs : two arrays of int, optional
            The columns of the rows and of the columns of the result; all columns otherwise.
        """
        return self.both_entropies(*pairs) - self.joint_entropies(*pairs, beyond_chance=True)

    def plain_information(self, *pairs: Ints) -> Floats:
        """Return the information of pairs of columns in nats."""
        return self.both_entropies(*pairs) - self.joint_entropies(*pairs)

    def both_entropies(self, *pairs: Ints) -> Floats:
        """Return the sums of the entropies of pairs of columns."""
        single = self.entropies()
        first, second = (single[each] for each in pairs or [slice(None)] * 2)
        return first[:, None] + second

    def joint_entropies(self, *pairs: Ints, beyond_chance: bool = False) -> Floats:
        """Return the entropies of pairs of columns in nats, plus the information that chance makes if wanted.

        Counts come block by block: beyond the codes and the result, about 150 MB whatever the size of the
        table (more if one column has over 2048 levels), or of many rows the levels in bytes. Without weights,
        each entry depends on its pair alone: all that is added up is rounded by `_exact`.
        """
        every = np.arange(self.codes.shape[1])
        some, others = pairs or (every, every)
        sizes, its_sizes = self.sizes[some], self.sizes[others]
        sums = np.empty((len(some), len(others)))
        for rows in blocks(sizes, BLOCK_WIDTH):
            for cols in blocks(its_sizes, BLOCK_WIDTH):
                if not pairs and cols.start < rows.start:
                    sums[rows, cols] = sums[cols, rows].T
                    continue
                is_symmetric = not pairs and rows == cols
                counts = self._count(others[cols], None if is_symmetric else some[rows])
                if is_symmetric:
                    counts = np.maximum(counts, counts.T)
                found = self.logs[counts] if self.weights is None else x_log_x(counts)
                if beyond_chance:
                    found = found - self._by_chance(some[rows], others[cols])
                sums[rows, cols] = by_pair(found, sizes[rows], its_sizes[cols])
        return np.asarray(self._entropy(sums if pairs else (sums + sums.T) / 2))

    def _by_chance(self, some: Ints, others: Ints) -> Floats:
        """Return what information chance makes of each two levels, times the rows."""
        own = np.split(self._whole(self.of_levels), first_levels(self.sizes)[1:])
        few, many = (np.concatenate([own[j] for j in each]) for each in (some, others))
        return expected_cells(few, many, self.n_rows, lambda cells: self._exact(cells * self.total))

    @cached_property
    def logs(self) -> Floats:
        """The values c · ln c of each number of rows c."""
        return self._exact(x_log_x(np.arange(len(self.codes) + 1)))

    def _exact(self, numbers: Floats) -> Floats:
        """Round to multiples of a power of two: their sums, over all rows at most, are exact in any order."""
        unit = 2.0 ** (np.ceil(np.log2(self.total * np.log(self.total + 1) + 1)) - 51)
        return np.asarray(np.rint(numbers / unit) * unit)

    @cached_property
    def _lanes(self) -> Lanes | None:
        """The levels of many rows, which go the way of those that are read in parts."""
        if self.weights is not None or len(self.codes) < MANY_ROWS:
            return None
        if not isinstance(self.codes, np.ndarray):
            return self.codes
        from pyfsel.measures.streams.lanes import Lanes

        return Lanes.of(len(self.codes), [np.ascontiguousarray(self.codes.T)])

    def _count(self, columns: Ints, asked: Ints | None = None) -> Array:
        """Return how often levels of columns occur together, as `Lanes.count`; of few rows by products."""
        if self._lanes is not None:
            return self._lanes.count(columns, asked)
        sides = [
            (self.codes[:, each], self.sizes[each]) for each in (columns if asked is None else asked, columns)
        ]
        counts = np.zeros(1, np.intp if self.weights is None else np.float64)
        for some in slices(len(self.codes), BLOCK_ROWS):
            left, right = (one_hot(codes[some], sizes) for codes, sizes in sides)
            if self.weights is not None:
                left = left * self.weights[some, None]
            counts = counts + (left.T @ right).astype(counts.dtype)
        return counts

    def _entropy(self, sums: Any) -> Any:
        return np.log(self.total) - sums / self.total

    def _whole(self, counts: Array) -> Ints:
        """Return whole numbers in the place of sums of weights, which add up to `n_rows` for each column.

        Sums from the first level on are rounded, and what is between them counts; halves are halves
        whatever the unit of weights.
        """
        sums = np.rint(np.round(counts.cumsum() * (self.n_rows / self.total), 9))
        return np.asarray(np.diff(sums, prepend=0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Contingency(Coded):
    """The levels of columns and of a target; what `Coded` says of pairs is said of each column with it.

    Parameters
    ----------
    target : array of int, shape (n_rows,)
        Codes of the levels of the target.
    """

    target: Any = None

    @classmethod
    def _made(cls, columns: Any, n_bins: Any, in_quantiles: bool) -> Self:
        levels, target = Coded.of(columns, n_bins, in_quantiles=in_quantiles), columns.y
        if columns.task != "classification":
            weights = levels.weights
            target = bin_values(target, n_bins, weights) if in_quantiles else levels_of(target, n_bins)
        return cls(levels.codes, levels.weights, target.astype(np.min_scalar_type(target.max())))

    @cached_property
    def counts(self) -> Floats:
        """The rows, or the sum of their weights, by levels, shape (n_levels, n_target_levels)."""
        n = self.n_target_levels
        found = [
            np.bincount(self.cells(j), self.weights, size * n) for j, size in enumerate(self.sizes.tolist())
        ]
        return np.concatenate(found).astype(np.float64).reshape(-1, n)

    @cached_property
    def n_target_levels(self) -> int:
        """The number of levels of the target."""
        return int(self.target.max()) + 1

    def cells(self, j: int) -> Ints:
        """Return the number of each row's cell in the counts of one column, shape (n_rows,).

        Its dtype is the smallest unsigned one: of many rows each copy is large.
        """
        kind = np.min_scalar_type(self.sizes[j] * self.n_target_levels)
        return np.asarray(self.codes[:, j] * kind.type(self.n_target_levels) + self.target)

    @cached_property
    def of_levels(self) -> Floats:
        """The rows of each level, shape (n_levels,)."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def of_target(self) -> Floats:
        """The rows of each level of the target, shape (n_target_levels,)."""
        return np.asarray(self.counts[: self.sizes[0]].sum(axis=0))

    def plain_information(self, *_: Any) -> Floats:
        """Return the information of each column with the target in nats, shape (n_features,)."""
        joint = self._entropy(self.by_column(x_log_x(self.counts).sum(axis=1)))
        return np.asarray(self.both_entropies() - joint)

    def both_entropies(self, *_: Any) -> Floats:
        """Return the entropy of each column plus the entropy of the target."""
        return np.asarray(self.entropies() + self._entropy(x_log_x(self.of_target).sum()))

    def information(self, *_: Any) -> Floats:
        """Return the information of each column with the target, minus what chance makes."""
        return self.plain_information() - self.expected_information()

    def expected_information(self) -> Floats:
        """Return the expected information of each column with the target in random order."""
        cells = expected_cells(self._whole(self.of_levels), self._whole(self.of_target), self.n_rows)
        return self.by_column(cells.sum(axis=1))


def effective_rows(weights: Floats) -> int:
    """Return how many rows of equal weight would be as exact: (Σ w)² / Σ w² (Kish)."""
    effective = round(float(weights.sum() ** 2 / (weights**2).sum()), 9)  # 24.5 whatever the unit of weights
    return max(1, round(effective))


def x_log_x(counts: Array) -> Floats:
    """Return c · ln c of counts, or of sums of weights, 0 for 0."""
    return counts * np.log(np.where(counts > 0, counts, 1))


def first_levels(sizes: Ints) -> Ints:
    """Return the first level of each column, if all levels are numbered one after another."""
    return np.asarray(np.cumsum(sizes) - sizes, dtype=np.intp)


def by_pair(of_levels: Array, sizes: Ints, other_sizes: Ints) -> Array:
    """Return sums over the levels of each two columns, of which these are the numbers of levels."""
    sums = np.add.reduceat(of_levels, first_levels(other_sizes), axis=1)
    return np.add.reduceat(sums, first_levels(sizes), axis=0)


def blocks(sizes: Ints, most: int) -> Iterator[slice]:
    """Cut columns into runs whose one-hot tables are at most this wide (one column at least)."""
    start, width = 0, 0
    for j, size in enumerate(sizes):
        if j > start and width + size > most:
            yield slice(start, j)
            start, width = j, 0
        width += size
    yield slice(start, len(sizes))


def one_hot(codes: Ints, sizes: Ints, kind: Any = np.float32) -> Array:
    """Return 0/1 floats, shape (n_rows, n_levels); counts to `BLOCK_ROWS` are exact in single precision."""
    table = np.zeros((len(codes), int(sizes.sum())), dtype=kind)
    np.put_along_axis(table, codes + first_levels(sizes), 1, axis=1)
    return table
