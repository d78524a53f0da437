"""Sets that a search hands over in blocks, and their order: best first, ties lexicographic."""

from __future__ import annotations

import numpy as np

from pyfsel.core.arrays import Array, Ints


def best_first(sets: Array, values: Ints) -> tuple[Array, Ints]:
    """Return sets, shape (m, k), and their values by decreasing value, ties lexicographic.

    Examples
    --------
    >>> [part.tolist() for part in best_first(np.array([[1, 2], [0, 2], [0, 1]]), np.array([5, 5, 7]))]
    [[[0, 1], [0, 2], [1, 2]], [7, 5, 5]]
    """
    order = np.lexsort((*sets.T[::-1], -values))
    return sets[order], values[order]


class ListedBlocks:
    """All blocks that a search hands over.

    Parameters
    ----------
    k : int
        Features of each set.
    """

    def __init__(self, k: int) -> None:
        self._blocks = [(np.zeros((0, k), np.int64), np.zeros(0, np.int64))]
        self.count = 0

    def take(self, sets: Ints, values: Ints) -> None:
        """Take a block."""
        self._blocks.append((sets, values))
        self.count += len(sets)

    def best_first(self) -> tuple[Ints, Ints]:
        """Return all sets, shape (count, k), and their values."""
        sets, values = zip(*self._blocks, strict=True)
        return best_first(np.concatenate(sets), np.concatenate(values))
