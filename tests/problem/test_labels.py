"""Labels of pandas objects: they name the features, match numbers to them, and are refused if they differ."""

import warnings
from copy import deepcopy
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pyfsel import AlternativeFeatureSelector, Group, InputError, Problem, measure
from pyfsel.papers.graph_score import graph_score_problem
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints

NAMES = ["age", "iron", "zinc", "lead"]
QUALITY = np.array([0.9, 0.5, 0.4, 0.1])
MIXED = [2, 0, 3, 1]
PAIRS = np.array([[0, 0.5, 0.25, 0.125], [0.5, 0, 0.75, 0], [0.25, 0.75, 0, 1], [0.125, 0, 1, 0]])
FRAME = pd.DataFrame(PAIRS, NAMES, NAMES)
SERIES = pd.Series(QUALITY, NAMES)
mrmr = partial(make_instance, objective="mrmr", k=2)


@pytest.mark.parametrize(
    "redundancy", [FRAME, PAIRS, pd.DataFrame(PAIRS), pd.DataFrame(PAIRS, columns=NAMES)]
)
def test_labels_are_the_names_of_the_features(redundancy):
    expected = mrmr(QUALITY, PAIRS, feature_names=NAMES)
    assert mrmr(SERIES, redundancy) == mrmr(QUALITY, redundancy, feature_names=NAMES) == expected
    assert mrmr(QUALITY, FRAME) == expected
    assert make_instance(pd.Series(QUALITY), k=2).feature_names == ("x0", "x1", "x2", "x3")
    assert make_instance(pd.Series(QUALITY, [3, 1, 7, 5]), k=2).feature_names == ("3", "1", "7", "5")
    scores = graph_score_problem(QUALITY, PAIRS, feature_names=NAMES)
    assert graph_score_problem(SERIES, redundancy) == scores


LABELLED = {"quality": SERIES, "pairs": FRAME, "costs": SERIES, "by": SERIES}


def _problems(quality, pairs, costs, by, names=NAMES):
    """Return all problems that are made of labelled numbers of features, as plain data."""
    made = mrmr(quality, pairs, feature_names=names, constraints=Constraints(costs=costs))
    graph = graph_score_problem(quality, pairs, feature_names=names)
    measured = measure(pd.DataFrame(np.eye(4), columns=NAMES), by=by, task="unsupervised")
    return made.to_dict(), graph.to_dict(), measured.quality.tolist()


@pytest.mark.parametrize("argument", LABELLED)
@pytest.mark.parametrize("axis", [0, 1])
def test_labelled_numbers_are_matched_in_any_order(argument, axis):
    given = LABELLED[argument]
    mixed = LABELLED | {argument: given.take(MIXED, axis=min(axis, given.ndim - 1))}
    assert _problems(**mixed) == _problems(**LABELLED)
    if argument != "quality":  # their labels give the order of the features
        assert _problems(**mixed, names=None) == _problems(**LABELLED)


COLUMNS = {name: FRAME[name].take(MIXED).tolist() for name in FRAME.columns[MIXED]}
COSTS = {"feature": FRAME.columns[MIXED].tolist(), "cost": QUALITY[MIXED].tolist()}


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_of_all_libraries_are_matched(table):
    mixed = table(COLUMNS) if table is not pd.DataFrame else FRAME.iloc[MIXED, MIXED]
    costs = Constraints(costs=table(COSTS), budget=2)
    for named in ({"quality": SERIES}, {"quality": QUALITY, "feature_names": NAMES}):
        expected = mrmr(SERIES, FRAME, constraints=Constraints(costs=SERIES, budget=2))
        assert mrmr(pairs=mixed, constraints=costs, **named) == expected
    with pytest.raises(InputError, match=r"costs: is a table of 'a'\. Expected the columns 'feature'"):
        mrmr(SERIES, FRAME, constraints=Constraints(costs=table({"a": [1, 2]})))


ONCE = {
    "forced": lambda: iter(["zinc"]),
    "forbidden": lambda: iter(["age"]),
    "previous": lambda: iter([iter(["age", "iron"])]),
    "groups": lambda: iter([Group(iter(["age", "iron"]), at_most=1)]),
}


@pytest.mark.parametrize("rule", ONCE)
def test_iterators_are_rules_for_as_long_as_lists(rule):
    """What can be read once only is read once: else a second problem would not have the rule."""
    rules = Constraints(**{rule: ONCE[rule]()})
    problem = Problem(QUALITY, k=2, n_sets=1, dissimilarity="shared:1", names=iter(NAMES), constraints=rules)
    again = problem.replace(search="sum").replace(search="sequential")
    assert again.instance == problem.instance != problem.replace(constraints=None).instance
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 4)), columns=NAMES)
    rules = Constraints(**{rule: ONCE[rule]()})
    selector = AlternativeFeatureSelector(2, n_sets=1, dissimilarity="shared:1", constraints=rules)
    first, second = (selector.fit(X, X.age + X.iron).answer_.problem.instance for _ in range(2))
    assert getattr(first, rule) == getattr(second, rule) == getattr(problem.instance, rule)


CHANGED = {
    "forced": (["zinc"], lambda given: given.append("age")),
    "forbidden": ({"zinc"}, lambda given: given.add("age")),
    "previous": ([["age", "iron"]], lambda given: given[0].append("zinc")),
    "groups": ([Group(["age", "iron"], at_most=1)], lambda given: given.clear()),
    "costs": (np.ones(4), lambda given: given.fill(9)),
    "scores": (np.arange(4.0), lambda given: given.fill(9)),
    "pairs": (np.zeros((4, 4)), lambda given: given.fill(1)),
    "names": (list("abcd"), lambda given: given.reverse()),
}


@pytest.mark.parametrize("argument", CHANGED)
def test_a_problem_keeps_what_it_was_given(argument):
    """A list or array that is changed later would otherwise change what `replace` returns."""
    given, change = deepcopy(CHANGED[argument][0]), CHANGED[argument][1]
    arguments = {"scores": QUALITY, "names": NAMES, "k": 2, "n_sets": 1, "objective": "mifs"}
    arguments["pairs"] = np.eye(4)
    if argument in arguments:
        arguments[argument] = given
    else:
        arguments["constraints"] = Constraints(**{argument: given}, budget=3 if argument == "costs" else None)
    problem = Problem(**arguments, dissimilarity="shared:1")
    again = problem.replace(n_sets=1).instance
    change(given)
    assert problem.replace(n_sets=1).instance == problem.instance == again


FAULTS = {
    "'gold' is not|hold 'gold', no feature": lambda given: given.rename({"lead": "gold"}),
    "lacks? 'lead'": lambda given: given.iloc[:3],
    "repeat|more than one": lambda given: given.iloc[[0, 1, 2, 3, 0]],
}


@pytest.mark.parametrize("argument", LABELLED)
@pytest.mark.parametrize("message", FAULTS)
def test_labels_that_are_not_the_features_are_refused(argument, message):
    with pytest.raises(InputError, match=message):
        _problems(**LABELLED | {argument: FAULTS[message](LABELLED[argument])})


def test_asymmetric_redundancies_are_told():
    uneven = FRAME.copy()
    uneven.loc["zinc", "age"] = 0.75
    with pytest.warns(UserWarning, match="is 0.25 of 'age' on 'zinc' and 0.75 the other way round; the mean"):
        problem = mrmr(SERIES, uneven)
    assert problem == mrmr(SERIES, (uneven + uneven.T) / 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mrmr(SERIES, FRAME * (1 + 1e-12 * np.arange(4)))
        make_instance(SERIES, uneven, objective="fcbf", k=2)
