"""From a source to a table whose entries are read when they are needed, some columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from pyfsel.core.arrays import Array
from pyfsel.errors import InputError
from pyfsel.measures.arrays import slices
from pyfsel.measures.levels import level_codes
from pyfsel.measures.streams.lanes import Lanes, not_here
from pyfsel.measures.streams.sources import are_files, is_stream, open_source
from pyfsel.measures.tables.encoded import check_distinct
from pyfsel.measures.tables.encoding import in_order_of
from pyfsel.measures.tables.entries import as_dense, drawn_rows
from pyfsel.measures.tables.files import left_columns
from pyfsel.measures.tables.table import Columns, Table, prepare_columns
from pyfsel.measures.tables.target import target_series, understand_target, without_gaps
from pyfsel.problem.checks import column_in, one_of, shown
from pyfsel.results.jobs import counted

TASKS = ("auto", "classification", "regression")
MISSING = ("error", "impute", "category")
ENTRIES_AT_ONCE = 2**22
"""How many entries of columns are read together, 32 MB; one column of more rows is read alone."""


@dataclass
class Reader:
    """Columns of a source as numbers, read when they are needed; those that were read last are kept.

    Parameters
    ----------
    frame : callable
        Returns all rows of some columns, by their names, as a DataFrame.
    n_rows : int
    missing, dates : str
        As for `pyfsel.measures.prepare`.
    """

    frame: Callable[[Sequence[str]], Any]
    n_rows: int
    missing: str
    dates: str
    _last: Columns | None = None

    def __call__(self, names: tuple[str, ...]) -> Columns:
        """Return the columns of these names."""
        if self._last is None or self._last.feature_names != names:
            self._last = None  # before others are in memory
            found = prepare_columns(
                self.frame(names), missing=self.missing, feature_names=names, dates=self.dates
            )
            self._last = replace(found, source=None, given=None)
        return self._last

    def __getstate__(self) -> dict[str, Any]:
        """Return what is saved or sent to other processes, without columns."""
        return self.__dict__ | {"frame": not_here, "_last": None}


@dataclass(frozen=True, eq=False)
class ReadEntries:
    """Entries of a table that are read when they are needed, in the place of an array.

    Parameters
    ----------
    reader : Reader
    names : tuple of str
    drawn : array of shape (n_drawn, n_features)
        The entries of some rows (`drawn_rows`).
    field : {"X", "filled"}
        Whether these are the numbers, or which of them were filled in.
    """

    reader: Reader
    names: tuple[str, ...]
    drawn: Array
    field: str = "X"

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.reader.n_rows, len(self.names)

    def __getitem__(self, key: Any) -> Any:
        """Return some columns, ``[:, some]``, as such entries, or some rows as an array."""
        if not isinstance(key, tuple):
            is_drawn = np.array_equal(key, drawn_rows(self.shape[0]))
            return self.drawn if is_drawn else as_dense(self).astype(self.drawn.dtype)[key]
        chosen = np.arange(len(self.names))[key[1]]
        names = tuple(self.names[j] for j in chosen)
        return replace(self, names=names, drawn=self.drawn[:, chosen])

    def toarray(self) -> Array:
        """Return the entries."""
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # they were issued when the columns were read first
            found = getattr(self.reader(self.names), self.field)
        return np.zeros(self.shape, dtype=bool) if found is None else np.asarray(found)


def read_in_parts(
    data: Any,
    target: str,
    *,
    ignored: Sequence[int | str] = (),
    task: str = "auto",
    missing: str = "error",
    dates: str = "error",
    encoding: str = "utf-8",
) -> Table:
    """Return a table of which some columns are in memory at a time, and the levels of all in a file.

    Its numbers are those that `pyfsel.measures.prepare` makes of the same table in memory.

    Parameters
    ----------
    data : files, lazy tables or streams
        As for `pyfsel.measures.streams.sources.open_source`.
    target : str
        The column to be predicted.
    ignored : sequence of int or str
        Columns that are not read.
    task : {"auto", "classification", "regression"}
    missing : {"error", "impute", "category"}
    dates : {"error", "number"}
        As for `pyfsel.measures.prepare`.
    encoding : str
        The encoding of CSV files.

    Raises
    ------
    InputError
        As for `prepare`, and for data that cannot be read in parts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = read_in_parts(pa.table({"x": range(900), "z": [1, 2, 3] * 300, "y": [0, 0, 1] * 300}), "y")
    >>> table.X.shape, table.feature_names, table.task, table.is_discrete.tolist()
    ((900, 2), ('x', 'z'), 'classification', [False, True])
    """
    one_of("task", task, TASKS)
    one_of("missing", missing, MISSING)
    if not (is_stream(data) or are_files(data) or hasattr(data, "__arrow_c_stream__")):
        raise InputError(f"y={shown(target)}: must be a list, one value for each row of X")
    source = open_source(data, encoding)
    names = _features(source.names, target, ignored)
    y = target_series(source.frame([target])[target])
    return _table(Reader(source.frame, source.n_rows, missing, dates), names, y, task)


def can_be_by_columns(y: Any, task: str, missing: str) -> bool:
    """Return whether `by_columns` accepts a target and these ways of reading."""
    is_one_column = np.ndim(y) == 1 and getattr(getattr(y, "dtype", None), "names", None) is None
    return is_one_column and task in TASKS and missing in MISSING


def by_columns(X: Any, y: Any, task: str, missing: str, dates: str) -> Table:
    """Return the table of a large DataFrame, some columns of which are turned into numbers at a time.

    Raises
    ------
    InputError
        As for `pyfsel.measures.prepare`.
    """
    X = X.copy(deep=False)  # what the caller changes later does not change it
    target, names = target_series(in_order_of(X, y, "y")), tuple(map(str, X.columns))
    if len(target) != len(X):
        raise InputError(f"y: has {len(target)} values, must have {len(X)}, one for each row of X")
    check_distinct(names)
    reader = Reader(lambda some: X.iloc[:, list(map(names.index, some))], len(X), missing, dates)
    return replace(_table(reader, names, target, task), source=(X, names), given=X)


def _table(reader: Reader, names: tuple[str, ...], target: Any, task: str) -> Table:
    """Return a table of which some columns are numbers at a time, and all as levels."""
    y, task, classes = understand_target(without_gaps(target), task)
    n_rows = reader.n_rows
    drawn, parts = drawn_rows(n_rows), list[Columns]()
    blocks = list(slices(len(names), ENTRIES_AT_ONCE // n_rows))

    def strips() -> Iterator[Columns]:
        what = f"strips of columns ({n_rows:,} rows)"
        with closing(counted(what, blocks, len(blocks))) as steps:
            for some in steps:
                columns = reader(names[some])
                parts.append(columns.at(drawn))
                yield columns

    lanes = Lanes.of(n_rows, (level_codes(columns)[:, :].T for columns in strips()))
    flags: Any = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("is_category", "is_unordered", "is_discrete", "is_constant")
    }
    entries = ReadEntries(reader, names, np.hstack([part.X for part in parts]))
    filled = None
    if any(part.filled is not None for part in parts):
        each = [np.zeros(part.X.shape, bool) if part.filled is None else part.filled for part in parts]
        filled = replace(entries, field="filled", drawn=np.hstack(each))
    return Table(
        entries, names, kept=None, n_dropped=0, y=y, task=task, classes=classes,
        filled=filled, gaps=filled if reader.missing == "category" else None, coded=lanes, **flags,
    )  # fmt: skip


def _features(columns: Sequence[str], target: str, ignored: Sequence[int | str]) -> tuple[str, ...]:
    """Return the names of the columns that are read, but the target."""
    names = [name for name in columns if name != target]
    column_in(f"target={target!r}:", target, columns, "DATA")
    left = tuple(names[j] for j in left_columns(names, ignored))
    if not left:
        raise InputError("DATA: must have at least one column in addition to the target.")
    return left
