"""Selectors of tables that are read in parts, and of those of Polars."""

import numpy as np
import polars as pl
import pytest

from pyfsel import AlternativeFeatureSelector, InputError
from pyfsel.measures.from_table import problem_from_table
from pyfsel.problem.rules import Constraints

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
    if options.get("measure"):
        frame = frame.drop("by_name", "other_name")
    frame.write_parquet(tmp_path / "t.parquet")
    X, y = frame.drop("y"), frame["y"]
    in_memory = selector(**options, chance="off").fit(X, y)
    for data in (frame, frame.lazy(), frame.to_arrow(), tmp_path / "t.parquet", frame.to_pandas()):
        found = selector(**options, chance="off").fit(data, "y")
        assert [one.names for one in found.sets_] == [one.names for one in in_memory.sets_]
        assert found.scores_.quality == pytest.approx(in_memory.scores_.quality, abs=1e-7)
        assert found.n_features_in_ == in_memory.n_features_in_
        assert found.feature_names_in_.tolist() == in_memory.feature_names_in_.tolist()
    weights = np.arange(600) % 3
    weighted = (
        selector(**options).fit(*data, sample_weight=weights) for data in ((frame.lazy(), "y"), (X, y))
    )
    one, other = (found.scores_.quality for found in weighted)
    assert one == pytest.approx(other, abs=1e-7)


def test_polars_in_and_polars_out(frame):
    X, y = frame.drop("y"), frame["y"]
    fitted = selector().set_output(transform="polars").fit(X, y)
    names = fitted.get_feature_names_out().tolist()
    for number, one in enumerate(fitted.sets_):
        assert fitted.set_params(use_set=number).transform(X).equals(X.select(one.names))
    lazy = selector().fit(frame.lazy(), "y")
    assert lazy.scores_.origin.startswith(", from 8 features and 600 rows")
    assert isinstance(lazy.transform(X.lazy()), pl.LazyFrame)
    assert lazy.transform(frame.lazy()).collect().equals(X.select(names))
    assert lazy.set_params(use_set=1).transform(X.lazy()).collect().columns == list(fitted.sets_[1])


def test_warnings_point_to_the_line_that_calls_fit(frame):
    with pytest.warns(UserWarning, match="k=9: the table has 6 features; sets have 6") as told:
        selector().set_params(k=9, n_sets=1).fit(frame.drop("y", "by_name", "other_name"), frame["y"])
    assert __file__ in {one.filename for one in told}


def test_near_copies_are_found_from_levels_and_products(frame):
    def noted(X, y, forced, **options):
        return selector(constraints=Constraints(forced=[forced]), **options).fit(X, y).answer_.cautions[0]

    numbers = frame.drop("by_name", "other_name")
    assert "x0 ≈ near" in noted(frame.drop("y"), frame["y"], "near")
    assert "x0 ≈ near" in noted(frame.lazy(), "y", "near")
    assert "x0 ≈ near" in noted(numbers.lazy(), "y", "near", measure="pearson")
    assert "by_name (like other_name)" in noted(frame.lazy(), "y", "by_name", chance="off")


def test_problems_are_those_of_memory_and_what_takes_rows_is_refused(frame):
    asked = {"k": 2, "n_alternatives": 1, "tau": 1, "objective": "mrmr", "chance": "off"}
    streamed = problem_from_table(frame.lazy(), "y", **asked)
    kept = problem_from_table(frame.drop("y"), frame["y"], **asked)
    assert (streamed.quality == kept.quality).all()
    assert (streamed.redundancy == kept.redundancy).all()
    with pytest.raises(InputError, match="target='z': is not a column of DATA"):
        problem_from_table(frame.lazy(), "z", **asked)
