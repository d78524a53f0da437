"""Categories without an order, declared orders and missing codes, continuous values compared exactly."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pyfsel import InputError
from pyfsel.measures import prepare, quality, read_table, redundancy, redundancy_measures, relevance_measures
from pyfsel.measures.levels import value_codes
from pyfsel.measures.registry import trait
from pyfsel.measures.tables.declared import declared
from pyfsel.measures.tables.target import times_with_events

SCALE = ["disagree", "neutral", "agree"]
USES_ORDER = {
    *("pearson", "spearman", "f_statistic", "mutual_info_numeric"),
    *("concordance", "laplacian_score"),
}
KINDS = {
    "text": lambda answers: answers,
    "categories": lambda answers: answers.astype("category"),
    "ordered": lambda answers: answers.astype(pd.CategoricalDtype(SCALE, ordered=True)),
    "declared": lambda answers: declared(answers.to_frame("q"), orders={"q": SCALE})["q"],
    "two": lambda answers: answers.where(answers == "agree", "other"),
    "numbers": lambda answers: answers.map(SCALE.index),
}


def table(kind, target="classification"):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 150)
    signal = codes + rng.normal(size=150)
    times = times_with_events(np.exp(signal), np.ones(150, dtype=bool))
    y = {"classification": signal > 1, "regression": signal, "survival": times, "unsupervised": None}[target]
    X = pd.DataFrame(
        {"a": rng.normal(size=150), "q": KINDS[kind](pd.Series(codes).map(dict(enumerate(SCALE))))}
    )
    return prepare(X, y, task=target)


def said(measured):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        measured()
    return [str(one.message) for one in caught if "without an order" in str(one.message)]


def task_of(measure):
    return next(t for t in ("classification", "survival") if t in trait(measure, "tasks"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("measure", sorted({*relevance_measures(), *redundancy_measures()}))
def test_qualities_by_an_order_that_is_none_are_told(measure, kind):
    calls = []
    if measure in relevance_measures():
        few = {"n_repeats": 1} if measure == "permutation_importance" else {}
        of_target = table(kind, task_of(measure))
        calls.append(lambda: quality(of_target, measure=measure, random_state=0, **few))
    if measure in redundancy_measures():
        calls.append(lambda: redundancy(table(kind), measure, random_state=0))
    for call in calls:
        messages = said(call)
        assert len(messages) == (measure in USES_ORDER and kind in ("text", "categories"))
        for message in messages:
            assert "X: column 'q' holds categories without an order; " in message
            assert f"measure='{measure}' takes" in message
            assert "measure='information'" in message
            assert "--order" in message


def test_a_declared_order_is_worth_what_numbers_are():
    found = {
        kind: quality(table(kind, "regression"), measure="spearman")[1]
        for kind in ("numbers", "ordered", "declared", "text")
    }
    assert found["ordered"] == found["declared"] == found["numbers"] > found["text"] + 0.1


FILE = "q,age,y\n" + "".join(
    f"{SCALE[j % 3]},{99 if j % 7 == 0 else j},{88 if j == 5 else j % 3 > 1}\n" for j in range(42)
).replace("True", "1").replace("False", "0")


OPTIONS = "-t y -k 1 -n 1 --format json"


def test_codes_and_orders_of_files_are_declared(tmp_path, run):
    path = tmp_path / "survey.csv"
    path.write_text(FILE)
    X, y = read_table(path, "y", missing_codes={None: [88], "age": [99]}, orders={"q": SCALE})
    assert (X["age"].isna().to_numpy() == (np.arange(42) % 7 == 0)).all()
    assert y.isna().tolist() == [j == 5 for j in range(42)]
    assert X["q"].cat.ordered
    asked = f"select {path} {OPTIONS} --measure spearman --missing drop"
    for given in ("--missing-codes 88,age=99 --order q=disagree<neutral<agree", ""):
        printed = run(f"{asked} {given}", 0)
        assert ("without an order" in printed.out) == (not given)
        assert not given or printed.data["sets"][0]["names"] == ["q"]


def test_gaps_of_the_target_are_apart_from_those_of_features(tmp_path, run):
    path = tmp_path / "survey.csv"
    path.write_text(FILE)
    given = {"missing_codes": {None: [88], "age": [99]}}
    with pytest.warns(UserWarning, match="target='y': is missing in 1 row, which are left out"):
        X, y = read_table(path, "y", **given, target_gaps="drop")
    assert len(X) == len(y) == 41
    assert X["age"].isna().sum() == 6, "gaps of features stay"
    with pytest.raises(InputError, match="target_gaps='Drop': must be one of error, drop"):
        read_table(path, "y", target_gaps="Drop")
    asked = f"select {path} {OPTIONS} --missing-codes 88,age=99 --missing impute"
    assert "-t y: is missing in 1 row; allowed with" in run(asked, 2).err
    assert "is missing in 1 row, which are left out" in run(f"{asked} --target-gaps drop", 0).words


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"missing_codes": {"Q": [1]}}, "missing_codes: 'Q' is not a column of the table. Did you mean 'q'"),
        ({"missing_codes": {"age": [7]}}, "missing_codes: column 'age' does not hold \\[7\\]"),
        ({"missing_codes": {None: ["x"]}}, "missing_codes: no column holds \\['x'\\]"),
        ({"orders": {"Q": "a<b"}}, "orders: 'Q' is not a column of the table. Did you mean 'q'"),
        ({"orders": {"q": "agree<neutral"}}, "order of column 'q' lacks the category 'disagree'"),
        ({"orders": {"q": ["agree", "agree", "neutral", "disagree"]}}, "column 'q' holds a category twice"),
    ],
)
def test_declarations_of_what_is_not_there_are_refused(given, message):
    answers = pd.DataFrame({"q": ["agree", "neutral", "disagree"], "age": [1, 2, 99]})
    with pytest.raises(InputError, match=message):
        declared(answers, **given)


@pytest.mark.parametrize("dtype", ["int64", "float64", "Int64", "int64[pyarrow]", "object", "str"])
@pytest.mark.parametrize("codes", [[99, -9], ["99", "-9"]])
def test_codes_mean_missing_whatever_the_type_of_a_column(dtype, codes):
    column = pd.Series([1, 99, 2, -9, 3]).astype(dtype)
    found = declared(pd.DataFrame({"a": column}), missing_codes={"a": codes})["a"]
    assert found.isna().tolist() == [False, True, False, True, False]
    assert column.notna().all(), "the given table is not changed"


def test_continuous_values_that_are_compared_exactly_are_told():
    columns = table("text")
    with pytest.warns(UserWarning, match="column 'a' holds numbers of which most differ, .*; give n_bins"):
        value_codes(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value_codes(columns, 5)
        value_codes(columns.select([1]))
