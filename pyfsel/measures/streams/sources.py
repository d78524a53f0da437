"""Where the rows of a large table come from: files, Arrow's stream interface, or a DataFrame on a cluster.

A source is read as often as needed, some columns at a time. What can be read once only, and CSV, is written
to a temporary file first, which has no name, so nothing is left of it.
"""

from __future__ import annotations

import glob
import importlib.util
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures.tables.encoded import LARGEST_EXACT
from pyfsel.problem.checks import shown

Parts = Callable[[Sequence[str]], Iterator[Any]]
ROWS_AT_ONCE, ENTRIES_AT_ONCE = 2**17, 2**22
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".tsv", ".csv.gz", ".tsv.gz")
GAPS = ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]
WILDCARDS = frozenset("*?[")
LARGE_BYTES = 400_000_000
"""Numbers in double precision; about twice the size of their CSV."""


@dataclass(frozen=True, eq=False)
class Source:
    """Rows that can be read again and again.

    Parameters
    ----------
    schema : pyarrow.Schema
    n_rows : int
    parts : callable
        Gets names of columns and returns an iterator of ``pyarrow.RecordBatch`` with these.
    pieces : sequence of (int, callable)
        The number of rows of each piece that another process can read, and its `parts`.
    """

    schema: Any
    n_rows: int
    parts: Parts
    pieces: Sequence[tuple[int, Parts]] = ()

    @classmethod
    def of_pieces(cls, schema: Any, pieces: Sequence[tuple[int, Parts]]) -> Source:
        """Return the rows of all pieces."""
        return cls(schema, sum(n for n, _ in pieces), _Chain(_joined([parts for _, parts in pieces])), pieces)

    @property
    def frame(self) -> SparkFrame | None:
        """What reads rows where they lie, if something does."""
        return self.parts if isinstance(self.parts, SparkFrame) else None

    def split(self, n_sources: int) -> list[Source]:
        """Return at most so many sources of about as many rows, for other processes."""
        pieces = [piece for piece in self.pieces if piece[0]]
        if not pieces:
            raise InputError(
                "DATA: can be read here only; workers read Parquet files, a pyarrow.Table or a dask.dataframe"
            )
        runs = [pieces[i::n_sources] for i in range(min(n_sources, len(pieces)))]
        return [Source.of_pieces(self.schema, run) for run in runs]


@dataclass(frozen=True)
class _Chain:
    """The parts of one piece after another."""

    pieces: Sequence[Parts]

    def __call__(self, names: Sequence[str]) -> Iterator[Any]:
        for parts in self.pieces:
            yield from parts(names)


@dataclass(frozen=True)
class _Batches:
    """Batches in memory."""

    batches: Sequence[Any]

    def __call__(self, names: Sequence[str]) -> Iterator[Any]:
        for batch in self.batches:
            yield batch.select(list(names))


@dataclass(frozen=True)
class _RowGroups:
    """Row groups of a Parquet file."""

    file: Any
    groups: Sequence[int]

    def __call__(self, names: Sequence[str]) -> Iterator[Any]:
        from pyarrow.parquet import ParquetFile

        opened = ParquetFile(self.file, pre_buffer=False)
        rows = min(ROWS_AT_ONCE, max(ENTRIES_AT_ONCE // len(names), 1))
        yield from opened.iter_batches(rows, self.groups, columns=list(names), use_threads=False)


def _joined(pieces: Sequence[Any]) -> list[Any]:
    """Return pieces of which row groups of a file that follow each other are one: it is opened once."""
    joined: list[Any] = []
    for file, same in groupby(pieces, lambda piece: getattr(piece, "file", None)):
        some = list(same)
        joined += some if file is None else [_RowGroups(file, [g for one in some for g in one.groups])]
    return joined


@dataclass(frozen=True)
class _Partition:
    """A partition of a dask.dataframe, computed where it is read."""

    delayed: Any
    schema: Any

    def __call__(self, names: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa

        frame = self.delayed.compute(scheduler="synchronous")[list(names)]
        wanted = pa.schema([self.schema.field(name) for name in names])
        table = pa.Table.from_pandas(frame, schema=wanted, preserve_index=False)
        yield from table.to_batches(max_chunksize=ROWS_AT_ONCE)


@dataclass(frozen=True)
class SparkFrame:
    """A DataFrame of Spark, whose partitions are read where they are."""

    frame: Any

    def __call__(self, names: Sequence[str]) -> Iterator[Any]:
        for batches in self._mapped(names, _batches, names).toLocalIterator():
            yield from batches

    def total(
        self, add: Callable[..., Any], names: Sequence[str], function: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Return the sum of what a function returns for the rows of each partition as a `Source`."""
        return self._mapped(names, function, *arguments).treeReduce(add)

    def _mapped(self, names: Sequence[str], *task: Any) -> Any:
        columns = self.frame.columns
        numbered = self.frame.toDF(*(f"c{j}" for j in range(len(columns))))  # names may hold dots
        wanted = numbered.select([f"c{columns.index(name)}" for name in names])
        return wanted.mapInArrow(partial(_on_partition, names, task), "found binary").rdd.map(_unpacked)


def _on_partition(names: Sequence[str], task: Sequence[Any], batches: Iterator[Any]) -> Iterator[Any]:
    """Yield what a function returns for the rows of a partition, which are written to a temporary file.

    The task is the function, and its arguments behind the rows. Of a partition without rows nothing comes.
    """
    import pyarrow as pa

    function, *arguments = task
    named = (batch.rename_columns(names) for batch in batches)
    first = next(named, None)
    if first is not None:
        reader = pa.RecordBatchReader.from_batches(first.schema, chain([first], named))
        found = pickle.dumps(function(_spooled(reader), *arguments))
        yield pa.record_batch({"found": pa.array([found], pa.binary())})


def _unpacked(row: Any) -> Any:
    return pickle.loads(row.found)


def _batches(source: Source, names: Sequence[str]) -> list[Any]:
    return list(source.parts(names))


def is_stream(data: Any) -> bool:
    """Return whether data is read in parts: a pattern of files, a folder, a dataset, or a stream of Arrow.

    Tables of pandas are in memory, and so are those of other libraries that pyfsel has always converted.
    """
    if isinstance(data, (str, Path)):
        return Path(data).is_dir() or (bool(WILDCARDS & set(str(data))) and not Path(data).is_file())
    module = type(data).__module__.partition(".")[0]
    return module in ("pyarrow", "duckdb", "ibis", "dask", "pyspark") or type(data).__name__ == "LazyFrame"


def is_large_file(path: Path) -> bool:
    """Return whether a file is read in parts although nobody asks for it: a large one of Parquet or CSV.

    Of CSV the first line must be names with the separator that is read in parts.
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

    DataFrames are those of Polars (lazy ones too), Dask and Spark.

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
        return replace(_of_parquet([file]), pieces=())
    if hasattr(data, "scanner"):  # a pyarrow.dataset
        few = {"batch_size": ROWS_AT_ONCE, "batch_readahead": 1, "fragment_readahead": 1}
        return Source(
            data.schema, data.count_rows(), lambda names: data.to_batches(columns=list(names), **few)
        )
    if hasattr(data, "to_delayed"):  # a dask.dataframe
        return _of_partitions(data)
    if hasattr(data, "mapInArrow"):  # a DataFrame of Spark
        return Source(data.limit(0).toArrow().schema, data.count(), SparkFrame(data))
    data = data.to_arrow() if hasattr(data, "to_arrow") else data  # a DataFrame of Polars, without a copy
    if hasattr(data, "select") and hasattr(data, "to_batches"):  # a pyarrow.Table
        batches = data.to_batches(max_chunksize=ROWS_AT_ONCE)
        return Source.of_pieces(data.schema, [(batch.num_rows, _Batches([batch])) for batch in batches])
    if hasattr(data, "__arrow_c_stream__"):
        import pyarrow as pa

        return _spooled(pa.RecordBatchReader.from_stream(data))
    raise InputError(
        f"DATA: is {type(data).__name__}, must be files, a dataset, a stream of Arrow or a DataFrame"
    )


def _of_partitions(frame: Any) -> Source:
    import pyarrow as pa

    schema = pa.Schema.from_pandas(frame._meta, preserve_index=False)
    sizes = frame.map_partitions(len).compute()
    pieces = [_Partition(delayed, schema) for delayed in frame.to_delayed()]
    return Source.of_pieces(schema, list(zip(sizes.tolist(), pieces, strict=True)))


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
        raise InputError(f"DATA={str(path)!r}: there is no such file")
    return [Path(one) for one in found]


def _of_parquet(files: Sequence[Any]) -> Source:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    def opened_file(file: Any) -> Any:
        try:
            return ParquetFile(file)
        except (ArrowException, OSError) as error:
            raise InputError(f"{file}: cannot be read ({_reason(error)})") from None

    first, pieces = opened_file(files[0]).schema_arrow, []
    for file in files:
        opened = opened_file(file)
        for field in first:
            its_own = opened.schema_arrow.get_field_index(field.name)
            if its_own < 0 or opened.schema_arrow.field(its_own).type != field.type:
                raise InputError(f"{file}: has no column {field.name!r} of {field.type}, as {files[0]} has")
        sizes = [opened.metadata.row_group(g).num_rows for g in range(opened.num_row_groups)]
        pieces += [(n, _RowGroups(file, [g])) for g, n in enumerate(sizes)]
    return Source.of_pieces(first, pieces)


def _csv(paths: Sequence[Path]) -> Any:
    """Return a reader of CSV files, of which whole numbers may become others further below.

    Those of more than 53 digits in the first block stay whole ones: as floats they would be rounded.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    from pyfsel.measures.tables.text import SPREADSHEET_ERRORS  # whose module imports pandas

    def opened(path: Path, types: Any) -> Any:
        separator = "\t" if ".tsv" in path.name.lower() else ","
        options = csv.ConvertOptions(
            null_values=[*GAPS, *SPREADSHEET_ERRORS], strings_can_be_null=True, column_types=types
        )
        return csv.open_csv(
            path, parse_options=csv.ParseOptions(delimiter=separator), convert_options=options
        )

    reader = opened(paths[0], None)
    first = next(iter(reader), None)

    def may_be_float(field: Any) -> bool:
        if not pa.types.is_integer(field.type) or first is None:
            return bool(pa.types.is_integer(field.type) or pa.types.is_null(field.type))
        ends = [end for end in pc.min_max(first.column(field.name)).as_py().values() if end is not None]
        return max(map(abs, ends), default=0) <= LARGEST_EXACT

    wider = {field.name: pa.float64() if may_be_float(field) else field.type for field in reader.schema}
    schema = pa.schema(list(wider.items()))
    batches = (batch for path in paths for batch in opened(path, wider))
    return pa.RecordBatchReader.from_batches(schema, batches)


def _spooled(reader: Any) -> Source:
    """Write what can be read once to a temporary file of Parquet."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the source
    with ParquetWriter(file, reader.schema, compression="lz4", use_dictionary=False) as writer:
        for batch in reader:
            if batch.num_rows:
                writer.write_table(pa.Table.from_batches([batch]), row_group_size=ROWS_AT_ONCE)
    return replace(_of_parquet([file]), pieces=())
