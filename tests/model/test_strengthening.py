"""Constraints of strengthened models, read with their definitions: they say no less than their names.

That they keep an optimum is tested in `test_build`, over the whole domain.
"""

from itertools import combinations, pairwise, product
from pathlib import Path

import pytest

from pyfsel import Status
from pyfsel.model.build import Style, build
from pyfsel.model.model import ZeroOneModel
from pyfsel.model.strengthening import (
    count_uses,
    order_counts,
    order_sets,
    tie_pairs,
)
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import by_quality
from pyfsel.reductions.interchange import interchangeable_classes
from pyfsel.solving.solve import solve

INSTANCES = Path(__file__).parents[2] / "instances"


def model_of(problem):
    """Return a model of memberships and counts, without a constraint."""
    m = ZeroOneModel()
    m.member = [[m.new("x", s, j) for j in range(problem.n_features)] for s in range(problem.n_sets)]
    m.chains = [[m.new("u", j, v) for v in range(problem.n_sets)] for j in range(problem.n_features)]
    return m


def meaning(m, problem, sets):
    """Return the variables that are true of sets; of those that are added, the value that satisfies most."""
    order = by_quality(problem)
    true = {row[j] for row, members in zip(m.member, sets, strict=True) for j in members}
    uses = [sum(j in members for members in sets) for j in range(problem.n_features)]
    true |= {x for chain, used in zip(m.chains, uses, strict=True) for x in chain[:used]}
    for x, name in m.names.items():
        kind, s, p = name.split("_")
        first = order[: int(p) + 1]
        if kind == "equal" and all((j in sets[int(s)]) == (j in sets[int(s) + 1]) for j in first):
            true.add(x)
    return true


def hold(m, true):
    sums = [sum(c for x, c in row.terms.items() if x in true) for row in m.rows]
    return all(any((abs(a) in true) == (a > 0) for a in clause) for clause in m.clauses) and all(
        (row.low is None or row.low <= found) and (row.high is None or found <= row.high)
        for row, found in zip(m.rows, sums, strict=True)
    )


def vector(problem, members):
    return [j in members for j in by_quality(problem)]


@pytest.mark.parametrize("n_sets", [1, 2, 3])
def test_order_of_sets_and_of_counts(n_sets):
    problem = Instance(quality=[2, 5, 4, 1], n_sets=n_sets, k=2, max_shared=1, conflicts=[(2, 3)])
    of_sets, of_counts, of_uses = model_of(problem), model_of(problem), model_of(problem)
    count_uses(of_uses, of_uses.chains)
    order_sets(of_sets, problem)
    order_counts(of_counts, problem, of_counts.chains)
    classes = interchangeable_classes(problem)
    assert [1, 0] in classes
    for sets in product(combinations(range(4), 2), repeat=n_sets):
        is_ordered = all(vector(problem, one) >= vector(problem, other) for one, other in pairwise(sets))
        assert hold(of_sets, meaning(of_sets, problem, sets)) == is_ordered
        uses = [sum(j in s for s in sets) for j in range(4)]
        falling = all(uses[one] >= uses[other] for members in classes for one, other in pairwise(members))
        assert hold(of_counts, meaning(of_counts, problem, sets)) == falling
        assert hold(of_uses, meaning(of_uses, problem, sets))


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
    m = build(problem, Style(counts=True))
    (row,) = (row for row in m.rows if row.role == "capacity")
    uses = [sum(j in members for members in sets) for j in range(problem.n_features)]
    true = {x for j, chain in enumerate(m.chains) for x in chain[: uses[j]]}
    assert (sum(c for x, c in row.terms.items() if x in true) <= row.high) == kept


def test_pairs_are_products_in_sets_of_the_size():
    ends = list(combinations(range(4), 2))
    m = ZeroOneModel(n=4)
    variable = {pair: m.new("both", *pair) for pair in ends}
    tie_pairs(m, [1, 2, 3, 4], variable, 3)
    for inside in combinations(range(4), 3):
        products = {variable[end] for end in ends if set(end) <= set(inside)}
        for pairs in product((False, True), repeat=len(ends)):
            chosen = {variable[end] for end, is_true in zip(ends, pairs, strict=True) if is_true}
            assert hold(m, {j + 1 for j in inside} | chosen) == (chosen == products)


@pytest.mark.parametrize("backend", ["cpsat", "mip:highs", "rc2"])
def test_conflicts_of_few_features_are_proved_by_counts(backend):
    problem = Instance.load(INSTANCES / "paper-000" / "letter-fcbf.json")
    # 0.1 to 3 s; never without counts
    result = solve(problem, backend, search="simultaneous", time_limit=240)
    assert (result.status, result.integer_objective) == (Status.OPTIMAL, 15619554)
