"""Tables that are read in parts: the numbers of those in memory, whatever the parts are."""

import dataclasses
import json
import os
import pickle
import tempfile
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from pyfsel.cli.app import main
from pyfsel.errors import InputError
from pyfsel.measures import prepare, quality, redundancy
from pyfsel.measures.above_chance import above_chance
from pyfsel.measures.copies import similarities
from pyfsel.measures.evidence import errors_by_groups
from pyfsel.measures.from_table import problem_from_table
from pyfsel.measures.levels import level_codes
from pyfsel.measures.on_demand import ON_DEMAND
from pyfsel.measures.standard_errors import errors_of
from pyfsel.measures.streams import kept, sources
from pyfsel.measures.streams.counting import read_moments, read_stream
from pyfsel.measures.streams.levels import find_levels
from pyfsel.measures.streams.problem import problem_from_stream
from pyfsel.measures.streams.sampling import draw
from pyfsel.measures.streams.sources import is_stream, open_source
from pyfsel.results.counting import counts_are_told_to
from pyfsel.solving.solve import solve

N = 1000


def columns(n=N, seed=0):
    """Return columns of every kind that a file may hold."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(n)
    return {
        "normal": z,
        "single": (z + rng.standard_normal(n)).astype(np.float32),
        "many_zeros": np.where(rng.random(n) < 0.55, -0.0, np.exp(z)),
        "nearly_equal": 1000 + 1e-9 * z,
        "sorted": np.sort(z).astype(np.float32),
        "cauchy": rng.standard_cauchy(n),
        "rounded": np.round(z, 1),
        "whole": rng.integers(0, 7, n),
        "large": 2**53 + rng.integers(0, 50, n),
        "byte": rng.integers(0, 100, n).astype(np.uint8),
        "truth": z > 1,
        "text": np.array(["b", "a", "ü"])[rng.integers(0, 3, n)],
        "constant": np.ones(n),
        "y": np.array(["no", "yes"])[(z + rng.standard_normal(n) > 0).astype(int)],
    }


def measured(data, missing="error", **options):
    table = read_stream(open_source(data), "y", missing=missing, **options)
    statistics = table.paired(np.flatnonzero(~table.statistics.is_constant).tolist())
    table.close()
    return statistics


def in_memory(frame, missing="error"):
    return prepare(frame.drop(columns="y"), frame["y"], missing=missing)


@pytest.mark.parametrize("measure", ["information", "information_share"])
@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_numbers_are_those_of_memory_to_the_last_bit(measure):
    frame = pd.DataFrame(columns())
    statistics, table = measured(pa.Table.from_pandas(frame)), in_memory(frame)
    assert (statistics.relevance(measure) == quality(table, measure=measure, normalise=False)).all()
    assert (statistics.redundancy(measure) == redundancy(table, measure)).all()


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_gaps_are_levels():
    rng, frame = np.random.default_rng(1), pd.DataFrame(columns())
    for name in ("normal", "single", "many_zeros", "text"):
        frame[name] = frame[name].where(rng.random(N) < 0.8)
    table = in_memory(frame, "category")
    statistics = measured(pa.Table.from_pandas(frame), "category")
    assert (statistics.relevance("information") == quality(table, normalise=False)).all()
    assert (statistics.redundancy("information") == redundancy(table)).all()
    with pytest.raises(InputError, match=r"'normal', 'single', 'many_zeros', 'text' hold missing"):
        measured(pa.Table.from_pandas(frame))


def answered(search, values):
    """Tally what a search asks for, in four parts, two of which are added from elsewhere."""
    try:
        while True:
            tally = next(search)
            copies = [pickle.loads(pickle.dumps(tally)) for _ in range(2)]
            *parts, third, fourth = np.array_split(values, 4)
            tally.update(parts)
            for copy, part in zip(copies, (fourth, third), strict=True):
                copy.update([part])
                tally.merge(copy)
    except StopIteration as end:
        return end.value


@pytest.mark.parametrize("n_bins", [2, 3, 10, 40])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_levels_are_those_of_memory(kind, n_bins):
    for n in (7, 100, 2000):
        for name, values in columns(n).items():
            if values.dtype.kind not in "fiu":
                continue
            x = values.astype(kind)
            x[:: 5 if name == "rounded" else n + 1] = np.nan
            levels = answered(find_levels(name, kind, n_bins=n_bins), x)
            frame = pd.DataFrame({"x": x, "other": np.arange(n) % 2})
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("warnings.warn", lambda *_, **__: None)
                codes = level_codes(prepare(frame, np.arange(n) % 2, missing="category"), n_bins)[:, 0]
            assert np.array_equal(levels.encode(x), codes), name
            assert np.array_equal(levels.counts, np.bincount(codes)), name


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_parts_change_nothing(tmp_path):
    frame = pd.DataFrame(columns(300))
    frame.loc[299, "text"] = "seen last"
    whole = pa.Table.from_pandas(frame)
    one_by_one = pa.Table.from_batches(whole.to_batches(max_chunksize=1))
    nothing = pa.RecordBatch.from_pylist([], whole.schema)
    empty = pa.Table.from_batches([nothing, *whole.to_batches(max_chunksize=50), nothing])
    dictionaries = pa.concat_tables(
        [part.set_column(11, "text", part["text"].dictionary_encode()) for part in (whole[:10], whole[10:])]
    )
    pq.write_table(whole[:100], tmp_path / "a.parquet")
    pq.write_table(whole[100:], tmp_path / "b.parquet", row_group_size=33)
    frame.to_csv(tmp_path / "one.csv", index=False)
    many = [
        one_by_one,
        empty,
        dictionaries,
        str(tmp_path / "*.parquet"),
        tmp_path,
        [tmp_path / "a.parquet", tmp_path / "b.parquet"],
        pyarrow.dataset.dataset(tmp_path, format="parquet", exclude_invalid_files=True),
        pa.RecordBatchReader.from_batches(whole.schema, whole.to_batches(max_chunksize=7)),
        [tmp_path / "one.csv"],
    ]
    wanted = measured(whole)
    for source in many:
        found = measured(source)
        assert (found.with_target == wanted.with_target).all()
        assert (found.redundancy("information") == wanted.redundancy("information")).all()
    in_strips = measured(str(tmp_path / "*.parquet"), memory=10**6)
    assert (in_strips.pairs == wanted.pairs).all()
    at_once = measured(whole, pairs=True)
    assert (at_once.with_target == wanted.with_target).all()
    assert (at_once.redundancy("information") == wanted.redundancy("information")).all()


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_one_large_row_group_is_read_in_parts(tmp_path, monkeypatch):
    whole = pa.table(columns(300))
    pq.write_table(whole, tmp_path / "one.parquet", row_group_size=10**6)
    monkeypatch.setattr(sources, "ROWS_AT_ONCE", 37)
    source = open_source(tmp_path / "one.parquet")
    assert max(batch.num_rows for batch in source.parts(["normal"])) <= 37
    assert (measured(tmp_path / "one.parquet").pairs == measured(whole).pairs).all()


def test_large_whole_numbers_with_gaps_are_those_of_memory():
    rng = np.random.default_rng(2)
    large = pd.array(2**53 + rng.integers(0, 50, N), dtype="Int64")
    large[rng.random(N) < 0.2] = pd.NA
    frame = pd.DataFrame({"large": large, "z": rng.random(N), "y": rng.integers(0, 2, N)})
    statistics, table = measured(pa.Table.from_pandas(frame), "category"), in_memory(frame, "category")
    assert (statistics.relevance("information") == quality(table, normalise=False)).all()
    assert (statistics.redundancy("information") == redundancy(table)).all()


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".tsv", ";"])
@pytest.mark.parametrize(
    ("options", "in_parts"),
    [
        ((), True),
        (("--measure", "pearson"), True),
        (("--objective", "mrmr", "--copies", "ignore"), True),
        (("--measure", "spearman"), False),
        (("--copies", "merge"), False),
        (("--sample-weight", "weight"), False),
        (("--missing", "impute"), False),
        (("--order", "text=a<b<c"), False),
    ],
)
def test_large_files_are_read_in_parts_unasked(tmp_path, monkeypatch, capsys, ending, options, in_parts):
    monkeypatch.setattr("pyfsel.measures.streams.sources.LARGE_BYTES", 1000)
    rng, path = np.random.default_rng(0), tmp_path / f"table{ending.replace(';', '.csv')}"
    y = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"a": y + rng.normal(size=300), "b": rng.normal(size=300), "weight": 1 + y})
    frame = frame.assign(text=np.array(list("abc"))[rng.integers(0, 3, 300)], y=y)
    if ending == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep={".csv": ",", ".tsv": "\t", ";": ";"}[ending])
    ignored = ("--ignore", "weight") if "--sample-weight" not in options else ()
    asked = ["select", str(path), "-t", "y", "-k", "1", "-n", "1", *ignored, *options, "--format", "json"]
    assert main(asked) == 0
    found = capsys.readouterr()
    assert ("was read in parts" in found.out) == (in_parts and ending != ";")
    monkeypatch.setattr("pyfsel.measures.streams.sources.LARGE_BYTES", 10**9)
    assert main(asked) == 0
    again = capsys.readouterr()
    assert "was read in parts" not in again.out
    sets = [json.loads(one.out)["sets"][0]["names"] for one in (found, again)]
    assert sets[0] == sets[1] == ["a"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
@pytest.mark.parametrize("begin", [2**60, 2**62 + 1])
def test_whole_numbers_beyond_floats_stay_different_in_parts_too(begin, kind):
    rng = np.random.default_rng(2)
    values = [begin + int(value) for value in rng.integers(0, 4, N)]
    data = pa.table({"big": pa.array(values, kind), "z": rng.random(N), "y": [value % 2 for value in values]})
    statistics, table = measured(data), in_memory(data.to_pandas())
    assert statistics.sizes[0] == 4
    assert statistics.levels[0]["offset"] == begin
    assert (statistics.relevance("information") == quality(table, normalise=False)).all()
    far = data.set_column(0, "big", pa.array([0, *values[1:]], kind))
    with pytest.warns(UserWarning, match="column 'big' holds whole numbers too far apart"):
        measured(far)


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_interrupted_or_not_no_file_is_left_and_progress_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    data, told, reads = pa.table(columns(300)), [], []
    process = psutil.Process()
    n_open = process.num_fds()
    with counts_are_told_to(lambda what, done, total: told.append((what, done, total))):
        measured(pa.RecordBatchReader.from_batches(data.schema, data.to_batches()), memory=2 * 10**5)
    strips = [one for one in told if one[0].startswith("strips of columns (300 rows, 0.0 MB)")]
    assert len(strips) > 1
    assert strips[-1][1] == strips[-1][2]
    source = open_source(data)

    def interrupted(names):
        reads.append(names)
        if len(reads) == 4:
            raise KeyboardInterrupt
        return source.parts(names)

    with pytest.raises(KeyboardInterrupt):
        read_stream(source.__class__(source.schema, 300, interrupted), "y", memory=4000)
    assert list(tmp_path.iterdir()) == []
    assert process.num_fds() == n_open


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_what_does_not_fit_is_refused_with_the_sizes(monkeypatch):
    def too_much(*_, **__):
        raise MemoryError("Unable to allocate 14.9 GiB")

    monkeypatch.setattr("pyfsel.measures.from_table.pair_measures", too_much)
    frame = pd.DataFrame(columns(50)).drop(columns="constant")
    with pytest.raises(InputError, match=r"X: 50 rows of 12 columns do not fit.*14\.9 GiB\); .*--memory"):
        problem_from_table(frame.drop(columns="y"), frame["y"], k=2, n_alternatives=0, tau=0)


def test_pairs_that_need_more_than_is_free_are_refused_before_they_are_measured(monkeypatch):
    monkeypatch.setattr("pyfsel.measures.compute.LITTLE_MEMORY", 0)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=8 * 3 * 103 - 1))
    x = np.random.default_rng(0).random((100, 3))
    with pytest.raises(InputError, match=r"pairs of 3 columns of 100 rows take at least 0\.0 GB"):
        redundancy(x)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=8 * 3 * 103))
    assert redundancy(x).shape == (3, 3)


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_statistics_of_two_files_add_to_those_of_all_rows(tmp_path):
    frame = pd.DataFrame(columns(500))
    frame.loc[:200, "text"] = "b"
    frame.loc[300:, "whole"] += 3
    frame.loc[400, "normal"] = np.nan
    here, there = (pa.Table.from_pandas(some, preserve_index=False) for some in (frame[:300], frame[300:]))
    first = measured(here, "category")
    second, both = (
        measured(data, "category", like=first) for data in (there, pa.concat_tables([here, there]))
    )
    assert first.sizes.tolist() != second.sizes.tolist() != both.sizes.tolist()
    kept.save(first, tmp_path / "first.npz")
    kept.save(second, tmp_path / "second.npz")
    merged = kept.load(tmp_path / "first.npz").merge(kept.load(tmp_path / "second.npz"))
    assert (merged.n_rows, merged.levels, merged.classes) == (500, both.levels, both.classes)
    assert (merged.with_target == both.with_target).all()
    assert (merged.redundancy("information") == both.redundancy("information")).all()
    with pytest.raises(InputError, match="different bins, which cannot be added"):
        first.merge(measured(there, "category"))
    with pytest.raises(InputError, match="differ in target"):
        first.merge(dataclasses.replace(second, target="z"))


def test_bins_of_other_rows_that_have_none_here_change_nothing():
    rng = np.random.default_rng(3)
    z, y = rng.standard_normal(400), rng.integers(0, 2, 400)
    first = measured(pa.table({"z": z, "w": z > 0, "y": y}))
    second = measured(pa.table({"z": np.abs(z) + 1, "w": z > 0, "y": y}), like=first)
    assert (second.with_target.sum(axis=1) == 0).any()
    found = kept.asked(second)
    assert found.statistics.sizes[0] < second.sizes[0]
    assert (found.paired([0, 1]).redundancy("information") == second.redundancy("information")).all()
    by_bins = np.digitize(np.abs(z) + 1, first.levels[0]["bounds"])
    wanted = quality(by_bins[:, None], y, normalise=False)[0]
    assert found.statistics.relevance("information")[0] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pa.array([[1], [2], [3]]), "list<"),
        (pa.array([{"a": 1}] * 3), "struct<"),
        (pa.array([1, 2, 3], pa.timestamp("s")), "timestamp"),
        (pa.array([1.0, np.inf, 2.0]), "infinite"),
        (pa.array([1.0, -np.inf, 2.0], pa.float32()), "infinite"),
        (pa.array([None, None, None], pa.float64()), "no value at all"),
        (pa.nulls(3), "no value at all"),
        (pa.array([None, 1, 2], pa.int64()), "missing"),
        (pa.array([[1], [2], [3]]), "leave it out .--ignore"),
    ],
)
def test_what_is_refused_and_why(column, told):
    with pytest.raises(InputError, match=f"'x'.*{told}"):
        measured(pa.table({"x": column, "y": [0, 1, 0]}))


def test_decimals_and_nulls_beside_nan_are_numbers_and_gaps():
    decimals = pa.array([1, 2, None, 4], pa.decimal128(5, 2))
    both = pa.array([1.5, None, float("nan"), 2.5], from_pandas=False)
    statistics = measured(pa.table({"d": decimals, "x": both, "y": [0, 1, 0, 1]}), "category")
    assert statistics.sizes.tolist() == [4, 3]


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_a_table_that_changes_while_it_is_read_is_an_error(tmp_path):
    for name, seed in (("a", 0), ("b", 1)):
        pq.write_table(
            pa.table({**columns(200, seed), "x": np.random.default_rng(seed).random(200)}), tmp_path / name
        )
    (tmp_path / "t.parquet").write_bytes((tmp_path / "a").read_bytes())
    source = open_source([tmp_path / "t.parquet"])
    reads = []

    def changing(names):
        reads.append(names)
        if len(reads) == 6:
            os.replace(tmp_path / "b", tmp_path / "t.parquet")
        return source.parts(names)

    with pytest.raises(InputError, match="changed while it was read"):
        read_stream(source.__class__(source.schema, 200, changing), "y", memory=1000)


@pytest.mark.filterwarnings("ignore:X:UserWarning")
@pytest.mark.parametrize("objective", ["univariate", "mrmr", "fcbf", "cfs"])
def test_problems_are_those_of_memory(objective):
    frame = pd.DataFrame(columns())
    table = read_stream(open_source(pa.Table.from_pandas(frame)), "y")
    asked = {"objective": objective, "k": 3, "n_alternatives": 1, "tau": 0.5, "chance": "off"}
    streamed = problem_from_stream(table, **asked)
    table.close()
    kept = problem_from_table(frame.drop(columns="y"), frame["y"], **asked)
    assert (streamed.quality == kept.quality).all()
    assert streamed.unit_factor == kept.unit_factor
    assert solve(streamed).feature_sets == solve(kept).feature_sets


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_columns_are_as_alike_as_in_memory_but_for_ranks_within_bins():
    frame = pd.DataFrame(columns(2000))
    frame["other"] = frame["text"].map({"a": "z", "b": "x", "ü": "y"})
    frame["noisy"] = frame["normal"] + 0.1 * np.random.default_rng(3).standard_normal(2000)
    X = frame.drop(columns="y")
    wanted = similarities(X, range(X.shape[1]))
    table = read_stream(open_source(pa.Table.from_pandas(frame)), "y")
    found = table.alike(range(X.shape[1]))
    few = [X.columns.get_loc(name) for name in ("whole", "truth", "text", "constant", "other")]
    assert found[np.ix_(few, few)] == pytest.approx(wanted[np.ix_(few, few)], abs=1e-9)
    assert found == pytest.approx(wanted, abs=0.05)
    table.paired([0, 1])
    assert (table.alike([1])[0, :2] == found[1, :2]).all()
    assert (table.alike([1])[0, 2:] == 0).all()
    table.close()


@pytest.mark.filterwarnings("ignore:X:UserWarning")
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="another process reads the file by it")
def test_pairs_on_demand_are_the_integers_of_memory_and_give_the_same_sets(monkeypatch):
    frame = pd.DataFrame(columns())
    kept_table = in_memory(frame)
    wanted = ON_DEMAND["information"](kept_table)
    table = read_stream(open_source(pa.Table.from_pandas(frame)), "y")
    found = table.on_demand()
    n = found.n_features
    assert found.bound == wanted.bound
    matrix = wanted.matrix()
    assert (found.matrix() == matrix).all()
    assert (found[np.arange(n)[:, None], np.arange(n)] == matrix).all()
    some = np.array([9, 2, 5, 0])
    monkeypatch.setattr("pyfsel.measures.on_demand.COUNTS_AT_ONCE", 100)
    copied = pickle.loads(pickle.dumps(found.among(some)))
    assert (copied.rows(np.arange(4), 3, 1) == matrix[np.ix_(some, some)][:, 1:3]).all()
    monkeypatch.setattr("pyfsel.measures.streams.problem.ALL_PAIRS", 5)
    monkeypatch.setattr("pyfsel.measures.compute.MOST_FEATURES_IN_MEMORY", 5)
    asked = {"objective": "mrmr", "k": 3, "n_alternatives": 1, "tau": 0.5, "chance": "off"}
    wide = problem_from_table(pa.Table.from_pandas(frame), "y", **asked)
    assert wide.lazy_redundancy.measured == 0
    results = [solve(problem) for problem in (wide, problem_from_table(kept_table, **asked))]
    assert results[0].feature_sets == results[1].feature_sets
    assert results[0].qualities == results[1].qualities
    assert results[0].status == "OPTIMAL"
    table.close()


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_too_many_pairs_are_refused_with_the_sizes():
    table = read_stream(open_source(pa.table(columns(300))), "y", memory=1000)
    with pytest.raises(InputError, match=r"pairs of 12 columns take \S+ MB"):
        problem_from_stream(table, objective="mrmr", k=2, n_alternatives=0, tau=0)
    table.close()


def moments(data, target="y", **options):
    return read_moments(open_source(data), target, **options).statistics


@pytest.mark.filterwarnings("ignore:X:UserWarning")
@pytest.mark.parametrize("target", ["y", "normal", "text"])
def test_correlations_are_those_of_memory(target):
    frame = pd.DataFrame(columns())
    frame["shifted"] = (1000 + frame["normal"]).astype(np.float32)
    frame["far"] = 1e9 + frame["sorted"]
    frame["tiny"], frame["huge"] = 1e-200 * frame["normal"], 1e200 * frame["cauchy"]
    found = moments(pa.Table.from_pandas(frame), target)
    table = prepare(frame.drop(columns=target), frame[target])
    wanted = quality(table, measure="pearson", normalise=False)
    assert found.is_constant.tolist() == table.is_constant.tolist()
    assert found.relevance("pearson") == pytest.approx(wanted, abs=1e-7)
    assert found.redundancy("pearson") == pytest.approx(redundancy(table, "pearson"), abs=1e-7)
    by_chance = above_chance(table, 0)
    assert (found.p_values()[found.is_constant] == 1).all()
    assert ((found.p_values() < 1e-6) <= (by_chance < 0.2)).all()


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_correlations_have_the_same_bits_in_any_parts(tmp_path):
    whole = pa.table(columns(400))
    wanted = moments(whole).products
    nothing = pa.RecordBatch.from_pylist([], whole.schema)
    pq.write_table(whole, tmp_path / "t.parquet", row_group_size=33)
    for source in (
        pa.Table.from_batches(whole.to_batches(max_chunksize=1)),
        pa.Table.from_batches([nothing, *whole.to_batches(max_chunksize=50), nothing]),
        tmp_path / "t.parquet",
    ):
        assert (moments(source).products == wanted).all()
        with joblib.parallel_config("threading", n_jobs=2):
            assert (moments(source).products == wanted).all()
            counts = measured(source)
        assert (counts.redundancy("information") == measured(whole).redundancy("information")).all()


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_moments_of_two_files_add_to_those_of_all_rows(tmp_path):
    whole = pa.table(columns(900)).drop_columns(["cauchy"])
    here, there = whole[:300], whole[300:]
    first = moments(here)
    second, both = (moments(data, like=first) for data in (there, whole))
    for name, one in (("first", first), ("second", second)):
        kept.save(one, tmp_path / f"{name}.npz")
    merged = kept.load(tmp_path / "first.npz").merge(kept.load(tmp_path / "second.npz"))
    assert (merged.products == both.products).all()
    assert merged.products.max() > 2**53
    wanted = moments(whole)
    assert merged.n_rows == 900
    for found in (merged, kept.asked(merged).paired([])):
        assert found.relevance("pearson") == pytest.approx(wanted.relevance("pearson"), abs=1e-7)
        assert found.redundancy("pearson") == pytest.approx(wanted.redundancy("pearson"), abs=1e-7)
    with pytest.raises(InputError, match="differ in levels, and cannot be added"):
        first.merge(moments(there))
    one = there.set_column(there.schema.get_field_index("constant"), "constant", there["normal"])
    with pytest.raises(InputError, match="one value only at the other site"):
        moments(one, like=first)
    far = there.set_column(0, "normal", pa.array(1e6 * there["normal"].to_numpy()))
    with pytest.raises(InputError, match="begin with this site"):
        moments(far, like=first)


def test_correlations_refuse_what_has_none():
    for values, told in (([1.0, None, 2.0], "missing"), ([1.0, np.inf, 2.0], "infinite")):
        with pytest.raises(InputError, match=f"'x' holds {told}"):
            moments(pa.table({"x": values, "y": [0, 1, 0]}))


def test_rows_are_drawn_by_seed_and_class_whatever_the_parts_are(tmp_path):
    whole = pa.table(columns(900))
    pq.write_table(whole, tmp_path / "t.parquet", row_group_size=70)
    X, y = draw(open_source(whole), "y", 90, seed=1)
    shares = pd.Series(whole["y"].to_pylist()).value_counts() / 10
    assert abs(y.value_counts() - shares).max() < 1
    for source in (tmp_path / "t.parquet", pa.Table.from_batches(whole.to_batches(max_chunksize=1))):
        again = draw(open_source(source), "y", 90, seed=1)
        pd.testing.assert_frame_equal(again[0], X)
        assert (again[1] == y).all()
    other, _ = draw(open_source(whole), "y", 90, seed=2, ignored=["text"])
    assert "text" not in other
    assert set(other["normal"]) != set(X["normal"])
    assert len(draw(open_source(whole), "y", 10**6)[0]) == 900
    numbers, _ = draw(open_source(whole), "normal", 90)
    assert len(numbers) == 90


def test_measures_that_do_not_add_up_are_refused_in_parts(tmp_path, capsys):
    pq.write_table(pa.table(columns(300)), tmp_path / "t.parquet")
    assert main(["select", str(tmp_path / "*.parquet"), "-t", "y", "--measure", "spearman"]) == 2
    assert "must be information, information_share or pearson" in capsys.readouterr().err


def test_errors_by_groups_are_near_those_by_influence():
    rng = np.random.default_rng(4)
    z = rng.standard_normal((2000, 12))
    table = prepare(z + 0.3 * z[:, :1], np.where(z[:, 0] + rng.standard_normal(2000) > 0, 1, 0))
    by_groups, replicates = errors_by_groups(table, "pearson", 0)
    by_influence, _ = errors_of(table, "pearson")
    assert (by_groups / by_influence).mean() == pytest.approx(1, abs=0.15)
    assert replicates.std(axis=0) == pytest.approx(by_groups, rel=0.2)


def test_a_file_with_brackets_in_its_name_is_a_file(tmp_path):
    path = tmp_path / "table[1].parquet"
    pq.write_table(pa.table({"x": [1, 2, 3], "y": [0, 1, 0]}), path)
    assert not is_stream(path)
    assert is_stream(tmp_path / "table*.parquet")
    assert measured(path).n_rows == 3


@pytest.mark.filterwarnings("ignore:X:UserWarning")
def test_forced_features_keep_their_pairs_beside_the_best():
    table = read_stream(open_source(pa.table(columns())), "y")
    asked = {"objective": "mrmr", "k": 2, "n_alternatives": 0, "tau": 0, "chance": "off", "normalise": False}
    all_of_them = problem_from_stream(table, **asked)
    some = problem_from_stream(table, **asked, keep_best=3, forced=["rounded", "cauchy"])
    table.close()
    j, i = (some.feature_names.index(name) for name in ("rounded", "cauchy"))
    assert (
        some.redundancy[j, i] / some.redundancy.max()
        == all_of_them.redundancy[j, i] / all_of_them.redundancy.max()
    )
    assert solve(some).feature_sets == [["rounded", "cauchy"]] or solve(some).feature_sets == [
        ["cauchy", "rounded"]
    ]
