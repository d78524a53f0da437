"""Greedy Depth Search: the lexicographically first sets that fit (paper 000, Appendix A.6, Algorithm 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality
from pyfsel.reductions.conflicts import conflict_matrix


def greedy_depth_search(
    problem: Problem,
    found: Sequence[FeatureSet] = (),
    *,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[FeatureSet]:
    """Go through the sets in lexicographic order of quality ranks and yield each that fits those before it.

    The sets are those of Algorithm 4, but a whole branch is left as soon as its first features rule it out,
    so that the sets of Greedy Replacement, with which the search begins, cost no enumeration. Quality only
    orders the features; conflicts and previous sets are respected.

    Parameters
    ----------
    problem : Problem
    found : sequence of sets
        Sets of this problem found already, such as those of `greedy_replacement`; the search goes on from
        there.
    should_stop : callable
        Asked before every decision; the search ends when it returns True.

    Yields
    ------
    set
        Until there are ``n_sets`` with those in `found`, or none is left.

    Examples
    --------
    >>> problem = Problem(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=4, max_overlap=2)
    >>> list(greedy_depth_search(problem))
    [(0, 1, 2, 3), (0, 1, 4, 5), (2, 3, 4, 5)]
    """
    search = _LexicographicSearch(problem, found)
    for _ in range(problem.n_sets - len(found)):
        feature_set = search.next_set(should_stop)
        if feature_set is None:
            return
        yield feature_set


class _LexicographicSearch:
    """Enumerates sets of ranks (0 = best feature); sets are bit masks over the ranks."""

    def __init__(self, problem: Problem, found: Sequence[FeatureSet]) -> None:
        self.size = problem.set_size
        self.max_overlap = problem.max_overlap
        self.order = by_quality(problem)
        rank = {feature: position for position, feature in enumerate(self.order)}
        self.all = (1 << problem.n_features) - 1
        self.earlier = [_mask(rank[j] for j in members) for members in (*problem.previous_sets, *found)]
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
            if overlap > self.max_overlap:
                return 0
            if overlap == self.max_overlap:
                forbidden |= members
        for rank in self.chosen if self.conflicting else ():
            forbidden |= self.conflicting[rank]
        return self.all & ~forbidden


def _conflict_masks(problem: Problem, order: Sequence[int]) -> list[int]:
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
