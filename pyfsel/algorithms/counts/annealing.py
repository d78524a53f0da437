"""The compiled inner loop of `pyfsel.algorithms.counts.swaps`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST_TEMPERATURE = 1.0
LAST_TEMPERATURE = 0.12


@compiled
def anneal(inside: NDArray[np.bool_], size: int, max_overlap: int, n_moves: int, seed: int) -> int:
    """Reduce, by simulated annealing in place, the squared excesses of overlaps over the largest allowed.

    Parameters
    ----------
    inside : array of bool, shape (n_sets, n_features)
        Every row has `size` members.

    Returns
    -------
    int
        The remaining sum of squares; 0 for success.
    """
    np.random.seed(seed)
    n_sets, n_features = inside.shape
    members = np.empty((n_sets, size), dtype=np.int64)
    for s in range(n_sets):
        position = 0
        for j in range(n_features):
            if inside[s, j]:
                members[s, position] = j
                position += 1
    overlap = np.zeros((n_sets, n_sets), dtype=np.int64)
    cost = 0
    for s in range(n_sets):
        for t in range(s):
            shared = 0
            for p in range(size):
                shared += inside[t, members[s, p]]
            overlap[s, t] = overlap[t, s] = shared
            cost += max(0, shared - max_overlap) ** 2
    cooling = (LAST_TEMPERATURE / FIRST_TEMPERATURE) ** (1.0 / n_moves)
    temperature = FIRST_TEMPERATURE
    for _ in range(n_moves):
        if cost == 0:
            return 0
        temperature *= cooling
        s, t = np.random.randint(n_sets), np.random.randint(n_sets)
        p, r = np.random.randint(size), np.random.randint(size)
        i, j = members[s, p], members[t, r]
        if s == t or inside[t, i] or inside[s, j]:
            continue
        change = 0
        for other in range(n_sets):
            if other in (s, t) or inside[other, i] == inside[other, j]:
                continue
            step = 1 if inside[other, j] else -1
            for row, difference in ((s, step), (t, -step)):
                before = max(0, overlap[row, other] - max_overlap)
                after = max(0, overlap[row, other] + difference - max_overlap)
                change += after * after - before * before
        if change > 0 and np.random.random() >= np.exp(-change / temperature):
            continue
        cost += change
        for other in range(n_sets):
            if other in (s, t) or inside[other, i] == inside[other, j]:
                continue
            step = 1 if inside[other, j] else -1
            overlap[s, other] += step
            overlap[other, s] += step
            overlap[t, other] -= step
            overlap[other, t] -= step
        inside[s, i], inside[s, j] = False, True
        inside[t, j], inside[t, i] = False, True
        members[s, p], members[t, r] = j, i
    return cost
