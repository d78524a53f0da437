"""Sweeps over set sizes, numbers of alternatives and thresholds."""

import math
from threading import Event

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import problems

from pyfsel import InputError, Status
from pyfsel.backends.brute_force import BruteForce
from pyfsel.problem.dissimilarity import max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.questions.sweep.sweep import first_sets, sweep
from pyfsel.results.answer import PROVED, StopReason
from pyfsel.results.counting import counts_are_told_to
from pyfsel.solving.solve import solve

EXAMPLE = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=0)


@settings(max_examples=12)
@given(problem=problems(most_features=6), search=st.sampled_from(["sequential", "simultaneous"]))
def test_cells_are_what_solve_finds(problem, search):
    found = sweep(
        problem.replace(previous_sets=()),
        n_alternatives=[1, 2],
        search=search,
        backend="brute-force",
        explain_seconds=0,
    )
    assert len(found.cells) == 2 * (problem.set_size + 1)
    for cell in found.cells:
        alone = solve(cell.result.problem, "brute-force", search)
        assert (cell.result.sets, cell.result.status) == (alone.sets, alone.status)
        assert cell.result.integer_bound == alone.integer_bound
        assert cell.is_complete == (len(alone.sets) == cell.n_alternatives + 1)
        assert bool(cell.explanation) != cell.is_complete


def test_several_searches_at_a_time_find_the_same_in_the_same_order():
    grid = {"set_sizes": [2, 3], "n_alternatives": [1, 2], "taus": [0.5, 1], "backend": "brute-force"}
    for search in ("sequential", "simultaneous"):
        shown = []
        alone = sweep(EXAMPLE, **grid, search=search)
        with joblib.parallel_config("threading"):
            found = sweep(EXAMPLE, **grid, search=search, n_jobs=2, on_cell=shown.append)
        frames = [one.to_frame().drop(columns="runtime") for one in (alone, found)]
        pd.testing.assert_frame_equal(*frames)
        assert any(cell.explanation for cell in found.cells)
        assert sorted(map(id, shown)) == sorted(map(id, found.cells))


@pytest.mark.filterwarnings("error")
def test_interrupted_sweeps_keep_what_is_finished():
    """Also what finished before an earlier search did: the first one, of the best set, never ends here."""

    is_over = Event()

    class OneSetTakesForever(BruteForce):
        def is_isolated(self, formulation):
            return False

        def solve(self, problem, control):
            if problem.n_sets == 1:
                is_over.wait()
            return super().solve(problem, control)

    def told(what, done, total):
        if done == 3:
            raise KeyboardInterrupt

    asked = {"taus": [0, 0.5, 1], "n_alternatives": [2], "search": "simultaneous"}
    with joblib.parallel_config("threading", n_jobs=2), counts_are_told_to(told):
        found = sweep(EXAMPLE, **asked, backend=OneSetTakesForever())
    is_over.set()
    assert [(cell.max_overlap, len(cell.result.sets)) for cell in found.cells] == [(2, 3), (1, 3)]
    assert math.isnan(found.cells[0].relative_quality)
    assert found.stop_reason is StopReason.INTERRUPTED


def test_thresholds_with_the_same_overlap_are_one_cell():
    found = sweep(EXAMPLE, taus=[0.5, 0.3, 0.1, 0.9, 1], n_alternatives=[1], backend="brute-force")
    assert [(cell.max_overlap, cell.taus) for cell in found.cells] == [(1, (0.1, 0.3, 0.5)), (0, (0.9, 1.0))]


@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard"])
def test_without_thresholds_all_overlaps_are_cells(dissimilarity):
    found = sweep(EXAMPLE, set_sizes=[1, 3], n_alternatives=[1], dissimilarity=dissimilarity)
    assert [(c.set_size, c.max_overlap) for c in found.cells] == [
        (1, 1),
        (1, 0),
        (3, 3),
        (3, 2),
        (3, 1),
        (3, 0),
    ]
    for cell in found.cells:
        assert max_overlap_for(cell.set_size, cell.taus[0], dissimilarity) == cell.max_overlap
        assert cell.least_dissimilarity >= cell.taus[0] - 1e-12


def test_qualities_and_dissimilarities():
    (cell,) = sweep(EXAMPLE, taus=[0.5], n_alternatives=[2], backend="brute-force").cells
    assert cell.quality == pytest.approx((17 + 16 + 15) / 3)
    assert cell.relative_quality == pytest.approx(16 / 17)
    assert cell.dissimilarities == [0.5, 0.5, 0.5]
    smallest = sweep(EXAMPLE.replace(aggregate="min"), taus=[0.5], n_alternatives=[2], backend="brute-force")
    assert smallest.cells[0].quality == 15


def test_quality_of_nothing_positive_is_not_relative():
    problem = EXAMPLE.replace(quality=np.array([-1, -2, -3, -4, -5, -6]))
    (cell,) = sweep(problem, taus=[1], n_alternatives=[1]).cells
    assert cell.quality == -(1 + 2 + 3 + 4) / 2
    assert math.isnan(cell.relative_quality)


def test_pareto_front():
    """With k = 2 and equal qualities, dissimilarity and more sets cost nothing."""
    problem = Instance(quality=[1, 1, 1, 1, 1, 1], n_sets=3, set_size=2, max_overlap=0)
    found = sweep(problem, backend="brute-force")
    front = {(c.n_alternatives, c.max_overlap) for c, on in zip(found.cells, found.pareto, strict=True) if on}
    assert front == {(2, 0)}


def test_front_of_different_costs():
    found = sweep(EXAMPLE, backend="brute-force")
    front = {(c.n_alternatives, c.max_overlap) for c, on in zip(found.cells, found.pareto, strict=True) if on}
    assert front == {(1, 1), (1, 0), (2, 2), (2, 1), (2, 0)}


def test_infeasible_cells_are_explained():
    found = sweep(EXAMPLE, n_alternatives=[2, 5], taus=[1], backend="cpsat", search="simultaneous")
    feasible, infeasible = found.cells
    assert feasible.is_complete
    assert infeasible.result.status is Status.INFEASIBLE
    assert "n_alternatives can be at most 2" in infeasible.explanation
    assert "tau can be at most 0.5" in infeasible.explanation
    assert not found.pareto[1]


def test_dead_end_of_a_sequence_is_told_from_infeasibility():
    """The best set leaves a conflict, although two other sets exist."""
    problem = Instance(quality=[9, 8, 1, 1], n_sets=2, set_size=2, max_overlap=0, conflicts=[(2, 3)])
    (cell,) = sweep(problem, taus=[1], n_alternatives=[1], backend="brute-force").cells
    assert cell.result.sets == ((0, 1),)
    assert "ends after 1 of 2" in cell.explanation
    assert "chosen together" in cell.explanation


def test_not_even_one_set():
    problem = Instance(
        quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=0, conflicts=[(0, 1), (0, 2), (1, 2)]
    )
    found = sweep(problem, n_alternatives=[1], backend="brute-force")
    assert {cell.result.status for cell in found.cells} == {Status.INFEASIBLE}
    (explanation,) = {cell.explanation for cell in found.cells}
    assert "Not even one set" in explanation
    assert "features per set can be at most 1" in explanation


def test_first_sets_keeps_each_step():
    result = solve(EXAMPLE.replace(max_overlap=1), "brute-force", "sequential")
    shorter = first_sets(result, 2)
    assert shorter.sets == result.sets[:2]
    assert shorter.objective == 33
    assert (shorter.status, shorter.step_gaps, shorter.gap) == (Status.OPTIMAL, [0, 0], None)


def test_unproved_steps_stay_unproved():
    greedy = sweep(EXAMPLE, taus=[0.5], n_alternatives=[1, 2], backend="greedy-replacement")
    assert [cell.result.status for cell in greedy.cells] == [Status.FEASIBLE] * 2
    assert [cell.result.bound for cell in greedy.cells] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"set_sizes": [7]}, "set_sizes=7: must be an integer from 1 to"),
        ({"set_sizes": []}, "set_sizes: is empty"),
        ({"n_alternatives": [0]}, "n_alternatives=0: must be"),
        ({"taus": [1.5]}, "taus=1.5: must be a number from 0 to 1"),
        ({"taus": [0.5, "high"]}, "taus='high': must be"),
        ({"taus": [float("nan")]}, "taus=nan: must be"),
        ({"taus": []}, "taus: is empty"),
        ({"dissimilarity": "cosine"}, "dissimilarity='cosine'"),
    ],
)
def test_bad_grids(arguments, message):
    with pytest.raises(InputError, match=message):
        sweep(EXAMPLE, **arguments)


def test_sixty_features_all_thresholds():
    """All thresholds and up to five alternatives on 60 features: proved, with one process for all."""
    quality = (1000 * np.random.default_rng(0).random(60) ** 3).astype(int)
    problem = Instance(quality=quality, n_sets=6, set_size=5, max_overlap=0)
    found = sweep(problem)
    assert len(found.cells) == 30
    assert all(cell.result.status is Status.OPTIMAL and cell.is_complete for cell in found.cells)
    assert found.runtime < 60


def test_side_constraints_hold_in_every_cell():
    problem = make_instance(
        [9, 8, 7, 3, 2, 1], k=3, n_alternatives=1, tau=0, forced=[5], costs=[4, 1, 1, 1, 1, 1], budget=5
    )
    found = sweep(problem, set_sizes=[1, 2, 3], backend="brute-force", explain_seconds=60)
    assert {cell.set_size for cell in found.cells} == {1, 2, 3}
    for cell in found.cells:
        for members in cell.result.sets:
            assert 5 in members
            assert sum(problem.costs[j] for j in members) <= 5
    apart = next(c for c in found.cells if c.set_size == 2 and c.max_overlap == 0)
    assert "without forced" in apart.explanation


VERY_FINE = Instance(
    quality=[1752793644339502, 1308460435962962],
    n_sets=3,
    set_size=1,
    max_overlap=0,
    objective="cfs",
    redundancy=[[0, 1], [1, 0]],
    scale=1e6,
)


def test_a_dead_end_of_sets_that_cannot_be_chosen_together_is_explained():
    (cell,) = (cell for cell in sweep(VERY_FINE).cells if cell.explanation)
    assert cell.explanation.startswith("The sequence ends after 2 of 3 sets. ")


def test_steps_that_a_finished_search_left_unproved_are_named():
    cells = sweep(VERY_FINE, backend="cpsat").cells
    unproved = [cell.result for cell in cells if cell.result.status not in PROVED]
    assert unproved
    assert all(result.message for result in unproved)
