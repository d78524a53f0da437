"""The constraints of alternative feature selection as clauses (paper 000, Section 3)."""

from __future__ import annotations

from itertools import combinations, product

from pyfsel.problem.problem import Problem
from pyfsel.problem.rows import side_rows
from pyfsel.problem.values import overlap_price
from pyfsel.solvers.sat.counters import (
    Membership,
    at_least_amount,
    at_most,
    exactly,
    unary_sums,
)
from pyfsel.solvers.sat.formula import Formula


def membership(formula: Formula, problem: Problem) -> Membership:
    """Return the variables ``x[s,j]``: feature j is in set s. They are numbered 1 + s·n_features + j."""
    return [[formula.variable("x", s, j) for j in range(problem.n_features)] for s in range(problem.n_sets)]


def add_sets(
    formula: Formula, problem: Problem, x: Membership, cardinality: str, *, literal: bool = False
) -> None:
    """Add sizes, overlaps between new sets and with previous ones, conflicts and side constraints.

    Where overlap has a price, each shared feature is charged.

    Parameters
    ----------
    literal : bool
        Whether the products are defined by all three inequalities of paper 000, Eq. 6; otherwise only by the
        one that an upper bound on the overlap needs.
    """
    for row in x:
        _add_size(formula, problem, row, cardinality)
        for previous in problem.previous_sets:
            at_most(formula, [row[j] for j in previous], problem.max_overlap, cardinality)
        add_conflicts(formula, problem, row)
        add_side_constraints(formula, problem, row, cardinality)
    price = overlap_price(problem)
    if problem.max_overlap < problem.set_size or price:
        for s, other in combinations(range(problem.n_sets), 2):
            for both in _add_overlap(formula, problem, x, (s, other), cardinality, literal):
                formula.reward(both, -price)
    for row, previous in product(x, problem.previous_sets if price else ()):
        for j in previous:
            formula.reward(row[j], -price)


def _add_size(formula: Formula, problem: Problem, row: list[int], cardinality: str) -> None:
    if not problem.has_size_range:
        exactly(formula, row, problem.set_size, cardinality)
    elif problem.sizes[0] == 1:
        formula.add(*row)
        at_most(formula, row, problem.set_size, cardinality)
    else:
        at_most(formula, row, problem.set_size, cardinality)
        # at least so many true is at most the others false
        at_most(formula, [-x for x in row], len(row) - problem.sizes[0], cardinality)


def add_conflicts(formula: Formula, problem: Problem, row: list[int]) -> None:
    """Let one set hold no two conflicting features."""
    for i, j in problem.conflicts:
        formula.add(-row[i], -row[j])


def add_side_constraints(formula: Formula, problem: Problem, row: list[int], cardinality: str) -> None:
    """Let one set satisfy what is asked of features, groups and costs; the least quality is not among it."""
    for side in side_rows(problem):
        literals = [row[j] for j in side.features]
        if set(side.coefficients) == {1}:
            size = len(literals)
            if side.high is not None:
                at_most(formula, literals, side.high, cardinality)
            if side.low is not None:
                at_most(formula, [-x for x in literals], size - side.low, cardinality)
        elif side.name == "budget":
            assert side.high is not None
            # costs of at most the budget are negative costs of at least its negative
            terms = [(x, -c) for x, c in zip(literals, side.coefficients, strict=True)]
            at_least_amount(formula, f"left[{row[0]}]", terms, -side.high)
        else:  # x_i = x_j, of a group that is taken as a whole or not at all
            one, other = literals
            formula.add(-one, other)
            formula.add(one, -other)


def _add_overlap(
    formula: Formula, problem: Problem, x: Membership, pair: tuple[int, int], cardinality: str, literal: bool
) -> list[int]:
    """Bound the overlap of two sets, and return the variables of what they share, if there are any."""
    rows = list(zip(x[pair[0]], x[pair[1]], strict=True))
    if problem.max_overlap == 0 and not literal:
        for first, second in rows:
            formula.add(-first, -second)
        return []
    products = []
    for j, (first, second) in enumerate(rows):
        t = formula.variable("t", *pair, j)
        formula.add(t, -first, -second)
        if literal:
            formula.add(-t, first)
            formula.add(-t, second)
        products.append(t)
    at_most(formula, products, problem.max_overlap, cardinality)
    return products


def feature_counts(formula: Formula, x: Membership) -> list[list[int]]:
    """Return ``u`` with ``u[j][v − 1]`` true if and only if at least v sets contain feature j."""
    return [
        unary_sums(formula, f"count[{j}]", [([row[j]], [1]) for row in x], len(x))[-1]
        for j in range(len(x[0]))
    ]
