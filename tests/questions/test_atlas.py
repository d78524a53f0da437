"""The atlas of near-optimal sets: counts, shares and pairs are those of all sets."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
import questions_oracle as oracle
from conformance import quality_of
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import asked, constrained_problems, problems

from pyfsel import Group, Status, explore
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import to_float
from pyfsel.results import near_optimal
from pyfsel.results.control import OutOfTimeError

ANY_PROBLEM = st.one_of(
    problems(("univariate", "univariate", "fcbf", "mrmr", "jmi", "cfs", "graph_score", "r2"), 6, most_sets=1),
    constrained_problems(objectives=("univariate", "univariate", "mrmr"), most_features=6),
)
SUMS = Instance(quality=[9, 8, 8, 7, 7, 2, 0, -3], n_sets=1, k=3, max_shared=3)


def near_sets(problem, loss):
    """Return all sets of a problem that lose at most a proportion of the best quality."""
    if oracle.best_single_value(problem) is None:
        return []
    least = problem.min_quality if problem.min_quality is not None else oracle.least_value(problem, loss)
    return oracle.pool_of(problem.replace(min_quality=least))


def check_against_all(problem, loss, **options):
    """Compare an atlas with all sets of its problem, and return it."""
    found = explore.atlas(asked(problem), loss, **options)
    sets = near_sets(problem, loss)
    status = Status.OPTIMAL if sets else Status.INFEASIBLE
    assert (found.status, found.low, found.high) == (status, len(sets), len(sets))
    counts = Counter(j for s in sets for j in s)
    assert found.to_frame()["n_sets"].tolist() == [counts[j] for j in range(problem.n_features)]
    if not sets:
        return found
    names = {name: j for j, name in enumerate(problem.feature_names)}
    for pair in found.details["pairs"]:
        members = {names[name] for name in pair["features"]}
        assert pair["n_sets"] == sum(members <= set(s) for s in sets)
    some = [j for j in counts if counts[j] < len(sets)]
    met = sum(comb(len({*s} & {*some}), 2) for s in sets)
    products = sum(counts[i] * counts[j] for i, j in combinations(some, 2))
    for pair in found.details["pairs"]:
        i, j = (names[name] for name in pair["features"])
        assert pair["independent"] == pytest.approx(met * counts[i] * counts[j] / products)
    worth = [to_float(problem, quality_of(problem, s)) for s in sets]
    for quality, number in found.details["curve"]:
        assert number == sum(value >= quality for value in worth)
    everywhere = [name for name, j in names.items() if counts[j] == len(sets)]
    assert found.details["always"] == everywhere
    return found


@given(ANY_PROBLEM, st.sampled_from((0, 0.1, 0.5, 1)))
@settings(max_examples=120)
def test_counts_are_those_of_all_sets(problem, loss):
    check_against_all(problem, loss, solver="brute-force")


@pytest.mark.parametrize("more", [{}, {"groups": [Group([0, 1], at_most=1)]}])
@pytest.mark.parametrize("previous", [[(0, 1, 2)], [(0, 1, 2), (0, 1, 3)]])
def test_the_loss_is_of_the_best_set_which_may_be_one_of_the_previous(previous, more):
    problem = SUMS.replace(max_shared=1, previous=previous, **more)
    for loss in (0, 0.2, 0.5, 1):
        check_against_all(problem, loss)
    assert explore.atlas(asked(problem), 0).status is Status.INFEASIBLE


@pytest.mark.parametrize("estimate", [2.0**62, 4.0])
def test_numbers_of_any_size(estimate, monkeypatch):
    """With 64 bits, and with Python's integers; of equal features all sets are best."""
    monkeypatch.setattr(near_optimal, "LARGEST_ESTIMATE", estimate)
    check_against_all(SUMS.replace(k_min=2), 0.5, solver="brute-force")
    found = explore.atlas(asked(Instance(quality=[5] * 200, n_sets=1, k=50, max_shared=50)), 0.0)
    assert set(found.to_frame()["n_sets"]) == {comb(199, 49)}
    assert (found.details["n_sets"], found.status) == (comb(200, 50), Status.OPTIMAL)


def test_too_many_numbers_are_listed_and_limits_leave_a_lower_bound(monkeypatch):
    monkeypatch.setattr(near_optimal, "MOST_CELLS", 1)
    check_against_all(SUMS, 0.3)
    monkeypatch.setattr("pyfsel.questions.atlas.MOST_LISTED", 5)
    check_against_all(SUMS, 0.3)  # counted, not kept
    # cpsat lists sizes that differ one by one
    mixed = SUMS.replace(k_min=2, groups=[Group([0, 1, 2], at_most=2)])
    found = explore.atlas(asked(mixed), 0.5)
    assert (found.low, found.status) == (5, Status.FEASIBLE)
    assert 5 < len(near_sets(mixed, 0.5)) <= found.high
    assert f"Between 5 and {found.high:,.0f} sets" in str(found)
    assert found.to_frame().isna().all(axis=None)
    assert "pairs" not in found.details
    assert "Proportions of features are not shown" in found.claim
    assert "%" not in str(found).replace("50% of the best quality", "")


def test_a_limit_while_features_are_counted_leaves_a_lower_bound(monkeypatch):
    def too_late(near):
        raise OutOfTimeError

    monkeypatch.setattr(near_optimal.NearOptimalSums, "feature_counts", too_late)
    found = explore.atlas(asked(SUMS), 0.3)
    assert (found.low, found.status) == (1, Status.FEASIBLE)
    assert found.high >= len(near_sets(SUMS, 0.3))


def test_features_that_replace_each_other_are_named():
    """A budget for one of the first two."""
    problem = Instance([9, 9, 7, 6, 6, 6], 1, 3, 3, costs=[5, 5, 1, 1, 1, 1], budget=7)
    found = check_against_all(problem, 0.2)
    (first, *_) = found.details["pairs"]
    assert (first["features"], first["n_sets"]) == (["x0", "x1"], 0)
    assert "Some features replace each other: x0 and x1 are together in 0" in " ".join(str(found).split())


@pytest.mark.parametrize("more", [{"k": 1}, {"k": 2}, {"k": 3, "forced": [0]}, {"k": 3, "k_min": 1}])
def test_features_that_small_sets_keep_apart_do_not_replace_each_other(more):
    everything = Instance(quality=[9] * 6, n_sets=1, max_shared=more["k"], **more)
    found = check_against_all(everything, 1.0)
    assert "replace" not in str(found)
    assert all(pair["n_sets"] == pytest.approx(pair["independent"]) for pair in found.details["pairs"])
