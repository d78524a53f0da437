"""All sets of at most so many features that hit each of the given sets, or the proof that there are none.

Each node of the tree has chosen features, excluded ones, and the sets that are not hit yet. It takes the one
with the fewest features left and branches on which of them is chosen first: those tried before are excluded.
A node ends where

- a set has no feature left, or no choice is left while some set is not hit;
- one choice is left: the features that hit all remaining sets at once, their intersection, are the solutions;
- r choices are left and no r features together hit so many sets as remain, counted with repetition: each
  choice hits at most as many of the remaining sets as it is in now, so r choices hit at most the sum of the r
  largest of these counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.bits import WORD, count_bits
from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

NODES_PER_CALL = 20_000
FOUND_PER_CALL = 4096
ONE = np.uint64(1)
NONE = np.uint64(0)


class HittingSets:
    """Looks for hitting sets of at most a given size.

    Parameters
    ----------
    sets : array of uint64
        The sets to hit, as bits; none is empty.
    n_features : int

    Attributes
    ----------
    n_nodes : int
        Nodes of all trees so far.

    Examples
    --------
    >>> to_hit = HittingSets(np.array([0b011, 0b110, 0b101], dtype=np.uint64), 3)
    >>> to_hit.of_size(1), to_hit.of_size(2)
    ([], [(0, 1), (0, 2), (1, 2)])
    """

    def __init__(self, sets: NDArray[np.uint64], n_features: int) -> None:
        self.sets = sets
        self.n_features = n_features
        self.n_nodes = 0

    def of_size(
        self,
        size: int,
        most: int | None = None,
        on_pause: Callable[[], None] = lambda: None,
    ) -> list[tuple[int, ...]]:
        """Return the hitting sets of a size, if there are no smaller ones.

        Parameters
        ----------
        size : int
            Smaller hitting sets that exist may be found as well, without their supersets.
        most : int, optional
            Stop after so many.
        on_pause : callable
            Called now and then; may raise to end the search.
        """
        if not len(self.sets):
            return [()]
        if size < 1:
            return []
        tree = _Tree(self.sets, size)
        found: set[int] = set()
        while True:
            on_pause()
            nodes, n_found, is_done = _search(*tree.arrays, self.n_features)
            self.n_nodes += nodes
            found.update(tree.found[:n_found].tolist())
            if is_done or (most is not None and len(found) >= most):
                break
        features = range(self.n_features)
        return sorted(tuple(j for j in features if mask >> j & 1) for mask in found)[:most]


class _Tree:
    """The state of a depth-first search, so that it can pause."""

    def __init__(self, sets: NDArray[np.uint64], size: int) -> None:
        depth_arrays = size + 2
        pool = np.empty((size + 1, len(sets)), dtype=np.uint64)
        pool[0] = sets
        lengths = np.zeros(depth_arrays, dtype=np.int64)
        lengths[0] = len(sets)
        allowed = np.full(depth_arrays, np.iinfo(np.uint64).max, dtype=np.uint64)
        to_try = np.zeros(depth_arrays, dtype=np.uint64)
        to_try[0] = min(sets.tolist(), key=int.bit_count)
        chosen = np.zeros(depth_arrays, dtype=np.uint64)
        self.found = np.empty(FOUND_PER_CALL + WORD, dtype=np.uint64)
        depth = np.zeros(1, dtype=np.int64)
        counts = np.zeros(WORD, dtype=np.int64)
        self.arrays = (pool, lengths, allowed, to_try, chosen, self.found, depth, counts)


@compiled
def _search(
    pool: NDArray[np.uint64],
    lengths: NDArray[np.int64],
    allowed: NDArray[np.uint64],
    to_try: NDArray[np.uint64],
    chosen: NDArray[np.uint64],
    found: NDArray[np.uint64],
    depth_now: NDArray[np.int64],
    counts: NDArray[np.int64],
    n_features: int,
) -> tuple[int, int, bool]:
    """Go on for some nodes; return how many, the number of sets found, and whether it is the end."""
    size = len(pool) - 1
    depth = depth_now[0]
    nodes, n_found = 0, 0
    while depth >= 0:
        if nodes >= NODES_PER_CALL or n_found >= FOUND_PER_CALL:
            depth_now[0] = depth
            return nodes, n_found, False
        if to_try[depth] == NONE:
            depth -= 1
            continue
        nodes += 1
        bit = to_try[depth] & (~to_try[depth] + ONE)
        to_try[depth] ^= bit
        allowed[depth] ^= bit
        left = allowed[depth]
        now = chosen[depth] | bit
        n_left = size - depth - 1
        if n_left <= 1:
            common = left
            is_hit = True
            for i in range(lengths[depth]):
                mask = pool[depth, i]
                if mask & bit == NONE:
                    is_hit = False
                    common &= mask
                    if common == NONE:
                        break
            if is_hit:
                found[n_found] = now
                n_found += 1
            elif n_left == 1:
                while common != NONE:
                    last = common & (~common + ONE)
                    common ^= last
                    found[n_found] = now | last
                    n_found += 1
            continue
        below = depth + 1
        length = 0
        fewest, smallest = 65, NONE
        for i in range(lengths[depth]):
            mask = pool[depth, i]
            if mask & bit == NONE:
                mask &= left
                pool[below, length] = mask
                length += 1
                n = int(count_bits(mask))
                if n < fewest:
                    fewest, smallest = n, mask
                    if n == 0:
                        break
        if length == 0:
            found[n_found] = now
            n_found += 1
            continue
        if fewest == 0 or not _may_hit(pool, below, length, n_left, n_features, counts):
            continue
        lengths[below] = length
        allowed[below] = left
        to_try[below] = smallest
        chosen[below] = now
        depth = below
    depth_now[0] = depth
    return nodes, n_found, True


@compiled
def _may_hit(
    pool: NDArray[np.uint64], depth: int, length: int, n_left: int, n_features: int, counts: NDArray[np.int64]
) -> bool:
    """Return whether the `n_left` largest counts add up to the number of sets."""
    counts[:n_features] = 0
    for i in range(length):
        mask = pool[depth, i]
        while mask != NONE:
            bit = mask & (~mask + ONE)
            counts[int(count_bits(bit - ONE))] += 1
            mask ^= bit
    total = 0
    for _ in range(n_left):
        best = 0
        for j in range(1, n_features):
            if counts[j] > counts[best]:
                best = j
        total += counts[best]
        if total >= length:
            return True
        counts[best] = 0
    return False
