"""What a search through enumerated sets goes by: the task, and the state of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.bits import as_words
from pyfsel.algorithms.columns.prices.relaxation import Prices
from pyfsel.algorithms.columns.prices.subsets import SubsetPrices
from pyfsel.algorithms.columns.prices.use_limits import limits_by_others
from pyfsel.algorithms.columns.sets.allowed import AllowedSets, FoundSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHOLE = 1024
STEPS_BY_SETS_LEFT = (0, 0, 10, 30, 40, 60, 100)


class Task(NamedTuple):
    """What is searched, and in what.

    Attributes
    ----------
    n_sets, max_overlap : int
    smallest : bool
        Whether the smallest value counts and not the sum.
    level : int
        What every set is taken to be worth in the bounds if the smallest value counts, which then say how
        many sets there can be; 0 for sums.
    feature_quality : array of shape (n,)
    largest_weight : int
        No feature is given a larger or smaller weight.
    members : array of shape (m, set_size)
    words : array of shape (m, ⌈n/64⌉)
        The same sets as bits.
    rests : array of shape (m,)
        What a set weighs beside the weights of its features, before its charge.
    charges : array of shape (m,)
        What a set pays for the subsets of features that it holds, no two sets for the same one.
    values : array of shape (m,)
    at_most : array of shape (n_sets + 1,)
        Upper bounds on the sum of the values of so many compatible sets.
    uses_by_others : array of shape (n,)
        How many sets can hold a feature, by the number of features beside it.
    steps : array of shape (n_sets + 1,)
        Numbers of subgradient steps by the number of sets left.
    """

    n_sets: int
    max_overlap: int
    smallest: bool
    level: int
    feature_quality: NDArray[np.int64]
    largest_weight: int
    members: NDArray[np.int32]
    words: NDArray[np.uint64]
    rests: NDArray[np.int64]
    charges: NDArray[np.int64]
    values: NDArray[np.int64]
    at_most: NDArray[np.int64]
    uses_by_others: NDArray[np.int64]
    steps: NDArray[np.int64]


class Node(NamedTuple):
    """The state of the search, one row per number of chosen sets; `goal` holds what is wanted at least.

    `most_uses` is how many of the sets to come can hold a feature.
    `unpaid` is what the subsets of features that no chosen set holds cost in total, `charged` the part of all
    charges that the bound asks for, in parts of `WHOLE`: fewer sets are left, so that high prices do not pay.
    One of the first `branches` sets of a list is in every solution.
    """

    lists: NDArray[np.int32]
    weights: NDArray[np.int64]
    sizes: NDArray[np.int64]
    positions: NDArray[np.int64]
    branches: NDArray[np.int64]
    feature_weight: NDArray[np.int64]
    most_uses: NDArray[np.int64]
    overlap_price: NDArray[np.int64]
    rest: NDArray[np.int64]
    charged: NDArray[np.int64]
    unpaid: NDArray[np.int64]
    total: NDArray[np.int64]
    chosen: NDArray[np.int32]
    found: NDArray[np.int32]
    goal: NDArray[np.int64]
    depth: NDArray[np.int64]


def make_task(
    n_sets: int,
    sets: AllowedSets,
    among: FoundSets,
    values: NDArray[np.int64],
    at_most: NDArray[np.int64],
    subsets: SubsetPrices | None = None,
    level: int = 0,
) -> Task:
    """Return the task of finding compatible sets among some of the allowed ones.

    The sum of the values counts, or with a positive level the smallest one: `sets` are then levelled.
    """
    members = np.sort(among.members, axis=1)
    steps = [STEPS_BY_SETS_LEFT[min(r, len(STEPS_BY_SETS_LEFT) - 1)] for r in range(n_sets + 1)]
    charges = np.zeros(len(members), dtype=np.int64) if subsets is None else subsets.charges(members)
    return Task(
        n_sets=n_sets,
        max_overlap=sets.max_overlap,
        smallest=level > 0,
        level=level,
        feature_quality=sets.quality,
        largest_weight=4 * sets.unit + 4,
        members=members,
        words=as_words(members, len(sets.quality)),
        rests=among.rests,
        charges=charges,
        values=values,
        at_most=at_most,
        uses_by_others=limits_by_others(len(sets.quality), n_sets, sets.set_size, sets.max_overlap),
        steps=np.array(steps),
    )


def root_node(task: Task, prices: Prices, goal: int) -> Node:
    """Return the state before the search: nothing chosen, and a value of at least `goal` wanted."""
    rows, m, n = task.n_sets + 1, len(task.members), len(prices.weight)
    lists = np.empty((rows, m), dtype=np.int32)
    lists[0] = np.arange(m)
    numbers = np.zeros((8, rows), dtype=np.int64)
    sizes, positions, branches, overlap_price, rest, charged, unpaid, total = numbers
    sizes[0], positions[0], overlap_price[0], charged[0] = m, -1, prices.overlap, WHOLE
    if prices.subsets is not None:
        unpaid[0] = prices.subsets.total
    feature_weight = np.zeros((rows, n), dtype=np.int64)
    feature_weight[0] = prices.weight
    most_uses = np.full((rows, n), task.n_sets, dtype=np.int64)
    chosen = np.zeros((2, task.n_sets), dtype=np.int32)
    return Node(
        lists=lists,
        weights=np.empty((rows, m), dtype=np.int64),
        sizes=sizes,
        positions=positions,
        branches=branches,
        feature_weight=feature_weight,
        most_uses=most_uses,
        overlap_price=overlap_price,
        rest=rest,
        charged=charged,
        unpaid=unpaid,
        total=total,
        chosen=chosen[0],
        found=chosen[1],
        goal=np.array([goal], dtype=np.int64),
        depth=np.zeros(1, dtype=np.int64),
    )
