"""The checker of certificates against brute force: what it accepts is true, and what is true it accepts."""

import random

import pytest
from certificates.small_instances import random_instance, solutions

from pyfsel import check

N_PROBLEMS = 10_000


def replayed(problem, claim, lines=()):
    """Return whether the checker accepts a claim."""
    try:
        check.verdict(claim, problem, iter(lines), check.Work(10**8))
    except check.Refused as refusal:
        if "more work" in str(refusal):
            raise
        return False
    return True


def rules_of(data, rng):
    """Return claims by every replay rule that takes such an instance, without sets and value."""
    n = data["n_features"]
    if data["n_sets"] > 1:
        return [({"rule": "packing"}, ())]
    moves = [[rng.randint(-9, 9) for _ in range(i)] for i in range(1, n)]
    split = [({"rule": "split", "unit": rng.randint(1, 9)}, moves)]
    has_pairs = data["objective"] not in ("univariate", "fcbf") and data["set_size"] > 1
    return [({"rule": "chain"}, ()), ({"rule": "packing"}, ()), *(split if has_pairs else [])]


@pytest.mark.parametrize("part", range(4))
def test_replay_agrees_with_brute_force(part, monkeypatch):
    rng = random.Random(part)
    verdicts = {True: 0, False: 0}
    for _ in range(N_PROBLEMS // 4):
        monkeypatch.setattr(check, "MOST_BY_THRESHOLDS", rng.choice([0, 5]))
        data = random_instance(rng)
        problem, found = check.Problem.of(data), solutions(data)
        for named, lines in rules_of(data, rng):
            if not found:
                claim = {"claim": "infeasible", **named}
                assert replayed(problem, claim, lines) == (named["rule"] != "split"), data
                continue
            best, fewer = found[0][0], best_sums(data)
            for value, sets in (found[0], rng.choice(found)):
                claim = {"claim": "optimum", "sets": sets, "value": value, "sums": fewer, **named}
                accepted = replayed(problem, claim, lines)
                assert accepted == (value == best), (data, claim, best)
                verdicts[accepted] += 1
            assert not replayed(problem, {"claim": "infeasible", **named}, lines), data
    assert min(verdicts.values()) > 500


def best_sums(data):
    """Return the largest sums of fewer sets, which packing starts from."""
    by_sum = data["aggregate"] == "sum"
    return [solutions({**data, "n_sets": count})[0][0] for count in range(1, data["n_sets"]) if by_sum]
