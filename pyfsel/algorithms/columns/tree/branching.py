"""Which sets a node of the tree branches on, by how many of the sets to come can hold each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.columns.prices.relaxation import feature_term
from pyfsel.algorithms.columns.tree.node import Node, Task
from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def put_branches_first(task: Task, node: Node, depth: int, wanted: int) -> int:
    """Move sets of which at least one is needed to the front of a sorted list; return their number.

    These are the sets with a feature that must be used, or those without a feature that not all sets to come
    can hold; the fewest, if these are at most an even share of the list. Else any set can come next. A
    feature must be used if the bound without what it contributes to the count term is not enough.
    """
    left = task.n_sets - depth
    size = node.sizes[depth]
    lists = node.lists[depth]
    holders = _holders(task.members, lists[:size], len(task.feature_quality))
    bound = node.rest[depth] + left * node.weights[depth, 0]
    fewest = size // left
    feature = -1
    inside = False
    for j in range(len(holders)):
        limit = min(left, node.most_uses[depth, j])
        gain = task.feature_quality[j] - node.feature_weight[depth, j]
        price = node.overlap_price[depth]
        others = bound - feature_term(gain, price, limit)[0]
        if others < wanted and holders[j] <= fewest:
            fewest, feature, inside = holders[j], j, True
        while limit > 0 and others + limit * gain - price * (limit * (limit - 1) // 2) < wanted:
            limit -= 1
        node.most_uses[depth, j] = limit
        if limit < left and size - holders[j] <= fewest:
            fewest, feature, inside = size - holders[j], j, False
    if feature < 0:
        return int(size)
    _put_first(task.members, feature, inside, lists[:size], node.weights[depth])
    return int(fewest)


@compiled
def _holders(members: NDArray[np.int32], listed: NDArray[np.int32], n_features: int) -> NDArray[np.int64]:
    """Return how many of the listed sets hold each feature, shape (n_features,)."""
    holders = np.zeros(n_features, dtype=np.int64)
    for one in listed:
        for p in range(members.shape[1]):
            holders[members[one, p]] += 1
    return holders


@compiled
def _put_first(
    members: NDArray[np.int32],
    feature: int,
    inside: bool,
    listed: NDArray[np.int32],
    weights: NDArray[np.int64],
) -> None:
    """Move the listed sets with a feature, or those without it, to the front, in the order they have."""
    size = len(listed)
    later = np.empty(size, dtype=np.int64)
    for place in range(size):
        holds = False
        for p in range(members.shape[1]):
            if members[listed[place], p] == feature:
                holds = True
        later[place] = holds != inside
    order = np.argsort(later, kind="mergesort")
    listed[:] = listed[order]
    weights[:size] = weights[:size][order]
