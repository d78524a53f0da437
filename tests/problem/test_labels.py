"""Labels of pandas objects: they name the features, and are refused where they are not the features."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

from pyfsel import InputError
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


def test_costs_are_matched_in_any_order():
    costs = pd.Series([1, 2, 3, 4], NAMES).iloc[MIXED]
    assert make_instance(SERIES, k=2, constraints=Constraints(costs=costs)).costs.tolist() == [1, 2, 3, 4]
    with pytest.raises(InputError, match="costs: 'gold' is not a feature"):
        make_instance(SERIES, k=2, constraints=Constraints(costs=costs.rename({"lead": "gold"})))


@pytest.mark.parametrize(
    ("quality", "redundancy", "names", "message"),
    [
        (SERIES, FRAME.rename(columns={"zinc": "gold"}), None, "pairs: its columns hold 'gold', no feature"),
        (SERIES, FRAME.iloc[MIXED], None, "pairs: its rows are not the features in their order"),
        (SERIES, FRAME.iloc[:, MIXED].set_axis(range(4)), None, "pairs: its columns are not the features"),
        (SERIES, FRAME.iloc[:3, :3], None, "pairs: its rows are not the features"),
        (SERIES, FRAME, ["a", "b", "c", "d"], "quality: its labels hold 'age', 'iron', 'zinc' and 1 more"),
        (SERIES.iloc[MIXED], None, NAMES, "quality: its labels are not the features in their order"),
    ],
)
def test_labels_that_are_not_the_features_are_refused(quality, redundancy, names, message):
    objective = "univariate" if redundancy is None else "mrmr"
    with pytest.raises(InputError, match=message):
        make_instance(quality, redundancy, objective=objective, k=2, feature_names=names)


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
