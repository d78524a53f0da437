"""The classic searches as backends of the smallest consistent set: what they may claim."""

from dataclasses import replace
from itertools import chain, combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsel import Status
from pyfsel.cli.app import main
from pyfsel.errors import InputError
from pyfsel.papers.consistency import (
    SmallestSets,
    all_smallest_sets,
    alternative_sets,
    consistency_problem,
    consistency_violations,
    smallest_set,
)
from pyfsel.papers.consistency.branching import BranchingSearch
from pyfsel.papers.consistency.heuristics import SubsetSearchTask
from pyfsel.papers.subset_search.registry import METHODS
from pyfsel.results.answer import Answer, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.solving.sessions import Session


@st.composite
def questions(draw):
    n, m = draw(st.integers(1, 5)), draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, 3, m)
    y[:2] = 0, 1
    problem = consistency_problem(
        rng.integers(0, 3, (m, n)),
        y,
        rate=draw(st.sampled_from([0, 0.1, 0.4])),
        tau=draw(st.sampled_from([0, 0.25, 0.8])),
    )
    a_set = st.lists(st.integers(0, n - 1), min_size=1, unique=True).map(lambda s: tuple(sorted(s)))
    return problem.after(draw(st.lists(a_set, max_size=2)))


def exhaustive(problem):
    """Return what is true, by the check of results on all sets."""
    for size in range(problem.n_features + 1):
        for members in combinations(range(problem.n_features), size):
            if not consistency_violations(problem, members):
                return Answer(Status.OPTIMAL, (members,), -size)
    return Answer(Status.INFEASIBLE)


@settings(max_examples=60)
@given(problem=questions())
def test_claims_against_exhaustive_search(problem):
    exact = exhaustive(problem)
    for name in METHODS:
        reported = []
        answer = SubsetSearchTask(name).solve(problem, Control(report_sets=reported.extend))
        if answer.sets is not None:
            assert not consistency_violations(problem, answer.sets[0])
            assert len(answer.sets[0]) >= len(exact.sets[0])
            assert min(map(len, reported)) == len(answer.sets[0])
        assert all(not consistency_violations(problem, tuple(s)) for s in reported)
        if name == "abb":
            assert answer.status is exact.status
            assert answer.bound == exact.bound
            assert exact.sets is None or len(answer.sets[0]) == len(exact.sets[0])
        else:
            assert answer.status is not Status.OPTIMAL
            if answer.status is Status.INFEASIBLE:
                assert exact.status is Status.INFEASIBLE
            if not problem.previous_sets:
                assert (answer.sets is None) == (exact.sets is None)


def parity_with_copies():
    X = np.random.default_rng(0).integers(0, 2, (80, 3))
    return consistency_problem(np.hstack([X, X]), X.sum(axis=1) % 2, tau=1)


@settings(max_examples=60)
@given(problem=questions())
def test_branching_lists_all_smallest_sets(problem):
    """Against all sets of the table without inconsistent rows."""
    problem = replace(problem, previous_sets=(), max_inconsistent=0)
    n = problem.n_features
    sets = chain.from_iterable(combinations(range(n), size) for size in range(n + 1))
    consistent = [s for s in sets if problem.is_consistent(s)]
    expected = [s for s in consistent if len(s) == len(consistent[0])]
    assert all_smallest_sets(problem) == SmallestSets(tuple(expected), True)
    bounds = []
    answer = BranchingSearch().solve(problem, Control(report_bound=bounds.append))
    if not expected:
        assert answer.status is Status.INFEASIBLE
    else:
        assert (answer.status, answer.bound) == (Status.OPTIMAL, -len(expected[0]))
        assert answer.sets[0] in expected
        assert bounds == [-size for size in range(1, len(bounds) + 1)]
        assert len(bounds) <= len(expected[0])
        assert all_smallest_sets(problem, most=1).sets == (expected[0],)


def test_branching_agrees_where_the_tree_is_large():
    """The minimum of 20 random columns is known from hitting sets; the listing pauses many times."""
    rng = np.random.default_rng(1)
    problem = consistency_problem(rng.integers(0, 2, (200, 20)), rng.integers(0, 2, 200))
    exact = smallest_set(problem, "cpsat")
    result = smallest_set(problem, "branching")
    assert (result.status, result.bound) == (Status.OPTIMAL, len(exact.features))
    listed = all_smallest_sets(problem)
    assert listed.is_complete
    assert exact.features in listed.sets
    assert result.features in listed.sets


def test_copies_are_one_feature_to_branching_and_all_are_listed():
    """70 columns, eight of which differ by more than the names of their values."""
    rng = np.random.default_rng(3)
    different = rng.integers(0, 2, (40, 8))
    y = different[:, :4].sum(axis=1) > 2
    origin = rng.integers(0, 8, 70)
    problem = consistency_problem(different[:, origin] ^ rng.integers(0, 2, 70), y)
    smallest = all_smallest_sets(consistency_problem(different, y)).sets
    copies = [np.flatnonzero(origin == j).tolist() for j in range(8)]
    expected = {tuple(sorted(s)) for chosen in smallest for s in product(*(copies[j] for j in chosen))}
    listed = all_smallest_sets(problem)
    assert listed.is_complete
    assert len(listed.sets) == len(expected) > len(smallest)
    assert set(listed.sets) == expected
    assert set(all_smallest_sets(problem, most=3).sets) < expected


def test_branching_says_what_it_does_not_take():
    wide = consistency_problem(np.eye(70, dtype=int), np.arange(70) % 2)
    noisy = replace(parity_with_copies(), max_inconsistent=1)
    for problem, message in [
        (wide, "has 70 features that are no copies, branching takes 64 at most"),
        (noisy, "allows 1 inconsistent rows, branching none"),
        (parity_with_copies().after([(0,)]), "asks for an alternative"),
    ]:
        with pytest.raises(InputError, match=message):
            smallest_set(problem, "branching")
        with pytest.raises(InputError, match=message):
            all_smallest_sets(problem)
    with pytest.raises(InputError, match="n_alternatives=1: backend='branching'"):
        alternative_sets(parity_with_copies(), 1, "branching")


def test_a_limit_of_branching_leaves_a_bound():
    rng = np.random.default_rng(0)
    problem = consistency_problem(rng.integers(0, 2, (600, 60)), rng.integers(0, 2, 600))
    answer = BranchingSearch().solve(problem, Control(Limits.starting_now(1)))
    assert (answer.status, answer.stop_reason) == (Status.FEASIBLE, StopReason.TIME_LIMIT)
    assert -answer.bound <= len(answer.sets[0])
    assert not consistency_violations(problem, answer.sets[0])


@pytest.mark.parametrize("name", ["abb", "floating-backward", "lvi"])
def test_alternatives(name):
    results = list(alternative_sets(parity_with_copies(), 2, name, time_limit=60))
    assert [len(r.features or ()) for r in results] == [3, 3, 0]
    assert set(results[0].features).isdisjoint(results[1].features)
    if name == "abb":
        statuses = [Status.OPTIMAL, Status.OPTIMAL, Status.INFEASIBLE]
    else:
        statuses = [Status.FEASIBLE, Status.FEASIBLE, Status.NOT_SOLVED]
    assert [r.status for r in results] == statuses


def test_limit_keeps_the_smallest_set_so_far():
    rng = np.random.default_rng(0)
    problem = consistency_problem(rng.integers(0, 2, (300, 40)), rng.integers(0, 2, 300))
    result = smallest_set(problem, "abb", time_limit=1)
    assert (result.status, result.stop_reason, result.bound) == (Status.FEASIBLE, StopReason.TIME_LIMIT, None)
    assert len(result.features) < 41


def test_ctrl_c_keeps_the_set_that_was_reported(monkeypatch):
    def interrupted(session, problem, control):
        control.report_sets([(0, 1, 2, 3)])
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "solve", interrupted)
    results = list(alternative_sets(parity_with_copies(), 3))
    assert [(r.features, r.status, r.stop_reason) for r in results] == [
        ((0, 1, 2, 3), Status.FEASIBLE, StopReason.INTERRUPTED)
    ]


def test_no_consistent_set_is_infeasible_for_all():
    problem = replace(consistency_problem([[0], [0], [1]], [0, 1, 1]), max_inconsistent=0)
    for name in METHODS:
        assert SubsetSearchTask(name).solve(problem, Control(Limits())).status is Status.INFEASIBLE


def test_command_line(tmp_path, capsys):
    path = tmp_path / "xor.csv"
    X = np.random.default_rng(0).integers(0, 2, (30, 4))
    pd.DataFrame(X, columns=list("abcd")).assign(y=X[:, 0] ^ X[:, 1]).to_csv(path, index=False)
    command = ["consistency", str(path), "-t", "y", "-q", "--backend"]
    assert main([*command, "qbb"]) == 0
    assert "FEASIBLE" in capsys.readouterr().out
    assert main([*command, "abb"]) == 0
    assert "OPTIMAL" in capsys.readouterr().out
    assert main([*command, "sfg"]) == 2
    assert "--backend='sfg': must be one of auto" in capsys.readouterr().err


def chunk_of_monks():
    """All 432 rows of a chunk of six features, and paper 001's target."""
    X = np.array(list(product(*(range(1, v + 1) for v in (3, 3, 2, 3, 4, 2)))))
    first = (X[:, 0] == X[:, 1]) | (X[:, 4] == 1)
    third = np.where(X[:, 4] == 3, X[:, 3] == 1, X[:, 1] != 2)
    return X, (((X == 1).sum(axis=1) >= 2) & ~(first & third)).astype(int)


def test_every_feature_of_a_chunk_of_monks_is_needed():
    X, y = chunk_of_monks()
    assert (len(X), y.sum()) == (432, 204)
    problem = consistency_problem(X, y)
    without = [problem.inconsistent_rows([i for i in range(6) if i != j]) for j in range(6)]
    assert without == [74, 104, 56, 36, 60, 56]
    assert all_smallest_sets(problem).sets == (tuple(range(6)),)


@settings(max_examples=30)
@given(problem=questions())
def test_copies_never_hurt_and_constants_are_in_no_smallest_set(problem):
    problem = replace(problem, previous_sets=(), max_inconsistent=0)
    n = problem.n_features
    patterns = np.hstack([problem.patterns, problem.patterns[:, :1], 0 * problem.patterns[:, :1]])
    more = replace(problem, patterns=patterns, feature_names=(*problem.feature_names, "copy", "constant"))
    fewer, found = all_smallest_sets(problem).sets, all_smallest_sets(more).sets
    assert len(found) >= len(fewer)
    assert not any(n + 1 in s for s in found)
    assert {tuple(sorted({0 if j == n else j for j in s})) for s in found} == set(fewer)
