"""What the page of answers proves: the reduction, the integer program for the sum, the better guarantee."""

from fractions import Fraction
from itertools import combinations

import joint_optimum
import numpy as np
import pytest
import sum_hardness
from replacement_guarantee import guarantee

from pyfsel.algorithms.heuristics import greedy_depth_search, greedy_replacement
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of, values


def test_a_further_set_says_how_large_an_independent_set_is():
    assert sum_hardness.check_graphs(3, 1) == sum_hardness.check_graphs(3, 2) == 8


def test_the_sum_of_a_fixed_number_of_sets_is_a_small_integer_program():
    assert sum_hardness.check_sums(10) == 10


def test_greedy_replacement_keeps_its_better_guarantee():
    reached = []
    for n, k, n_sets, overlap in ((6, 3, 2, 1), (7, 3, 3, 1), (6, 2, 3, 1), (6, 3, 4, 2), (7, 4, 2, 2)):
        member, allowed = joint_optimum.families(n, k, n_sets, overlap)
        shares = [guarantee(n, k, n_sets, overlap, aggregate) for aggregate in ("sum", "min")]
        assert min(shares) >= overlap / k
        steps = [[1] * t + [0] * (n - t) for t in range(1, n + 1)]
        for quality in (*steps, *np.random.default_rng(0).integers(0, 9, (10, n)) ** 2):
            problem = Instance(quality, n_sets=n_sets, k=k, max_shared=overlap)
            found = values(problem, greedy_replacement(problem))
            minimum, total, _ = joint_optimum.best_values(quality, member, allowed)
            assert sum(found) >= shares[0] * total - 1e-9
            assert min(found) >= shares[1] * minimum - 1e-9
            reached.append(sum(found) / max(total, 1) - shares[0])
    assert min(reached) < 0.01  # some qualities come as close as it says


def test_depth_search_finds_the_lexicographic_code():
    code = []
    for members in combinations(range(8), 4):
        if all(len({*members} & {*other}) <= 2 for other in code):
            code.append(members)
    problem = Instance(range(8, 0, -1), n_sets=20, k=4, max_shared=2)
    assert list(greedy_depth_search(problem)) == code
    assert len(code) == 14


@pytest.mark.parametrize("objective", ["mrmr", "jmi"])
def test_means_over_sets_are_largest_for_the_smallest_size(objective):
    """Every set of three and more features has a part of one feature less that is at least as good."""
    rng = np.random.default_rng(4)
    for low in (-9, 0, 0, -2):
        q, r = rng.integers(low, 9, 6), np.triu(rng.integers(low, 9, (6, 6)), 1)
        best = {}
        for k in range(2, 7):
            problem = Instance(q, 1, k, k, objective=objective, pairs=r + r.T)
            sets = list(combinations(range(6), k))
            worth = values(problem, sets).tolist()
            factor = objective_of(problem).factor(k)
            best |= {s: Fraction(value, factor) for s, value in zip(sets, worth, strict=True)}
        for members in best:
            if len(members) > 2:
                assert max(best[part] for part in combinations(members, len(members) - 1)) >= best[members]
