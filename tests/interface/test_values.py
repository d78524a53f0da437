"""Values and their shorthand: one parser for each, errors that say what to try, cloned as themselves."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from pyfsel import Group, InputError, certify, explore, objectives, solve
from pyfsel.interface.problem import SEARCHES, Problem, sizes_of
from pyfsel.interface.scores import measure
from pyfsel.interface.solving import MiniZincModel, as_solver
from pyfsel.measures import evidence, from_table
from pyfsel.objectives import BY_NAME, as_objective
from pyfsel.problem.rules import Constraints, Dissimilarity, as_dissimilarity


@pytest.mark.parametrize(
    ("given", "value"),
    {
        0.6: Dissimilarity(0.6),
        1: Dissimilarity(1.0),
        "0.6": Dissimilarity(0.6),
        "jaccard:0.5": Dissimilarity(0.5, by="jaccard"),
        "shared:2": Dissimilarity(max_shared=2),
        "0.6,price=0.1": Dissimilarity(0.6, price=0.1),
        "shared:2,price=3": Dissimilarity(max_shared=2, price=3),
        "price=0.1": Dissimilarity(price=0.1),
        Dissimilarity(0.2): Dissimilarity(0.2),
    }.items(),
)
def test_dissimilarity_has_a_shorthand(given, value):
    assert as_dissimilarity(given) == value


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (2, "out of range. Expected 0 (equal sets are allowed) to 1 (disjoint sets). Try: 'shared:2'"),
        (-0.1, "out of range"),
        ("jacard:0.5", "jacard"),
        ("shared:1.5", "shared='1.5': is not a whole number"),
        ("much", "is not a number"),
        *(
            (wrong, "is not of the form NAME=VALUE")
            for wrong in ("0.6,price", "0.6,", "price=1,", "0.6,,price=1")
        ),
        *((wrong, "is not a number") for wrong in ("", ",price=1", "jaccard:", "shared:")),
        ("0.6,cost=1", "cost"),
        ("0.6,price=-1", "must be at least 0"),
        ([0.6], "dissimilarity"),
    ],
)
def test_a_wrong_dissimilarity_is_refused(given, message):
    with pytest.raises(InputError, match=re.escape(message)):
        as_dissimilarity(given)


@pytest.mark.parametrize("wrong", [{}, {"at_least": 0.5, "max_shared": 2}, {"at_least": 0.5, "by": "cosine"}])
def test_a_dissimilarity_is_one_limit(wrong):
    with pytest.raises(InputError, match="Dissimilarity"):
        Dissimilarity(**wrong)


@pytest.mark.parametrize("name", BY_NAME)
def test_an_objective_is_given_by_name_in_any_case(name):
    assert as_objective(name) == as_objective(name.upper()) == BY_NAME[name]()


def test_parameters_of_an_objective_are_part_of_its_shorthand():
    assert as_objective("mrmr:beta=0.5,pairs=pearson") == objectives.MRMR(beta=0.5, pairs="pearson")
    assert as_objective("r2:ridge=0.1,n_rows=50") == objectives.R2(ridge=0.1, n_rows=50)


@pytest.mark.parametrize(
    ("given", "message"),
    {
        "mrm": "mrmr",
        "univariate:beta=2": "parameter of univariate='beta': there is none",
        "mrmr:gamma=2": "beta",
        "mrmr:beta=much": "is not a number",
        "mrmr:beta=1,beta=2": "is repeated",
        "mrmr:": "is not of the form NAME=VALUE",
        "r2:n_rows=50.5": "is not a whole number",
        "r2:n_rows=inf": "is not a whole number",
        3: "is not an objective",
    }.items(),
)
def test_a_wrong_objective_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        as_objective(given)


@pytest.mark.parametrize(
    "value",
    [
        Dissimilarity(0.5),
        Constraints(forced=["a"], costs=[1.0, 2]),
        objectives.MIFS(beta=0.5),
        objectives.JMI(),
    ],
)
def test_values_are_cloned_as_themselves_and_replaced_with_their_parameters(value):
    assert clone(value) is value
    assert type(value)(**value.get_params()) == value
    assert repr(value).startswith(type(value).__name__)
    with pytest.raises(InputError, match=r"parameter of it='colour': (must be one of .|there is none)"):
        value.with_params("it", colour=1)


def test_sizes_are_a_number_or_a_range_and_a_list_is_a_grid():
    assert (sizes_of(5), sizes_of((3, 5))) == ((None, 5), (3, 5))
    with pytest.raises(InputError, match=re.escape("Try: k=(3, 5) for sizes from 3 to 5")):
        sizes_of([3, 5])
    for wrong in (0, (5, 3), (1, 2, 3), "5"):
        with pytest.raises(InputError, match="k"):
            sizes_of(wrong)


def test_solvers_are_names_models_or_programs():
    assert as_solver("highs") == {"backend": "mip:highs"}
    assert as_solver("cpsat/literal") == {"backend": "cpsat", "formulation": "literal"}
    assert as_solver("open-wbo {wcnf}")["backend"].name.startswith("maxsat")
    model = str(next(Path(__file__).parents[2].joinpath("models").glob("simultaneous_sum.mzn")))
    for given in (model, f"gecode:{model}", MiniZincModel(model)):
        assert as_solver(given)["backend"].has_own_objective


def test_a_problem_says_what_does_not_fit():
    with pytest.raises(InputError, match="Use AlternativeFeatureSelector"):
        Problem([1, 2], k=1, objective=objectives.Model())
    with pytest.raises(InputError, match="search"):
        Problem([1, 2], k=1, search="joint")
    with pytest.raises(InputError, match="argument of Problem"):
        Problem([1, 2, 3], k=1).replace(tau=0.5)


WRONG_MEASURING = {
    "by": ("Pearson", [1, 2], 3),
    "chance": ("mask",),
    "outputs": ("max",),
    "near_duplicates": ("drop",),
    "random_state": (-1, "seed"),
    "n_jobs": (0, "all"),
    "keep_best": (0, 1.5, True, "3"),
    "missing": ("zero",),
    "task": ("ranking",),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, one) for name, all_ in WRONG_MEASURING.items() for one in all_]
)
def test_what_is_wrong_about_measuring_is_named_before_anything_is_measured(wine, name, value):

    with pytest.raises(InputError, match=rf"^{name}(=|:)"):
        measure(*wine, **{name: value})


@pytest.mark.parametrize("ask", [solve, explore.atlas])
@pytest.mark.parametrize("name", ["foo", "columns", "minizinc", "", 3, None])
def test_a_wrong_solver_is_named_by_its_argument(name, ask):
    with pytest.raises(InputError, match=r"^solver="):
        ask(Problem([3, 2, 1], k=2, n_sets=1), solver=name)


def test_a_table_is_measured_once_for_each_objective(wine, monkeypatch):
    measured, permuted = [], []
    for place, name, calls in ((from_table, "pair_measures", measured), (evidence, "_p_values", permuted)):
        function = getattr(place, name)
        monkeypatch.setattr(
            place, name, lambda *a, calls=calls, function=function, **k: calls.append(1) or function(*a, **k)
        )
    scores = measure(*wine, near_duplicates="note")
    asked = [
        {},
        {"k": 3},
        {"n_sets": 2, "search": "sum"},
        {"objective": "mrmr"},
        {"objective": "mrmr:beta=2"},
    ]
    problems = [Problem(scores, **one) for one in asked]
    assert (len(measured), len(permuted)) == (2, 1)
    assert scores.quality == pytest.approx(problems[0].instance.quality_floats)
    problems[0].replace(k=2)
    assert len(measured) == 2
    fresh = [Problem(measure(*wine, near_duplicates="note"), **one) for one in asked]
    assert [one.instance for one in problems] == [one.instance for one in fresh]


def test_scores_are_measured_once_and_asked_often(wine):
    scores = measure(*wine, name="wine")
    assert scores.n_rows == 178
    assert scores.to_frame().columns.tolist() == ["quality", "p_value", "standard_error"]
    answer = solve(Problem(scores, k=3, n_sets=2))
    assert "from 13 features and 178 rows of wine" in answer.headline
    assert answer[0].quality == pytest.approx(scores.to_frame()["quality"].nlargest(3).sum())
    assert answer.unit == scores.unit == "nats of information beyond chance"
    least = Problem(scores, k=3, constraints=Constraints(min_quality="90%")).instance.min_quality
    assert least == pytest.approx(0.9 * answer[0].quality * Problem(scores, k=3).instance.scale, rel=1e-3)


def similar_columns(n_groups, n_copies):
    """Groups of nearly equal columns, of which the first tell most."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(120, n_groups))
    columns = {
        f"g{i}c{j}": base[:, i] + 0.05 * rng.normal(size=120)
        for i in range(n_groups)
        for j in range(n_copies)
    }
    return pd.DataFrame(columns), base @ np.arange(n_groups, 0, -1)


RULES = [
    ({}, True),
    ({"objective": "mrmr"}, False),
    ({"objective": "r2"}, False),
    ({"n_sets": 4}, False),  # needs eight features; there are six groups
    ({"n_sets": 3, "dissimilarity": 0}, True),
    ({"k": (1, 2)}, True),
    ({"k": 7, "n_sets": 1}, False),
    ({"constraints": Constraints(forced=["g0c1"])}, False),
    ({"constraints": Constraints(groups=[Group(["g0*"], at_least=2)])}, False),
    ({"constraints": Constraints(costs=np.ones(12), budget=2)}, False),
    ({"constraints": Constraints(forbidden=["g0c0"])}, True),
]


@pytest.mark.parametrize(("asked", "merges"), RULES)
def test_near_duplicates_are_merged_in_sums_that_leave_enough_features(asked, merges):
    X, y = similar_columns(6, 2)
    asked = {"k": 2, "n_sets": 2, "dissimilarity": 1} | asked
    by_default = Problem(measure(X, y), **asked)
    same = Problem(measure(X, y, near_duplicates="merge:0.8" if merges else "note"), **asked)
    assert by_default.instance == same.instance
    answer = solve(by_default)
    assert ("Near-duplicates count as one" in answer.claim) == merges
    groups = [{name[:2] for name in one} for one in answer]
    if merges:
        assert all(len(group) == len(one) for group, one in zip(groups, answer, strict=True))


QUESTIONS = {
    **{word: lambda asked, word=word: solve(asked.replace(search=word)) for word in SEARCHES},
    "not proved": lambda asked: solve(asked, "greedy-replacement"),
    "impossible": lambda asked: solve(asked.replace(n_sets=4, dissimilarity=1)),
    "atlas": explore.atlas,
    "ties": explore.ties,
    "most_sets": explore.most_sets,
    "most_dissimilar": explore.most_dissimilar,
    "sweep": lambda asked: explore.sweep(asked, dissimilarity=[0.5, 1]),
    "cheapest": lambda asked: explore.cheapest(
        asked.replace(constraints=Constraints(costs=np.arange(1, 13), min_quality="50%"))
    ),
}


@pytest.mark.parametrize("near_duplicates", ["merge:0.8", "note"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_claim_says_that_near_duplicates_were_merged(question, near_duplicates):
    scores = measure(*similar_columns(6, 2), near_duplicates=near_duplicates)
    answer = QUESTIONS[question](Problem(scores, k=2, n_sets=2, dissimilarity=0.5, search="sum"))
    assert ("ear-duplicates" in answer.claim) == (near_duplicates != "note")
    assert ("ear-duplicates" in " ".join(answer.cautions)) == (question != "sweep")  # which names no features


SIX = Problem([9, 8, 7, 3, 2, 1], k=2, n_sets=2)
OF_PROBLEMS = (solve, *(getattr(explore, name) for name in explore.__all__))


@pytest.mark.parametrize("thing", [None, 3, "x", [1, 2], {}, b"x"], ids=repr)
def test_what_is_not_of_the_right_kind_is_named(thing):
    for function in OF_PROBLEMS:
        with pytest.raises(InputError, match=r"problem=.*must be a Problem"):
            function(thing)
    with pytest.raises(InputError, match=r"answer=.*must be an Answer"):
        certify(thing, "x.cert")
    with pytest.raises(InputError, match="k="):
        Problem([3, 2, 1], k=[thing])
    with pytest.raises(InputError, match="n_jobs="):
        explore.sweep(SIX, n_jobs=10**30)
    if thing is not None:
        with pytest.raises(InputError, match=r"on_progress=.*must be a function"):
            solve(SIX, on_progress=thing)
    if not isinstance(thing, str):
        with pytest.raises(InputError, match=r"path=.*must be a path"):
            certify(solve(SIX), thing)
