"""Sets with given counts by local search: memberships trade places until no overlap is too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np

from pyfsel.algorithms.counts.family import Family
from pyfsel.core.binding import Bools, Ints, Reals, Struct, Words, in_core
from pyfsel.problem.objectives import FeatureSet

MOVES = 400_000
MOVES_AT_ONCE = 50_000  # after which the clock is asked
FIRST_TEMPERATURE = 1.0  # one overlap too many, which costs 1, is accepted every third time
COOLING = 0.9999947  # 0.12 after all moves; a literal, and no root: the same number on every machine


class SwappedSets(Struct):
    """Sets of one size whose memberships are swapped."""

    inside: Annotated[Bools, "n_sets", "n_features"]
    members: Annotated[Ints, "n_sets", "size"]
    """The features of each set, in any order."""
    overlap: Annotated[Ints, "n_sets", "n_sets"]
    """How many features each two of them share, 0 for a set with itself."""
    max_overlap: int


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
        if reduce_excesses(inside, family.max_overlap, int(rng.integers(2**31)), expired) == 0:
            return tuple(tuple(np.flatnonzero(row).tolist()) for row in inside)
    return None


def reduce_excesses(inside: Bools, max_overlap: int, seed: int, expired: Callable[[], bool]) -> int:
    """Reduce, by simulated annealing in place, the squared excesses of overlaps over the largest allowed.

    Parameters
    ----------
    inside : array of bool, shape (n_sets, n_features)
        Every row has equally many members.
    max_overlap : int
    seed : int
    expired : callable

    Returns
    -------
    int
        The remaining sum of squares; 0 for success.
    """
    members = np.nonzero(inside)[1].reshape(len(inside), -1).copy()
    overlap = inside.astype(np.int64) @ inside.T
    np.fill_diagonal(overlap, 0)
    sets = SwappedSets(inside, members, overlap, max_overlap)
    random, temperature = np.array([seed], np.uint64), np.array([FIRST_TEMPERATURE])
    for _ in range(0, MOVES, MOVES_AT_ONCE):
        excess = anneal(sets, random, temperature, COOLING, MOVES_AT_ONCE)
        if excess == 0 or expired():
            break
    return excess


@in_core
def anneal(
    sets: SwappedSets,
    random: Annotated[Words, "1"],
    temperature: Annotated[Reals, "1"],
    cooling: float,
    n_moves: int,
) -> int:
    """Do so many moves, and keep all up to date; return the remaining sum of squares."""


def _start(counts: Sequence[int], family: Family, rng: np.random.Generator) -> Bools:
    """Give each feature, the most frequent first, to the smallest sets so far."""
    inside = np.zeros((family.n_sets, len(counts)), dtype=np.bool_)
    sizes = np.zeros(family.n_sets, dtype=np.int64)
    for j in np.argsort([-count for count in counts], kind="stable"):
        order = np.lexsort((rng.random(family.n_sets), sizes))
        users = order[: counts[j]]
        inside[users, j] = True
        sizes[users] += 1
    return inside
