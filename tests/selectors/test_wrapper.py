"""Greedy Wrapper: the swap repair against enumeration, the climb, its counters, and continuing."""

import sys
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from small_problems import problems

import pyfsel
from pyfsel import AlternativeFeatureSelector, Constraints, Group, InputError, Status, explore
from pyfsel.errors import NoSetsError
from pyfsel.interface.problem import SEARCHES
from pyfsel.measures import load_dataset, prepare
from pyfsel.measures.tables.rows import with_rows
from pyfsel.objectives import Model
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.verify import violations
from pyfsel.selectors.evaluation.models import MODELS, model_of
from pyfsel.selectors.wrapper.climb import Climb, WrapperSearch
from pyfsel.selectors.wrapper.repair import SwapRepair
from pyfsel.selectors.wrapper.scoring import SetScorer

FREE = Instance(quality=[0] * 6, n_sets=1, k=3, max_shared=3)
THREE = Instance(quality=[0] * 6, n_sets=3, k=2, max_shared=1)


def all_solutions(problem):
    pool = [s for size in problem.sizes for s in combinations(range(problem.n_features), size)]
    return [sets for sets in product(pool, repeat=problem.n_sets) if not violations(problem, sets)]


def distance(sets, others):
    return sum(len(set(a) ^ set(b)) for a, b in zip(sets, others, strict=True))


@settings(max_examples=80)
@given(problems(objectives=("univariate",), most_features=6, most_sets=2), st.data())
def test_repair_finds_the_nearest_valid_sets(problem, data):
    """Of all solutions in which both features have changed sides in each set, a nearest one is found."""
    solutions = all_solutions(problem)
    repair = SwapRepair(problem)
    status, found = repair.nearest([()] * problem.n_sets, ())
    if not solutions:
        assert (status, found) == (Status.INFEASIBLE, ())
        return
    assert found in solutions
    current = data.draw(st.sampled_from(solutions))
    swapped = data.draw(st.sampled_from(list(combinations(range(problem.n_features), 2))))
    moved = {
        sets: distance(sets, current)
        for sets in solutions
        if all((j in new) != (j in old) for new, old in zip(sets, current, strict=True) for j in swapped)
    }
    status, found = repair.nearest(current, swapped)
    if moved:
        assert (status, moved.get(found)) == (Status.OPTIMAL, min(moved.values()))
    else:
        assert (status, found) == (Status.INFEASIBLE, ())


def test_features_outside_the_sets_are_drawn():
    problem = Instance(quality=[0] * 200, n_sets=3, k=4, max_shared=2)
    sets = ((0, 1, 2, 3), (0, 1, 4, 5), (6, 7, 8, 9))
    found, again = ([SwapRepair(problem).nearest(sets, (5, j))[1] for j in range(10, 30)] for _ in range(2))
    assert {distance(sets, new) for new in found} == {distance(sets, found[0])}
    assert len(set(found)) == 20
    assert again == found


def weighted(sets):
    return [float(sum((j + 1) ** 2 for j in s)) for s in sets]


def test_swaps_are_tried_in_the_order_of_the_algorithm_and_start_anew_after_an_improvement():
    climb = Climb(FREE, lambda sets: [float(sum(5 - j for j in s)) for s in sets])
    tried, scores = zip(*((swap, climb.scores) for swap in climb.steps()), strict=True)
    improved_at = [i + 1 for i, one in enumerate(scores) if not i or one != scores[i - 1]]
    assert len(improved_at) > 1
    assert [tried[calls] for calls in improved_at] == [(0, 1)] * len(improved_at)
    assert list(tried[improved_at[-1] :]) == list(combinations(range(6), 2))
    assert climb.has_ended


@pytest.mark.parametrize(
    ("search", "value"),
    [
        ("sequential", sum),
        ("sum", sum),
        ("min", min),
        ("min_then_sum", lambda scores: (min(scores), sum(scores))),
    ],
)
def test_found_sets_are_valid(search, value):
    """The end is a local optimum of what is maximised, and every improvement is one."""
    running, values = WrapperSearch(THREE, weighted, search), []
    stop_reason = running.run(on_iteration=lambda: values.append(value(running.scores)))
    assert stop_reason is StopReason.FINISHED
    assert violations(THREE, running.sets) == []
    assert list(running.scores) == weighted(running.sets)
    if search == "sequential":
        return
    assert list(running.scores) == sorted(running.scores, reverse=True)
    (climb,) = running.climbs
    assert values == sorted(values)
    for swap in combinations(range(6), 2):
        _, found = SwapRepair(THREE).nearest(climb.sets, swap)
        assert not found or value(weighted(found)) <= values[-1]


class Counting:
    """A score that trains five models for each set, and can be interrupted."""

    def __init__(self, n_left=None):
        self.n_models = 0
        self.n_left = n_left

    def __call__(self, sets):
        self.n_models += 5 * len(sets)
        if self.n_left is not None and self.n_models > 5 * self.n_left:
            raise KeyboardInterrupt
        return weighted(sets)


def test_limits_are_shared_by_the_climbs_and_keep_what_was_found():
    fits = WrapperSearch(THREE, Counting(), max_fits=30)
    assert fits.run() is StopReason.EVALUATION_LIMIT
    assert (fits.n_fits, len(fits.sets)) == (30, 3)
    time = WrapperSearch(THREE, weighted)
    assert time.run(time_limit=1e-9) is StopReason.TIME_LIMIT
    assert (time.sets, time.status) == ((), Status.NOT_SOLVED)
    stopped = WrapperSearch(THREE, Counting(3))
    assert stopped.run() is StopReason.INTERRUPTED
    assert len(stopped.sets) == 1


@pytest.fixture(scope="module")
def iris():
    return prepare(*load_dataset("iris"))


def test_scores_are_those_of_cross_validation_and_each_set_is_trained_once(iris):
    scorer = SetScorer(iris, DecisionTreeClassifier(random_state=3), "balanced_accuracy", cv=4)
    sets = [(0, 1), (2, 3), (0, 1)]
    expected = cross_val_score(
        DecisionTreeClassifier(random_state=3), iris.X[:, [0, 1]], iris.y, scoring="balanced_accuracy", cv=4
    )
    assert scorer(sets)[0] == scorer(sets)[2] == pytest.approx(expected.mean(), abs=1e-12)
    assert scorer.n_models == 2 * 4
    assert scorer.unit == "balanced accuracy"


def test_weights_count_as_rows_that_are_there_several_times(iris):
    weights = np.arange(150) % 3
    rows = np.repeat(np.arange(150), weights)
    splits = list(KFold(3, shuffle=True, random_state=0).split(iris.X))
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in split) for split in splits]
    weighted = SetScorer(with_rows(iris, weights), GaussianNB(), cv=splits)
    as_rows = SetScorer(prepare(iris.X[rows], iris.y[rows]), GaussianNB(), cv=repeated)
    sets = [(0,), (1, 2), (0, 1, 2, 3)]
    assert weighted(sets) == pytest.approx(as_rows(sets), abs=1e-12)
    assert weighted(sets) != SetScorer(iris, GaussianNB(), cv=splits)(sets)


def test_a_pipeline_is_named_by_its_model_in_one_line(iris):
    model = model_of("neighbours", "classification")
    with pytest.raises(InputError, match=r"estimator=KNeighborsClassifier\(\) takes no weights"):
        SetScorer(with_rows(iris, np.ones(len(iris.y))), model)


def selector(estimator="tree", scoring=None, cv=5, max_fits=None, **changes):
    asked = {"k": 2, "n_sets": 2, "dissimilarity": 1, **changes}
    return AlternativeFeatureSelector(objective=Model(estimator, scoring, cv, max_fits), **asked)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("near_duplicates", ["note", "merge"])
def test_rules_reach_every_set_of_a_model(search, near_duplicates):
    X, y = load_dataset("wine")
    rules = Constraints(
        forced=["alcohol"],
        forbidden=["proline"],
        groups=[Group(("ash", "magnesium"), at_most=1)],
        costs=dict.fromkeys(X.columns, 1.5),
        budget=4.5,
        previous=[["alcohol", "flavanoids"]],
    )
    of_sets = {"k": (2, 3), "dissimilarity": 0.3}
    asked = of_sets | {"constraints": rules, "near_duplicates": near_duplicates}
    found = selector(search=search, max_fits=40, **asked).fit(X, y)
    assert (found.answer_.status, len(found.sets_)) == (Status.FEASIBLE, 2)
    assert found.answer_.details["n_models"] <= 40 + 5 * 2
    told = make_instance([0] * 13, n_sets=2, feature_names=X.columns, constraints=rules, **of_sets)
    assert violations(told, [[list(X).index(name) for name in one] for one in found.sets_]) == []
    for number, one in enumerate(found.sets_):
        assert one.cost == 1.5 * len(one)
        chosen = found.set_params(use_set=number).transform(X)
        assert np.array_equal(chosen, X[list(found.get_feature_names_out())])
    assert found.sets_[1].shared == (len({*found.sets_[0]} & {*found.sets_[1]}),)


def test_the_answer_says_what_is_not_proved():
    X, y = load_dataset("iris")
    first, again = (selector(max_fits=30, random_state=7).fit(X, y) for _ in range(2))
    assert first.sets_ == again.sets_
    shown = " ".join(str(first.answer_).split())
    assert "2 feature sets of 2 with which a decision tree predicts well" in shown
    assert "FEASIBLE Hill climbing: better sets may exist; nothing is proved" in shown
    assert "chose the sets, so they are too high" in first.answer_.cautions[0]
    assert (first.answer_.unit, first.answer_.low, first.answer_.high) == ("accuracy", None, None)
    for name in ("solve", "compare", *explore.__all__):
        with pytest.raises(InputError, match="trains models"):
            getattr(explore, name, getattr(pyfsel, name, None))(first.answer_.problem)
    with pytest.warns(UserWarning, match="2 of 3 feature sets.*Proved: no further set exists"):
        few = selector(n_sets=3, max_fits=30).fit(X, y)
    assert few.answer_.status is Status.FEWER
    with pytest.raises(NoSetsError) as none:
        selector(n_sets=3, search="sum").fit(X, y)
    assert none.value.answer.status is Status.INFEASIBLE


def test_regression_and_names_of_models():
    X, y = load_dataset("diabetes")
    found = selector(Ridge(alpha=0.1), "r2").fit(X, y)
    assert set(found.sets_[0]) == {"bmi", "s5"}
    assert found.answer_.unit == "R²"
    for name in MODELS:
        assert len(selector(name, max_fits=1, n_sets=1).fit(X[::4], y[::4]).sets_) == 1


def test_nested_parameters_reach_the_model(iris):
    first = selector(DecisionTreeClassifier(max_depth=3), n_sets=1, max_fits=10)
    second = clone(first).set_params(objective__estimator__max_depth=1, objective__max_fits=5)
    assert second.fit(iris.X, iris.y).answer_.details["n_models"] == 5
    assert (second.objective.estimator.max_depth, first.objective.estimator.max_depth) == (1, 3)


@pytest.mark.parametrize(("verbose", "terminal"), [(1, False), (0, True), (1, True)])
def test_progress_shows_on_terminals_only(monkeypatch, capsys, iris, verbose, terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    selector(max_fits=20, verbose=verbose).fit(iris.X, iris.y)
    assert ("trained models" in capsys.readouterr().err) == (verbose and terminal)
