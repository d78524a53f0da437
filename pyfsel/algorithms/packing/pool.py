"""Enumeration of the feature sets that are allowed on their own and reach a given value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb
from typing import TypeAlias

import numpy as np

from pyfsel.algorithms.best_first import best_first
from pyfsel.core.arrays import Array, Bools, Ints, ShortInts
from pyfsel.problem import values as problem_values
from pyfsel.problem.dissimilarity import previous_limits
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import side_rows
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import conflict_matrix, objective_of
from pyfsel.results.control import TooManySetsError

LARGEST_POOL = 6_000_000  # sets of ten features: 240 MB, and as much for a search through them
CHUNK = 500_000  # sets whose values are computed at a time
# Distances from the highest value at which pools are listed: the first is this part of the range of values,
# and each one is this many times the one before. Any are right: small ones list little more than is needed.
STEPS = 1024
GROWTH = 1.5

Above: TypeAlias = "tuple[ShortInts, Ints, int]"


def beside(sets: Array, members: FeatureSet, max_shared: int) -> Bools:
    """Return which of some sets, shape (m, k), share at most `max_shared` features with a set."""
    inside = np.zeros(1 + max((int(sets.max(initial=0)), *members)), dtype=np.int8)
    inside[list(members)] = 1
    free: Bools = inside[sets].sum(axis=1) <= max_shared
    return free


class Pool:
    """The sets of one size that satisfy everything but the constraints between new sets.

    Parameters
    ----------
    problem : Instance
    search : callable
        Returns all sets from a value on, at least, best first, ties lexicographic, and their values. What it
        returns is kept as long as the threshold does not fall.
    lowest, highest : int
        No set has a value outside of these.

    Attributes
    ----------
    most : int
        A search may give up if there are more sets.
    """

    most = LARGEST_POOL

    def __init__(
        self,
        problem: Instance,
        search: Callable[[int], tuple[Array, Ints]],
        lowest: int,
        highest: int,
    ) -> None:
        self.problem = problem
        self.search = search
        self.lowest, self.highest = lowest, highest
        self._threshold = highest + 1
        self._sets = np.empty((0, problem.k), np.int32)
        self._values = np.empty(0, np.int64)

    def above(self, threshold: int) -> tuple[ShortInts, Ints]:
        """Return the sets with a value of at least `threshold`, best first, ties lexicographic.

        Returns
        -------
        sets : array of shape (m, k), 0-based features, ascending
        values : array of shape (m,)

        Raises
        ------
        TooManySetsError
            If there are more than `LARGEST_POOL`.
        """
        if threshold < self._threshold:
            sets, self._values = self.search(threshold)
            self._sets = sets.astype(np.int32, copy=False)
            self._threshold = threshold
        count = int((self._values >= threshold).sum())
        return self._sets[:count], self._values[:count]

    def value_of(self, members: FeatureSet) -> int:
        """Return the value of one of the sets by the numbers of the pool."""
        return problem_values.value(self.problem, members)


def pool_of(problem: Instance) -> Pool:
    """Return the enumeration that fits the objective."""
    return UnivariatePool(problem) if objective_of(problem).is_sum else complete_pool(problem)


def too_large(problem: Instance) -> str | None:
    """Return why the sets of this problem cannot be enumerated, or None."""
    if objective_of(problem).is_sum:
        return None
    count = comb(problem.n_features, problem.k)
    if count <= LARGEST_POOL:
        return None
    return f"{count} possible sets are more than {LARGEST_POOL}"


def excluded_by_counting(problem: Instance) -> bool:
    """Return whether `n_sets` sets with the forced features share too much, however they are chosen.

    Either no features can be used often enough (`prefix_limits`), or the sets use the features that are not
    forced least unevenly at best, which gives the fewest pairs of sets that share a feature.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> sets = {"n_sets": 3, "k": 3, "max_shared": 1}
    >>> excluded_by_counting(Instance([5, 4, 3, 2, 1, 1, 1], forced=[0], **sets))
    False
    >>> excluded_by_counting(Instance([5, 4, 3, 2, 1, 1], forced=[0], **sets))
    True
    """
    from pyfsel.reductions.interchange import prefix_limits

    most_uses = prefix_limits(problem.n_features, problem.n_sets, problem.k, problem.max_shared)[-1]
    n_forced, pairs_of_sets = len(problem.forced), comb(problem.n_sets, 2)
    n_others = problem.n_features - n_forced
    uses = problem.n_sets * (problem.k - n_forced)
    share, larger = divmod(uses, n_others) if n_others else (0, 0)
    shared = larger * comb(share + 1, 2) + (n_others - larger) * comb(share, 2)
    too_often = most_uses < problem.n_sets * problem.k
    return too_often or shared > pairs_of_sets * (problem.max_shared - n_forced)


def complete_pool(problem: Instance) -> Pool:
    """Return the pool of all sets, whatever their objective, which are kept in memory."""
    alike = UnivariatePool(problem.replace(min_quality=None), np.zeros_like(problem.quality))
    sets, numbers = alike.above(0)[0], [np.empty(0, np.int64)]
    for first in range(0, len(sets), CHUNK):
        numbers.append(problem_values.values(problem, sets[first : first + CHUNK].astype(np.intp)))
    values = np.concatenate(numbers)
    if problem.min_quality is not None:
        sets, values = sets[values >= problem.min_quality], values[values >= problem.min_quality]
    lowest = int(values.min()) if len(values) else 0

    def search(threshold: int) -> tuple[ShortInts, Ints]:
        chosen = np.flatnonzero(values >= threshold)
        order = chosen[np.argsort(-values[chosen], kind="stable")]
        return sets[order], values[order]

    return Pool(problem, search, lowest, int(values.max(initial=lowest)))


def falling(
    pool: Pool,
    least: int | None,
    check: Callable[[], None],
) -> Iterator[Above]:
    """Yield the sets above lower and lower thresholds, each time with all that came before in front.

    Parameters
    ----------
    pool : Pool
    least : int, optional
        The last threshold; by default the lowest value of all sets.
    check : callable
        Called before the sets above a threshold are listed, so it can end that by an exception.

    Yields
    ------
    sets, values, threshold
    """
    lowest = pool.lowest if least is None else max(pool.lowest, least)
    distance = max(1.0, (pool.highest - pool.lowest) / STEPS)
    while True:
        check()
        threshold = max(lowest, pool.highest - int(distance))
        yield *pool.above(threshold), threshold
        if threshold <= lowest:
            return
        distance *= GROWTH


def _extended(sets: ShortInts, last: Ints, counts: Ints) -> tuple[ShortInts, Ints]:
    """Append to each row the `counts` numbers that follow its last one."""
    parent = np.repeat(np.arange(len(sets)), counts)
    offset = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts)
    new = last[parent] + 1 + offset
    return np.hstack([sets[parent], new[:, None].astype(np.int32)]), new


def are_allowed(problem: Instance, sets: Array, part_of: int | None = None) -> Bools:
    """Return which sets of one size satisfy all that a single set must, except for the minimum quality.

    With `part_of` they are parts of sets of that size: which of them break no limit for good?
    """
    size, is_part = part_of or sets.shape[1], part_of is not None
    allowed = np.ones(len(sets), dtype=bool)
    for row in side_rows(problem):
        coefficients = np.zeros(problem.n_features, dtype=np.int64)
        coefficients[list(row.features)] = row.coefficients
        sums = coefficients[sets].sum(axis=1)
        if row.low is not None and not is_part:
            allowed &= sums >= row.low
        if row.high is not None and (not is_part or min(row.coefficients) >= 0):
            allowed &= sums <= row.high
    shared = previous_limits(problem, size)
    if shared is None:
        return np.zeros(len(sets), dtype=bool)
    for previous, limit in zip(problem.previous, shared, strict=True):
        if limit < size:
            allowed &= beside(sets, previous, limit)
    if problem.has_conflicts:
        conflict = conflict_matrix(problem)
        for a, b in combinations(range(sets.shape[1]), 2):
            allowed &= ~conflict[sets[:, a], sets[:, b]]
    return allowed


class UnivariatePool(Pool):
    """Sets by branch and bound: only partial sets that some completion brings to the threshold are extended.

    Without conflicts, previous sets and side constraints no partial set is a dead end, so the effort is in
    proportion to what is returned. Forced features are in every partial set, forbidden ones in none. Other
    qualities than the problem's may be given: with zeros all sets that are allowed are listed.
    """

    def __init__(self, problem: Instance, quality: Ints | None = None) -> None:
        self.quality = problem.quality if quality is None else quality
        self.forced = np.array(problem.forced, dtype=np.int32)
        fixed = {*problem.forced, *problem.forbidden}
        order = np.argsort(-self.quality, kind="stable").tolist()
        self.order = np.array([j for j in order if j not in fixed], dtype=np.int32)
        self.sums = np.concatenate([[0], np.cumsum(self.quality[self.order])])
        self.n_free = problem.k - len(self.forced)
        base = int(self.quality[self.forced].sum())
        highest = base + int(self.sums[: self.n_free + 1][-1])
        lowest = base + int(self.sums[-1] - self.sums[max(0, len(self.order) - self.n_free)])
        if problem.min_quality is not None:
            lowest = min(highest, max(lowest, problem.min_quality))
        super().__init__(problem, self._listed, lowest, highest)

    def _listed(self, threshold: int) -> tuple[ShortInts, Ints]:
        if self.problem.min_quality is not None:
            threshold = max(threshold, self.problem.min_quality)
        sets = np.empty((1, 0), dtype=np.int32)
        last, values = np.array([-1]), self.quality[self.forced].sum(keepdims=True)
        for left in range(self.n_free, 0, -1):
            best_completion = self.sums[left:] - self.sums[:-left]
            end = np.searchsorted(-best_completion, values - threshold, side="right")
            counts = np.maximum(0, end - last - 1)
            if counts.sum() > self.most:
                raise TooManySetsError
            values = np.repeat(values, counts)
            sets, last = _extended(sets, last, counts)
            values = values + self.quality[self.order[last]]
            allowed = are_allowed(self.problem, self._members(sets), part_of=self.problem.k)
            sets, last, values = sets[allowed], last[allowed], values[allowed]
        members = np.sort(self._members(sets), axis=1)
        complete = are_allowed(self.problem, members) & (values >= threshold)
        return best_first(members[complete], values[complete])

    def value_of(self, members: FeatureSet) -> int:
        return int(self.problem.quality[list(members)].sum())

    def _members(self, sets: ShortInts) -> ShortInts:
        always = np.broadcast_to(self.forced, (len(sets), len(self.forced)))
        return np.hstack([always, self.order[sets]])
