"""Heavy chains in the core: partial sets are extended depth first, and only by features that are left.

The search returns to Python whenever a given amount of work is done, or a given number of sets is found.

Pairs that no set holds have the weight −2⁶⁰ here, and features that no completion can take reach `LOW`, −2⁶².
All other weights and reaches of a set add up to less than 2⁵⁹ in absolute value (`instance.LARGEST_WEIGHT`),
so that what a feature adds is above `FAR`, −2⁵⁹, if and only if it can come; and one
such pair and one such reach stay within 64 bits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from pyfsel.core.arrays import Bools, Ints, ShortWords
from pyfsel.core.binding import Struct, in_core

DEPTH, TARGET, NODES, WORK, FIRST, NEXT, FOUND = range(7)
LOW = -(2**62)
FAR = -(2**59)
ROWS_AT_ONCE = 256  # of the matrix of pairs, which is copied by this number of rows at a time


class Pairs(Struct):
    """What holds for all partial sets, for n features."""

    weights: Annotated[Ints, "n", "n"]
    apart: Annotated[Bools, "n", "n"]
    """Pairs that no set that is looked for holds, and the diagonal."""
    previous: Annotated[Bools, "n_previous", "n"]
    limits: Annotated[Ints, "n_previous"]
    limiting: Annotated[Ints, "n_limiting"]
    """The previous sets that limit a part of the features."""
    part: Annotated[Ints, "n"]
    """The part of each feature: 0 without a limit, else 1 and the place in `limiting`."""
    most: Annotated[Ints, "n"]
    """Half of the largest weight of each feature: a pair weighs at most the halves of both together."""

    def with_low_weights(self) -> Pairs:
        """Return the pairs as chains need them: those that no set holds weigh −2⁶⁰."""
        return replace(self, weights=np.where(self.apart, 2 * FAR, self.weights))


class Chains(Struct):
    """The open partial sets T, one for each number m of features: the first axis, 0 to k − 1."""

    state: Annotated[Ints, "7"]
    """m of the deepest open partial set (−1: none is open), the minimum weight of a set, partial sets and
    work so far, the first feature of the pair that was taken up last, the next pair, how many sets are
    found."""
    needed: Annotated[Ints, "k + 1"]
    """The minimum weight of the first m features of a chain."""
    reach: Annotated[Ints, "k + 1", "n"]
    """The most that each feature adds in addition to its weight with T, for each number of missing ones."""
    node: Annotated[Ints, "k", "5"]
    """Number of candidates, which of the heads is the next, W(T), numbers of heads and of near ones."""
    chosen: Annotated[Ints, "k"]
    """The features in the order in which they came."""
    degrees: Annotated[Ints, "k", "k"]
    """The weight between each of them and the others."""
    candidates: Annotated[ShortWords, "k", "n"]
    sums: Annotated[Ints, "k", "n"]
    """`candidates` are the features that can still come, `sums` the weight between each of them and T."""
    heads: Annotated[ShortWords, "k", "n"]
    head_sums: Annotated[Ints, "k", "n"]
    """`heads` extend T to a heavy partial set, as its weakest feature; `head_sums` weigh them with T."""
    near: Annotated[ShortWords, "k", "n"]
    near_sums: Annotated[Ints, "k", "n"]
    """`near` are the candidates that can be the next after one of these, `near_sums` their weights with T."""
    values: Annotated[Ints, "n"]
    """What candidates add at most to a set."""
    orders: Annotated[Ints, "k", "2"]
    """For each m how often the bound on orders was computed, and left out the partial set."""
    overlap: Annotated[Ints, "k", "n_previous"]
    room: Annotated[Ints, "n_parts"]
    top: Annotated[Ints, "k"]
    top_of_parts: Annotated[Ints, "n_parts", "k"]
    """Room to work in: `room` for more features of each part, and largest values, also of each part."""
    sets: Annotated[Ints, "most", "k"]
    """What is found."""
    weights: Annotated[Ints, "most"]

    @classmethod
    def of(cls, pairs: Pairs, reach: Ints, k: int, sets_at_once: int) -> Chains:
        """Return chains that note this number of sets before they return; none is open."""
        sizes = {"k": k, "n_previous": len(pairs.previous), "n_parts": len(pairs.limiting) + 1}
        sizes["most"] = sets_at_once
        state = np.array([-1, 0, 0, 0, -1, 0, 0])
        return cls.with_room(sizes, state=state, reach=np.ascontiguousarray(reach))


@in_core
def extend_chains(
    chains: Chains,
    pairs: Pairs,
    firsts: Annotated[Ints, "n_pairs"],
    features: Annotated[Ints, "n_pairs"],
    work: int,
) -> None:
    """Go on with pairs until this work is done, the room for sets is used up, or all pairs are closed."""


def reaches(weights: Ints, k: int) -> Ints:
    """Return the most that features add in addition to their weight with T, for each number of missing ones.

    If r features are missing, one of them gets half of the weight of its pairs with the r − 1 others: at most
    half of the r − 1 largest entries of its row, rounded up.

    Parameters
    ----------
    weights : array of int, shape (n, n)
        Of pairs; the diagonal does not count.
    k : int
        From 2 to n.

    Returns
    -------
    array of shape (k + 1, n)

    Examples
    --------
    >>> reaches(np.array([[0, 4, 6], [4, 0, 2], [6, 2, 0]]), 2).tolist()
    [[0, 0, 0], [0, 0, 0], [3, 2, 3]]
    """
    n, count = len(weights), k - 1
    table = np.zeros((k + 1, n), np.int64)
    for first in range(0, n, ROWS_AT_ONCE):
        others = weights[first : first + ROWS_AT_ONCE].copy()
        rows = np.arange(len(others))
        others[rows, first + rows] = LOW
        largest = np.sort(np.partition(others, n - count, axis=1)[:, n - count :], axis=1)[:, ::-1]
        np.cumsum(largest.T, axis=0, out=table[2:, first : first + len(others)])
    return -(-table // 2)
