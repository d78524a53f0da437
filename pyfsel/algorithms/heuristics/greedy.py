"""Greedy searches over features in order of quality (paper 000, Section 3.5 and Appendix A.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import by_quality, is_plain_univariate
from pyfsel.reductions.conflicts import conflict_matrix


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
    if not is_plain_univariate(problem):
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
    if not is_plain_univariate(problem):
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
    search = _LexicographicSearch(problem)
    for _ in range(problem.n_sets):
        feature_set = search.next_set(should_stop)
        if feature_set is None:
            return
        yield feature_set


class _LexicographicSearch:
    """Enumerates sets of ranks (0 = best feature); sets are bit masks over the ranks."""

    def __init__(self, problem: Instance) -> None:
        self.size = problem.k
        self.max_shared = problem.max_shared
        self.order = by_quality(problem)
        rank = {feature: position for position, feature in enumerate(self.order)}
        self.all = (1 << problem.n_features) - 1
        self.earlier = [_mask(rank[j] for j in members) for members in problem.previous]
        self.conflicting = _conflict_masks(problem, self.order)
        self.chosen: list[int] = []
        self.first_candidate = 0

    def next_set(self, should_stop: Callable[[], bool]) -> FeatureSet | None:
        """Return the next set that fits, or None if there is none or the search has to stop."""
        while not should_stop():
            if len(self.chosen) == self.size:
                self.earlier.append(_mask(self.chosen))
                result = tuple(sorted(self.order[rank] for rank in self.chosen))
                self.first_candidate = self.chosen.pop() + 1
                return result
            candidates = self._allowed() >> self.first_candidate << self.first_candidate
            if candidates.bit_count() >= self.size - len(self.chosen):
                best = (candidates & -candidates).bit_length() - 1
                self.chosen.append(best)
                self.first_candidate = best + 1
            elif self.chosen:
                self.first_candidate = self.chosen.pop() + 1
            else:
                return None
        return None

    def _allowed(self) -> int:
        """Return the ranks that may be added to the chosen ones (none if those are too many already)."""
        chosen = _mask(self.chosen)
        forbidden = chosen
        for members in self.earlier:
            overlap = (chosen & members).bit_count()
            if overlap > self.max_shared:
                return 0
            if overlap == self.max_shared:
                forbidden |= members
        for rank in self.chosen if self.conflicting else ():
            forbidden |= self.conflicting[rank]
        return self.all & ~forbidden


def _conflict_masks(problem: Instance, order: Sequence[int]) -> list[int]:
    """Return for each rank the mask of the ranks in conflict with it; none at all without conflicts."""
    if not problem.conflicts:
        return []
    conflict = conflict_matrix(problem)[np.ix_(order, order)]
    return [
        int.from_bytes(row.tobytes(), "little") for row in np.packbits(conflict, axis=1, bitorder="little")
    ]


def _mask(ranks: Iterable[int]) -> int:
    mask = 0
    for rank in ranks:
        mask |= 1 << rank
    return mask
