"""CSV files that are read some rows at a time, as `pyfsel.measures.tables.formats.read_csv` reads all."""

from __future__ import annotations

import pickle
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsel.errors import InputError
from pyfsel.measures.arrays import slices
from pyfsel.measures.tables.files import being_read
from pyfsel.measures.tables.formats import (
    are_beyond_floats,
    by_either_mark,
    check_header,
    csv_reader,
    exact_columns,
    has_decimal_commas,
)

ROWS_AT_ONCE, ENTRIES_AT_ONCE = 2**17, 2**22
BEYOND_FLOATS = "beyond floats"
CERTAIN = ({"int64", "float64"}, {"int64", BEYOND_FLOATS})
"""Kinds of parts that together are what all cells at once would be."""


class Spool:
    """Columns in a temporary file without a name, each in parts, and of what kinds the parts are.

    Examples
    --------
    >>> spool = Spool()
    >>> spool.add("x", pd.Series([1, 2]))
    >>> spool.add("x", pd.Series([0.5]))
    >>> spool.frame(["x"])["x"].tolist(), sorted(spool.kinds["x"])
    ([1.0, 2.0, 0.5], ['float64', 'int64'])
    """

    def __init__(self) -> None:
        self.file: Any = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the spool
        self.places: Any = defaultdict(list)
        self.kinds: Any = defaultdict(set)
        self.n_rows = 0

    def add(self, name: str, part: pd.Series[Any]) -> None:
        """Write a part of a column."""
        self.places[name].append(self.file.seek(0, 2))
        pickle.dump(part, self.file, protocol=5)
        self.kinds[name].add(part.dtype.name)
        if part.dtype.kind in "iuf" and are_beyond_floats(part):
            self.kinds[name].add(BEYOND_FLOATS)

    def frame(self, names: Sequence[str]) -> pd.DataFrame:
        """Return some columns."""
        columns = {name: pd.concat(map(self._part, self.places[name]), ignore_index=True) for name in names}
        return pd.DataFrame(columns, copy=False)

    def _part(self, place: int) -> Any:
        self.file.seek(place)
        return pickle.load(self.file)


def spooled_csv(paths: Sequence[Path], encoding: str) -> Any:
    """Read CSV files of one table, in the order given, into a temporary file.

    Parameters
    ----------
    paths : sequence of Path
        The first one says which columns there are.
    encoding : str

    Returns
    -------
    names : list of str
        Of the columns, in the order of the first file.
    n_rows : int
        Of all files together.
    frame : callable
        Returns some of the columns, by their names, as a DataFrame with `n_rows` rows.

    Raises
    ------
    InputError
        If a file cannot be read, or lacks a column of the first one.
    """
    spool = _spooled(paths, encoding)
    names = list(spool.kinds)
    if not any(has_decimal_commas(spool.frame([name])[name]) for name in names):
        return names, spool.n_rows, spool.frame
    by_comma = _spooled(paths, encoding, decimal=",")
    return names, spool.n_rows, lambda some: by_either_mark(spool.frame(some), by_comma.frame(some))


def _spooled(paths: Sequence[Path], encoding: str, **options: Any) -> Spool:
    """Return all files, read by pandas with these options.

    All cells of a column decide its kind: a column whose parts differ in kind is read again, whole.
    """
    spool, readers = Spool(), list[Any]()
    for path in paths:
        with being_read(path, encoding):
            names, read = csv_reader(path, encoding)
            readers.append(partial(read, **options))
            for chunk in readers[-1](chunksize=min(ROWS_AT_ONCE, ENTRIES_AT_ONCE // len(names) + 1)):
                if not spool.kinds:
                    check_header(path, names, chunk)
                _add(spool, chunk.reset_index(drop=True), path, paths[0])
    in_doubt = [name for name, kinds in spool.kinds.items() if len(kinds) > 1 and kinds not in CERTAIN]
    for some in slices(len(in_doubt), ENTRIES_AT_ONCE // (spool.n_rows + 1)):
        again = (exact_columns(partial(read, usecols=in_doubt[some], index_col=None)) for read in readers)
        whole = pd.concat(again, ignore_index=True)
        for name in in_doubt[some]:
            spool.places[name].clear()
            spool.add(name, whole[name])
    return spool


def _add(spool: Spool, part: pd.DataFrame, path: Path, first: Path) -> None:
    """Write some rows of a file, which must have the columns of the first one."""
    for name in list(spool.kinds or part):
        if name not in part:
            raise InputError(f"{path}: has no column {name!r}, as {first} has")
        spool.add(name, part[name])
    spool.n_rows += len(part)
