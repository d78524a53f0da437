"""Column generation with enumeration: single sets, bounds of the relaxation, the search, and its proofs."""

from functools import partial
from itertools import combinations, cycle

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import answer_of, assert_agrees, problems

from pyfsel import Problem
from pyfsel.algorithms.columns import pairwise as pairwise_sets
from pyfsel.algorithms.columns import state
from pyfsel.algorithms.columns.allowed import LOW, Wanted
from pyfsel.algorithms.columns.improve import exchanged
from pyfsel.algorithms.columns.relaxation import count_term, relaxed_prices, use_limits
from pyfsel.algorithms.columns.search import enumerate_sets, is_worth_enumerating
from pyfsel.algorithms.columns.single import single_sets
from pyfsel.algorithms.columns.state import SearchState, allowed_sets
from pyfsel.algorithms.columns.subsets import SubsetPrices, no_subsets, overused
from pyfsel.algorithms.heuristics import start_solution
from pyfsel.algorithms.packing.search import PackingSearch
from pyfsel.backends.brute_force import BruteForce
from pyfsel.backends.choose import choose_backend
from pyfsel.backends.columns import Columns
from pyfsel.backends.turns import columns_cpsat
from pyfsel.backends.turns.columns_cpsat import ColumnsCpSat
from pyfsel.problem.values import total, values
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import Control, Limits, OutOfTimeError, TooManySetsError
from pyfsel.results.verify import violations

SUMS = ("univariate", "fcbf")
ALL = (*SUMS, "mrmr")
numbers = st.lists(st.integers(-30, 30), min_size=9, max_size=9)


def dense(seed, **fields):
    """Return a problem with 24 features of which a third of the pairs conflict."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(24), 2))
    conflicts = [pair for pair, draw in zip(pairs, rng.random(len(pairs)), strict=True) if draw < 0.33]
    fields = {"n_sets": 3, "set_size": 5, "max_overlap": 2} | fields
    return Problem(quality=rng.integers(1, 1000, 24), objective="fcbf", conflicts=conflicts, **fields)


def pairwise(seed, **fields):
    """Return an mRMR problem whose redundancies spoil the best features."""
    rng = np.random.default_rng(seed)
    redundancy = np.triu(rng.integers(0, 600, (14, 14)), 1)
    return Problem(
        quality=rng.integers(1, 1000, 14), redundancy=redundancy + redundancy.T, objective="mrmr", **fields
    )


def some_prices(n, size, drawn):
    """Return prices, from drawn numbers, of some subsets of that size; of none if there are none."""
    subsets = [t for i, t in enumerate(combinations(range(n), size)) if (i * drawn[0] + drawn[1]) % 3]
    members = np.array(subsets, dtype=np.int32).reshape(len(subsets), size)
    price = np.array([abs(drawn[2:][i % 7]) for i in range(len(subsets))], dtype=np.int64)
    return SubsetPrices(n, members, price)


def paid_by(members, prices):
    """Return what a set pays, straight from the definition."""
    subsets = zip(prices.members.tolist(), prices.price.tolist(), strict=True)
    return sum(price for subset, price in subsets if set(subset) <= set(members))


@settings(max_examples=75, deadline=None, derandomize=True)
@given(problems(objectives=ALL, most_features=8))
def test_agrees_with_brute_force(problem):
    assert_agrees(Columns(), problem)
    assert_agrees(ColumnsCpSat(), problem)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems(objectives=ALL, most_features=8))
def test_the_enumeration_agrees_with_brute_force_at_every_overlap(problem):
    expected = BruteForce().solve(problem, Control())
    search = SearchState(problem, Control())
    search.relax()
    enumerate_sets(search)
    assert (search.best is None) == (expected.sets is None)
    assert search.value == expected.bound


@pytest.mark.parametrize("aggregate", ["sum", "min"])
@pytest.mark.parametrize(("n_sets", "max_overlap"), [(3, 2), (3, 3), (4, 2), (3, 1)])
def test_agrees_with_the_packing_model_on_a_dense_conflict_graph(aggregate, n_sets, max_overlap):
    problem = dense(n_sets, aggregate=aggregate, n_sets=n_sets, max_overlap=max_overlap)
    answer = answer_of(Columns(), problem)
    assert answer.bound == oracle.optimum(problem)
    assert answer.status is (Status.INFEASIBLE if answer.bound is None else Status.OPTIMAL)


def test_agrees_with_the_packing_model_beside_previous_sets():
    problem = dense(1)
    first = answer_of(Columns(), problem).sets
    following = problem.replace(previous_sets=first, n_sets=2)
    assert answer_of(Columns(), following).bound == oracle.optimum(following)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(problems(objectives=("mrmr",), most_features=7))
def test_mrmr_sets_that_are_not_listed_agree_with_brute_force(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise_sets, "MOST_TO_LIST", 0)
        assert_agrees(Columns(), problem)


@pytest.mark.parametrize("aggregate", ["sum", "min"])
@pytest.mark.parametrize(("n_sets", "max_overlap"), [(3, 0), (3, 1), (4, 1), (3, 2)])
def test_agrees_with_the_packing_model_on_mrmr(monkeypatch, n_sets, max_overlap, aggregate):
    problem = pairwise(n_sets, n_sets=n_sets, set_size=4, max_overlap=max_overlap, aggregate=aggregate)
    best = oracle.optimum(problem)
    for most_to_list in (0, 10**6):
        monkeypatch.setattr(pairwise_sets, "MOST_TO_LIST", most_to_list)
        answer = answer_of(Columns(), problem)
        assert (answer.status, answer.bound) == (Status.OPTIMAL, best), most_to_list


@pytest.mark.parametrize("most_to_list", [0, 10**6])
def test_mrmr_sets_are_found_by_weight_and_by_value(monkeypatch, most_to_list):
    monkeypatch.setattr(pairwise_sets, "MOST_TO_LIST", most_to_list)
    problem = pairwise(
        1, n_sets=2, set_size=4, max_overlap=1, previous_sets=[(0, 1, 2, 3)], conflicts=[(4, 5)]
    )
    alone = problem.replace(n_sets=1)
    allowed = [s for s in combinations(range(14), 4) if not violations(alone, [s])]
    worth = values(problem, allowed)
    weight = np.random.default_rng(0).integers(-500, 3000, 14)
    sets = allowed_sets(problem, lambda: False)
    rests = worth - np.array([sets.quality[list(s)].sum() for s in allowed])
    weights = rests + np.array([weight[list(s)].sum() for s in allowed])
    assert sets.lowest <= worth.min()
    threshold, least = int(np.quantile(weights, 0.8)), int(np.quantile(worth, 0.5))
    found = sets.heavy(Wanted(weight, threshold, least_value=least), 2000)
    expected = {s for s, w, v in zip(allowed, weights, worth, strict=True) if w >= threshold and v >= least}
    assert {tuple(sorted(s)) for s in found.members.tolist()} == expected
    assert len(found.members) == len(expected)
    assert (found.rests + sets.quality[found.members].sum(axis=1) == values(problem, found.members)).all()
    assert len(sets.heavy(Wanted(weight, threshold, least_value=least), 5).members) == 6
    improving = sets.improving(Wanted(weight, threshold + 1))
    improved = improving.rests + weight[improving.members].sum(axis=1)
    assert improved[-1] == improved.max() == weights.max()
    assert improved.min() > threshold
    assert len(sets.improving(Wanted(weight, int(weights.max()) + 1)).members) == 0
    beside = {
        tuple(sorted(s)) for s in sets.beside([(6, 7, 8, 9)]).heavy(Wanted(weight), 2000).members.tolist()
    }
    assert beside == {s for s in allowed if len({6, 7, 8, 9}.intersection(s)) <= 1}


@pytest.mark.parametrize("max_overlap", [0, 1, 2])
def test_the_relaxation_bounds_mrmr(max_overlap):
    problem = pairwise(7, n_sets=3, set_size=4, max_overlap=max_overlap)
    solution = answer_of(Columns(), problem).sets
    sets = allowed_sets(problem, lambda: False)
    prices = relaxed_prices(sets, 3)
    assert total(problem, solution) <= prices.bound
    for members in solution:
        rest = values(problem, [members])[0] - sets.quality[list(members)].sum()
        paid = 0 if prices.subsets is None else prices.subsets.charges(np.array([members], np.int32))[0]
        assert prices.weight[list(members)].sum() + rest - paid <= prices.heaviest


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems(objectives=(*SUMS, "mrmr"), most_features=7), numbers, st.integers(0, 20))
def test_any_prices_of_subsets_bound_compatible_sets(problem, drawn, price):
    solution = BruteForce().solve(problem.replace(aggregate="sum"), Control()).sets
    n = problem.n_features
    subsets = some_prices(n, problem.max_overlap + 1, drawn)
    if solution is None or not len(subsets.price):
        return
    counts = np.zeros(n, dtype=np.int64)
    sets = allowed_sets(problem, lambda: False)
    weight = np.array(drawn[:n])
    limits = use_limits(sets, problem.n_sets)
    bound = count_term(sets.quality, weight, price, problem.n_sets, problem.max_overlap, counts, limits)
    bound += subsets.total
    for members in solution:
        rest = values(problem, [members])[0] - sets.quality[list(members)].sum()
        bound += rest + weight[list(members)].sum() - paid_by(members, subsets)
    assert values(problem, solution).sum() <= bound


@pytest.mark.parametrize(
    "problem",
    [
        pairwise(5, n_sets=6, set_size=4, max_overlap=1),
        pairwise(5, n_sets=6, set_size=4, max_overlap=2),
        dense(5, n_sets=6, set_size=3, max_overlap=2),
    ],
)
def test_prices_of_subsets_sharpen_the_relaxation(monkeypatch, problem):
    sets = allowed_sets(problem, lambda: False)
    with_subsets = relaxed_prices(sets, 6)
    monkeypatch.setattr(type(sets), "takes_subset_prices", False)
    without = relaxed_prices(sets, 6)
    assert with_subsets.subsets is not None
    assert without.subsets is None
    assert oracle.optimum(problem) <= with_subsets.bound < without.bound


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_disjoint_sets_that_need_all_features_agree_with_the_packing_model(monkeypatch, aggregate):
    for seed in range(4):
        problem = pairwise(seed, n_sets=7, set_size=2, max_overlap=0, aggregate=aggregate)
        best = oracle.optimum(problem)
        for most_to_list in (0, 10**6):
            monkeypatch.setattr(pairwise_sets, "MOST_TO_LIST", most_to_list)
            assert answer_of(Columns(), problem).bound == best, (seed, most_to_list)


def test_exchanges_improve_sets_and_keep_them_compatible():
    problem = pairwise(2, n_sets=4, set_size=3, max_overlap=0)
    sets = allowed_sets(problem, lambda: False)
    poor = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)]
    better = exchanged(problem, sets, relaxed_prices(sets, 4), poor, lambda: False)
    assert not violations(problem, better)
    assert total(problem, poor) < total(problem, better) <= oracle.optimum(problem)


def test_the_relaxation_is_sharp_for_disjoint_mrmr_sets():
    problem = pairwise(3, n_sets=3, set_size=4, max_overlap=0)
    search = SearchState(problem, Control())
    search.relax()
    optimum = oracle.optimum(problem)
    assert optimum <= search.bound <= optimum + 0.05 * abs(optimum)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems(objectives=SUMS, most_features=8), numbers)
def test_single_sets_are_found_by_weight_and_by_quality(problem, drawn):
    alone = problem.replace(n_sets=1)
    weight = np.array(drawn[: problem.n_features])
    prices = some_prices(problem.n_features, problem.max_overlap + 1, drawn)
    prices = prices if len(prices.price) else None

    def weight_of(s):
        return weight[list(s)].sum() - (0 if prices is None else paid_by(s, prices))

    everything = combinations(range(problem.n_features), problem.set_size)
    allowed = [s for s in everything if not violations(alone, [s])]
    sets = single_sets(problem)
    improving = sets.improving(Wanted(weight, subsets=prices)).members
    weights = [weight_of(s) for s in improving.tolist()]
    assert weights[-1:] == ([max(map(weight_of, allowed))] if allowed else [])
    assert (np.diff(weights) > 0).all()
    for least_quality in (LOW, 5):
        found = sets.heavy(Wanted(weight, 3, prices, least_quality), 1000).members
        expected = {
            s for s in allowed if weight_of(s) >= 3 and problem.quality[list(s)].sum() >= least_quality
        }
        assert len(found) == len(expected)
        assert {tuple(sorted(s)) for s in found.tolist()} == expected


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(1, 4), numbers, st.sampled_from([8, 70, 130]))
def test_sets_pay_for_what_they_hold(size, drawn, n):
    few = some_prices(8, size, drawn)
    wide = SubsetPrices(n, few.members + (n - 8), few.price)
    members = np.array(list(combinations(range(n - 8, n), 5)), dtype=np.int32)[:, ::-1].copy()
    assert wide.charges(members).tolist() == [paid_by(s, wide) for s in members.tolist()]
    assert no_subsets(n, size).charges(members).tolist() == [0] * len(members)


def test_subsets_in_more_than_one_set_are_found():
    members = np.array([[3, 1, 2, 0], [4, 2, 1, 3], [5, 6, 7, 8]], dtype=np.int32)
    none = no_subsets(9, 3).members
    assert overused(members, np.array([0.7, 0.4, 1.0]), 3, none).tolist() == [[1, 2, 3]]
    assert len(overused(members, np.array([0.7, 0.4, 1.0]), 3, np.array([[1, 2, 3]], np.int32))) == 0
    assert len(overused(members, np.array([0.6, 0.4, 1.0]), 3, none)) == 0


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems(objectives=SUMS, most_features=8), numbers, st.integers(0, 20))
def test_any_weights_and_price_bound_any_compatible_sets(problem, drawn, price):
    solution = BruteForce().solve(problem, Control()).sets
    if solution is None:
        return
    weight = np.array(drawn[: problem.n_features])
    counts = np.zeros(problem.n_features, dtype=np.int64)
    limits = use_limits(single_sets(problem), problem.n_sets)
    rest = count_term(problem.quality, weight, price, problem.n_sets, problem.max_overlap, counts, limits)
    credit = sum(int(weight[list(s)].sum()) for s in solution)
    assert values(problem, solution).sum() <= credit + rest
    prices = relaxed_prices(single_sets(problem), problem.n_sets)
    assert values(problem, solution).sum() <= prices.bound
    for members in solution:
        paid = 0 if prices.subsets is None else paid_by(members, prices.subsets)
        assert prices.weight[list(members)].sum() - paid <= prices.heaviest


def test_the_relaxation_proves_that_overlaps_are_too_small():
    """Six sets of 8 features among 12 that share at most 3: pairs share 8·8/12 on average."""
    problem = Problem(quality=range(12), n_sets=6, set_size=8, max_overlap=3, objective="fcbf", conflicts=[])
    search = SearchState(problem, Control())
    search.relax()
    assert search.infeasible
    assert answer_of(Columns(), problem).status is Status.INFEASIBLE


def test_the_relaxation_is_tight_where_the_sets_can_be_spread():
    problem = dense(5, n_sets=2, max_overlap=2)
    search = SearchState(problem, Control())
    search.relax()
    assert search.bound <= 1.02 * oracle.optimum(problem)


def test_an_expired_deadline_is_a_time_limit():
    answer = answer_of(Columns(), dense(2), limits=Limits(deadline=0.0))
    assert answer.status is Status.NOT_SOLVED
    assert answer.stop_reason is StopReason.TIME_LIMIT


def test_too_many_sets_are_reported_with_a_bound(monkeypatch):
    monkeypatch.setattr(state, "LARGEST_LIST", 3)
    problem = dense(1, n_sets=5)
    search = SearchState(problem, Control())
    search.relax()
    with pytest.raises(TooManySetsError):
        enumerate_sets(search)
    assert search.bound >= oracle.optimum(problem) >= search.value


@pytest.mark.parametrize(("make", "n_sets", "set_size"), [(dense, 4, 5), (pairwise, 3, 4)])
@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_cpsat_goes_on_if_there_are_too_many_sets(monkeypatch, make, n_sets, set_size, aggregate):
    monkeypatch.setattr(state, "LARGEST_LIST", 3)
    problem = make(7, n_sets=n_sets, set_size=set_size, max_overlap=set_size // 2, aggregate=aggregate)
    answer = answer_of(ColumnsCpSat(), problem)
    assert (answer.status, answer.bound) == (Status.OPTIMAL, oracle.optimum(problem))
    assert answer.statistics["proved_by"] == "cpsat"
    alone = answer_of(Columns(), problem)
    assert alone.stop_reason is StopReason.MEMORY_LIMIT
    assert alone.bound is None or alone.bound >= answer.bound


def run_with_pauses(search, sets=None, bound=None):
    """Pause after every few nodes, and then learn from another search; return how often."""
    pauses = 0
    while True:
        try:
            enumerate_sets(search, pause=partial(next, cycle([False, True])))
        except OutOfTimeError:
            pauses += 1
            search.learn(sets, bound)
        else:
            return pauses


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems(objectives=ALL, most_features=8), st.booleans(), st.integers(0, 3))
def test_what_others_find_between_pauses_changes_no_result(problem, knows_best, slack):
    expected = BruteForce().solve(problem, Control())
    bound = None if expected.bound is None else expected.bound + slack
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "MOST_WORK", 1)
        search = SearchState(problem, Control())
        search.relax()
        run_with_pauses(search, expected.sets if knows_best else None, bound)
    assert search.value == expected.bound


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_a_paused_enumeration_goes_on_where_it_was(monkeypatch, aggregate):
    monkeypatch.setattr(state, "MOST_WORK", 1)
    problem = dense(7, n_sets=4, aggregate=aggregate)
    paused, straight = SearchState(problem, Control()), SearchState(problem, Control())
    for search in (paused, straight):
        search.relax()
    enumerate_sets(straight)
    assert run_with_pauses(paused) > 5
    assert (paused.value, paused.statistics) == (straight.value, straight.statistics)
    assert paused.value == oracle.optimum(problem)


def test_a_hint_is_the_least_that_is_returned():
    problem = dense(4)
    best = answer_of(Columns(), problem)
    assert answer_of(Columns(), problem, hint=best.sets).bound == best.bound


def test_little_overlap_is_left_to_constraints_on_features():
    assert is_worth_enumerating(dense(0, max_overlap=2))
    assert not is_worth_enumerating(dense(0, max_overlap=1))
    assert is_worth_enumerating(dense(0, max_overlap=1, n_sets=1))
    assert is_worth_enumerating(pairwise(0, n_sets=2, set_size=4, max_overlap=0))


@pytest.mark.parametrize(("max_overlap", "name"), [(1, "columns-cpsat"), (2, "ksubgraph")])
def test_auto_takes_it_for_mrmr_with_little_overlap(max_overlap, name):
    problem = pairwise(0, n_sets=3, set_size=5, max_overlap=max_overlap)
    assert choose_backend(problem)[0].name == name


def test_numbers_beyond_64_bit_bounds_are_refused():
    huge = Problem(quality=[2**49] * 8, n_sets=4, set_size=2, max_overlap=1)
    assert "64-bit" in Columns().refusal(huge, "strengthened")


def test_the_best_minimum_of_sets_that_share_little_is_enumerated_packed_then_left_to_cpsat(monkeypatch):
    problem = dense(6, max_overlap=1, aggregate="min")
    answers = [answer_of(ColumnsCpSat(), problem)]
    for seconds in ("COLUMNS_SECONDS", "PACKING_SECONDS"):
        monkeypatch.setattr(columns_cpsat, seconds, -1.0)
        answers.append(answer_of(ColumnsCpSat(), problem))
    assert {answer.status for answer in answers} == {Status.OPTIMAL}
    assert {answer.bound for answer in answers} == {oracle.optimum(problem)}
    assert [answer.statistics["proved_by"] for answer in answers] == ["columns", "packing", "cpsat"]


def test_exchanges_give_cpsat_a_start_for_sums_of_sets_that_share_little():
    problem = dense(12, max_overlap=1)
    search = SearchState(problem, Control())
    search.relax()
    search.exchange_sets()
    assert violations(problem, search.best) == []
    assert total(problem, search.best) == search.value > total(problem, start_solution(problem))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems(objectives=SUMS, most_features=8))
def test_the_best_minimum_agrees_with_brute_force_under_the_sum_of_the_relaxation(problem):
    problem = problem.replace(aggregate="min")
    search = SearchState(problem, Control())
    search.relax()
    if problem.n_sets > 1 and not search.infeasible:
        packing = PackingSearch(problem, Control(), highest_sum=search.highest_sum)
        packing.run()
        assert packing.value == BruteForce().solve(problem, Control()).bound
