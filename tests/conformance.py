"""Canonical cases and a brute-force oracle of its own, for tests over all registered backends.

The oracle shares no code with the package: it enumerates sets and evaluates constraints and objectives from
their definitions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from pyfsel import Group
from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import OBJECTIVES

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


@dataclass(frozen=True)
class Case:
    """A problem under a name that a failing test shows."""

    name: str
    problem: Instance

    @cached_property
    def optimum(self) -> int | None:
        """The best integer objective, None if infeasible."""
        return optimum(self.problem)

    def __str__(self) -> str:
        return self.name


def quality_of(problem: Instance, members: tuple[int, ...]) -> int:
    """Return the integer value of one set, from the definition of the objective."""
    q, k = [int(v) for v in problem.quality], len(members)
    relevance = sum(q[j] for j in members)
    if problem.objective in ("univariate", "fcbf"):
        return relevance
    if problem.objective in ("graph_score", "mifs", "cife"):
        return relevance - sum(int(problem.pairs[i, j]) for i, j in combinations(members, 2))
    if problem.objective == "cfs":
        return _cfs_value(problem, relevance, members)
    if problem.objective == "facility_location":
        alike = [[q[i] if i == j else int(problem.pairs[i, j]) for j in members] for i in range(len(q))]
        return sum(map(max, alike))
    if problem.objective == "r2":
        return _explained(problem, members)
    if problem.objective == "jmi":
        joint = (q[i] + q[j] - int(problem.pairs[i, j]) for i, j in combinations(members, 2))
        return relevance if k == 1 else sum(joint)
    assert problem.objective == "mrmr"
    redundancy = both_ways(problem, members)
    return relevance if k == 1 else (k - 1) * relevance - redundancy


def both_ways(problem: Instance, members: tuple[int, ...]) -> int:
    """Return the sum of the redundancies of a set, of which each pair counts twice."""
    return sum(int(problem.pairs[i, j]) for i in members for j in members if i != j)


def _cfs_value(problem: Instance, relevance: int, members: tuple[int, ...]) -> int:
    """Return the largest integer that is at most scale × Eq. 20: both sides squared and multiplied out."""
    scale = int(problem.scale)
    pairs = both_ways(problem, members)
    correlation = scale * len(members) + pairs
    square = scale * relevance * relevance
    return bisect_right(range(relevance + 1), square, key=lambda v: v * v * correlation) - 1


def _explained(problem: Instance, members: tuple[int, ...]) -> int:
    """Return scale × R² in steps of 10⁻⁸, by elimination in fractions; 0 where coefficients are unbounded."""
    scale, target = int(problem.scale), [Fraction(int(problem.quality[j])) for j in members]
    gram = [[Fraction(scale if i == j else int(problem.pairs[i, j])) for j in members] for i in members]
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
        and all(are_dissimilar(problem, with_relatives(problem, a), b) for a, b in combinations(whole, 2))
        and all(are_dissimilar(problem, a, b) for a in whole for b in previous)
        and all(satisfies_side_constraints(problem, s) for s in whole)
    )


def with_relatives(problem: Instance, members: set[int]) -> set[int]:
    """Return the features of a set and all that are related to one of them."""
    pairs = np.asarray(problem.relatives).tolist()
    return members | {b for i, j in pairs for a, b in ((i, j), (j, i)) if a in members}


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


def pool_of(problem: Instance) -> list[tuple[int, ...]]:
    """Return all sets that satisfy everything that concerns a single set and the previous ones."""
    alone = problem.replace(n_sets=1)
    return [
        s
        for size in sizes_of(problem)
        for s in combinations(range(problem.n_features), size)
        if is_solution(alone, [s])
    ]


def optimum(problem: Instance) -> int | None:
    """Return the best integer objective over all solutions, None if there is none."""
    pool = pool_of(problem)
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


@cache
def cases() -> list[Case]:
    """Return the canonical cases: up to 10 features, up to 4 sets."""
    listed = [*_plain(), *_infeasible(), *_matrix(), *_least_squares()]
    assert len({case.name for case in listed}) == len(listed)
    return listed


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


def _case(name: str, quality, n_sets: int, k: int, max_shared: int, **more) -> list[Case]:
    """Return the case for both aggregates, or once where there is one set only."""
    problem = Instance(quality=quality, n_sets=n_sets, k=k, max_shared=max_shared, **more)
    if n_sets == 1:
        return [Case(name, problem)]
    return [Case(f"{name}/{aggregate}", problem.replace(aggregate=aggregate)) for aggregate in ("sum", "min")]


def _plain() -> list[Case]:
    """Return cases that have no rule but the overlap, of numbers that are tied, zero, negative or large."""
    random, q = np.random.default_rng(5), (31, 7, 22, 15, 3, 40, 11)
    drawn = [(10, 2, 5, 2), (10, 3, 3, 1), (10, 4, 2, 1), (9, 3, 4, 2), (8, 4, 3, 1), (10, 3, 3, 0)]
    listed = [
        ("example-2", EXAMPLE_2, 3, 2, 1),
        ("example-3", EXAMPLE_2, 2, 3, 1),
        ("example-4", EXAMPLE_2, 2, 4, 2),
        ("example-5", EXAMPLE_2, 3, 3, 1),
        ("example-6", (11, 10, 6, 5, 4, 1), 2, 3, 1),
        *(
            (f"overlap-{most}-of-3-sets-{n_sets}", q, n_sets, 3, most)
            for most in range(4)
            for n_sets in (3, 4)
        ),
        *((f"overlap-{most}-of-{size}", q, 3, size, most) for size in (1, 2) for most in range(size + 1)),
        ("all-zero", [0] * 6, 3, 2, 1),
        ("all-tied", [4] * 7, 3, 3, 1),
        ("some-tied", [5, 5, 5, 2, 2, 2, 2], 3, 3, 1),
        ("some-zero", [6, 0, 3, 0, 0, 1], 3, 2, 1),
        ("all-negative", [-1, -5, -2, -9, -4, -3], 3, 2, 1),
        ("some-negative", [7, -5, 2, 0, -4, 3, 3], 3, 3, 1),
        ("large", [900_001, 899_999, 700_000, 500_003, 2, 1, 0], 3, 3, 1),
        ("one-feature", [3], 1, 1, 0),
        ("one-feature-again", [3], 3, 1, 1),
        ("all-features", [3, -1, 2], 2, 3, 3),
        *((f"random-{i}", random.integers(-20, 80, n), *shape) for i, (n, *shape) in enumerate(drawn)),
        ("too-few-for-disjoint", [4, 3, 2, 1, 1], 3, 2, 0),
        ("no-fourth-pair", [4, 3, 2], 4, 2, 1),
        ("all-features-twice", [3, 1, 2], 2, 3, 2),
    ]
    return [case for row in listed for case in _case(*row)]


def _infeasible() -> list[Case]:
    return [
        *_case("previous-takes-all", [3, 1, 2], 1, 2, 0, previous=[(0, 1)]),
        *_case("all-conflict", [3, 1, 2], 1, 2, 1, objective="fcbf", conflicts=[(0, 1), (1, 2), (0, 2)]),
    ]


N = 8
COSTS = (9, 1, 4, 3, 2, 8, 2, 5)
CHAIN = [(0, 5), (2, 5), (0, 2), (3, 6)]
KNOWN = [(0, 2, 5), (1, 2, 3)]
GROUPS = [Group((0, 5, 2), at_most=1), Group((1, 4, 7), at_least=1), Group((3, 6), all_or_none=True)]
SIZES = {"k": 4, "k_min": 2}
FAR = {**SIZES, "previous": [(0, 5), (0, 2, 3, 5)], "max_shared": 3, "shared_weight": 2, "size_weight": 1}
WEIGHTED = {"aggregate": "weighted", "sum_weight": 2, "min_weight": 3}
RULES = {
    "plain": {},
    "previous": {"previous": KNOWN},
    "previous-disjoint": {"previous": [(0, 2, 5)], "max_shared": 0},
    "conflicts": {"conflicts": CHAIN},
    "conflicts-previous": {"conflicts": CHAIN, "previous": [(1, 2, 5)]},
    "features": {"forced": [4], "forbidden": [0], "max_shared": 2},
    "groups": {"groups": GROUPS[:2], "k": 2},
    "all-or-none": {"groups": GROUPS[2:], "k": 4, "max_shared": 2},
    "group-of-none": {"groups": [Group((0, 1, 2, 3, 4), at_most=0), GROUPS[2]]},
    "budget": {"costs": COSTS, "budget": 12},
    "budget-too-small": {"costs": COSTS, "budget": 4},
    "sizes": SIZES,
    "free": {"k": N, "k_min": 1, "max_shared": N},
    "any-size": {"k": N, "k_min": 1, "max_shared": 2, "conflicts": CHAIN[:2], "previous": [(3, 4)]},
    "dice": FAR,
    "overlap": {**FAR, "shared_by_smaller": True},
    "hamming": {**FAR, "shared_constant": -3},
    "sizes-and-rules": {**SIZES, "forced": [2], "forbidden": [7], "costs": COSTS, "budget": 20},
    "many": {
        "forced": [2],
        "forbidden": [7],
        "groups": GROUPS[:1],
        "costs": COSTS,
        "budget": 20,
        "previous": KNOWN,
    },
    "least": {"rank": 5},
    "least-previous": {"rank": 9, "previous": KNOWN},
    "least-too-large": {"rank": 0},
}
"""Rules; k is 3 and one feature may be shared unless stated. Only `rank` sets have the minimum quality."""
SOFT = {
    "priced": {"shared_price": 3, "max_shared": 3},
    "priced-least": {"shared_price": 2, "rank": 9},
    "priced-step": {"shared_price": 2, "previous": KNOWN, "n_sets": 1},
    "priced-conflicts": {"shared_price": 5, "conflicts": CHAIN, "max_shared": 2},
    "priced-sizes": {"shared_price": 9, **SIZES},
    "least-min": {"aggregate": "min", "rank": 9},
    "disjoint-min": {"aggregate": "min", "max_shared": 0},
    "weighted": WEIGHTED,
    "weighted-sizes": {**WEIGHTED, **SIZES},
    "difference": {"aggregate": "difference"},
    "difference-least": {"aggregate": "difference", "rank": 9},
    "difference-conflicts": {"aggregate": "difference", "conflicts": CHAIN},
    "difference-sizes": {"aggregate": "difference", **SIZES},
    "difference-infeasible": {"aggregate": "difference", "max_shared": 0, "n_sets": 4},
}
"""What several sets pay, or how alike they are to be."""


OF_MATRIX = ("univariate", "fcbf", "mrmr", "jmi", "mifs", "cife", "graph_score", "cfs", "facility_location")


def numbers_for(objective: str) -> dict[str, Any]:
    """Return qualities and redundancies that suit an objective; some are negative where they may be."""
    random = np.random.default_rng(11)
    least = {
        "jmi": -40,
        "cife": -40,
        "graph_score": -9,
        "mifs": -9,
        "mrmr": -5,
        "facility_location": -50,
    }.get(objective, 0)
    upper = np.triu(random.integers(least, 30, (N, N)), 1)
    quality = random.integers(
        max(least, -12) if objective in ("graph_score", "facility_location") else 0, 60, N
    )
    scale = 100 if objective == "cfs" else 1
    if objective in ("univariate", "fcbf"):
        return {"quality": quality}
    return {"quality": quality, "pairs": upper + upper.T, "scale": scale}


def _with_least(problem: Instance, rank: int | None) -> Instance:
    """Return the problem with the quality of the set of a rank as the minimum; rank 0 is beyond all sets."""
    if rank is None:
        return problem
    worth = sorted((quality_of(problem, s) for s in combinations(range(N), problem.k)), reverse=True)
    return problem.replace(min_quality=worth[rank - 1] if rank else worth[0] + 1)


def _matrix() -> list[Case]:
    """Return objectives with rules, in turn of one set and of two; MIFS and CIFE are like graph scores."""
    found = []
    for row, objective in enumerate(OF_MATRIX):
        kind = OBJECTIVES[objective]
        base = {"k": 3, "max_shared": 1, "objective": objective, **numbers_for(objective)}
        if kind.has_conflicts:
            base["conflicts"] = CHAIN
        words = RULES if kind.is_fraction else RULES | SOFT
        for column, (word, rules) in enumerate(words.items()):
            is_repeated = objective in ("mifs", "cife") and column % 3
            if is_repeated or ("k_min" in rules and kind.has_one_size):
                continue
            has_sets = not kind.is_fraction and rules.get("k") != N and (row + column) % 2 == 0
            asked = {"n_sets": 2 if has_sets or word in SOFT else 1, **base, **rules}
            if has_sets and "aggregate" not in asked and word not in SOFT:
                asked["aggregate"] = ("sum", "min")[(row + column) // 2 % 2]
            rank = asked.pop("rank", None)
            found.append(Case(f"{objective}-{word}", _with_least(Instance(**asked), rank)))
    return found


def _least_squares() -> list[Case]:
    """Return cases of correlations: of tables, with a copy and a column without variance, and of no table."""
    random = np.random.default_rng(23)

    def case(name: str, X, size: int, scale=10**6, **more) -> list[Case]:
        centred = X - X.mean(axis=0)
        length = np.linalg.norm(centred, axis=0)
        unit = centred / np.where(length > 0, length, 1)
        whole = np.rint(scale * unit.T @ unit).astype(int)
        np.fill_diagonal(whole, 0)
        more = {"objective": "r2", "scale": scale, "pairs": whole[:-1, :-1], **more}
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
