"""Models, read by their definition: random problems over the whole domain, in every style, after passes."""

from dataclasses import fields, replace
from itertools import combinations
from random import Random

import pytest
from conformance import is_solution, optimum, pool_of, quality_of, total_of
from fuzzing.domain import ANY, whole_domain_problem
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from pyfsel.drivers.cpsat import CpSatProgram, new_solver
from pyfsel.drivers.linear import highs
from pyfsel.drivers.linear.connection import LinearRun
from pyfsel.model import patterns
from pyfsel.model.build import LITERAL, OPEN, Style, build, style_for
from pyfsel.model.dual_values import priced, without_hopeless
from pyfsel.model.passes import better_than, in_bits, in_digits, row_of, with_ends, with_objective
from pyfsel.problem.instance import Instance
from pyfsel.results.control import Control

STYLES = [
    lambda problem: LITERAL,
    lambda problem: OPEN,
    lambda problem: style_for(problem, "cp"),
    lambda problem: style_for(problem, "lp"),
    lambda problem: style_for(problem, "sat"),
    lambda problem: Style(*(True for _ in fields(Style))),
]
PASSES = {
    "none": lambda m: m,
    "ends": with_ends,
    "bits": lambda m: in_bits(with_ends(m)),
    "digits": lambda m: in_digits(replace(with_ends(m), reals=set()), 6, base=4, first=8),
    "objective": lambda m: with_objective(with_ends(m)),
    "rows": lambda m: replace(m, clauses=[], rows=[*m.rows, *map(row_of, m.clauses)]),
}


def seeds(number):
    """Let a test be run with so many seeds."""
    drawn = given(seed=st.integers(0, 2**32))
    return lambda test: settings(max_examples=number, phases=[Phase.explicit, Phase.generate])(drawn(test))


def solved(m):
    """Return the sets of an optimum and the objective, both None if there is none."""
    program, solver = CpSatProgram(m), new_solver(0)
    status = solver.solve(program.model)
    if status == cp_model.INFEASIBLE:
        return None, None
    assert status == cp_model.OPTIMAL
    return m.sets(lambda v: solver.value(program.x[v])), round(solver.objective_value)


def assert_right(problem, m):
    sets, objective = solved(m)
    best = optimum(problem)
    assert objective == best
    if best is not None:
        assert is_solution(problem, sets)
        assert total_of(problem, sets) == best


@seeds(100)
def test_the_optimum_of_a_model_is_that_of_the_problem(seed):
    problem = whole_domain_problem(Random(seed), more=["facility_location"])
    style = STYLES[seed % len(STYLES)]
    m = build(problem, style(problem))
    assert_right(problem, m)
    run = LinearRun(m, Control(), (0, 0))
    highs.solve(run)  # of sums, only memberships are integers
    assert run.claimed == pytest.approx(optimum(problem))


@seeds(60)
def test_a_pass_keeps_the_optimum(seed):
    problem = whole_domain_problem(Random(seed))
    name = list(PASSES)[seed % len(PASSES)]
    assert_right(problem, PASSES[name](build(problem, style_for(problem, "cp"))))


@seeds(40)
def test_a_question_for_more_is_asked_exactly(seed):
    problem = whole_domain_problem(Random(seed))
    m, best = build(problem, style_for(problem, "lp")), optimum(problem)
    if best is not None:
        sets, _ = solved(better_than(m, best - 1))
        assert is_solution(problem, sets)
        assert total_of(problem, sets) == best
    assert solved(better_than(m, best or 0)) == (None, None)


@seeds(40)
@example(seed=2873)  # a row with two limits has a price below 0
def test_prices_change_no_value(seed):
    random = Random(seed)
    problem = whole_domain_problem(random)
    m = in_bits(with_ends(build(problem, style_for(problem, "sat"))))
    found = priced(m, m.weights)
    x = {v: random.randint(0, 1) for v in range(1, m.n + 1)}

    def total(terms):
        return sum(c * x[v] for v, c in terms.items())

    charged = sum(price * total(row.terms) for row, price in found.prices)
    assert all((row.high if price > 0 else row.low) is not None for row, price in found.prices)
    equations = [row for row in m.rows if row.low == row.high]
    if all(total(row.terms) == row.low for row in equations):
        assert total(m.weights) == found.constant + total(found.rewards) + charged


@seeds(60)
def test_pairs_without_hope_are_in_no_set_that_is_good_enough(seed):
    random = Random(seed)
    problem = whole_domain_problem(random, objectives=("mrmr", "jmi", "graph_score"), scales=ANY)
    pairs = combinations(range(problem.n_features), 2)
    problem = problem.replace(conflicts=[pair for pair in pairs if random.random() < 0.1])
    assert_right(problem, build(problem, style_for(problem, "lp")))
    worth = {members: quality_of(problem, members) for members in pool_of(problem)}
    for value in {*worth.values()}:
        good = [members for members, reached in worth.items() if reached >= value]
        assert pool_of(without_hopeless(problem, value)) == good


@seeds(40)
def test_patterns_have_the_same_optimum(seed):
    random = Random(seed)
    k = random.randint(1, 4)
    n = random.randint(k, 9)
    problem = Instance(
        quality=[random.randint(-9, 30) for _ in range(n)],
        n_sets=random.randint(2, 4 if n < 7 else 3),
        k=k,
        max_shared=random.randint(0, k),
    )
    assert patterns.unsupported(problem) is None
    assert_right(problem, patterns.build(problem))


@pytest.mark.parametrize(
    "changes",
    [{"n_sets": 1}, {"aggregate": "min"}, {"conflicts": [(0, 1)]}, {"forced": [0]}, {"k_min": 1}],
)
def test_patterns_refuse_what_they_do_not_state(changes):
    problem = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=1).replace(**changes)
    assert "differ in quality only" in patterns.unsupported(problem)


def test_a_pass_leaves_its_model_as_it_is():
    problem = Instance(quality=[2**40, 8, -7, 3], n_sets=2, k=2, max_shared=1, aggregate="weighted")
    m = build(problem, style_for(problem, "cp"))
    before = repr(m)
    for change in PASSES.values():
        change(m)
    better_than(m, 3)
    assert repr(m) == before
