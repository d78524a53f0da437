"""From a source to statistics: levels of each column, codes on disk, and what is counted of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.contingency import first_levels
from pyfsel.measures.levels import default_bins
from pyfsel.measures.on_demand import MOST_ROWS, Information
from pyfsel.measures.streams.columns import Categories, Column, find_exact
from pyfsel.measures.streams.levels import Levels, changed
from pyfsel.measures.streams.moments import MEASURE, CorrelatedTable, Moments, Whole, find_whole
from pyfsel.measures.streams.read import ReadTable
from pyfsel.measures.streams.rows import MEGABYTE, Elsewhere, Here, Wanted
from pyfsel.measures.streams.sources import Source
from pyfsel.measures.streams.statistics import Statistics, alike
from pyfsel.measures.tables.encoded import FEW_VALUES, hold, listed, warn
from pyfsel.measures.tables.encoding import MOST_CLASSES
from pyfsel.measures.tables.files import left_columns
from pyfsel.problem.checks import one_of
from pyfsel.results.jobs import workers_of

MISSING = ("error", "category")
TASKS = ("auto", "classification", "regression")
ALL_PAIRS = 500
"""The pairs of more features are counted when they are asked for."""


@dataclass(eq=False)
class StreamedTable(ReadTable):
    """A table beyond memory whose levels are known.

    Parameters
    ----------
    rows : Here, Elsewhere or another
        Who counts pairs.
    statistics : Statistics
        Without pairs.
    memory : int
        Bytes that counts may take.
    """

    rows: Any
    statistics: Statistics
    memory: int
    _last: Statistics | None = None

    def paired(self, features: Sequence[int]) -> Statistics:
        """Return the statistics with the pairs of some features.

        Raises
        ------
        InputError
            If their counts take too much memory.
        """
        sizes = self.statistics.sizes
        needed = 4 * int(sizes[list(features)].sum()) ** 2
        if needed > self.memory:
            raise InputError(
                f"DATA: counts of the pairs of {len(features)} columns take {needed / MEGABYTE:,.1f} MB, "
                f"and {self.memory / MEGABYTE:,.1f} MB may be used; keep the best only (--keep-best), or "
                "allow more (--memory)"
            )
        pairs = self._who_knows(features)[0].count(features, sizes) if len(features) else None
        self._last = replace(self.statistics, pairs=pairs, paired=tuple(map(int, features)))
        return self._last

    def on_demand(self) -> Information | None:
        known = self.statistics
        is_possible = isinstance(self.rows, Here) and known.n_rows <= MOST_ROWS
        is_possible &= Path("/proc/self/fd").is_dir()  # by which the process of a search reads the same file
        if not is_possible:
            return None
        return Information.divided(self.rows.lanes, known.with_target.sum(axis=1), known.sizes, True)

    def alike(self, features: Sequence[int]) -> NDArray[np.float64]:
        """Return how alike some features are to those whose pairs were counted with theirs, or to all."""
        known, found = self.statistics, np.zeros((len(features), self.n_features))
        rows, others = self._who_knows(features)
        if known.levels:
            counts = rows.count(others, known.sizes, features)
            found[:, others] = alike(counts, known, features, others)
        return found

    def _who_knows(self, features: Sequence[int]) -> tuple[Any, Sequence[int]]:
        """Return who knows the pairs of some features, and the columns that these are paired with."""
        if self._last is not None and set(features) <= set(self._last.paired):
            return Pairs(self._last), self._last.paired
        return self.rows, range(self.n_features)

    def close(self) -> None:
        self.rows.close()


class Pairs:
    """The pairs that statistics hold."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics

    def count(
        self, columns: Sequence[int], sizes: NDArray[np.int64], asked: Sequence[int] | None = None
    ) -> NDArray[Any]:
        """Return how often levels of columns occur together, as `Lanes.count` does."""
        kept = list(self._statistics.paired)
        lacking = [self._statistics.names[j] for j in columns if j not in kept]
        if lacking:
            raise InputError(
                f"DATA: holds the pairs of {len(kept)} columns, not those of {lacking[0]!r}; keep the best "
                "only (--keep-best), or measure all"
            )
        pairs, starts = self._statistics.pairs, first_levels(sizes[kept])
        assert pairs is not None
        if asked is None and list(columns) == kept:
            return pairs
        rows, places = (
            np.concatenate([np.arange(sizes[j]) + starts[kept.index(j)] for j in some])
            for some in (columns if asked is None else asked, columns)
        )
        return np.asarray(np.maximum(pairs[np.ix_(rows, places)], pairs[np.ix_(places, rows)].T))

    def close(self) -> None:
        """Do nothing."""


def read(
    source: Source, target: str, measure: str, *, missing: str = "error", pairs: bool = False, **options: Any
) -> StreamedTable | CorrelatedTable:
    """Read a table in parts for a measure; parameters as for `read_stream`, correlations take no gaps."""
    if measure != MEASURE:
        return read_stream(source, target, missing=missing, pairs=pairs, **options)
    if missing != "error":
        raise InputError(f"missing={missing!r}: must be 'error' for correlations of a table read in parts")
    return read_moments(source, target, **options)


def read_stream(
    source: Source,
    target: str,
    *,
    ignored: Sequence[int | str] = (),
    task: str = "auto",
    missing: str = "error",
    n_bins: int | None = None,
    memory: int | None = None,
    n_jobs: int | None = None,
    like: Statistics | None = None,
    pairs: bool = False,
) -> StreamedTable:
    """Read a table in parts and count its levels with those of the target.

    Parameters
    ----------
    source : Source
    target : str
        The column to be predicted.
    ignored : sequence of int or str
        Columns that are not read.
    task : {"auto", "classification", "regression"}
        As for `pyfsel.measures.prepare`.
    missing : {"error", "category"}
        Whether gaps are an error or values of their own.
    n_bins : int, optional
        As for `pyfsel.measures.levels.level_codes`.
    memory : int, optional
        Bytes that may be held at a time; half of what is free unless given.
    n_jobs : int, optional
        Number of processes that read, as joblib takes it; ``with joblib.parallel_config("dask"):`` makes them
        those of a cluster. The numbers are the same.
    like : Statistics, optional
        Of other rows of such a table: bins are theirs, so both can be added.
    pairs : bool
        Whether pairs of all columns will be asked for: those of up to 500 are counted in one pass then.

    Raises
    ------
    InputError
        For columns that are neither numbers nor categories, infinite or missing values, and a target with
        fewer than two values.
    """
    one_of("task", task, TASKS)
    one_of("missing", missing, MISSING)
    memory = memory or _free() // 2
    n_bins = default_bins(source.n_rows) if n_bins is None else n_bins
    theirs = {} if like is None else dict(zip((*like.names, like.target), like.levels, strict=True))
    all_columns = _columns(source, target, ignored, theirs)
    names, last = [column.name for column in all_columns[:-1]], len(all_columns) - 1
    task = task if like is None else like.task
    rows = _reader(source, memory, n_jobs)
    try:
        *columns, y = exact = _exact(all_columns, rows, source, theirs)
        of_target, task, classes = _target(y, last, rows, task, n_bins, theirs.get(target))
        wanted = [
            Wanted(j, column, column.levels(n_bins, theirs.get(column.name)))
            for j, column in enumerate(columns)
        ]
        found = rows.levels(wanted)
        _check_gaps(names, found, source.n_rows, missing)
        sizes = np.array([len(levels.counts) for levels in [*found, of_target]], np.int64)
        is_at_once = pairs and last <= ALL_PAIRS and 4 * int(sizes.sum()) ** 2 <= memory
        counts, of_pairs = _counted(rows, sizes, is_at_once)
        if (counts.sum(axis=1) != np.concatenate([levels.counts for levels in found])).any():
            raise changed()
    except BaseException:
        rows.close()
        raise
    described = _described([*found, of_target], exact)
    statistics = Statistics(
        tuple(names), target, sizes[:-1], task, classes, source.n_rows, counts, levels=described
    )
    if statistics.is_constant.any():
        what = "is constant and gets" if statistics.is_constant.sum() == 1 else "are constant and get"
        warn(f"X: {listed(names, statistics.is_constant)} {what} quality 0")
    paired = replace(statistics, pairs=of_pairs, paired=tuple(range(last))) if is_at_once else None
    return StreamedTable(rows, statistics, memory, paired)


def _counted(
    rows: Here | Elsewhere, sizes: NDArray[np.int64], is_at_once: bool
) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
    """Return how often levels of features occur with those of the target, and maybe with each other."""
    target = len(sizes) - 1
    if not is_at_once:
        return rows.count(range(target), sizes, [target]).T.astype(np.int64), None
    counts, first = rows.count(range(target + 1), sizes), int(sizes[:target].sum())
    # a pair stands on one side of the diagonal, with zeros on the other, or on both
    with_target = np.maximum(counts[:first, first:], counts[first:, :first].T)
    return with_target.astype(np.int64), counts[:first, :first]


def read_moments(
    source: Source,
    target: str,
    *,
    ignored: Sequence[int | str] = (),
    task: str = "auto",
    memory: int | None = None,
    n_jobs: int | None = None,
    like: Moments | None = None,
) -> CorrelatedTable:
    """Read a table in parts for correlations, of columns without gaps; parameters as for `read_stream`."""
    one_of("task", task, TASKS)
    all_columns = _columns(source, target, ignored, {})
    theirs = {} if like is None else dict(zip((*like.names, like.target), like.levels, strict=True))
    task = task if like is None else like.task
    rows = _reader(source, memory or _free() // 2, n_jobs)
    with closing(rows):
        *columns, y = exact = _exact(all_columns, rows, source, theirs)
        of_target, task, _ = _target(y, len(columns), rows, task, default_bins(source.n_rows), None)
        numbers = columns if task == "classification" else [*columns, y]
        wanted = [
            Wanted(j, column, find_whole(column, theirs.get(column.name))) for j, column in enumerate(numbers)
        ]
        found = rows.levels(wanted, is_kept=False)
        found += [Whole(y, of_target, None)] if task == "classification" else []
        sums = rows.products(found)
    levels = _described(found, exact)
    moments = Moments(tuple(column.name for column in columns), target, task, levels, sums)
    if moments.n_rows != source.n_rows:
        raise changed()
    return CorrelatedTable(moments)


def _columns(
    source: Source, target: str, ignored: Sequence[int | str], theirs: dict[str, dict[str, Any]]
) -> list[Column]:
    """Return the columns that are read, last the target."""
    if target not in source.schema.names:
        raise InputError(
            f"target={target!r}: is not a column of DATA; its columns begin {source.schema.names[:5]}"
        )
    names = [name for name in source.schema.names if name != target]
    left = left_columns(names, ignored)
    if not left:
        raise InputError("DATA: must have at least one column besides the target")
    return [
        Column.of(source.schema.field(name), theirs.get(name)) for name in (*(names[j] for j in left), target)
    ]


def _exact(
    columns: Sequence[Column], rows: Here | Elsewhere, source: Source, theirs: dict[str, dict[str, Any]]
) -> list[Column]:
    """Return the columns, those of whole numbers of 64 bits such that they are exact as floats."""
    is_wide = [str(source.schema.field(column.name).type) in ("int64", "uint64") for column in columns]
    wide = [j for j, wanted in enumerate(is_wide) if wanted]
    if not wide:
        return list(columns)
    searches = [Wanted(j, columns[j], find_exact(columns[j], theirs.get(columns[j].name))) for j in wide]
    found = dict(zip(wide, rows.levels(searches, is_kept=False), strict=True))
    return [found.get(j, column) for j, column in enumerate(columns)]


def _described(found: Sequence[Any], columns: Sequence[Column]) -> tuple[dict[str, Any], ...]:
    return tuple(
        one.described() | ({"offset": column.offset} if column.offset else {})
        for one, column in zip(found, columns, strict=True)
    )


def _reader(source: Source, memory: int, n_jobs: int | None) -> Here | Elsewhere:
    n_workers = workers_of(n_jobs)
    is_elsewhere = source.frame or n_workers
    return Elsewhere(source, memory, n_jobs, n_workers) if is_elsewhere else Here(source, memory)


def _free() -> int:
    import psutil

    return int(psutil.virtual_memory().available)


def _check_gaps(
    names: Sequence[str], found: Sequence[Levels | Categories], n_rows: int, missing: str
) -> None:
    n_gaps = np.array([levels.n_gaps for levels in found])
    empty, gappy = n_gaps == n_rows, n_gaps > 0
    if empty.any():
        raise InputError(f"X: {listed(names, empty)} {hold(empty)} no value at all, must hold at least one")
    if missing == "error" and gappy.any():
        raise InputError(
            f"X: {listed(names, gappy)} {hold(gappy)} missing values; allowed with missing='category' (a gap "
            "is a value of its own)"
        )


def _target(
    y: Column, number: int, rows: Here | Elsewhere, task: str, n_bins: int, like: dict[str, Any] | None
) -> tuple[Levels | Categories, str, tuple[Any, ...]]:
    """Return the levels of the target, the task, and the labels of classes."""
    few = {"regression": 0, "classification": MOST_CLASSES}.get(
        task, FEW_VALUES if y.is_float else MOST_CLASSES
    )
    search = y.levels(n_bins, like, few=few, only_whole=False)
    [levels] = rows.levels([Wanted(number, y, search)])
    if levels.n_gaps:
        raise InputError(f"y: is missing in {levels.n_gaps} rows")
    if len(levels.counts) < 2:
        raise InputError("y: has one value only, must have at least two")
    if isinstance(levels, Categories):
        if task == "regression":
            raise InputError("y: holds text, must be numbers for task='regression'")
        return levels, "classification", tuple(levels.labels)
    has_many = levels.values is None or len(levels.values) > FEW_VALUES
    if task == "regression" or (task == "auto" and y.is_float and has_many):
        return levels, "regression", ()
    if levels.values is None:
        raise InputError(
            f"y: holds more than {MOST_CLASSES} different numbers; say with task='regression' if they are no "
            "classes"
        )
    values: NDArray[np.float64] = levels.values
    if not y.is_float and len(values) > FEW_VALUES:
        warn(f"y: {len(values)} different whole numbers are taken as classes; or give task='regression'")
    whole = [int(value) + y.offset for value in values.tolist()]
    return levels, "classification", tuple(values.tolist() if y.is_float else whole)
