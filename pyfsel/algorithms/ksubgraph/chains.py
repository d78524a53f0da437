"""The enumeration of heavy chains, many partial sets at a time, until all sets above a threshold are met."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pyfsel.algorithms.ksubgraph.concave_bound import ConcaveSearch
from pyfsel.algorithms.ksubgraph.heavy_chains import (
    DEPTH,
    FIRST,
    FOUND,
    LOW,
    NEXT,
    NODES,
    TARGET,
    WORK,
    Chains,
    Pairs,
    extend_chains,
    reaches,
)
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.core.arrays import Ints

# How much is done before the clock is read.
ENTRIES_AT_ONCE = 2**17  # of the matrix of pairs: a megabyte for each array of them
WORK_ON_CHAINS = 3 * 10**6  # looks at a candidate in one call of the core
SETS_AT_ONCE = 1000  # that the core notes before they are taken from it, where all sets are listed
PAIRS_AT_ONCE = 1000  # that go into the core together, the largest bounds first
SHARE_TO_KEEP = 0.9  # fewer features than this share are copied out
# When the relaxation comes in, and its share of the time from then on, all by trial: it is for large sets,
# where the chains go on for long, and its first matrices cost n³ operations.
ENTRIES_BEFORE_RELAXATION = 5 * 10**6  # which the chains look at within a fraction of a second
ENTRIES_PER_CUBE_BEFORE_RELAXATION = 5  # times n³, what its first matrices cost
MOST_TO_RELAX = 1000  # features: eight matrices of eight megabytes
WORK_ON_RELAXATION = 10**8  # in one turn, in its own unit of about a nanosecond
WORK_ON_RELAXATION_PER_ENTRY = 4  # what an entry of the chains takes in that unit: half of the time each
PAIR = 2


@dataclass
class ChainRun(ABC):
    """One run over all sets of value ≥ `lowest`, which rises above every set found if `improve`.

    Parameters
    ----------
    instance : PairInstance
        A reduced one. All that goes in and out is about the whole instance.
    lowest : int
    improve : bool
        Whether the search is for better and better sets only.
    expired : callable
        When it returns True, the search ends unfinished.
    take : callable
        Given whole sets, shape (any, size), and their values.
    on_bound : callable
        Given better and better upper bounds on the values of all sets.

    Attributes
    ----------
    bound : int or None
        No set has a larger value.
    nodes : int
        How many partial sets were met.
    work : int
        How many times a feature was looked at next to a partial set.
    """

    instance: PairInstance
    lowest: int
    improve: bool
    expired: Callable[[], bool]
    take: Callable[[Ints, Ints], None]
    on_bound: Callable[[int], None] = lambda bound: None
    bound: int | None = field(default=None, init=False)
    nodes: int = field(default=0, init=False)
    work: int = field(default=0, init=False)

    def search(self) -> bool:
        """Return whether everything was searched."""
        n, k = self.instance.n_features, self.instance.k
        if k <= 1:
            sets = np.arange(n)[:, None] if k else np.empty((1, 0), np.int64)
            self._accept(sets, self.instance.linear[sets].sum(axis=1))
            return True
        return self._search_chains()

    @abstractmethod
    def _search_chains(self) -> bool:
        """Search sets of two features and more."""

    @property
    def least(self) -> int:
        """The minimum value of a set of the reduced instance."""
        return self.lowest - self.instance.offset

    def _accept(self, sets: Ints, values: Ints) -> None:
        """Take the sets of the reduced instance that are good enough, or the best of them if `improve`."""
        values = values + self.instance.offset
        good = np.flatnonzero(values >= self.lowest)
        if self.improve and len(good):
            good = np.array([values.argmax()])
            self.lowest = max(self.lowest, int(values[good[0]]) + 1)
        if len(good):
            self.take(self.instance.whole(sets[good]), values[good])

    def _report(self, bound: int) -> None:
        """Report a bound on all sets, given one on parts of those not met; all others are below `lowest`."""
        bound = max(bound + self.instance.offset, self.lowest - 1)
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.on_bound(bound)


def largest_sum(values: Ints, part: Ints, room: Sequence[int], count: int) -> tuple[int, int]:
    """Return the largest sum of `count` values, and the least of them; `LOW` twice if there are fewer.

    Parameters
    ----------
    values, part : arrays of shape (n,)
        Values, `LOW` of those that do not count, and the part that each is of.
    room : sequence of int
        How many values of each part may be taken.
    count : int
    """
    of_parts = [np.sort(values[part == number])[::-1][:most] for number, most in enumerate(room)]
    top = np.sort(np.concatenate(of_parts))[::-1][:count]
    return (LOW, LOW) if len(top) < count or top[-1] == LOW else (int(top.sum()), int(top[-1]))


@dataclass
class ChainSearch(ChainRun):
    """A run with all weights in memory."""

    _relaxation: ConcaveSearch | None = field(default=None, init=False)

    def _search_chains(self) -> bool:
        if not self._prepare():
            return True
        for _ in self._search_pairs():
            if self.expired():
                return False
            while self._is_turn_of_relaxation():
                if self._search_by_relaxation():
                    return True
                if self.expired():
                    return False
        return True

    @property
    def _target(self) -> int:
        """The least weight of a set that is looked for."""
        return self.instance.edges.least_weight(self.least)

    def _prepare(self) -> bool:
        """Leave out features that no set of the target's weight contains; return whether enough are left."""
        self._divide()
        bounds = self._bounds_with_each()
        if bounds.max() < self._target:
            return False
        self._report_weight(int(bounds.max()))
        good = bounds >= self._target
        if good.mean() < SHARE_TO_KEEP:
            self.instance = self.instance.among(np.flatnonzero(good))
            self._divide()
        self._apart = self.instance.conflicts.copy()
        np.fill_diagonal(self._apart, val=True)
        for members in self.instance.previous[self.instance.limits == 1]:
            self._apart |= np.outer(members, members)
        return True

    def _divide(self) -> None:
        """Divide the features into parts: the ones without a limit, and one part for each previous set."""
        self._weights = self.instance.edges.weights
        self._reaches = reaches(self._weights, self.instance.k)
        own = self.instance.parts
        self._limiting = np.unique(own[own >= 0])
        self._part = np.searchsorted(self._limiting, own) + 1
        self._part[own < 0] = 0

    def _bounds_with_each(self) -> Ints:
        """Return for each feature a bound on the weight of the sets that hold it."""
        values, k = self._reaches[-1], self.instance.k
        total, least = largest_sum(values, self._part, [k, *self.instance.limits[self._limiting]], k)
        # a feature that is not among the largest takes the place of the least of them
        return np.minimum(total, total - least + values) if least > LOW else np.full(len(values), LOW)

    def _needed(self, m: int) -> int:
        """Return the least weight of m features of a chain."""
        k = self.instance.k
        return -(-self._target * m * (m - 1) // (k * (k - 1)))  # rounded up, as weights are integers

    def _thresholds(self) -> Ints:
        return np.array([self._needed(m) for m in range(self.instance.k + 1)])

    def _search_pairs(self) -> Iterator[None]:
        """Extend all heavy pairs, those that may reach farthest first; yield now and then."""
        k, heavy = self.instance.k, [np.empty((0, 2), np.int64)]
        n = self.instance.n_features
        at_once = max(1, ENTRIES_AT_ONCE // n)
        for first in range(0, n, at_once):
            yield
            some = slice(first, first + at_once)
            good = ~self._apart[some] & (self._weights[some] >= self._needed(PAIR))
            self.work += good.size
            heavy.append(np.argwhere(np.triu(good, first + 1)) + np.array([first, 0]))
        pairs = np.concatenate(heavy)
        weights = self._weights[tuple(pairs.T)]
        if k == PAIR:
            self._take_weighted(pairs, weights)
            return
        yield from self._search_below(pairs, weights * (k * (k - 1) // 2))

    def _search_below(self, pairs: Ints, bounds: Ints) -> Iterator[None]:
        """Extend pairs until whole sets are met."""
        order = np.argsort(-bounds, kind="stable")
        of_all = self._pairs().with_low_weights()
        chains = Chains.of(of_all, self._reaches, self.instance.k, 1 if self.improve else SETS_AT_ONCE)
        state, done = chains.state, 0
        while done < len(order) and bounds[order[done]] >= self._target:
            self._report_weight(int(bounds[order[done]]))
            some = np.sort(order[done : done + PAIRS_AT_ONCE])
            firsts, features = np.ascontiguousarray(pairs[some].T)
            state[[DEPTH, FIRST, NEXT]] = 0, -1, 0
            while state[DEPTH] >= 0:
                yield
                chains.needed[:] = self._thresholds()
                state[[TARGET, WORK, NODES, FOUND]] = chains.needed[-1], 0, 0, 0
                extend_chains(chains, of_all, firsts, features, WORK_ON_CHAINS)
                self.work += int(state[WORK])
                self.nodes += int(state[NODES])
                if state[FOUND]:
                    found = slice(state[FOUND])
                    self._take_weighted(chains.sets[found].copy(), chains.weights[found].copy())
            done += len(some)

    def _pairs(self) -> Pairs:
        return Pairs(
            self._weights,
            self._apart,
            np.ascontiguousarray(self.instance.previous),
            self.instance.limits,
            self._limiting,
            self._part,
            -(-self._weights.max(axis=1) // 2),  # rounded up: two of them are at least the weight of a pair
        )

    def _is_turn_of_relaxation(self) -> bool:
        """Return whether the relaxation can help, and had less than half of the time since it came in."""
        n = self.instance.n_features
        if not self.improve or not self.instance.edges.exact or n > MOST_TO_RELAX:
            return False
        if self._relaxation is None:
            if self.work < max(ENTRIES_BEFORE_RELAXATION, ENTRIES_PER_CUBE_BEFORE_RELAXATION * n**3):
                return False
            self._relaxation = ConcaveSearch(self._pairs(), self.instance.k)
        return self._relaxation.work <= WORK_ON_RELAXATION_PER_ENTRY * self.work

    def _search_by_relaxation(self) -> bool:
        """Let the relaxation do some of its share; return whether everything is searched."""
        relaxation = self._relaxation
        assert relaxation is not None
        enough, nodes = relaxation.work + WORK_ON_RELAXATION, relaxation.nodes
        while relaxation.is_open and relaxation.work < enough:
            found = relaxation.search(self._target, enough - relaxation.work)
            if found is not None:
                self._take_weighted(*found)
        self.nodes += relaxation.nodes - nodes
        if relaxation.is_open and relaxation.bound < math.inf:
            self._report_weight(math.floor(relaxation.bound))
        return not relaxation.is_open

    def _take_weighted(self, members: Ints, weights: Ints) -> None:
        """Take sets, shape (any, k), of features that are left."""
        edges = self.instance.edges
        values = weights * edges.weight_factor // edges.value_factor
        self._accept(members, values if edges.exact else self.instance.values(members))

    def _report_weight(self, weight: int) -> None:
        """Report a bound on all sets, given one on the weights of those not met."""
        self._report(self.instance.edges.largest_value(weight))
