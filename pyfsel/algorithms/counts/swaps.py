"""Sets with given counts by local search: memberships trade places until no overlap is too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.counts.annealing import anneal
from pyfsel.algorithms.counts.family import Family
from pyfsel.problem.objectives import FeatureSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOVES_PER_RUN = 400_000


def search_by_swaps(
    counts: Sequence[int],
    family: Family,
    rng: np.random.Generator,
    runs: int,
    expired: Callable[[], bool],
) -> tuple[FeatureSet, ...] | None:
    """Return sets with these counts, which use up all the sizes, or None if none were found.

    A move takes a feature of one set that another one lacks and gives it to that one for a feature in
    exchange: all counts and sizes stay as they are, and only overlaps with third sets change.

    Parameters
    ----------
    counts : sequence of int
        Their sum is the sum of the sizes of the sets.
    family : Family
    rng : numpy Generator
    runs : int
        Number of annealing runs from new starts.
    expired : callable
    """
    for _ in range(runs):
        if expired():
            return None
        inside = _start(counts, family, rng)
        excess = anneal.machine(
            inside, family.set_size, family.max_overlap, MOVES_PER_RUN, int(rng.integers(2**31))
        )
        if excess == 0:
            return tuple(tuple(np.flatnonzero(row).tolist()) for row in inside)
    return None


def _start(counts: Sequence[int], family: Family, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Give each feature, the most frequent first, to the smallest sets so far."""
    inside = np.zeros((family.n_sets, len(counts)), dtype=np.bool_)
    sizes = np.zeros(family.n_sets, dtype=np.int64)
    for j in np.argsort([-count for count in counts], kind="stable"):
        order = np.lexsort((rng.random(family.n_sets), sizes))
        users = order[: counts[j]]
        inside[users, j] = True
        sizes[users] += 1
    return inside
