"""Figures: what they show, and that they are written."""

import pytest

from pyfsel import InputError, Status, explore
from pyfsel.interface.answer import answer_of
from pyfsel.interface.problem import Problem
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import StopReason
from pyfsel.results.plots import (
    KINDS,
    plot_membership,
    plot_overlaps,
    plot_qualities,
    save_figure,
)
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

NAMES = ("a very long name of a feature that nobody can read in a figure", "cost in $", "$x$", "d", "e", "f")
PROBLEM = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1, feature_names=NAMES)
NOTHING = Result(PROBLEM, (), Status.NOT_SOLVED, None, "rc2", "simultaneous", 1.0, StopReason.TIME_LIMIT)
SEARCHES = ("simultaneous", "sequential")


@pytest.fixture(params=SEARCHES)
def result(request):
    return solve(PROBLEM, "brute-force", request.param)


def heights(axes):
    return [patch.get_height() for patch in axes.patches]


def lines(axes):
    return {line.get_label(): list(line.get_ydata()) for line in axes.lines}


def test_membership_has_one_row_per_selected_feature(result):
    (axes,) = plot_membership(result).axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == 3
    assert labels[0].startswith("a very long name")
    assert "…" in labels[0]
    assert labels[1:] == [r"cost in \$", r"\$x\$"]
    colours = [patch.get_facecolor() for patch in axes.patches]
    assert len(colours) == 9
    marked = max(set(colours), key=lambda c: c[2] - c[0])
    assert colours.count(marked) == 6


def test_overlaps_are_written_into_the_cells(result):
    (axes,) = plot_overlaps(result).axes
    assert [text.get_text() for text in axes.texts] == list("211121112")


def test_qualities_with_their_bounds():
    (axes,) = plot_qualities(solve(PROBLEM, "brute-force", "simultaneous")).axes
    assert heights(axes) == [17, 16, 15]
    assert lines(axes) == {"bound on the mean": [16, 16]}
    (axes,) = plot_qualities(solve(PROBLEM, "brute-force", "sequential")).axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[17, 17], [16, 16], [15, 15]]
    smallest = solve(PROBLEM.replace(aggregate="min"), "brute-force", "simultaneous")
    assert lines(plot_qualities(smallest).axes[0]) == {"bound on the smallest": [15, 15]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("suffix", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_figures_are_files_of_three_formats(kind, suffix, head, tmp_path):
    out = tmp_path / f"figure.{suffix}"
    save_figure(answer().plot(kind), out)
    assert out.read_bytes().startswith(head)


def answer(result=None):
    result = result or solve(PROBLEM, "brute-force", "simultaneous")
    return answer_of(result, Problem.of_instance(PROBLEM, "sum"))


def test_nothing_to_draw():
    for kind in KINDS:
        with pytest.raises(InputError, match="holds no"):
            answer(NOTHING).plot(kind)
    with pytest.raises(InputError, match="kind='bars': must be one of membership, overlaps"):
        answer().plot("bars")


def test_questions_have_pictures_of_their_own():
    problem = Problem.of_instance(PROBLEM.replace(max_shared=0), "sum")
    assert [panel.get_title() for panel in explore.sweep(problem, k=[2, 3]).plot().axes] == ["k = 2", "k = 3"]
    bars, growth = explore.atlas(problem, loss=0.5).plot().axes
    assert len(bars.patches) == 6
    assert growth.get_ylabel() == "sets"
    with pytest.raises(InputError, match="no picture of this answer to 'atlas'"):
        explore.atlas(problem, solver="greedy-replacement").plot()


def test_unknown_formats_are_refused(result, tmp_path):
    with pytest.raises(InputError, match="must end in"):
        save_figure(plot_membership(result), tmp_path / "figure.bmp")
