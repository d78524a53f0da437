"""Counting with clauses: cardinality constraints, sums in unary and in binary."""

from itertools import pairwise, product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from pyfsel.drivers.sat.counters import at_most_number, binary_sum, equal_number, unary_sum
from pyfsel.drivers.sat.formula import Formula


def models(formula, variables):
    """Return the true literals of one model per assignment of the given variables that some model has."""
    with Solver("cadical153", bootstrap_with=formula.wcnf.hard) as solver:
        signs = product((1, -1), repeat=len(variables))
        rows = ([s * v for s, v in zip(row, variables, strict=True)] for row in signs)
        return [set(solver.get_model()) for row in rows if solver.solve(row)]


@settings(max_examples=60)
@given(
    chains=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=3),
    limit=st.integers(0, 12),
)
def test_unary_sums_count_in_both_directions(chains, limit):
    formula = Formula()
    terms = []
    for increments in chains:
        chain = [formula.variable() for i in range(len(increments))]
        for weaker, stronger in pairwise(chain):
            formula.add(-stronger, weaker)
        terms.append((chain, increments))
    formula.add(1, -1)
    outs = unary_sum(formula, terms, limit)
    found = models(formula, [literal for chain, _ in terms for literal in chain])
    assert len(found) == prod(len(increments) + 1 for increments in chains)
    for model in found:
        total = 0
        for chain, increments in terms:
            total += sum(step for literal, step in zip(chain, increments, strict=True) if literal in model)
        assert [literal in model for literal in outs] == [v < total for v in range(len(outs))]
        assert len(outs) >= min(total, limit)


@settings(max_examples=60)
@given(weights=st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_binary_sums_add_up(weights):
    formula = Formula()
    x = [formula.variable() for j in range(len(weights))]
    formula.add(x[0], -x[0])
    bits = binary_sum(formula, list(zip(x, weights, strict=True)))
    found = models(formula, x)
    assert len(found) == 2 ** len(x)
    for model in found:
        expected = sum(w for literal, w in zip(x, weights, strict=True) if literal in model)
        assert sum(1 << b for b, literal in enumerate(bits) if literal in model) == expected


def test_a_binary_number_is_limited_by_any_constant():
    for number in range(-9, 20):
        for limit, n_models in (
            (at_most_number, len(range(min(8, number + 1)))),
            (equal_number, 0 <= number < 8),
        ):
            formula = Formula()
            bits = [formula.variable() for i in range(3)]
            limit(formula, bits, number)
            assert len(models(formula, bits)) == n_models, number
