"""The r features of largest value, within the limits that previous sets set.

Where previous sets limit how many of some features a set may contain, the features fall into disjoint parts
with a limit each (`part`, `room`). The selections within these limits are the bases of a partition matroid,
for which the greedy choice is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMPOSSIBLE = -(2**62)


@compiled
def rank(value: NDArray[np.int64], m: int, r: int, best: NDArray[np.int64]) -> None:
    """Write the r ≤ m features of largest value into `best`, best first."""
    filled = 0
    for i in range(m):
        if filled < r:
            place = filled
            filled += 1
        elif value[i] > value[best[r - 1]]:
            place = r - 1
        else:
            continue
        while place > 0 and value[best[place - 1]] < value[i]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = i


@compiled
def rank_within_limits(
    value: NDArray[np.int64],
    m: int,
    r: int,
    best: NDArray[np.int64],
    ids: NDArray[np.int64],
    part: NDArray[np.int64],
    room: NDArray[np.int64],
) -> bool:
    """Write the best r features of which each part p has at most ``room[p]`` into `best`, best first.

    A feature that does not fit in takes the place of the least one that keeps it out. Return False if there
    are no r such features.
    """
    filled = 0
    used = np.zeros(len(room), np.int64)
    for i in range(m):
        if value[i] == IMPOSSIBLE:
            continue
        own = part[ids[i]]
        if own >= 0 and used[own] >= room[own]:
            if room[own] <= 0:
                continue
            place = filled - 1
            while part[ids[best[place]]] != own:
                place -= 1
            if value[best[place]] >= value[i]:
                continue
        else:
            if filled < r:
                place = filled
                filled += 1
            else:
                place = r - 1
                if value[best[place]] >= value[i]:
                    continue
                other = part[ids[best[place]]]
                if other >= 0:
                    used[other] -= 1
            if own >= 0:
                used[own] += 1
        while place > 0 and value[best[place - 1]] < value[i]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = i
    return filled == r


@compiled
def choose_best(
    value: NDArray[np.int64],
    m: int,
    r: int,
    best: NDArray[np.int64],
    ids: NDArray[np.int64],
    part: NDArray[np.int64],
    room: NDArray[np.int64],
) -> int:
    """Rank the r best features; return the sum of their values, `IMPOSSIBLE` if there are none.

    `part` holds −1 for features without a limit; it is empty if none has one.
    """
    if m < r:
        return IMPOSSIBLE
    if len(part) > 0:
        if not rank_within_limits(value, m, r, best, ids, part, room):
            return IMPOSSIBLE
    else:
        rank(value, m, r, best)
    if value[best[r - 1]] == IMPOSSIBLE:
        return IMPOSSIBLE
    total = 0
    for place in range(r):
        total += value[best[place]]
    return total


@compiled
def replaced_values(
    value: NDArray[np.int64],
    m: int,
    r: int,
    best: NDArray[np.int64],
    ids: NDArray[np.int64],
    part: NDArray[np.int64],
    room: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return for each feature the value that leaves the r best ones when it must be among them.

    Its own value for those; else the least value of its part, if that is full, or of all.
    """
    replaced = np.empty(m, np.int64)
    replaced[:] = value[best[r - 1]]
    if len(part) > 0:
        least = np.zeros(len(room), np.int64)
        used = np.zeros(len(room), np.int64)
        for place in range(r):
            own = part[ids[best[place]]]
            if own >= 0:
                used[own] += 1
                least[own] = value[best[place]]
        for i in range(m):
            own = part[ids[i]]
            if own >= 0 and used[own] >= room[own] and used[own] > 0:
                replaced[i] = least[own]
    for place in range(r):
        replaced[best[place]] = value[best[place]]
    return replaced
