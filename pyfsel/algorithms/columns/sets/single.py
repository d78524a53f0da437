"""Branch and bound over the sets that are allowed on their own, for any integer weights of the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.columns.prices.subsets import GroupedSubsets, SubsetPrices, charge, hold, no_subsets
from pyfsel.algorithms.columns.sets.allowed import HIGH, LOW, FoundSets
from pyfsel.algorithms.compiled import compiled
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality
from pyfsel.reductions.conflicts import clique_partition, conflict_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyfsel.problem.objectives import FeatureSet

MOST_IMPROVING = 256


class SingleSets(NamedTuple):
    """What a set must satisfy by itself; see `pyfsel.algorithms.columns.sets.allowed.AllowedSets`.

    Attributes
    ----------
    set_size, max_overlap : int
    quality : array of shape (n,)
    together : array of bool, shape (n, n)
        Whether two features may be in one set.
    clique : array of shape (n,)
        A partition of the features: no set holds two features of one part.
    previous : array of bool, shape (p, n)
        Sets with each of which a set shares at most `max_overlap` features.
    """

    set_size: int
    max_overlap: int
    quality: NDArray[np.int64]
    together: NDArray[np.bool_]
    clique: NDArray[np.int64]
    previous: NDArray[np.bool_]

    @property
    def takes_subset_prices(self) -> bool:
        return True

    @property
    def unit(self) -> int:
        return max(1, int(np.abs(self.quality).max()))

    @property
    def lowest(self) -> int:
        return int(np.sort(self.quality)[: self.set_size].sum())

    def beside(self, others: Sequence[FeatureSet]) -> SingleSets:
        if self.max_overlap >= self.set_size or not others:
            return self
        rows = np.zeros((len(others), len(self.quality)), dtype=bool)
        for row, members in zip(rows, others, strict=True):
            row[list(members)] = True
        return self._replace(previous=np.vstack([self.previous, rows]))

    def heavy(
        self,
        weight: NDArray[np.int64],
        threshold: int,
        least_value: int,
        limit: int,
        subsets: SubsetPrices | None = None,
        most_value: int = HIGH,
    ) -> FoundSets:
        orders, grouped = _orders(self, weight), self._grouped(subsets)
        found = np.empty((1024, self.set_size), dtype=np.int32)
        while True:
            count = _branch(self, orders, grouped, threshold, least_value, most_value, False, found)
            if count < len(found) or len(found) > limit:
                return _without_rest(found[:count])
            found = np.empty((min(8 * len(found), limit + 1), self.set_size), dtype=np.int32)

    def improving(
        self, weight: NDArray[np.int64], threshold: int, subsets: SubsetPrices | None = None
    ) -> FoundSets:
        """Return heavier and heavier sets, the last ones met."""
        most = MOST_IMPROVING
        found = np.empty((most, self.set_size), dtype=np.int32)
        orders, grouped = _orders(self, weight), self._grouped(subsets)
        count = _branch(self, orders, grouped, threshold + 1, LOW, HIGH, True, found)
        return _without_rest(found[:count] if count <= most else np.roll(found, -(count % most), axis=0))

    def _grouped(self, subsets: SubsetPrices | None) -> GroupedSubsets:
        n = len(self.quality)
        return (no_subsets(n, self.max_overlap + 1) if subsets is None else subsets).by_member()


class Orders(NamedTuple):
    """The features by decreasing weight, their weights, and by decreasing quality their places in that."""

    by_weight: NDArray[np.int64]
    weight: NDArray[np.int64]
    by_quality: NDArray[np.int64]


def single_sets(problem: Problem) -> SingleSets:
    """Return what each set of a problem must satisfy by itself."""
    conflict = conflict_matrix(problem)
    base = SingleSets(
        set_size=problem.set_size,
        max_overlap=problem.max_overlap,
        quality=np.ascontiguousarray(problem.quality),
        together=~conflict,
        clique=clique_partition(conflict, by_quality(problem)),
        previous=np.zeros((0, problem.n_features), dtype=bool),
    )
    return base.beside(problem.previous_sets)


def _orders(sets: SingleSets, weight: NDArray[np.int64]) -> Orders:
    by_weight = np.argsort(-weight, kind="stable")
    place = np.empty_like(by_weight)
    place[by_weight] = np.arange(len(place))
    by_quality = place[np.argsort(-sets.quality, kind="stable")]
    return Orders(by_weight, weight[by_weight], by_quality)


def _without_rest(members: NDArray[np.int32]) -> FoundSets:
    return FoundSets(members, np.zeros(len(members), dtype=np.int64))


@compiled
def _branch(
    sets: SingleSets,
    orders: Orders,
    subsets: GroupedSubsets,
    threshold: int,
    least_quality: int,
    most_quality: int,
    improve: bool,
    found: NDArray[np.int32],
) -> int:
    """Write sets of at least these weight and quality, and no more quality, to `found`; return how many.

    Features are taken by decreasing weight; what a beginning holds is paid for at once. A beginning is left
    when no end can bring it far enough, or each brings it too far. With `improve`, each set raises the
    threshold above its weight and the oldest sets are overwritten; otherwise the search ends when `found` is
    full.
    """
    by_weight, weight, best_first = orders
    worst_first = best_first[::-1].copy()
    clique, value = sets.clique[by_weight], sets.quality[by_weight]
    n, k = len(weight), sets.set_size
    candidates = np.empty((k + 1, n), dtype=np.int32)
    alive = np.zeros((k + 1, n), dtype=np.bool_)
    sizes = np.zeros(k + 1, dtype=np.int64)
    positions = np.zeros(k + 1, dtype=np.int64)
    weights = np.zeros(k + 1, dtype=np.int64)
    qualities = np.zeros(k + 1, dtype=np.int64)
    shared = np.zeros((k + 1, len(sets.previous)), dtype=np.int64)
    chosen = np.zeros(k, dtype=np.int32)
    held = np.zeros((k + 1, subsets.words.shape[1]), dtype=np.uint64)
    seen = np.full(n, -1, dtype=np.int64)
    bounds_quality = least_quality > LOW or most_quality < HIGH
    count = 0
    stamp = 0
    depth = 0
    sizes[0] = _usable(sets, by_weight, candidates[0])
    _mark(candidates[0, : sizes[0]], alive[0])
    while depth >= 0:
        left = k - depth
        rest = candidates[depth, positions[depth] : sizes[depth]]
        if len(rest) < left:
            depth -= 1
            continue
        first = rest[0]
        stamp += 1
        hopeless = weights[depth] + _heaviest_end(weight, clique, rest, left, seen, stamp) < threshold
        # Every end is a choice of `left` features still to come: the first ones from the best are worth at
        # least as much, those from the worst at most. (As a function these loops take a third longer.)
        if not hopeless and least_quality > LOW:
            best = qualities[depth]
            got = 0
            for place in best_first:
                if alive[depth, place] and place >= first:
                    best += value[place]
                    got += 1
                    if got == left:
                        break
            hopeless = best < least_quality
        if not hopeless and most_quality < HIGH:
            worst = qualities[depth]
            got = 0
            for place in worst_first:
                if alive[depth, place] and place >= first:
                    worst += value[place]
                    got += 1
                    if got == left:
                        break
            hopeless = worst > most_quality
        if hopeless:
            depth -= 1
            continue
        feature = by_weight[first]
        positions[depth] += 1
        chosen[depth] = feature
        held[depth + 1] = held[depth]
        hold(held[depth + 1], feature)
        total = weights[depth] + weight[first] - charge(held[depth + 1], subsets, feature)
        quality = qualities[depth] + value[first]
        if left == 1:
            if total >= threshold and least_quality <= quality <= most_quality:
                if count == len(found) and not improve:
                    return count
                found[count % len(found)] = chosen
                count += 1
                if improve:
                    threshold = total + 1
            continue
        depth += 1
        full = False
        for p in range(len(sets.previous)):
            shared[depth, p] = shared[depth - 1, p] + sets.previous[p, feature]
            full = full or shared[depth, p] == sets.max_overlap
        sizes[depth] = _compatible(sets.together[feature], by_weight, rest[1:], candidates[depth])
        if full:
            sizes[depth] = _outside_full(sets, by_weight, shared[depth], candidates[depth, : sizes[depth]])
        if bounds_quality:
            alive[depth] = False
            _mark(candidates[depth, : sizes[depth]], alive[depth])
        positions[depth] = 0
        weights[depth] = total
        qualities[depth] = quality
    return count


@compiled
def _usable(sets: SingleSets, by_weight: NDArray[np.int64], places: NDArray[np.int32]) -> int:
    """Write the places of the features that a set may hold; return how many these are."""
    size = 0
    for place in range(len(by_weight)):
        usable = True
        for p in range(len(sets.previous)):
            usable = usable and not (sets.max_overlap == 0 and sets.previous[p, by_weight[place]])
        if usable:
            places[size] = place
            size += 1
    return size


@compiled
def _mark(places: NDArray[np.int32], alive: NDArray[np.bool_]) -> None:
    """Note which places are still to come."""
    for place in places:
        alive[place] = True


@compiled
def _heaviest_end(
    weight: NDArray[np.int64],
    clique: NDArray[np.int64],
    rest: NDArray[np.int32],
    left: int,
    seen: NDArray[np.int64],
    stamp: int,
) -> int:
    """Return what the features still to come weigh at most; far too little if there are too few.

    No set holds two features of one clique of conflicts. So the heaviest feature of each of the `left`
    cliques whose heaviest ones weigh most, which come first in `rest`, are at least as heavy as any end; the
    prices of subsets, which are none or positive, only lower what an end weighs.
    """
    total = 0
    got = 0
    for place in rest:
        part = clique[place]
        if seen[part] != stamp:
            seen[part] = stamp
            total += weight[place]
            got += 1
            if got == left:
                return int(total)
    return LOW


@compiled
def _compatible(
    together: NDArray[np.bool_],
    by_weight: NDArray[np.int64],
    rest: NDArray[np.int32],
    places: NDArray[np.int32],
) -> int:
    """Write which of the places have no conflict with a feature; return how many these are."""
    size = 0
    for place in rest:
        if together[by_weight[place]]:
            places[size] = place
            size += 1
    return size


@compiled
def _outside_full(
    sets: SingleSets, by_weight: NDArray[np.int64], shared: NDArray[np.int64], places: NDArray[np.int32]
) -> int:
    """Keep the places that are in no previous set which shares all it may already; return how many."""
    size = 0
    for place in places:
        allowed = True
        for p in range(len(shared)):
            if shared[p] == sets.max_overlap and sets.previous[p, by_weight[place]]:
                allowed = False
                break
        if allowed:
            places[size] = place
            size += 1
    return size
