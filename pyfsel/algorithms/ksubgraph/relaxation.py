"""Branch and bound by a concave function above the weights; see the package.

Compiled but for the root, and resumable: the search returns to Python whenever some work is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.compiled import compiled
from pyfsel.algorithms.ksubgraph.compiled_chains import Pairs, has_room, insert, room_of_parts, write_highest
from pyfsel.algorithms.ksubgraph.doubly_nonnegative import DoublyNonnegative

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH, TARGET, NODES, WORK, FOUND, FOUND_WEIGHT = range(6)
COUNT, TAKEN, WEIGHT, BRANCHED = range(4)
MARGIN = 1e-10
MOST_STEPS = 300
STEPS_BEFORE_BOUND = 10
WORK_ON_STEP = 1 / 3
MOST_ROOT_STEPS = 500


class Concave(NamedTuple):
    """A function ``½ x'Hx + ½ d'x`` above the weights that is concave where the sum of x stays.

    Attributes
    ----------
    curvature : array of float, shape (n, n)
        H, the weights or more, with −d on the diagonal.
    diagonal : array of float, shape (n,)
        d.
    margin : float
        More than rounding can make of a bound.
    """

    curvature: NDArray[np.float64]
    diagonal: NDArray[np.float64]
    margin: float


class Tree(NamedTuple):
    """The open nodes, one for each depth: the first axis, 0 to n.

    Attributes
    ----------
    state : array of shape (6,)
        Depth of the deepest open node (−1: none is open), the least weight asked for, nodes and work so far,
        whether a set is found, and its weight.
    node : array of shape (n + 1, 4)
        Numbers of candidates and of features taken, W(T), and the feature that the node below has taken (−1:
        none so far).
    bound : array of float, shape (n + 1,)
        Bounds on the weights of the sets of each node.
    chosen : array of shape (n + 1, k)
        T.
    candidates, sums : arrays of shape (n + 1, n)
        The features that can still come; the weight between each of them and T, by feature.
    point : array of float, shape (n + 1, n)
        x, by feature.
    overlap : array of shape (n + 1, previous sets)
    found : array of shape (k,)
    """

    state: NDArray[np.int64]
    node: NDArray[np.int64]
    bound: NDArray[np.float64]
    chosen: NDArray[np.int64]
    candidates: NDArray[np.int64]
    sums: NDArray[np.int64]
    point: NDArray[np.float64]
    overlap: NDArray[np.int64]
    found: NDArray[np.int64]


@compiled
def write_gradient(
    concave: Concave,
    features: NDArray[np.int64],
    linear: NDArray[np.float64],
    point: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> None:
    """Write ``linear + H x`` for some features; all others are 0 in x."""
    for i in features:
        gradient[i] = linear[i]
    for j in features:
        if point[j] > 0:
            row = concave.curvature[j]
            for i in features:
                gradient[i] += point[j] * row[i]


@compiled
def tangent(
    features: NDArray[np.int64],
    linear: NDArray[np.float64],
    point: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> float:
    """Return what the tangent at x is besides its slopes: ``f(x) − g'x = ½ (linear − g)'x``."""
    total = 0.0
    for j in features:
        total += (linear[j] - gradient[j]) * point[j] / 2
    return total


@compiled
def climb(
    concave: Concave,
    features: NDArray[np.int64],
    linear: NDArray[np.float64],
    target: float,
    point: NDArray[np.float64],
    gradient: NDArray[np.float64],
    top: NDArray[np.float64],
) -> int:
    """Move x where ``linear'x + ½ x'Hx`` is larger, one feature against another; return the number of steps.

    It ends where the tangent shows that no set reaches the target, or that x is beyond the target, and nearer
    to the largest value.
    """
    curvature = concave.curvature
    write_gradient(concave, features, linear, point, gradient)
    for step in range(MOST_STEPS):
        if step % STEPS_BEFORE_BOUND == 0:
            top[:] = -np.inf
            value = 0.0
            for j in features:
                value += (linear[j] + gradient[j]) * point[j] / 2
                if gradient[j] > top[0]:
                    insert(top, gradient[j])
            bound = tangent(features, linear, point, gradient) + top.sum()
            if bound < target or (value > target and bound - value < value - target):
                return step
        up, down = -1, -1
        for j in features:
            if point[j] < 1 and (up < 0 or gradient[j] > gradient[up]):
                up = j
            if point[j] > 0 and (down < 0 or gradient[j] < gradient[down]):
                down = j
        if up < 0 or down < 0 or gradient[up] - gradient[down] <= concave.margin:
            return step
        move = min(1 - point[up], point[down])
        bend = 2 * curvature[up, down] - curvature[up, up] - curvature[down, down]
        if bend > 0:
            move = min(move, (gradient[up] - gradient[down]) / bend)
        is_whole_up, is_whole_down = move == 1 - point[up], move == point[down]
        point[up] = 1.0 if is_whole_up else point[up] + move
        point[down] = 0.0 if is_whole_down else point[down] - move
        rises, falls = curvature[up], curvature[down]
        for j in features:
            gradient[j] += move * (rises[j] - falls[j])
    return MOST_STEPS


@compiled
def take(tree: Tree, pairs: Pairs, depth: int, feature: int) -> None:
    """Add a feature to T at a node, and leave out the candidates that cannot come with it."""
    node, candidates, overlap = tree.node[depth], tree.candidates[depth], tree.overlap[depth]
    tree.chosen[depth, node[TAKEN]] = feature
    node[TAKEN] += 1
    node[WEIGHT] += tree.sums[depth, feature]
    for number in range(len(overlap)):
        overlap[number] += pairs.previous[number, feature]
    kept = 0
    for place in range(node[COUNT]):
        j = candidates[place]
        if j != feature and not pairs.apart[feature, j] and has_room(pairs, overlap, j):
            candidates[kept] = j
            tree.sums[depth, j] += pairs.weights[feature, j]
            kept += 1
    node[COUNT] = kept


@compiled
def finish(tree: Tree, depth: int) -> None:
    """Note the best set with one more feature, or with none, if it is heavy enough."""
    node, set_size = tree.node[depth], tree.chosen.shape[1]
    if node[TAKEN] < set_size:
        best = tree.candidates[depth, 0]
        for place in range(1, node[COUNT]):
            if tree.sums[depth, tree.candidates[depth, place]] > tree.sums[depth, best]:
                best = tree.candidates[depth, place]
        tree.chosen[depth, node[TAKEN]] = best
        node[WEIGHT] += tree.sums[depth, best]
    if node[WEIGHT] >= tree.state[TARGET]:
        tree.state[FOUND], tree.state[FOUND_WEIGHT] = 1, node[WEIGHT]
        tree.found[:] = tree.chosen[depth]


@compiled
def move_to_sum(features: NDArray[np.int64], missing: int, point: NDArray[np.float64]) -> None:
    """Change x so that it sums to the number of missing features, those that are not 0 if they can."""
    total, room = 0.0, 0.0
    for j in features:
        total += point[j]
        if point[j] > 0:
            room += 1 - point[j]
    everywhere = total + room <= missing
    if everywhere:
        room = len(features) - total
    for j in features:
        if total > missing:
            point[j] *= missing / total
        elif total < missing and (everywhere or point[j] > 0):
            point[j] += (missing - total) / room * (1 - point[j])


@compiled
def narrow(tree: Tree, pairs: Pairs, concave: Concave, depth: int) -> bool:
    """Bound a node, and fix features, in turns; return whether it is still open."""
    n, set_size = tree.point.shape[1], tree.chosen.shape[1]
    node, point, overlap = tree.node[depth], tree.point[depth], tree.overlap[depth]
    linear, gradient = np.empty(n), np.empty(n)
    while True:
        missing, before = set_size - node[TAKEN], node[COUNT]
        if before < missing:
            return False
        if missing <= 1:
            finish(tree, depth)
            return False
        features = tree.candidates[depth, :before]
        for j in features:
            linear[j] = tree.sums[depth, j] + concave.diagonal[j] / 2
        move_to_sum(features, missing, point)
        top, target = np.empty(missing), tree.state[TARGET] - node[WEIGHT] - concave.margin
        steps = climb(concave, features, linear, target, point, gradient, top)
        tree.state[WORK] += before * (before + 2 * steps)
        top[:] = -np.inf
        for j in features:
            if len(pairs.limiting) == 0 and gradient[j] > top[0]:
                insert(top, gradient[j])
        if len(pairs.limiting) > 0:
            room = room_of_parts(pairs, overlap, missing)
            write_highest(features, gradient[features], pairs.part, room, top)
            if top[0] == -np.inf:
                return False
        rest = tangent(features, linear, point, gradient) + top.sum()
        tree.bound[depth] = min(tree.bound[depth], rest + node[WEIGHT] + concave.margin)
        if rest < target:
            return False
        least, following, kept = top[0], -np.inf, 0
        for j in features:
            if gradient[j] < least:
                following = max(following, gradient[j])
        n_least = 0
        for j in features:
            n_least += gradient[j] == least
        for place in range(before):
            j = features[place]
            if rest - least + gradient[j] >= target:
                features[kept] = j
                kept += 1
        node[COUNT] = kept
        fixed = False
        if len(pairs.limiting) == 0 and n_least == 1:
            for j in features[:kept].copy():
                if gradient[j] >= least and rest - gradient[j] + following < target:
                    if not (tree.candidates[depth, : node[COUNT]] == j).any():
                        return False
                    take(tree, pairs, depth, j)
                    fixed = True
        if not fixed and kept > 0.7 * before:
            return True


@compiled
def branch(tree: Tree, pairs: Pairs, depth: int) -> None:
    """Write the node below that takes the feature whose number in x is nearest to a half."""
    node, best, distance = tree.node[depth], -1, 2.0
    for j in tree.candidates[depth, : node[COUNT]]:
        if abs(tree.point[depth, j] - 0.5) < distance:
            best, distance = j, abs(tree.point[depth, j] - 0.5)
    node[BRANCHED] = best
    below = depth + 1
    tree.node[below], tree.bound[below], tree.chosen[below] = node, tree.bound[depth], tree.chosen[depth]
    tree.candidates[below], tree.sums[below] = tree.candidates[depth], tree.sums[depth]
    tree.point[below], tree.overlap[below] = tree.point[depth], tree.overlap[depth]
    tree.node[below, BRANCHED] = -1
    take(tree, pairs, below, best)


@compiled
def leave_out(tree: Tree, depth: int) -> None:
    """Go on at a node without the feature that it branched on."""
    node, candidates, kept = tree.node[depth], tree.candidates[depth], 0
    for place in range(node[COUNT]):
        if candidates[place] != node[BRANCHED]:
            candidates[kept] = candidates[place]
            kept += 1
    node[COUNT], node[BRANCHED] = kept, -1


@compiled
def search_tree(tree: Tree, pairs: Pairs, concave: Concave, work: int) -> None:
    """Go on until so much work is done, no node is open, or a heavy set is found."""
    state = tree.state
    enough = state[WORK] + work
    while state[DEPTH] >= 0 and state[WORK] < enough and state[FOUND] == 0:
        depth = state[DEPTH]
        if tree.node[depth, BRANCHED] >= 0:
            leave_out(tree, depth)
        state[NODES] += 1
        if tree.bound[depth] >= state[TARGET] and narrow(tree, pairs, concave, depth):
            branch(tree, pairs, depth)
            state[DEPTH] += 1
        else:
            state[DEPTH] -= 1


def concave_above(weights: NDArray[np.float64], diagonal: NDArray[np.float64], set_size: int) -> Concave:
    """Return ``½ x'(E − diag d)x + ½ d'x`` with the least shift of d that makes it concave."""
    n = len(weights)
    curvature = weights - np.diag(diagonal)
    centred = curvature - curvature.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    size = float(np.abs(curvature).max(initial=1.0))
    largest = np.linalg.eigvalsh((centred + centred.T) / 2 - 2 * size)[-1]
    diagonal = diagonal + largest + MARGIN * n * size
    np.fill_diagonal(curvature, -diagonal)
    size = float(max(np.abs(curvature).max(initial=1.0), 1.0))
    return Concave(curvature, diagonal, MARGIN * set_size * (set_size + n) * size)


class Relaxation:
    """One search for better and better sets.

    Parameters
    ----------
    pairs : Pairs
    set_size : int
        At least 3.

    Attributes
    ----------
    root_bound : float
        About the first bound of the tree; −inf before it begins.
    """

    def __init__(self, pairs: Pairs, set_size: int) -> None:
        n = len(pairs.weights)
        self.root_bound = -np.inf
        self._pairs = Pairs._make(np.ascontiguousarray(numbers) for numbers in pairs)
        self._set_size = set_size
        self._root = DoublyNonnegative(pairs.weights, pairs.apart, set_size)
        self._concave: Concave | None = None
        self._work_on_root = 0
        self._tree = Tree(
            state=np.zeros(6, np.int64),
            node=np.zeros((n + 1, 4), np.int64),
            bound=np.full(n + 1, np.inf),
            chosen=np.zeros((n + 1, set_size), np.int64),
            candidates=np.tile(np.arange(n), (n + 1, 1)),
            sums=np.zeros((n + 1, n), np.int64),
            point=np.full((n + 1, n), set_size / n),
            overlap=np.zeros((n + 1, len(pairs.previous)), np.int64),
            found=np.zeros(set_size, np.int64),
        )
        self._tree.node[0] = n, 0, 0, -1

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
        return self._work_on_root + int(self._tree.state[WORK])

    @property
    def bound(self) -> float:
        """A bound on the weights of the sets not met, if it is open: infinite before the first node."""
        return float(self._tree.bound[: self._tree.state[DEPTH] + 1].max())

    def search(self, target: int, work: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Go on; return a set of at least the weight `target`, shape (1, set_size), and its weight.

        Of the sets that differ in one feature only the best is met: the target has to rise above it.
        """
        tree, root_goes_on = self._tree, self._root.steps < MOST_ROOT_STEPS
        if self._concave is None or (root_goes_on and self._work_on_root <= tree.state[WORK]):
            self._improve(target)
            return None
        tree.state[TARGET], tree.state[FOUND] = target, 0
        search_tree.machine(tree, self._pairs, self._concave, work)
        if not tree.state[FOUND]:
            return None
        return tree.found[None, :].copy(), tree.state[FOUND_WEIGHT].reshape(1).copy()

    def _improve(self, target: int) -> None:
        """Take some steps for a better function; begin with the tree when they pay no more.

        Later the tree goes on with a better function: what is open does not depend on it.
        """
        root, n = self._root, len(self._pairs.weights)
        before, bound = root.steps, root.bound
        goes_on = root.improve(target)
        self._work_on_root += int(WORK_ON_STEP * n**3) * (root.steps - before)
        is_first = self._concave is None
        if goes_on if is_first else root.bound == bound:
            return
        self._concave = concave_above(self._pairs.weights + root.raised, root.diagonal, self._set_size)
        if is_first:
            self.root_bound = root.bound
