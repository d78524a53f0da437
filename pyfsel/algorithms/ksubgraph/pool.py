"""The search along chains as an enumeration for candidate packing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.search import enumerate_instance, instance_of
from pyfsel.algorithms.packing.pool import LARGEST_POOL, ListedPool
from pyfsel.problem.instance import Instance
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
