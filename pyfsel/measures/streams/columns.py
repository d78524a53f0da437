"""What the columns of a source hold: numbers or categories, and their levels."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.binding import Bytes
from pyfsel.errors import InputError
from pyfsel.measures.streams.levels import (
    MOST_LEVELS,
    Levels,
    Tally,
    changed,
    find_levels,
    levels_like,
)
from pyfsel.measures.tables.encoded import LARGEST_EXACT, warn

NARROW_BITS = 16
"""Whole numbers of so many bits are exact in single precision."""


@dataclass(frozen=True, eq=False)
class Categories:
    """The levels of a column of labels, in sorted order; a gap is the last.

    Parameters
    ----------
    labels : list
    counts : array of int, shape (n_levels,)
    value_set : pyarrow.Array
        The labels.
    """

    labels: list[Any]
    counts: NDArray[np.int64]
    value_set: Any

    @classmethod
    def of(cls, counts: dict[Any, int], kind: Any) -> Categories:
        """Return the levels of labels, by how often each occurs; the gap is None."""
        import pyarrow as pa

        labels = sorted(label for label in counts if label is not None)
        rows = [counts[label] for label in [*labels, *({None} & set(counts))]]
        return cls(labels, np.array(rows, np.int64), pa.array(labels, kind))

    @property
    def n_gaps(self) -> int:
        """The number of rows without a label."""
        return int(self.counts[-1]) if len(self.counts) > len(self.labels) else 0

    def described(self) -> dict[str, Any]:
        """Return what is the same for equal levels, whatever their rows."""
        return {"values": self.labels}

    def encode(self, array: Any) -> Bytes:
        """Return the level of each label."""
        import pyarrow.compute as pc

        found = pc.index_in(_plain(array), value_set=self.value_set)
        if found.null_count != array.null_count:
            raise changed()
        return np.asarray(found.fill_null(len(self.labels)).to_numpy(zero_copy_only=False), dtype=np.uint8)


@dataclass(frozen=True)
class Column:
    """A column of a source.

    Parameters
    ----------
    name : str
    kind : type or None
        `numpy.float32` or `numpy.float64` in which its numbers are exact, or as near as in memory; None for
        categories.
    is_float : bool
        Whether its numbers may have decimal places.
    n_bits : int
        How many bits of their keys tell its numbers apart, see `pyfsel.measures.streams.levels`.
    offset : int
        What is subtracted from whole numbers beyond 2⁵³, the least of them, see `exact_columns`.
    """

    name: str
    kind: Any
    is_float: bool
    n_bits: int = 64
    offset: int = 0

    @classmethod
    def of(cls, field: Any, like: dict[str, Any] | None = None) -> Column:
        """Return the column of a field of a schema; its numbers may be compared with bounds of others.

        Raises
        ------
        InputError
            If it holds neither numbers nor categories.
        """
        import pyarrow as pa

        kind, types = field.type, pa.types
        is_wide = like is not None and bool(like.get("bounds"))
        if kind in (pa.int8(), pa.uint8(), pa.bool_()):  # of single precision the first 16 bits
            return cls(field.name, np.float64 if is_wide else np.float32, False, 64 if is_wide else 16)
        if types.is_float16(kind) or types.is_float32(kind) or types.is_null(kind):
            return cls(field.name, np.float64 if is_wide else np.float32, types.is_floating(kind))
        if types.is_integer(kind):
            is_wide |= kind.bit_width > NARROW_BITS
            return cls(field.name, np.float64 if is_wide else np.float32, False)
        if types.is_float64(kind) or types.is_decimal(kind):
            return cls(field.name, np.float64, True)
        label = kind.value_type if types.is_dictionary(kind) else kind
        is_number = types.is_integer(label) or types.is_floating(label) or types.is_boolean(label)
        if "string" in str(label) or is_number:
            return cls(field.name, None, False)
        remedy = "leave it out (--ignore on the command line), or make numbers of it before"
        raise InputError(f"X: column {field.name!r} is of type {kind}, must hold numbers or text; {remedy}")

    def numbers(self, array: Any) -> NDArray[Any]:
        """Return an array of Arrow as numbers, NaN where there is none."""
        import pyarrow as pa

        if self.offset:
            import pyarrow.compute as pc

            array = pc.subtract(array, pa.scalar(self.offset, array.type))
        is_plain = pa.types.is_integer(array.type) or pa.types.is_floating(array.type)
        if array.null_count or not is_plain:
            wanted = pa.from_numpy_dtype(self.kind)
            between = pa.uint8() if pa.types.is_boolean(array.type) else array.type
            array = array.cast(between).cast(wanted, safe=False).fill_null(float("nan"))
        return np.from_dlpack(array).astype(self.kind, copy=False)

    def levels(self, n_bins: int, like: dict[str, Any] | None = None, **options: Any) -> Search:
        """Return the search for the levels of the column.

        Parameters
        ----------
        n_bins : int
        like : dict, optional
            Levels of other rows, described; bins are the same ones.
        **options
            As for `find_levels`.
        """
        if self.kind is None:
            return _find_categories(self.name)
        if like is not None and like["values"] is None:
            return levels_like(self.name, like)
        return find_levels(self.name, self.kind, n_bins=n_bins, n_bits=self.n_bits, **options)

    def update(self, tally: Tally, parts: Iterable[Any]) -> None:
        """Tally the entries of arrays of Arrow."""
        is_raw = self.kind is None or isinstance(tally, RangeTally)
        tally.update(parts if is_raw else map(self.numbers, parts))

    def encode(self, levels: Levels | Categories, array: Any) -> Bytes:
        """Return the level of each entry."""
        return levels.encode(array if isinstance(levels, Categories) else self.numbers(array))


def _plain(array: Any) -> Any:
    """Return labels without their dictionary, which may differ between parts, text of one kind."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array.cast(pa.large_string()) if "string" in str(array.type) else array


class RangeTally(Tally):
    """The least and the largest of whole numbers."""

    def __init__(self) -> None:
        self.ends: list[int] = []

    def update(self, parts: Iterable[Any]) -> None:
        import pyarrow.compute as pc

        found = [pc.min_max(array).as_py() for array in parts]
        self._add([end for one in found for end in one.values() if end is not None])

    def merge(self, other: RangeTally) -> None:
        self._add(other.ends)

    def _add(self, ends: list[int]) -> None:
        both = self.ends + ends
        self.ends = [min(both), max(both)] if both else []


def find_exact(column: Column, like: dict[str, Any] | None) -> Generator[RangeTally, None, Column]:
    """Return a column of whole numbers with the offset from which they are exact as floats, if there is one.

    Other rows that are compared with these have theirs.
    """
    if like is not None:
        return replace(column, offset=like.get("offset", 0))
    yield (tally := RangeTally())
    least, largest = tally.ends or (0, 0)
    if max(-least, largest) <= LARGEST_EXACT:
        return column
    if largest - least <= LARGEST_EXACT:
        return replace(column, offset=least)
    warn(f"X: column {column.name!r} holds whole numbers too far apart to be exact; they are rounded")
    return column


class LabelTally(Tally):
    """How often each label occurs, a gap as None.

    Parameters
    ----------
    name : str
        The column, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts: dict[Any, int] = {}
        self.kind: Any = None

    def update(self, parts: Iterable[Any]) -> None:
        import pyarrow.compute as pc

        for array in parts:
            plain = _plain(array)
            self.kind = self.kind or plain.type
            found = pc.value_counts(plain)
            self._add(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True))

    def merge(self, other: LabelTally) -> None:
        self.kind = self.kind or other.kind
        self._add(other.counts.items())

    def _add(self, counts: Iterable[tuple[Any, int]]) -> None:
        for label, count in counts:
            self.counts[label] = self.counts.get(label, 0) + count
        if len(self.counts) > MOST_LEVELS:
            raise InputError(
                f"X: column {self.name!r} holds more than {MOST_LEVELS} categories, which a table beyond "
                "memory may not; an identifier is better left out (--ignore on the command line)"
            )


def _find_categories(name: str) -> Generator[LabelTally, None, Categories]:
    yield (tally := LabelTally(name))
    return Categories.of(tally.counts, tally.kind)


Search = Generator[Any, None, Levels | Categories]
"""Yields tallies to be made, and returns levels."""
