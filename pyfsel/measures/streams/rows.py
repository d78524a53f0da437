"""Who reads the rows of a source: this process, strip by strip, or workers, part by part.

Both find the levels of columns and count how they occur together. All that workers return are whole numbers,
which add up to the same whatever the parts are, and whichever worker counted them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from copy import deepcopy
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.streams.columns import Column
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.streams.levels import Tally, advanced, changed, found
from pyfsel.measures.streams.moments import Whole, products
from pyfsel.measures.streams.sources import Source
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished

STRIP_BYTES = 100_000_000
"""Columns that are read together; two that are larger are read again for each pass."""
BYTES_OF_TEXT = 24
MEGABYTE = 1e6
PARTS_OF_A_WORKER, ROWS_OF_A_PART = 3, 2**20
"""At most so many, to share what a lost worker had; of fewer rows counts cost more to send than to make."""


class Wanted(NamedTuple):
    """A column, its number, and its levels, or a search for them or for something else."""

    number: int
    column: Column
    levels: Any


class Here:
    """Reads in this process; levels are written to a temporary file when they are found.

    Parameters
    ----------
    source : Source
    memory : int
        Bytes that may be held at a time.
    """

    def __init__(self, source: Source, memory: int) -> None:
        self._source, self._most = source, min(STRIP_BYTES, memory // 4)
        self.lanes = Lanes(source.n_rows)

    def levels(self, wanted: Sequence[Wanted], is_kept: bool = True) -> list[Any]:
        """Return the levels of columns, or what else searches find; levels of all rows may be kept."""
        levels: list[Any] = []
        strips = list(_strips(wanted, self._source, self._most))
        size = sum(_size(one.column, self._source) for one in wanted) / MEGABYTE
        what = f"strips of columns ({self._source.n_rows:,} rows, {size:,.1f} MB)"
        with closing(counted(what, strips, len(strips))) as steps:
            for strip in steps:
                levels += self._found(strip, is_kept)
        return levels

    def _found(self, strip: Sequence[Wanted], is_kept: bool) -> list[Any]:
        """Find the levels of the columns of a strip, and write those of all rows."""
        columns = [one.column for one in strip]
        names = [column.name for column in columns]
        is_held = sum(_size(column, self._source) for column in columns) <= self._most
        held = list(self._source.parts(names)) if is_held else None

        def parts(name: str) -> Iterator[Any]:
            return (batch.column(name) for batch in (self._source.parts([name]) if held is None else held))

        def update(column: Column, tally: Tally) -> None:
            column.update(tally, parts(column.name))

        levels = [found(one.levels, partial(update, one.column)) for one in strip]
        if not is_kept:
            return levels
        codes = (
            [
                column.encode(its, batch.column(column.name))
                for column, its in zip(columns, levels, strict=True)
            ]
            for batch in (self._source.parts(names) if held is None else held)
        )
        sizes = [len(its.counts) for its in levels]
        if self.lanes.add([one.number for one in strip], sizes, codes) != self._source.n_rows:
            raise changed()
        return levels

    def count(
        self, columns: Sequence[int], sizes: NDArray[np.int64], asked: Sequence[int] | None = None
    ) -> NDArray[Any]:
        """Return how often levels of columns occur together, as `Lanes.count` does."""
        return self.lanes.count(columns, sizes, asked)

    def products(self, columns: Sequence[Whole]) -> NDArray[np.int64]:
        """Return sums of products, as `pyfsel.measures.streams.moments.products` does."""
        return products(self._source, columns)

    def close(self) -> None:
        """Remove the temporary file."""
        self.lanes.close()


class Elsewhere:
    """Lets workers read: those of joblib (processes, or the machines of a cluster), or of Spark.

    Nothing is kept on a worker, so the parts of one that is lost are read and counted by another.

    Parameters
    ----------
    source : Source
        Its parts must be in reach of all workers: files, say, in a folder that they share.
    memory : int
        Bytes that each may hold at a time.
    n_jobs, n_workers : int, optional
        As joblib takes the one, and how many workers that makes; of no use for a DataFrame of Spark.
    """

    def __init__(self, source: Source, memory: int, n_jobs: int | None, n_workers: int) -> None:
        self._source, self._memory, self._n_jobs = source, memory, n_jobs
        n_parts = min(PARTS_OF_A_WORKER * n_workers, max(n_workers, source.n_rows // ROWS_OF_A_PART))
        self._parts = [] if source.frame else source.split(n_parts)
        self._known: dict[int, Wanted] = {}

    def levels(self, wanted: Sequence[Wanted], is_kept: bool = True) -> list[Any]:
        """Return the levels of columns, or what else their searches find."""
        steps = [advanced(one.levels) for one in wanted]
        while asked := [j for j, step in enumerate(steps) if isinstance(step, Tally)]:
            empty = [wanted[j]._replace(levels=steps[j]) for j in asked]
            tallies = self._total("tallied", _tallied, empty, self._memory)
            for j, tally in zip(asked, tallies, strict=True):
                steps[j].merge(tally)
                steps[j] = advanced(wanted[j].levels)
        if is_kept:
            self._known |= {
                one.number: one._replace(levels=step) for one, step in zip(wanted, steps, strict=True)
            }
        return steps

    def count(
        self, columns: Sequence[int], sizes: NDArray[np.int64], asked: Sequence[int] | None = None
    ) -> NDArray[Any]:
        """Return how often levels of columns occur together, as `Lanes.count` does."""
        wanted = [self._known[number] for number in sorted({*columns, *(asked or ())})]
        [total] = self._total("counted", _counted, wanted, self._memory, columns, sizes, asked)
        return np.asarray(total.numbers)

    def products(self, columns: Sequence[Whole]) -> NDArray[np.int64]:
        """Return sums of products, as `pyfsel.measures.streams.moments.products` does."""
        [total] = self._total("multiplied", _multiplied, columns)
        return np.asarray(total.numbers)

    def _total(
        self, what: str, function: Callable[..., Any], read: Sequence[Wanted | Whole], *arguments: Any
    ) -> list[Any]:
        """Return the sums of what a function returns for each part, of which it reads some columns."""
        if self._source.frame:
            names = [one.column.name for one in read]
            total: list[Any] = self._source.frame.total(added, names, function, read, *arguments)
            return total
        return reduce(added, self._done(what, function, read, *arguments))

    def _done(self, what: str, function: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
        """Yield what a function returns for each part, once: a part of a lost worker may come twice."""
        left = set(range(len(self._parts)))
        jobs = ((number, (part, *arguments)) for number, part in enumerate(self._parts))
        with (
            closing(finished(function, jobs, self._n_jobs)) as results,
            closing(counted(f"parts of the rows {what}", results, len(self._parts))) as steps,
        ):
            for number, result in steps:
                if number in left:
                    left.remove(number)
                    yield result

    def close(self) -> None:
        """Do nothing: nothing is kept."""


class Sums:
    """Whole numbers of some rows, which add up one by one."""

    def __init__(self, numbers: NDArray[Any]) -> None:
        self.numbers = numbers

    def merge(self, other: Sums) -> None:
        """Add those of other rows; counts of a part have 32 bits."""
        kind = np.result_type(self.numbers, np.int64)
        self.numbers = np.add(self.numbers, other.numbers, dtype=kind)


def added(total: list[Any], other: list[Any]) -> list[Any]:
    """Merge what another part of the rows has into a total, tally by tally."""
    for mine, theirs in zip(total, other, strict=True):
        mine.merge(theirs)
    return total


def _tallied(source: Source, empty: Sequence[Wanted], memory: int) -> list[Tally]:
    """Return the tallies of some rows."""
    wanted = [one._replace(levels=_once(deepcopy(one.levels))) for one in empty]  # others need it as it is
    with closing(Here(source, memory)) as reader:
        return [tally for [tally] in reader.levels(wanted, is_kept=False)]


def _once(tally: Tally) -> Generator[Tally, None, list[Tally]]:
    """Search for nothing but a tally; alone it would be taken for the next one that is asked for."""
    yield tally
    return [tally]


def _counted(
    source: Source,
    wanted: Sequence[Wanted],
    memory: int,
    columns: Sequence[int],
    sizes: NDArray[np.int64],
    asked: Sequence[int] | None,
) -> list[Sums]:
    """Return how often levels occur together in some rows."""
    with closing(Here(source, memory)) as reader:
        reader.levels(wanted)
        return [Sums(reader.count(columns, sizes, asked))]


def _multiplied(source: Source, columns: Sequence[Whole]) -> list[Sums]:
    """Return the sums of products of some rows."""
    return [Sums(products(source, columns))]


def _strips(wanted: Sequence[Wanted], source: Source, most: int) -> Iterator[list[Wanted]]:
    """Cut columns into strips that fit into so many bytes, two columns at least, which share a byte."""
    strip: list[Wanted] = []
    size = 0
    for first in range(0, len(wanted), 2):
        both = wanted[first : first + 2]
        its_size = sum(_size(one.column, source) for one in both)
        if strip and size + its_size > most:
            yield strip
            strip, size = [], 0
        strip += both
        size += its_size
    yield strip


def _size(column: Column, source: Source) -> int:
    kind = source.schema.field(column.name).type
    try:
        return int(source.n_rows * max(kind.bit_width // 8, 1))
    except ValueError:  # no fixed width
        return source.n_rows * BYTES_OF_TEXT
