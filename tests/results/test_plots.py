"""Figures: what they show."""

import pytest
import small_problems

from pyfsel import InputError, Status, explore
from pyfsel.interface.answer import PICTURES, answer_of
from pyfsel.interface.problem import SEARCHES, Problem
from pyfsel.interface.solving import solve
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.result import Result

NAMES = ("a very long name of a feature that nobody can read in a figure", "cost in $", "$x$", "d", "e", "f")
PROBLEM = small_problems.PROBLEM.replace(feature_names=NAMES)
NOTHING = Result(PROBLEM, (), Status.NOT_SOLVED, None, "rc2", "simultaneous", 1.0, StopReason.TIME_LIMIT)


def problem(search):
    return Problem.of_instance(PROBLEM.replace(aggregate="min" if search == "min" else "sum"), search)


@pytest.fixture(params=SEARCHES)
def answer(request):
    return solve(problem(request.param))


def test_membership_has_one_row_per_selected_feature(answer):
    (axes,) = answer.plot().axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == 3
    assert labels[0].startswith("a very long name")
    assert "…" in labels[0]
    assert labels[1:] == [r"cost in \$", r"\$x\$"]
    assert axes.collections[0].get_array().tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]


def test_qualities_with_their_bounds(answer):
    (axes,) = answer.plot("qualities").axes
    assert [patch.get_height() for patch in axes.patches] == [17, 16, 15]
    bounds = [part[:, 1].tolist() for lines in axes.collections for part in lines.get_segments()]
    assert bounds == ([[17, 17], [16, 16], [15, 15]] if answer.scope == "each" else [])


def test_nothing_to_draw():
    for kind in PICTURES:
        with pytest.raises(InputError, match="has no sets"):
            answer_of(NOTHING, problem("sum")).plot(kind)
    with pytest.raises(InputError, match="kind='bars': must be one of membership, qualities"):
        solve(problem("sum")).plot("bars")


def test_questions_have_pictures_of_their_own():
    apart = Problem.of_instance(PROBLEM.replace(max_shared=0), "sum")
    assert [panel.get_title() for panel in explore.sweep(apart, k=[2, 3]).plot().axes] == ["k = 2", "k = 3"]
    bars, growth = explore.atlas(apart, loss=0.5).plot().axes
    assert len(bars.patches) == 6
    assert growth.get_ylabel() == "sets"
    with pytest.raises(InputError, match="this answer to 'atlas' has no sets"):
        explore.atlas(apart, solver="greedy-replacement").plot()
