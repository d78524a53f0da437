"""Heavy chains over features whose redundancies are computed row by row.

With the weights ``e_ij = l_i + l_j − p (k − 1) r_ij``, where p is the weight of a pair, W(S) is k − 1 times
the value of S. They are at most ``l_i + l_j``, since no redundancy is negative. So with the features by
decreasing l, those that can extend m features T to a partial set that weighs enough,
``W(T) + Σ_{t ∈ T} e_tj ≥ needed``, are among those with ``m l_j ≥ needed − W(T) − Σ_T l``: a prefix. Only
rows of features in partial sets are needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pyfsel.algorithms.ksubgraph.chains import ChainRun
from pyfsel.core.arrays import Indices, Ints

ROWS_AT_ONCE = 128
ENTRIES_AT_ONCE = 2**21  # of all features: 16 MB in 64 bits


class Heavy(NamedTuple):
    """Partial sets T of m features each: members and their degrees, shape (b, m), and weights, shape (b,)."""

    members: Indices
    degrees: Ints
    weight: Ints

    def some(self, places: slice) -> Heavy:
        """Return some of them."""
        return Heavy(*(numbers[places] for numbers in self))


class OnDemandSearch(ChainRun):
    """A run with rows of redundancies on demand."""

    def _search_chains(self) -> bool:
        self.instance = self.instance.best_first()
        self._factor = self.instance.per_pair * (self.instance.k - 1)
        linear = self.instance.linear
        n = len(linear)
        at_once = min(ENTRIES_AT_ONCE, self.instance.pairwise.entries_at_once)
        self._rows_at_once = max(1, min(ROWS_AT_ONCE, at_once // n))
        singles = Heavy(np.arange(n)[:, None], np.zeros((n, 1), np.int64), np.zeros(n, np.int64))
        for first in range(0, n, self._rows_at_once):
            if 2 * linear[first] < self._needed(2):
                break
            self._report(self.instance.k * int(linear[first]))
            for partial in self._descend(singles.some(slice(first, first + self._rows_at_once))):
                if self.expired():
                    return False
                self.nodes += len(partial.weight)
        return True

    def _needed(self, m: int) -> int:
        """Return the least weight of m features of a chain."""
        return -(-self.least * m * (m - 1) // self.instance.k)

    def _descend(self, partial: Heavy) -> Iterator[Heavy]:
        """Extend partial sets until whole sets are met; yield all that are met on the way, some at a time."""
        m, k = partial.members.shape[1], self.instance.k
        if m == k:
            self._take(partial.members, partial.weight)
            yield partial
            return
        for first in range(0, len(partial.weight), self._rows_at_once):
            some = partial.some(slice(first, first + self._rows_at_once))
            yield some
            if stop := self._stop(some):
                yield from self._descend(self._extended(some, stop))

    def _stop(self, partial: Heavy) -> int:
        """Return how many of the features, the best ones, can extend one of some partial sets."""
        m = partial.members.shape[1]
        linear = self.instance.linear
        least = self._needed(m + 1) - partial.weight - linear[partial.members].sum(axis=1)
        # m·l_j ≥ least, that is −l_j ≤ ⌊least / −m⌋, as both sides are integers
        return int(np.searchsorted(-linear, (least // -m).max(), side="right"))

    def _extended(self, partial: Heavy, stop: int) -> Heavy:
        """Return the partial sets of one feature more, the weakest of them, which is before `stop`."""
        members, degrees, weight = partial
        linear, factor, m = self.instance.linear, self._factor, members.shape[1]
        features, places = np.unique(members, return_inverse=True)
        places = places.reshape(members.shape)
        rows = self.instance.pairwise.kept_rows(features, stop)
        self.work += len(members) * stop
        shared = rows[places[:, 0]].astype(np.int64)
        for place in places.T[1:]:
            shared += rows[place]
        of_members = linear[members].sum(axis=1)
        slack = (of_members + weight - self._needed(m + 1))[:, None] + m * linear[:stop]
        row, new = np.nonzero(factor * shared <= slack)
        own = of_members[row] + m * linear[new] - factor * shared[row, new]
        old = members[row]
        between = factor * rows[places[row], new[:, None]].astype(np.int64)
        with_it = degrees[row] + linear[old] + linear[new][:, None] - between
        weakest = (with_it > own[:, None]) | ((with_it == own[:, None]) & (old < new[:, None]))
        good = weakest.all(axis=1) & (old != new[:, None]).all(axis=1)
        chosen = np.column_stack([old, new])[good]
        longer = Heavy(chosen, np.column_stack([with_it, own])[good], (weight[row] + own)[good])
        return self._feasible(longer)

    def _feasible(self, partial: Heavy) -> Heavy:
        """Return those that share no more with a previous set than is allowed."""
        members = partial.members
        if not len(self.instance.previous) or members.shape[1] <= self.instance.limits.min():
            return partial
        shared = self.instance.previous[:, members].sum(axis=2)
        good = (shared <= self.instance.limits[:, None]).all(axis=0)
        return Heavy(*(numbers[good] for numbers in partial))

    def _take(self, members: Indices, weights: Ints) -> None:
        self._accept(members, weights // (self.instance.k - 1))
