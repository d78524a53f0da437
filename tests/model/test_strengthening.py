"""Rows for all solvers, read with their definitions: on all solutions, and on all families of sets."""

from itertools import combinations, combinations_with_replacement, pairwise, product

import pytest
from hypothesis import given, settings
from small_problems import constrained_problems, problems

from pyfsel.model.build import Style, build
from pyfsel.model.strengthening import (
    Sum,
    counts_are_limited,
    counts_are_ordered,
    counts_in_unary,
    dominance,
    exchange,
    exchange_pairs,
    lexicographic,
    pair_products,
    set_order,
)
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import by_quality, total
from pyfsel.reductions.interchange import dominated_pairs, interchangeable_classes
from pyfsel.results.verify import violations


def name(*parts):
    return parts


def members(problem):
    return [[("member", s, j) for j in range(problem.n_features)] for s in range(problem.n_sets)]


def counts(problem):
    return [[("at_least", j, v + 1) for v in range(problem.n_sets)] for j in range(problem.n_features)]


def rows_of_order(problem):
    return set_order(members(problem), by_quality(problem), name)


def rows_of_exchange(problem):
    for better, worse in exchange_pairs(problem):
        yield from exchange(members(problem), better, worse, name)


def all_rows(problem):
    yield from rows_of_order(problem)
    yield from rows_of_exchange(problem)
    if counts_are_limited(problem):
        yield from counts_in_unary(members(problem), counts(problem))
    if counts_are_ordered(problem):
        yield from dominance(problem, counts(problem))


def meaning(problem, sets):
    """What the variables say about sets; of those that rows add, the value that satisfies most."""
    order = by_quality(problem)
    values = {
        "member": lambda s, j: j in sets[s],
        "at_least": lambda j, v: sum(j in members for members in sets) >= v,
        "equal": lambda s, p: all((j in sets[s]) == (j in sets[s + 1]) for j in order[: p + 1]),
        "only": lambda s, better, worse: better in sets[s] and worse not in sets[s],
    }
    return lambda variable: values[variable[0]](*variable[1:])


def hold(rows, value):
    def holds(row):
        if not isinstance(row, Sum):
            return any(value(variable) == wanted for variable, wanted in row)
        amount = sum(c * value(variable) for c, variable in row.terms)
        return (row.low is None or row.low <= amount) and (row.high is None or amount <= row.high)

    return all(map(holds, rows))


def vector(problem, members):
    return [j in members for j in by_quality(problem)]


def optimal_solutions(problem):
    """Return all solutions of the largest objective; none if there is no solution."""
    alone = problem.replace(n_sets=1)
    everything = (s for size in problem.sizes for s in combinations(range(problem.n_features), size))
    allowed = [s for s in everything if not violations(alone, [s])]
    solutions = [
        sets
        for sets in combinations_with_replacement(allowed, problem.n_sets)
        if not violations(problem, sets)
    ]
    best = max((total(problem, sets) for sets in solutions), default=None)
    return [sets for sets in solutions if total(problem, sets) == best]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(problems(most_features=5) | constrained_problems(most_features=5))
def test_some_optimum_satisfies_all_rows_together(problem):
    solutions = optimal_solutions(problem)
    rows = list(all_rows(problem))
    ordered = (sorted(sets, key=lambda s: vector(problem, s), reverse=True) for sets in solutions)
    assert not solutions or any(hold(rows, meaning(problem, sets)) for sets in ordered)


def respects_pairs(problem, sets):
    return all(
        any(better in s and worse not in s for s in sets)
        for better, worse in dominated_pairs(problem)
        if any(worse in s and better not in s for s in sets)
    )


def respects_counts(problem, sets):
    uses = [sum(j in s for s in sets) for j in range(problem.n_features)]
    return all(
        uses[better] >= uses[worse]
        for members in interchangeable_classes(problem)
        for better, worse in pairwise(members)
    )


def is_ordered(problem, sets):
    return all(vector(problem, first) >= vector(problem, second) for first, second in pairwise(sets))


@pytest.mark.parametrize("n_sets", [1, 2, 3])
def test_rows_say_no_less_than_their_names(n_sets):
    problem = Instance(
        quality=[2, 5, 4, 1], n_sets=n_sets, k=2, max_shared=1, aggregate="min", conflicts=[(2, 3)]
    )
    assert len(dominated_pairs(problem)) == 4
    for sets in product(list(combinations(range(4), 2)), repeat=n_sets):
        value = meaning(problem, sets)
        assert hold(rows_of_order(problem), value) == is_ordered(problem, sets)
        if n_sets > 1:
            assert hold(rows_of_exchange(problem), value) == respects_pairs(problem, sets)
        assert hold(dominance(problem, counts(problem)), value) == respects_counts(problem, sets)


@pytest.mark.parametrize(
    ("sets", "kept"),
    [
        ([(0, 1), (0, 2), (0, 3), (0, 4)], True),
        ([(0, 1), (0, 2), (1, 2), (3, 4)], True),
        ([(0, 1), (0, 1), (0, 2), (0, 3)], False),
    ],
    ids=["four uses", "spread", "seven shared"],
)
def test_pair_counting_bounds_shared_features(sets, kept):
    problem = Instance(quality=[5, 4, 3, 2, 1], n_sets=4, k=2, max_shared=1)
    value = meaning(problem, sets)
    assert hold(counts_in_unary(members(problem), counts(problem)), value)
    m = build(problem, Style(counts=True, capacity=True))
    (row,) = (row for row in m.rows if row.role == "capacity")
    uses = [sum(j in members for members in sets) for j in range(problem.n_features)]
    true = {x for j, chain in enumerate(m.chains) for x in chain[: uses[j]]}
    assert (sum(c for x, c in row.terms.items() if x in true) <= row.high) == kept


def test_lexicographic_order_of_all_vectors():
    def value(variable):
        return variable[1] if isinstance(variable, tuple) else first[: variable + 1] == second[: variable + 1]

    for first, second in product(product((False, True), repeat=3), repeat=2):
        clauses = lexicographic(list(enumerate(first)), list(enumerate(second)), int)
        clauses = [[(v if isinstance(v, int) else (0, v[1]), wanted) for v, wanted in c] for c in clauses]
        assert hold(clauses, value) == (first >= second)


def test_pairs_are_products_in_sets_of_the_size():
    ends = list(combinations(range(4), 2))
    rows = list(pair_products(range(4), dict(zip(ends, ends, strict=True)), 3))
    for inside in combinations(range(4), 3):
        for pairs in product((False, True), repeat=len(ends)):
            true = {*inside, *(end for end, is_true in zip(ends, pairs, strict=True) if is_true)}
            products = {end for end in ends if set(end) <= set(inside)}
            assert hold(rows, lambda v, true=true: v in true) == (true == {*inside, *products})
