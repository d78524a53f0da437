"""All parts whose sum lies in a range, by meeting in the middle."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_HALF = 3_000_000  # choices from one half: 120 MB for five numbers each
LARGEST_NUMBER_OF_PARTS = 60_000  # as many variables of CP-SAT, for which assigning numbers is quicker beyond


def parts_between(numbers: NDArray[np.int64], size: int, low: int, high: int) -> NDArray[np.int64] | None:
    """Return all `size` positions whose numbers sum up to at least `low` and at most `high`.

    Each part is a choice from the first half of the numbers and one from the second. For every number of
    members in the first half both lists of choices are made, the second one is sorted by sum, and what fits
    to a choice of the first is one range of it.

    Returns
    -------
    array of shape (m, size), or None if there are more than 60,000 parts or the lists get too long

    Examples
    --------
    >>> parts_between(np.array([5, 1, 2, 4]), 2, 6, 6).tolist()
    [[2, 3], [0, 1]]
    """
    half = len(numbers) // 2
    found: list[NDArray[np.int64]] = []
    count = 0
    for inside in range(max(0, size - (len(numbers) - half)), min(size, half) + 1):
        if max(comb(half, inside), comb(len(numbers) - half, size - inside)) > LARGEST_HALF:
            return None
        first = _choices(half, inside)
        second = _choices(len(numbers) - half, size - inside) + half
        first_sums, second_sums = numbers[first].sum(axis=1), numbers[second].sum(axis=1)
        order = np.argsort(second_sums, kind="stable")
        begin = np.searchsorted(second_sums[order], low - first_sums, side="left")
        end = np.searchsorted(second_sums[order], high - first_sums, side="right")
        lengths = end - begin
        count += int(lengths.sum())
        if count > LARGEST_NUMBER_OF_PARTS:
            return None
        rows = np.repeat(np.arange(len(first)), lengths)
        offset = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        partners = order[np.repeat(begin, lengths) + offset]
        found.append(np.hstack([first[rows], second[partners]]))
    return np.vstack(found)


def _choices(n: int, size: int) -> NDArray[np.int64]:
    flat = np.fromiter(
        (i for members in combinations(range(n), size) for i in members),
        dtype=np.int64,
        count=comb(n, size) * size,
    )
    return flat.reshape(comb(n, size), size)
