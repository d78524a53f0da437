"""Smallest consistent sets: every method against exhaustive search, and what results may claim."""

import json
import re
import subprocess
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsel import InputError, Status
from pyfsel.cli.app import main
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import FalseClaimError
from pyfsel.papers.consistency import (
    ConsistencyResult,
    alternative_sets,
    consistency_problem,
    consistency_violations,
    inconsistency_rate,
    smallest_set,
)
from pyfsel.papers.consistency import search as consistency_search
from pyfsel.papers.consistency.cuts import disjoint_cuts, minimal_difference_sets
from pyfsel.papers.consistency.hitting import hitting_data, rows_data
from pyfsel.papers.consistency.search import GONE, HittingSetSearch, task_of
from pyfsel.results.answer import StopReason
from pyfsel.results.control import Control

PROOFS = ("auto", "branching", "cpsat")


@st.composite
def tables(draw, most_rows=12, most_features=6):
    n = draw(st.integers(1, most_features))
    m = draw(st.integers(2, most_rows))
    rows = draw(st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=m, max_size=m))
    y = draw(st.lists(st.integers(0, 2), min_size=m, max_size=m).filter(lambda y: len(set(y)) > 1))
    return np.array(rows), np.array(y)


@st.composite
def questions(draw):
    X, y = draw(tables())
    problem = consistency_problem(
        X,
        y,
        rate=draw(st.sampled_from([0, 0.1, 0.2, 0.4])),
        tau=draw(st.sampled_from([0, 0.25, 0.5, 0.8, 1])),
        dissimilarity=draw(st.sampled_from(["dice", "jaccard"])),
    )
    a_set = st.lists(st.integers(0, X.shape[1] - 1), min_size=1, unique=True).map(tuple)
    return problem.after(draw(st.lists(a_set, max_size=2)))


def rows_by_hand(X, y, features):
    """Inconsistent rows by pandas, of the table itself."""
    features = [f"x{j}" for j in features]
    frame = pd.DataFrame(X).add_prefix("x")[features].assign(target=y)
    if not features:
        return len(y) - frame["target"].value_counts().max()
    counts = frame.groupby([*features, "target"]).size()
    return len(y) - counts.groupby(features).max().sum()


def exhaustive(problem):
    """The size of the smallest set that the independent check accepts, or None."""
    for size in range(problem.n_features + 1):
        for members in combinations(range(problem.n_features), size):
            if not consistency_violations(problem, members):
                return size
    return None


def solved(problem, name="cpsat", **options):
    """The claim of a method, without its child process."""
    bounds = []
    answer = task_of(name, problem).solve(problem, Control(report_bound=bounds.append, **options))
    assert bounds == sorted(bounds, reverse=True)
    return answer


@settings(max_examples=30)
@given(table=tables(), data=st.data())
def test_rates_agree(table, data):
    X, y = table
    problem = consistency_problem(X, y)
    features = data.draw(st.lists(st.integers(0, X.shape[1] - 1), unique=True))
    by_hand = rows_by_hand(X, y, features)
    assert problem.inconsistent_rows(features) == by_hand
    assert inconsistency_rate(problem, features) == pytest.approx(by_hand / len(y))


@pytest.mark.parametrize("name", ["auto", "cpsat"])
def test_methods_agree_with_exhaustive_search(name):
    @settings(max_examples=60)
    @given(problem=questions())
    def agrees(problem):
        answer, size = solved(problem, name), exhaustive(problem)
        if size is None:
            assert answer.status is Status.INFEASIBLE
        else:
            assert answer.status is Status.OPTIMAL
            assert len(answer.sets[0]) == size
            assert not consistency_violations(problem, answer.sets[0])

    agrees()


@pytest.mark.parametrize(
    ("rate", "previous", "chosen"), [(0, (), "branching"), (0.3, (), "cpsat"), (0, ((0,),), "cpsat")]
)
def test_auto_branches_where_it_can(rate, previous, chosen):
    X, y = parity(2, 5, 40)
    assert task_of("auto", consistency_problem(X, y, rate=rate).after(previous)).name == chosen


@pytest.mark.parametrize("name", GONE)
def test_backends_that_are_gone_name_what_to_use(name):
    with pytest.raises(InputError, match=f"backend='{name}': no longer solves hitting sets. Use 'auto'"):
        smallest_set(XOR, name)


@settings(max_examples=40)
@given(table=tables())
def test_minimal_difference_sets(table):
    X, y = table
    problem = consistency_problem(X, y)
    if problem.inconsistent_rows(range(X.shape[1])):
        with pytest.raises(InputError, match="equal rows of different classes"):
            minimal_difference_sets(problem)
        return
    differing = {
        frozenset(np.flatnonzero(X[i] != X[j]).tolist())
        for i, j in combinations(range(len(y)), 2)
        if y[i] != y[j]
    }
    minimal = {d for d in differing if not any(other < d for other in differing)}
    found = minimal_difference_sets(problem)
    assert len(found) == len(set(found))
    assert set(found) == minimal


def test_too_many_difference_sets_become_cuts_as_needed(monkeypatch):
    """The sets of the first pairs must be hit all the same, and what they miss is found later."""
    X, y = parity(4, 12, 400)
    problem = consistency_problem(X, y)
    some = minimal_difference_sets(problem, most=3)
    exact = minimal_difference_sets(problem)
    assert len(some) > 3
    assert set(some) != set(exact)
    assert all(any(cut <= larger for cut in exact) for larger in some)
    expected = solved(problem)
    monkeypatch.setattr(consistency_search, "MOST_SETS", 3)
    answer = solved(problem)
    assert answer.status is Status.OPTIMAL
    assert len(answer.sets[0]) == len(expected.sets[0]) == exhaustive(problem)
    assert answer.statistics["rounds"] > 1


def test_difference_sets_of_more_than_64_features():
    X = np.zeros((3, 130), dtype=int)
    X[1, [3, 100]] = 1
    X[2, [3, 100, 129]] = 1
    problem = consistency_problem(X, [0, 1, 1])
    assert minimal_difference_sets(problem) == [frozenset({3, 100})]


@settings(max_examples=40)
@given(problem=questions())
def test_cuts_are_hit_by_every_consistent_set(problem):
    n = problem.n_features
    if not problem.is_consistent(range(n)):
        return
    cuts = list(disjoint_cuts(problem))
    assert sum(map(len, cuts)) == len(set().union(*cuts))
    for chosen in product([False, True], repeat=n):
        features = {j for j in range(n) if chosen[j]}
        if problem.is_consistent(features):
            assert all(features & cut for cut in cuts)


@pytest.mark.parametrize("model", ["rows", "hitting_set"])
@settings(max_examples=8)
@given(problem=questions())
def test_models_agree_with_exhaustive_search(tmp_path_factory, model, problem):
    """The model of hitting sets gets all cuts that there can be: the complements of inconsistent sets."""
    n = problem.n_features
    subsets = [s for size in range(n + 1) for s in combinations(range(n), size)]
    cuts = [frozenset(range(n)) - set(s) for s in subsets if not problem.is_consistent(s)]
    data = tmp_path_factory.mktemp("data") / "data.json"
    data.write_text(json.dumps(rows_data(problem) if model == "rows" else hitting_data(problem, cuts)))
    path = models_dir() / "consistency" / f"{model}.mzn"
    command = ["minizinc", "--solver", "org.gecode.gecode", path, data]
    out = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    size = exhaustive(problem)
    if size is None:
        assert "=====UNSATISFIABLE=====" in out
    else:
        assert out.rstrip().endswith("==========")
        assert int(re.findall(r"(\d+) features:", out)[-1]) == size


def parity(n_relevant, n_features, n_rows, seed=0):
    X = np.random.default_rng(seed).integers(0, 2, (n_rows, n_features))
    return X, X[:, :n_relevant].sum(axis=1) % 2


@pytest.mark.parametrize("name", PROOFS)
def test_parity_needs_exactly_its_relevant_features(name):
    X, y = parity(4, 12, 2000)
    result = smallest_set(consistency_problem(X, y), name)
    assert (result.features, result.status, result.bound) == ((0, 1, 2, 3), Status.OPTIMAL, 4)
    assert result.rate == 0


@pytest.mark.parametrize("name", ["auto", "cpsat"])
def test_noise_within_the_rate(name):
    X, y = parity(3, 10, 1500)
    y[:30] = 1 - y[:30]
    exact = consistency_problem(X, y, rate=0.02)
    result = smallest_set(exact, name)
    assert (result.features, result.bound) == ((0, 1, 2), 3)
    assert 0 < result.rate <= 0.02
    stricter = smallest_set(consistency_problem(X, y, rate=0.019), name)
    assert stricter.features is None or len(stricter.features) > 3


def test_thousands_of_rows_with_too_many_pairs_take_cuts_as_needed(monkeypatch):
    X, y = parity(4, 14, 3000)
    problem = consistency_problem(X, y)
    all_pairs = solved(problem)
    monkeypatch.setattr(consistency_search, "MOST_PAIRS", 0)
    as_needed = solved(problem)
    assert as_needed.sets == all_pairs.sets == ((0, 1, 2, 3),)
    assert as_needed.statistics["rounds"] >= 1


def test_alternatives_contain_no_earlier_set_and_are_dissimilar():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, (200, 3))
    X = np.hstack([base, base, 1 - base])
    y = base.sum(axis=1) % 2
    found = list(alternative_sets(consistency_problem(X, y, tau=1), 5))
    sets = [result.features for result in found if result.features is not None]
    assert [len(s) for s in sets] == [3, 3, 3]
    assert len({j for s in sets for j in s}) == 9
    assert found[-1].status is Status.INFEASIBLE
    assert "dissimilar" in found[-1].message
    half = list(alternative_sets(consistency_problem(X, y, tau=0.3), 3))
    assert all(result.status is Status.OPTIMAL and len(result.features) == 3 for result in half)
    assert len({result.features for result in half}) == 4


def test_infeasible_says_what_rate_is_possible():
    result = smallest_set(consistency_problem([[0], [0], [1]], [0, 1, 1], rate=0))
    assert (result.status, result.features, result.bound) == (Status.INFEASIBLE, None, None)
    assert "0.333333" in result.message


def test_rate_reached_by_no_feature_at_all():
    result = smallest_set(consistency_problem([[0], [1], [2]], [0, 1, 1], rate=0.4))
    assert (result.features, result.bound, result.rate) == ((), 0, pytest.approx(1 / 3))


@pytest.mark.parametrize("name", ["auto", "cpsat"])
def test_time_limit_keeps_a_set_and_a_true_bound(name):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (1500, 60)), rng.integers(0, 2, 1500)
    result = smallest_set(consistency_problem(X, y, rate=0.001), name, time_limit=0.5)
    assert result.status in (Status.FEASIBLE, Status.OPTIMAL, Status.NOT_SOLVED)
    assert result.runtime < 30
    if result.status is Status.FEASIBLE:
        assert result.stop_reason is StopReason.TIME_LIMIT
        assert result.bound is None or result.bound <= len(result.features)


XOR = consistency_problem([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]], [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("features", "status", "bound", "message"),
    [
        ((0,), Status.FEASIBLE, None, "2 rows are inconsistent, at most 0"),
        ((0, 1), Status.OPTIMAL, 1, "OPTIMAL was claimed with 2 features, bound 1"),
        ((0, 1), Status.FEASIBLE, 3, "bound 3"),
        ((0, 1), Status.INFEASIBLE, None, "INFEASIBLE was claimed with the set"),
        (None, Status.OPTIMAL, None, "OPTIMAL was claimed with the set None"),
        ((0, 7), Status.FEASIBLE, None, "different features from 0 to 2"),
        ((0, 0), Status.FEASIBLE, None, "different features"),
    ],
)
def test_false_claims_are_refused(features, status, bound, message):
    with pytest.raises(FalseClaimError, match=message):
        ConsistencyResult(XOR, features, status, bound, "liar", 0.0)


def test_false_alternatives_are_refused():
    problem = replace(XOR.after([(0, 1)]), overlap_factor=2, size_factor=0)
    with pytest.raises(FalseClaimError, match="contains the previous set"):
        ConsistencyResult(problem, (0, 1, 2), Status.FEASIBLE, None, "liar", 0.0)
    with pytest.raises(FalseClaimError, match="too many"):
        ConsistencyResult(problem, (1, 2), Status.FEASIBLE, None, "liar", 0.0)


def test_a_lying_method_is_found_out(monkeypatch):
    """A hitting set that is not a smallest one leads to a claim above the set that is known."""
    monkeypatch.setattr(consistency_search, "smallest_hitting_set", lambda problem, cuts, control: (0, 1, 2))
    monkeypatch.setattr(HittingSetSearch, "is_isolated", lambda search, formulation: False)
    with pytest.raises(FalseClaimError, match="OPTIMAL was claimed with"):
        smallest_set(XOR, "cpsat")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": -0.1}, "rate=-0.1"),
        ({"rate": float("nan")}, "rate=nan"),
        ({"tau": 2}, "tau=2"),
        ({"dissimilarity": "cosine"}, "dissimilarity='cosine'"),
        ({"n_bins": 1}, "n_bins=1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        consistency_problem([[0], [1]], [0, 1], **arguments)


def test_continuous_columns_are_binned():
    """Same groups of rows as the quantiles of pandas; categories and few values stay as they are."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(60, 3))
    X = pd.DataFrame(numbers, columns=list("abc")).assign(text=list("uvwxyz") * 10, few=[0.5, 1.5, 2.5] * 20)
    problem = consistency_problem(X, random.integers(0, 2, 60), n_bins=4)
    by_pandas = [pd.qcut(X[name], 4, labels=False) for name in "abc"]
    codes = np.column_stack([*by_pandas, pd.factorize(X["text"])[0], pd.factorize(X["few"])[0]])
    assert {tuple(row) for row in problem.patterns.tolist()} == {tuple(row) for row in codes.tolist()}


def test_bad_backend_and_time_limit():
    with pytest.raises(InputError, match="backend='magic'"):
        smallest_set(XOR, "magic")
    with pytest.raises(InputError, match="time_limit=0"):
        smallest_set(XOR, time_limit=0)


@pytest.fixture
def table(tmp_path):
    X, y = parity(2, 5, 40)
    path = tmp_path / "parity.csv"
    pd.DataFrame(X, columns=list("abcde")).assign(odd=y).to_csv(path, index=False)
    return str(path)


def test_command_line(table, tmp_path, capsys):
    assert main(["consistency", table, "--target", "odd", "-q"]) == 0
    out = capsys.readouterr().out
    assert "OPTIMAL" in out
    assert "a, b" in out
    command = ["consistency", table, "--target", "odd", "-a", "1", "--tau", "0.2", "-q"]
    assert main([*command, "--format", "json"]) == 0
    sets = json.loads(capsys.readouterr().out)["sets"]
    assert sets[0]["features"] == ["a", "b"]
    assert not {"a", "b"} <= set(sets[1]["features"])
    assert main([*command, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("status,size,bound,rate,features")


def test_command_line_bins(capsys):
    command = ["consistency", "--dataset", "wine", "-q", "--format", "json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["sets"][0]["size"] == 4
    assert main([*command, "--bins", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["sets"][0]["size"] == 2
    assert main([*command, "--bins", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["sets"][0]["size"] == 5
    assert main([*command, "--bins", "2", "--rate", "0"]) == 3


def test_command_line_infeasible(tmp_path, capsys):
    path = tmp_path / "noise.csv"
    pd.DataFrame({"a": [0, 0, 1], "b": [1, 1, 1], "y": [0, 1, 1]}).to_csv(path, index=False)
    assert main(["consistency", str(path), "--target", "y"]) == 0
    assert "inconsistency rate 0.3333 allowed" in capsys.readouterr().err
    assert main(["consistency", str(path), "--target", "y", "-q", "--rate", "0"]) == 3
    assert "rate of 0.333333" in capsys.readouterr().out
