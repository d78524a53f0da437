"""Where the rows of a large table come from: files, Arrow's stream interface, or a DataFrame on a cluster.

A source is read as often as needed, some columns at a time. CSV, what can be read once only, and what lies on
a cluster, is written to a temporary file first, which has no name, so nothing is left of it.
"""

from __future__ import annotations

import glob
import importlib.util
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError
from pyfsel.measures.tables.containers import LARGE_BYTES
from pyfsel.measures.tables.files import being_read, require_text
from pyfsel.problem.checks import shown

if TYPE_CHECKING:
    import pandas as pd

ROWS_AT_ONCE = 2**17
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".tsv", ".csv.gz", ".tsv.gz")
CHANGED = "DATA: the table changed while it was read; read it again"


@dataclass(frozen=True, eq=False)
class Source:
    """Rows that can be read again and again.

    Parameters
    ----------
    names : list of str
        Of all columns.
    n_rows : int
    frame : callable
        Gets names of columns and returns all of their rows as a DataFrame.
    """

    names: list[str]
    n_rows: int
    frame: Callable[[Sequence[str]], pd.DataFrame]


def _of_arrow(schema: Any, n_rows: int, parts: Any) -> Source:
    """Return the source of a ``pyarrow.Schema`` and a callable: batches of the columns of given names."""

    def frame(names: Sequence[str]) -> pd.DataFrame:
        import pandas as pd
        import pyarrow as pa

        table = pa.Table.from_batches(parts(names), pa.schema([schema.field(name) for name in names]))
        if len(table) != n_rows:
            raise InputError(CHANGED)
        return pd.DataFrame({name: _series(table.column(name)) for name in names}, copy=False)

    return Source(list(schema.names), n_rows, frame)


def _series(column: Any) -> Any:
    """Return a column of Arrow, of which pandas would round whole numbers of 64 bits with gaps to floats.

    Codes of categories become signed, as older versions of pyarrow refuse unsigned ones, which Polars has.
    """
    import pandas as pd
    import pyarrow as pa

    if pa.types.is_dictionary(kind := column.type):
        column = column.cast(pa.dictionary(pa.int64(), kind.value_type, kind.ordered))
    exact = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    return column.to_pandas(types_mapper=exact.get if column.null_count else None)


def is_stream(data: Any) -> bool:
    """Return whether data is read in parts: a pattern of files, a folder, a dataset, or a stream of Arrow.

    Tables of pandas are in memory, and so are tables of other libraries that pyfsel has always converted.
    """
    if isinstance(data, (str, Path)):
        return Path(data).is_dir() or _is_pattern(Path(data))
    module = type(data).__module__.partition(".")[0]
    return module in ("pyarrow", "duckdb", "ibis", "dask", "pyspark") or type(data).__name__ == "LazyFrame"


def is_large_file(path: Path) -> bool:
    """Return whether a file is read in parts although nobody asks for it: a large one of Parquet or CSV.

    A CSV is about half as large as its numbers.
    """
    name = path.name.lower()
    if not path.is_file() or importlib.util.find_spec("pyarrow") is None:
        return False
    if name.endswith(PARQUET):
        from pyarrow import ArrowException
        from pyarrow.parquet import read_metadata

        with suppress(ArrowException, OSError):
            about = read_metadata(path)
            return bool(8 * about.num_rows * about.num_columns > LARGE_BYTES)
    return name.endswith(CSV[:2]) and path.stat().st_size >= LARGE_BYTES // 2


def are_files(data: Any) -> bool:
    """Return whether data is a path, or a list of some."""
    names = data if isinstance(data, list) else [data]
    return bool(names) and all(isinstance(name, (str, Path)) for name in names)


def open_source(data: Any, encoding: str = "utf-8") -> Source:
    """Open files (a path or pattern, or a list), a `pyarrow.dataset`, a stream of Arrow, or a DataFrame.

    DataFrames may come from Polars (lazy ones too), Dask and Spark. `encoding` is how CSV files are encoded.

    Raises
    ------
    InputError
        If pyarrow is missing, or this is nothing that can be read, or it holds no rows.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError("DATA: reading in parts takes pyarrow (pip install 'pyfsel[parquet]')")
    name = data if isinstance(data, (str, Path)) else shown(data)
    with being_read(f"DATA={name}"):
        source = _opened(data, encoding)
    if source.n_rows == 0:
        raise InputError(f"DATA={name}: has no rows, must have at least one")
    return source


def _opened(data: Any, encoding: str) -> Source:
    if are_files(data):
        return _of_files(data if isinstance(data, list) else [data], encoding)
    if hasattr(data, "sink_parquet"):  # a Polars LazyFrame, which writes as it goes
        file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the source
        data.sink_parquet(file)
        return _of_parquet([file])
    if hasattr(data, "scanner"):  # a pyarrow.dataset
        few = {"batch_size": ROWS_AT_ONCE, "batch_readahead": 1, "fragment_readahead": 1}
        return _of_arrow(
            data.schema, data.count_rows(), lambda names: data.to_batches(columns=list(names), **few)
        )
    if hasattr(data, "to_delayed"):  # a dask.dataframe
        return _spooled(*_of_partitions(data))
    if hasattr(data, "mapInArrow"):  # a DataFrame of Spark
        return _spooled(*_of_spark(data))
    data = data.to_arrow() if hasattr(data, "to_arrow") else data  # a DataFrame of Polars, without a copy
    if hasattr(data, "select") and hasattr(data, "to_batches"):  # a pyarrow.Table
        return _of_arrow(data.schema, len(data), lambda names: data.select(list(names)).to_batches())
    if not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"DATA: is {type(data).__name__}. It must be files, a dataset, a stream of Arrow or a DataFrame."
        )
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_stream(data)
    return _spooled(reader.schema, reader)


def _of_partitions(frame: Any) -> Any:
    """Return the schema and the partitions of Dask, each computed when it is read."""
    import pyarrow as pa

    schema = pa.Schema.from_pandas(frame._meta, preserve_index=False)
    parts = (part.compute() for part in frame.to_delayed())
    return schema, (pa.Table.from_pandas(part, schema=schema, preserve_index=False) for part in parts)


def _of_spark(frame: Any) -> Any:
    """Return the schema and the partitions of Spark, of which one is here at a time."""
    import pyarrow as pa

    schema = frame.limit(0).toArrow().schema
    numbered = frame.toDF(*(f"c{j}" for j in range(len(frame.columns))))  # names may hold dots
    rows = numbered.mapInArrow(_packed, "batch binary").toLocalIterator()
    tables = (pa.Table.from_batches([pickle.loads(row.batch)]) for row in rows)
    return schema, (table.rename_columns(schema.names).cast(schema) for table in tables)


def _packed(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches in the form in which Spark sends them here."""
    import pyarrow as pa

    for batch in batches:
        yield pa.record_batch([[pickle.dumps(batch)]], ["batch"])


def _of_files(given: Sequence[str | Path], encoding: str) -> Source:
    paths = [path for one in given for path in _paths(Path(one))]
    names = [path.name.lower() for path in paths]
    if all(name.endswith(PARQUET) for name in names):
        require_text(encoding, ".parquet")
        return _of_parquet(paths)
    if all(name.endswith(CSV) for name in names):
        from pyfsel.measures.streams.csv_files import spooled_csv

        return Source(*spooled_csv(paths, encoding))
    raise InputError(
        f"DATA={str(given[0])!r}: must be Parquet or CSV files (compressed ones .gz), all of one kind, to be "
        "read in parts"
    )


def _is_pattern(path: Path) -> bool:
    return glob.has_magic(str(path)) and not path.is_file()


def _paths(path: Path) -> list[Path]:
    if path.is_dir():
        if not any(any(path.glob(part)) for part in ("*.parquet", "*/*.parquet", "*=*/")):
            raise InputError(
                f"DATA={str(path)!r}: is a folder without Parquet files. Name the folder of the parts, or a "
                "pattern such as 'data/*.csv'"
            )
        path = path / "**" / "*.parquet"
    found = sorted(glob.glob(str(path), recursive=True)) if _is_pattern(path) else [str(path)]
    if not found:
        raise InputError(f"DATA={str(path)!r}: no such file.")
    return list(map(Path, found))


def _of_parquet(files: Sequence[Any]) -> Source:
    from pyarrow.parquet import ParquetFile

    @lru_cache(maxsize=8)
    def opened(file: Any) -> Any:
        with being_read(file):
            return ParquetFile(file, pre_buffer=False)

    def parts(names: Sequence[str]) -> Iterator[Any]:
        for file, state in zip(files, states, strict=True):
            if _state(file) != state:
                raise InputError(CHANGED)
            yield from opened(file).iter_batches(ROWS_AT_ONCE, columns=list(names), use_threads=False)

    first, n_rows, states = opened(files[0]).schema_arrow, 0, [_state(file) for file in files]
    for file in files:
        one = opened(file)
        n_rows += one.metadata.num_rows
        types = {field.name: field.type for field in one.schema_arrow}
        for field in first:
            if types.get(field.name) != field.type:
                raise InputError(f"{file}: has no column {field.name!r} of {field.type}, as {files[0]} has")
    return _of_arrow(first, n_rows, parts)


def _state(file: Any) -> tuple[int, int] | None:
    """Return when a file was written and its size; of a temporary one nothing."""
    if not isinstance(file, Path):
        return None
    state = file.stat()
    return state.st_mtime_ns, state.st_size


def _spooled(schema: Any, parts: Iterable[Any]) -> Source:
    """Write tables or batches that can be read once to a temporary file of Parquet."""
    from pyarrow.parquet import ParquetWriter

    file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the source
    with ParquetWriter(file, schema, compression="lz4", use_dictionary=False) as writer:
        for part in parts:
            if part.num_rows:
                writer.write(part, row_group_size=ROWS_AT_ONCE)
    return _of_parquet([file])
