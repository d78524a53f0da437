"""Branch and bound by a concave function above the weights, compiled and resumable.

The search returns to Python whenever some work is done; a unit of work is about a nanosecond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.ascent import climb, move_to_sum, value_and_rest
from pyfsel.algorithms.ksubgraph.compiled_chains import FAR, Pairs, has_room, room_of_parts, write_highest
from pyfsel.algorithms.ksubgraph.loops import LOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH, TARGET, NODES, WORK, FOUND, FOUND_WEIGHT = range(6)
COUNT, TAKEN, WEIGHT, BRANCHED, BLOCK = range(5)
SIZE = 0
PAIR = 2
SHARE_FOR_BLOCK = 0.5
SHARE_TO_BRANCH = 0.7
MOST_BY_CHAINS = 4
WORK_BY_CHAINS = 7


class Tree(NamedTuple):
    """The open nodes, one for each number of branchings: the first axis, 0 to k − 1.

    What they hold of each feature is by its place in a block: the features that were left at the node or at
    one above it, with their part of H.

    Attributes
    ----------
    state : array of shape (6,)
        Depth of the deepest open node (−1: none is open), the least weight asked for, nodes and work so far,
        whether a set is found, and its weight.
    node : array of shape (k, 5)
        Numbers of candidates and of features taken, W(T), the place of the feature that the node below has
        taken (−1: none so far), and the number of the block.
    bound : array of float, shape (k,)
        Bounds on the weights of the sets of each node.
    chosen : array of shape (k, k)
        T.
    sums : array of shape (k, n)
        The weight between each feature and T, `LOW` for those that cannot come any more.
    point : array of float, shape (k, n)
        x.
    overlap : array of shape (k, previous sets)
    blocks : array of shape (any, 2)
        Size of each block, and where its part of H begins.
    features : array of shape (any, n)
        The features of each block.
    curvature : array of float
        The parts of H, row by row.
    found : array of shape (k,)
    """

    state: NDArray[np.int64]
    node: NDArray[np.int64]
    bound: NDArray[np.float64]
    chosen: NDArray[np.int64]
    sums: NDArray[np.int64]
    point: NDArray[np.float64]
    overlap: NDArray[np.int64]
    blocks: NDArray[np.int64]
    features: NDArray[np.int64]
    curvature: NDArray[np.float64]
    found: NDArray[np.int64]


def new_tree(n: int, set_size: int, n_previous: int) -> Tree:
    """Return the tree before its first node; the part of H of its first block, 0, is still to be written."""
    n_blocks, size = 1, float(n)
    while size >= 1:
        n_blocks, size = n_blocks + 1, size * SHARE_FOR_BLOCK
    tree = Tree(
        state=np.zeros(6, np.int64),
        node=np.zeros((set_size, 5), np.int64),
        bound=np.full(set_size, np.inf),
        chosen=np.zeros((set_size, set_size), np.int64),
        sums=np.zeros((set_size, n), np.int64),
        point=np.full((set_size, n), set_size / n),
        overlap=np.zeros((set_size, n_previous), np.int64),
        blocks=np.zeros((n_blocks, 2), np.int64),
        features=np.tile(np.arange(n), (n_blocks, 1)),
        curvature=np.empty(int(n * n / (1 - SHARE_FOR_BLOCK**2)) + 1),
        found=np.zeros(set_size, np.int64),
    )
    tree.node[0] = n, 0, 0, -1, 0
    tree.blocks[0] = n, 0
    return tree


@compiled
def features_of(tree: Tree, block: int) -> NDArray[np.int64]:
    """Return the features of a block."""
    return tree.features[block, : tree.blocks[block, SIZE]]


@compiled
def curvature_of(tree: Tree, block: int) -> NDArray[np.float64]:
    """Return the part of H of a block."""
    size, start = tree.blocks[block]
    return tree.curvature[start : start + size * size].reshape((size, size))


@compiled
def begin_block(tree: Tree, depth: int) -> None:
    """Give a node a block of the features that are left there, after that which it had."""
    node, sums, point = tree.node[depth], tree.sums[depth], tree.point[depth]
    block = node[BLOCK]
    size, start = tree.blocks[block]
    tree.blocks[block + 1] = node[COUNT], start + size * size
    before, after = curvature_of(tree, block), curvature_of(tree, block + 1)
    places, count = np.empty(node[COUNT], np.int64), 0
    for i in range(size):
        if sums[i] > FAR:
            places[count] = i
            count += 1
    for i in range(count):
        tree.features[block + 1, i] = tree.features[block, places[i]]
        sums[i], point[i] = sums[places[i]], point[places[i]]
        for j in range(count):
            after[i, j] = before[places[i], places[j]]
    node[BLOCK] = block + 1
    tree.state[WORK] += count * count


@compiled
def leave_out(tree: Tree, depth: int, place: int) -> None:
    """Go on at a node without a feature."""
    tree.sums[depth, place], tree.point[depth, place] = LOW, 0
    tree.node[depth, COUNT] -= 1


@compiled
def take(tree: Tree, pairs: Pairs, depth: int, place: int) -> None:
    """Add a feature to T at a node, and leave out the candidates that cannot come with it."""
    node, overlap, sums = tree.node[depth], tree.overlap[depth], tree.sums[depth]
    features = features_of(tree, node[BLOCK])
    taken = features[place]
    tree.chosen[depth, node[TAKEN]] = taken
    node[TAKEN] += 1
    node[WEIGHT] += sums[place]
    for number in range(len(overlap)):
        overlap[number] += pairs.previous[number, taken]
    for i in range(len(features)):
        if sums[i] > FAR:
            if pairs.apart[taken, features[i]] or not has_room(pairs, overlap, features[i]):
                leave_out(tree, depth, i)
            else:
                sums[i] += pairs.weights[taken, features[i]]


@compiled
def finish(tree: Tree, pairs: Pairs, depth: int, added: NDArray[np.int64]) -> None:
    """Note the set of T and some features, given by their places, if it is allowed and the heaviest."""
    node, overlap = tree.node[depth], tree.overlap[depth]
    features, weight = features_of(tree, node[BLOCK])[added], node[WEIGHT]
    for i in range(len(added)):
        weight += tree.sums[depth, added[i]]
        for j in range(i):
            if pairs.apart[features[i], features[j]]:
                return
            weight += pairs.weights[features[i], features[j]]
    for number in range(len(overlap)):
        if overlap[number] + pairs.previous[number, features].sum() > pairs.limits[number]:
            return
    if weight >= tree.state[TARGET] and (tree.state[FOUND] == 0 or weight > tree.state[FOUND_WEIGHT]):
        tree.state[FOUND], tree.state[FOUND_WEIGHT] = 1, weight
        tree.found[: node[TAKEN]] = tree.chosen[depth, : node[TAKEN]]
        tree.found[node[TAKEN] :] = features


@compiled
def write_gains(sums: NDArray[np.int64], gains: NDArray[np.float64]) -> None:
    """Write what features add to T: −inf where they cannot come."""
    for j in range(len(sums)):
        gains[j] = sums[j] if sums[j] > FAR else -np.inf


@compiled
def count_reaching(values: NDArray[np.float64], least: float) -> int:
    """Return how many values are not below the least one: a loop that takes several at a time."""
    count = 0
    for j in range(len(values)):
        if values[j] >= least:
            count += 1
    return count


@compiled
def finish_by_chains(
    tree: Tree, pairs: Pairs, depth: int, gains: NDArray[np.float64], target: float, margin: float
) -> bool:
    """Meet all sets of a node that reach the target, along heavy chains of the missing features.

    Return whether it is done: it is left where it takes much work.
    """
    curvature, size = curvature_of(tree, tree.node[depth, BLOCK]), len(gains)
    missing = tree.chosen.shape[1] - tree.node[depth, TAKEN]
    others, work = missing - 1, 0
    added, following = np.zeros(missing, np.int64), np.zeros(missing, np.int64)
    weights, degrees = np.zeros(missing + 1), np.zeros((missing, missing))
    sums = np.empty((missing, size))
    for first in range(size):
        if gains[first] == -np.inf:
            continue
        for j in range(size):
            sums[1, j] = others * curvature[first, j] + gains[first] + gains[j]
        sums[1, first] = -np.inf
        added[0], m, following[1] = first, 1, 0
        while m > 0:
            if work > WORK_BY_CHAINS * size * size:
                tree.state[WORK] += work
                return False
            end = first if m == 1 else size
            least = target * (m + 1) * m / missing - weights[m]
            j = following[m]
            if j == 0 and count_reaching(sums[m, :end], least) == 0:
                j = end
            while j < end and sums[m, j] < least:
                j += 1
            following[m] = j + 1
            work += size // 2
            if j == end:
                m -= 1
                continue
            added[m], weakest = j, np.inf
            for i in range(m):
                own = others * curvature[added[i], j] + gains[added[i]] + gains[j]
                degrees[m, i] = degrees[m - 1, i] + own
                weakest = min(weakest, degrees[m, i])
            if weakest < sums[m, j] - margin:
                continue
            if m == others:
                finish(tree, pairs, depth, added)
                continue
            degrees[m, m], weights[m + 1] = sums[m, j], weights[m] + sums[m, j]
            for i in range(size):
                sums[m + 1, i] = sums[m, i] + others * curvature[j, i] + gains[j] + gains[i]
            sums[m + 1, j] = -np.inf
            m += 1
            following[m] = 0
    tree.state[WORK] += work
    return True


@compiled
def fix(
    tree: Tree,
    pairs: Pairs,
    depth: int,
    gradient: NDArray[np.float64],
    top: NDArray[np.float64],
    slack: float,
) -> int:
    """Leave out the features with which the tangent loses more than the slack, and take those without which.

    Return how many are taken, −1 if no set is left.
    """
    sums, least, following, n_least, n_taken = tree.sums[depth], top[0], -np.inf, 0, 0
    for j in range(len(gradient)):
        n_least += gradient[j] == least
        if gradient[j] < least:
            following = max(following, gradient[j])
        if gradient[j] > -np.inf and least - gradient[j] > slack:
            leave_out(tree, depth, j)
    if len(pairs.limiting) > 0 or n_least > 1:
        return 0
    for j in range(len(gradient)):
        if gradient[j] >= least and gradient[j] - following > slack:
            if sums[j] <= FAR:
                return -1
            take(tree, pairs, depth, j)
            n_taken += 1
    return n_taken


@compiled
def bound_node(
    tree: Tree,
    pairs: Pairs,
    depth: int,
    gains: NDArray[np.float64],
    target: float,
    margin: float,
    gradient: NDArray[np.float64],
    top: NDArray[np.float64],
) -> float:
    """Return a bound on what features can add to T, with the slopes that give it."""
    node, size = tree.node[depth], len(gains)
    features, curvature = features_of(tree, node[BLOCK]), curvature_of(tree, node[BLOCK])
    point, linear = tree.point[depth, :size], np.empty(size)
    for j in range(size):
        linear[j] = gains[j] - curvature[j, j] / 2
    move_to_sum(linear, len(top), point)
    tree.state[WORK] += climb(curvature, linear, target, margin, point, gradient, top)
    if len(pairs.limiting) > 0:
        top[:] = -np.inf
        room = room_of_parts(pairs, tree.overlap[depth], len(top))
        write_highest(features, gradient, pairs.part, room, top)
    return value_and_rest(linear, point, gradient)[1] + float(top.sum())


@compiled
def narrow(tree: Tree, pairs: Pairs, margin: float, depth: int) -> bool:
    """Bound a node, and fix features, in turns; return whether it is still open."""
    node, set_size = tree.node[depth], tree.chosen.shape[1]
    while True:
        missing, before = set_size - node[TAKEN], node[COUNT]
        if before < missing:
            return False
        if missing >= MOST_BY_CHAINS and before <= SHARE_FOR_BLOCK * tree.blocks[node[BLOCK], SIZE]:
            begin_block(tree, depth)
        sums = tree.sums[depth, : tree.blocks[node[BLOCK], SIZE]]
        if missing <= 1:
            finish(tree, pairs, depth, np.full(missing, sums.argmax()))
            return False
        target = tree.state[TARGET] - node[WEIGHT] - margin
        gains, gradient, top = np.empty(len(sums)), np.empty(len(sums)), np.empty(missing)
        write_gains(sums, gains)
        if missing == PAIR and finish_by_chains(tree, pairs, depth, gains, target, margin):
            return False
        bound = bound_node(tree, pairs, depth, gains, target, margin, gradient, top)
        tree.bound[depth] = min(tree.bound[depth], bound + node[WEIGHT] + margin)
        if bound < target:
            return False
        n_taken = fix(tree, pairs, depth, gradient, top, bound - target)
        if n_taken < 0:
            return False
        if n_taken == 0 and PAIR < missing <= MOST_BY_CHAINS:
            write_gains(sums, gains)
            if finish_by_chains(tree, pairs, depth, gains, target, margin):
                return False
        if n_taken == 0 and node[COUNT] > SHARE_TO_BRANCH * before:
            return True


@compiled
def branch(tree: Tree, pairs: Pairs, depth: int) -> None:
    """Write the node below that takes the feature whose number in x is nearest to a half."""
    node, below = tree.node[depth], depth + 1
    size = tree.blocks[node[BLOCK], SIZE]
    sums, point = tree.sums[depth, :size], tree.point[depth, :size]
    best, distance = int(sums.argmax()), 0.5
    for j in range(size):
        if point[j] > 0 and abs(point[j] - 0.5) < distance:
            best, distance = j, abs(point[j] - 0.5)
    node[BRANCHED] = best
    tree.node[below], tree.bound[below], tree.chosen[below] = node, tree.bound[depth], tree.chosen[depth]
    tree.sums[below, :size], tree.point[below, :size] = sums, point
    tree.overlap[below] = tree.overlap[depth]
    tree.node[below, BRANCHED] = -1
    take(tree, pairs, below, best)


@compiled
def search_tree(tree: Tree, pairs: Pairs, margin: float, work: int) -> None:
    """Go on until so much work is done, no node is open, or a heavy set is found."""
    state = tree.state
    enough = state[WORK] + work
    while state[DEPTH] >= 0 and state[WORK] < enough and state[FOUND] == 0:
        depth = state[DEPTH]
        node = tree.node[depth]
        if node[BRANCHED] >= 0:
            leave_out(tree, depth, node[BRANCHED])
            node[BRANCHED] = -1
        state[NODES] += 1
        if tree.bound[depth] >= state[TARGET] and narrow(tree, pairs, margin, depth):
            branch(tree, pairs, depth)
            state[DEPTH] += 1
        else:
            state[DEPTH] -= 1
