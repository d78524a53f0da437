"""The search along chains as an enumeration for candidate packing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.ksubgraph.local_search import swap_search
from pyfsel.algorithms.ksubgraph.search import best_set, enumerate_instance, instance_of
from pyfsel.algorithms.packing.pool import LARGEST_POOL
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class KSubgraphPool:
    """The mRMR sets of a problem from a value on; see `pyfsel.algorithms.packing.pool.Pool`.

    Parameters
    ----------
    problem : Problem
    control : Control
        Its deadline ends an enumeration with `OutOfTimeError`.
    highest : int
        The largest value of a set.
    """

    def __init__(self, problem: Problem, control: Control, highest: int) -> None:
        self.instance = instance_of(problem)
        self.control = control
        self.highest = highest
        self.lowest = -self.instance.largest_total
        self._threshold = highest + 1
        self._sets = np.empty((0, problem.set_size), np.int32)
        self._values = np.empty(0, np.int64)

    def above(self, threshold: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the sets with a value of at least `threshold`, best first, ties lexicographic."""
        if threshold < self._threshold:
            found = enumerate_instance(self.instance, threshold, LARGEST_POOL, self.control.expired)
            if not found.complete:
                raise TooManySetsError if len(found.sets) == LARGEST_POOL else OutOfTimeError
            self._sets, self._values = found.sets.astype(np.int32), found.values
            self._threshold = threshold
        count = np.searchsorted(-self._values, -threshold, side="right")
        return self._sets[:count], self._values[:count]


def one_after_another(problem: Problem, control: Control) -> tuple[list[FeatureSet], int | None, bool]:
    """Return sets each of which is good beside those before it: a start for searching them together.

    The first one is proved best; each other one is what a local search finds, or a search if that finds none.

    Returns
    -------
    sets : up to `n_sets` of them; fewer if there is no further one, or the time is up
    bound : upper bound on the value of a single set, None if unknown; it is reported for all sets as well
    finished : whether the first set is proved best, or proved not to exist
    """
    seed = control.limits.random_state
    first = best_set(instance_of(problem), random_state=seed, expired=control.expired)
    if first.bound is not None:
        control.report_bound(first.bound if problem.aggregate == "min" else first.bound * problem.n_sets)
    sets: list[FeatureSet] = [] if first.features is None else [first.features]
    while sets and first.finished and len(sets) < problem.n_sets and not control.expired():
        beside = instance_of(problem.replace(n_sets=1, previous_sets=(*problem.previous_sets, *sets)))
        local = None if problem.forced else swap_search(beside, seed, expired=control.expired)
        if local is None:
            found = best_set(beside, random_state=seed, expired=control.expired).features
            if found is None:
                break
        else:
            found = local[1]
        sets.append(found)
    return sets, first.bound, first.finished
