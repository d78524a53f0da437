"""Where the rows of a large table come from: files, Arrow's stream interface, or a DataFrame on a cluster.

A source is read as often as needed, some columns at a time. What can be read once only, CSV, and what lies on
a cluster, is written to a temporary file first, which has no name, so nothing is left of it.
"""

from __future__ import annotations

import glob
import importlib.util
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError
from pyfsel.measures.tables.containers import LARGE_BYTES
from pyfsel.measures.tables.encoded import LARGEST_EXACT, check_distinct
from pyfsel.problem.checks import shown

if TYPE_CHECKING:
    import pandas as pd

Parts = Callable[[Sequence[str]], Iterator[Any]]
ROWS_AT_ONCE, ENTRIES_AT_ONCE = 2**17, 2**22
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".tsv", ".csv.gz", ".tsv.gz")
WILDCARDS = frozenset("*?[")


@dataclass(frozen=True, eq=False)
class Source:
    """Rows that can be read again and again.

    Parameters
    ----------
    schema : pyarrow.Schema
    n_rows : int
    parts : callable
        Gets names of columns and returns an iterator of ``pyarrow.RecordBatch`` with these.
    """

    schema: Any
    n_rows: int
    parts: Parts

    def frame(self, names: Sequence[str]) -> pd.DataFrame:
        """Return all rows of some columns.

        Raises
        ------
        InputError
            If there are more or fewer rows than at first.
        """
        import pandas as pd
        import pyarrow as pa

        schema = pa.schema([self.schema.field(name) for name in names])
        table = pa.Table.from_batches(list(self.parts(names)), schema)
        if len(table) != self.n_rows:
            raise changed()
        return pd.DataFrame({name: _series(table.column(name)) for name in names}, copy=False)


def _series(column: Any) -> Any:
    """Return a column of Arrow; categories without an order in the order of their labels.

    With gaps whole numbers of 64 bits would be rounded to floats.
    """
    import pandas as pd
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and not column.type.ordered:
        return column.cast(column.type.value_type).to_pandas().astype("category")
    exact = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    return column.to_pandas(types_mapper=exact.get if column.null_count else None)


def changed() -> InputError:
    """Return the error for other rows in a later pass than in the first one."""
    return InputError("DATA: the table changed while it was read; read it again")


def is_stream(data: Any) -> bool:
    """Return whether data is read in parts: a pattern of files, a folder, a dataset, or a stream of Arrow.

    Tables of pandas are in memory, and so are tables of other libraries that pyfsel has always converted.
    """
    if isinstance(data, (str, Path)):
        return Path(data).is_dir() or (bool(WILDCARDS & set(str(data))) and not Path(data).is_file())
    module = type(data).__module__.partition(".")[0]
    return module in ("pyarrow", "duckdb", "ibis", "dask", "pyspark") or type(data).__name__ == "LazyFrame"


def is_large_file(path: Path) -> bool:
    """Return whether a file is read in parts although nobody asks for it: a large one of Parquet or CSV.

    A CSV is about half as large as its numbers. Its first line must be names with the separator that is read
    in parts.
    """
    name = path.name.lower()
    if not path.is_file() or importlib.util.find_spec("pyarrow") is None:
        return False
    if name.endswith(PARQUET):
        from pyarrow import ArrowException
        from pyarrow.parquet import read_metadata

        try:
            about = read_metadata(path)
        except (ArrowException, OSError):
            return False
        return bool(8 * about.num_rows * about.num_columns > LARGE_BYTES)
    if not name.endswith(CSV[:2]) or path.stat().st_size < LARGE_BYTES // 2:
        return False
    with path.open("rb") as file:
        header = file.readline(2**20)
    return header.count(b"\t" if name.endswith(".tsv") else b",") > header.count(b";")


def are_files(data: Any) -> bool:
    """Return whether data is a path, or a list of some."""
    names = data if isinstance(data, list) else [data]
    return bool(names) and all(isinstance(name, (str, Path)) for name in names)


def open_source(data: Any) -> Source:
    """Open files (a path or pattern, or a list), a `pyarrow.dataset`, a stream of Arrow, or a DataFrame.

    DataFrames may come from Polars (lazy ones too), Dask and Spark.

    Raises
    ------
    InputError
        If pyarrow is missing, or this is nothing that can be read, or it holds no rows.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError("DATA: reading in parts takes pyarrow (pip install 'pyfsel[parquet]')")
    import pyarrow as pa

    name = data if isinstance(data, (str, Path)) else shown(data)
    try:
        source = _opened(data)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"DATA={name}: cannot be read ({_reason(error)})") from None
    if source.n_rows == 0:
        raise InputError(f"DATA={name}: has no rows, must have at least one")
    return source


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _opened(data: Any) -> Source:
    if are_files(data):
        return _of_files(data if isinstance(data, list) else [data])
    if hasattr(data, "sink_parquet"):  # a Polars LazyFrame, which writes as it goes
        file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the source
        data.sink_parquet(file)
        return _of_parquet([file])
    if hasattr(data, "scanner"):  # a pyarrow.dataset
        few = {"batch_size": ROWS_AT_ONCE, "batch_readahead": 1, "fragment_readahead": 1}
        return Source(
            data.schema, data.count_rows(), lambda names: data.to_batches(columns=list(names), **few)
        )
    if hasattr(data, "to_delayed"):  # a dask.dataframe
        return _spooled(_of_partitions(data))
    if hasattr(data, "mapInArrow"):  # a DataFrame of Spark
        return _spooled(_of_spark(data))
    data = data.to_arrow() if hasattr(data, "to_arrow") else data  # a DataFrame of Polars, without a copy
    if hasattr(data, "select") and hasattr(data, "to_batches"):  # a pyarrow.Table
        return Source(data.schema, len(data), lambda names: iter(data.select(list(names)).to_batches()))
    if hasattr(data, "__arrow_c_stream__"):
        import pyarrow as pa

        return _spooled(pa.RecordBatchReader.from_stream(data))
    raise InputError(
        f"DATA: is {type(data).__name__}. It must be files, a dataset, a stream of Arrow or a DataFrame."
    )


def _of_partitions(frame: Any) -> Any:
    """Return a reader of the partitions of Dask, each computed when it is read."""
    import pyarrow as pa

    schema = pa.Schema.from_pandas(frame._meta, preserve_index=False)
    parts = (part.compute() for part in frame.to_delayed())
    tables = (pa.Table.from_pandas(part, schema=schema, preserve_index=False) for part in parts)
    return pa.RecordBatchReader.from_batches(schema, (batch for one in tables for batch in one.to_batches()))


def _of_spark(frame: Any) -> Any:
    """Return a reader of the partitions of Spark, of which one is here at a time."""
    import pyarrow as pa

    schema = frame.limit(0).toArrow().schema
    numbered = frame.toDF(*(f"c{j}" for j in range(len(frame.columns))))  # names may hold dots
    rows = numbered.mapInArrow(_packed, "batch binary").toLocalIterator()
    batches = (pickle.loads(row.batch).rename_columns(schema.names) for row in rows)
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in batches))


def _packed(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches in the form in which Spark sends them here."""
    import pyarrow as pa

    for batch in batches:
        yield pa.record_batch({"batch": pa.array([pickle.dumps(batch)], pa.binary())})


def _of_files(given: Sequence[str | Path]) -> Source:
    paths = [path for one in given for path in _paths(Path(one))]
    kinds = {
        next((kind for kind in (PARQUET, CSV) if str(path).lower().endswith(kind)), None) for path in paths
    }
    if kinds == {PARQUET}:
        return _of_parquet(paths)
    if kinds == {CSV}:
        return _spooled(_csv(paths))
    raise InputError(
        f"DATA={str(given[0])!r}: must be Parquet or CSV files, all of one kind, to be read in parts"
    )


def _paths(path: Path) -> list[Path]:
    if path.is_dir():
        path = path / "**" / "*.parquet"
    is_pattern = bool(WILDCARDS & set(str(path))) and not path.is_file()
    found = sorted(glob.glob(str(path), recursive=True)) if is_pattern else [str(path)]
    if not found:
        raise InputError(f"DATA={str(path)!r}: no such file.")
    return [Path(one) for one in found]


def _of_parquet(files: Sequence[Any]) -> Source:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    @lru_cache(maxsize=8)
    def opened(file: Any) -> Any:
        try:
            return ParquetFile(file, pre_buffer=False)
        except (ArrowException, OSError) as error:
            raise InputError(f"{file}: cannot be read ({_reason(error)})") from None

    def parts(names: Sequence[str]) -> Iterator[Any]:
        rows = min(ROWS_AT_ONCE, max(ENTRIES_AT_ONCE // len(names), 1))
        for file, state in zip(files, states, strict=True):
            if _state(file) != state:
                raise changed()
            yield from opened(file).iter_batches(rows, columns=list(names), use_threads=False)

    first, n_rows, states = opened(files[0]).schema_arrow, 0, [_state(file) for file in files]
    for file in files:
        one = opened(file)
        n_rows += one.metadata.num_rows
        for field in first:
            its_own = one.schema_arrow.get_field_index(field.name)
            if its_own < 0 or one.schema_arrow.field(its_own).type != field.type:
                raise InputError(f"{file}: has no column {field.name!r} of {field.type}, as {files[0]} has")
    return Source(first, n_rows, parts)


def _state(file: Any) -> tuple[int, int] | None:
    """Return when a file was written and its size; of a temporary one nothing."""
    if not isinstance(file, Path):
        return None
    state = file.stat()
    return state.st_mtime_ns, state.st_size


def _csv(paths: Sequence[Path]) -> Any:
    """Return a reader of CSV files, of which whole numbers may become others further below.

    Those of more than 53 digits in the first block stay whole ones: as floats they would be rounded.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    from pyfsel.measures.tables.formats import (
        GAPS,
        begins_with_row_labels,
        first_row,
        has_decimal_commas,
        separator_of,
    )

    def opened(path: Path, types: Any) -> Any:
        separator = "\t" if ".tsv" in path.name.lower() else separator_of(path)
        first, *others = first_row(path, separator)
        names = [first, *(name or f"Unnamed: {j}" for j, name in enumerate(others, 1))]
        check_distinct(names)
        gaps = [*csv.ConvertOptions().null_values, "<NA>", "None", *GAPS]
        options = csv.ConvertOptions(
            null_values=[*gaps, *(f" {gap}" for gap in gaps)],
            strings_can_be_null=True,
            true_values=["True", "TRUE", "true"],
            false_values=["False", "FALSE", "false"],
            column_types=types,
        )
        return csv.open_csv(
            path,
            csv.ReadOptions(column_names=names, skip_rows_after_names=1),
            csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            options,
        )

    reader = opened(paths[0], None)
    first = next(reader, pa.RecordBatch.from_pylist([], reader.schema))
    for name, column in zip(first.schema.names, first.columns, strict=True):
        if has_decimal_commas(column.to_pandas()):
            raise InputError(
                f"{paths[0]}: column {name!r} has decimal commas, which are not read in parts. Write the "
                "table with decimal points, or as Parquet"
            )

    def wider_type(field: Any) -> Any:
        if pa.types.is_time(field.type):
            return pa.string()
        if not pa.types.is_integer(field.type):
            return pa.float64() if pa.types.is_null(field.type) else field.type
        ends = pc.min_max(first.column(field.name)).as_py().values()
        return pa.float64() if max(map(abs, ends)) <= LARGEST_EXACT else field.type

    def stripped(column: Any) -> Any:
        return pc.utf8_ltrim(column, " ") if pa.types.is_string(column.type) else column

    columns = list(reader.schema)[begins_with_row_labels(paths[0], reader.schema.names) :]
    wider = {field.name: wider_type(field) for field in columns}
    schema = pa.schema(list(wider.items()))

    def batches() -> Iterator[Any]:
        for path in paths:
            part = opened(path, wider)
            for name in wider:
                if name not in part.schema.names:
                    raise InputError(f"{path}: has no column {name!r}, as {paths[0]} has")
            for batch in part:
                yield pa.record_batch([stripped(batch.column(name)) for name in wider], schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _spooled(reader: Any) -> Source:
    """Write what can be read once to a temporary file of Parquet."""
    from pyarrow.parquet import ParquetWriter

    file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the source
    with ParquetWriter(file, reader.schema, compression="lz4", use_dictionary=False) as writer:
        for batch in reader:
            if batch.num_rows:
                writer.write_batch(batch, row_group_size=ROWS_AT_ONCE)
    return _of_parquet([file])
