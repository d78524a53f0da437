"""Correlations of a table that is read in parts, by products of whole numbers: the same bits in any parts.

The numbers of a column are shifted by about their mean, scaled to a length of at most 2²⁶, and rounded. All
sums of products of two such columns are below 2⁵³ then (Cauchy and Schwarz), over any rows, so floating
point adds them up without an error, in whatever order. What rounding takes is below 10⁻⁷ of a correlation.
Other rows may be scaled in the same way, and added in 64 bits.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.above_chance import holm
from pyfsel.measures.streams.columns import Categories, Column
from pyfsel.measures.streams.levels import CELLS_AT_ONCE, Cells, KeyTally, Levels
from pyfsel.measures.streams.read import ReadTable
from pyfsel.measures.streams.sources import Source
from pyfsel.measures.tables.encoded import warn_of_no_order
from pyfsel.measures.threads import one_thread
from pyfsel.problem.checks import one_of

MEASURE = "pearson"
"""That of a table of which moments are known, no counts."""
BITS_OF_LENGTH = 26
ROWS_AT_ONCE = 8192
"""The numbers of so many rows of a few hundred columns fit into the cache of a processor."""
MOST_EXACT, MOST_IN_64_BITS = 2**53, 2**62
"""Sums of squares; by Cauchy and Schwarz no sum of products is larger."""
LOOSE = 2.0
"""How many times its least possible value the bound of a sum of squares may be."""


class Scale(NamedTuple):
    """How numbers become whole ones: (number · unit − shift) · times, rounded.

    Parameters
    ----------
    unit, shift, times : float
    """

    unit: float
    shift: float
    times: float

    def write(self, values: NDArray[Any], whole: NDArray[np.float64]) -> None:
        """Write numbers as whole ones."""
        np.multiply(values, self.unit, out=whole, dtype=np.float64)
        whole -= self.shift
        if self.times == 0 and whole.any():
            raise InputError("statistics: a column has one value only at the other site, more here")
        whole *= self.times
        np.rint(whole, out=whole)


def find_scale(
    column: Column, levels: Categories | None = None, like: Scale | None = None
) -> Generator[KeyTally, None, Scale]:
    """Return the scale of a column of numbers, or of the codes of categories; yield what is to be tallied.

    That of other rows is taken if there is one.

    Raises
    ------
    InputError
        For infinite and missing values.
    """
    if levels is not None:
        n_gaps, counts = levels.n_gaps, levels.counts
        low = high = np.arange(len(counts), dtype=np.float64)
    else:
        cells = yield from Cells.counted(column.name, column.kind, column.n_bits)
        while like is None and (chosen := _loose(cells)).any():
            cells = yield from cells.opened(chosen)
        n_gaps, counts, (low, high) = cells.n_gaps, cells.counts, cells.ranges()
    if n_gaps:
        raise InputError(f"X: column {column.name!r} holds missing values; measure={MEASURE!r} takes none")
    if like is not None:
        return like
    unit, shift, _, most = _spread(low, high, counts)
    if low.min() == high.max():
        return Scale(unit, float(low.min() * unit), 0.0)
    return Scale(unit, shift, float(2.0**BITS_OF_LENGTH / np.sqrt(most.sum())))


def find_whole(column: Column, like: dict[str, Any] | None = None) -> Generator[Any, None, Whole]:
    """Return how entries of a column become whole numbers; yield what is to be tallied of it."""
    levels: Any = None
    if column.kind is None:
        levels = yield from column.levels(2)
        warn_of_no_order([column.name], np.array([len(levels.labels) > 2]), f"measure={MEASURE!r}")
    scale = yield from find_scale(column, levels, None if like is None else Scale(*like["scale"]))
    return Whole(column, levels, scale)


def _spread(
    low: NDArray[np.float64], high: NDArray[np.float64], counts: NDArray[np.int64]
) -> tuple[float, float, NDArray[np.float64], NDArray[np.float64]]:
    """Return a unit, about the mean, and the least and largest sum of squares of each cell around it."""
    unit = float(2.0 ** -np.frexp(np.abs([low, high]).max(initial=0.0))[1])  # against overflow, and exact
    low, high = low * unit, high * unit
    shift = float((counts * (low + high)).sum() / (2 * counts.sum()))
    near = np.maximum(np.maximum(low - shift, shift - high), 0.0)
    far = np.maximum(high - shift, shift - low)
    return unit, shift, counts * near**2, counts * far**2


def _loose(cells: Cells) -> NDArray[np.bool_]:
    """Return the cells to look into until the sum of squares is known within a factor."""
    _, _, least, most = _spread(*cells.ranges(), cells.counts)
    unknown = np.where(cells.are_values(), 0.0, most - least)
    chosen = np.zeros(len(unknown), dtype=bool)
    if most.sum() > LOOSE * least.sum() and unknown.any():
        depth = cells.depths[unknown.argmax()]
        unknown[cells.depths != depth] = 0.0
        largest = np.argsort(-unknown, kind="stable")[:CELLS_AT_ONCE]
        chosen[largest] = unknown[largest] >= unknown.max() / CELLS_AT_ONCE
        chosen &= unknown > 0
    return chosen


@dataclass(frozen=True)
class Whole:
    """A column, and how its entries become rows of whole numbers.

    Parameters
    ----------
    column : Column
    levels : Levels or Categories, optional
        Of a target of classes, each of which is a row of 0 and 1; or of labels, whose codes are numbers.
    scale : Scale, optional
        Unless there is a row for each class.
    """

    column: Column
    levels: Levels | Categories | None
    scale: Scale | None

    def described(self) -> dict[str, Any]:
        """Return what is the same for rows whose products can be added."""
        values = None if self.levels is None else self.levels.described()["values"]
        return {"values": values, "scale": None if self.scale is None else list(self.scale)}

    @property
    def n_numbers(self) -> int:
        """How many whole numbers each entry becomes."""
        if self.scale is not None:
            return 1
        assert self.levels is not None
        return len(self.levels.counts)

    def write(self, array: Any, whole: NDArray[np.float64]) -> None:
        """Write the whole numbers of an array of Arrow, shape (n_numbers, length of the array)."""
        column, levels = self.column, self.levels
        values = column.numbers(array) if levels is None else column.encode(levels, array)
        if self.scale is not None:
            self.scale.write(values, whole[0])
        else:
            np.equal(values, np.arange(self.n_numbers)[:, None], out=whole, casting="unsafe")


def products(source: Source, columns: Sequence[Whole]) -> NDArray[np.int64]:
    """Return the sums of products of all rows of whole numbers, and last of ones, with each other."""
    ends = np.cumsum([one.n_numbers for one in columns])
    total = np.zeros((ends[-1] + 1, ends[-1] + 1), np.int64)
    room = np.ones((ends[-1] + 1, ROWS_AT_ONCE))
    for batch in source.parts([one.column.name for one in columns]):
        for begin in range(0, batch.num_rows, ROWS_AT_ONCE):
            some = batch.slice(begin, ROWS_AT_ONCE)
            z = room[:, : some.num_rows]
            for one, end in zip(columns, ends, strict=True):
                one.write(some.column(one.column.name), z[end - one.n_numbers : end])
            with one_thread():
                total += _exact(z)
            if total.diagonal().max() > MOST_IN_64_BITS:
                raise _rounded()
    return total


def _exact(z: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the products of some rows, of fewer at a time where sums may be rounded."""
    found = z @ z.T
    if found.diagonal().max() <= MOST_EXACT:
        return found.astype(np.int64)
    if z.shape[1] == 1:
        raise _rounded()
    first, second = np.array_split(z, 2, axis=1)
    return _exact(first) + _exact(second)


def _rounded() -> InputError:
    return InputError(
        "statistics: numbers here are so much larger, or so many more, than at the other site that sums "
        "would be rounded; begin with this site (--levels on the command line)"
    )


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of products of the columns of a table, from which correlations follow; `products` of parts add up.

    Parameters
    ----------
    names : tuple of str, length n_features
    target : str
    task : {"classification", "regression"}
    levels : tuple of dict
        How entries of each feature, and last of the target, became whole numbers.
    products : array of int
        Of the features, the classes or numbers of the target, and ones.
    """

    names: tuple[str, ...]
    target: str
    task: str
    levels: tuple[dict[str, Any], ...]
    products: NDArray[np.int64]

    def merge(self, other: Moments) -> Moments:
        """Return the moments of the rows of both; `InputError` if columns or scales differ."""
        for what in ("names", "target", "task", "levels"):
            if getattr(self, what) != getattr(other, what):
                raise InputError(f"statistics: differ in {what}, and cannot be added")
        return replace(self, products=self.products + other.products)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.products[-1, -1])

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Which features have one value only."""
        return np.asarray(self.products.diagonal()[: len(self.names)] == 0)

    @property
    def _covariances(self) -> NDArray[np.float64]:
        products = self.products.astype(np.float64)
        return np.asarray(products - np.outer(products[-1], products[-1]) / self.n_rows)

    def _scaled(self) -> NDArray[np.float64]:
        """Return covariances of features of length 1 with each other, and with the target, as it is."""
        found = self._covariances[: len(self.names), :-1]
        squares = found.diagonal().copy()
        lengths = np.sqrt(np.where(squares > 0, squares, np.inf))
        found = found / lengths[:, None]
        found[:, : len(lengths)] /= lengths
        return found

    def relevance(self, measure: str) -> NDArray[np.float64]:
        """Return the quality of each feature, not normalised, as `pyfsel.measures.quality` does."""
        one_of("measure", measure, (MEASURE,))
        n = len(self.names)
        with_target = self._scaled()[:, n:]
        if self.task == "classification":
            squares = with_target**2 / self.products[-1, n:-1]
        else:
            squares = with_target**2 / self._covariances[n, n]
        return np.asarray(np.sqrt(np.minimum(squares.sum(axis=1), 1.0)))

    def redundancy(self, measure: str) -> NDArray[np.float64]:
        """Return the redundancies of all features as `pyfsel.measures.redundancy` does."""
        one_of("measure", measure, (MEASURE,))
        found = np.minimum(np.abs(self._scaled()[:, : len(self.names)]), 1.0)
        np.fill_diagonal(found, 0.0)
        return found

    def p_values(self) -> NDArray[np.float64]:
        """Return for each feature how likely chance alone makes any one correlate so much.

        By the F test of the analysis of variance, or of the linear fit; over all features by Holm's
        procedure.
        """
        from scipy.special import fdtrc

        shares = self.relevance(MEASURE) ** 2
        n_numbers = self.products.shape[0] - 1 - len(self.names)
        freedom = max(n_numbers - 1, 1)
        left = self.n_rows - 1 - freedom
        with np.errstate(divide="ignore"):
            each = fdtrc(freedom, left, shares / (1 - shares) * left / freedom)
        found = np.ones(len(self.names))
        found[~self.is_constant] = holm(each[~self.is_constant])
        return found


@dataclass(frozen=True)
class CorrelatedTable(ReadTable):
    """A table beyond memory of which the moments are known, all pairs included."""

    statistics: Moments

    def paired(self, features: Sequence[int]) -> Moments:
        return self.statistics

    def alike(self, features: Sequence[int]) -> NDArray[np.float64]:
        return np.asarray(self.statistics.redundancy(MEASURE)[features])
