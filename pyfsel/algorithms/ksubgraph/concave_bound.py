"""Branch and bound by a concave function above the weights; see ``docs/how/ksubgraph.md``.

The function comes from the doubly nonnegative relaxation, whose steps can be taken some at a time. Nodes
are searched in the core, which returns to Python whenever some work is done; a unit of work is about a
nanosecond.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from pyfsel.algorithms.ksubgraph.heavy_chains import Pairs
from pyfsel.core.arrays import Bools, Ints, Reals
from pyfsel.core.binding import Struct, in_core
from pyfsel.measures.arrays import one_thread

DEPTH, TARGET, NODES, WORK, FOUND, FOUND_WEIGHT, ROUNDS = range(7)
BLOCK = 4  # in a row of `node`
SHARE_FOR_BLOCK = 0.5  # as in ksubgraph_tree.c
MARGIN = 1e-10  # times n and the largest entry: some 10⁵ times what one rounding changes
WORK_ON_STEP = 1 / 4  # times n³: an estimate in the unit of the tree's work, about a nanosecond
# Shares of the gap that ten steps close: with minus the tree begins, with much minus the steps end; by trial.
PROGRESS_TO_BEGIN = 0.1
PROGRESS_TO_END = 0.03
WORK_AT_ONCE = 8 * 10**6
"""What is searched of the tree in one call: some milliseconds, after which an interrupt is seen."""
STEPS_AT_ONCE = 10  # before progress is measured, which takes a step's time itself
STEP_LENGTH = 1.6  # below (1 + √5)/2, up to which steps of this kind converge (Wen, Goldfarb and Yin)


class DoublyNonnegative:
    """The search for weights E + N and a diagonal d with a small ``½ x'(E + N − diag d)x + ½ d'x``.

    The matrix X = xx' of a set of k features has trace k, row sums k X_ii, is positive semidefinite and
    nowhere negative. The relaxation asks for the largest ``½ ⟨E, X⟩`` among all such X. Here its dual is
    solved by the alternating direction method (the boundary point method of Povh, Rendl and Wiegele,
    Computing 78, 2006; with the step length of Wen, Goldfarb and Yin, Mathematical Programming Computation 2,
    2010): in turns it takes the best multipliers y of the equations, the nearest positive semidefinite Z and
    the nearest N ≥ 0 in ``−E = A(y) + Z + N``, and moves X by what remains. It need not converge: any N ≥ 0
    and any d are allowed, and what uses them makes up for the part of Z that is not positive semidefinite.

    Parameters
    ----------
    weights : array of int, shape (n, n)
        E, symmetric.
    apart : array of bool, shape (n, n)
        Pairs that no set holds: there N may be negative.
    k : int
        k, at least 3 and less than n.

    Attributes
    ----------
    bound : float
        About the largest value of the best function so far: what its N and d prove but for rounding.
    raised : array of float, shape (n, n)
        Its N.
    diagonal : array of float, shape (n,)
        Its d.
    steps : int
        How many were taken.
    """

    def __init__(self, weights: Ints, apart: Bools, k: int) -> None:
        n = len(weights)
        self._scale = float(max(np.abs(weights).max(), 1))
        self._costs = weights / -self._scale
        np.fill_diagonal(self._costs, 0)
        self._free = apart & ~np.eye(n, dtype=np.bool_)
        self._set_size = k
        self._penalty = k / n
        self._X = np.full((n, n), k * (k - 1) / (n * (n - 1)))
        np.fill_diagonal(self._X, k / n)
        self._Z, self._N = np.zeros((n, n)), np.zeros((n, n))
        products = np.full((n + 1, n + 1), 0.5)
        np.fill_diagonal(products, (n - 1) / 2 + (1 - k) ** 2)
        products[0, 1:] = products[1:, 0] = 1 - k
        products[0, 0] = n
        self._inverse = np.linalg.inv(products)
        self._gaps = [np.inf]
        self.bound, self.steps = np.inf, 0
        self.raised, self.diagonal = np.zeros((n, n)), np.zeros(n)

    def improve(self, target: float) -> float:
        """Take some steps; return which share of the gap to the target these and some before closed.

        That is 0 where the bound is below the target.
        """
        for _ in range(STEPS_AT_ONCE):
            y = self._multipliers()
            rest = self._costs - self._combined(y)
            self._Z = positive_part(rest - self._N - self._X / self._penalty)
            self._N = rest - self._Z - self._X / self._penalty
            np.maximum(self._N, 0, out=self._N, where=~self._free)
            self._X -= STEP_LENGTH * self._penalty * (rest - self._Z - self._N)
        self.steps += STEPS_AT_ONCE
        self._take(y, rest)
        before = self._gaps[max(0, len(self._gaps) - 2)]
        self._gaps.append(self.bound - target)
        if self._gaps[-1] <= 0:
            return 0.0
        return 1 - self._gaps[-1] / before

    def _multipliers(self) -> Reals:
        """Return the best multipliers: of the trace, then of the row sums."""
        return self._inverse @ (self._sides(self._costs - self._Z - self._N) - self._missed() / self._penalty)

    def _sides(self, matrix: Reals) -> Reals:
        """Return the left sides of the equations: the trace, and row sums less k times the diagonal."""
        diagonal = matrix.diagonal()  # x_i times Σ x = k: the row sum of i is k times its diagonal entry
        return np.append(diagonal.sum(), matrix.sum(axis=1) - self._set_size * diagonal)

    def _missed(self) -> Reals:
        """Return by how much X misses the equations."""
        missed = self._sides(self._X)
        missed[0] -= self._set_size
        return missed

    def _combined(self, y: Reals) -> Reals:
        """Return the matrices of the equations, times their multipliers."""
        rows = y[1:]
        combined = (rows[:, None] + rows) / 2
        combined[np.diag_indices_from(combined)] += y[0] - self._set_size * rows
        return combined

    def _take(self, y: Reals, rest: Reals) -> None:
        """Take the present function if it is the best so far."""
        bends = max(0.0, -float(np.linalg.eigvalsh(rest - self._N)[0]))
        bound = self._scale * self._set_size * (bends - y[0]) / 2
        if bound < self.bound:
            self.bound = bound
            self.raised = self._scale * (self._N + self._N.T) / 2
            self.diagonal = self._scale * (self._set_size * y[1:] - y[0]) - self.raised.diagonal()
            np.fill_diagonal(self.raised, 0)


def positive_part(matrix: Reals) -> Reals:
    """Return the nearest positive semidefinite matrix to a symmetric one."""
    values, vectors = np.linalg.eigh(matrix)
    positive = values > 0
    part: Reals = (vectors[:, positive] * values[positive]) @ vectors[:, positive].T
    return part


class Tree(Struct):
    """The open nodes, one for each number of branchings: the first axis, 0 to k − 1.

    What they hold of each feature is by its place in a block: the features that were left at the node or at
    one above it, with their part of H.
    """

    state: Annotated[Ints, "7"]
    """Depth of the deepest open node (−1: none is open), the minimum weight of a set, nodes and work so far,
    whether a set is found, its weight, and how far its bound is in this node (−1: the node is to be
    visited)."""
    node: Annotated[Ints, "k", "5"]
    """Numbers of candidates and of features taken, W(T), the place of the feature that the node below has
    taken (−1: none so far), and the number of the block."""
    bound: Annotated[Reals, "k"]
    """Bounds on the weights of the sets of each node."""
    chosen: Annotated[Ints, "k", "k"]
    """T."""
    sums: Annotated[Ints, "k", "n"]
    """The weight between each feature and T, `LOW` for those that cannot come any more."""
    point: Annotated[Reals, "k", "n"]
    """x."""
    overlap: Annotated[Ints, "k", "n_previous"]
    blocks: Annotated[Ints, "n_blocks", "2"]
    """Size of each block, and where its part of H begins."""
    features: Annotated[Ints, "n_blocks", "n"]
    """The features of each block."""
    curvature: Annotated[Reals, "n_entries"]
    """The parts of H, row by row."""
    found: Annotated[Ints, "k"]
    gains: Annotated[Reals, "n"]
    linear: Annotated[Reals, "n"]
    gradient: Annotated[Reals, "n"]
    top: Annotated[Reals, "k"]
    room: Annotated[Ints, "n_parts"]
    top_of_parts: Annotated[Reals, "n_parts", "k"]
    some: Annotated[Ints, "n"]
    among: Annotated[Reals, "n_among"]
    added: Annotated[Ints, "k"]
    chains: Annotated[Reals, "4", "n"]
    """From `gains` on room to work in, at one node: what features add, the function and its slopes, the
    largest ones, also of each part; the features of an exchange and their part of H; a chain of those
    missing."""

    @classmethod
    def before_its_first_node(cls, pairs: Pairs, k: int) -> Tree:
        """Return the tree of all sets; the part of H of its first block, 0, is still to be written."""
        n, n_blocks, size = len(pairs.weights), 1, float(len(pairs.weights))
        while size >= 1:
            n_blocks, size = n_blocks + 1, size * SHARE_FOR_BLOCK
        tree = cls.with_room(
            {
                "n_previous": len(pairs.previous),
                "n_parts": len(pairs.limiting) + 1,
                # each block has at most this share of the features of the one before: a geometric series
                "n_entries": int(n * n / (1 - SHARE_FOR_BLOCK**2)) + 1,
                "n_among": n * (n + 3),
            },
            bound=np.full(k, np.inf),
            point=np.full((k, n), k / n),
            features=np.tile(np.arange(n), (n_blocks, 1)),
        )
        tree.node[0], tree.state[ROUNDS] = (n, 0, 0, -1, 0), -1
        tree.blocks[0] = n, 0
        return tree

    def write_curvature(self, curvature: Reals) -> None:
        """Write the parts of H, shape (n, n), of all blocks that open nodes use."""
        for block in range(self.node[self.state[DEPTH], BLOCK] + 1):
            size, start = self.blocks[block]
            features = self.features[block, :size]
            self.curvature[start : start + size * size] = curvature[np.ix_(features, features)].ravel()


@in_core
def search_tree(tree: Tree, pairs: Pairs, margin: float, work: int) -> None:
    """Go on until this work is done, all nodes are closed, or a heavy set is found."""


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

    curvature: Reals
    diagonal: Reals
    margin: float


def concave_above(weights: Reals, diagonal: Reals, k: int) -> Concave:
    """Return ``½ x'(E − diag d)x + ½ d'x`` with the least shift of d that makes it concave."""
    n = len(weights)
    curvature = weights - np.diag(diagonal)
    # without row and column means, it is the matrix in the directions in which the sum of x stays; taking
    # 2·size from all entries moves only the other direction, so its eigenvalue is not the largest
    centred = curvature - curvature.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    size = float(np.abs(curvature).max(initial=1.0))
    largest = np.linalg.eigvalsh((centred + centred.T) / 2 - 2 * size)[-1]
    diagonal = diagonal + largest + MARGIN * n * size
    np.fill_diagonal(curvature, -diagonal)
    size = float(max(np.abs(curvature).max(initial=1.0), 1.0))
    return Concave(curvature, diagonal, MARGIN * k * (k + n) * size)


class ConcaveSearch:
    """One search for better and better sets.

    Parameters
    ----------
    pairs : Pairs
    k : int
        At least 3.
    """

    def __init__(self, pairs: Pairs, k: int) -> None:
        self._pairs = pairs
        self._set_size = k
        with one_thread():
            self._root = DoublyNonnegative(pairs.weights, pairs.apart, k)
        self._root_pays = True
        self._concave: Concave | None = None
        self._work_on_root = 0
        self._tree = Tree.before_its_first_node(pairs, k)

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

    def search(self, target: int, work: int) -> tuple[Ints, Ints] | None:
        """Go on; return a set of at least the weight `target`, shape (1, k), and its weight.

        Of the sets met at one node only the heaviest is returned: the target has to rise above it.
        """
        tree = self._tree
        if self._concave is None or (self._root_pays and self._work_on_root <= tree.state[WORK]):
            self._improve(target)
            return None
        tree.state[TARGET], tree.state[FOUND] = target, 0
        enough = tree.state[WORK] + work
        while self.is_open and tree.state[WORK] < enough and not tree.state[FOUND]:
            search_tree(tree, self._pairs, self._concave.margin, min(WORK_AT_ONCE, enough - tree.state[WORK]))
        if not tree.state[FOUND]:
            return None
        return tree.found[None, :].copy(), tree.state[FOUND_WEIGHT].reshape(1).copy()

    def _improve(self, target: int) -> None:
        """Take some steps for a better function; begin with the tree when they pay less, end when no more.

        Later the tree goes on with a better function: what is open does not depend on it.
        """
        root, n = self._root, len(self._pairs.weights)
        before, bound = root.steps, root.bound
        with one_thread():
            progress = root.improve(target)
            self._work_on_root += int(WORK_ON_STEP * n**3) * (root.steps - before)
            self._root_pays = progress >= PROGRESS_TO_END
            if self._concave is None:
                if progress >= PROGRESS_TO_BEGIN:
                    return
            elif root.bound == bound:
                return
            self._concave = concave_above(self._pairs.weights + root.raised, root.diagonal, self._set_size)
        self._tree.write_curvature(self._concave.curvature)
