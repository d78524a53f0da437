"""Smallest consistent sets: every solver against exhaustive search, and what answers may claim."""

import json
import re
import signal
from contextlib import nullcontext
from dataclasses import replace
from itertools import combinations
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_tables import all_sets, tables
from running import ended, with_enough_time

from pyfsel import InputError, Status
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.papers import consistent_sets
from pyfsel.papers.consistency import branching
from pyfsel.papers.consistency import smallest as module
from pyfsel.papers.consistency.branching import DifferenceSets, as_sets, minimal_differences
from pyfsel.papers.consistency.distinct_rows import consistency_problem
from pyfsel.papers.consistency.smallest import SmallestSet, method_of
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.solving.asking import Asking

XOR = consistency_problem([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]], [0, 1, 1, 0])


@st.composite
def questions(draw):
    X, y = draw(tables())
    rule = draw(
        st.sampled_from([f"{by}:{tau}" for by in ("dice", "jaccard") for tau in (0, 0.25, 0.5, 0.8, 1)])
    )
    problem = consistency_problem(X, y, rate=draw(st.sampled_from([0, 0.1, 0.2, 0.4])), dissimilarity=rule)
    a_set = st.lists(st.integers(0, X.shape[1] - 1), min_size=1, unique=True).map(tuple)
    return problem.after(draw(st.lists(a_set, max_size=2)))


def exhaustive(problem):
    """The size of the smallest set that the independent check accepts, or None."""
    good = (len(s) for s in all_sets(problem.n_features) if not problem.violations(s))
    return next(good, None)


def solved(problem, name="cpsat"):
    """The answer to a search for one set, and the number of hitting sets that were solved."""
    with Asking("cpsat") as asking:
        search = SmallestSet(problem, asking)
        return search.run(method_of(name, problem)), search.n_rounds


def test_more_inconsistent_rows_than_are_allowed_are_named():
    assert replace(XOR, max_inconsistent=2).violations((0,)) == []
    assert replace(XOR, max_inconsistent=1).violations((0,)) == [
        "2 rows are inconsistent, at most 1 are allowed"
    ]


@settings(max_examples=80)
@given(problem=questions())
@example(consistency_problem([[0] * 4, [1, 0, 0, 0]], [0, 1], dissimilarity=0.6).after([(0, 1)]))
def test_searches_agree_with_exhaustive_search(problem):
    """Also with rates, copies, beside earlier sets, and if no part of an alternative is an alternative."""
    size = exhaustive(problem)
    for name in ("auto", "cpsat"):
        claim, _ = solved(problem, name)
        assert claim.status is (Status.INFEASIBLE if size is None else Status.OPTIMAL)
        assert claim.bound == size
        assert [(len(s), problem.violations(s)) for s in claim.sets or ()] == [(size, [])] * (
            size is not None
        )


@pytest.mark.parametrize(
    ("n_features", "rate", "previous", "why_not"),
    [
        (5, 0, (), None),
        (5, 0.3, (), "allows 12 inconsistent rows"),
        (5, 0, ((0,),), "is about an alternative"),
        (70, 0, (), "has 70 different features, branching takes 64 at most"),
    ],
)
def test_what_branching_does_not_take_goes_to_hitting_sets(n_features, rate, previous, why_not):
    problem = consistency_problem(*parity(2, n_features, 40), rate=rate).after(previous)
    assert method_of("auto", problem) == ("branching" if why_not is None else "cpsat")
    with nullcontext() if why_not is None else pytest.raises(InputError, match=why_not):
        method_of("branching", problem)


@settings(max_examples=40)
@given(table=tables(), zeros=st.sampled_from([0, 130]))
def test_minimal_differences_and_what_hits_them(table, zeros):
    """Of one word and of several, of which most columns are constant."""
    X, y = table
    X = np.hstack([np.zeros((len(y), zeros), dtype=int), X])
    pairs = ((i, j) for i, j in combinations(range(len(y)), 2) if y[i] != y[j])
    differing = {tuple(np.flatnonzero(X[i] != X[j]).tolist()) for i, j in pairs}
    minimal = {one for one in differing if not any({*other} < {*one} for other in differing)}
    found = as_sets(minimal_differences(X, y))
    assert sorted(found) == sorted(minimal)
    assert [len(one) for one in found] == sorted(map(len, found))


@pytest.mark.parametrize("limits", [{"MOST_FIRST_CUTS": 3}, {"MOST_WORDS": 0}])
def test_too_many_difference_sets_become_cuts_as_needed(limits, monkeypatch):
    X, y = parity(4, 12, 400)
    problem = consistency_problem(X, y)
    expected, rounds = solved(problem)
    for name, number in limits.items():
        monkeypatch.setattr(module, name, number)
    claim, more = solved(problem)
    assert claim.status is expected.status is Status.OPTIMAL
    assert len(claim.sets[0]) == len(expected.sets[0]) == exhaustive(problem)
    assert more > rounds == 1


@pytest.mark.parametrize("model", ["rows", "hitting_set"])
@settings(max_examples=8)
@given(problem=questions())
def test_models_agree_with_exhaustive_search(tmp_path_factory, model, problem):
    """The model of hitting sets gets all cuts that there can be: the complements of inconsistent sets."""
    inconsistent = [s for s in all_sets(problem.n_features) if not problem.is_consistent(s)]
    cuts = [sorted({*range(problem.n_features)} - {*s}) for s in inconsistent]
    data = tmp_path_factory.mktemp("data") / "data.json"
    given = problem.to_dict()
    if model == "hitting_set":
        for of_rows in ("n_patterns", "n_classes", "patterns", "counts", "max_inconsistent"):
            del given[of_rows]
        given["to_hit"] = [{"set": cut} for cut in cuts]
    data.write_text(json.dumps(given))
    path = models_dir() / "consistency" / f"{model}.mzn"
    out = ended("minizinc", "--solver", "org.gecode.gecode", path, data).stdout
    size = exhaustive(problem)
    if size is None:
        assert "=====UNSATISFIABLE=====" in out
    else:
        assert out.rstrip().endswith("==========")
        assert int(re.findall(r"(\d+) features:", out)[-1]) == size


def parity(n_relevant, n_features, n_rows):
    X = np.random.default_rng(0).integers(0, 2, (n_rows, n_features))
    return X, X[:, :n_relevant].sum(axis=1) % 2


@pytest.mark.parametrize("method", ["auto", "branching", "cpsat"])
def test_parity_needs_exactly_its_relevant_features(method):
    answer = consistent_sets(*parity(4, 12, 2000), method=method)
    assert (answer[0].indices, answer.status, answer.low, answer.high) == ((0, 1, 2, 3), "OPTIMAL", 4, 4)
    assert (answer[0].quality, answer.scope, answer.details["at_least"]) == (1, "joint", [4])
    assert answer.solver == ("branching" if method == "auto" else method)
    assert "Proved: no smaller set is consistent enough." in str(answer)
    assert answer.to_dict()["problem"]["n_patterns"] == len(answer.problem.patterns)


def test_alternatives_contain_no_earlier_set_and_are_dissimilar():
    base = np.random.default_rng(0).integers(0, 2, (200, 3))
    X, y = np.hstack([base, base, 1 - base]), base.sum(axis=1) % 2
    answer = consistent_sets(X, y, n_sets=6, dissimilarity=1)
    assert [len(one) for one in answer] == [3, 3, 3]
    assert len({j for one in answer for j in one.indices}) == 9
    assert (answer.status, answer.scope, answer.low, answer.high) == ("FEWER", "each", None, None)
    assert "no further set" in answer.claim
    half = consistent_sets(X, y, n_sets=4, dissimilarity=0.3)
    assert (half.status, half.scope, half.details["at_least"]) == ("OPTIMAL", "each", [3] * 4)
    assert len({one.indices for one in half}) == 4


@pytest.mark.parametrize(
    ("table", "rate", "status", "claim"),
    [
        (([[0], [0], [1]], [0, 1, 1]), 0, "INFEASIBLE", "all features together leave an .* rate of 0.333333"),
        (([[0], [1], [2]], [0, 1, 1]), 0.4, "OPTIMAL", "no smaller set"),
    ],
)
def test_extreme_rates(table, rate, status, claim):
    answer = consistent_sets(*table, rate=rate)
    assert answer.status == status
    assert re.search(claim, answer.claim)
    assert [one.indices for one in answer] == [()] * (status == "OPTIMAL")


@pytest.mark.parametrize(("method", "n_features", "rate"), [("branching", 60, 0), ("cpsat", 60, 0.001)])
def test_a_time_limit_keeps_a_set_and_a_true_bound(method, n_features, rate):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (600, n_features)), rng.integers(0, 2, 600)

    def run(limit):
        return consistent_sets(X, y, rate=rate, method=method, time_limit=limit)

    answer = with_enough_time(run, len, 1, 4, 16, patience=26)
    assert (answer.status, answer.stop_reason, answer.scope) == ("FEASIBLE", "time_limit", "none")
    assert answer.low is None or answer.low <= answer.high == len(answer[0])
    assert not answer.problem.violations(answer[0].indices)


def test_false_alternatives_are_refused():
    problem = replace(XOR.after([(0, 1)]), shared_weight=2, size_weight=0)
    assert "contains the earlier set" in problem.violations((0, 1, 2))[0]
    assert "too many" in problem.violations((1, 2))[0]


@pytest.mark.parametrize(("lie", "message"), [((0, 1, 2), "below 3 features"), (None, "below 4 features")])
def test_a_lying_search_is_found_out(lie, message, monkeypatch):
    """A hitting set that is not a smallest one, or none, is refuted by the set that is known."""
    monkeypatch.setattr(SmallestSet, "_smallest_hitting_set", lambda search, cuts: lie)
    with pytest.raises(FalseClaimError, match=message):
        consistent_sets(XOR, method="cpsat")


def test_continuous_columns_are_binned():
    """Same groups of rows as the quantiles of pandas; few values stay as they are."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(60, 2)), columns=list("ab")).assign(few=[0.5, 1.5, 2.5] * 20)
    problem = consistency_problem(X, random.integers(0, 2, 60), n_bins=4)
    codes = [*(pd.qcut(X[name], 4, labels=False) for name in "ab"), pd.factorize(X["few"])[0]]
    assert {*map(tuple, problem.patterns.tolist())} == {*map(tuple, np.column_stack(codes).tolist())}


def listed(problem, most=None):
    """All smallest sets without inconsistent rows, by branching."""
    sets = DifferenceSets(problem)
    sizes = (sets.of_size(size, most) for size in range(problem.n_features + 1))
    return next(filter(None, sizes), [])


@settings(max_examples=60)
@given(table=tables(), work=st.sampled_from([1, branching.MOST_WORK]))
def test_branching_lists_all_consistent_sets(table, work):
    """Also with a copy and a constant: the copy takes the place of its feature, the constant is in no set.

    With hardly any work at once the tree pauses after every look.
    """
    X = np.unique(table[0], axis=0)
    if len(X) < 2:
        return
    n, y = X.shape[1], np.arange(len(X)) % 2
    problem = consistency_problem(X, y)
    consistent = [s for s in all_sets(n) if problem.is_consistent(s)]
    expected = [s for s in consistent if len(s) == len(consistent[0])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branching, "MOST_WORK", work)
        assert listed(problem) == expected
        assert {listed(problem, 1)[0], solved(problem, "branching")[0].sets[0]} <= set(expected)
        more = listed(consistency_problem(np.hstack([X, X[:, :1], 0 * X[:, :1]]), y))
        assert {tuple(sorted({0 if j == n else j for j in s})) for s in more} == set(expected)
    assert not any(n + 1 in s for s in more)


FIRST = BackendAnswer(Status.OPTIMAL, ((0, 1),), 2)
KEYS = "pyfsel.papers.subset.criteria.ConsistencyCriterion.keys"


@pytest.mark.parametrize(
    ("method", "place", "reply"),
    [
        ("branching", "pyfsel.papers.consistency.branching.hit", False),
        ("branching", KEYS, [-4]),
        ("cpsat", KEYS, [-4]),
        ("cpsat", "pyfsel.solving.asking.solve", None),
        ("cpsat", "pyfsel.papers.consistency.smallest.SmallestSet.run", FIRST),
    ],
)
def test_ctrl_c_keeps_the_set_that_is_known(method, place, reply, monkeypatch):
    """Nothing more is looked at after it, in the start neither, nor after the first of three sets."""
    look = Mock(side_effect=lambda *given, **options: signal.raise_signal(signal.SIGINT) or reply)
    monkeypatch.setattr(place, look)
    answer = consistent_sets(XOR, n_sets=1 if method == "branching" else 3, method=method)
    assert ([len(one) for one in answer], answer.status) == ([2], Status.FEASIBLE)
    assert (answer.stop_reason, look.call_count) == ("interrupted", 1)


def test_a_crash_keeps_the_set_that_is_known_and_is_an_error_without_one(monkeypatch):
    def died(*given, **options):
        raise SolverError("cpsat: died")

    monkeypatch.setattr("pyfsel.solving.asking.solve", died)
    answer = consistent_sets(XOR, method="cpsat")
    assert (answer.status, answer.stop_reason, len(answer)) == (Status.FEASIBLE, "error", 1)
    with pytest.raises(SolverError, match="died"):
        consistent_sets(XOR.after([(0, 1), (1, 2)]), method="cpsat")
