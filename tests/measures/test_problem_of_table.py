"""From a table to a problem in one call."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from small_problems import problem_from_table, with_rules

from pyfsel import InputError, Problem, measure, solve
from pyfsel.measures import quality, redundancy
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.fields import Group
from pyfsel.problem.make import make_instance


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    y = rng.choice(["no", "yes"], 60)
    X = pd.DataFrame(rng.normal(size=(60, 6)), columns=list("abcdef"))
    X["a"] += 2.0 * (y == "yes")
    return X, y


def without_unit(problem):
    """Return the problem of numbers of which nobody knows what they are."""
    return problem.replace(measured_unit="", evidence=None)


ALTERNATIVES = {"k": 2, "n_sets": 3, "dissimilarity": "jaccard:0.5", "aggregate": "min"}
RULES = {
    "forced": ["a"],
    "min_quality": 0.125,
    "scale": 80,
    "previous": [(0, 1)],
    "dissimilarity": "shared:1",
}


@pytest.mark.parametrize("objective", ["univariate", "fcbf", "mrmr"])
@pytest.mark.parametrize("asked", [ALTERNATIVES, RULES | {"k": 2}], ids=["alternatives", "rules"])
def test_the_problem_is_that_of_the_measured_numbers(table, objective, asked):
    """All that makes a problem can be asked of a table."""
    arguments = with_rules(objective=objective, **asked)
    problem = problem_from_table(*table, measure="pearson", chance="mark", **arguments)
    measured = [quality(prepare(*table), "pearson")]
    measured += [redundancy(prepare(*table), "pearson")] if objective != "univariate" else []
    expected = make_instance(*measured, feature_names=list("abcdef"), **arguments)
    assert problem.measured_unit == ("" if objective == "mrmr" else "absolute correlation with the target")
    assert without_unit(problem) == expected
    again = problem_from_table(prepare(*table), measure="pearson", chance="mark", **arguments)
    assert without_unit(again) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 7},
        {"dissimilarity": 2},
        {"aggregate": "max"},
        {"previous": [[9, 1]]},
        {"objective": "best"},
        {"objective": "mrmr", "k": (1, 2)},
        {"forced": ["puls"]},
        {"forbidden": list("abcdef")},
        {"groups": [Group(("agee",))]},
        {"costs": {"age": 1}},
        {"min_quality": "good"},
    ],
)
def test_what_is_wrong_is_found_before_the_measure_runs(table, wrong):
    def measure(X, y):
        raise AssertionError("the measure ran")

    with pytest.raises(InputError):
        problem_from_table(*table, measure=measure, **with_rules(**{"k": 2, "dissimilarity": 0.5} | wrong))


@pytest.mark.parametrize("kind", ["information", "own numbers", "two outputs", "in parts", "all"])
def test_the_best_are_kept_with_their_numbers(table, kind):
    """Also their p-values: they are over all features, of which these are the best."""
    X, y, n = table[0], (table[1] == "yes").astype(int), 99 if kind == "all" else 3
    by = [3.0, 1, 9, 0, 3, 2] if kind == "own numbers" else "information"
    given = {
        "two outputs": (X, np.column_stack([y, X["b"] > 0])),
        "in parts": (pa.Table.from_pandas(X.assign(y=y), preserve_index=False), "y"),
    }.get(kind, (X, y))
    whole, kept = measure(*given, by=by), measure(*given, by=by, keep_best=n)
    best = np.sort(np.argsort(-whole.quality, kind="stable")[:n])
    assert kept.names == tuple(np.array(whole.names)[best])
    assert kept.quality.tolist() == whole.quality[best].tolist()
    assert kept.p_values.tolist() == whole.p_values[best].tolist()
    assert f"from the best {len(best)} of 6 features and 60 rows" in str(solve(Problem(kept, k=2, n_sets=1)))
    if kind != "own numbers":
        assert Problem(kept, k=2, objective="mrmr").instance.pairs.shape == (len(best), len(best))
