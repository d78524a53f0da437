"""Pre-selection: for sums of qualities only some features can matter (paper 000, A.4), also with costs."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappush, heapreplace

import numpy as np

from pyfsel.core.arrays import Bools, Indices
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of
from pyfsel.reductions.restriction import Restriction


def preselect(problem: Instance) -> Restriction:
    """Return the problem over the features that can matter, in decreasing order of quality.

    It is for objectives of which a set never gets worse by a better feature; others keep all features.

    Examples
    --------
    >>> problem = Instance(quality=[1, 5, 4, 3], n_sets=1, k=2, max_shared=1)
    >>> reduced = preselect(problem)
    >>> reduced.problem.n_features, reduced.invert([(0, 1)])
    (2, [(1, 2)])
    """
    if not objective_of(problem).is_sum or "difference" in problem.side_constraints:
        return Restriction.none(problem)
    kept = np.array(undominated(problem))
    if any(group.at_least > len(set(group.features).intersection(kept)) for group in problem.groups):
        return Restriction.none(problem)  # it has no solution, which the whole problem shows as well
    reduction = _best_first(problem, kept)
    if problem.side_constraints or not problem.has_conflicts:
        return reduction
    from pyfsel.reductions.needed import needed_features

    while not (needs := needed_features(reduction.problem)).all():
        reduction = reduction.then(_best_first(reduction.problem, np.flatnonzero(needs)))
    return reduction


def _best_first(problem: Instance, features: Indices) -> Restriction:
    return Restriction.to(problem, features[np.argsort(-problem.quality[features], kind="stable")].tolist())


def undominated(problem: Instance) -> list[int]:
    """Return the features without which no optimum is lost, by costs, groups and qualities.

    Feature i dominates j if both are in the same groups, neither is forced, forbidden, in a previous set or
    in an all-or-nothing group, i is in no conflict, i costs no more (if there is a budget), i has no smaller
    quality, and i is before j in the order by (cost, −quality, number).

    Let D be the number of sets times the features of j's groups that a set has room for: K minus the forced
    ones, and for each group at most its limit minus the forced ones in it. If at least D features dominate j,
    some optimum does without j, and all such features can be left out together.

    *Proof.* A solution that uses j uses at most D − 1 others in the same groups, so it does not use some i
    that dominates j. Put i in place of j in every set that has j. Sizes, common features and counts of groups
    stay, since no set had i. No set costs more or has a smaller quality, so the budget and the minimum
    quality hold, and a sum or a minimum over the sets does not fall. Conflicts only vanish, and no previous
    set has i or j. Each exchange moves to an earlier place in the order, so it ends. ∎

    The proof holds for sets of several sizes and for prices of overlap as well. It does not hold for
    objectives with pairs, nor for questions about all optima.

    Parameters
    ----------
    problem : Instance
        With a sum of qualities as objective.

    Returns
    -------
    list of int
        Ascending; at least as many that are not forbidden as the largest set has, if there are that many.

    Examples
    --------
    One set of one feature: the second is dearer and worse, the third dearer and better.

    >>> costs = {"costs": [1, 2, 2], "budget": 2}
    >>> undominated(Instance(quality=[5, 4, 6], n_sets=1, k=1, max_shared=1, **costs))
    [0, 2]
    """
    forced, forbidden = set(problem.forced), set(problem.forbidden)
    bound_to = [group.features for group in problem.groups if group.all_or_none]
    kept = forced.union(*problem.previous, *bound_to)
    cost = np.zeros(problem.n_features, dtype=np.int64)
    if problem.costs is not None and problem.budget is not None:
        cost = problem.costs
    in_conflict = np.zeros(problem.n_features, dtype=bool)
    in_conflict[problem.conflicts.ravel()] = True
    order = np.lexsort((in_conflict, -problem.quality, cost)).tolist()
    groups_of: dict[int, list[int]] = {}
    for number, group in enumerate(problem.groups):
        for j in group.features:
            groups_of.setdefault(j, []).append(number)
    alike: dict[tuple[int, ...], list[int]] = {}
    for j in order:
        if j not in kept and j not in forbidden:
            alike.setdefault(tuple(groups_of.get(j, ())), []).append(j)
    for groups, features in alike.items():
        kept.update(_best_of(problem, features, _room(problem, groups), in_conflict))
    is_forbidden = np.isin(np.arange(problem.n_features), problem.forbidden)
    for j in np.lexsort((-problem.quality, is_forbidden)).tolist():
        if len(kept - forbidden if j not in forbidden else kept) >= problem.k:
            break
        kept.add(j)
    return sorted(kept)


def _room(problem: Instance, groups: Sequence[int]) -> int:
    """Return how many features, not forced, of some groups the sets have room for together."""
    forced, most = set(problem.forced), problem.k - len(problem.forced)
    for number in groups:
        group = problem.groups[number]
        most = min(most, int(group.at_most or 0) - len(forced.intersection(group.features)))
    return problem.n_sets * max(0, most)


def _best_of(problem: Instance, features: Sequence[int], room: int, in_conflict: Bools) -> list[int]:
    """Return which features, in ascending order of cost, fewer than `room` others dominate."""
    best: list[int] = []  # the largest qualities of features at most as expensive, the smallest of them first
    kept: list[int] = []
    for j in features:
        quality = int(problem.quality[j])
        if len(best) == room and (not room or quality <= best[0]):
            continue
        kept.append(j)
        if not in_conflict[j]:
            (heapreplace if len(best) == room else heappush)(best, quality)
    return kept
