"""Encodings: their models are counted, and every model's cost is the objective of its sets."""

from collections import Counter
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver
from small_problems import problems

from pyfsel import InputError, Problem, verify
from pyfsel.algorithms.ksubgraph.instance import Instance
from pyfsel.backends.maxsat.encoding import encode, minimum, univariate
from pyfsel.backends.maxsat.encoding.nogoods import hopeless_triples
from pyfsel.problem.values import total
from pyfsel.solvers.sat.counters import (
    CARDINALITIES,
    at_least_amount,
    at_most,
    at_most_number,
    binary_sum,
    exactly,
    unary_sums,
)
from pyfsel.solvers.sat.formula import Formula

tiny = problems(most_features=5, most_sets=3)
tiny_sums = problems(objectives=("univariate", "fcbf"), most_features=5).filter(
    lambda p: p.aggregate == "sum" and p.n_sets > 1
)


def models(clauses, variables):
    """Return one full model per assignment of the given variables."""
    found = []
    with Solver("glucose4", bootstrap_with=clauses) as solver:
        while solver.solve():
            model = solver.get_model()
            found.append(model)
            true = set(model)
            solver.add_clause([-v if v in true else v for v in variables])
    return found


def models_of(encoding):
    return models(encoding.hard, [x for row in encoding.membership for x in row])


def feasible(problem):
    """Return all feasible solutions as tuples of sets, in every order."""
    all_sets = list(combinations(range(problem.n_features), problem.set_size))
    return {sets for sets in product(all_sets, repeat=problem.n_sets) if not verify(problem, sets)}


def quality_order(problem):
    return sorted(range(problem.n_features), key=lambda j: (-problem.quality[j], j))


def is_ordered(problem, sets):
    """Whether each set is lexicographically at least the next one, best features first."""
    vectors = [[j in s for j in quality_order(problem)] for s in sets]
    return all(a >= b for a, b in pairwise(vectors))


def has_sorted_counts(problem, sets):
    """Whether among features that no conflict tells apart better ones are used at least as often."""
    uses = Counter(j for s in sets for j in s)
    conflicting = {j for pair in problem.conflicts for j in pair}
    return all(
        uses[i] >= uses[j]
        for i, j in combinations(quality_order(problem), 2)
        if not {i, j} & conflicting
        and all((i in previous) == (j in previous) for previous in problem.previous_sets)
    )


@settings(max_examples=80, deadline=None, derandomize=True)
@given(problem=tiny)
def test_the_literal_encoding_has_exactly_the_feasible_solutions(problem):
    encoding = encode(problem, "literal")
    found = [encoding.decode(model) for model in models_of(encoding)]
    assert len(set(found)) == len(found)
    assert set(found) == feasible(problem)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(problem=tiny_sums)
def test_the_strengthened_sum_drops_only_what_it_claims_to_drop(problem):
    encoding = encode(problem)
    expected = {s for s in feasible(problem) if is_ordered(problem, s) and has_sorted_counts(problem, s)}
    assert {encoding.decode(model) for model in models_of(encoding)} == expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=problems(objectives=("univariate", "fcbf"), most_sets=1))
def test_the_encoding_of_one_set_has_exactly_the_feasible_sets(problem):
    encoding = encode(problem)
    found = [encoding.decode(model) for model in models_of(encoding)]
    assert len(set(found)) == len(found)
    assert set(found) == feasible(problem)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=problems(objectives=("mrmr",), most_features=5).filter(lambda p: p.aggregate == "sum"))
def test_the_pair_encoding_drops_only_the_other_orders(problem):
    encoding = encode(problem)
    expected = {sets for sets in feasible(problem) if is_ordered(problem, sets)}
    found = {encoding.decode(model) for model in models_of(encoding)}
    if problem.n_sets > 1 or problem.set_size < 3:
        assert found == expected
    else:
        values = {sets: total(problem, sets) for sets in expected}
        best = max(values.values(), default=None)
        assert found <= expected
        assert {sets for sets in expected if values[sets] == best} <= found


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=problems(objectives=("mrmr",), most_features=8, most_sets=1), spare=st.integers(0, 40))
def test_hopeless_triples_are_in_no_set_of_that_value(problem, spare):
    alone = feasible(problem)
    if problem.set_size < 3 or not alone:
        return
    value = max(total(problem, sets) for sets in alone) - spare
    instance = Instance.of_problem(problem)
    hopeless = [
        {i, j, other} for i, j, others in hopeless_triples(instance, value) for other in others.tolist()
    ]
    for sets in alone:
        if total(problem, sets) >= value:
            assert not any(triple <= set(sets[0]) for triple in hopeless)


@pytest.mark.parametrize("formulation", ["literal", "strengthened"])
@settings(max_examples=80, deadline=None, derandomize=True)
@given(problem=tiny)
def test_constant_minus_cost_is_the_objective(formulation, problem):
    encoding = encode(problem, formulation)
    assert all(weight > 0 for _, weight in encoding.soft)
    for model in models_of(encoding):
        claimed = encoding.constant - encoding.cost(model)
        objective = total(problem, encoding.decode(model))
        if problem.aggregate == "sum" or problem.n_sets == 1:
            assert claimed == objective
        else:
            assert claimed <= objective


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=tiny)
def test_strengthening_keeps_the_optimum(problem):
    best = max((total(problem, sets) for sets in feasible(problem)), default=None)
    encoding = encode(problem)
    found = [total(problem, encoding.decode(model)) for model in models_of(encoding)]
    assert max(found, default=None) == best


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=tiny_sums, price=st.integers(-30, 30), pair_price=st.integers(0, 30))
def test_the_cost_identity_holds_for_all_prices(problem, price, pair_price):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(univariate, "dual_prices", lambda problem: (price, pair_price))
        encoding = encode(problem)
    for model in models_of(encoding):
        assert encoding.constant - encoding.cost(model) == total(problem, encoding.decode(model))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problem=tiny, prices=st.none() | st.tuples(st.integers(-30, 30), st.integers(0, 30)))
def test_good_models_have_the_literals_that_are_certain(problem, prices):
    with pytest.MonkeyPatch.context() as patch:
        if prices is not None:
            patch.setattr(univariate, "dual_prices", lambda problem: prices)
            patch.setattr(minimum, "dual_prices", lambda problem: prices)
        encoding = encode(problem)
    found = models_of(encoding)
    objectives = [encoding.constant - encoding.cost(model) for model in found]
    for model, objective in zip(found, objectives, strict=True):
        for known in {objective, min(objectives)}:
            assert set(encoding.losses.certain(known)) <= set(model)


def test_prices_come_from_the_linear_relaxation():
    # one membership more costs the value of the last feature that fits, sharing is free at overlap k
    problem = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=2, set_size=2, max_overlap=2)
    encoding = encode(problem)
    assert univariate.dual_prices(problem)[1] == 0
    assert encoding.constant == 34
    # at overlap 0 the relaxation is exact as well: 9 + 8 + 7 + 3
    assert encode(problem.replace(max_overlap=0)).constant == 27


def test_membership_variables_are_numbered_row_by_row():
    encoding = encode(Problem(quality=[3, 2, 1], n_sets=2, set_size=1, max_overlap=0))
    assert encoding.membership == ((1, 2, 3), (4, 5, 6))
    assert encoding.names[5] == "x[1,1]"
    assert encoding.n_variables >= max(abs(literal) for clause in encoding.hard for literal in clause)


@pytest.mark.parametrize("cardinality", CARDINALITIES)
@pytest.mark.parametrize("n", [1, 4, 6])
def test_cardinality_constraints_by_counting(cardinality, n):
    for bound in range(n + 1):
        for constraint, allowed in ((at_most, range(bound + 1)), (exactly, [bound])):
            if constraint is exactly and bound == 0:
                continue
            formula = Formula()
            x = [formula.variable("x", j) for j in range(n)]
            constraint(formula, x, bound, cardinality)
            counts = [
                sum(literal in model for literal in x) for model in models(formula.hard or [[1, -1]], x)
            ]
            expected = [sum(vector) for vector in product((0, 1), repeat=n) if sum(vector) in allowed]
            assert sorted(counts) == sorted(expected)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    chains=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=3),
    limit=st.integers(1, 12),
)
def test_unary_sums_count_in_both_directions(chains, limit):
    formula = Formula()
    terms = []
    for t, increments in enumerate(chains):
        chain = [formula.variable("chain", t, i) for i in range(len(increments))]
        for weaker, stronger in pairwise(chain):
            formula.add(-stronger, weaker)
        terms.append((chain, increments))
    sums = unary_sums(formula, "sum", terms, limit)
    found = models(formula.hard, [literal for chain, _ in terms for literal in chain])
    expected_models = 1
    for increments in chains:
        expected_models *= len(increments) + 1
    assert len(found) == expected_models
    for model in map(set, found):
        running = 0
        for (chain, increments), literals in zip(terms, sums, strict=True):
            running += sum(step for literal, step in zip(chain, increments, strict=True) if literal in model)
            assert sum(literal in model for literal in literals) == min(running, limit)
            assert [literal in model for literal in literals] == sorted(
                (literal in model for literal in literals), reverse=True
            )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(weights=st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_binary_sums_add_up(weights):
    formula = Formula()
    x = [formula.variable("x", j) for j in range(len(weights))]
    formula.add(x[0], -x[0])
    bits = binary_sum(formula, "sum", list(zip(x, weights, strict=True)))
    found = models(formula.hard, x)
    assert len(found) == 2 ** len(x)
    for model in map(set, found):
        expected = sum(w for literal, w in zip(x, weights, strict=True) if literal in model)
        assert sum(1 << b for b, literal in enumerate(bits) if literal in model) == expected


def test_a_binary_number_is_limited_by_any_constant():
    for number in range(-9, 20):
        formula = Formula()
        bits = [formula.variable("bit", i) for i in range(3)]
        at_most_number(formula, bits, number)
        assert _n_models(formula, bits) == len(range(min(8, number + 1))), number


@pytest.mark.parametrize("amounts", [(1, 2, 3), (-1, -2, -3), (5, 0, -4), (0, 0)])
def test_amounts_are_at_least_any_constant(amounts):
    for amount in range(-40, 41):
        formula = Formula()
        x = [formula.variable("x", i) for i in range(len(amounts))]
        at_least_amount(formula, "sum", list(zip(x, amounts, strict=True)), amount)
        chosen = product((0, 1), repeat=len(amounts))
        enough = [c for c in chosen if sum(a for a, b in zip(amounts, c, strict=True) if b) >= amount]
        assert _n_models(formula, x) == len(enough), amount


def _n_models(formula, variables):
    """Count the assignments of the variables that some model has."""
    with Solver(name="cadical153", bootstrap_with=formula.hard) as solver:
        signs = product((1, -1), repeat=len(variables))
        return sum(solver.solve([s * v for s, v in zip(row, variables, strict=True)]) for row in signs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("best",), "formulation='best': must be one of strengthened, literal"),
        (("literal", "pairwise"), "cardinality='pairwise'"),
    ],
)
def test_unknown_names(arguments, message):
    with pytest.raises(InputError, match=message):
        encode(Problem(quality=[1], n_sets=1, set_size=1, max_overlap=1), *arguments)
