"""Overlap that is paid for, and balanced sets: what they are worth, what is refused, and the command line."""

from itertools import combinations

import pytest
from conformance import optimum, total_of
from small_problems import asked

from pyfsel import explore
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Dissimilarity
from pyfsel.problem.values import set_rounding_loss, total
from pyfsel.reductions.restriction import without_prices
from pyfsel.solving.solve import solve

Q = (31, 7, 22, 15, 3, 40, 11, 9)
PRICED = Instance(Q, 3, 3, 3, shared_price=6, scale=2.0)
WEIGHTED = Instance(Q, 3, 3, 1, aggregate="weighted", sum_weight=2, min_weight=3)
DIFFERENCE = WEIGHTED.replace(aggregate="difference")


@pytest.mark.parametrize("problem", [PRICED, WEIGHTED, DIFFERENCE])
def test_results_say_the_objective_in_the_users_numbers(problem):
    assert problem != problem.replace(shared_price=0, aggregate="sum")
    result = solve(problem, "cpsat", "simultaneous")
    assert result.integer_objective == optimum(problem) == total_of(problem, result.sets)
    assert result.objective == result.bound == result.integer_objective / problem.scale


def test_prices_of_one_set_are_lower_qualities():
    one = PRICED.replace(n_sets=1, previous=[(0, 1, 2), (0, 2, 5)])
    plain = without_prices(one)
    assert not plain.side_constraints
    assert all(total(plain, [s]) == total(one, [s]) for s in combinations(range(8), 3))
    assert without_prices(one.replace(min_quality=3)).shared_price == 6


FRACTIONS = PRICED.replace(
    quality=[10 * q for q in Q],
    objective="cfs",
    pairs=[[abs(i - j) * 50 for i in range(8)] for j in range(8)],
    scale=1000.0,
    shared_price=90,
)


@pytest.mark.parametrize(
    ("problem", "backend"),
    [*((PRICED, backend) for backend in ("auto", "cpsat", "enumeration")), (FRACTIONS, "auto")],
)
def test_sequential_search_pays_for_overlap_with_the_sets_before(problem, backend):
    result = solve(problem, backend, "sequential")
    assert len(result.steps) == 3
    before = ()
    for step in result.steps:
        asked = problem.replace(n_sets=1, previous=before)
        assert step.bound == optimum(asked) == total_of(asked, [step.features])
        before = (*before, step.features)
    assert result.integer_bound is None
    assert result.integer_objective == total_of(problem, before)
    assert result.step_bounds == pytest.approx(result.step_objectives, abs=2 * set_rounding_loss(problem))


def test_a_price_is_rounded_to_the_integers_of_the_problem_and_needs_no_threshold():
    problem = make_instance([0.5, 0.3, 0.2], k=2, n_sets=2, dissimilarity=Dissimilarity(price=0.05))
    assert problem.max_shared == 2
    assert problem.shared_price / problem.scale == 0.05
    assert make_instance([0], k=1, n_sets=2, dissimilarity="price=0.5").shared_price
    assert explore.most_dissimilar(asked(PRICED.replace(n_sets=1), "sequential"), 1).low == 1


def test_questions_and_searches_that_know_sums_and_minima_only_say_so():
    for question in (explore.ties, explore.most_dissimilar):
        with pytest.raises(InputError, match="dissimilarity: a price is for solve"):
            question(asked(PRICED, "sum"))
    with pytest.raises(InputError, match="price: is taken from a sum, not from search='min'"):
        asked(PRICED, "min_then_sum")
    with pytest.raises(InputError, match="is of all sets at once"):
        solve(DIFFERENCE, search="sequential")
    with pytest.raises(InputError, match="does not take weighted"):
        solve(WEIGHTED, "packing")
    for backend in ("cpsat", "rc2", "mip:highs", "minizinc:gecode"):
        with pytest.raises(InputError, match="by steps, which know no price"):
            solve(FRACTIONS, backend, "sequential")
