"""Branch and bound over enumerated sets, with a Lagrangian bound at every node.

A node has chosen some sets and keeps the list of all others that are compatible with each of them and may
complete them. Its bound relaxes what the sets to come must satisfy among themselves to pair counting, see
`pyfsel.algorithms.columns.prices.relaxation.count_term`; a few subgradient steps adapt the weights of the
features to the node, and how much of the prices of subsets is charged. A set is dropped from the list when
the bound, less what the set weighs below the heaviest, is not enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.bits import count_bits
from pyfsel.algorithms.columns.prices.relaxation import count_term
from pyfsel.algorithms.columns.prices.use_limits import limit_uses
from pyfsel.algorithms.columns.tree.branching import put_branches_first
from pyfsel.algorithms.columns.tree.node import WHOLE, Node, Task
from pyfsel.algorithms.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT_DIRECTION = 0.3
SHRINK = 0.6
FAILURES_BEFORE_SHRINK = 4
HIGH = 2**62


@compiled
def go_on(task: Task, node: Node, most_nodes: int) -> bool:
    """Search on through at most so many nodes; return whether the search is over.

    Whenever `found` is overwritten by a better solution, `goal` is one more than its value. If `goal` is as
    it was when the search is over, no solution reaches it.
    """
    for _ in range(most_nodes):
        while node.depth[0] >= 0 and node.positions[node.depth[0]] >= 0 and not _descend(task, node):
            node.depth[0] -= 1
        if node.depth[0] < 0:
            return True
        depth = node.depth[0]
        left = task.n_sets - depth
        if left == 1:
            _take_best(task, node, depth)
            more = False
        else:
            more = _enter(task, node, depth)
            if more and left == 2 and not (task.smallest and node.branches[depth] < node.sizes[depth]):
                _take_best_pair(task, node, depth)
                more = False
        if not more:
            node.depth[0] -= 1
    return bool(node.depth[0] < 0)


@compiled
def _wanted(task: Task, node: Node, depth: int) -> int:
    """Return what the sets to come must sum up to at least."""
    if task.smallest:
        return int((task.n_sets - depth) * task.level)
    return int(node.goal[0] - node.total[depth])


@compiled
def _weigh(
    task: Task,
    feature_weight: NDArray[np.int64],
    charged: int,
    lists: NDArray[np.int32],
    size: int,
    weights: NDArray[np.int64],
) -> int:
    """Write the weights of the listed sets; return the place of a heaviest one."""
    heaviest = 0
    for place in range(size):
        one = lists[place]
        weight = task.rests[one] - task.charges[one] * charged // WHOLE
        for p in range(task.members.shape[1]):
            weight += feature_weight[task.members[one, p]]
        weights[place] = weight
        if weight > weights[heaviest]:
            heaviest = place
    return heaviest


@compiled
def _enter(task: Task, node: Node, depth: int) -> bool:
    """Bound the node, shorten its list and sort it by weight; return whether anything is left to do."""
    left = task.n_sets - depth
    wanted = _wanted(task, node, depth)
    lists, weights = node.lists[depth], node.weights[depth]
    least = node.goal[0]
    if not task.smallest:
        if task.at_most[left] < wanted:
            return False
        least = wanted - task.at_most[left - 1]
    size = 0
    for place in range(node.sizes[depth]):
        if task.values[lists[place]] >= least:
            lists[size] = lists[place]
            size += 1
    node.sizes[depth] = size
    if size < left:
        return False
    limit_uses(task.members, task.words, lists[:size], task.uses_by_others, node.most_uses[depth])
    if not _tighten(task, node, depth, wanted):
        return False
    size = node.sizes[depth]
    _weigh(task, node.feature_weight[depth], node.charged[depth], lists, size, weights)
    order = np.argsort(-weights[:size], kind="mergesort")
    lists[:size] = lists[:size][order]
    weights[:size] = weights[:size][order]
    node.positions[depth] = 0
    node.branches[depth] = put_branches_first(task, node, depth, wanted)
    return bool(node.branches[depth] > 0)


@compiled
def _tighten(task: Task, node: Node, depth: int, wanted: int) -> bool:
    """Lower the bound of a node by subgradient steps, and drop what it rules out; False if that is all."""
    left = task.n_sets - depth
    quality, weight = task.feature_quality, node.feature_weight[depth]
    lists, weights, limits = node.lists[depth], node.weights[depth], node.most_uses[depth]
    capacity = task.max_overlap * (left * (left - 1) // 2)
    largest = task.largest_weight
    best_weight = weight.copy()
    best_price = price = node.overlap_price[depth]
    best_charged = charged = node.charged[depth]
    unpaid = node.unpaid[depth]
    charge_scale = float(max(1, node.unpaid[0]))
    charge_direction = 0.0
    counts = np.zeros(len(quality), dtype=np.int64)
    direction = np.zeros(len(quality))
    price_direction = 0.0
    lowest = HIGH
    pace = 1.0
    failures = 0
    for step in range(task.steps[left]):
        rest = count_term(quality, weight, price, left, task.max_overlap, counts, limits)
        rest += unpaid * charged // WHOLE
        heaviest = _weigh(task, weight, charged, lists, node.sizes[depth], weights)
        top, winner = weights[heaviest], lists[heaviest]
        bound = rest + left * top
        if bound < wanted:
            return False
        if bound < lowest:
            lowest = bound
            best_weight[:] = weight
            best_price = price
            best_charged = charged
            failures = 0
        else:
            failures += 1
            if failures == FAILURES_BEFORE_SHRINK:
                pace *= SHRINK
                failures = 0
        size = 0
        for place in range(node.sizes[depth]):
            if bound - top + weights[place] >= wanted:
                lists[size] = lists[place]
                size += 1
        node.sizes[depth] = size
        if size < left:
            return False
        pairs = 0
        for j in range(len(quality)):
            direction[j] = KEPT_DIRECTION * direction[j] - (1 - KEPT_DIRECTION) * counts[j]
            pairs += counts[j] * (counts[j] - 1) // 2
        for p in range(task.members.shape[1]):
            direction[task.members[winner, p]] += (1 - KEPT_DIRECTION) * left
        price_direction = KEPT_DIRECTION * price_direction + (1 - KEPT_DIRECTION) * (capacity - pairs)
        relief = (unpaid - left * task.charges[winner]) / charge_scale
        charge_direction = KEPT_DIRECTION * charge_direction + (1 - KEPT_DIRECTION) * relief
        norm = (direction**2).sum() + price_direction**2 + charge_direction**2
        if norm < 1e-9 or step == task.steps[left] - 1:
            break
        length = pace * (bound - wanted + 1 + task.level // 50) / norm
        for j in range(len(quality)):
            weight[j] = min(largest, max(-largest, weight[j] - np.int64(np.round(length * direction[j]))))
        price = min(largest, max(0, price - np.int64(np.round(length * price_direction))))
        change = np.int64(np.round(WHOLE * length * charge_direction / charge_scale))
        charged = min(WHOLE, max(0, charged - change))
    weight[:] = best_weight
    node.overlap_price[depth] = best_price
    node.charged[depth] = best_charged
    node.rest[depth] = count_term(quality, weight, best_price, left, task.max_overlap, counts, limits)
    node.rest[depth] += unpaid * best_charged // WHOLE
    return True


@compiled
def _shared(words: NDArray[np.uint64], one: int, other: int) -> int:
    """Return how many features two sets share."""
    shared = np.uint64(0)
    for word in range(words.shape[1]):
        shared += count_bits(words[one, word] & words[other, word])
    return int(shared)


@compiled
def _descend(task: Task, node: Node) -> bool:
    """Choose the next set to branch on, the heaviest of those to come; return whether there is one.

    The later sets of the list are those beside it, as solutions with the earlier ones are done.
    """
    depth = node.depth[0]
    left = task.n_sets - depth
    lists, weights = node.lists[depth], node.weights[depth]
    others = node.branches[depth]
    price = node.overlap_price[depth]
    while True:
        position = node.positions[depth]
        wanted = _wanted(task, node, depth)
        if position + left > node.sizes[depth] or position >= others:
            return False
        heaviest = weights[position]
        if others < node.sizes[depth]:
            heaviest = max(heaviest, weights[others])
        open_value = node.rest[depth] + weights[position] + (left - 1) * heaviest
        if open_value < wanted:
            return False
        node.positions[depth] += 1
        one = lists[position]
        if task.smallest and task.values[one] < node.goal[0]:
            continue
        lightest = wanted - (open_value - heaviest)
        size = 0
        for first, end in ((position + 1, others), (others, node.sizes[depth])):
            for place in range(first, end):
                if weights[place] < lightest:
                    break
                spare = task.max_overlap - _shared(task.words, one, lists[place])
                if spare >= 0 and weights[place] - price * spare >= lightest:
                    node.lists[depth + 1, size] = lists[place]
                    size += 1
        if size < left - 1:
            continue
        node.chosen[depth] = one
        node.total[depth + 1] = node.total[depth] + task.values[one]
        node.unpaid[depth + 1] = node.unpaid[depth] - task.charges[one]
        node.sizes[depth + 1] = size
        node.positions[depth + 1] = -1
        node.feature_weight[depth + 1] = node.feature_weight[depth]
        node.most_uses[depth + 1] = node.most_uses[depth]
        for p in range(task.members.shape[1]):
            node.most_uses[depth + 1, task.members[one, p]] -= 1
        node.overlap_price[depth + 1] = node.overlap_price[depth]
        node.charged[depth + 1] = node.charged[depth]
        node.depth[0] = depth + 1
        return True


@compiled
def _take_best(task: Task, node: Node, depth: int) -> None:
    """Complete the chosen sets by the best of the list."""
    for place in range(node.sizes[depth]):
        node.chosen[depth] = node.lists[depth, place]
        _improve(task, node)


@compiled
def _take_best_pair(task: Task, node: Node, depth: int) -> None:
    """Complete the chosen sets by the best compatible two of the list, going by value."""
    size = node.sizes[depth]
    lists = node.lists[depth, :size]
    lists = lists[np.argsort(-task.values[lists], kind="mergesort")]
    for worse in range(1, size):
        wanted = _wanted(task, node, depth)
        worse_value = task.values[lists[worse]]
        if task.smallest and worse_value < node.goal[0]:
            break
        if not task.smallest and task.values[lists[0]] + worse_value < wanted:
            break
        for better in range(worse):
            if not task.smallest and task.values[lists[better]] + worse_value < wanted:
                break
            if _shared(task.words, lists[better], lists[worse]) <= task.max_overlap:
                node.chosen[depth], node.chosen[depth + 1] = lists[better], lists[worse]
                _improve(task, node)
                break


@compiled
def _improve(task: Task, node: Node) -> None:
    """Keep the chosen sets if they reach the goal, which is then raised."""
    total = task.values[node.chosen[0]]
    for place in range(1, task.n_sets):
        value = task.values[node.chosen[place]]
        total = min(total, value) if task.smallest else total + value
    if total >= node.goal[0]:
        node.found[:] = node.chosen
        node.goal[0] = total + 1
