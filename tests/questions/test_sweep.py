"""Sweeps over sizes, numbers of sets and thresholds: every cell is what `solve` finds."""

from threading import Event

import joblib
import numpy as np
import pandas as pd
import pytest
import questions_oracle as oracle
from fuzzing.trials import Trial
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from running import progress_told
from small_problems import PROBLEM, asked, constrained_problems, problems

from pyfsel import Constraints, InputError, explore, solve
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.interface.problem import Problem
from pyfsel.interface.scores import measure
from pyfsel.problem.dissimilarity import max_overlap_for
from pyfsel.problem.values import to_float
from pyfsel.results.backend_answer import StopReason

EXAMPLE = PROBLEM.replace(max_shared=0)


@settings(max_examples=20)
@given(
    problem=st.one_of(problems(most_features=6), constrained_problems()),
    search=st.sampled_from(["sequential", "simultaneous"]),
)
def test_cells_are_what_solve_finds(problem, search):
    problem, options = problem.replace(n_sets=2, previous=()), {"search": search, "random_state": 0}
    trial = Trial("sweep", problem, "brute-force", options=options)
    assume(trial.outcome() != "refused")
    assert trial.outcome() == "proved"
    found = trial.ask()
    for (_, row), answer in zip(found.to_frame().iterrows(), found.details["answers"], strict=True):
        assert max_overlap_for(row["k"], row["dissimilarity"], "dice") == row["shared"]
        assert (row["status"], row["n_found"]) == (answer.status, len(answer.sets))
        if answer.sets:
            numbers = [one.quality for one in answer]
            is_sum = found.problem.instance.aggregate == "sum"
            worth = np.mean(numbers) if is_sum else min(numbers)
            best = oracle.best_single_value(answer.problem.instance)
            relative = worth / to_float(problem, best) if best > 0 else np.nan
            assert row["quality"] == pytest.approx(worth)
            assert row["relative"] == pytest.approx(relative, nan_ok=True)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("least", [0.5, 1, 2])
@pytest.mark.parametrize("objective", ["mrmr", "jmi", "mifs"])
def test_the_minimum_quality_is_that_of_the_problem_for_each_size(objective, least, k):
    rules = Constraints(min_quality=least)
    problem = Problem([3, 1, 1, 0], 1 - np.eye(4), k=k, objective=objective, constraints=rules)
    for cell in explore.sweep(problem, k=[1, 2, 3], n_sets=[2], dissimilarity=[0.5]).details["answers"]:
        alone = solve(problem.replace(k=cell.problem.instance.k, n_sets=2, dissimilarity=0.5))
        assert (cell.status, [*cell.sets]) == (alone.status, [*alone.sets])


def test_several_searches_at_a_time_find_the_same_in_the_same_order():
    grid = {"k": [2, 3], "n_sets": [2, 3], "dissimilarity": [0.5, 1], "solver": "brute-force"}
    for search in ("sequential", "sum"):
        alone = explore.sweep(asked(EXAMPLE, search), **grid)
        with joblib.parallel_config("threading"):
            found = explore.sweep(asked(EXAMPLE, search), **grid, n_jobs=2)
        pd.testing.assert_frame_equal(alone.to_frame(), found.to_frame())


@pytest.mark.filterwarnings("error")
def test_interrupted_sweeps_keep_what_is_finished():
    """Also what finished before an earlier search did: the first one, of the best set, never ends here."""
    is_over = Event()

    class OneSetTakesForever(BruteForce):
        isolated = False

        def solve(self, problem, control):
            if problem.n_sets == 1:
                is_over.wait()
            return super().solve(problem, control)

    def told(text, done):
        if done == 3:
            raise KeyboardInterrupt

    asked_for = {"dissimilarity": [0, 0.5, 1], "n_sets": [3]}
    with joblib.parallel_config("threading", n_jobs=2), progress_told(told):
        found = explore.sweep(asked(EXAMPLE), **asked_for, solver=OneSetTakesForever())
    is_over.set()
    rows = found.to_frame()
    assert rows[["shared", "n_found"]].to_numpy().tolist() == [[2, 3], [1, 3]]
    assert rows["relative"].isna().all()
    assert (found.stop_reason, found.proved) == (StopReason.INTERRUPTED, False)


def test_the_grid_is_what_is_given_or_all_that_makes_a_difference():
    found = explore.sweep(asked(EXAMPLE), dissimilarity=[0.5, 0.3, 0.1, 0.9, 1], solver="brute-force")
    assert found.to_frame()[["shared", "dissimilarity"]].to_numpy().tolist() == [[1, 0.5], [0, 1]]
    for by in ("dice", "jaccard"):
        rows = explore.sweep(asked(EXAMPLE, by=by), k=[1, 3]).to_frame()
        assert rows[["k", "shared"]].to_numpy().tolist() == [[1, 0], [3, 2], [3, 1], [3, 0]]
        for _, row in rows.iterrows():
            assert max_overlap_for(row["k"], row["dissimilarity"], by) == row["shared"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": [7]}, "k=7: must be an integer from 1 to"),
        ({"k": []}, "k: is empty"),
        ({"k": 3}, "k=3: must be a list"),
        ({"n_sets": [1]}, "n_sets=1: must be"),
        ({"dissimilarity": [1.5]}, "1.5"),
        ({"dissimilarity": [float("nan")]}, "nan"),
        ({"dissimilarity": []}, "not a list of thresholds"),
        ({"dissimilarity": ["shared:1"]}, "not a list of thresholds"),
        ({"dissimilarity": ["jaccard:0.5", "0.5"]}, "one kind, not dice, jaccard"),
    ],
)
def test_bad_grids(arguments, message):
    with pytest.raises(InputError, match=message):
        explore.sweep(asked(EXAMPLE), **arguments)


@pytest.mark.parametrize(
    ("grid", "merges"),
    [({"k": [2, 3]}, True), ({"k": [2, 6], "dissimilarity": [0.2]}, False), ({"n_sets": [2, 5]}, False)],
)
def test_near_duplicates_are_merged_in_all_rows_or_in_none(grid, merges):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    single = y[:, None] * np.linspace(1, 2, 5) + rng.normal(size=(80, 5))
    X = np.column_stack([single, single[:, :3] + 1e-6 * rng.normal(size=(80, 3))])
    problem = Problem(measure(X, y), k=2, n_sets=2, dissimilarity=0.5)
    found = explore.sweep(problem, **grid)
    cells = found.details["answers"]
    assert {bool(one.problem.instance.copies) for one in cells} == {merges}
    assert ("Near-duplicates count as one" in found.claim) == merges
