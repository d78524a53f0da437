"""Codes of columns in a file, and counts of their pairs.

A lane is a byte for each row: the levels of two columns if that is enough, else of one. A column of more
levels than a byte has takes several lanes for itself. Lanes lie one behind the other in a file without a
name. It is read and written plainly: mapped pages would count as memory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.arrays import Array, Bytes, Ints, ShortWords
from pyfsel.core.binding import in_core
from pyfsel.errors import InputError
from pyfsel.results.jobs import counted

VALUES_OF_A_BYTE = 256
ROWS_AT_ONCE, BYTES_AT_ONCE = 2**19, 2**25
MOST_ROWS = 2**32 - 1
"""Counts have 32 bits."""

Codes = NDArray[np.unsignedinteger[Any]]
Places = Sequence[int] | NDArray[np.integer[Any]]


class Place(NamedTuple):
    """Where a column lies.

    Parameters
    ----------
    lane : int
        The first of its lanes.
    width : int
        The number of its lanes.
    which : int
        Whether it is the first (0) or the second (1) column of the lane.
    sizes : (int, int)
        The number of categories of both columns of the lane; 1 if the second is missing.
    """

    lane: int
    width: int
    which: int
    sizes: tuple[int, int]


class _File:
    """A temporary file without a name, which is closed when nobody needs it."""

    def __init__(self) -> None:
        self.file: Any = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115

    def __del__(self) -> None:
        self.file.close()

    def __getstate__(self) -> str:
        """Let other processes of this machine read the same file, under Linux, as long as this one has it."""
        return f"/proc/{os.getpid()}/fd/{self.file.fileno()}"

    def __setstate__(self, path: str) -> None:
        self.file = SimpleNamespace(seek=not_here, close=int)  # a saved copy may be read later
        with suppress(OSError):
            self.file = open(path, "rb", buffering=0)  # noqa: SIM115


def not_here(*_: Any) -> Any:
    """Raise `InputError`: what is read in parts is not saved, and a copy may outlive it."""
    raise InputError("X: is read in parts, and a saved copy does not have its rows. Read the table again")


@dataclass(frozen=True, eq=False)
class Lanes:
    """The levels of all rows, which are read like an array of codes: ``lanes[:, some]``.

    Parameters
    ----------
    n_rows : int
    """

    n_rows: int
    _places: tuple[Place, ...] = ()
    _file: _File = field(default_factory=_File)

    @classmethod
    def of(cls, n_rows: int, parts: Iterable[Codes]) -> Self:
        """Write the codes of some columns after another, each part of shape (n_columns, n_rows)."""
        if n_rows > MOST_ROWS:
            raise InputError(f"DATA: has {n_rows} rows, may have at most {MOST_ROWS}")
        found, places = cls(n_rows), list[Place]()
        for codes in parts:
            found._write(places, codes)
        return replace(found, _places=tuple(places))

    def _write(self, places: list[Place], codes: Codes) -> None:
        sizes, first = [int(column.max()) + 1 for column in codes], 0
        while first < len(codes):
            lane = places[-1].lane + places[-1].width if places else 0
            both = (sizes[first], sizes[first + 1] if first + 1 < len(codes) else VALUES_OF_A_BYTE + 1)
            content = codes[first]
            if both[0] * both[1] <= VALUES_OF_A_BYTE:
                content = (content * np.uint8(both[1]) + codes[first + 1]).astype(np.uint8)
                places += [Place(lane, 1, which, both) for which in (0, 1)]
                first += 2
            else:
                content = content.astype(np.min_scalar_type(both[0] - 1))
                places.append(Place(lane, content.itemsize, 0, (both[0], 1)))
                first += 1
            self._file.file.seek(lane * self.n_rows)
            self._file.file.write(np.ascontiguousarray(content))

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.n_rows, len(self._places)

    @property
    def sizes(self) -> Ints:
        """The number of levels of each column."""
        return np.array([place.sizes[place.which] for place in self._places], np.int64)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, key: tuple[slice, Any]) -> Codes:
        """Return the codes of some columns, shape (n_rows, n_some), or of one, shape (n_rows,)."""
        chosen = np.arange(len(self._places))[key[1]]
        if chosen.ndim == 0:
            return self._codes(self._places[chosen], 0, self.n_rows)
        each = [self._codes(self._places[j], 0, self.n_rows) for j in chosen]
        return np.column_stack(each) if each else np.zeros((self.n_rows, 0), np.uint8)

    def _codes(self, place: Place, begin: int, n: int) -> Codes:
        found = np.empty(n, f"u{place.width}")
        self._file.file.seek(place.lane * self.n_rows + begin * place.width)
        self._file.file.readinto(found)
        if place.sizes[1] == 1 and not place.which:
            return found
        return found % place.sizes[1] if place.which else found // place.sizes[1]

    def select(self, columns: Places) -> Self:
        """Return some of the columns."""
        return replace(self, _places=tuple(self._places[j] for j in columns))

    def count(self, columns: Places, asked: Places | None = None) -> Array:
        """Return how often the levels of columns occur together.

        Parameters
        ----------
        columns : sequence of int
        asked : sequence of int, optional
            The columns whose levels the rows of the result are; otherwise the same ones, and then only pairs
            with columns of the same or a later lane are sure to be counted.
        """
        starts, n_levels = self._first_levels(columns)
        rows, n_asked = (starts, n_levels) if asked is None else self._first_levels(asked)
        counts = np.zeros((n_asked, n_levels), np.uint32)
        self._count_narrow(rows, starts, counts, asked is None)
        for j in np.flatnonzero(rows >= 0).tolist():
            for i in np.flatnonzero(starts >= 0).tolist():
                if max(self._places[j].width, self._places[i].width) > 1:
                    self._count_wide(self._places[j], self._places[i], counts[rows[j] :, starts[i] :])
        return counts

    def _first_levels(self, columns: Places) -> tuple[Ints, int]:
        """Return the first level of each column, −1 for others, and the number of levels."""
        starts, sizes = np.full(len(self._places), -1), self.sizes[list(columns)]
        starts[list(columns)] = np.cumsum(sizes) - sizes
        return starts, int(sizes.sum())

    def _count_narrow(self, rows: Ints, starts: Ints, counts: ShortWords, is_symmetric: bool) -> None:
        """Add the pairs of columns of one byte."""
        used = [
            j for j, place in enumerate(self._places) if place.width == 1 and max(rows[j], starts[j]) >= 0
        ]
        if not used:
            return
        lane_of, _, which, both = zip(*(self._places[j] for j in used), strict=True)
        lanes, number = np.unique(lane_of, return_inverse=True)
        of_rows, of_starts, sizes = *np.full((2, len(lanes), 2), -1), np.ones((len(lanes), 2), np.int64)
        of_rows[number, which], of_starts[number, which], sizes[number] = rows[used], starts[used], both
        at_once = min(ROWS_AT_ONCE, self.n_rows, BYTES_AT_ONCE // len(lanes) + 1)
        content, cells = np.zeros((len(lanes), at_once), np.uint8), np.zeros(2**16, np.uint32)
        blocks = range(0, self.n_rows, at_once)
        what = f"blocks of rows, with pairs of {int((starts >= 0).sum())} columns"
        with closing(counted(what, blocks, len(blocks))) as steps:
            for begin in steps:
                n = min(at_once, self.n_rows - begin)
                for lane, row in zip(lanes.tolist(), content, strict=True):
                    self._file.file.seek(lane * self.n_rows + begin)
                    self._file.file.readinto(row[:n])
                for lane in np.flatnonzero((of_rows >= 0).any(axis=1)).tolist():
                    first = lane if is_symmetric else 0
                    count_lane(content, sizes, of_rows, of_starts, lane, first, n, cells, counts)

    def _count_wide(self, row: Place, column: Place, counts: Array) -> None:
        """Add the levels of two columns, one of which takes more than a byte."""
        for begin in range(0, self.n_rows, ROWS_AT_ONCE):
            some = min(ROWS_AT_ONCE, self.n_rows - begin)
            np.add.at(counts, (self._codes(row, begin, some), self._codes(column, begin, some)), np.uint32(1))


@in_core
def count_lane(
    lanes: Annotated[Bytes, "n_lanes", "n_room"],
    sizes: Annotated[Ints, "n_lanes", "2"],
    rows: Annotated[Ints, "n_lanes", "2"],
    starts: Annotated[Ints, "n_lanes", "2"],
    lane: int,
    first: int,
    n_rows: int,
    cells: Annotated[ShortWords, "65536"],
    counts: Annotated[ShortWords, "n_asked", "n_levels"],
) -> None:
    """Add to counts in some rows the categories of one lane with the categories of lanes from `first` on."""
