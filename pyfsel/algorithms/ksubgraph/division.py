"""The division of all sets by their worst feature, the one that can add least; see the package.

Compiled, and resumable: the search returns to Python whenever a given amount of work is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.compiled_chains import Pairs, has_room, insert, room_of_parts, write_highest
from pyfsel.algorithms.ksubgraph.loops import LOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH, TARGET, NODES, WORK = range(4)
COUNT, POSITION, WEIGHT, TOTAL, LEAST = range(5)


class Tree(NamedTuple):
    """The open nodes, one for each number m of features taken so far: the first axis, 0 to k − 2.

    Attributes
    ----------
    state : array of shape (4,)
        m of the deepest open node (−1: none is open), the least weight asked for, nodes and work so far.
    node : array of shape (k, 5)
        Number of candidates, which of them is the next to be taken, W(T), the largest sum of k − m values of
        candidates, the least value in it.
    chosen : array of shape (k,)
    candidates : array of shape (k, n)
        By decreasing value.
    values, sums : arrays of shape (k, n)
        What each candidate adds at most to a set; its weight with T.
    overlap : array of shape (k, previous sets)
    """

    state: NDArray[np.int64]
    node: NDArray[np.int64]
    chosen: NDArray[np.int64]
    candidates: NDArray[np.int64]
    values: NDArray[np.int64]
    sums: NDArray[np.int64]
    overlap: NDArray[np.int64]


@compiled
def compute_values(tree: Tree, pairs: Pairs, depth: int, missing: int, best: NDArray[np.int64]) -> None:
    """Write the value of each candidate: its weight with T and its missing − 1 largest parts."""
    candidates = tree.candidates[depth, : tree.node[depth, COUNT]]
    some = best[: missing - 1]
    tree.values[depth] = LOW
    tree.state[WORK] += len(candidates) ** 2
    for i in candidates:
        some[:] = LOW
        for j in candidates:
            if not pairs.apart[i, j] and pairs.parts[i, j] > some[0]:
                insert(some, pairs.parts[i, j])
        if some[0] > LOW:
            tree.values[depth, i] = tree.sums[depth, i] + some.sum()


@compiled
def open_node(tree: Tree, pairs: Pairs, depth: int, missing: int) -> bool:
    """Leave out candidates that no good set holds and sort the others; return whether enough are left."""
    n = tree.sums.shape[1]
    best, top = np.empty(missing, np.int64), np.empty(missing, np.int64)
    room = room_of_parts(pairs, tree.overlap[depth], missing)
    node, candidates, values = tree.node[depth], tree.candidates[depth], tree.values[depth]
    before = n + 1
    while missing <= node[COUNT] < before:
        before = node[COUNT]
        compute_values(tree, pairs, depth, missing, best)
        some, top[:] = candidates[:before], LOW
        write_highest(some, values[some], pairs.part, room, top)
        if top[0] == LOW:
            return False
        node[TOTAL], node[LEAST] = top.sum(), top[0]
        needed = tree.state[TARGET] - node[WEIGHT] - node[TOTAL]
        if needed > 0:
            return False
        kept = 0
        for i in candidates[:before]:
            if values[i] >= needed + node[LEAST]:
                candidates[kept] = i
                kept += 1
        node[COUNT] = kept
    if node[COUNT] < missing:
        return False
    some = candidates[: node[COUNT]]
    some[:] = some[np.argsort(-values[some], kind="mergesort")]
    node[POSITION] = missing - 1
    return True


@compiled
def next_bound(tree: Tree, depth: int) -> int:
    """Return a bound on the sets below the children that a node still has; `LOW` if it has none."""
    node = tree.node[depth]
    if node[POSITION] >= node[COUNT]:
        return LOW
    value = tree.values[depth, tree.candidates[depth, node[POSITION]]]
    bound: int = node[WEIGHT] + node[TOTAL] + min(0, value - node[LEAST])
    return bound


@compiled
def take_next(tree: Tree, pairs: Pairs, depth: int) -> None:
    """Write the next child one deeper: the feature in turn is taken, only those of more value remain."""
    position = tree.node[depth, POSITION]
    tree.node[depth, POSITION] += 1
    feature = tree.candidates[depth, position]
    tree.chosen[depth] = feature
    tree.node[depth + 1, WEIGHT] = tree.node[depth, WEIGHT] + tree.sums[depth, feature]
    for number in range(len(pairs.previous)):
        tree.overlap[depth + 1, number] = tree.overlap[depth, number] + pairs.previous[number, feature]
    kept = 0
    for place in range(position):
        j = tree.candidates[depth, place]
        if not pairs.apart[feature, j] and has_room(pairs, tree.overlap[depth + 1], j):
            tree.candidates[depth + 1, kept] = j
            tree.sums[depth + 1, j] = tree.sums[depth, j] + pairs.weights[feature, j]
            kept += 1
    tree.node[depth + 1, COUNT] = kept
    tree.state[NODES] += 1
    tree.state[WORK] += position


@compiled
def divide(tree: Tree, pairs: Pairs, work: int) -> bool:
    """Go on until so much work is done or no node is open (False), or `chosen` is a heavy set (True)."""
    set_size = len(tree.chosen)
    enough = tree.state[WORK] + work
    while tree.state[DEPTH] >= 0 and tree.state[WORK] < enough:
        depth = tree.state[DEPTH]
        if next_bound(tree, depth) < tree.state[TARGET]:
            tree.state[DEPTH] -= 1
            continue
        take_next(tree, pairs, depth)
        missing = set_size - depth - 1
        if missing > 1:
            if open_node(tree, pairs, depth + 1, missing):
                tree.state[DEPTH] += 1
            continue
        last = tree.candidates[depth + 1, : tree.node[depth + 1, COUNT]]
        if len(last):
            feature: int = last[np.argmax(tree.sums[depth + 1][last])]
            tree.chosen[depth + 1] = feature
            tree.node[depth + 1, WEIGHT] += tree.sums[depth + 1, feature]
            if tree.node[depth + 1, WEIGHT] >= tree.state[TARGET]:
                return True
    return False


class Division:
    """One search for better and better sets; nothing is computed before the first call of `search`.

    Parameters
    ----------
    pairs : Pairs
    set_size : int
        At least 3.
    """

    def __init__(self, pairs: Pairs, set_size: int) -> None:
        n = len(pairs.weights)
        self._pairs = Pairs._make(np.ascontiguousarray(numbers) for numbers in pairs)
        self._tree = Tree(
            state=np.array([0, 0, 0, 0]),
            node=np.zeros((set_size, 5), np.int64),
            chosen=np.zeros(set_size, np.int64),
            candidates=np.tile(np.arange(n), (set_size, 1)),
            values=np.zeros((set_size, n), np.int64),
            sums=np.zeros((set_size, n), np.int64),
            overlap=np.zeros((set_size, len(pairs.previous)), np.int64),
        )
        self._tree.node[0, COUNT] = n

    @property
    def is_open(self) -> bool:
        """Whether there may be sets that it has not met."""
        return bool(self._tree.state[DEPTH] >= 0)

    @property
    def nodes(self) -> int:
        """How many nodes were met."""
        return int(self._tree.state[NODES])

    @property
    def work(self) -> int:
        """How much work was done."""
        return int(self._tree.state[WORK])

    @property
    def bound(self) -> int:
        """A bound on the weights of the sets not met, after the first call of `search`, if it is open."""
        depths = range(self._tree.state[DEPTH] + 1)
        return max(next_bound.machine(self._tree, depth) for depth in depths)

    def search(self, target: int, work: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Go on; return a set of at least the weight `target`, shape (1, set_size), and its weight.

        Of the sets that differ in one feature only the best is met: the target has to rise above it.
        """
        tree = self._tree
        tree.state[TARGET] = target
        if self.nodes == 0:
            tree.state[NODES] = 1
            tree.state[DEPTH] = 0 if open_node.machine(tree, self._pairs, 0, len(tree.chosen)) else -1
        if not divide.machine(tree, self._pairs, work):
            return None
        return tree.chosen[None, :].copy(), tree.node[-1, WEIGHT].reshape(1).copy()
