"""How many sets of a size have nearly the largest sum: counted as switches from the best set, not listed.

The best set takes the features above the k-th quality and fills its open places from the rest. Another set
leaves out some of the former, which opens a place and loses their distance to the k-th quality, and takes
some of the rest, which fills a place and loses theirs. All losses are at least 0 and they add up to what the
set loses. So a table of the number of ways, by open places and loss, needs only as many rows as there are
places that can be opened within the loss. Leaving out comes first, so no row below 0 is ever needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from pyfsel.core.arrays import Array, Indices
from pyfsel.problem.instance import Instance
from pyfsel.results.control import TooManySetsError

MOST_CELLS = 3 * 10**7  # 240 MB; three of them are kept
LARGEST_ESTIMATE = 2.0**62
"""Sums of up to 10⁶ positive floats are within a millionth; counts below this fit into 64 bits."""


class NearOptimalSums:
    """The sets of a size with a sum of at least a number.

    Parameters
    ----------
    problem : Instance
        With a minimum quality; of its rules only forced and forbidden features count.
    size : int
    check : callable
        Called before each feature enters a table, so it can end that by an exception.

    Raises
    ------
    TooManySetsError
        If the loss that is allowed, in integers, makes the table larger than `MOST_CELLS`.

    Examples
    --------
    >>> near = NearOptimalSums(Instance([9, 8, 8, 3], n_sets=1, k=2, max_shared=2, min_quality=16), 2)
    >>> near.n_sets, near.feature_counts().tolist()
    (3, [2, 2, 2, 0])
    """

    def __init__(self, problem: Instance, size: int, check: Callable[[], None] = lambda: None) -> None:
        assert problem.min_quality is not None
        self.check, self.least = check, problem.min_quality
        quality, self.forced = problem.quality, frozenset(problem.forced)
        free = np.setdiff1d(np.arange(len(quality)), [*problem.forced, *problem.forbidden])
        free = free[np.argsort(-quality[free], kind="stable")]
        places = size - len(self.forced)
        base = int(quality[sorted(self.forced)].sum())
        self.losses = np.zeros(len(quality), dtype=np.int64)
        self.top = self.rest = free[:0]
        self.loss = base + int(quality[free[: max(0, places)]].sum()) - self.least
        if self.loss < 0 or not 0 <= places <= len(free):
            self.loss, self.ways = -1, np.zeros((1, 0), np.uint64)
            return
        if places:
            self.losses[free] = abs(quality[free] - quality[free[places - 1]])
            is_top = quality[free] > quality[free[places - 1]]
            self.top = free[is_top]
            self.rest = free[~is_top & (self.losses[free] <= self.loss)]
        self.n_open = places - len(self.top)
        opened = np.cumsum(np.sort(self.losses[self.top])) <= self.loss
        self.shape = (self.n_open + int(opened.sum()) + 1, self.loss + 1)
        if self.shape[0] * self.shape[1] > MOST_CELLS:
            raise TooManySetsError
        self.ways = self._table(np.uint64)

    @property
    def n_sets(self) -> int:
        """How many sets there are."""
        return int(self.ways[0].sum())

    def reaching(self, least: int) -> int:
        """Return how many of the sets have a sum of at least a number, which is not below `self.least`."""
        left = self.loss - (least - self.least)
        return int(self.ways[0, : left + 1].sum()) if left >= 0 else 0

    def feature_counts(self) -> Array:
        """Return how many of the sets hold each feature, shape (n_features,)."""
        counts = np.zeros(len(self.losses), dtype=object)
        counts[sorted(self.forced)] = self.n_sets
        summed = np.cumsum(self.ways, axis=1)
        for j in self.rest:
            counts[j] = self._with(summed, int(self.losses[j]))
        for j in self.top:
            self.check()
            counts[j] = self.together([int(j)])
        return counts

    def together(self, features: Iterable[int]) -> int:
        """Return how many of the sets hold all these features.

        What is left out of the top and what is taken of the rest have a table each, where a feature is undone
        by subtractions. All is done modulo 2⁶⁴ where that is more than the number of sets.
        """
        wanted = {*features} - self.forced
        top, rest = wanted & {*self.top.tolist()}, wanted & {*self.rest.tolist()}
        if self.loss < 0 or wanted - top - rest:
            return 0
        left_out, taken = self._left_out, self._taken_within
        for j in top:
            left_out = self._undo(left_out.copy(), int(self.losses[j]))
        for j in rest:
            taken = taken - self._undo(taken.copy(), int(self.losses[j]))  # all but those without it
        pairs = zip(left_out, taken[self.n_open :, ::-1], strict=True)
        modulus = 2**64 if self.ways.dtype == np.uint64 else self.n_sets + 1
        return sum(int((one * other).sum()) for one, other in pairs) % modulus

    @cached_property
    def _left_out(self) -> Array:
        """Ways to leave out features of the top, by number and loss, shape (opened + 1, loss + 1)."""
        ways = np.zeros((len(self.ways) - self.n_open, self.loss + 1), self.ways.dtype)
        ways[0, 0] = 1
        return self._chosen(ways, self.top)

    @cached_property
    def _taken_within(self) -> Array:
        """Ways to choose from the rest, by number and maximum loss, shape (places + 1, loss + 1)."""
        ways = np.zeros(self.shape, self.ways.dtype)
        ways[0] = 1
        return self._chosen(ways, self.rest)

    def _chosen(self, ways: Array, features: Indices) -> Array:
        """Let each of some features make a step from a row to the next one, or not."""
        for j in features:
            self.check()
            loss = int(self.losses[j])
            for row in range(len(ways) - 1, 0, -1) if loss <= self.loss else ():
                ways[row, loss:] += ways[row - 1, : self.loss + 1 - loss]
        return ways

    def _undo(self, ways: Array, loss: int) -> Array:
        """Take a feature of such a loss out of the ways."""
        for row in range(1, len(ways)) if loss <= self.loss else ():
            ways[row, loss:] -= ways[row - 1, : self.loss + 1 - loss]
        return ways

    def _with(self, summed: Array, loss: int) -> int:
        """Return how many sets take one of the rest.

        Undoing it is a series: the ways without it are those with it in the table, less those where it fills
        a place, of which it must not have filled one before, and so on.
        """
        found = 0
        for times in range(1, self.shape[0]):
            left = self.loss - times * loss
            if left < 0:
                break
            found += (-1) ** (times - 1) * int(summed[times, left])
        return found

    def _table(self, dtype: type) -> Array:
        """Return the ways by open places and loss, in Python's integers where 64 bits may not do."""
        many = 2.0 ** min(64, len(self.top) + len(self.rest)) >= LARGEST_ESTIMATE
        if dtype is np.uint64 and many and self._table(np.float64).sum(axis=1).max() >= LARGEST_ESTIMATE:
            return self._table(object)
        ways: Array = np.zeros(self.shape, dtype=dtype)
        ways[self.n_open, 0] = 1
        self._chosen(ways, self.top)
        self._chosen(ways[::-1], self.rest)
        return ways
