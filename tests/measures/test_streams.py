"""Tables that are read in parts: the numbers of those in memory, whatever the parts and the container are."""

import shutil
import sys
import tempfile
from types import SimpleNamespace
from unittest.mock import Mock

import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import psutil
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from running import progress_told
from small_problems import problem_from_table

from pyfsel.errors import InputError
from pyfsel.measures import prepare, quality, read_table, redundancy
from pyfsel.measures.above_chance import above_chance
from pyfsel.measures.copies import copies_of, find_copies
from pyfsel.measures.standard_errors import errors_of
from pyfsel.measures.streams import sources
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.streams.reading import read_in_parts
from pyfsel.measures.streams.sources import is_stream
from pyfsel.measures.tables.entries import as_dense
from pyfsel.solving.solve import solve

pytestmark = pytest.mark.filterwarnings("ignore:X:UserWarning")
N = 1000
READING = {"missing": "impute", "dates": "number"}
BY_COLUMN = ("information_share", "mutual_info_binned", "symmetrical_uncertainty", "spearman", "pearson")


def columns(n=N):
    """Return columns of every kind that a file may hold, some of them with gaps."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal(n)
    gaps = rng.random((3, n)) < 0.2
    return {
        "normal": z,
        "single": (z + rng.standard_normal(n)).astype(np.float32),
        "many_zeros": np.where(rng.random(n) < 0.55, -0.0, np.exp(z)),
        "nearly_equal": 1000 + 1e-9 * z,
        "sorted": np.sort(z).astype(np.float32),
        "cauchy": rng.standard_cauchy(n),
        "gaps": np.where(gaps[0], np.nan, z),
        "whole": rng.integers(0, 7, n),
        "large": pd.array(2**53 + rng.integers(0, 50, n), dtype="Int64"),
        "large_gaps": pd.array([pd.NA if gap else 2**60 + j % 4 for j, gap in enumerate(gaps[1])], "Int64"),
        "byte": rng.integers(0, 100, n).astype(np.uint8),
        "truth": z > 1,
        "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 9, n), "D"),
        "text": np.where(gaps[2], None, np.array(["b", "a", "ü"])[rng.integers(0, 3, n)]),
        "many_texts": np.array([f"t{j}" for j in range(300)])[rng.integers(0, 300, n)],
        "unordered": pd.Categorical(
            np.array(["mid", "lo", "hi"])[rng.integers(0, 3, n)], ["mid", "lo", "hi", "no"]
        ),
        "constant": np.ones(n),
        "y": np.array(["no", "yes"])[(z + rng.standard_normal(n) > 0).astype(int)],
    }


def numbers(table, measures=("information", *BY_COLUMN)):
    """Return what is measured of a table, and how sure it is."""
    found = {("quality", name): quality(table, measure=name) for name in measures}
    found |= {("pairs", name): redundancy(table, name) for name in measures[:4]}
    found["chance"] = above_chance(table)
    return found


@pytest.mark.parametrize("n_rows", [300, 9000, 2**16])
@pytest.mark.parametrize("missing", ["impute", "category"])
def test_numbers_are_those_of_memory_to_the_last_bit(monkeypatch, n_rows, missing):
    monkeypatch.setattr("pyfsel.measures.streams.reading.ENTRIES_AT_ONCE", 4 * n_rows)
    frame, reading = pd.DataFrame(columns(n_rows)), READING | {"missing": missing}
    if n_rows > 9000:
        frame = frame.drop(columns=["many_texts", "cauchy", "byte", "truth"])
    in_parts = read_in_parts(pa.Table.from_pandas(frame), "y", **reading)
    table = prepare(frame.drop(columns="y"), frame["y"], **reading)
    for name in ("feature_names", "task", "classes"):
        assert getattr(in_parts, name) == getattr(table, name)
    for name in ("y", "is_discrete", "is_constant", "is_category", "is_unordered"):
        assert np.array_equal(getattr(in_parts, name), getattr(table, name)), name
    measures = ("information",) if missing == "category" else ("information", *BY_COLUMN)
    wanted, found = numbers(table, measures), numbers(in_parts, measures)
    if missing == "impute":
        pairs = [redundancy(one, "pearson") for one in (in_parts, table)]
        assert pairs[0] == pytest.approx(pairs[1], abs=1e-5)
        assert find_copies(in_parts) == find_copies(table)
        assert copies_of(in_parts, [0]) == copies_of(table, [0])
    for name, values in wanted.items():
        exact = name != ("quality", "pearson")
        assert np.allclose(found[name], values, rtol=0, atol=0 if exact else 1e-12), name
    for one, other in zip(errors_of(in_parts, "information"), errors_of(table, "information"), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def dictionaries(whole, _):
    place = whole.schema.get_field_index("text")
    return pa.concat_tables(
        [
            part.set_column(place, "text", part["text"].dictionary_encode())
            for part in (whole[:10], whole[10:])
        ]
    )


def files(whole, folder):
    pq.write_table(whole[:100], folder / "a.parquet")
    pq.write_table(whole[100:], folder / "b.parquet", row_group_size=33)
    return folder


def csv(whole, folder):
    whole.to_pandas().to_csv(folder / "one.csv", index=False)
    return [folder / "one.csv"]


def with_empty_parts(whole, _):
    nothing = pa.RecordBatch.from_pylist([], whole.schema)
    return pa.Table.from_batches([nothing, *whole.to_batches(max_chunksize=50), nothing])


def spark_frame(whole, folder):
    """Return a DataFrame whose names hold a dot and a quote, of a session in this machine."""
    from pyspark.sql import SparkSession

    short_lived = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # half of its time Java would compile for later
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.extraJavaOptions", short_lived)
    builder = builder.config("spark.sql.files.maxPartitionBytes", "16k")  # a row group
    pq.write_table(whole, folder / "one.parquet", row_group_size=100)
    return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate().read.parquet(str(folder))


CONTAINERS = {
    "row by row": lambda whole, _: pa.Table.from_batches(whole.to_batches(max_chunksize=1)),
    "empty parts": with_empty_parts,
    "dictionaries": dictionaries,
    "folder": files,
    "pattern": lambda whole, folder: str(files(whole, folder) / "*.parquet"),
    "list": lambda whole, folder: sorted(files(whole, folder).iterdir()),
    "dataset": lambda whole, folder: pyarrow.dataset.dataset(files(whole, folder)),
    "reader": lambda whole, _: pa.RecordBatchReader.from_batches(whole.schema, whole.to_batches(7)),
    "csv": csv,
    "polars": lambda whole, _: pl.from_arrow(whole),
    "polars, lazy": lambda whole, _: pl.from_arrow(whole).lazy(),
    "dask": lambda whole, _: dask.dataframe.from_pandas(whole.to_pandas(), npartitions=3),
    "spark": spark_frame,
}  # fmt: skip


@pytest.mark.parametrize(
    "container",
    [pytest.param(name, marks=pytest.mark.slow) if name == "spark" else name for name in CONTAINERS],
)
def test_bits_are_the_same_from_any_container(tmp_path, monkeypatch, container):
    if container == "spark":
        if shutil.which("java") is None:
            pytest.skip("Spark needs Java")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    frame = pd.DataFrame(columns(300)).drop(columns=["day", "large_gaps"])
    frame = frame.rename(columns={"normal": "a.b", "single": "c`d"})
    frame.loc[299, "text"] = "seen last"
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    data = CONTAINERS[container](whole, tmp_path)
    if container == "csv":  # numbers are what pandas reads of their digits: some are rounded
        digits = pd.read_csv(data[0]).select_dtypes("float")
        whole = pa.Table.from_pandas(frame.assign(**digits), preserve_index=False)
    assert is_stream(data) or isinstance(data, list | pa.RecordBatchReader | pl.DataFrame)
    wanted, found = (numbers(read_in_parts(one, "y", **READING)) for one in (whole, data))
    for name, values in wanted.items():
        assert np.array_equal(found[name], values), name


def test_pairs_of_lanes_of_any_width():
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.permutation(np.arange(5000) % size) for size in (2, 3, 300, 16, 17, 70_000)])
    lanes = Lanes.of(5000, [codes[:, :4].T, codes[:, 4:].T])
    assert lanes.sizes.tolist() == [2, 3, 300, 16, 17, 5000]
    assert np.array_equal(lanes[:, :], codes)
    chosen, asked = [4, 2, 0], [1, 5, 3, 2]
    wanted = np.vstack(
        [np.hstack([pd.crosstab(codes[:, j], codes[:, i]).to_numpy() for i in chosen]) for j in asked]
    )
    assert np.array_equal(lanes.count(chosen, asked), wanted)
    assert np.array_equal(lanes.select([5, 2, 0]).count([1, 2], [0]), wanted[3:5003, [*range(17, 319)]])
    upper = lanes.count(range(5))
    assert np.array_equal(np.maximum(upper, upper.T)[:5, 5:305], lanes.count([2], [0, 1]))


@pytest.mark.parametrize("objective", ["cfs", "jmi", "r2", "facility_location"])
def test_sets_are_those_of_memory(monkeypatch, objective):
    """Few pairs are in memory, those of others are measured when they are needed."""
    monkeypatch.setattr("pyfsel.measures.compute.MOST_FEATURES_IN_PARTS", 5)
    frame = pd.DataFrame(columns()).drop(columns=["gaps", "large_gaps", "text", "day", "many_texts"])
    asked = {"objective": objective, "k": 3, "n_sets": 2, "dissimilarity": 0.5}
    streamed = problem_from_table(pa.Table.from_pandas(frame), "y", **asked)
    kept = problem_from_table(frame.drop(columns="y"), frame["y"], **asked)
    assert solve(streamed).sets == solve(kept).sets


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--objective mrmr --measure spearman",
        "--near-duplicates merge",
        "--missing impute",
        "--sample-weight weight",
        "--order text=a<b<c",
    ],
)
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".tsv", ";"])
def test_large_files_are_read_in_parts_unasked(tmp_path, monkeypatch, run, ending, options):
    rng, path = np.random.default_rng(0), tmp_path / f"table{ending.replace(';', '.csv')}"
    y = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"a": y + rng.normal(size=300), "b": rng.normal(size=300), "weight": 1 + y})
    frame = frame.assign(text=rng.choice(list("abc"), 300), y=y)
    if ending == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep={".csv": ",", ".tsv": "\t", ";": ";"}[ending])
    ignored = "" if "weight" in options else "--ignore weight"
    asked = f"select {path} -t y -k 1 -n 1 {ignored} {options} --format json"
    sources_read, real = [], sources.open_source
    monkeypatch.setattr(
        "pyfsel.measures.streams.reading.open_source", lambda *data: sources_read.append(data) or real(*data)
    )
    for most in (10**9, 1000):
        assert not sources_read
        monkeypatch.setattr("pyfsel.measures.streams.sources.LARGE_BYTES", most)
        assert run(asked, 0).data["sets"][0]["names"] == ["a"]
    assert bool(sources_read) != options.startswith(("--sample", "--order"))


def test_interrupted_or_not_no_file_is_left_and_progress_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("pyfsel.measures.streams.reading.ENTRIES_AT_ONCE", 1000)
    data, told, reads = pa.Table.from_pandas(pd.DataFrame(columns(300))), [], []
    n_open = psutil.Process().num_fds()
    with progress_told(lambda text, done: told.append(text)):
        reader = pa.RecordBatchReader.from_batches(data.schema, data.to_batches())
        redundancy(read_in_parts(reader, "y", **READING), "pearson")
    assert told[0] == "strips of columns (300 rows): 1 of 6"
    assert "strips of columns (300 rows): 6 of 6" in told
    opened = sources.open_source(data)

    def interrupted(names):
        reads.append(names)
        if len(reads) == 4:
            raise KeyboardInterrupt
        return opened.frame(names)

    monkeypatch.setattr(
        "pyfsel.measures.streams.reading.open_source",
        lambda *_: sources.Source(opened.names, 300, interrupted),
    )
    with pytest.raises(KeyboardInterrupt):
        read_in_parts(data, "y", **READING)
    assert list(tmp_path.iterdir()) == []
    assert psutil.Process().num_fds() <= n_open


def test_a_table_that_changes_while_it_is_read_is_an_error(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"x": np.arange(50.0), "z": np.arange(50.0), "y": [0, 1] * 25})
    frame.to_parquet(path)
    table = read_in_parts([path], "y")
    assert redundancy(table, "pearson")[0, 1] == pytest.approx(1, abs=1e-6)
    frame.assign(z=0.0).to_parquet(path)
    with pytest.raises(InputError, match="changed while it was read"):
        quality(table.select([1, 0]), measure="pearson")


def test_what_does_not_fit_is_refused_with_the_sizes(monkeypatch):
    table = prepare(np.random.default_rng(0).random((100, 3)), np.arange(100) % 2)
    monkeypatch.setattr("pyfsel.measures.compute.LITTLE_MEMORY", 0)
    for lacking in (1, 0):
        free = SimpleNamespace(available=8 * 3 * 103 - lacking)
        monkeypatch.setattr(psutil, "virtual_memory", lambda free=free: free)
        if lacking:
            with pytest.raises(InputError, match=r"pairs of 3 columns of 100 rows take at least 0\.0 GB"):
                redundancy(table)
    assert redundancy(table).shape == (3, 3)
    monkeypatch.setattr(
        "pyfsel.measures.from_table.pair_measures",
        Mock(side_effect=MemoryError("Unable to allocate 14.9 GiB")),
    )
    with pytest.raises(InputError, match=r"X: 100 rows of 3 columns do not fit.*14\.9 GiB\); .*in parts"):
        problem_from_table(table, k=2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        *(
            ({"data": pa.table({"x": column, "y": [0, 1, 0]}), "missing": "error"}, f"'x' holds{told}")
            for column, told in (
                (pa.array([[1], [2], [3]]), ""),
                (pa.array([{"a": 1}] * 3), ""),
                (pa.array([1, 2, 3], pa.timestamp("s")), " dates or times"),
                (pa.array([1.0, np.inf, 2.0]), " infinite"),
                (pa.array([1.0, -np.inf, 2.0], pa.float32()), " infinite"),
                (pa.array([None, None, None], pa.float64()), " no value at all"),
                (pa.nulls(3), " no value at all"),
                (pa.array([None, 1, 2], pa.int64()), " missing"),
            )
        ),
        ({"target": "z"}, "target='z': is not a column of DATA"),
        ({"target": "x"}, "y: is missing in 1 row"),
        ({"missing": "drop"}, "missing='drop'"),
        ({"task": "survival"}, "task='survival'"),
        ({"ignored": ["x", "z"]}, "must be at most|ignored"),
        ({"data": [1, 2]}, "y='y': must be a list"),
        ({"data": "nothing*.parquet"}, "no such file"),
        ({"data": pa.table({"x": pa.array([], pa.int8()), "y": pa.array([], pa.int8())})}, "has no rows"),
    ],
)
def test_columns_that_are_refused_and_why(options, told):
    asked = {"data": pa.table({"x": [1, None, 3], "y": [0, 1, 0]}), "target": "y", "missing": "category"}
    with pytest.raises(InputError, match=told):
        read_in_parts(**asked | options)


def test_decimals_and_nulls_beside_nan_are_numbers_and_gaps():
    decimals = pa.array([1, 2, None, 4], pa.decimal128(5, 2))
    both = pa.array([1.5, None, float("nan"), 2.5], from_pandas=False)
    table = read_in_parts(pa.table({"d": decimals, "x": both, "y": [0, 1, 0, 1]}), "y", missing="category")
    assert table.coded.sizes.tolist() == [4, 3]


def test_a_file_with_brackets_in_its_name_is_a_file_and_a_part(tmp_path):
    path = tmp_path / "year=1" / "month=2" / "table[1].parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"x": [1, 2, 3], "y": [0, 1, 0]}), path)
    assert not is_stream(path)
    assert is_stream(path.parent / "table*.parquet")
    assert [len(read_in_parts(one, "y").y) for one in (path, tmp_path)] == [3, 3]


CSV = """, a,,true,mixed,text,time,"b
c",y
7,1.5,n/a,True,True, b,12:30,"a,b",0
8,2.5, NA,,0,a,2:00,<NA>,1
9,0.5,1,False,1,b,1:15,"d
e",0
"""


LATE = (
    "1,2,1.50,x,01",
    "1,,0x1F,2",
    "True,False,,True,maybe",
    "True,False,True,1,0",
    ",,,a,b",
    "1,2,1180591620717411303425,",
    "-1,2,3,18446744073709551615",
    "1152921504606846977,1152921504606846979,,",
)


@pytest.mark.parametrize(
    "text",
    [
        CSV,
        *(
            f"x;z;w;y\n2;3;1.234;0\n1{decimal}25;1.5;2.345;1\n;2.25;;0\n4;5;7{decimal}5;1\n".replace(
                ";", separator
            )
            for decimal in ",."
            for separator in ";|\t"
        ),
        'x,z,y\n2,3,0\n"1,25",1.5,1\n"0,5",,0\n',
        *(
            head + "".join(f"ü{i},{cell},{i % 2}\n" for i, cell in enumerate(cells.split(",")))
            for head in ("a,b,y\n", ",b,y\n", "b,y\n")  # two columns, or labels of rows without a name
            for cells in LATE
        ),
    ],
)
def test_a_csv_is_in_parts_what_it_is_in_memory(tmp_path, monkeypatch, recwarn, text):
    """All cells of a column decide its kind, not the first rows."""
    monkeypatch.setattr("pyfsel.measures.streams.csv_files.ROWS_AT_ONCE", 2)
    (tmp_path / "t.csv").write_text(text, "cp1252")
    wanted = prepare(*read_table(tmp_path / "t.csv", "y", encoding="cp1252"), missing="impute")
    found = read_in_parts(f"{tmp_path}/*.csv", "y", missing="impute", encoding="cp1252").dense()
    labelled = [one for one in recwarn if "taken as row labels" in str(one.message)]
    assert len(labelled) == 2 * text.startswith((",", "b"))
    for name in ("feature_names", "is_category", "X"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name))


def test_csv_files_of_a_folder_have_the_columns_of_the_first_in_any_order(tmp_path):
    (tmp_path / "0.csv").write_text("x,z,y\n0.5,3,0\n1.5,1,1\n")
    (tmp_path / "1.csv").write_text("y,more,z,x\n1,7,2,2.5\n")
    table = read_in_parts(str(tmp_path / "*.csv"), "y")
    assert as_dense(table.at(np.arange(3)).X).tolist() == [[0.5, 3], [1.5, 1], [2.5, 2]]
    (tmp_path / "1.csv").write_text("x,y\n0.5,1\n")
    with pytest.raises(InputError, match=r"1\.csv: has no column 'z', as .*0\.csv has"):
        read_in_parts(str(tmp_path / "*.csv"), "y")
