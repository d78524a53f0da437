"""Allowed sets of an objective on pairs of features, by the branch and bound on heaviest k-subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.columns.allowed import LOW, AllowedSets, FoundSets, ListedSets, Wanted
from pyfsel.algorithms.ksubgraph.instance import Instance, membership
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.ksubgraph.search import best_set, enumerate_instance
from pyfsel.algorithms.packing.pool import CompletePool
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.control import OutOfTimeError, TooManySetsError

MOST_TO_LIST = 1_000_000  # sets of four features: 16 MB of members, 8 MB of values
MOST_NEAR_HEAVIEST = 200  # columns that come with a heaviest set
STARTS = 10  # of the local search: few, as one search is done for each round of the relaxation
FIRST_MOST = 20_000  # of either enumeration; then 300,000 and 4,500,000, so that a hopeless one ends early
MORE = 15
MOST_TO_ENUMERATE = FIRST_MOST * MORE**2


def pairwise_sets(problem: Problem, expired: Callable[[], bool]) -> AllowedSets:
    """Return the allowed sets of a problem, in a list if they are not too many."""
    instance = Instance.of_problem(problem)
    quality, max_overlap, size = instance.linear, problem.max_overlap, problem.set_size
    unit = max(1, instance.largest_total // size)
    if comb(problem.n_features, size) > MOST_TO_LIST:
        return PairwiseSets(instance, max_overlap, size, quality, unit, -instance.largest_total, expired)
    pool = CompletePool(problem)
    rests = pool.values - quality[pool.sets].sum(axis=1)
    return ListedSets(max_overlap, quality, unit, pool.lowest, pool.sets, rests)


class PairwiseSets(NamedTuple):
    """The sets of an instance; see `pyfsel.algorithms.columns.allowed.AllowedSets`.

    Parameters
    ----------
    instance : Instance
    max_overlap : int
        How many features new sets may share.
    set_size : int
    quality : array of shape (n,)
    unit, lowest : int
    expired : callable
        When it returns True, a search ends with `OutOfTimeError`.
    """

    instance: Instance
    max_overlap: int
    set_size: int
    quality: NDArray[np.int64]
    unit: int
    lowest: int
    expired: Callable[[], bool]

    @property
    def takes_subset_prices(self) -> bool:
        return self.max_overlap == 1  # the subsets are pairs, whose prices the instance has room for

    def value_of(self, members: FeatureSet) -> int:
        return int(self.instance.values(np.array([members]))[0])

    def beside(self, others: Sequence[FeatureSet]) -> PairwiseSets:
        previous = np.vstack([self.instance.previous, membership(others, len(self.quality))])
        return self._replace(instance=replace(self.instance, previous=previous))

    def heavy(self, wanted: Wanted, limit: int) -> FoundSets:
        """Return all wanted sets, or `limit` + 1 of them.

        Those of the least weight are enumerated, or those of the least value, whichever are fewer; if both
        are more than fit into memory, `TooManySetsError` is raised.
        """
        weighted, least_value = self._weighted(wanted), wanted.least_value
        most = FIRST_MOST
        while True:
            for instance, least in ((weighted, wanted.threshold), (self.instance, least_value)):
                found = enumerate_instance(instance, least, most, self.expired)
                if found.complete:
                    values = self.instance.values(found.sets)
                    enough = (values >= least_value) & (values <= wanted.most_value)
                    enough &= weighted.values(found.sets) >= wanted.threshold
                    return self._with_rests(found.sets[enough][: limit + 1])
                if self.expired():
                    raise OutOfTimeError
            if most >= MOST_TO_ENUMERATE:
                raise TooManySetsError
            most *= MORE

    def improving(self, wanted: Wanted) -> FoundSets:
        """Return a heaviest set, and before it some that are nearly as heavy."""
        weighted = self._weighted(wanted)
        best = best_set(weighted, Start(n_random=STARTS), at_least=wanted.threshold, expired=self.expired)
        if not best.finished:
            raise OutOfTimeError
        if best.features is None:
            return self._with_rests(np.empty((0, self.set_size), dtype=np.int64))
        assert best.value is not None
        heaviest = np.array([best.features])
        if wanted.threshold == LOW:
            return self._with_rests(heaviest)
        half_way = (best.value + wanted.threshold) // 2
        near = enumerate_instance(weighted, half_way, MOST_NEAR_HEAVIEST, self.expired)
        return self._with_rests(np.vstack([near.sets, heaviest]))

    def _weighted(self, wanted: Wanted) -> Instance:
        """Return the instance whose values are the weights of the sets: prices of pairs are paid."""
        pairwise = self.instance.pairwise
        if wanted.subsets is not None:
            pairwise = pairwise + wanted.subsets.pair_matrix()
        return replace(self.instance, linear=wanted.weight, pairwise=pairwise)

    def _with_rests(self, sets: NDArray[np.int64]) -> FoundSets:
        members = sets.astype(np.int32)
        return FoundSets(members, self.instance.values(sets) - self.quality[members].sum(axis=1))
