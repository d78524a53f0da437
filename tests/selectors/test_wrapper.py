"""Greedy Wrapper: the swap repair against enumeration, the climb, its counters, and continuing."""

import io
import json
import sys
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from small_problems import problems

from pyfsel import InputError, Status
from pyfsel.cli.app import main
from pyfsel.cli.wrapper import named_estimator
from pyfsel.errors import NoSetsError
from pyfsel.measures.tables.rows import with_rows
from pyfsel.measures.tables.table import load_dataset, prepare
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import StopReason
from pyfsel.results.solution_file import verify
from pyfsel.selectors.wrapper.climb import Climb, GreedyWrapper, WrapperSearch
from pyfsel.selectors.wrapper.repair import SwapRepair
from pyfsel.selectors.wrapper.scoring import SetScorer
from pyfsel.selectors.wrapper.selector import GreedyWrapperSelector
from pyfsel.selectors.wrapper.wrapper import greedy_wrapper
from pyfsel.solving.solve import solve

FREE = Instance(quality=[0] * 6, n_sets=1, set_size=3, max_overlap=3)
THREE = Instance(quality=[0] * 6, n_sets=3, set_size=2, max_overlap=1)


def all_solutions(problem):
    pool = [s for size in problem.sizes for s in combinations(range(problem.n_features), size)]
    return [sets for sets in product(pool, repeat=problem.n_sets) if not verify(problem, sets)]


def distance(sets, others):
    return sum(len(set(a) ^ set(b)) for a, b in zip(sets, others, strict=True))


def with_swaps(solutions, current, swapped):
    return [
        sets
        for sets in solutions
        if all((j in new) != (j in old) for new, old in zip(sets, current, strict=True) for j in swapped)
    ]


@settings(max_examples=40, deadline=None)
@given(problems(objectives=("univariate",), most_features=6, most_sets=2), st.data())
def test_repair_finds_the_nearest_valid_sets(problem, data):
    solutions = all_solutions(problem)
    repair = SwapRepair(problem)
    status, found = repair.any_sets()
    if not solutions:
        assert (status, found) == (Status.INFEASIBLE, ())
        return
    assert found in solutions
    current = data.draw(st.sampled_from(solutions))
    swapped = data.draw(st.sampled_from(list(combinations(range(problem.n_features), 2))))
    moved = with_swaps(solutions, current, swapped)
    status, found = repair.nearest(current, swapped)
    if moved:
        assert status is Status.OPTIMAL
        assert found in moved
        assert distance(found, current) == min(distance(sets, current) for sets in moved)
    else:
        assert (status, found) == (Status.INFEASIBLE, ())
    assert repair.n_calls == 2


@pytest.mark.parametrize(
    "problem",
    [
        Instance(quality=[0] * 9, n_sets=2, set_size=3, max_overlap=1),
        Instance(quality=[0] * 9, n_sets=2, set_size=3, max_overlap=1, previous_sets=[(2, 5, 8)]),
        Instance(quality=[0] * 8, n_sets=3, set_size=2, max_overlap=0),
        Instance(quality=[0] * 7, n_sets=2, set_size=3, max_overlap=2),
        Instance(
            quality=[0] * 8,
            n_sets=2,
            set_size=3,
            min_set_size=1,
            max_overlap=3,
            overlap_factor=4,
            size_factor=1,
        ),
    ],
)
def test_counted_features_give_sets_as_near_as_those_of_an_enumeration(problem):
    solutions = all_solutions(problem)
    for current in solutions[:: len(solutions) // 4]:
        repair = SwapRepair(problem)
        for swapped in combinations(range(problem.n_features), 2):
            moved = with_swaps(solutions, current, swapped)
            status, found = repair.nearest(current, swapped)
            assert status is (Status.OPTIMAL if moved else Status.INFEASIBLE)
            if moved:
                assert found in moved
                assert distance(found, current) == min(distance(sets, current) for sets in moved)


def test_features_outside_the_sets_are_asked_about_once():
    problem = Instance(quality=[0] * 200, n_sets=3, set_size=4, max_overlap=2)
    repair = SwapRepair(problem)
    sets = ((0, 1, 2, 3), (0, 1, 4, 5), (6, 7, 8, 9))
    found = [repair.nearest(sets, (5, j))[1] for j in range(10, 200)]
    assert repair.n_calls == 1
    assert {distance(sets, new) for new in found} == {distance(sets, found[0])}
    assert len(set(found)) == 190
    assert [SwapRepair(problem).nearest(sets, (5, j))[1] for j in range(10, 20)] == found[:10]


@pytest.mark.parametrize("seed", range(3))
def test_repair_of_one_set_agrees_with_an_exact_backend(seed):
    rng = np.random.default_rng(seed)
    n, k = 8, 3
    previous = [sorted(rng.choice(n, k, replace=False).tolist()) for _ in range(2)]
    problem = Instance(quality=[0] * n, n_sets=1, set_size=k, max_overlap=1, previous_sets=previous)
    repair = SwapRepair(problem)
    current = repair.any_sets()[1][0]
    for swapped in combinations(range(n), 2):
        weight = np.array([j in current for j in range(n)], dtype=int)
        for j in swapped:
            weight[j] = -100 if j in current else 100
        reference = solve(problem.replace(quality=weight), "brute-force", search="simultaneous")
        wanted = 100 * sum(j not in current for j in swapped)
        kept = reference.integer_objective - wanted
        status, found = repair.nearest([current], swapped)
        if kept < 0:
            assert status is Status.INFEASIBLE
        else:
            assert len(set(found[0]) & set(current)) == kept


def weighted(sets):
    return [float(sum((j + 1) ** 2 for j in s)) for s in sets]


def test_constant_quality_takes_one_call_and_one_per_swap():
    wrapper = GreedyWrapper(FREE, lambda sets: [1.0] * len(sets))
    climb = list(wrapper)[-1]
    assert climb.n_solver_calls == 1 + 6 * 5 // 2
    assert climb.is_local_optimum
    assert climb.improvements == [(1, 1.0)]


def test_swaps_are_tried_in_the_order_of_the_algorithm_and_start_anew_after_an_improvement():
    wrapper = GreedyWrapper(FREE, weighted, start=[(0, 1, 2)])
    tried = [(climb.first, climb.second) for climb in wrapper]
    improved_at = [calls for calls, _ in wrapper.climb.improvements]
    assert [tried[calls - 1] for calls in improved_at] == [(0, 1)] * len(improved_at)
    pairs = [*combinations(range(6), 2)]
    since = tried[improved_at[-1] - 1 :]
    assert since == [*pairs, (5, 6)]
    assert wrapper.climb.sets == ((3, 4, 5),)


def test_end_is_a_local_optimum_and_every_improvement_is_one():
    search = WrapperSearch(THREE, weighted, "simultaneous", max_iters=10_000)
    assert search.run() is StopReason.FINISHED
    climb = search.climbs[0]
    values = [quality for _, quality in climb.improvements]
    assert values == sorted(set(values))
    assert values[-1] == sum(climb.scores)
    for swap in combinations(range(6), 2):
        _, found = SwapRepair(THREE).nearest(climb.sets, swap)
        assert not found or sum(weighted(found)) <= values[-1]


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_found_sets_are_valid(search, aggregate):
    problem = THREE.replace(aggregate=aggregate)
    running = WrapperSearch(problem, weighted, search)
    running.run()
    assert verify(problem, running.sets) == []
    assert list(running.scores) == weighted(running.sets)
    if search == "simultaneous":
        assert list(running.scores) == sorted(running.scores, reverse=True)


class InterruptAfter:
    """Interrupts at the given call."""

    def __init__(self, n_calls):
        self.left = n_calls

    def __call__(self, *_):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_stopping_and_continuing_gives_the_same():
    whole = WrapperSearch(THREE, weighted)
    whole.run()
    assert whole.n_solver_calls > 20

    climbs, reason = [], StopReason.INTERRUPTED
    while reason is StopReason.INTERRUPTED:
        part = WrapperSearch(THREE, weighted, climbs=climbs)
        reason = part.run(on_iteration=InterruptAfter(3))
        climbs = [Climb.from_dict(json.loads(json.dumps(climb.to_dict()))) for climb in part.climbs]
    assert [climb.to_dict() for climb in climbs] == [climb.to_dict() for climb in whole.climbs]


def test_most_iterations_hold_for_each_climb():
    running = WrapperSearch(THREE, weighted, max_iters=4)
    assert running.run() is StopReason.FINISHED
    assert [climb.n_solver_calls for climb in running.climbs] == [4, 4, 4]


def test_no_sets_exist():
    problem = Instance(quality=[0] * 3, n_sets=2, set_size=2, max_overlap=0)
    running = WrapperSearch(problem, weighted, "simultaneous")
    assert running.run() is StopReason.FINISHED
    assert (running.status, running.sets, running.n_solver_calls) == (Status.INFEASIBLE, (), 1)


def test_time_limit_ends_the_search_with_what_was_found():
    running = WrapperSearch(THREE, weighted)
    assert running.run(time_limit=1e-9) is StopReason.TIME_LIMIT
    assert running.sets == ()
    assert running.run() is StopReason.FINISHED
    assert len(running.sets) == 3


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


@pytest.mark.parametrize(("cv", "n_splits"), [(None, 5), (3, 3), (GroupKFold(4), 4)])
def test_folds_keep_groups_of_rows_together(iris, cv, n_splits):
    groups = np.arange(150) % 11
    scorer = SetScorer(with_rows(iris, row_groups=groups), GaussianNB(), cv=cv)
    assert len(scorer.splits) == n_splits
    assert not any(set(groups[train]) & set(groups[test]) for train, test in scorer.splits)
    chooser = GreedyWrapperSelector(n_features_to_select=2, n_alternatives=0, estimator=GaussianNB(), cv=cv)
    found = chooser.fit(iris.X, iris.y, groups=groups).result_
    assert list(found.scores) == scorer(found.sets)


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


@pytest.mark.slow
def test_parallel_scoring_gives_the_same(iris):
    splits = KFold(3, shuffle=True, random_state=0)
    alone, parallel = (SetScorer(iris, LogisticRegression(), cv=splits, n_jobs=n) for n in (1, 2))
    sets = [(0,), (1, 2), (0, 1, 2, 3)]
    assert alone(sets) == parallel(sets)


def test_same_seed_same_result():
    X, y = load_dataset("wine")
    first, second = (
        greedy_wrapper(X, y, k=3, n_alternatives=1, tau=0.5, random_state=7, max_iters=20) for _ in range(2)
    )
    assert first.sets == second.sets
    assert first.scores == second.scores
    assert first.n_models == second.n_models == 5 * len(set(_scored_sets(X, y)))


def _scored_sets(X, y):
    table = prepare(X, y)
    scorer = SetScorer(table, random_state=7)
    problem = Instance(quality=[0] * table.n_features, n_sets=2, set_size=3, max_overlap=1)
    WrapperSearch(problem, scorer, max_iters=20, random_state=7).run()
    return scorer.scores


def test_state_file_continues_the_search(tmp_path, monkeypatch):
    X, y = load_dataset("iris")
    question = {"k": 2, "n_alternatives": 1, "tau": 0.5, "random_state": 1}
    whole = greedy_wrapper(X, y, **question)
    state = tmp_path / "climb.json"
    with monkeypatch.context() as patch:
        score = SetScorer.__call__
        interrupt = InterruptAfter(4)
        patch.setattr(SetScorer, "__call__", lambda self, sets: interrupt() or score(self, sets))
        assert greedy_wrapper(X, y, **question, state_file=state).stop_reason is StopReason.INTERRUPTED
    last = greedy_wrapper(X, y, **question, state_file=state)
    assert [climb.to_dict() for climb in last.climbs] == [climb.to_dict() for climb in whole.climbs]
    assert last.n_models == whole.n_models
    assert greedy_wrapper(X, y, **question, state_file=state).sets == whole.sets
    assert [p.name for p in tmp_path.iterdir()] == ["climb.json"]


def test_state_of_another_search_is_refused(tmp_path):
    X, y = load_dataset("iris")
    state = tmp_path / "climb.json"
    greedy_wrapper(X, y, k=2, state_file=state)
    with pytest.raises(InputError, match=r"belongs to another search \(different problem"):
        greedy_wrapper(X, y, k=1, state_file=state)
    with pytest.raises(InputError, match="different scoring"):
        greedy_wrapper(X, y, k=2, state_file=state, scoring="f1_macro")
    state.write_text("{}")
    with pytest.raises(InputError, match="is not the state of a search"):
        greedy_wrapper(X, y, k=2, state_file=state)


def test_start_is_where_the_climb_begins():
    X, y = load_dataset("wine")
    result = greedy_wrapper(X, y, k=2, n_alternatives=1, tau=1, start=[(6, 12), (0, 9)], max_iters=1)
    assert result.sets[0] == (6, 12)
    with pytest.raises(InputError, match="start: sets 0 and 1 share 1 feature"):
        greedy_wrapper(X, y, k=2, n_alternatives=1, tau=1, start=[(6, 12), (6, 9)])


def test_interruption_keeps_what_was_found(iris):
    calls = []

    def interrupting(estimator, X, y):
        calls.append(1)
        if len(calls) > 12:
            raise KeyboardInterrupt
        return float(X.mean())

    result = greedy_wrapper(iris, k=2, estimator=DummyClassifier(), scoring=interrupting)
    assert result.stop_reason is StopReason.INTERRUPTED
    assert len(result.sets) == 1
    assert not result.is_local_optimum


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimator": "tree"}, "estimator='tree'"),
        ({"scoring": "acuracy"}, "scoring='acuracy': must be .* such as accuracy"),
        ({"cv": 1000}, "n_splits"),
        ({"scoring": lambda *_: float("nan")}, "must be finite"),
        ({"search": "sideways"}, "search='sideways'"),
        ({"max_iters": 0}, "max_iters=0"),
        ({"k": 9}, "k=9"),
    ],
)
def test_bad_arguments_are_named(iris, arguments, message):
    with pytest.raises(InputError, match=message):
        greedy_wrapper(iris, **{"k": 2, **arguments})


def test_regression():
    X, y = load_dataset("diabetes")
    result = greedy_wrapper(X, y, k=2, n_alternatives=1, tau=1, estimator=Ridge(alpha=0.1), scoring="r2")
    assert set(result.feature_sets[0]) == {"bmi", "s5"}
    assert result.to_frame()["score"].is_monotonic_decreasing


@parametrize_with_checks([GreedyWrapperSelector(DummyClassifier(), 1, n_alternatives=0, cv=2, max_iters=4)])
def test_estimator_keeps_the_conventions(estimator, check):
    check(estimator)


def test_estimator_selects_and_transforms():
    X, y = load_dataset("wine")
    selector = GreedyWrapperSelector(None, 2, n_alternatives=1, tau=1, random_state=0).fit(X, y)
    assert selector.transform(X).shape == (len(X), 2)
    assert set(selector.feature_names_[0]).isdisjoint(selector.feature_names_[1])
    other = selector.with_alternative(1)
    assert list(other.get_feature_names_out()) == selector.feature_names_[1]
    with pytest.raises(NoSetsError):
        GreedyWrapperSelector(None, 8, n_alternatives=1, tau=1, search="simultaneous").fit(X, y)
    with pytest.warns(UserWarning, match="1 of the 2 feature sets"):
        GreedyWrapperSelector(None, 8, n_alternatives=1, tau=1, max_iters=2).fit(X, y)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_shows_on_terminals_only(monkeypatch, iris, capsys):
    greedy_wrapper(iris, k=2, progress=True)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "stderr", Terminal())
    greedy_wrapper(iris, k=2, progress=True)
    assert "solver calls" in sys.stderr.getvalue()


ARGUMENTS = ["wrapper", "--dataset", "iris", "-k", "2", "-a", "1", "--tau", "1"]


def test_command_writes_table_json_and_csv(tmp_path, capsys):
    assert main(ARGUMENTS) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "FEASIBLE (no swap improves a set any more)" in shown
    assert "models trained" in shown
    assert main([*ARGUMENTS, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [len(s["indices"]) for s in data["feature_sets"]] == [2, 2]
    assert main([*ARGUMENTS, "-o", str(tmp_path / "sets.csv")]) == 0
    frame = pd.read_csv(tmp_path / "sets.csv")
    assert frame["score"].tolist() == pytest.approx([s["score"] for s in data["feature_sets"]], rel=1e-15)


def test_command_names_what_is_wrong(capsys):
    assert main([*ARGUMENTS, "--estimator", "DecisionTreeClasifier"]) == 2
    assert "such as DecisionTreeClassifier" in capsys.readouterr().err
    assert main(["wrapper", "--dataset", "iris", "-k", "4", "-a", "1", "--search", "simultaneous"]) == 3
    assert "proved: no such sets exist" in capsys.readouterr().out


def test_estimators_by_name():
    assert isinstance(named_estimator("Ridge", "regression"), Ridge)
    with pytest.raises(InputError, match="cannot be made without parameters"):
        named_estimator("VotingClassifier", "classification")
