"""The scikit-learn selector: conventions, alternatives, errors and warnings."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import pyfsel
from pyfsel import (
    AlternativeFeatureSelector,
    InfeasibleError,
    InputError,
    NoSolutionError,
    Status,
)


@parametrize_with_checks([AlternativeFeatureSelector(n_features_to_select=1, n_alternatives=0)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def fitted(table):
    return selector(n_alternatives=2, tau=0.5).fit(*table)


def selector(**changes):
    arguments = {"n_features_to_select": 4, "n_alternatives": 1, "tau": 0.5, "measure": "f_statistic"}
    return AlternativeFeatureSelector(**(arguments | changes))


def six_features():
    """A table whose own qualities (9, 8, 7, 3, 2, 1) / 30 are given as the measure."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, 6)), np.arange(20) % 2


def test_importing_pyfsel_does_not_load_scikit_learn():
    code = (
        "import sys, pyfsel; assert 'sklearn' not in sys.modules;"
        "pyfsel.AlternativeFeatureSelector; assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = pyfsel.Nonsense


def test_fitted_attributes(table, fitted):
    X, _ = table
    assert len(fitted.feature_sets_) == 3
    for indices, names, quality in zip(
        fitted.feature_sets_, fitted.feature_names_, fitted.qualities_, strict=True
    ):
        assert names == X.columns[indices].tolist()
        assert quality == pytest.approx(fitted.scores_[indices].sum())
    assert fitted.result_.status is Status.OPTIMAL
    assert [tuple(s) for s in fitted.feature_sets_] == list(fitted.result_.sets)
    assert set(fitted.feature_sets_[0]) == set(np.argsort(-fitted.scores_)[:4])
    assert fitted.scores_.sum() == pytest.approx(1)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert len(set(fitted.feature_sets_[i]) & set(fitted.feature_sets_[j])) <= 2
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()


def test_transform_and_names_of_every_set(table, fitted):
    X, _ = table
    for i, (indices, names) in enumerate(zip(fitted.feature_sets_, fitted.feature_names_, strict=True)):
        other = fitted.with_alternative(i)
        assert other.get_support(indices=True).tolist() == indices.tolist()
        assert other.get_feature_names_out().tolist() == names
        assert fitted.get_support(indices=True, alternative=i).tolist() == indices.tolist()
        assert fitted.get_support(alternative=i).nonzero()[0].tolist() == indices.tolist()
        assert fitted.get_feature_names_out(alternative=i).tolist() == names
        assert fitted.get_feature_names_out(X.columns, alternative=i).tolist() == names
        expected = X.to_numpy()[:, indices]
        assert np.array_equal(other.transform(X), expected)
        assert np.array_equal(fitted.transform(X, alternative=i), expected)
        assert np.array_equal(fitted.transform(X, i), expected)
    assert np.array_equal(fitted.transform(X), X.to_numpy()[:, fitted.feature_sets_[0]])
    assert np.array_equal(fitted.with_alternative(1).transform(X, 0), fitted.transform(X))


def test_with_alternative_leaves_the_selector_alone(fitted):
    fitted.with_alternative(2)
    assert fitted.alternative_ == 0
    assert clone(fitted.with_alternative(2)).get_params() == fitted.get_params()


@pytest.mark.parametrize("wrong", [3, -1, 1.5, "1"])
def test_an_alternative_that_does_not_exist(table, fitted, wrong):
    with pytest.raises(InputError, match="from 0 to 2"):
        fitted.with_alternative(wrong)
    with pytest.raises(InputError, match="from 0 to 2"):
        fitted.transform(table[0], alternative=wrong)
    with pytest.raises(InputError, match="from 0 to 2"):
        fitted.get_feature_names_out(alternative=wrong)


def test_pandas_output_has_the_names_of_the_chosen_set(table):
    X, y = table
    chooser = selector().set_output(transform="pandas").fit(X, y)
    for i in range(2):
        frame = chooser.transform(X, alternative=i)
        assert isinstance(frame, pd.DataFrame)
        assert frame.columns.tolist() == chooser.feature_names_[i]
        pd.testing.assert_frame_equal(frame, X[chooser.feature_names_[i]])
        pd.testing.assert_frame_equal(chooser.with_alternative(i).transform(X), frame)
    pd.testing.assert_frame_equal(chooser.fit_transform(X, y), X[chooser.feature_names_[0]])


def test_text_columns_are_selected_like_others():
    X = pd.DataFrame({"colour": ["red", "blue"] * 10, "noise": np.arange(20) % 3, "size": range(20)})
    y = np.where(X["colour"] == "red", "yes", "no")
    chooser = selector(n_features_to_select=1, measure="mutual_info_binned", tau=1).fit(X, y)
    assert chooser.feature_names_[0] == ["colour"]
    assert chooser.transform(X)[0, 0] == "red"


def test_pipeline_and_grid_search(table):
    X, y = table
    model = make_pipeline(StandardScaler(), selector(backend="sorting", tau=1), LogisticRegression())
    search = GridSearchCV(model, {"alternativefeatureselector__n_features_to_select": [1, 4]}, cv=3)
    search.fit(X, y)
    assert search.best_params_ == {"alternativefeatureselector__n_features_to_select": 4}
    assert search.best_score_ > 0.9


def test_own_numbers_and_score_functions(table):
    X, y = table
    scores, _ = f_classif(X, y)
    by_name, by_function, by_numbers = (
        selector(measure=measure).fit(X, y) for measure in ("f_statistic", f_classif, scores)
    )
    assert np.allclose(by_name.scores_, by_function.scores_)
    assert np.allclose(by_name.scores_, by_numbers.scores_)
    assert by_name.result_.sets == by_function.result_.sets == by_numbers.result_.sets


def test_worked_examples_by_search_and_aggregate():
    X, y = six_features()
    shared = {"n_features_to_select": 3, "measure": [9, 8, 7, 3, 2, 1], "n_alternatives": 1}
    cases = {("sequential", "sum"): [24, 14], ("simultaneous", "min"): [19, 19]}
    for (search, aggregate), expected in cases.items():
        chooser = selector(search=search, aggregate=aggregate, **shared).fit(X, y)
        assert chooser.qualities_ * 30 == pytest.approx(expected)


@pytest.mark.parametrize("objective", ["mrmr", "fcbf"])
def test_objectives_on_pairs(table, objective):
    X, y = table
    chooser = selector(objective=objective, measure="pearson", n_features_to_select=2, tau=1).fit(X, y)
    problem = chooser.result_.problem
    assert problem.objective == objective
    assert (problem.redundancy is not None) == (objective == "mrmr")
    assert bool(problem.conflicts) == (objective == "fcbf")
    with pytest.raises(InputError, match="measure"):
        selector(objective=objective, measure=np.ones(30)).fit(X, y)


def test_the_seed_decides(table):
    X, y = table
    first, second = (selector(measure="mutual_info", random_state=3).fit(X, y) for _ in range(2))
    assert np.array_equal(first.scores_, second.scores_)
    generators = (np.random.RandomState(5) for _ in range(2))
    third, fourth = (selector(measure="mutual_info", random_state=g).fit(X, y) for g in generators)
    assert np.array_equal(third.scores_, fourth.scores_)


def test_fewer_sets_than_asked_for_are_a_warning():
    X, y = six_features()
    chooser = selector(n_features_to_select=3, n_alternatives=4, tau=1)
    with pytest.warns(UserWarning, match="2 of the 5 feature sets"):
        chooser.fit(X, y)
    assert len(chooser.feature_sets_) == 2


def test_infeasible_says_what_would_be_feasible():
    X, y = six_features()
    chooser = selector(n_features_to_select=3, n_alternatives=3, tau=1, search="simultaneous")
    with pytest.raises(InfeasibleError) as caught:
        chooser.fit(X, y)
    message = str(caught.value)
    # six features hold two disjoint sets of 3, four of one; four sets of 3 may share one feature each
    assert "n_alternatives can be at most 1" in message
    assert "tau can be at most 0.6666" in message
    assert "features per set can be at most 1" in message
    selector(n_features_to_select=3, n_alternatives=1, tau=1, search="simultaneous").fit(X, y)
    selector(n_features_to_select=3, n_alternatives=3, tau=0.6666, search="simultaneous").fit(X, y)
    selector(n_features_to_select=1, n_alternatives=3, tau=1, search="simultaneous").fit(X, y)


def test_a_heuristic_without_a_solution_does_not_claim_infeasibility():
    X, y = six_features()
    chooser = selector(n_features_to_select=3, n_alternatives=3, search="simultaneous")
    with pytest.raises(NoSolutionError) as caught:
        chooser.set_params(backend="greedy-balancing").fit(X, y)
    assert not isinstance(caught.value, InfeasibleError)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_features_to_select": 7}, "n_features_to_select=7: must be an integer from 1 to 6"),
        ({"n_features_to_select": 0}, "n_features_to_select=0"),
        ({"n_alternatives": -1}, "n_alternatives=-1"),
        ({"tau": 1.5}, "tau=1.5"),
        ({"tau": None}, "tau"),
        ({"dissimilarity": "cosine"}, "dissimilarity='cosine'"),
        ({"objective": "best"}, "objective='best'"),
        ({"measure": "magic"}, "measure='magic'"),
        ({"measure": [1, 2]}, "measure"),
        ({"search": "random"}, "search='random'"),
        ({"aggregate": "max"}, "aggregate='max'"),
        ({"backend": "magic"}, "backend='magic'"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_wrong_parameters_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        selector(**changes).fit(*six_features())


def test_missing_values_name_the_column(table):
    X, y = table
    X = X.copy()
    X.loc[3, "mean area"] = np.nan
    with pytest.raises(InputError, match="mean area"):
        selector().fit(X, y)


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 1)])
def test_verbose(table, capsys, verbose, lines):
    selector(verbose=verbose).fit(*table)
    assert len(capsys.readouterr().out.splitlines()) == lines
