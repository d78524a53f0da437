"""The functions of `pyfsel.algorithms.ksubgraph.loops`, compiled: one beginning after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.loops import LOW, Asked, Beginnings, Loops

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def grow_rows(
    old_sums: NDArray[np.int64],
    old_possible: NDArray[np.bool_],
    rows: NDArray[np.int64],
    features: NDArray[np.int64],
    edges: NDArray[np.int64],
    sums: NDArray[np.int64],
    possible: NDArray[np.bool_],
) -> None:
    """Write what `grow` returns into the last two arguments."""
    for place in range(len(rows)):
        row, feature = rows[place], features[place]
        for j in range(sums.shape[1]):
            sums[place, j] = old_sums[row, j] + edges[feature, j]
            possible[place, j] = old_possible[row, j]
        possible[place, feature] = False


def grow(
    before: Beginnings, rows: NDArray[np.int64], features: NDArray[np.int64], edges: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return what `pyfsel.algorithms.ksubgraph.loops.grow` does."""
    sums = np.empty((len(rows), before.sums.shape[1]), np.int64)
    possible = np.empty(sums.shape, np.bool_)
    grow_rows(before.sums, before.possible, rows, features, edges, sums, possible)
    return sums, possible


@compiled
def insert(top: NDArray[np.int64], value: int) -> None:
    """Put a value into an increasing list in place of the least one, if it is larger."""
    place = 0
    while place < len(top) and top[place] < value:
        if place > 0:
            top[place - 1] = top[place]
        place += 1
    if place > 0:
        top[place - 1] = value


@compiled
def highest_of_row(
    values: NDArray[np.int64],
    room: NDArray[np.int64],
    columns: NDArray[np.int64],
    starts: NDArray[np.int64],
    top: NDArray[np.int64],
    part_top: NDArray[np.int64],
) -> None:
    """Write the largest values within the room of each part into `top`, `LOW` for lack of them."""
    top[:] = LOW
    if len(room) == 1:
        for value in values:
            if value > top[0]:
                insert(top, value)
        return
    for part in range(len(room)):
        some = part_top[: min(room[part], len(top))]
        some[:] = LOW
        for place in range(starts[part], starts[part + 1]):
            insert(some, values[columns[place]])
        for value in some:
            insert(top, value)


@compiled
def extend_rows(
    beginnings: Beginnings,
    edges: NDArray[np.int64],
    room: NDArray[np.int64],
    asked: Asked,
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Write bounds; return the rows and features of the children, shape (2, children)."""
    b, n = beginnings.sums.shape
    m, r = beginnings.members.shape[1], asked.missing
    values, top, part_top = np.empty(n, np.int64), np.empty(r, np.int64), np.empty(r, np.int64)
    found, count = np.empty((2, max(b, n)), np.int64), 0
    for row in range(b):
        sums, possible, weight = beginnings.sums[row], beginnings.possible[row], beginnings.weight[row]
        for j in range(n):
            values[j] = sums[j] + asked.reach[j] if possible[j] and asked.reach[j] > LOW else LOW
        highest_of_row(values, room[row], asked.columns, asked.starts, top, part_top)
        if top[0] == LOW:
            bounds[row] = LOW
            continue
        bounds[row] = weight + top.sum()
        if bounds[row] < asked.target:
            continue
        least, needed = asked.target - bounds[row] + top[0], asked.needed - weight
        for j in range(n):
            if values[j] < least:
                possible[j] = False
                continue
            own = sums[j]
            if not possible[j] or own < needed:
                continue
            weakest = True
            for place in range(m):
                other = beginnings.members[row, place]
                degree = beginnings.degrees[row, place] + edges[other, j]
                if degree < own or (degree == own and other > j):
                    weakest = False
                    break
            if weakest:
                found[0, count] = row
                found[1, count] = j
                count += 1
        if count + n > found.shape[1]:
            longer = np.empty((2, 2 * (count + n)), np.int64)
            longer[:, :count] = found[:, :count]
            found = longer
    return found[:, :count]


def extend(
    beginnings: Beginnings, edges: NDArray[np.int64], room: NDArray[np.int64], asked: Asked
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return what `pyfsel.algorithms.ksubgraph.loops.extend` does."""
    bounds = np.empty(len(beginnings.weight), np.int64)
    rows, features = extend_rows(beginnings, edges, room, asked, bounds)
    return rows, features, bounds


COMPILED = Loops(grow, extend)
