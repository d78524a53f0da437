"""Selectors of tables that are read in parts, and of those of Polars."""

import numpy as np
import polars as pl
import pytest

from pyfsel import AlternativeFeatureSelector, InputError
from pyfsel.measures.from_table import problem_from_table

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
    return AlternativeFeatureSelector(2, n_alternatives=1, tau=0.5, **options)


@pytest.mark.parametrize("options", [{}, {"objective": "mrmr"}, {"measure": "pearson"}])
def test_lazy_tables_and_files_select_what_tables_in_memory_do(frame, tmp_path, options):
    if options.get("measure"):
        frame = frame.drop("by_name", "other_name")
    frame.write_parquet(tmp_path / "t.parquet")
    in_memory = selector(**options, chance="off").fit(frame.drop("y"), frame["y"])
    for data in (frame, frame.lazy(), frame.to_arrow(), tmp_path / "t.parquet", frame.to_pandas()):
        found = selector(**options, chance="off").fit(data, "y")
        assert found.feature_names_ == in_memory.feature_names_
        assert found.scores_ == pytest.approx(in_memory.scores_, abs=1e-7)
        assert found.n_features_in_ == in_memory.n_features_in_
        assert found.feature_names_in_.tolist() == in_memory.feature_names_in_.tolist()
    with pytest.raises(InputError, match=r"sample_weight=.*: is not for a table that is read in parts"):
        selector(**options).fit(frame, "y", sample_weight=np.ones(600))


def test_polars_in_and_polars_out(frame):
    X, y = frame.drop("y"), frame["y"]
    fitted = selector().set_output(transform="polars").fit(X, y)
    names = fitted.get_feature_names_out().tolist()
    for alternative in (0, 1):
        out = fitted.transform(X, alternative=alternative)
        assert out.equals(X.select(fitted.feature_names_[alternative]))
    lazy = selector().fit(frame.lazy(), "y")
    assert isinstance(lazy.transform(X.lazy()), pl.LazyFrame)
    assert lazy.transform(frame.lazy()).collect().equals(X.select(names))
    assert lazy.transform(X.lazy(), alternative=1).collect().columns == fitted.feature_names_[1]


def test_warnings_point_to_the_line_that_calls_fit(frame):
    with pytest.warns(UserWarning, match="nearly equal columns") as told:
        selector(forced=["x0"]).fit(frame.drop("y", "by_name", "other_name"), frame["y"])
    assert {one.filename for one in told} == {__file__}


def test_near_copies_are_found_from_levels_and_products(frame):
    in_memory = selector(forced=["near"]).fit(frame.drop("y"), frame["y"])
    assert in_memory.copies_ == [["x0", "near"]]
    assert selector(forced=["near"]).fit(frame.lazy(), "y").copies_ == in_memory.copies_
    numbers = frame.drop("by_name", "other_name")
    assert selector(forced=["near"], measure="pearson").fit(numbers.lazy(), "y").copies_ == in_memory.copies_
    by_names = selector(forced=["by_name"], chance="off").fit(frame.lazy(), "y")
    assert ["by_name", "other_name"] in by_names.copies_


def test_problems_are_those_of_memory_and_what_takes_rows_is_refused(frame):
    asked = {"k": 2, "n_alternatives": 1, "tau": 1, "objective": "mrmr", "chance": "off"}
    streamed = problem_from_table(frame.lazy(), "y", **asked)
    kept = problem_from_table(frame.drop("y"), frame["y"], **asked)
    assert (streamed.quality == kept.quality).all()
    assert (streamed.redundancy == kept.redundancy).all()
    for name, given in {"dates": "number", "copies": "merge", "outputs": "min"}.items():
        with pytest.raises(InputError, match=f"{name}='{given}': is not for a table that is read in parts"):
            problem_from_table(frame.lazy(), "y", **asked, **{name: given})
    with pytest.raises(InputError, match="measure='mutual_info', objective='mrmr': of a table read in parts"):
        problem_from_table(frame.lazy(), "y", **asked, measure="mutual_info")
    with pytest.raises(InputError, match="target='z': is not a column of DATA"):
        problem_from_table(frame.lazy(), "z", **asked)
