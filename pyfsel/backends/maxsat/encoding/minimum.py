"""Min-aggregation as one formula: the smallest quality as a binary number whose bits are soft clauses."""

from __future__ import annotations

from functools import partial
from itertools import chain

from pyfsel.backends.maxsat.encoding.constraints import add_sets
from pyfsel.backends.maxsat.encoding.terms import Terms, n_true_terms, set_terms
from pyfsel.backends.maxsat.encoding.univariate import add_counts, dual_prices, sum_losses
from pyfsel.model.strengthening import exchange, exchange_pairs, lexicographic, set_order
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality, objective_of
from pyfsel.solvers.sat.counters import Membership, at_most_number, binary_sum
from pyfsel.solvers.sat.formula import Formula


def encode_minimum(
    formula: Formula, problem: Problem, x: Membership, cardinality: str, *, literal: bool
) -> None:
    """Encode ``maximise z subject to z ≤ quality of each set`` (paper 000, Eq. 18 and 19).

    Shifted by their smallest possible amount, the terms of a set are non-negative and are added up by full
    adders. z has as many bits, bit b with a soft clause of weight 2^b, and is compared with every sum. In an
    optimal model z is the smallest sum; in other models it is at most that. So is the largest sum from above
    where it counts, and the sum of all is rewarded term by term.
    """
    add_sets(formula, problem, x, cardinality, literal=literal)
    terms = [set_terms(formula, problem, row, s, literal=literal) for s, row in enumerate(x)]
    shift, shifted = _non_negative(problem, terms, literal=literal)
    sums = [binary_sum(formula, f"sum[{s}]", row) for s, row in enumerate(shifted)]
    z = [formula.variable("z", b) for b in range(len(sums[0]))]
    for s, bits in enumerate(sums):
        formula.add_all(lexicographic(bits[::-1], z[::-1], partial(formula.variable, "least", s)))
    of_sum, of_min, of_max = problem.aggregate_weights
    formula.constant += (of_min - of_max) * shift
    for b, bit in enumerate(z):
        formula.reward(bit, of_min << b)
    if of_max:
        highest = [formula.variable("highest", b) for b in range(len(z))]
        for s, bits in enumerate(sums):
            formula.add_all(lexicographic(highest[::-1], bits[::-1], partial(formula.variable, "most", s)))
        for b, bit in enumerate(highest):
            formula.reward(bit, -of_max << b)
    for literal_of, amount in chain.from_iterable(terms) if of_sum else ():
        formula.reward(literal_of, of_sum * amount)
    if literal or problem.aggregate != "min":
        return
    if not objective_of(problem).is_sum:
        formula.add_all(set_order(x, by_quality(problem), formula.variable))
        return
    for better, worse in exchange_pairs(problem):
        formula.add_all(exchange(x, better, worse, formula.variable))
    counts = add_counts(formula, problem, x)
    formula.losses = sum_losses(problem, counts, dual_prices(problem), factor=problem.n_sets)
    # the smallest of n_sets qualities is at most their mean; rounding down is right, as z is an integer
    at_most_number(formula, z, formula.losses.limit // problem.n_sets - shift)


def _non_negative(problem: Problem, terms: list[Terms], *, literal: bool) -> tuple[int, list[Terms]]:
    """Return a number and terms with amounts of at least 0 that together give the same sum for each set."""
    if literal:
        negative = sum(min(0, amount) for _, amount in terms[0])
        return negative, [[(t if a > 0 else -t, abs(a)) for t, a in row] for row in terms]
    smallest = min(amount for _, amount in terms[0])
    return smallest * n_true_terms(problem), [[(t, a - smallest) for t, a in row] for row in terms]
