"""One step of the enumeration for many beginnings at once: which features extend them.

In NumPy, for small searches; `compiled_chains` does the same for long ones, one beginning after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOW = -(2**62)


class Beginnings(NamedTuple):
    """Sets T of m features each, which the search extends; b of them.

    Attributes
    ----------
    members : array of shape (b, m)
        The features, in the order in which they came.
    degrees : array of shape (b, m)
        The weight between each of them and the others.
    weight : array of shape (b,)
        W(T).
    sums : array of shape (b, n)
        The weight between each feature and T.
    possible : array of bool, shape (b, n)
        Which features a set that is looked for can hold besides T; `extend` takes some away.
    overlap : array of shape (b, previous sets)
        How many features of each previous set T holds.
    """

    members: NDArray[np.int64]
    degrees: NDArray[np.int64]
    weight: NDArray[np.int64]
    sums: NDArray[np.int64]
    possible: NDArray[np.bool_]
    overlap: NDArray[np.int64]


class Asked(NamedTuple):
    """What the extensions of beginnings of m features must reach.

    Attributes
    ----------
    target : int
        The least weight of a whole set.
    needed : int
        The least weight of m + 1 features of a chain.
    missing : int
        k − m, how many features are still to come.
    reach : array of shape (n,)
        The most that each feature adds to a set besides its weight with T, if `missing` of them are added;
        `LOW` if it cannot be one of them.
    columns, starts : arrays
        The features part by part: those of part p are ``columns[starts[p]:starts[p + 1]]``.
    """

    target: int
    needed: int
    missing: int
    reach: NDArray[np.int64]
    columns: NDArray[np.int64]
    starts: NDArray[np.int64]


def highest(
    values: NDArray[np.int64], room: NDArray[np.int64], asked: Asked
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the largest sum of `missing` values of each row, and the least of them; `LOW` if there are none.

    Parameters
    ----------
    values : array of shape (b, n)
        `LOW` where a feature is not possible.
    room : array of shape (b, parts)
        How many features of each part may be taken.
    """
    r = asked.missing
    kept = values
    if room.shape[1] > 1:
        parts = []
        for part in range(room.shape[1]):
            some = values[:, asked.columns[asked.starts[part] : asked.starts[part + 1]]]
            most = min(int(room[:, part].max(initial=0)), r, some.shape[1])
            some = -np.sort(np.partition(-some, most - 1, axis=1)[:, :most], axis=1) if most else some[:, :0]
            parts.append(np.where(np.arange(most) < room[:, part, None], some, LOW))
        kept = np.concatenate(parts, axis=1)
    if kept.shape[1] < r:
        nothing = np.full(len(values), LOW)
        return nothing, nothing
    first = kept.shape[1] - r
    top = np.partition(kept, first, axis=1)[:, first:]
    least = top.min(axis=1)
    return np.where(least == LOW, LOW, np.where(top == LOW, 0, top).sum(axis=1)), least


def grow(
    before: Beginnings, rows: NDArray[np.int64], features: NDArray[np.int64], edges: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return `sums` and `possible` for some of the beginnings (rows), each with a feature added."""
    possible = before.possible[rows]
    possible[np.arange(len(rows)), features] = False
    return before.sums[rows] + edges[features], possible


def extend(
    beginnings: Beginnings, edges: NDArray[np.int64], room: NDArray[np.int64], asked: Asked
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return which features make longer beginnings, and how far those at hand can reach.

    Parameters
    ----------
    beginnings : Beginnings
    edges : array of shape (n, n)
        Weights of pairs.
    room : array of shape (b, parts)
        How many more features of each part the sets may hold.
    asked : Asked

    Returns
    -------
    rows, features : arrays of shape (children,)
        A beginning and the feature that is added to it, by increasing row and feature.
    bounds : array of shape (b,)
        No set that contains the beginning, and only possible features besides, weighs more.
    """
    members, degrees, weight, sums, possible, _ = beginnings
    values = np.where(possible & (asked.reach > LOW), sums + asked.reach, LOW)
    total, least = highest(values, room, asked)
    bounds = np.where(total == LOW, LOW, weight + total)
    possible &= (bounds >= asked.target)[:, None] & (values >= (asked.target - bounds + least)[:, None])
    rows, features = np.nonzero(possible & (sums >= (asked.needed - weight)[:, None]))
    own, before = sums[rows, features][:, None], members[rows]
    with_it = degrees[rows] + edges[before, features[:, None]]
    weakest = ((with_it > own) | ((with_it == own) & (before < features[:, None]))).all(axis=1)
    return rows[weakest], features[weakest], bounds
