"""Graph-FS and ASDP as scikit-learn selectors."""

import pytest
from sklearn.datasets import load_breast_cancer
from small_problems import problem_from_table

from pyfsel.measures import delta, prepare, redundancy
from pyfsel.papers.graph import ASDPSelector, GraphSelector
from pyfsel.papers.graph_fs import graph_fs
from pyfsel.problem import values
from pyfsel.solving.solve import solve


@pytest.fixture(scope="module")
def table():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def test_the_objective_of_tables_is_the_problem_of_the_selector(table):
    X, y = table
    asked = problem_from_table(X, y, objective="graph_score", k=(1, X.shape[1]))
    problem = ASDPSelector().fit(X, y).problem_
    assert (asked.quality == problem.quality).all()
    assert (asked.pairs == problem.pairs).all()
    by_pearson = problem_from_table(X, y, objective="graph_score", measure="pearson", k=2)
    assert (by_pearson.quality == ASDPSelector(measure="pearson").fit(X, y).problem_.quality).all()


def test_graph_selector_is_graph_fs(table):
    X, y = table
    selector = GraphSelector(t_delta=0.6, t_p=0.7).fit(X, y)
    expected = graph_fs(delta(prepare(X, y)), redundancy(prepare(X, y), "pearson"), t_delta=0.6, t_p=0.7)
    assert selector.selection_ == expected
    assert selector.get_support(indices=True).tolist() == list(expected.features)
    assert selector.transform(X).shape == (len(X), len(expected.features))
    assert 1 < len(expected.features) < X.shape[1]


@pytest.mark.parametrize("initialisation", ["one-pass", "prefixes", "empty"])
def test_asdp_selector_returns_the_score_of_its_set(table, initialisation):
    selector = ASDPSelector(initialisation=initialisation).fit(*table)
    features = tuple(selector.features_)
    assert selector.score_ == -values.qualities(selector.problem_, [features])[0]
    assert selector.history_ == sorted(selector.history_, reverse=True)
    assert selector.history_[-1] == -values.value(selector.problem_, features) / selector.problem_.scale
    best = solve(selector.problem_, "ksubgraph", search="simultaneous").integer_objective
    assert values.value(selector.problem_, features) <= best
    assert selector.score_ <= ASDPSelector(method="sdp-1").fit(*table).score_


def test_graph_fs_selects_first(table):
    X, y = table
    selector = ASDPSelector(t_delta=0.9, t_p=0.8).fit(X, y)
    kept = GraphSelector(t_delta=0.9, t_p=0.8).fit(X, y).features_
    assert selector.problem_.n_features == len(kept) < X.shape[1]
    assert set(selector.features_) <= set(kept)
    assert GraphSelector(t_p=0.8).fit(X, y).features_.tolist() == list(
        ASDPSelector(t_p=0.8).fit(X, y).selection_.features
    )
