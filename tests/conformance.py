"""Canonical cases and a brute-force oracle of its own, for tests over all registered backends.

The oracle shares no code with the package: it enumerates sets and evaluates constraints and objectives from
their definitions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from pyfsel import Group
from pyfsel.problem.instance import Instance

REQUIRED = (
    "asdp",
    "best-subsets",
    "brute-force",
    "cpsat",
    "greedy-balancing",
    "greedy-replacement",
    "minizinc:gecode",
    "mip:cbc",
    "mip:highs",
    "mip:scip",
    "packing",
    "packing-cpsat",
    "rc2",
    "sdp-1",
)
EXAMPLE_2 = (9, 8, 7, 3, 2, 1)
EXAMPLE_6 = (11, 10, 6, 5, 4, 1)


@dataclass(frozen=True)
class Case:
    """A problem under a name that a failing test shows."""

    name: str
    problem: Instance

    @property
    def optimum(self) -> int | None:
        """The best integer objective, None if infeasible."""
        return _optimum_of(self.name)

    def __str__(self) -> str:
        return self.name


def quality_of(problem: Instance, members: tuple[int, ...]) -> int:
    """Return the integer value of one set, from the definition of the objective."""
    q, k = [int(v) for v in problem.quality], len(members)
    relevance = sum(q[j] for j in members)
    if problem.objective in ("univariate", "fcbf"):
        return relevance
    if problem.objective in ("graph_score", "mifs", "cife"):
        return relevance - sum(int(problem.redundancy[i, j]) for i, j in combinations(members, 2))
    if problem.objective == "cfs":
        return _cfs_value(problem, relevance, members)
    if problem.objective == "facility_location":
        alike = [[q[i] if i == j else int(problem.redundancy[i, j]) for j in members] for i in range(len(q))]
        return sum(map(max, alike))
    if problem.objective == "r2":
        return _explained(problem, members)
    if problem.objective == "jmi":
        joint = (q[i] + q[j] - int(problem.redundancy[i, j]) for i, j in combinations(members, 2))
        return relevance if k == 1 else sum(joint)
    assert problem.objective == "mrmr"
    redundancy = sum(int(problem.redundancy[i, j]) for i in members for j in members if i != j)
    return relevance if k == 1 else (k - 1) * relevance - redundancy


def _cfs_value(problem: Instance, relevance: int, members: tuple[int, ...]) -> int:
    """Return the largest integer that is at most scale × Eq. 20: both sides squared and multiplied out."""
    scale = int(problem.scale)
    pairs = sum(int(problem.redundancy[i, j]) for i in members for j in members if i != j)
    correlation = scale * len(members) + pairs
    square = scale * relevance * relevance
    return bisect_right(range(relevance + 1), square, key=lambda v: v * v * correlation) - 1


def _explained(problem: Instance, members: tuple[int, ...]) -> int:
    """Return scale × R² in steps of 10⁻⁸, by elimination in fractions; 0 where coefficients are unbounded."""
    scale, target = int(problem.scale), [Fraction(int(problem.quality[j])) for j in members]
    gram = [[Fraction(scale if i == j else int(problem.redundancy[i, j])) for j in members] for i in members]
    coefficients = list(target)
    for i in range(len(members)):
        if gram[i][i] <= 0:  # not positive definite
            return 0
        for row in (r for r in range(len(members)) if r != i):
            times = gram[row][i] / gram[i][i]
            gram[row] = [a - times * b for a, b in zip(gram[row], gram[i], strict=True)]
            coefficients[row] -= times * coefficients[i]
    coefficients = [c / gram[i][i] for i, c in enumerate(coefficients)]
    if sum(map(abs, coefficients)) > 1000:
        return 0
    step = max(1, scale // 10**8)
    return int(sum(c * x for c, x in zip(target, coefficients, strict=True)) // step) * step


def sizes_of(problem: Instance) -> range:
    """Return the sizes that a set may have."""
    smallest = problem.k if problem.k_min is None else problem.k_min
    return range(smallest, problem.k + 1)


def is_solution(problem: Instance, sets) -> bool:
    """Return whether the sets satisfy every constraint."""
    whole = [set(s) for s in sets]
    previous = [set(s) for s in problem.previous]
    return (
        len(sets) == problem.n_sets
        and all(len(s) == len(set(s)) and len(s) in sizes_of(problem) for s in sets)
        and all(0 <= j < problem.n_features for s in whole for j in s)
        and not any({i, j} <= s for i, j in problem.conflicts for s in whole)
        and all(are_dissimilar(problem, a, b) for a, b in combinations(whole, 2))
        and all(are_dissimilar(problem, a, b) for a in whole for b in previous)
        and all(satisfies_side_constraints(problem, s) for s in whole)
    )


def are_dissimilar(problem: Instance, first: set[int], second: set[int]) -> bool:
    """Return whether two sets share few enough features."""
    shared = len(first & second)
    if problem.shared_weight is not None:
        sizes = len(first) + len(second)
        if problem.shared_by_smaller:
            sizes = 2 * min(len(first), len(second))
        if problem.shared_weight * shared > problem.size_weight * sizes + problem.shared_constant:
            return False
    return shared <= problem.max_shared


def satisfies_side_constraints(problem: Instance, members: set[int]) -> bool:
    """Return whether a set holds what is asked of features, groups, costs and its quality."""
    for group in problem.groups:
        held = [j in members for j in group.features]
        if not group.at_least <= sum(held) <= group.at_most:
            return False
        if group.all_or_none and any(held) and not all(held):
            return False
    return (
        all(j in members for j in problem.forced)
        and not any(j in members for j in problem.forbidden)
        and (problem.budget is None or sum(int(problem.costs[j]) for j in members) <= problem.budget)
        and (problem.min_quality is None or quality_of(problem, tuple(members)) >= problem.min_quality)
    )


def total_of(problem: Instance, sets) -> int:
    """Return the aggregated integer value of a solution, less what its sets pay for sharing features."""
    return _total(problem, sets, [quality_of(problem, tuple(s)) for s in sets])


def _total(problem: Instance, sets, numbers: list[int]) -> int:
    if problem.n_sets > 1 and problem.aggregate == "difference":
        return min(numbers) - max(numbers)
    if problem.n_sets > 1 and problem.aggregate == "weighted":
        return problem.sum_weight * sum(numbers) + problem.min_weight * min(numbers)
    if problem.n_sets > 1 and problem.aggregate == "min":
        return min(numbers)
    if not problem.shared_price:
        return sum(numbers)
    k = problem.k
    unit = {"mrmr": k * (k - 1), "jmi": k * (k - 1) // 2}.get(problem.objective, 1)
    pairs = [*combinations(sets, 2), *((s, t) for s in sets for t in problem.previous)]
    shared = sum(len(set(s) & set(t)) for s, t in pairs)
    return sum(numbers) - problem.shared_price * max(1, unit) * shared


def optimum(problem: Instance) -> int | None:
    """Return the best integer objective over all solutions, None if there is none."""
    alone = problem.replace(n_sets=1)
    pool = [
        s
        for size in sizes_of(problem)
        for s in combinations(range(problem.n_features), size)
        if is_solution(alone, [s])
    ]
    whole = [set(s) for s in pool]
    numbers = [quality_of(problem, s) for s in pool]
    fitting = [[are_dissimilar(problem, a, b) for b in whole] for a in whole] if problem.n_sets > 1 else []
    best: int | None = None

    def extend(chosen: list[int], candidates: list[int]) -> None:
        nonlocal best
        if len(chosen) == problem.n_sets - 1:  # of the sets that fit, a best one is a best last one
            is_plain = problem.aggregate in ("sum", "min") and not problem.shared_price
            if is_plain and candidates:
                candidates = [max(candidates, key=numbers.__getitem__)]
            for last in candidates:
                family = [*chosen, last]
                value = _total(problem, [pool[i] for i in family], [numbers[i] for i in family])
                best = value if best is None else max(best, value)
            return
        for position, i in enumerate(candidates):
            extend([*chosen, i], [other for other in candidates[position:] if fitting[i][other]])

    extend([], list(range(len(pool))))
    return best


def cases() -> list[Case]:
    """Return the canonical cases: up to 10 features, up to 4 sets."""
    return list(_cases().values())


def traits(case: Case) -> set[str]:
    """Return what a case has that a model or a solver may get wrong."""
    problem = case.problem
    has = {
        "unconstrained": not problem.side_constraints,
        "conflicts": len(problem.conflicts) > 0,
        "previous sets": len(problem.previous) > 0,
        "disjoint": problem.max_shared == 0,
        "negative": min(problem.quality) < 0,
        "infeasible": case.optimum is None,
    }
    aggregate = problem.aggregate if problem.n_sets > 1 else "one set"
    words = (word for word, is_so in has.items() if is_so)
    return {problem.objective, aggregate, *problem.side_constraints, *words}


def pairs_of_traits(case: Case) -> set[tuple[str, ...]]:
    """Return the traits that a case has together; where nothing is feasible, each with that alone."""
    found = traits(case)
    if case.optimum is None:
        return {("infeasible", word) for word in found}
    return set(combinations_with_replacement(sorted(found), 2))


def covering(given: Sequence[Case], traits_of: Callable[[Case], set[Any]]) -> list[Case]:
    """Return few of the cases that have all traits of all of them."""
    has, chosen = {case.name: traits_of(case) for case in given}, list[Case]()
    left = set[Any]().union(*has.values())
    while left:
        chosen.append(max(given, key=lambda case: len(has[case.name] & left)))
        left -= has[chosen[-1].name]
    return chosen


@cache
def _optimum_of(name: str) -> int | None:
    return optimum(_cases()[name].problem)


@cache
def _cases() -> dict[str, Case]:
    listed = [
        *_examples(),
        *_overlaps(),
        *_qualities(),
        *_infeasible(),
        *_constrained(),
        *_mrmr(),
        *_graph_score(),
        *_joint_information(),
        *_side_constraints(),
        *_cfs(),
        *_least_squares(),
        *_facility_location(),
        *_soft(),
    ]
    named = {case.name: case for case in listed}
    assert len(named) == len(listed)
    return named


def _case(name: str, quality, n_sets: int, k: int, max_shared: int, **more) -> list[Case]:
    """Return the case for both aggregates, or once where there is one set only."""
    problem = Instance(quality=quality, n_sets=n_sets, k=k, max_shared=max_shared, **more)
    if n_sets == 1:
        return [Case(name, problem)]
    return [Case(f"{name}/{aggregate}", problem.replace(aggregate=aggregate)) for aggregate in ("sum", "min")]


def _examples() -> list[Case]:
    return [
        *_case("example-2", EXAMPLE_2, 3, 2, 1),
        *_case("example-3", EXAMPLE_2, 2, 3, 1),
        *_case("example-4", EXAMPLE_2, 2, 4, 2),
        *_case("example-5", EXAMPLE_2, 3, 3, 1),
        *_case("example-6", EXAMPLE_6, 2, 3, 1),
    ]


def _overlaps() -> list[Case]:
    q = (31, 7, 22, 15, 3, 40, 11)
    found = []
    for overlap in range(4):
        for n_sets in (1, 2, 3, 4):
            found += _case(f"overlap-{overlap}-of-3-sets-{n_sets}", q, n_sets, 3, overlap)
    for size in (1, 2):
        for overlap in range(size + 1):
            found += _case(f"overlap-{overlap}-of-{size}", q, 3, size, overlap)
    return found


def _qualities() -> list[Case]:
    random = np.random.default_rng(5)
    found = [
        *_case("all-zero", [0] * 6, 3, 2, 1),
        *_case("all-tied", [4] * 7, 3, 3, 1),
        *_case("some-tied", [5, 5, 5, 2, 2, 2, 2], 3, 3, 1),
        *_case("some-zero", [6, 0, 3, 0, 0, 1], 3, 2, 1),
        *_case("all-negative", [-1, -5, -2, -9, -4, -3], 3, 2, 1),
        *_case("some-negative", [7, -5, 2, 0, -4, 3, 3], 3, 3, 1),
        *_case("large", [900_001, 899_999, 700_000, 500_003, 2, 1, 0], 3, 3, 1),
        *_case("one-feature", [3], 1, 1, 0),
        *_case("one-feature-again", [3], 3, 1, 1),
        *_case("all-features", [3, -1, 2], 2, 3, 3),
    ]
    for number, (n, n_sets, size, overlap) in enumerate(
        [(10, 2, 5, 2), (10, 3, 3, 1), (10, 4, 2, 1), (9, 3, 4, 2), (8, 4, 3, 1), (10, 3, 3, 0)]
    ):
        q = random.integers(-20, 80, n)
        found += _case(f"random-{number}", q, n_sets, size, overlap)
    return found


def _infeasible() -> list[Case]:
    return [
        *_case("too-few-for-disjoint", [4, 3, 2, 1, 1], 3, 2, 0),
        *_case("no-fourth-pair", [4, 3, 2], 4, 2, 1),
        *_case("all-features-twice", [3, 1, 2], 2, 3, 2),
        *_case("previous-takes-all", [3, 1, 2], 1, 2, 0, previous=[(0, 1)]),
        *_case("all-conflict", [3, 1, 2], 1, 2, 1, objective="fcbf", conflicts=[(0, 1), (1, 2), (0, 2)]),
    ]


def _constrained() -> list[Case]:
    q = (31, 7, 22, 15, 3, 40, 11, 9)
    chain = [(0, 5), (2, 5), (0, 2), (3, 6)]
    return [
        *_case("previous", q, 1, 3, 1, previous=[(0, 2, 5)]),
        *_case("previous-two", q, 2, 3, 1, previous=[(0, 2, 5), (5, 3, 6)]),
        *_case("previous-overlap-0", q, 2, 2, 0, previous=[(1, 5)]),
        *_case("previous-overlap-all", q, 2, 2, 2, previous=[(0, 5)]),
        *_case("previous-negative", [-3, -1, -4, -1, -5, -9], 2, 2, 1, previous=[(1, 3)]),
        *_case("conflicts-one-set", q, 1, 3, 1, objective="fcbf", conflicts=chain),
        *_case("conflicts", q, 3, 3, 1, objective="fcbf", conflicts=chain),
        *_case("conflicts-univariate", q, 2, 3, 2, conflicts=[(0, 5)]),
        *_case("conflicts-previous", q, 2, 3, 1, conflicts=[(0, 5), (2, 3)], previous=[(1, 2, 5)]),
    ]


def _mrmr() -> list[Case]:
    random = np.random.default_rng(11)
    found = []
    for number, (n, n_sets, size, overlap) in enumerate(
        [(7, 1, 3, 3), (7, 2, 3, 1), (6, 3, 2, 1), (6, 2, 1, 0), (8, 2, 4, 2), (7, 3, 3, 2), (5, 2, 3, 0)]
    ):
        q = random.integers(0, 50, n)
        r = np.triu(random.integers(0, 50, (n, n)), 1)
        found += _case(f"mrmr-{number}", q, n_sets, size, overlap, objective="mrmr", redundancy=r + r.T)
    q, r = found[0].problem.quality, found[0].problem.redundancy
    more = {"objective": "mrmr", "redundancy": r}
    found += _case("mrmr-previous", q, 2, 3, 1, previous=[(0, 1, 2)], **more)
    found += _case("mrmr-conflicts", q, 2, 3, 1, conflicts=[(0, 1), (2, 4)], **more)
    return found


def _joint_information() -> list[Case]:
    """Return cases whose redundancies are mostly negative, as those of features that tell more together."""
    random = np.random.default_rng(1999)
    r = np.triu(random.integers(-40, 12, (7, 7)), 1)
    q, pairs = random.integers(0, 30, 7), {"redundancy": r + r.T}
    found = _case("jmi-one", q, 1, 4, 2, objective="jmi", previous=[(0, 1, 2, 3)], **pairs)
    found += _case("jmi-two", q, 2, 3, 1, objective="jmi", **pairs)
    found += _case("jmi-forced", q, 2, 3, 2, objective="jmi", forced=[6], **pairs)
    found += _case("mifs-two", q, 2, 3, 1, objective="mifs", **pairs)
    found += _case("mifs-any-size", q, 1, 5, 5, objective="mifs", k_min=2, **pairs)
    found += _case("cife-least", q, 2, 2, 1, objective="cife", min_quality=40, **pairs)
    return found


def _graph_score() -> list[Case]:
    random = np.random.default_rng(13)
    found = []
    for number, (n, least, most) in enumerate([(8, -9, 9), (7, 0, 9), (6, -9, 0), (9, -3, 12)]):
        r = np.triu(random.integers(least, most + 1, (n, n)), 1)
        more = {"objective": "graph_score", "redundancy": r + r.T, "k_min": 1}
        found += _case(f"graph-score-{number}", random.integers(-12, 12, n), 1, n, n, **more)
        found += _case(f"graph-score-negative-{number}", random.integers(-12, 0, n), 1, n, n, **more)
    q, more = (
        found[0].problem.quality,
        {"objective": "graph_score", "redundancy": found[0].problem.redundancy},
    )
    found += _case("graph-score-one-size", q, 1, 3, 3, **more)
    found += _case("graph-score-two-to-four", q, 1, 4, 4, k_min=2, **more)
    apart = {
        "k_min": 2,
        "shared_weight": 2,
        "size_weight": 1,
        "previous": [(0, 5), (0, 2, 3, 5)],
    }
    hamming, overlap = {**more, **apart, "shared_constant": -3}, {**more, **apart, "shared_by_smaller": True}
    found += _case("graph-score-hamming", q, 1, 4, 3, **hamming)
    found += _case("graph-score-overlap", q, 1, 4, 3, **overlap)
    found += _case("graph-score-three-sets", q, 3, 3, 1, k_min=2, **more)
    found += _case("graph-score-one-feature", [-4], 1, 1, 1, objective="graph_score", redundancy=[[0]])
    found += _case(
        "graph-score-restricted",
        q,
        1,
        8,
        2,
        k_min=1,
        conflicts=[(0, 1), (2, 5)],
        previous=[(3, 4)],
        **more,
    )
    return found


def _side_constraints() -> list[Case]:
    q = (31, 7, 22, 15, 3, 40, 11, 9)
    costs = (9, 1, 4, 3, 2, 8, 2, 5)
    groups = [Group((0, 5, 2), at_most=1), Group((1, 4, 7), at_least=1), Group((3, 6), all_or_none=True)]
    dice = {"k_min": 2, "shared_weight": 4, "size_weight": 1}
    hamming = {"k_min": 2, "shared_weight": 2, "size_weight": 1, "shared_constant": -4}
    random = np.random.default_rng(17)
    r = np.triu(random.integers(0, 30, (8, 8)), 1)
    mrmr = {"objective": "mrmr", "redundancy": r + r.T}
    return [
        *_case("forced", q, 2, 3, 2, forced=[4]),
        *_case("forced-all", q, 1, 2, 1, forced=[4, 6]),
        *_case("forced-too-often", q, 2, 3, 1, forced=[1, 4]),
        *_case("forbidden", q, 3, 3, 1, forbidden=[5, 0]),
        *_case("forbidden-previous", q, 1, 3, 1, forbidden=[5], previous=[(0, 2, 5)]),
        *_case("groups", q, 2, 3, 2, groups=groups[:2]),
        *_case("groups-one-set", q, 1, 4, 4, groups=groups),
        *_case("group-all-or-nothing", q, 2, 4, 2, groups=groups[2:]),
        *_case("group-infeasible", q, 1, 3, 3, groups=[Group((0, 1, 2, 3, 4), at_most=0), groups[2]]),
        *_case("budget", q, 2, 3, 1, costs=costs, budget=12),
        *_case("budget-one-set", q, 1, 3, 3, costs=costs, budget=14, previous=[(0, 2, 5)]),
        *_case("budget-too-small", q, 1, 3, 3, costs=costs, budget=4),
        *_case("costs-negative", [-abs(x) for x in q], 1, 3, 3, costs=[-c for c in costs], budget=-20),
        *_case("min-quality", q, 2, 3, 1, min_quality=77),  # of the best pair, one set has just that
        *_case("min-quality-too-large", q, 2, 3, 1, min_quality=78),
        *_case("size-range", q, 2, 3, 1, k_min=1),
        *_case("size-range-negative", [-3, 5, -1, 4, -2, 6], 2, 4, 1, k_min=2),
        *_case("size-range-dice", q, 2, 4, 2, **dice),
        *_case("size-range-overlap", q, 2, 4, 2, **dice, shared_by_smaller=True),
        *_case("size-range-hamming", q, 2, 4, 3, **hamming, previous=[(0, 1)]),
        *_case("size-range-hamming-one", q, 1, 4, 3, **hamming, previous=[(0, 5), (0, 2, 3, 5)]),
        *_case("size-range-previous", q, 1, 4, 2, previous=[(0, 5), (0, 2, 3, 5)], **dice),
        *_case("fcbf-groups", q, 2, 3, 1, objective="fcbf", conflicts=[(0, 5), (2, 5)], groups=groups[1:2]),
        *_case("mrmr-forced", q, 2, 3, 2, forced=[4], forbidden=[0], **mrmr),
        *_case("mrmr-budget", q, 1, 3, 3, costs=costs, budget=12, **mrmr),
        *_case("mrmr-groups", q, 2, 3, 1, groups=groups[:2], **mrmr),
        *_case("mrmr-min-quality", q, 2, 3, 1, min_quality=104, **mrmr),
        *_case(
            "everything", q, 2, 4, 3, forced=[2], forbidden=[7], groups=groups[2:], costs=costs, budget=20
        ),
    ]


def _soft() -> list[Case]:
    """Return cases whose sets pay for what they share, or are to be alike in quality."""
    q, random = (31, 7, 22, 15, 3, 40, 11, 9), np.random.default_rng(23)
    r = np.triu(random.integers(-9, 30, (7, 7)), 1)
    chain = {"objective": "fcbf", "conflicts": [(0, 5), (2, 5), (0, 2)]}
    mrmr = {"objective": "mrmr", "redundancy": r + r.T}
    mifs = {"objective": "mifs", "redundancy": r + r.T, "k_min": 2}
    known = {"previous": [(0, 2, 5), (1, 2, 5)]}
    weighted = {"aggregate": "weighted", "sum_weight": 2, "min_weight": 3}
    asked = {
        "priced": (q, 3, 3, 3, {"shared_price": 6}),
        "priced-and-limited": (q, 2, 3, 1, {"shared_price": 3, **known}),
        "priced-step": (q, 1, 3, 3, {"shared_price": 7, **known}),
        "priced-step-least": (q, 1, 3, 3, {"shared_price": 7, "min_quality": 60, **known}),
        "priced-negative": ([-3, 5, -1, 4, -2, 6], 3, 2, 2, {"shared_price": 2}),
        "priced-conflicts": (q, 2, 3, 2, {"shared_price": 5, **chain}),
        "priced-mrmr": (q[:7], 2, 3, 3, {"shared_price": 2, **mrmr}),
        "priced-mrmr-step": (q[:7], 1, 3, 2, {"shared_price": 1, **mrmr, **known}),
        "priced-sizes": (q[:7], 2, 3, 2, {"shared_price": 9, **mifs}),
        "weighted": (q, 3, 3, 1, weighted),
        "weighted-mrmr": (q[:7], 2, 3, 1, {**weighted, **mrmr}),
        "difference": (q, 3, 3, 1, {"aggregate": "difference"}),
        "difference-least": (q, 2, 3, 2, {"aggregate": "difference", "min_quality": 60}),
        "difference-conflicts": (q, 2, 3, 1, {"aggregate": "difference", **chain}),
        "difference-mrmr": (q[:7], 2, 3, 2, {"aggregate": "difference", **mrmr}),
        "difference-sizes": (q[:7], 2, 3, 2, {"aggregate": "difference", **mifs}),
        "difference-infeasible": (q, 4, 3, 0, {"aggregate": "difference"}),
    }
    return [Case(name, Instance(*sizes, **more)) for name, (*sizes, more) in asked.items()]


def _cfs() -> list[Case]:
    random = np.random.default_rng(19)

    def case(name: str, q, r, size: int, **more) -> list[Case]:
        upper = np.triu(np.asarray(r), 1)
        more = {"objective": "cfs", "scale": 100, "redundancy": upper + upper.T, **more}
        return _case(f"cfs-{name}", q, 1, size, more.pop("max_shared", size), **more)

    found = []
    for number, (n, size) in enumerate([(8, 3), (7, 1), (9, 5), (6, 6)]):
        q, r = random.integers(0, 60, n), random.integers(0, 100, (n, n))
        found += case(f"{number}", q, r, size)
        found += case(f"free-{number}", q, r, n, k_min=1)
    q, r = random.integers(5, 60, 8), random.integers(0, 50, (8, 8))
    twins = np.repeat(np.repeat(random.integers(0, 60, (4, 4)), 2, axis=0), 2, axis=1)
    costs = (9, 1, 4, 3, 2, 8, 2, 5)
    group = [Group((0, 5, 2), at_most=1), Group((3, 6), all_or_none=True)]
    return [
        *found,
        *case("all-zero", [0] * 6, r[:6, :6], 2),
        *case("all-tied", [40] * 6, np.full((6, 6), 30), 3),
        *case("no-redundancy", q, np.zeros((8, 8), int), 8, k_min=1),
        *case("twins", np.repeat([50, 40, 30, 20], 2), twins, 4),
        *case("twins-free", np.repeat([50, 40, 30, 20], 2), twins, 8, k_min=1),
        *case("two-to-four", q, r, 4, k_min=2),
        *case("one-feature", [7], [[0]], 1),
        *case("previous", q, r, 3, previous=[(0, 2, 5), (1, 2, 3)], max_shared=1),
        *case("previous-disjoint", q, r, 4, previous=[(0, 2, 5, 7)], max_shared=0),
        *case("previous-free", q, r, 8, k_min=1, previous=[(0, 2, 5), (1,)], max_shared=1),
        *case("previous-takes-all", q[:3], r[:3, :3], 2, previous=[(0, 1)], max_shared=0),
        *case("conflicts", q, r, 3, conflicts=[(0, 1), (2, 4), (5, 6)]),
        *case("forced", q, r, 3, forced=[4], forbidden=[0]),
        *case("groups", q, r, 4, groups=group),
        *case("budget", q, r, 8, k_min=1, costs=costs, budget=9),
        *case("min-quality", q, r, 3, min_quality=30),
        *case("min-quality-too-large", q, r, 3, min_quality=500),
    ]


def _facility_location() -> list[Case]:
    random = np.random.default_rng(31)

    def case(name: str, size: int, n: int = 8, least: int = 0, **more) -> list[Case]:
        upper = np.triu(random.integers(least, 100, (n, n)), 1)
        more = {"objective": "facility_location", "redundancy": upper + upper.T, **more}
        own = random.integers(least, 120, n)
        return _case(f"facility-{name}", own, 1, size, more.pop("max_shared", size), **more)

    return [
        *case("plain", 3),
        *case("signed", 2, least=-100),
        *case("one-feature", 1, n=1, redundancy=[[0]]),
        *case("two-to-four", 4, least=-50, k_min=2),
        *case("previous", 3, previous=[(0, 2, 5), (1, 2, 3)], max_shared=1),
        *case("forbidden", 2, forbidden=[0, 1, 2], forced=[4]),
        *case("budget", 3, costs=(9, 1, 4, 3, 2, 8, 2, 5), budget=9, groups=[Group((0, 1, 2), at_most=1)]),
        *case("min-quality", 3, min_quality=1),
    ]


def _least_squares() -> list[Case]:
    """Return cases of correlations: of tables, with a copy and a column without variance, and of no table."""
    random = np.random.default_rng(23)

    def case(name: str, X, size: int, scale=10**6, **more) -> list[Case]:
        centred = X - X.mean(axis=0)
        length = np.linalg.norm(centred, axis=0)
        unit = centred / np.where(length > 0, length, 1)
        whole = np.rint(scale * unit.T @ unit).astype(int)
        np.fill_diagonal(whole, 0)
        more = {"objective": "r2", "scale": scale, "redundancy": whole[:-1, :-1], **more}
        return _case(f"r2-{name}", whole[-1, :-1], 1, size, more.pop("max_shared", size), **more)

    X = random.normal(size=(20, 9))
    X[:, 8] += X[:, 0] - 2 * X[:, 3] + X[:, 5]
    dependent = X.copy()
    dependent[:, 1], dependent[:, 2] = -dependent[:, 0], 3
    near = X.copy()
    near[:, 1] = near[:, 0] + 1e-7 * near[:, 1]
    return [
        *(found for size in (1, 2, 3, 5, 8) for found in case(f"of-{size}", X, size)),
        *case("fine", X, 4, scale=10**12),
        *case("coarse", X, 3, scale=10),
        *case("dependent", dependent, 4),
        *case("near-copies", near, 3, scale=10**14),
        *case("tied", np.kron(np.eye(6), np.ones((2, 1))), 3),
        *case("previous", X, 3, previous=[(0, 3, 5), (0, 1, 3)], max_shared=1),
        *case("previous-takes-all", X[:, 6:], 2, previous=[(0, 1)], max_shared=1),
    ]
