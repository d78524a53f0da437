"""Rows drawn from a large table, for measures of which no counts can be added."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.measures.levels import default_bins
from pyfsel.measures.streams.columns import Column
from pyfsel.measures.streams.levels import changed
from pyfsel.measures.streams.rows import STRIP_BYTES, Here, Wanted
from pyfsel.measures.streams.sources import Source
from pyfsel.measures.tables.files import left_columns
from pyfsel.problem.checks import integer_in

if TYPE_CHECKING:
    import pandas as pd


def draw(
    source: Source, target: str, n_rows: int, seed: int = 0, ignored: Sequence[int | str] = ()
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return features and target of some rows, drawn without replacement, the same whatever the parts are.

    Each class, or bin of a target of numbers, has the share that it has of all rows.

    Parameters
    ----------
    source : Source
    target : str
    n_rows : int
        All, in their order, if there are no more.
    seed : int
    ignored : sequence of int or str
        Columns that are not read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pyfsel.measures.streams.sources import open_source
    >>> source = open_source(pa.table({"x": range(900), "y": [0, 0, 1] * 300}))
    >>> draw(source, "y", 30)[1].value_counts().to_dict()
    {0: 20, 1: 10}
    """
    import pyarrow as pa

    n_rows = integer_in("sample", n_rows, 2, None)
    names = [name for name in source.schema.names if name != target]
    names = [*(names[j] for j in left_columns(names, ignored)), target]
    chosen = _chosen(_levels(source, target), n_rows, np.random.default_rng(seed))
    parts, begin = [], 0
    for batch in source.parts(names):
        end = begin + batch.num_rows
        inside = chosen[np.searchsorted(chosen, begin) : np.searchsorted(chosen, end)] - begin
        parts.append(batch.take(pa.array(inside)))
        begin = end
    if begin != source.n_rows:
        raise changed()
    frame = pa.Table.from_batches(parts).to_pandas()
    return frame.drop(columns=target), frame[target]


def _levels(source: Source, target: str) -> NDArray[np.uint8]:
    """Return the level of the target in each row."""
    y = Column.of(source.schema.field(target))
    with closing(Here(source, 4 * STRIP_BYTES)) as reader:
        [levels] = reader.levels([Wanted(0, y, y.levels(default_bins(source.n_rows)))])
    return np.concatenate([y.encode(levels, batch.column(target)) for batch in source.parts([target])])


def _chosen(levels: NDArray[np.uint8], n_rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return rows, ascending; numbers of rows of the levels are rounded by largest remainders."""
    counts = np.bincount(levels)
    shares = counts * min(1.0, n_rows / len(levels))
    wanted = np.floor(shares).astype(np.intp)
    missing = min(n_rows, len(levels)) - int(wanted.sum())
    wanted[np.argsort(wanted - shares, kind="stable")[:missing]] += 1
    drawn = [rng.choice(np.flatnonzero(levels == j), n, replace=False) for j, n in enumerate(wanted)]
    return np.sort(np.concatenate(drawn))
