"""How sure comparisons are: intervals, Shapley values, Borda scores, survival, repetitions."""

from dataclasses import replace
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest

from pyfsel.bench.report.advice import Adviser
from pyfsel.bench.report.figures import pairs_of
from pyfsel.bench.report.runs import Benchmark, BenchRun
from pyfsel.bench.report.scores import score
from pyfsel.bench.report.statistics import (
    borda_scores,
    compared,
    contributions,
    excesses,
    intervals,
    pairwise_tests,
    shown_worse,
    survival,
    task_table,
)
from pyfsel.bench.report.statuses import comparison_rows
from pyfsel.bench.suite import RunSpec

LIMIT = 10.0
SHAPE = {
    "n_features": 10,
    "n_alternatives": 1,
    "max_overlap": 1,
    "k": 2,
    "objective": "univariate",
    "aggregate": "sum",
}


def run(contender, instance, seconds, outcome="OPTIMAL", seed=0, k=None, value=7):
    result = {"runtime": seconds, "integer_objective": value, "feature_sets": [{}]}
    trial = RunSpec(instance, "", "", "simultaneous", LIMIT, seed, k=k)
    return BenchRun(trial, contender, {}, outcome, True, {"result": result if value is not None else None})


def table(columns, instances=None):
    n = len(next(iter(columns.values())))
    rows = [(instances[i] if instances else f"p{i}", f"t{i}", LIMIT) for i in range(n)]
    return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(rows, names=["instance", "task", "limit"]))


def test_seeds_are_averaged_and_a_task_is_proved_if_it_is_with_each():
    runs = [run("a", "p", 1.0, seed=0), run("a", "p", 3.0, seed=1)]
    runs += [run("a", "q", 2.0, seed=0), run("a", "q", 2.0, "FEASIBLE", seed=1)]
    found = task_table(runs)
    assert found["a"].tolist() == [2.0, (2.0 + 2 * LIMIT) / 2]
    own = score("a", runs, {})
    assert (own.n_runs, own.n_tasks, own.n_supported, own.n_proved) == (4, 2, 2, 1)
    assert own.par2 == found["a"].mean()


@pytest.mark.parametrize(
    ("seeds_of_a", "seeds_of_b"),
    [((0,), (0, 1)), ((0, 1), (0,)), ((0,), (1,)), ((0, 1, 2), (1, 3)), ((0,), (0,))],
)
def test_a_contender_with_other_seeds_stays_in_every_comparison(seeds_of_a, seeds_of_b):
    instances = [f"p{i}" for i in range(7)]
    runs = [run("a", name, 1.0, seed=seed) for name in instances for seed in seeds_of_a]
    runs += [run("b", name, 3.0, seed=seed) for name in instances for seed in seeds_of_b]
    runs = [replace(one, shape=SHAPE) for one in runs]
    assert borda_scores(runs) == {"a": 0.75, "b": 0.25}
    benchmark = Benchmark("b", tuple(runs), {}, (), 0)
    assert compared(benchmark)[0].mean().to_dict() == {"a": 1.0, "b": 3.0}
    assert [row[0] for row in comparison_rows(benchmark)] == ["a", "b", "virtual best"]
    advice = Adviser(benchmark).on(runs, None)
    assert ([own.contender for own in advice.ranked], advice.partial) == (["a", "b"], ())
    (drawing,) = pairs_of(benchmark)
    assert "a is faster on" in drawing.caption


def test_tasks_that_one_was_not_given_are_left_out():
    runs = [run("a", "p", 1.0), run("b", "p", 2.0), run("a", "q", 1.0)]
    assert task_table(runs).index.get_level_values("instance").tolist() == ["p"]


def test_tasks_of_an_instance_are_drawn_together():
    values = np.arange(8.0)
    apart = intervals(table({"a": values}))["a"]
    together = intervals(table({"a": values}, ["p"] * 4 + ["q"] * 4))["a"]
    assert apart.mean == together.mean == 3.5
    assert (together.low, together.high) == (1.5, 5.5)
    assert 1.5 < apart.low < 3.5 < apart.high < 5.5
    alone = intervals(table({"a": values}, ["p"] * 8))["a"]
    assert np.isnan(alone.low)
    assert alone.text("{:g}".format) == "3.5"


def test_intervals_cover_the_mean_as_often_as_they_say():
    generator = np.random.default_rng(1)
    hits = sum(
        interval.low <= 5.0 <= interval.high
        for interval in intervals(table({str(i): generator.normal(5, 1, 40) for i in range(300)})).values()
    )
    assert 270 <= hits <= 294  # the percentile bootstrap of 40 values covers about 94 %


def test_a_difference_is_shown_if_its_whole_interval_is_above_zero():
    generator = np.random.default_rng(0)
    first = generator.exponential(2.0, 30)
    columns = {"first": first, "same": generator.permutation(first), "slow": first + 1.0, "equal": first}
    found = table(columns)
    assert shown_worse(found, "first") == {"slow"}
    assert excesses(found, "first")["slow"] == pytest.approx((1.0, 1.0, 1.0))
    assert shown_worse(found, "slow") == set()
    single = intervals(found[["same"]].sub(first, axis=0))["same"]
    together = excesses(found, "first")["same"]
    assert together.low < single.low < single.high < together.high


def by_definition(gains):
    """Return the Shapley values of the game whose coalitions gain what their best member does."""
    n = len(gains)
    values = np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n):
            for group in combinations(others, size):
                best = max((gains[j] for j in group), default=0.0)
                weight = factorial(size) * factorial(n - size - 1) / factorial(n)
                values[i] += weight * (max(best, gains[i]) - best)
    return values


@pytest.mark.parametrize("seed", range(5))
def test_contributions_are_the_shapley_values(seed):
    generator = np.random.default_rng(seed)
    costs = generator.choice([0.5, 1.0, 4.0, 9.0, 2 * LIMIT], (6, 5))
    total = sum(by_definition(2 * LIMIT - row) for row in costs)
    found = contributions(table({str(j): costs[:, j] for j in range(5)}))
    assert [*found.values()] == pytest.approx(total / total.sum())


def test_nothing_saved_is_no_contribution():
    assert contributions(table({"a": [2 * LIMIT], "b": [2 * LIMIT]})) == {"a": 0.0, "b": 0.0}


def test_borda_scores_as_in_the_challenge():
    runs = [run("a", "p", 1.0), run("b", "p", 3.0), run("c", "p", 5.0, "FEASIBLE")]
    assert borda_scores(runs) == {"a": 0.75 + 1, "b": 0.25 + 1, "c": 0.0}
    better = [run("a", "q", 9.0, "FEASIBLE", value=8), run("b", "q", 1.0, "FEASIBLE", value=7)]
    assert borda_scores(better) == {"a": 1.0, "b": 0.0}
    nothing = [run(name, "r", 1.0, "NOT_SOLVED", value=None) for name in "ab"]
    assert borda_scores([*better, *nothing]) == {"a": 0.5, "b": 0.0}
    infeasible = [run("a", "s", 1.0, "INFEASIBLE", value=None), run("b", "s", 1.0, "FEASIBLE")]
    assert borda_scores(infeasible) == {"a": 1.0, "b": 0.0}


def test_runs_without_proof_are_censored_at_their_limit():
    runs = [run("a", "p", 2.0), run("a", "q", 0.1, "FEASIBLE"), run("a", "r", 4.0)]
    times, shares = survival(runs)
    assert times == [2.0, 4.0]
    assert shares == pytest.approx([1 / 3, 2 / 3])
    assert survival([run("a", "p", 1.0, "FEASIBLE")]) == ([], [])


def test_pairwise_tests_are_corrected():
    generator = np.random.default_rng(0)
    first = generator.exponential(2.0, 20)
    found = pairwise_tests(pd.DataFrame({"a": first, "b": first + 1.0, "c": generator.permutation(first)}))
    assert found.loc["a", "b"] < 0.01
    assert found.loc["a", "c"] > 0.05
