"""Levels of a column of numbers that is read in parts, exactly those of `pyfsel.measures.levels`.

Numbers become keys of 64 bits in the same order. The first pass counts the upper 16 bits; further ones count
the next 16 bits of the keys in those cells that matter: where a bin begins, where one value may be frequent,
or all, as long as there are few. A cell whose bits are all known is one value, so the bins are exact
after at most two passes over single precision and four over double precision, more where values are frequent.

A pass is a `KeyTally`, which whoever holds rows updates with them; tallies of different rows add up in any
order. What is to be tallied next is asked by a generator, see `find_levels`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.binding import Bytes, Reals, ShortReals, ShortWords, Words, in_core
from pyfsel.errors import InputError
from pyfsel.measures.tables.encoded import FEW_VALUES

CELLS, BITS = 2**16, 16
NO_SLOT = 255
CELLS_AT_ONCE = 200
"""More could not be opened: slots have numbers below 255."""
MOST_LEVELS = 255
GAP = CELLS - 1
"""The cell of what is no number; no other key begins so."""
INFINITE = {32: (0x007F, 0xFF80), 64: (0x000F, 0xFFF0)}
"""The cells that hold minus and plus infinity alone."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a column of numbers.

    Parameters
    ----------
    bounds : array of float32 or float64
        Where intervals of values begin, ascending; the first one begins below all.
    codes : array of uint8, shape (n_bounds + 2,)
        The level of each interval, and last that of gaps.
    counts : array of int, shape (n_levels,)
        The rows of each level.
    values : array of float, optional
        Of each level but the gap, where each is one value.
    """

    bounds: NDArray[Any]
    codes: Bytes
    counts: NDArray[np.int64]
    values: NDArray[np.float64] | None = None

    @property
    def n_gaps(self) -> int:
        """The number of rows without a value."""
        return int(self.counts[-1]) if len(self.counts) > self.codes[-1] else 0

    def described(self) -> dict[str, Any]:
        """Return what is the same for equal levels, whatever their rows."""
        values = None if self.values is None else self.values.tolist()
        return {"bounds": self.bounds.tolist(), "codes": self.codes.tolist(), "values": values}

    def encode(self, values: NDArray[Any]) -> Bytes:
        """Return the level of each number."""
        found = np.empty(len(values), np.uint8)
        encode = encode_singles if values.dtype == np.float32 else encode_doubles
        encode(np.ascontiguousarray(values), self.bounds, self.codes, found)
        return found


class Tally(ABC):
    """What is counted of the entries of a column, in some rows and added up over others."""

    @abstractmethod
    def update(self, parts: Iterable[Any]) -> None:
        """Count the entries of some rows."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Count those of other rows, which are counted already."""


class KeyTally(Tally):
    """How often keys that begin with certain bits have each value of the next 16.

    Parameters
    ----------
    kind : type
        Of the numbers, `numpy.float32` or `numpy.float64`.
    keys : array of uint64, shape (n_open,)
        The least keys of those that begin so.
    depth : int
        How many times 16 bits are known of them; 0 for all keys, of which there is one 0.

    Attributes
    ----------
    places : array of int
        Which values occur: 2¹⁶ · which one of `keys` + the next bits, ascending.
    counts : array of int
        How often.
    """

    def __init__(self, kind: type[Any], keys: Words, depth: int) -> None:
        self.kind, self.keys, self.depth = kind, keys, depth
        self.places = self.counts = np.empty(0, np.int64)

    def update(self, parts: Iterable[NDArray[Any]]) -> None:
        total = np.zeros((len(self.keys), CELLS), np.uint32)
        count, bits = (count_singles, np.uint32) if self.kind is np.float32 else (count_doubles, np.uint64)
        tables = _tables(self.keys, self.depth)
        for values in parts:
            count(np.ascontiguousarray(values).view(bits), tables, total)
        cells = total.ravel()
        places = np.flatnonzero(cells)
        self._add(places, cells[places].astype(np.int64))

    def merge(self, other: KeyTally) -> None:
        self._add(other.places, other.counts)

    def _add(self, places: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        if len(self.places) == 0:
            self.places, self.counts = places, counts
            return
        both = np.concatenate([self.places, places])
        self.places, each = np.unique(both, return_inverse=True)
        sums = np.zeros(len(self.places), np.int64)
        np.add.at(sums, each, np.concatenate([self.counts, counts]))
        self.counts = sums


class LevelTally(Tally):
    """How often each of given levels occurs.

    Parameters
    ----------
    name : str
        The column, for messages.
    levels : Levels
        Whose counts are of other rows.
    """

    def __init__(self, name: str, levels: Levels) -> None:
        self.name, self.levels = name, levels
        self.counts = np.zeros(MOST_LEVELS + 1, np.int64)

    def update(self, parts: Iterable[NDArray[Any]]) -> None:
        for values in parts:
            if np.isinf(values).any():
                raise infinite(self.name)
            self.counts += np.bincount(self.levels.encode(values), minlength=len(self.counts))

    def merge(self, other: LevelTally) -> None:
        self.counts += other.counts


def found(search: Any, update: Callable[[Any], None]) -> Any:
    """Return what a search finds; `update` makes each tally that it asks for."""
    while isinstance(step := advanced(search), Tally):
        update(step)
    return step


def advanced(search: Any) -> Any:
    """Return the next tally that a search asks for, or what it found; what is no search is found already."""
    if not isinstance(search, Generator):
        return search
    try:
        return next(search)
    except StopIteration as end:
        return end.value


def levels_like(name: str, described: dict[str, Any]) -> Generator[LevelTally, None, Levels]:
    """Return levels that are given, with the counts of other rows; yield what is to be tallied."""
    codes = np.array(described["codes"], np.uint8)
    levels = Levels(np.array(described["bounds"]), codes, np.zeros(0, np.int64))
    yield (tally := LevelTally(name, levels))
    gap = int(codes[-1])
    return replace(levels, counts=tally.counts[: gap + bool(tally.counts[gap])])


def find_levels(
    name: str,
    kind: type[np.float32 | np.float64],
    *,
    n_bins: int,
    n_bits: int = 64,
    few: int = FEW_VALUES,
    only_whole: bool = True,
) -> Generator[KeyTally, None, Levels]:
    """Return the levels of a column; yield what is to be tallied of it, and go on when that is done.

    Parameters
    ----------
    name : str
        For messages.
    kind : type
        Of the values.
    n_bins : int
    n_bits : int
        How many bits of keys tell values apart, if fewer than there are.
    few : int
        Columns of at most so many different values keep them,
    only_whole : bool
        unless they are no whole numbers.

    Raises
    ------
    InputError
        For infinite values.
    """
    cells = yield from Cells.counted(name, kind, n_bits)
    while (chosen := cells.to_be_opened(n_bins, max(few, n_bins))).any():
        cells = yield from cells.opened(chosen)
    values = cells.values() if cells.are_values().all() else None
    n_levels = len(cells.counts) + (cells.n_gaps > 0)
    if values is not None:
        is_whole = bool((values == np.floor(values)).all())
        if n_levels <= n_bins or (len(values) <= few and (is_whole or not only_whole)):
            return _each_value(cells, values)
    return cells.binned(n_bins)


def _each_value(cells: Cells, values: NDArray[np.float64]) -> Levels:
    n = len(values)
    codes = np.append(np.arange(max(n, 1)), n).astype(np.uint8)
    counts = np.append(cells.counts, [cells.n_gaps] if cells.n_gaps else []).astype(np.int64)
    return Levels(values[1:].astype(cells.kind), codes, counts, values)


@dataclass(frozen=True, eq=False)
class Cells:
    """Sets of values that are neighbours, by the first bits of their keys, ascending.

    Attributes
    ----------
    keys : array of uint64, shape (n_cells,)
        The least key of each.
    depths : array of int, shape (n_cells,)
        How many times 16 bits are known.
    counts : array of int, shape (n_cells,)
    n_gaps : int
    kind : type
        Of the values.
    n_bits : int
        As for `find_levels`.
    """

    keys: Words
    depths: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_gaps: int
    kind: type[Any]
    n_bits: int = 64
    n_rows: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_rows", int(self.counts.sum()) + self.n_gaps)

    @classmethod
    def counted(cls, name: str, kind: type[Any], n_bits: int = 64) -> Generator[KeyTally, None, Cells]:
        """Count all values by the first 16 bits."""
        yield (tally := KeyTally(kind, np.zeros(1, np.uint64), 0))
        if np.isin(INFINITE[np.dtype(kind).itemsize * 8], tally.places).any():
            raise infinite(name)
        is_gap = tally.places == GAP
        keys = tally.places[~is_gap].astype(np.uint64) << np.uint64(64 - BITS)
        n_gaps = int(tally.counts[is_gap].sum())
        return cls(keys, np.ones(len(keys), np.int64), tally.counts[~is_gap], n_gaps, kind, n_bits)

    def ranges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the largest number that each cell may hold."""
        unknown = (np.uint64(1) << (64 - BITS * self.depths).astype(np.uint64)) - np.uint64(1)
        unknown[self.depths == 4] = 0
        ends = (self.keys, self.keys | unknown)
        low, high = (_values(keys, self.kind).astype(np.float64) for keys in ends)
        return low, high

    def are_values(self) -> NDArray[np.bool_]:
        """Return which cells hold one value each."""
        return np.asarray(self.depths * BITS >= min(np.dtype(self.kind).itemsize * 8, self.n_bits))

    def values(self) -> NDArray[np.float64]:
        """Return the least value of each cell."""
        return _values(self.keys, self.kind).astype(np.float64)

    def to_be_opened(self, n_bins: int, few: int) -> NDArray[np.bool_]:
        """Return which cells to look into next; of several depths only the lowest one's."""
        is_open = ~self.are_values()
        if len(self.counts) > few:
            frequent = is_open & (self.counts * n_bins > self.n_rows)
            is_open = frequent if frequent.any() else is_open & self._hold_bounds(n_bins)
        if is_open.any():
            is_open &= self.depths == self.depths[is_open].min()
        return np.asarray(is_open)

    def _hold_bounds(self, n_bins: int) -> NDArray[np.bool_]:
        """Return in which cells a bin may begin between two values.

        Within a cell of c rows what `Bins` has in brackets is from 2 · below + 1 to 2 · (below + c) − 1.
        """
        bins = Bins(self.counts, n_bins, self.n_rows)
        least = bins.at(2 * bins.below + 1)
        most = bins.at(2 * (bins.below + bins.counts) - 1)
        return np.asarray((bins.counts > 1) & (least < most))

    def opened(self, chosen: NDArray[np.bool_]) -> Generator[KeyTally, None, Cells]:
        """Return finer cells in place of some, all of one depth."""
        depth, keys = int(self.depths[chosen][0]), self.keys[chosen]
        yield (tally := KeyTally(self.kind, keys, depth))
        slots, places = np.divmod(tally.places, CELLS)
        if (np.bincount(slots, tally.counts, len(keys)) != self.counts[chosen]).any():
            raise changed()
        finer = keys[slots] | places.astype(np.uint64) << np.uint64(64 - BITS * (depth + 1))
        all_keys = np.append(self.keys[~chosen], finer)
        order = np.argsort(all_keys)
        depths = np.append(self.depths[~chosen], np.full(len(finer), depth + 1))
        all_counts = np.append(self.counts[~chosen], tally.counts)
        return Cells(all_keys[order], depths[order], all_counts[order], self.n_gaps, self.kind, self.n_bits)

    def binned(self, n_bins: int) -> Levels:
        """Return frequent values as levels of their own, and bins of the others; the gap is the last."""
        sparse = Bins(self.counts, n_bins, self.n_rows).codes()
        levels, codes = np.unique(sparse, return_inverse=True)
        begins = np.append(True, codes[1:] != codes[:-1])
        rows = np.bincount(codes, weights=self.counts).astype(np.int64)
        return Levels(
            _values(self.keys[begins], self.kind)[1:],
            np.append(codes[begins], len(levels)).astype(np.uint8),
            np.append(rows, [self.n_gaps] if self.n_gaps else []).astype(np.int64),
        )


class Bins:
    """Bins of about equally many rows, without values that more rows have than a bin should hold.

    The bin of a value is ⌊wanted · (2 · rows below + its rows) / (2 · rows)⌋.

    Parameters
    ----------
    counts : array of int, shape (..., n_values)
        The rows of values in ascending order, the gap not among them.
    n_bins, n_rows : int
    """

    def __init__(self, counts: NDArray[np.int64], n_bins: int, n_rows: int) -> None:
        self.is_apart = counts * n_bins > n_rows
        self.counts = np.where(self.is_apart, 0, counts)
        self.below = self.counts.cumsum(axis=-1) - self.counts
        self.n_left = self.counts.sum(axis=-1, keepdims=True)
        self.n_wanted = np.maximum(np.rint(n_bins * self.n_left / n_rows), 2).astype(np.int64)

    def at(self, doubled: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bins at places, of which the double is given."""
        return np.asarray(self.n_wanted * doubled // np.maximum(2 * self.n_left, 1))

    def codes(self) -> NDArray[np.int64]:
        """Return the bin of each value, behind them the frequent ones; some may have no value."""
        apart = self.n_wanted + self.is_apart.cumsum(axis=-1) - 1
        return np.where(self.is_apart, apart, self.at(2 * self.below + self.counts))


def infinite(name: str) -> InputError:
    """Return the error for a column with infinite values."""
    return InputError(f"X: column {name!r} holds infinite (inf) values, must be finite")


def changed() -> InputError:
    """Return the error for other rows in a later pass than in the first one."""
    return InputError("DATA: the table changed while it was read; read it again")


def _tables(keys: Words, depth: int) -> Bytes:
    """Return tables that lead from 16 bits to the next, see `pyfsel_count_singles`."""
    prefixes = [np.unique(keys >> np.uint64(64 - BITS * d)) for d in range(1, depth + 1)]
    n_slots = max([1, *(len(each) for each in prefixes[:-1])])
    tables = np.full((depth, n_slots, CELLS), NO_SLOT, np.uint8)
    for d, each in enumerate(prefixes):
        above = each >> np.uint64(BITS)
        parents = np.searchsorted(prefixes[d - 1], above) if d else np.zeros(len(each), np.intp)
        tables[d, parents, (each & np.uint64(CELLS - 1)).astype(np.intp)] = np.arange(len(each))
    return tables


def _values(keys: Words, kind: type[Any]) -> NDArray[Any]:
    """Return the numbers of keys."""
    bits = np.where(keys >> np.uint64(63), keys ^ np.uint64(1 << 63), ~keys)
    if kind is np.float32:
        return (bits >> np.uint64(32)).astype(np.uint32).view(np.float32)
    return bits.view(np.float64)


@in_core
def count_singles(
    values: Annotated[ShortWords, "n_rows"],
    tables: Annotated[Bytes, "depth", "n_slots", "65536"],
    counts: Annotated[ShortWords, "n_open", "65536"],
) -> None:
    """Count the bits of single-precision numbers behind those that tables lead through."""


@in_core
def count_doubles(
    values: Annotated[Words, "n_rows"],
    tables: Annotated[Bytes, "depth", "n_slots", "65536"],
    counts: Annotated[ShortWords, "n_open", "65536"],
) -> None:
    """Do the same with double precision."""


@in_core
def encode_singles(
    values: Annotated[ShortReals, "n_rows"],
    bounds: Annotated[ShortReals, "n_bounds"],
    codes: Annotated[Bytes, "n_bounds + 2"],
    found: Annotated[Bytes, "n_rows"],
) -> None:
    """Write the level of each single-precision number."""


@in_core
def encode_doubles(
    values: Annotated[Reals, "n_rows"],
    bounds: Annotated[Reals, "n_bounds"],
    codes: Annotated[Bytes, "n_bounds + 2"],
    found: Annotated[Bytes, "n_rows"],
) -> None:
    """Do the same with double precision."""
