"""Greedy searches over features in order of quality (paper 000, Section 3.5 and Appendix A.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import by_quality, conflict_matrix, is_interchangeable


def greedy_replacement(problem: Instance) -> list[FeatureSet]:
    """Keep the best features in every set and fill up with features not used before.

    Paper 000, Algorithm 2, on integers: ``max_shared`` features stay, ``k − max_shared`` change.

    Returns
    -------
    list of sets
        As many as there are unused features for; empty if the problem is not plainly univariate.

    Examples
    --------
    >>> greedy_replacement(Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1))
    [(0, 1), (0, 2), (0, 3)]
    """
    if not is_interchangeable(problem) or problem.previous:
        return []
    order = by_quality(problem)
    fixed, rest = order[: problem.max_shared], order[problem.max_shared :]
    changing = problem.k - problem.max_shared
    if changing == 0:
        return [tuple(sorted(fixed))] * problem.n_sets
    possible = min(problem.n_sets, len(rest) // changing)
    return [tuple(sorted(fixed + rest[i * changing : (i + 1) * changing])) for i in range(possible)]


def greedy_balancing(problem: Instance) -> list[FeatureSet]:
    """Deal the features that Greedy Replacement uses to the sets so that the qualities get even.

    Paper 000, Algorithm 3: each feature, best first, goes to the set that is worst so far and not yet full.

    Returns
    -------
    list of sets
        All that the problem asks for, or none at all.

    Examples
    --------
    >>> greedy_balancing(Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=2, k=4, max_shared=2))
    [(0, 1, 2, 5), (0, 1, 3, 4)]
    """
    if not is_interchangeable(problem) or problem.previous:
        return []
    order = by_quality(problem)
    fixed = order[: problem.max_shared]
    changing = problem.k - problem.max_shared
    dealt = order[problem.max_shared : problem.max_shared + changing * problem.n_sets]
    if len(dealt) < changing * problem.n_sets:
        return []
    hands: list[list[int]] = [[] for _ in range(problem.n_sets)]
    sums = [0] * problem.n_sets
    for feature in dealt:
        worst = min((i for i, hand in enumerate(hands) if len(hand) < changing), key=lambda i: (sums[i], i))
        hands[worst].append(feature)
        sums[worst] += int(problem.quality[feature])
    return [tuple(sorted(fixed + hand)) for hand in hands]


def greedy_depth_search(
    problem: Instance, *, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[FeatureSet]:
    """Go through the sets in lexicographic order of quality ranks and yield each that fits those before it.

    The sets are the sets of Algorithm 4, but a whole branch is left as soon as its first features rule it
    out, so the sets of Greedy Replacement, with which the search begins, cost no enumeration. Quality only
    orders the features; conflicts and previous sets are respected.

    Parameters
    ----------
    problem : Instance
    should_stop : callable
        Asked before every decision; the search ends when it returns True.

    Yields
    ------
    set
        Until there are ``n_sets``, or none is left.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=4, max_shared=2)
    >>> list(greedy_depth_search(problem))
    [(0, 1, 2, 3), (0, 1, 4, 5), (2, 3, 4, 5)]
    """
    k, order = problem.k, by_quality(problem)
    rank = {feature: position for position, feature in enumerate(order)}
    earlier = [sum(1 << rank[j] for j in members) for members in problem.previous]
    conflicting = _conflict_masks(problem, order) if problem.has_conflicts else []
    chosen: list[int] = []  # ranks: 0 is the best feature
    n_found = first = 0

    def allowed() -> int:
        """Return the ranks that may be added to the chosen ones (none if those are too many already)."""
        mask = forbidden = sum(1 << place for place in chosen)
        for members in earlier:
            overlap = (mask & members).bit_count()
            if overlap > problem.max_shared:
                return 0
            if overlap == problem.max_shared:
                forbidden |= members
        for rank in chosen if conflicting else ():
            forbidden |= conflicting[rank]
        return ~forbidden & (1 << problem.n_features) - 1

    while n_found < problem.n_sets and not should_stop():
        if len(chosen) == k:
            earlier.append(sum(1 << place for place in chosen))
            n_found += 1
            yield tuple(sorted(order[rank] for rank in chosen))
            first = chosen.pop() + 1
            continue
        candidates = allowed() >> first << first
        if candidates.bit_count() >= k - len(chosen):
            chosen.append((candidates & -candidates).bit_length() - 1)
            first = chosen[-1] + 1
        elif chosen:
            first = chosen.pop() + 1
        else:
            return


def _conflict_masks(problem: Instance, order: Sequence[int]) -> list[int]:
    """Return for each rank the mask of the ranks in conflict with it."""
    conflict = conflict_matrix(problem)[np.ix_(order, order)]
    return [
        int.from_bytes(row.tobytes(), "little") for row in np.packbits(conflict, axis=1, bitorder="little")
    ]
