"""Selectors of tables that are read in parts, and of those of Polars."""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from pyfsel import AlternativeFeatureSelector, InputError
from pyfsel.measures.tables.entries import is_read
from pyfsel.objectives import Model

pytestmark = pytest.mark.filterwarnings("ignore:X:UserWarning")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((600, 5))
    columns = {f"x{j}": z[:, j] for j in range(5)}
    columns |= {
        "near": z[:, 0] + 0.05 * rng.standard_normal(600),
        "by_name": np.array([*"abc"])[z[:, 1].argsort() % 3],
    }
    columns["other_name"] = np.array([*"qrs"])[(z[:, 1].argsort() % 3 + 1) % 3]
    return pl.DataFrame({**columns, "y": np.where(z[:, 0] + z[:, 1] > 0, "ill", "well")})


def selector(**options):
    return AlternativeFeatureSelector(2, n_sets=2, dissimilarity=0.5, **options)


@pytest.mark.parametrize("options", [{}, {"objective": "mrmr"}, {"measure": "pearson"}])
def test_lazy_tables_and_files_select_what_tables_in_memory_do(frame, tmp_path, options):
    of_rows = {"sample_weight": np.arange(600) % 3, "groups": np.arange(600) // 4}
    if options.get("measure"):
        frame = frame.drop("by_name", "other_name")
    frame.write_parquet(tmp_path / "t.parquet")
    X, y = frame.drop("y"), frame["y"]
    in_memory = selector(**options, chance="off").fit(X, y, **of_rows)
    for data in (frame, frame.lazy(), frame.to_arrow(), tmp_path / "t.parquet", frame.to_pandas()):
        found = pickle.loads(pickle.dumps(selector(**options, chance="off").fit(data, "y", **of_rows)))
        assert [one.names for one in found.sets_] == [one.names for one in in_memory.sets_]
        assert found.scores_.quality == pytest.approx(in_memory.scores_.quality, abs=1e-7)
        assert found.n_features_in_ == in_memory.n_features_in_
        assert found.feature_names_in_.tolist() == in_memory.feature_names_in_.tolist()


def test_lazy_tables_in_and_lazy_tables_out(frame):
    X, lazy = frame.drop("y"), selector().fit(frame.lazy(), "y")
    assert lazy.scores_.origin.startswith(", from 8 features and 600 rows")
    assert isinstance(lazy.transform(X.lazy()), pl.LazyFrame)
    assert lazy.transform(frame.lazy()).collect().equals(X.select(lazy.get_feature_names_out()))
    assert lazy.set_params(use_set=1).transform(X.lazy()).collect().columns == list(lazy.sets_[1])


def counted(X, y):
    assert isinstance(X, np.ndarray)
    return np.abs(np.corrcoef(X.T, y)[-1, :-1])


OPTIONS = {
    "default": {},
    "gaps as a category": {"missing": "category"},
    "mrmr": {"objective": "mrmr"},
    "pearson": {"measure": "pearson", "near_duplicates": "merge"},
    "neighbours": {"measure": "relief"},
    "callable": {"measure": counted},
    "model": {"objective": Model(LogisticRegression(), max_fits=9)},
    "in two processes": {"objective": "mrmr", "n_jobs": 2},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", OPTIONS)
def test_large_frames_become_numbers_by_columns_without_a_difference(frame, monkeypatch, kind):
    rng, table = np.random.default_rng(1), frame.to_pandas()
    table = table.assign(whole=rng.integers(0, 9, 600), few=rng.integers(0, 2, 600).astype(np.float32))
    table.loc[::7, ["x1", "by_name"]] = None
    X, y = table.drop(columns="y"), table["y"].sample(frac=1, random_state=0)
    options = {"missing": "impute"} | OPTIONS[kind]
    expected = selector(**options).fit(X, y)
    monkeypatch.setattr("pyfsel.measures.tables.containers.LARGE_BYTES", 1000)
    found = selector(**options).fit(X, y)
    assert is_read(found.scores_.table.X) == (kind != "model")  # which trains with all rows
    assert [one.names for one in found.sets_] == [one.names for one in expected.sets_]
    assert [one.quality for one in found.sets_] == pytest.approx([one.quality for one in expected.sets_])
    assert found.answer_.cautions == expected.answer_.cautions
    again = pickle.loads(pickle.dumps(found)).set_output(transform="pandas")
    assert again.transform(X).equals(X.iloc[:, expected.get_support(indices=True)])
    with pytest.raises(InputError, match="y: is missing in 1 row"):
        selector(**options).fit(X, y.where(y.index != 3))
    with pytest.raises(InputError, match="y: has 599 values, must have 600"):
        selector(**options).fit(X, y.to_numpy()[1:])
