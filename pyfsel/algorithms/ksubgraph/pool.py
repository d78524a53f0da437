"""The search along chains as an enumeration for candidate packing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.forced import local_best
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.ksubgraph.run import BestSet
from pyfsel.algorithms.ksubgraph.search import best_set, enumerate_instance, instance_of
from pyfsel.algorithms.packing.pool import LARGEST_POOL, ListedPool, beside
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import SetsAbove
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError

# When all sets from a value on are enumerated, so the next steps of a sequential search need no search.
FEWEST_FURTHER_SETS = 3  # for fewer steps a search each is as quick
STARTS_OF_FOLLOWERS = 10  # of the local searches that say how far down the enumeration has to go
MOST_SETS_TO_GO_ON = 100_000  # some megabytes
LEAST_EFFORT = 10**6  # looks at a candidate: some milliseconds, however soon the first set was found
EFFORT_PER_STEP = 0.3  # of that of the first set: less than the searches which it is to save


def chains_pool(problem: Instance, control: Control, highest: int) -> ListedPool:
    """Return the sets of a problem from a value on, none of which is worth more than `highest`.

    The deadline of the control ends a listing with `OutOfTimeError`.
    """
    instance = instance_of(problem)

    def search(threshold: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        found = enumerate_instance(instance, threshold, LARGEST_POOL, control.expired)
        if not found.complete:
            raise TooManySetsError if len(found.sets) == LARGEST_POOL else OutOfTimeError
        return found.sets, found.values

    return ListedPool(problem, search, -instance.largest_total, highest)


def one_after_another(problem: Instance, control: Control) -> tuple[list[FeatureSet], int | None, bool]:
    """Return sets each of which is good beside those before it: a start for searching them together.

    The first one is proved best; each other one is what a local search finds, or a search if that finds none.

    Returns
    -------
    sets : up to `n_sets` of them; fewer if there is no further one, or the time is up
    bound : upper bound on the value of a single set, None if unknown; it is reported for all sets as well
    finished : whether the first set is proved best, or proved not to exist
    """
    first = best_set(instance_of(problem), Start(control.limits.random_state), expired=control.expired)
    if first.bound is not None:
        control.report_bound(first.bound if problem.aggregate == "min" else first.bound * problem.n_sets)
    sets: list[FeatureSet] = [] if first.features is None else [first.features]
    if sets and first.finished:
        sets += _followers(problem, sets[0], problem.n_sets - 1, control)
    return sets, first.bound, first.finished


def _followers(
    problem: Instance, first: FeatureSet, count: int, control: Control, starts: int | None = None
) -> list[FeatureSet]:
    """Return up to so many sets, each a good one beside those before it."""
    sets, seed = [first], control.limits.random_state
    while len(sets) <= count and not control.expired():
        instance = instance_of(problem.after(sets))
        local = local_best(instance, Start(seed, n_random=starts), control.expired)
        if local is None:
            found = best_set(instance, Start(seed), expired=control.expired).features
        else:
            found = local[1]
        if found is None:
            break
        sets.append(found)
    return sets[1:]


def sets_to_go_on(problem: Instance, best: BestSet, control: Control) -> SetsAbove | None:
    """Return all sets from a value on, those that sequential search is to take next among them if possible.

    Each step of it takes a best one of the sets that are left beside those before. As long as some set from
    the threshold on is left, these are the best ones left, whichever they are: no search is needed. So any
    threshold is valid, and a good one is little below the value of the last set. It begins at that of a
    local search, and rises to that of the sets met so far, one after the other. None if there are
    few sets to come, or the enumeration takes longer than it may save.

    Parameters
    ----------
    problem : Instance
        For one set.
    best : BestSet
        Proved.
    control : Control
        With `further_sets`.
    """
    if best.features is None or control.further_sets < FEWEST_FURTHER_SETS:
        return None
    followers = _followers(problem, best.features, control.further_sets, control, STARTS_OF_FOLLOWERS)
    if len(followers) < FEWEST_FURTHER_SETS:
        return None
    known = np.array([best.features, *followers])
    budget = max(LEAST_EFFORT, int(EFFORT_PER_STEP * len(known) * best.effort))
    lowest = values.value(problem, followers[-1])
    watch = GreedyThreshold(problem, len(known), lowest, budget)
    watch.see(known, values.values(problem, known))
    found = enumerate_instance(instance_of(problem), lowest, MOST_SETS_TO_GO_ON, control.expired, watch=watch)
    return SetsAbove(found.sets, found.values, found.least) if found.complete else None


class GreedyThreshold:
    """The value from which on an enumeration lists sets, raised by a greedy choice among those it has met.

    The choice takes the best set again and again, each compatible with those before it; sets of less than the
    last one's value are not needed. Beyond nine tenths of the budget fewer and fewer sets are chosen, which
    raises the threshold further; where less than `FEWEST_FURTHER_SETS` would be, the enumeration ends. New
    sets wait until they are half as many as those before, so sorting them all takes little in total.

    Parameters
    ----------
    problem : Instance
    count : int
        How many sets are chosen.
    lowest : int
        The threshold at first.
    budget : int
        The effort of the enumeration.
    """

    def __init__(self, problem: Instance, count: int, lowest: int, budget: int) -> None:
        self._count = count
        self._lowest = lowest
        self._budget = budget
        self._max_overlap = problem.max_overlap
        self._sets = np.empty((0, problem.set_size), np.int64)
        self._values = np.empty(0, np.int64)
        self._chosen_values: list[int] = []
        self._new: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def see(self, sets: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        self._new.append((sets.copy(), values.copy()))
        if 2 * sum(len(some) for _, some in self._new) >= len(self._values):
            self._take_new()

    def _take_new(self) -> None:
        sets, values = (np.concatenate(parts) for parts in zip(*self._new, strict=True))
        self._new = []
        known = np.concatenate([self._values, values])
        order = np.argsort(-known, kind="stable")
        self._values, self._sets = known[order], np.concatenate([self._sets, sets])[order]
        left, self._chosen_values = np.arange(len(order)), []
        while len(left) and len(self._chosen_values) < self._count:
            self._chosen_values.append(int(self._values[left[0]]))
            members = tuple(self._sets[left[0]].tolist())
            left = left[beside(self._sets[left], members, self._max_overlap)]
        good = self._values >= self._value_of_last(self._count)
        self._sets, self._values = self._sets[good], self._values[good]

    def threshold(self, effort: int) -> int | None:
        beyond = max(0, 10 * effort - 9 * self._budget)
        count = self._count - beyond * (self._count - 1) // self._budget
        return None if count < FEWEST_FURTHER_SETS else self._value_of_last(count)

    def _value_of_last(self, count: int) -> int:
        """Return the value of the last of so many chosen sets; the first threshold if there are fewer."""
        return max([self._lowest, *self._chosen_values[count - 1 : count]])
