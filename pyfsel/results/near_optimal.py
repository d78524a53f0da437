"""How many sets of a size have nearly the largest sum: counted as switches from the best set, not listed.

The best set takes the features above the k-th quality and fills its open places from the rest. Another set
leaves out some of the former, which opens a place and loses their distance to the k-th quality, and takes
some of the rest, which fills a place and loses theirs. All losses are at least 0 and they add up to what the
set loses. So a table of the number of ways, by open places and loss, needs only as many rows as there are
places that can be opened within the loss. Leaving out comes first, so no row below 0 is ever needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
            self.loss = -1
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
        many = 2.0 ** min(64, len(self.top) + len(self.rest)) >= LARGEST_ESTIMATE
        self._fill(np.float64 if many else np.uint64)
        if many:
            self._fill(object if self._number(self.left_out, self.taken) >= LARGEST_ESTIMATE else np.uint64)

    def _fill(self, dtype: type) -> None:
        """Count the ways to leave out of the top, by number and loss, and to take, by number and maximum."""
        self.left_out: NDArray[Any] = np.zeros((self.shape[0] - self.n_open, self.shape[1]), dtype)
        self.left_out[0, 0] = 1
        self.taken: NDArray[Any] = np.zeros(self.shape, dtype)
        self.taken[0] = 1
        for ways, features in ((self.left_out, self.top), (self.taken, self.rest)):
            for j in features:
                self.check()
                loss = int(self.losses[j])
                for row in range(len(ways) - 1, 0, -1) if loss <= self.loss else ():
                    ways[row, loss:] += ways[row - 1, : self.loss + 1 - loss]

    def _number(self, left_out: NDArray[Any], taken: NDArray[Any], unused: int = 0) -> int:
        """Return how many sets lose all of what is allowed, but for an unused part of it, or less."""
        left = self.loss + 1 - unused
        if left <= 0:
            return 0
        pairs = zip(left_out[:, :left], taken[self.n_open :, :left][:, ::-1], strict=True)
        found = sum(int((one * other).sum()) for one, other in pairs)
        return found % 2**64 if left_out.dtype == np.uint64 else found

    @property
    def n_sets(self) -> int:
        """How many sets there are."""
        return self.together(())

    def reaching(self, least: int) -> int:
        """Return how many of the sets have a sum of at least a number, which is not below `self.least`."""
        return self._number(self.left_out, self.taken, least - self.least) if self.loss >= 0 else 0

    def feature_counts(self) -> NDArray[np.object_]:
        """Return how many of the sets hold each feature, shape (n_features,)."""
        counts = np.zeros(len(self.losses), dtype=object)
        for j in (*self.forced, *self.top.tolist(), *self.rest.tolist()):
            self.check()
            counts[j] = self.together([j])
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
        left_out, taken = self.left_out, self.taken
        for j in top:
            left_out = self._undone(left_out, int(self.losses[j]))
        for j in rest:
            loss = int(self.losses[j])
            without = self._undone(taken, loss)
            taken = np.zeros_like(without)
            taken[1:, loss:] = without[:-1, : self.loss + 1 - loss]
        return self._number(left_out, taken)

    def _undone(self, ways: NDArray[Any], loss: int) -> NDArray[Any]:
        """Return the ways without a feature of such a loss."""
        ways = ways.copy()
        for row in range(1, len(ways)) if loss <= self.loss else ():
            ways[row, loss:] -= ways[row - 1, : self.loss + 1 - loss]
        return ways
