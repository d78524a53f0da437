"""objective="auto": which objective a table gets, and that the answer says why."""

import numpy as np
import pandas as pd
import pytest

from pyfsel import AlternativeFeatureSelector, InputError, Problem, measure, report


def table(n_features=6, is_numeric=False, n_categories=0, n_rows=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, n_features))).rename(columns="x{}".format)
    for j in range(n_categories):
        X[f"c{j}"] = rng.choice(["red", "green", "blue"], n_rows)
    target = X["x0"] + X["x1"] + rng.normal(size=n_rows)
    return X, target if is_numeric else (target > 0).astype(int)


CASES = [
    ({}, {"k": 3}, {}, "jmi", "pairs of 6 features can be measured"),
    ({"is_numeric": True}, {"k": 5}, {}, "r2", "at most 5 features for a numeric target"),
    ({"is_numeric": True}, {"k": 6}, {}, "jmi", "pairs of 6 features"),
    ({"is_numeric": True, "n_categories": 1}, {"k": 3}, {}, "jmi", "pairs of 7 features"),
    ({"is_numeric": True, "n_features": 201}, {"k": 2}, {}, "jmi", "pairs of 201 features"),
    ({"n_features": 2001, "n_rows": 20}, {"k": 2}, {}, "univariate", "pairs of more than 2,000 features"),
    ({"is_numeric": True}, {"k": 2}, {"task": "unsupervised"}, "univariate", "neither classes nor numbers"),
    ({}, {"k": 3}, {"outputs": "min"}, "univariate", "several outputs"),
    ({}, {"k": (2, 3)}, {}, "univariate", "sets differ in size"),
    ({}, {"k": 3}, {"by": "pearson"}, "univariate", "a measure is given"),
]


@pytest.mark.parametrize(("shape", "asked", "measured", "objective", "why"), CASES)
def test_the_objective_suits_the_table_and_the_answer_says_why(shape, asked, measured, objective, why):
    X, y = table(**shape)
    y = np.column_stack([y, -y]) if "outputs" in measured else y
    scores = measure(X, None if "task" in measured else y, **measured)
    problem = Problem(scores, n_sets=1, objective="auto", **asked)
    named = Problem(scores, n_sets=1, objective=objective, **asked)
    assert problem.objective == named.objective
    assert problem.instance.to_dict() == named.instance.to_dict()
    [(name, text)] = problem.chosen
    assert name == "objective"
    assert text.startswith(f"{objective}, chosen by auto: ")
    assert why in text
    assert named.chosen == ()


def test_without_a_table_there_is_nothing_to_choose_by():
    with pytest.raises(InputError, match="objective='auto': chooses by a table"):
        Problem([3, 2, 1], k=2, objective="auto")


def test_answer_and_report_say_what_was_chosen(tmp_path):
    page, selector = tmp_path / "t.html", AlternativeFeatureSelector(3, n_sets=2, objective="auto")
    answer, chosen = report(page, *table(), selector, cv=0), "jmi, chosen by auto: pairs of 6 features"
    assert answer.details["facts"][0][1].startswith(chosen)
    assert f"Objective: {chosen}" in page.read_text("utf-8")
