"""Codes of columns in a temporary file, and counts of their pairs.

A lane is a byte for each row: the levels of two columns where that is enough, else of one. Lanes lie one
behind the other in a file without a name. It is read and written plainly: mapped pages would count as memory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.core.binding import Bytes, Ints, ShortWords, in_core
from pyfsel.errors import InputError
from pyfsel.results.counting import counted

VALUES_OF_A_BYTE = 256
ROWS_AT_ONCE, BYTES_AT_ONCE = 2**17, 2**26
MOST_ROWS = 2**32 - 1
"""Counts have 32 bits."""


@dataclass(eq=False)
class Lanes:
    """The levels of all rows.

    Parameters
    ----------
    n_rows : int
    """

    n_rows: int
    _members: list[tuple[int, int]] = field(default_factory=list)
    _sizes: list[tuple[int, int]] = field(default_factory=list)
    _file: Any = field(default_factory=partial(tempfile.TemporaryFile, buffering=0))

    def __post_init__(self) -> None:
        if self.n_rows > MOST_ROWS:
            raise InputError(f"DATA: has {self.n_rows} rows, may have at most {MOST_ROWS}")

    def add(self, columns: Sequence[int], sizes: Sequence[int], parts: Iterable[Sequence[Bytes]]) -> int:
        """Write columns and return their number of rows.

        Parameters
        ----------
        columns, sizes : sequences of int
            Their numbers, and how many levels each has.
        parts : iterable
            The levels of some rows, an array for each column.
        """
        lanes, place = [], 0
        while place < len(columns):
            both = place + 1 < len(columns) and sizes[place] * sizes[place + 1] <= VALUES_OF_A_BYTE
            lanes.append((place, place + 1 if both else -1))
            place += 2 if both else 1
        first_lane, row = len(self._members), 0
        for first, second in lanes:
            self._members.append((columns[first], columns[second] if second >= 0 else -1))
            self._sizes.append((sizes[first], sizes[second] if second >= 0 else 1))
        for codes in parts:
            for lane, (first, second) in enumerate(lanes):
                together = codes[first]
                if second >= 0:
                    together = together * np.uint8(sizes[second]) + codes[second]
                self._file.seek((first_lane + lane) * self.n_rows + row)
                self._file.write(together)
            row += len(codes[0])
        return row

    def count(
        self, columns: Sequence[int], sizes: NDArray[np.int64], asked: Sequence[int] | None = None
    ) -> ShortWords:
        """Return how often the levels of columns occur together.

        Parameters
        ----------
        columns : sequence of int
        sizes : array of int
            How many levels each column of the table has.
        asked : sequence of int, optional
            The columns whose levels the rows of the result are; otherwise the same ones, and then only pairs
            with columns of the same or a later lane are counted.
        """
        starts, n_levels = self._first_levels(columns, sizes)
        rows, n_asked = (starts, n_levels) if asked is None else self._first_levels(asked, sizes)
        used = np.flatnonzero((starts >= 0).any(axis=1) | (rows >= 0).any(axis=1))
        its_sizes = np.array([self._sizes[lane] for lane in used], np.int64)
        starts, rows = (np.ascontiguousarray(each[used]) for each in (starts, rows))
        counts, cells = np.zeros((n_asked, n_levels), np.uint32), np.zeros(2**16, np.uint32)
        at_once = min(ROWS_AT_ONCE, self.n_rows, BYTES_AT_ONCE // len(used))
        lanes = np.zeros((len(used), at_once), np.uint8)
        blocks = range(0, self.n_rows, at_once)
        what = f"blocks of rows, with pairs of {len(columns)} columns"
        with closing(counted(what, blocks, len(blocks))) as steps:
            for begin in steps:
                n = min(at_once, self.n_rows - begin)
                for lane, content in zip(used.tolist(), lanes, strict=True):
                    self._file.seek(lane * self.n_rows + begin)
                    self._file.readinto(content[:n])
                for lane in np.flatnonzero((rows >= 0).any(axis=1)).tolist():
                    first = lane if asked is None else 0
                    count_lane(lanes, its_sizes, rows, starts, lane, first, n, cells, counts)
        return counts

    def _first_levels(self, columns: Sequence[int], sizes: NDArray[np.int64]) -> tuple[Ints, int]:
        """Return the first level of the two columns of each lane, −1 for others, and the number of levels."""
        starts, chosen = np.full(len(sizes) + 1, -1), np.asarray(columns, dtype=np.intp)
        starts[chosen] = np.cumsum(sizes[chosen]) - sizes[chosen]
        return starts[np.array(self._members)], int(sizes[chosen].sum())

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def __del__(self) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Let other processes of this machine read the same file, under Linux, as long as this one has it."""
        return vars(self) | {"_file": f"/proc/{os.getpid()}/fd/{self._file.fileno()}"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._file = open(state["_file"], "rb", buffering=0)  # noqa: SIM115 - closed by `close`


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
    """Add the levels of one lane together with those of others from `first` on, in some rows, to counts."""
