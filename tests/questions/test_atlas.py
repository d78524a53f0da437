"""The atlas of near-optimal sets: counts, shares, pairs and draws are those of all sets."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from conformance import is_solution, quality_of, sizes_of
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import constrained_problems, problems

from pyfsel import Group, InputError, Status
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.values import to_float
from pyfsel.questions.atlas import atlas
from pyfsel.questions.enumeration import METHODS
from pyfsel.questions.enumeration.census import Tally, blocks_of
from pyfsel.results import near_optimal
from pyfsel.results.control import Control, OutOfTimeError

ANY_PROBLEM = st.one_of(
    problems(objectives=("univariate", "univariate", "fcbf", "mrmr", "cfs"), most_features=6, most_sets=1),
    constrained_problems(objectives=("univariate", "univariate", "mrmr"), most_features=6),
)
SUMS = Instance(quality=[9, 8, 8, 7, 7, 2, 0, -3], n_sets=1, set_size=3, max_overlap=3)


def near_sets(problem, least):
    """Return all sets of a problem with at least this value."""
    alone = problem.replace(n_sets=1)
    return [
        s
        for size in sizes_of(alone)
        for s in combinations(range(alone.n_features), size)
        if is_solution(alone, [s]) and quality_of(alone, s) >= least
    ]


def check_against_all(found):
    """Compare an atlas with all sets of its problem, which has the least quality that was asked for."""
    sets = near_sets(found.problem, found.problem.min_quality)
    assert (found.status, found.is_complete, found.n_sets) == (Status.OPTIMAL, True, len(sets))
    counts = Counter(j for s in sets for j in s)
    assert found.feature_counts == tuple(counts[j] for j in range(found.problem.n_features))
    for pair in combinations(range(found.problem.n_features), 2):
        assert found.together(pair) == sum(set(pair) <= set(s) for s in sets)
    ordered = sorted((to_float(found.problem, quality_of(found.problem, s)) for s in sets), reverse=True)
    for quality, number in found.curve:
        assert number == sum(value >= quality for value in ordered)
    assert set(found.draw(30, 1)) <= set(sets)


@given(ANY_PROBLEM, st.sampled_from((0, 0.1, 0.5, 1)))
@settings(max_examples=120)
def test_counts_are_those_of_all_sets(problem, loss):
    found = atlas(problem, loss, backend="brute-force")
    if found.status is Status.INFEASIBLE:
        assert not near_sets(problem, -(10**9))
        assert found.n_sets == 0
    else:
        check_against_all(found)


@pytest.mark.parametrize("estimate", [2.0**62, 4.0])
def test_draws_are_uniform_and_seeded(estimate, monkeypatch):
    """With 64 bits, and with Python's integers."""
    monkeypatch.setattr(near_optimal, "LARGEST_ESTIMATE", estimate)
    found = atlas(SUMS.replace(min_set_size=2), 0.5, backend="brute-force")
    drawn = Counter(found.draw(6000, 3))
    assert found.draw(20, 3) == found.draw(20, 3)
    assert len(drawn) == found.n_sets > 20
    expected = 6000 / found.n_sets
    # mean of χ² is n − 1, its standard deviation √(2n)
    assert (
        sum((n - expected) ** 2 / expected for n in drawn.values())
        < found.n_sets + 5 * (2 * found.n_sets) ** 0.5
    )


def test_families_of_near_optimal_sets_are_drawn_uniformly():
    found = atlas(SUMS.replace(min_set_size=2, max_overlap=1), 0.3, backend="brute-force")
    sets = near_sets(found.problem, found.problem.min_quality)
    beside = found.problem.replace(n_sets=3)
    families = {family for family in combinations(sorted(sets), 3) if is_solution(beside, family)}
    assert len(families) > 30
    drawn = found.draw_families(50 * len(families), 2, random_state=3)
    counts = Counter(drawn.families)
    assert (len(drawn.families), set(counts)) == (50 * len(families), families)
    chi_square = sum((n - 50) ** 2 / 50 for n in counts.values())
    assert chi_square < len(families) + 5 * (2 * len(families)) ** 0.5
    assert "had dissimilar sets" in drawn.method
    with pytest.raises(InputError, match="equal sets"):
        atlas(SUMS, 0.4, backend="brute-force").draw_families(1)


def test_many_sets_are_counted_exactly():
    """Of equal features all sets are best: binomials beyond 64 bits."""
    found = atlas(Instance(quality=[5] * 200, n_sets=1, set_size=50, max_overlap=50), 0.0)
    assert found.n_sets == comb(200, 50)
    assert set(found.feature_counts) == {comb(199, 49)}
    assert found.together([0, 1, 2]) == comb(197, 47)


def test_too_many_numbers_are_listed_and_limits_leave_a_lower_bound(monkeypatch):
    monkeypatch.setattr(near_optimal, "MOST_CELLS", 1)
    check_against_all(atlas(SUMS, 0.3))
    monkeypatch.setattr("pyfsel.questions.atlas.MOST_LISTED", 5)
    check_against_all(atlas(SUMS, 0.3))  # met again for pairs and draws
    # cpsat lists sizes that differ one by one
    mixed = SUMS.replace(min_set_size=2, groups=[Group([0, 1, 2], at_most=2)])
    found = atlas(mixed, 0.5)
    assert (found.n_sets, found.status, found.is_complete) == (5, Status.FEASIBLE, False)
    assert 5 < len(near_sets(found.problem, found.problem.min_quality)) <= found.most_sets
    assert "5 sets or more, at most " in str(found)
    for ask in (lambda: found.draw(1), lambda: found.together([0]), found.plot):
        with pytest.raises(InputError, match="needs all sets, but only 5 were counted"):
            ask()
    assert (found.feature_shares, found.always, found.never, found.pairs, found.curve) == (
        (),
        None,
        None,
        [],
        (),
    )
    assert found.to_dict()["feature_shares"] is None
    assert "Proportions of features are not shown" in found.to_dict()["claim"]
    assert "%" not in str(found).partition("set  ")[0]


def test_a_limit_while_features_are_counted_leaves_a_lower_bound(monkeypatch):
    def too_late(near):
        raise OutOfTimeError

    monkeypatch.setattr(near_optimal.NearOptimalSums, "feature_counts", too_late)
    found = atlas(SUMS, 0.3)
    assert (found.n_sets, found.status, found.is_complete) == (1, Status.FEASIBLE, False)
    assert "1 set or more" in str(found)


def test_features_that_replace_each_other_are_named():
    """A budget for one of the first two."""
    problem = Instance(
        quality=[9, 9, 7, 6, 6, 6], n_sets=1, set_size=3, max_overlap=3, costs=[5, 5, 1, 1, 1, 1], budget=7
    )
    found = atlas(problem, 0.2)
    (first, *_) = found.pairs
    assert (first["features"], first["n_sets"]) == (["x0", "x1"], 0)
    assert "x0 and x1 in 0" in str(found)


@given(
    problems(objectives=("mrmr", "jmi", "cfs", "graph_score"), most_features=7, most_sets=1),
    st.sampled_from((0, 0.5, 0.9)),
)
@settings(max_examples=80)
def test_sets_are_counted_along_chains(problem, share):
    if METHODS["ksubgraph"].refusal(problem):
        return
    worth = sorted(quality_of(problem, s) for s in near_sets(problem, -(10**18)))
    least = worth[int(share * (len(worth) - 1))] if worth else 0
    tally = Tally(problem.n_features, 0, (least,))
    blocks_of("ksubgraph", 0)(problem, least, Control(), tally.see)
    tally.add_up()
    sets = near_sets(problem, least)
    assert tally.n_sets == tally.reached[0] == len(sets)
    pairs = Counter((i, j) for s in sets for i in s for j in s if i <= j)
    assert {(i, j): n for (i, j), n in np.ndenumerate(tally.joint) if n} == pairs


@pytest.mark.parametrize("most_listed", [10**5, 0])
def test_best_subsets_have_an_atlas(most_listed, monkeypatch):
    monkeypatch.setattr("pyfsel.questions.atlas.MOST_LISTED", most_listed)
    table = np.random.default_rng(0).normal(size=(40, 9))
    r = np.corrcoef(table @ np.random.default_rng(1).normal(size=(9, 9)), rowvar=False)
    found = atlas(make_instance(r[-1, :-1], r[:-1, :-1], objective="r2", k=3), 0.3)
    check_against_all(found)
    assert found.together(found.draw(1, 5)[0]) == 1
