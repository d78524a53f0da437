"""Good solutions without proof: sets one after another, and exchanges of a few sets at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.columns.allowed import LOW, AllowedSets, FoundSets, ListedSets, Wanted
from pyfsel.algorithms.columns.relaxation import Prices
from pyfsel.algorithms.columns.tree import GOAL, MOST_WORK, ListTask, ListTree, search_list
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem

# Exchanges prove nothing, and are many: these limits keep each of them short.
MOST_TRIED = 100_000
MOST_CANDIDATES = 4000
MOST_NODES = 400
EXCHANGED = (2, 3)  # sets at once; single ones are exchanged by `completed`
LEVEL = 2**20  # what each set counts in bounds on the number of sets: fine enough for integer prices below it


def best_beside(sets: AllowedSets, others: Sequence[FeatureSet]) -> FeatureSet | None:
    """Return the best set that is compatible with these, or None."""
    found = sets.beside(others).improving(Wanted(sets.quality)).members
    return as_tuple(found[-1]) if len(found) else None


def completed(
    problem: Problem, sets: AllowedSets, some: Sequence[FeatureSet], count: int
) -> list[FeatureSet] | None:
    """Add sets that are each best beside those before, and improve them one by one."""
    solution = list(some)
    while len(solution) < count:
        following = best_beside(sets, solution)
        if following is None:
            return None
        solution.append(following)
    improved = True
    while improved:
        improved = False
        for i in range(count):
            other = best_beside(sets, solution[:i] + solution[i + 1 :])
            if other is not None and sum_of(problem, [other]) > sum_of(problem, [solution[i]]):
                solution[i] = other
                improved = True
    return solution


def exchanged(
    problem: Problem,
    sets: AllowedSets,
    prices: Prices,
    solution: Sequence[FeatureSet],
    expired: Callable[[], bool],
) -> list[FeatureSet]:
    """Replace two or three sets at once by ones that are better together, as long as that helps.

    Parameters
    ----------
    problem : Problem
    sets : AllowedSets
        What may come in; of many, some are tried.
    prices : Prices
        With which the search for the sets that come in begins.
    solution : sequence of feature sets
        Any number of compatible sets.
    expired : callable
    """
    current = list(solution)
    improved = True
    while improved:
        improved = False
        for kept, removed in _splits(current):
            if expired():
                return current
            better = _better(problem, sets, prices, kept, removed)
            if better is not None:
                current = [*kept, *better]
                improved = True
                break
    return current


def _splits(solution: list[FeatureSet]) -> Iterator[tuple[list[FeatureSet], list[FeatureSet]]]:
    for size in EXCHANGED:
        for chosen in combinations(range(len(solution)), size):
            kept = [s for i, s in enumerate(solution) if i not in chosen]
            yield kept, [solution[i] for i in chosen]


def _better(
    problem: Problem, sets: AllowedSets, prices: Prices, kept: list[FeatureSet], removed: list[FeatureSet]
) -> list[FeatureSet] | None:
    """Return sets beside those kept that are better than those removed, None if none are found."""
    count = len(removed)
    beside = sets.beside(kept)
    best = best_beside(beside, ())
    if best is None:
        return None
    old = problem_values.values(problem, removed)
    if problem.aggregate == "min":
        goal = least = int(old.min()) + 1
        if len(kept) and problem_values.values(problem, kept).min() < goal:
            return None
    else:
        goal = int(old.sum()) + 1
        least = goal - (count - 1) * sum_of(problem, [best])
    listed = ListedSets.some_of(sets, beside.heavy(Wanted(sets.quality, least), MOST_TRIED))
    good = np.argsort(-listed.weights(sets.quality), kind="stable")[:MOST_CANDIDATES]
    listed = listed._replace(members=listed.members[good], rests=listed.rests[good])
    return best_listed(problem, listed, prices, count, goal, MOST_NODES)


def best_listed(
    problem: Problem, sets: ListedSets, prices: Prices, count: int, goal: int, most_nodes: int
) -> list[FeatureSet] | None:
    """Return so many compatible ones of the listed sets that reach the goal, None if none are found."""
    if len(sets.members) < count:
        return None
    values = problem_values.values(problem, sets.members.astype(np.intp))
    at_most = None
    if problem.aggregate == "min":
        sets = levelled(sets)
    else:
        at_most = np.full(count + 1, -LOW)
    task = ListTask.of(count, sets, FoundSets(sets.members, sets.rests), values, at_most, prices.subsets)
    tree = ListTree.of(task, prices, goal)
    while not search_list(task, tree, most_nodes, MOST_WORK):
        pass
    return [as_tuple(sets.members[i]) for i in tree.found] if tree.state[GOAL] > goal else None


def levelled(sets: ListedSets) -> ListedSets:
    """Return the sets, each of the value `LEVEL`: how much can be had says how many sets there can be."""
    return sets._replace(
        quality=np.zeros_like(sets.quality),
        unit=LEVEL,
        lowest=LEVEL,
        rests=np.full(len(sets.members), LEVEL, dtype=np.int64),
    )


def sum_of(problem: Problem, sets: Sequence[FeatureSet]) -> int:
    """Return the sum of the values of sets."""
    return int(problem_values.values(problem, list(sets)).sum())


def as_tuple(members: NDArray[np.int32]) -> FeatureSet:
    """Return a row of members as a sorted tuple."""
    return tuple(sorted(int(j) for j in members))
