"""The search along chains as an enumeration for candidate packing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.forced import local_best
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.ksubgraph.search import best_set, enumerate_instance, instance_of
from pyfsel.algorithms.packing.pool import LARGEST_POOL, ListedPool
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError


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
    while sets and first.finished and len(sets) < problem.n_sets and not control.expired():
        instance, start = instance_of(problem.after(sets)), Start(control.limits.random_state)
        local = local_best(instance, start, control.expired)
        following = best_set(instance, start, expired=control.expired).features if local is None else local[1]
        if following is None:
            break
        sets.append(following)
    return sets, first.bound, first.finished
