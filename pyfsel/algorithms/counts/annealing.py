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
    n_sets = len(inside)
    members = _members(inside, size)
    overlap = _overlaps(inside, members)
    cost = 0
    for s in range(n_sets):
        for t in range(s):
            cost += _excess(overlap[s, t], max_overlap)
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
        change = _change(inside, overlap, s, t, i, j, max_overlap)
        if change > 0 and np.random.random() >= np.exp(-change / temperature):
            continue
        cost += change
        _swap(inside, overlap, s, t, i, j)
        members[s, p], members[t, r] = j, i
    return cost


@compiled
def _excess(shared: int, max_overlap: int) -> int:
    """Return the squared excess of an overlap over the largest allowed."""
    return max(0, shared - max_overlap) ** 2


@compiled
def _members(inside: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
    members = np.empty((len(inside), size), dtype=np.int64)
    for s in range(len(inside)):
        members[s] = np.flatnonzero(inside[s])
    return members


@compiled
def _overlaps(inside: NDArray[np.bool_], members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many features each two sets share; 0 for a set with itself."""
    n_sets = len(inside)
    overlap = np.zeros((n_sets, n_sets), dtype=np.int64)
    for s in range(n_sets):
        for t in range(s):
            for j in members[s]:
                overlap[s, t] += inside[t, j]
            overlap[t, s] = overlap[s, t]
    return overlap


@compiled
def _change(
    inside: NDArray[np.bool_], overlap: NDArray[np.int64], s: int, t: int, i: int, j: int, max_overlap: int
) -> int:
    """Return what it adds to the cost if s gives its feature i to t and gets j for it.

    Only overlaps with sets that hold just one of i and j change, by one; that of s and t does not.
    """
    change = 0
    for other in range(len(inside)):
        if other in (s, t) or inside[other, i] == inside[other, j]:
            continue
        step = 1 if inside[other, j] else -1
        for row, difference in ((s, step), (t, -step)):
            before = overlap[row, other]
            change += _excess(before + difference, max_overlap) - _excess(before, max_overlap)
    return change


@compiled
def _swap(inside: NDArray[np.bool_], overlap: NDArray[np.int64], s: int, t: int, i: int, j: int) -> None:
    """Let s give its feature i to t and get j for it."""
    for other in range(len(inside)):
        if other in (s, t) or inside[other, i] == inside[other, j]:
            continue
        step = 1 if inside[other, j] else -1
        for row, difference in ((s, step), (t, -step)):
            overlap[row, other] += difference
            overlap[other, row] += difference
    inside[s, i], inside[s, j] = False, True
    inside[t, j], inside[t, i] = False, True
