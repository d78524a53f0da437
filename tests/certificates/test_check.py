"""The checker of certificates against brute force: what it accepts is true, and what is true it accepts."""

import random
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from random_instances import random_instance, solutions

from pyfsel import checker
from pyfsel.problem.instance import Instance


def replayed(problem, claim):
    """Return whether the checker accepts a claim."""
    try:
        checker.verdict(claim, problem, iter([]), checker.Work(10**8))
    except checker.RefusedError as refusal:
        if "more work" in str(refusal):
            raise
        return False
    return True


def one_large_set(rng):
    """Return an instance of six or seven features in one set, and its weights of pairs.

    Features that come late in the order, as negative qualities do, can be what a set lacks.
    """
    k = rng.choice([6, 7])
    n, largest = k + rng.randint(1, 3), rng.choice([3, 100])
    rows = [[0] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        rows[i][j] = rows[j][i] = rng.choice([0, 0, rng.randint(-3, 3)])
    quality = [rng.randint(-largest, largest) for _ in range(n)]
    return Instance(quality, 1, k, k, objective="mrmr", pairs=rows, search="simultaneous").to_dict()


@pytest.mark.parametrize(
    ("drawn", "part", "number"),
    [(random_instance, 0, 1000), (random_instance, 1, 1000), (one_large_set, 1, 150)],
)
def test_replay_agrees_with_brute_force(drawn, part, number):
    """No bound misses the best sets; of random instances the next best and any others are refused."""
    rng = random.Random(part)
    verdicts = {True: 0, False: 0}
    for _ in range(number):
        data = drawn(rng)
        problem, found = checker.Instance.of(data), solutions(data)
        rule = "chain" if data["n_sets"] == 1 else "packing"
        assert replayed(problem, {"claim": "infeasible", "rule": rule}) == (not found), data
        if not found:
            continue
        best, fewer = found[0][0], best_sums(data)
        for value, sets in (*found[:3], rng.choice(found)):
            claim = {"claim": "optimum", "sets": sets, "value": value, "sums": fewer, "rule": rule}
            accepted = replayed(problem, claim)
            assert accepted == (value == best), (data, claim, best)
            verdicts[accepted] += 1
    assert min(verdicts.values()) > 0.1 * number


def best_sums(data):
    """Return the largest sums of fewer sets, which packing starts from."""
    by_sum = data["search"] == "sum"
    return [solutions({**data, "n_sets": count})[0][0] for count in range(1, data["n_sets"]) if by_sum]


def test_rows_of_counts_hold_for_a_solution_that_reaches_the_goal():
    """Those of exchanged features do for one of several, the others for each."""
    rng, seen = random.Random(11), 0
    for _ in range(300):
        data = random_instance(rng, rng.choice(["univariate", "univariate", "mrmr"]))
        found = solutions(data)
        for goal in {None, *(value for value, _ in found[:1] + found[-1:])}:
            rows = checker.count_rows(checker.Instance.of(data), goal)
            exchanges = {name for name in rows if name.startswith("exchange")}
            violated = [
                {name for name, row in rows.items() if violates(row, [j for s in sets for j in s])}
                for value, sets in found
                if goal is None or value >= goal
            ]
            assert all(names <= exchanges for names in violated), data
            assert not violated or set() in violated, data
            seen += any(violated)
    assert seen > 50


def violates(row, members):
    terms, shared, least = row
    pairs = sum(c * (c - 1) // 2 for c in Counter(members).values())
    return sum(terms.get(j, 0) for j in members) - shared * pairs < least


def test_the_checker_is_one_short_file_that_imports_nothing_of_the_package():
    text = Path(checker.__file__).read_text("utf-8")
    assert len(text.splitlines()) <= 560
    assert "pyfsel" not in "".join(line for line in text.splitlines() if line.startswith(("import", "from")))
