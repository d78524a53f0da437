"""What the columns of a source hold: numbers or categories, and their levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.streams.levels import MOST_LEVELS, Levels, changed, find_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.core import Bytes

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

    @property
    def n_gaps(self) -> int:
        """The number of rows without a label."""
        return int(self.counts[-1]) if len(self.counts) > len(self.labels) else 0

    def described(self) -> tuple[Any, ...]:
        """Return what is the same for equal levels, whatever their rows."""
        return tuple(self.labels)

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
    """

    name: str
    kind: Any
    is_float: bool

    @classmethod
    def of(cls, field: Any) -> Column:
        """Return the column of a field of a schema.

        Raises
        ------
        InputError
            If it holds neither numbers nor categories.
        """
        import pyarrow as pa

        kind, types = field.type, pa.types
        if types.is_boolean(kind) or types.is_float16(kind) or types.is_float32(kind) or types.is_null(kind):
            return cls(field.name, np.float32, types.is_floating(kind))
        if types.is_integer(kind):
            return cls(field.name, np.float32 if kind.bit_width <= NARROW_BITS else np.float64, False)
        if types.is_float64(kind) or types.is_decimal(kind):
            return cls(field.name, np.float64, True)
        is_text = types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"
        if is_text or types.is_dictionary(kind):
            return cls(field.name, None, False)
        remedy = "leave it out (--ignore on the command line), or make numbers of it before"
        raise InputError(f"X: column {field.name!r} is of type {kind}, must hold numbers or text; {remedy}")

    def numbers(self, array: Any) -> NDArray[Any]:
        """Return an array of Arrow as numbers, NaN where there is none."""
        import pyarrow as pa

        wanted = pa.from_numpy_dtype(self.kind)
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.uint8())
        if array.type != wanted:
            array = array.cast(wanted, safe=False)
        return np.asarray(array.to_numpy(zero_copy_only=False))

    def levels(self, parts: Callable[[], Iterable[Any]], n_bins: int, **options: Any) -> Levels | Categories:
        """Return the levels of the column; parameters as for `find_levels`."""
        if self.kind is None:
            return _categories(self.name, parts())
        return find_levels(self.name, lambda: map(self.numbers, parts()), self.kind, n_bins=n_bins, **options)

    def encode(self, levels: Levels | Categories, array: Any) -> Bytes:
        """Return the level of each entry."""
        return levels.encode(array if isinstance(levels, Categories) else self.numbers(array))


def _plain(array: Any) -> Any:
    """Return labels without their dictionary, which may differ between parts, text of one kind."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array.cast(pa.large_string()) if "string" in str(array.type) else array


def _categories(name: str, parts: Iterable[Any]) -> Categories:
    import pyarrow as pa
    import pyarrow.compute as pc

    counts: dict[Any, int] = {}
    kind: Any = pa.large_string()
    for array in parts:
        plain = _plain(array)
        kind = plain.type
        found = pc.value_counts(plain)
        for label, count in zip(
            found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True
        ):
            counts[label] = counts.get(label, 0) + count
        if len(counts) > MOST_LEVELS:
            raise InputError(
                f"X: column {name!r} holds more than {MOST_LEVELS} categories, which a table beyond memory "
                "may not; an identifier is better left out (--ignore on the command line)"
            )
    gaps = counts.pop(None, 0)
    labels = sorted(counts)
    rows = [counts[label] for label in labels] + ([gaps] if gaps else [])
    return Categories(labels, np.array(rows, np.int64), pa.array(labels, kind))
