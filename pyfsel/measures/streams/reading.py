"""From a source to a table whose entries are read when they are needed, some columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.levels import level_codes
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.streams.sources import Source, are_files, is_stream, open_source
from pyfsel.measures.tables.encoding import encode_target, understand_target
from pyfsel.measures.tables.entries import drawn_rows
from pyfsel.measures.tables.files import left_columns
from pyfsel.measures.tables.table import Columns, Table, prepare_columns
from pyfsel.problem.checks import one_of, shown
from pyfsel.problem.wording import number_of
from pyfsel.results.counting import counted

TASKS = ("auto", "classification", "regression")
MISSING = ("error", "impute", "category")
ENTRIES_AT_ONCE = 2**22
"""How many entries of columns are read together, 32 MB; one column of more rows is read alone."""


@dataclass(frozen=True, eq=False)
class ReadEntries:
    """Entries of a table that are read when they are needed, in the place of an array.

    Parameters
    ----------
    reader : callable
        Gets names, and returns the `Columns` of these.
    names : tuple of str
    n_rows : int
    drawn : array of shape (n_drawn, n_features)
        The entries of some rows (`drawn_rows`).
    field : {"X", "filled"}
        Whether these are the numbers, or which of them were filled in.
    """

    reader: Any
    names: tuple[str, ...]
    n_rows: int
    drawn: NDArray[Any]
    field: str = "X"

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.n_rows, len(self.names)

    def __getitem__(self, key: Any) -> Any:
        """Return some columns, ``[:, some]``, as such entries, or the rows that were drawn as an array."""
        if not isinstance(key, tuple):
            if not np.array_equal(key, drawn_rows(self.n_rows)):
                raise InputError("DATA: is read in parts, and this takes rows of it. Give a table in memory")
            return self.drawn
        chosen = np.arange(len(self.names))[key[1]]
        names = tuple(self.names[j] for j in chosen)
        return replace(self, names=names, drawn=self.drawn[:, chosen])

    def toarray(self) -> NDArray[Any]:
        """Return the entries."""
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
    source = open_source(data)
    names, (y, task, classes) = _features(source, target, ignored), _target(source, target, task)

    @lru_cache(maxsize=1)
    def reader(some: tuple[str, ...]) -> Columns:
        return replace(prepare_columns(source.frame(some), missing=missing, dates=dates), source=None)

    drawn, parts, filled_in = drawn_rows(source.n_rows), list[Columns](), list[Any]()
    is_filled = list[bool]()
    at_once = max(1, ENTRIES_AT_ONCE // source.n_rows)
    bounds = list(pairwise([*range(0, len(names), at_once), len(names)]))

    def levels() -> Any:
        what = f"strips of columns ({source.n_rows:,} rows)"
        with closing(counted(what, bounds, len(bounds))) as steps:
            for begin, end in steps:
                columns = reader(names[begin:end])
                parts.append(replace(columns, X=columns.X[drawn], rows=drawn, filled=None, gaps=None))
                nothing = np.zeros((len(drawn), columns.n_features), dtype=bool)
                filled_in.append(nothing if columns.filled is None else columns.filled[drawn])
                is_filled.append(columns.filled is not None)
                yield level_codes(columns)[:, :].T

    lanes = Lanes.of(source.n_rows, levels())
    entries = ReadEntries(reader, names, source.n_rows, np.hstack([part.X for part in parts]))
    filled = replace(entries, field="filled", drawn=np.hstack(filled_in)) if any(is_filled) else None
    flags = {
        name: _together(parts, name) for name in ("is_discrete", "is_constant", "is_category", "is_unordered")
    }
    return Table(
        entries, names, rows=np.arange(source.n_rows), n_dropped=0, y=y, task=task, classes=classes,
        filled=filled, gaps=filled if missing == "category" else None, coded=lanes, **flags,
    )  # fmt: skip


def _features(source: Source, target: str, ignored: Sequence[int | str]) -> tuple[str, ...]:
    """Return the names of the columns that are read, but the target."""
    names = [name for name in source.schema.names if name != target]
    if len(names) == len(source.schema.names):
        raise InputError(f"target={target!r}: is not a column of DATA; its columns begin {names[:5]}")
    left = tuple(names[j] for j in left_columns(names, ignored))
    if not left:
        raise InputError("DATA: must have at least one column besides the target")
    return left


def _target(source: Source, name: str, task: str) -> tuple[NDArray[Any], str, tuple[Any, ...]]:
    target = encode_target(source.frame([name])[name])
    n_gaps = int((target.codes < 0).sum())
    if n_gaps:
        raise InputError(f"y: is missing in {number_of(n_gaps, 'row')}; leave these out before")
    return understand_target(target, task)


def _together(parts: Sequence[Columns], name: str) -> Any:
    """Return flags of columns of all parts; those that a part lacks are False."""
    each = [(getattr(part, name), part.n_features) for part in parts]
    return np.concatenate([np.zeros(n, bool) if flags is None else flags for flags, n in each])
