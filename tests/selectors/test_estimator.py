"""The scikit-learn selector: conventions, alternatives, errors and warnings."""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from pyfsel import AlternativeFeatureSelector, InputError, Status
from pyfsel.errors import NoSetsError
from pyfsel.measures.from_table import problem_from_table


@pytest.mark.filterwarnings("ignore:n_features_to_select=5", "ignore:. of the 4 feature", "ignore:X. nearly")
@parametrize_with_checks([AlternativeFeatureSelector()])
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
    with pytest.raises(InputError, match=r"(?s)^measure=array\(.*must be one of co_information, information"):
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
    with pytest.raises(NoSetsError) as caught:
        chooser.fit(X, y)
    message = str(caught.value)
    assert caught.value.answer.status is Status.INFEASIBLE
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
    with pytest.raises(NoSetsError) as caught:
        chooser.set_params(backend="greedy-balancing").fit(X, y)
    assert caught.value.answer.status is Status.NOT_SOLVED


@pytest.mark.parametrize(
    ("changes", "message"),
    [
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


@pytest.mark.parametrize("verbose", [0, 1])
def test_verbose(table, capsys, monkeypatch, verbose):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    selector(measure="mutual_info", random_state=0, verbose=verbose, copies="ignore").fit(*table)
    out, bar = capsys.readouterr()
    assert len(out.splitlines()) == verbose
    assert ("/30" in bar) == ("columns" in bar) == bool(verbose)


def test_more_features_than_there_are_is_a_warning():
    X, y = six_features()
    X[:, 2] = 1
    asked = {"measure": "pearson", "n_alternatives": 0}
    with pytest.warns(UserWarning, match="=7: the table has 6 features, 1 of them constant; sets hold 5"):
        found = AlternativeFeatureSelector(7, **asked).fit(X, y)
    assert found.get_support().tolist() == [True, True, False, True, True, True]
    with pytest.warns(UserWarning, match="sets hold 6"):
        forced = AlternativeFeatureSelector(7, **asked, forced=[2]).fit(X, y)
    assert forced.get_support().all()


@pytest.mark.filterwarnings("ignore:X. column 'x2' is constant")
def test_constant_columns_pad_no_set():
    X, y = six_features()
    X[:, 2] = 1
    found = AlternativeFeatureSelector(2, 1, 1, measure=[0, 0, 9, 0, 1, 1]).fit(X, y)
    assert all(2 not in members for members in found.feature_sets_)
    problem = problem_from_table(X, y, measure="pearson", k=3, forced=["x2"])
    assert (problem.forced, problem.forbidden) == ((2,), ())
    with pytest.raises(InputError, match="k=6: must be at most 5; 1 of the 6 columns are constant"):
        problem_from_table(X, y, measure="pearson", k=6)


def test_max_overlap_and_the_alternative_are_parameters(table):
    X, y = table
    found = selector(n_alternatives=2, max_overlap=1, alternative=2).fit(X, y)
    sets = [set(members) for members in found.feature_sets_]
    assert max(len(sets[i] & sets[j]) for i, j in ((0, 1), (0, 2), (1, 2))) == 1
    assert found.transform(X).shape == (569, 4)
    assert found.get_support(indices=True).tolist() == found.feature_sets_[2].tolist()
    grid = {"alternative": [0, 1], "n_features_to_select": [1, 4]}
    model = make_pipeline(selector(backend="sorting", tau=1), StandardScaler(), LogisticRegression())
    search = GridSearchCV(model, {f"alternativefeatureselector__{k}": v for k, v in grid.items()}, cv=2)
    assert search.fit(X, y).best_params_["alternativefeatureselector__n_features_to_select"] == 4
    with pytest.raises(InputError, match="alternative=3: must be an integer from 0 to 2"):
        selector(n_alternatives=2, alternative=3).fit(X, y)
    few = selector(n_features_to_select=20, n_alternatives=1, tau=1, alternative=1)
    with (
        pytest.warns(UserWarning, match="1 of the 2"),
        pytest.raises(NoSetsError, match="only 1 set "),
    ):
        few.fit(X, y)


def test_task_missing_and_dates_are_parameters():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    y = (100 * X["a"]).astype(int) + 1000
    with pytest.raises(InputError, match="different whole numbers; say with task='regression'"):
        selector(n_features_to_select=1).fit(X, y)
    asked = {"n_features_to_select": 1, "tau": 1, "task": "regression"}
    assert selector(**asked).fit(X, y).feature_names_[0] == ["a"]
    X.loc[3, "b"] = np.nan
    with pytest.raises(InputError, match="allowed with missing='drop'"):
        selector(**asked).fit(X, y)
    for missing in ("drop", "impute"):
        found = selector(**asked, missing=missing).fit(X, y)
        assert found.transform(X).shape == (150, 1)
    X["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(y, unit="D")
    with pytest.raises(InputError, match=r"holds dates or times .* allowed with dates='number'"):
        selector(**asked, missing="drop").fit(X, y)
    found = selector(**asked, missing="drop", dates="number", copies="ignore").fit(X, y)
    assert found.feature_names_[0] == ["when"]


def test_copies_are_noted_or_merged():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd"))
    y = (2 * X["a"] + X["b"] + 0.5 * X["c"] > 0).astype(int)
    X.insert(1, "a in EUR", 1.17 * X["a"])
    asked = {"n_features_to_select": 1, "tau": 1}
    with pytest.warns(UserWarning, match="a ≈ a in EUR; with copies='merge'"):
        noted = selector(**asked).fit(X, y)
    assert sorted(noted.feature_names_) == [["a"], ["a in EUR"]]
    assert noted.copies_ == [["a", "a in EUR"]]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        GridSearchCV(selector(**asked), {"tau": [1]}, cv=2, scoring=lambda *given: 0.0).fit(X, y)
    assert sum("a ≈ a in EUR" in str(warning.message) for warning in told) == 1
    merged = selector(**asked, copies="merge").fit(X, y)
    assert sorted(merged.copies_[0]) == ["a", "a in EUR"]
    assert merged.feature_names_ == [merged.copies_[0][:1], ["b"]]
    assert merged.feature_sets_[0][0] in (0, 1)
    assert merged.feature_sets_[1].tolist() == [2]
    assert len(merged.scores_) == 5
    mine = selector(**asked, copies=[["a", "a in EUR", "b"]]).fit(X, y)
    assert mine.feature_names_ == [merged.copies_[0][:1], ["c"]]
    with pytest.raises(InputError, match="copies='both': must be one of note, merge, ignore"):
        selector(copies="both").fit(X, y)


def test_least_quality_with_a_unit(table):
    X, y = table
    shares = selector(n_alternatives=0).fit(X, y)
    raw = selector(n_alternatives=0, normalise=False).fit(X, y)
    problem = shares.result_.problem
    assert problem.quality_unit == "F statistic"
    assert shares.result_.raw_qualities[0] == pytest.approx(raw.qualities_[0])
    assert shares.result_.to_dict()["feature_sets"][0]["raw_quality"] == pytest.approx(raw.qualities_[0])
    least = 0.95 * raw.qualities_[0]
    for minimum in (f"{least} F", f"{least:.3f}raw", "95%"):
        found = selector(n_alternatives=3, tau=0.5, min_quality=minimum)
        with pytest.warns(UserWarning, match="of the 4 feature sets"):
            found.fit(X, y)
        assert found.result_.problem.min_quality == pytest.approx(
            0.95 * shares.result_.integer_bound, rel=1e-5
        )
    fewer = X.drop(columns=[name for name in X if name not in shares.feature_names_[0]])
    without = selector(n_features_to_select=2, n_alternatives=0, min_quality="1000 F").fit(fewer, y)
    among_all = selector(n_features_to_select=2, n_alternatives=0, min_quality="1000 F").fit(X, y)
    assert without.result_.raw_qualities == pytest.approx(among_all.result_.raw_qualities)
    for wrong in ("90 nats", "x", "101%", "%", "1 2", "-5%", ""):
        with pytest.raises(InputError, match="min_quality='"):
            selector(min_quality=wrong).fit(X, y)


def test_groups_of_rows_reach_chance_and_errors(table):
    X, y = table
    groups = np.arange(len(y)) // 4
    fits = [
        AlternativeFeatureSelector(2, 0, tau=1).fit(X, y, **rows).result_.problem.evidence
        for rows in ({"groups": groups}, {})
    ]
    expected = problem_from_table(X, y, k=2, row_groups=groups).evidence
    assert fits[0].standard_errors.tolist() == expected.standard_errors.tolist()
    assert fits[0].p_values.tolist() == expected.p_values.tolist()
    assert fits[1].standard_errors.tolist() != expected.standard_errors.tolist()


def test_weights_count_rows_where_the_measure_can_be_weighted(table):
    X, y = (part.iloc[:60] for part in table)
    weight = np.arange(60) % 3
    rows = np.repeat(np.arange(60), weight)
    for measure in ("pearson", "spearman", "symmetrical_uncertainty", "model_importance"):
        asked = {"n_features_to_select": 3, "measure": measure, "copies": "ignore", "random_state": 0}
        X_used = X.round(0) if measure != "spearman" else X.rank()
        weighted = selector(**asked).fit(X_used, y, sample_weight=weight)
        if measure != "spearman":
            repeated = selector(**asked).fit(X_used.iloc[rows], y.iloc[rows])
            tolerance = 0.06 if measure == "symmetrical_uncertainty" else 1e-9
            assert np.allclose(weighted.scores_, repeated.scores_, atol=tolerance)
        same = selector(**asked).fit(X_used, y, sample_weight=np.full(60, 2.0))
        assert np.allclose(same.scores_, selector(**asked).fit(X_used, y).scores_)
    refusal = "^sample_weight: measure='mutual_info' takes no weights; those that do are information, "
    with pytest.raises(InputError, match=refusal):
        selector(measure="mutual_info").fit(X, y, sample_weight=weight)
    given = {"objective": "mrmr", "redundancy_measure": "mutual_info"}
    with pytest.raises(InputError, match="sample_weight: redundancy_measure='mutual_info' takes no weights"):
        selector(measure="information", **given).fit(X, y, sample_weight=weight)
    for wrong in (weight[1:], -weight, 0 * weight, np.full(60, np.nan), ["a"] * 60):
        with pytest.raises(InputError, match="sample_weight"):
            selector(measure="pearson").fit(X, y, sample_weight=wrong)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        selector().fit(X, y, weights=weight)


def test_weights_are_routed_through_a_pipeline(table):
    X, y = (part.iloc[:80] for part in table)
    weight = np.where(np.arange(80) < 40, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        chooser = selector(measure="pearson", copies="ignore").set_fit_request(sample_weight=True)
        classify = LogisticRegression().set_fit_request(sample_weight=True)
        model = make_pipeline(chooser, classify).fit(X, y, sample_weight=weight)
    half = selector(measure="pearson", copies="ignore").fit(X.iloc[:40], y.iloc[:40])
    assert np.allclose(model[0].scores_, half.scores_)


def test_several_outputs_count_by_their_mean_or_minimum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.column_stack([X[:, 0] + 0.3 * X[:, 1], 100 * (X[:, 2] + 0.3 * X[:, 1])])
    asked = {"n_features_to_select": 1, "n_alternatives": 0, "measure": "pearson"}
    single = [selector(**asked).fit(X, column).scores_ for column in y.T]
    mean = selector(**asked).fit(X, y)
    assert np.allclose(mean.scores_, np.mean(single, axis=0))
    smallest = selector(**asked, outputs="min").fit(pd.DataFrame(X), pd.DataFrame(y))
    assert np.allclose(smallest.scores_, np.min(single, axis=0))
    assert smallest.feature_sets_[0].tolist() == [1]
    assert mean.feature_sets_[0].tolist() != [1]
    with pytest.raises(InputError, match="outputs='all': must be one of mean, min"):
        selector(outputs="all").fit(X, y)


def test_polars_and_sparse_tables_work():
    from scipy.sparse import csr_matrix

    class LikePolars(pd.DataFrame):
        def to_pandas(self):
            return pd.DataFrame(self)

    X, y = six_features()
    dense = selector(measure="pearson").fit(X, y)
    for table in (csr_matrix(X), LikePolars(X)):
        assert np.allclose(selector(measure="pearson").fit(table, y).scores_, dense.scores_)
