"""Subsets of tables by method and criterion: function, selector and command."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pyfsel.bench.instances import Request, generated
from pyfsel.measures import prepare
from pyfsel.papers.graph import ASDPSelector, GraphSelector
from pyfsel.papers.mask_selector import MaskSelector
from pyfsel.papers.subset import best_subset as select_module
from pyfsel.papers.subset.best_subset import ALL_METHODS, select_subset
from pyfsel.papers.subset.criteria import ModelCriterion
from pyfsel.papers.subset.selector import SubsetSelector
from pyfsel.results.backend_answer import StopReason

PARITY = {"relevant_0", "relevant_1", "relevant_2"}


@parametrize_with_checks(
    [
        SubsetSelector("relief"),
        SubsetSelector("forward", n_features_to_select=1),
        MaskSelector(DecisionTreeClassifier(max_depth=3), n_features_to_select=1),
        GraphSelector(),
        ASDPSelector(),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def parity(n_irrelevant=3):
    request = Request(n_features=3, n_irrelevant=n_irrelevant, n_redundant=0)
    frame = generated("parity", request, 0).table
    return frame.drop(columns="target"), frame["target"]


@pytest.mark.parametrize("method", ALL_METHODS)
def test_each_method_finds_parity_or_cannot(method):
    X, y = parity()
    selector = SubsetSelector(method, random_state=0).fit(X, y)
    names = set(selector.get_feature_names_out())
    if method not in ("information-gain", *select_module.GRAPHS):  # which see nothing of parity
        assert names >= PARITY
        assert selector.value_ == 1
    assert selector.result_.is_proved == (method == "abb")
    assert selector.transform(X).shape == (len(X), len(names))


def test_graph_methods_are_the_selectors_and_may_go_first(wine):
    X, y = wine
    for method, options in (("graph-fs", {"t_p": 0.6, "rounds": 2}), ("asdp", {"weight": 0.7})):
        kind = GraphSelector if method == "graph-fs" else ASDPSelector
        found = select_subset(X, y, method=method, **options)
        assert list(found.features) == kind(**options).fit(X, y).features_.tolist()
    kept = select_subset(X, y, method="graph-fs").features
    after = select_subset(X, y, method="floating-forward", first="graph-fs")
    assert set(after.features) < set(kept)
    alone = select_subset(X.iloc[:, list(kept)], y, method="floating-forward")
    assert after.names_of(after.features) == alone.names_of(alone.features)
    assert (after.value, after.method) == (alone.value, "graph-fs, floating-forward")
    X, y = parity(n_irrelevant=6)
    found = select_subset(X, y, method="abb", first="relief", random_state=0)
    assert {*found.names_of(found.features)} == PARITY
    assert not found.is_proved  # of the features that were left out nothing is known
    assert select_subset(X, y, method="abb", first="lvf", time_limit=1e-9).stop_reason == "time_limit"


def test_relief_is_the_oracle_of_two_bits():
    """Each row twice: xor weighs ½ each; once: −½, since the nearest row differs in one bit (001, Alg. 3)."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    xor = X[:, 0] ^ X[:, 1]
    options = {"measure": "relief", "n_neighbors": 1}
    assert select_module.quality(prepare(X, X[:, 0]), **options) == pytest.approx([1, -1])
    assert select_module.quality(prepare(X, xor), **options) == pytest.approx([-0.5, -0.5])
    assert select_module.quality(prepare(np.repeat(X, 2, 0), np.repeat(xor, 2)), **options) == pytest.approx(
        [0.5, 0.5]
    )


def test_rankings_by_size_and_threshold():
    X, y = parity()
    for goal in ({"k": 3}, {"threshold": 1}):
        result = select_subset(X, y, method="relief", **goal)
        assert {*result.names_of(result.features)} == PARITY
    by_cut = select_subset(X, y, method="information-gain")
    literal = select_subset(X, y, method="information-gain", cut="literal")
    assert set(by_cut.features) < set(literal.features)


def test_the_model_criterion_is_the_cross_validated_score():
    X, y = load_wine(return_X_y=True)
    table = select_module.prepare(X, y)
    criterion = ModelCriterion(table, GaussianNB(), cv=3)
    expected = cross_val_score(GaussianNB(), X[:, [0, 6]], y, cv=3).mean()
    assert criterion.keys([(0, 6)]) == pytest.approx([expected])
    frequent = cross_val_score(DecisionTreeClassifier(), np.zeros((len(y), 1)), y, cv=5).mean()
    assert ModelCriterion(table).keys([()]) == pytest.approx([frequent])
    result = select_subset(X, y, method="forward", criterion="model", estimator=GaussianNB(), k=2)
    assert result.value == pytest.approx(cross_val_score(GaussianNB(), X[:, result.features], y).mean())


def test_ctrl_c_leaves_a_fitted_selector(monkeypatch):
    X, y = parity()
    calls = []

    def keys(criterion, sets):
        calls.append(sets)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return [-float(bool(s)) for s in sets]

    monkeypatch.setattr(select_module.ConsistencyCriterion, "keys", keys)
    selector = SubsetSelector("backward", threshold=0.1)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert selector.result_.stop_reason is StopReason.INTERRUPTED
    assert selector.features_.tolist() == list(selector.result_.trace[-1].features)
    assert 0 < len(selector.features_) < 6


def test_a_limit_warns():
    with pytest.warns(UserWarning, match=r"no set has the requested .*\(evaluation_limit\)"):
        SubsetSelector("forward", max_evaluations=5).fit(*parity())


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--method abb", 0, "Proved: no smaller set"),
        ("--method forward --max-evaluations 9", 4, "NOT_SOLVED"),
        ("--method backward --criterion model", 0, "FEASIBLE"),
        ("--method relief -k 3 --format json", 0, PARITY),
        ("--method lvf --max-tries 400 --random-state 1 --format json", 0, PARITY),
    ],
)
def test_command(options, code, said, tmp_path, run):
    X, y = parity()
    path = str(tmp_path / "parity.csv")
    X.assign(odd=y).to_csv(path, index=False)
    found = run(f"papers subset {path} -t odd -q {options}", code)
    if said is PARITY:
        assert {name for one in found.data["sets"] for name in one["features"]} == PARITY
    else:
        assert said in found.words
