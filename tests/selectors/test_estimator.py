"""The scikit-learn selector: conventions, sets, nested parameters, errors and warnings."""

import re
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import pyfsel
from pyfsel import AlternativeFeatureSelector, InputError, Problem, Status, measure, objectives
from pyfsel.errors import NoSetsError
from pyfsel.papers import SubsetSelector
from pyfsel.problem.rules import Constraints, Dissimilarity


@pytest.mark.filterwarnings("ignore:k=5", "ignore:. of 3 feature")
@parametrize_with_checks(
    [
        AlternativeFeatureSelector(),
        AlternativeFeatureSelector((1, 2), n_sets=1, search="sum"),
        AlternativeFeatureSelector(task="unsupervised"),
        AlternativeFeatureSelector(1, n_sets=1, objective=objectives.Model(DummyClassifier(), None, 2, 8)),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def fitted(table):
    return selector(n_sets=3, near_duplicates="note").fit(*table)


def selector(**changes):
    arguments = {"k": 4, "n_sets": 2, "dissimilarity": 0.5, "measure": "f_statistic"}
    return AlternativeFeatureSelector(**(arguments | changes))


def six_features():
    """A table whose qualities are given as the measure."""
    return np.random.default_rng(0).normal(size=(20, 6)), np.arange(20) % 2


def test_fitted_attributes(table, fitted):
    X, _ = table
    assert len(fitted.sets_) == 3
    assert fitted.answer_.status is Status.OPTIMAL
    quality = fitted.scores_.quality
    for one in fitted.sets_:
        assert one.names == tuple(X.columns[list(one.indices)])
        assert one.quality == pytest.approx(quality[list(one.indices)].sum(), rel=1e-5)
    assert set(fitted.sets_[0].indices) == set(np.argsort(-quality)[:4])
    assert all(max(one.shared, default=0) <= 2 for one in fitted.sets_)
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert fitted.n_features_in_ == 30


def test_use_set_decides_and_needs_no_fit(table, fitted):
    X, _ = table
    chooser = clone(fitted).fit(*table)
    for number, one in enumerate(fitted.sets_):
        chooser.set_params(use_set=number)
        assert chooser.get_support(indices=True).tolist() == sorted(one.indices)
        names = chooser.get_feature_names_out().tolist()
        assert set(one) == {*names}
        assert np.array_equal(chooser.transform(X), X[names].to_numpy())
    for wrong in (3, -1, 1.5, "1"):
        with pytest.raises(InputError, match=r"use_set=.*: must be an integer from 0 to 2"):
            chooser.set_params(use_set=wrong).transform(X)


VALUES = {
    "constraints": {"budget": 3, "costs": (1,) * 30, "forced": ("mean texture",), "min_quality": "90%"},
    "objective": {"beta": 0.5, "pairs": "pearson"},
    "dissimilarity": {"at_least": 0.9, "by": "jaccard"},
}


@pytest.mark.parametrize(
    "start",
    [
        {"objective": "mrmr"},
        {
            "objective": "mrmr:beta=2",
            "dissimilarity": "jaccard:0.3",
            "constraints": Constraints(forced=["x"]),
        },
        {"objective": objectives.MRMR(), "dissimilarity": Dissimilarity(0.2), "constraints": Constraints()},
    ],
)
@pytest.mark.parametrize(("outer", "inner"), [(outer, inner) for outer in VALUES for inner in VALUES[outer]])
def test_nested_parameters_replace_values(start, outer, inner):
    """Of shorthand, None and values alike; neither the value nor another selector that has it changes."""
    first = selector(**start)
    second, given = clone(first), VALUES[outer][inner]
    before = getattr(first, outer)
    assert f"{outer}__{inner}" in first.get_params()
    assert second.set_params(**{f"{outer}__{inner}": given}) is second
    assert second.get_params()[f"{outer}__{inner}"] == given
    assert getattr(first, outer) is before
    others = {name: value for name, value in first.get_params().items() if not name.startswith(outer)}
    assert others.items() <= second.get_params().items()
    assert clone(second).get_params() == second.get_params()


def test_a_value_and_its_parameter_in_one_call():
    found = selector().set_params(objective__beta=0.5, objective="mifs", k=2)
    assert (found.objective, found.k) == (objectives.MIFS(beta=0.5), 2)
    for wrong, message in {
        "objective__gamma": "parameter of objective",
        "k__low": "parameter='k'",
        "depth": "depth",
    }.items():
        with pytest.raises(ValueError, match=message):
            selector().set_params(**{wrong: 1})


@pytest.mark.parametrize("nonsense", [-np.inf, object(), [], "no such:thing"])
@pytest.mark.parametrize("name", ["objective", "dissimilarity", "constraints"])
def test_nonsense_is_read_by_get_params_and_refused_by_fit(name, nonsense):
    chooser = selector(**{name: nonsense})
    assert chooser.get_params()[name] is nonsense
    assert not any(one.startswith(f"{name}__") for one in chooser.get_params())
    with pytest.raises(InputError, match=name):
        chooser.fit(*six_features())


def test_infeasible_says_what_would_be_feasible():
    X, y = six_features()
    asked = {"k": 3, "n_sets": 4, "dissimilarity": 1, "search": "sum"}
    with pytest.raises(NoSetsError) as caught:
        selector(**asked).fit(X, y)
    assert caught.value.answer.status is Status.INFEASIBLE
    # six features have two disjoint sets of 3, four of one; four sets of 3 may share one feature each
    assert str(caught.value) == (
        "No 4 feature sets of 3 exist, from 6 features and 20 rows. "
        "One of these is enough: n_sets=2, or dissimilarity=0.6666, or k=1"
    )
    for enough in ({"n_sets": 2}, {"dissimilarity": 0.6666}, {"k": 1}):
        selector(**{**asked, **enough}).fit(X, y)
    rules = Constraints(costs=[3] * 6, budget=5, forced=["x1"])
    with pytest.raises(NoSetsError, match=r"No feature sets? of 2 exist.*: k=1, or without budget"):
        selector(k=2, n_sets=1, constraints=rules).fit(X, y)
    with pytest.raises(NoSetsError) as caught:
        selector(**asked, solver="greedy-balancing").fit(X, y)
    assert caught.value.answer.status is Status.NOT_SOLVED, "a heuristic proves nothing"


@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_verbose(table, capsys, monkeypatch, verbose):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    selector(measure="mutual_info", verbose=verbose, near_duplicates="ignore").fit(*table)
    out, bar = capsys.readouterr()
    assert min(len(out.splitlines()), 2) == verbose
    assert (" of 30" in bar) == ("columns" in bar) == bool(verbose)


@pytest.mark.parametrize("useless", [np.ones, np.arange], ids=["constant", "identifier"])
@pytest.mark.parametrize(
    ("k", "rules", "told", "kept"),
    [
        (7, {}, "k=7: .* 6 features, 1 of them constant or identifiers; sets have 5", [0, 1, 3, 4, 5]),
        ((6, 7), {"forced": [2]}, "sets have 6", [*range(6)]),
        (7, {"forbidden": [0]}, "2 of them constant, identifiers or forbidden; sets have 4", [1, 3, 4, 5]),
    ],
)
def test_more_features_than_there_are_is_a_warning(useless, k, rules, told, kept):
    X, y = np.random.default_rng(0).normal(size=(60, 6)), np.arange(60) % 2
    X[:, 2] = useless(60)
    with pytest.warns(UserWarning, match=told):
        found = selector(k=k, n_sets=1, constraints=Constraints(**rules)).fit(X, y)
    assert found.get_support(indices=True).tolist() == kept


@pytest.mark.parametrize(
    ("near_duplicates", "sets"),
    [("note", [{"a"}, {"a in EUR"}]), *((merge, [{"a"}, {"b"}]) for merge in ("merge", "merge:0.9", "auto"))],
)
def test_near_duplicates_are_noted_or_merged(near_duplicates, sets):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd"))
    y = (2 * X["a"] + X["b"] + 0.5 * X["c"] > 0).astype(int)
    X.insert(1, "a in EUR", 1.17 * X["a"])
    found = selector(k=1, dissimilarity=1, near_duplicates=near_duplicates).fit(X, y)
    first, second = (set(one) for one in found.sets_)
    assert {first.pop().removesuffix(" in EUR")} == sets[0]
    if near_duplicates == "note":
        assert "a ≈ a in EUR. To count each group once: near_duplicates=" in found.answer_.cautions[0]
        assert found.scores_.near_duplicates == (("a", "a in EUR"),)
        return
    assert second == sets[1]
    assert found.set_params(use_set=1).transform(X)[:, 0].tolist() == X[[*second]].squeeze().tolist()
    assert len(found.scores_.quality) == 5


ROWS = {"sample_weight": np.arange(569) % 3, "groups": np.arange(569) // 4}


@pytest.mark.parametrize("rows", [[], ["sample_weight"], ["groups"], ["sample_weight", "groups"]])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"measure": "pearson", "chance": "off"},
        {"measure": f_classif},
        {"measure": [*range(30)]},
        {"task": "regression", "missing": "impute"},
        {"near_duplicates": "merge:0.9", "n_jobs": 1, "random_state": 3},
        {"outputs": 2},
    ],
)
def test_what_is_measured_is_what_measure_returns(table, options, rows):
    """Each option reaches the measure, and what measure and rows cannot go together is one error of both."""
    X, y = table
    asked = dict(options)
    if asked.pop("outputs", 1) > 1:
        y = np.column_stack([y, X["mean area"] > 600])
    of_rows = {name: ROWS[name] for name in rows}
    named = {"by" if name == "measure" else name: given for name, given in asked.items()}
    chooser = AlternativeFeatureSelector(3, n_sets=1, **asked)
    try:
        expected = measure(X, y, **named, **of_rows).to_frame()
    except InputError as error:
        with pytest.raises(InputError, match=re.escape(str(error))):
            chooser.fit(X, y, **of_rows)
        return
    pd.testing.assert_frame_equal(chooser.fit(X, y, **of_rows).scores_.to_frame(), expected)


def test_groups_and_weights_are_routed_through_a_pipeline(table):
    X, y = (part.iloc[:80] for part in table)
    weight = np.where(np.arange(80) < 40, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        chooser = selector(measure="pearson").set_fit_request(sample_weight=True, groups=True)
        classify = LogisticRegression().set_fit_request(sample_weight=True)
        model = make_pipeline(chooser, classify).fit(X, y, sample_weight=weight, groups=np.arange(80) // 2)
    half = selector(measure="pearson").fit(X.iloc[:40], y.iloc[:40])
    assert model[0].scores_.quality == pytest.approx(half.scores_.quality)
    assert model[0].scores_.p_values.tolist() != half.scores_.p_values.tolist()


def warned_calls():
    """Yield what a user can call with a table whose column b is the target and whose column c is constant."""
    X = pd.DataFrame({"a": range(60), "b": [0, 1] * 30, "c": [1] * 60, "d": [*range(30)] * 2})
    y, once = X["b"].to_numpy(), {"cv": 3, "repeats": 1}
    yield "fit", lambda: AlternativeFeatureSelector(k=9, n_sets=1).fit(X, y)
    yield "in a pipeline", lambda: make_pipeline(AlternativeFeatureSelector(k=9, n_sets=1)).fit(X, y)
    yield "fewer sets", lambda: AlternativeFeatureSelector(k=2, n_sets=3, dissimilarity=1.0).fit(X, y)
    yield "measure", lambda: Problem(pyfsel.measure(X, y), k=1)
    yield "evaluate", lambda: pyfsel.evaluate(X, y, AlternativeFeatureSelector(k=9, n_sets=1), **once)
    yield "choose_k", lambda: pyfsel.choose_k(X, y, k=(1, 2, 9), **once)
    yield "subset", lambda: SubsetSelector("abb", threshold=1e-9).fit(X[["a", "c", "d"]], y)
    yield (
        "numbers",
        lambda: Problem([1, 2, 3], pairs=[[0, 1, 2], [0, 0, 1], [0, 0, 0]], objective="mrmr", k=2),
    )


@pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in warned_calls()])
def test_warnings_point_to_the_line_of_the_user(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    assert {one.filename for one in found} == {__file__}
