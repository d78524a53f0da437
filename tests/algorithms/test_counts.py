"""Sum-aggregation by counts: realisability, cuts, and the search, against enumeration."""

import time
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import with_enough_time
from small_problems import answer_of, is_realised

from pyfsel import Problem, Status, StopReason, solve
from pyfsel.algorithms.counts import clauses, realise
from pyfsel.algorithms.counts.clauses import CountClauses
from pyfsel.algorithms.counts.family import Family
from pyfsel.algorithms.counts.master import Master
from pyfsel.algorithms.counts.realise import Realiser, Verdict
from pyfsel.algorithms.counts.search import CountsSearch
from pyfsel.algorithms.counts.swaps import search_by_swaps
from pyfsel.algorithms.counts.windows import decided_by_windows
from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends import get_backend
from pyfsel.backends.brute_force import BruteForce
from pyfsel.backends.counts import Counts
from pyfsel.results.control import Control, Limits

FAMILIES = [
    Family(3, 3, 1),
    Family(4, 2, 1),
    Family(4, 3, 1),
    Family(3, 4, 2),
    Family(3, 2, 0),
    Family(3, 2, 2),
]
N_FEATURES = 6
PATIENT = 100_000


def never():
    return False


@cache
def realisable(family):
    """Return the sorted counts of all families of sets of at most set_size of 6 features, by enumeration."""
    pool = [set(c) for size in range(family.set_size + 1) for c in combinations(range(N_FEATURES), size)]
    found = set()

    def extend(chosen, first):
        if len(chosen) == family.n_sets:
            counts = [sum(j in s for s in chosen) for j in range(N_FEATURES)]
            found.add(tuple(sorted((c for c in counts if c), reverse=True)))
            return
        for i in range(first, len(pool)):
            if all(len(pool[i] & s) <= family.max_overlap for s in chosen):
                extend([*chosen, pool[i]], i)

    extend([], 0)
    return found


def vectors(family):
    values = range(family.n_sets, -1, -1)
    listed = combinations_with_replacement(values, N_FEATURES)
    return [tuple(c for c in counts if c) for counts in listed]


def complete_vectors(family):
    return [counts for counts in vectors(family) if sum(counts) == family.n_memberships]


def is_above(counts, cut):
    return len(counts) >= len(cut) and all(c >= d for c, d in zip(counts, cut, strict=False))


def is_above_somewhere(counts, cut):
    """Return whether the cut lies below some of the counts, in any order."""
    return any(is_above(order, cut) for order in permutations(counts, len(cut))) if cut else True


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_every_vector_below_a_realisable_one_is_realisable(family):
    possible = realisable(family)
    assert possible < set(vectors(family))
    for counts in possible:
        for position in range(len(counts)):
            lower = [*counts[:position], counts[position] - 1, *counts[position + 1 :]]
            assert tuple(sorted((c for c in lower if c), reverse=True)) in possible


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_clauses_decide_all_vectors_and_their_cores_are_impossible(family):
    possible = realisable(family)
    model = CountClauses(family, N_FEATURES)
    for counts in vectors(family):
        sets, core = model.decide(counts, PATIENT, never)
        if counts in possible:
            assert is_realised(family, sets, counts)
        else:
            assert is_above_somewhere(counts, core)
            assert core not in possible
    model.close()


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_windows_decide_all_complete_vectors(family):
    decided = {True: 0, False: 0}
    for counts in complete_vectors(family):
        sets, refuted = decided_by_windows(counts, family, 60, None, 0)
        assert refuted != (counts in realisable(family))
        assert refuted or is_realised(family, sets, counts)
        decided[refuted] += 1
    assert decided[True] + decided[False] == len(complete_vectors(family)) > 0


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_swaps_find_most_of_what_exists_and_nothing_else(family):
    rng = np.random.default_rng(0)
    found = missed = 0
    for counts in complete_vectors(family):
        sets = search_by_swaps(counts, family, rng, 1, never)
        if counts not in realisable(family):
            assert sets is None
            continue
        found += sets is not None
        missed += sets is None
        assert sets is None or is_realised(family, sets, counts)
    assert missed <= found


@pytest.mark.parametrize("family", FAMILIES, ids=str)
@pytest.mark.parametrize("method", ["clauses", "windows"])
def test_cuts_exclude_impossible_vectors_only(family, method, monkeypatch):
    if method == "windows":
        monkeypatch.setattr(realise, "CONFLICTS_AT_FIRST", 0)
        monkeypatch.setattr(realise, "CONFLICTS", 0)
    realiser = Realiser(family)
    methods = set()
    for counts in complete_vectors(family):
        verdict = realiser.decide(counts)
        methods.add(verdict.method)
        if counts in realisable(family):
            assert is_realised(family, verdict.sets, counts)
            continue
        cut = verdict.impossible
        assert is_above_somewhere(counts, cut)
        excluded = {other for other in vectors(family) if is_above(other, cut)}
        assert excluded
        assert not excluded & realisable(family)
    realiser.close()
    assert methods <= {"pairs", "swaps", method}


@settings(max_examples=60)
@given(data=st.data())
def test_search_agrees_with_brute_force(data):
    problem = data.draw(plain_problems())
    expected = BruteForce().solve(problem, Control())
    answer = answer_of(Counts(), problem)
    assert answer.status == expected.status
    assert answer.bound == expected.bound


@settings(max_examples=30)
@given(data=st.data())
def test_search_without_the_sat_solver_agrees_with_brute_force(data):
    problem = data.draw(plain_problems())
    expected = BruteForce().solve(problem, Control())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(realise, "CONFLICTS_AT_FIRST", 0)
        patch.setattr(realise, "CONFLICTS", 0)
        answer = answer_of(Counts(), problem)
    assert answer.status == expected.status
    assert answer.bound == expected.bound


@st.composite
def plain_problems(draw):
    n = draw(st.integers(2, 8))
    k = draw(st.integers(1, min(n, 4)))
    return Problem(
        quality=draw(st.lists(st.integers(-6, 20), min_size=n, max_size=n)),
        n_sets=draw(st.integers(2, 3 if n > 6 else 4)),
        set_size=k,
        max_overlap=draw(st.integers(0, k)),
    )


def test_undecided_vectors_keep_the_bound_open(monkeypatch):
    """A realiser that never decides: the best undecided value is the bound, and nothing is claimed."""
    monkeypatch.setattr(Realiser, "decide", lambda self, counts, effort=1: Verdict())
    monkeypatch.setattr(Realiser, "search", lambda self, counts, effort=1: None)
    problem = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=3, max_overlap=1)
    optimum = BruteForce().solve(problem, Control()).bound
    hint = ((0, 3, 4), (1, 3, 5), (2, 4, 5))
    run = CountsSearch(problem, Control(Limits.starting_now(1), hint=hint))
    run.run()
    assert not run.finished
    assert run.best == hint
    assert run.bound >= optimum > run.value
    assert run.statistics["undecided"] > 0


def test_undecided_vectors_are_decided_with_more_effort(monkeypatch):
    decide = Realiser.decide
    asked = []

    def weak(self, counts, effort=1):
        asked.append(effort)
        return decide(self, counts, effort) if effort > 2 else Verdict()

    monkeypatch.setattr(Realiser, "decide", weak)
    monkeypatch.setattr(Realiser, "search", lambda self, counts, effort=1: None)
    problem = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=3, max_overlap=1)
    run = CountsSearch(problem, Control())
    run.run()
    assert run.finished
    assert run.value == run.bound == 54
    assert max(asked) > 2


@pytest.mark.parametrize("family", [Family(8, 4, 2), Family(8, 5, 3), Family(6, 4, 3)], ids=str)
def test_steep_qualities_need_cuts(family):
    """CP-SAT has another model."""
    n_cuts = []
    for seed in range(4):
        steep = np.random.default_rng(seed).integers(0, 1000, 20) ** 3 // 10**6
        problem = Problem(
            quality=np.sort(steep)[::-1],
            n_sets=family.n_sets,
            set_size=family.set_size,
            max_overlap=family.max_overlap,
        )
        run = CountsSearch(problem, Control())
        run.run()
        assert run.finished
        assert run.value == run.bound == get_backend("cpsat").solve(problem, Control()).bound
        n_cuts.append(run.n_cuts)
    assert sum(n_cuts) > 0


def test_master_bounds_the_optimum_and_leaves_room_if_asked():
    quality = [9, 8, 7, 3, 2, 1, 0]
    family = Family(3, 3, 1)
    master = Master(quality, family)
    best = master.propose(None, 0)
    assert best.bound == sum(q * c for q, c in zip(quality, best.counts, strict=False)) >= 54
    loose = master.propose(None, 0, spare=1)
    assert family.shared_pairs(loose.counts) <= family.all_overlaps - 1
    assert loose.bound <= best.bound
    master.forbid(best.counts)
    assert master.propose(None, 0).counts != best.counts
    master.keep_between(best.bound + 1, None)
    assert master.propose(None, 0).exhausted


def hard_problem():
    q = np.random.default_rng(4).integers(1, 10**6, 60)
    return Problem(quality=q, n_sets=12, set_size=9, max_overlap=7)


def test_a_master_without_time_claims_nothing():
    problem = hard_problem()
    proposal = Master(sorted(problem.quality.tolist(), reverse=True), Family.of_problem(problem)).propose(
        0, 0
    )
    assert (proposal.counts, proposal.exhausted) == (None, False)


@pytest.mark.parametrize("n_proposals", [0, 1, 2, 5])
def test_a_master_that_runs_out_of_time_proves_nothing(n_proposals, monkeypatch):
    """After some proposals it only times out: what is then claimed may not contradict the true optimum."""
    steep = np.random.default_rng(0).integers(0, 1000, 20) ** 3 // 10**6
    problem = Problem(quality=np.sort(steep)[::-1], n_sets=8, set_size=5, max_overlap=3)
    optimum = get_backend("cpsat").solve(problem, Control()).bound
    propose = Master.propose
    calls = []

    def limited(self, seconds, random_state, spare=0):
        calls.append(spare)
        return propose(self, None if len(calls) <= n_proposals else 0, random_state, spare)

    monkeypatch.setattr(Master, "propose", limited)
    run = CountsSearch(problem, Control(Limits.starting_now(0.5), hint=start_solution(problem)))
    run.run()
    assert not run.finished
    assert run.bound >= optimum
    assert run.value < optimum


def test_a_short_limit_is_kept_and_claims_nothing_false():
    problem = hard_problem()
    begin = time.monotonic()
    answer = Counts().solve(problem, Control(Limits(deadline=begin + 0.5)))
    assert time.monotonic() - begin < 20
    assert answer.stop_reason is StopReason.TIME_LIMIT or answer.status is Status.OPTIMAL


def test_ten_sets_of_sixty_features_are_proved():
    q = np.sort(np.random.default_rng(1).integers(1, 10**6, 60))[::-1]
    problem = Problem(quality=q, n_sets=10, set_size=5, max_overlap=1)
    result = solve(problem, "counts", time_limit=60, search="simultaneous")
    assert result.status is Status.OPTIMAL
    assert result.integer_objective == result.integer_bound
    cpsat = with_enough_time(
        lambda limit: solve(problem, "cpsat", time_limit=limit, fallback=False, search="simultaneous"),
        lambda result: result.integer_bound is not None,
        1.5,
        6,
        24,
    )
    assert cpsat.integer_bound >= result.integer_objective >= cpsat.integer_objective


def test_conflict_budget_is_a_limit(monkeypatch):
    monkeypatch.setattr(clauses, "CONFLICTS_PER_CALL", 1)
    model = CountClauses(Family(10, 5, 1), 12)
    assert model.decide((5,) * 10, 1, never) == (None, None)
    model.close()
