"""The checker of certificates against brute force: what it accepts is true, and what is true it accepts."""

import random

import pytest
from certificates.small_instances import random_instance, solutions

from pyfsel import check

N_PROBLEMS = 10_000


def replayed(problem, claim):
    """Return whether the checker accepts a claim."""
    try:
        check.verdict(claim, problem, iter([]), check.Work(10**8))
    except check.RefusedError as refusal:
        if "more work" in str(refusal):
            raise
        return False
    return True


@pytest.mark.parametrize("part", range(2))
def test_replay_agrees_with_brute_force(part, monkeypatch):
    rng = random.Random(part)
    verdicts = {True: 0, False: 0}
    for _ in range(N_PROBLEMS // 2):
        monkeypatch.setattr(check, "MOST_BY_THRESHOLDS", rng.choice([0, 5]))
        data = random_instance(rng)
        problem, found = check.Problem.of(data), solutions(data)
        rule = "chain" if data["n_sets"] == 1 else "packing"
        assert replayed(problem, {"claim": "infeasible", "rule": rule}) == (not found), data
        if not found:
            continue
        best, fewer = found[0][0], best_sums(data)
        for value, sets in (found[0], rng.choice(found)):
            claim = {"claim": "optimum", "sets": sets, "value": value, "sums": fewer, "rule": rule}
            accepted = replayed(problem, claim)
            assert accepted == (value == best), (data, claim, best)
            verdicts[accepted] += 1
    assert min(verdicts.values()) > 500


def best_sums(data):
    """Return the largest sums of fewer sets, which packing starts from."""
    by_sum = data["aggregate"] == "sum"
    return [solutions({**data, "n_sets": count})[0][0] for count in range(1, data["n_sets"]) if by_sum]
