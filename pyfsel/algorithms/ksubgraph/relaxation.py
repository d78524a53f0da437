"""Branch and bound by a concave function above the weights; see the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyfsel.algorithms.ksubgraph.doubly_nonnegative import DoublyNonnegative
from pyfsel.algorithms.ksubgraph.heavy_chains import Pairs
from pyfsel.algorithms.ksubgraph.tree import (
    DEPTH,
    FOUND,
    FOUND_WEIGHT,
    NODES,
    TARGET,
    WORK,
    Tree,
    search_tree,
)
from pyfsel.measures.threads import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN = 1e-10  # times n and the largest entry: some 10⁵ times what one rounding changes
WORK_ON_STEP = 1 / 4  # times n³: an estimate in the unit of the tree's work, about a nanosecond
# Shares of the gap that ten steps close: with less the tree begins, with much less the steps end; by trial.
PROGRESS_TO_BEGIN = 0.1
PROGRESS_TO_END = 0.03
WORK_AT_ONCE = 2 * 10**7
"""So much of the tree is searched in one call, of some milliseconds, so that an interrupt is seen."""


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


def concave_above(weights: NDArray[np.float64], diagonal: NDArray[np.float64], set_size: int) -> Concave:
    """Return ``½ x'(E − diag d)x + ½ d'x`` with the least shift of d that makes it concave."""
    n = len(weights)
    curvature = weights - np.diag(diagonal)
    # without row and column means, it is the matrix in the directions in which the sum of x stays; taking
    # 2·size from all entries moves only the other direction, so that its eigenvalue is not the largest
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
        self.root_bound = -np.inf
        self._pairs = pairs
        self._set_size = set_size
        with one_thread():
            self._root = DoublyNonnegative(pairs.weights, pairs.apart, set_size)
        self._root_pays = True
        self._concave: Concave | None = None
        self._work_on_root = 0
        self._tree = Tree.before_its_first_node(pairs, set_size)

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

    @property
    def is_new(self) -> bool:
        """Whether the tree is about to begin: its function is there, and it met no node."""
        return self._concave is not None and self.nodes == 0

    @property
    def likely_pairs(self) -> NDArray[np.float64]:
        """X of the semidefinite program, shape (n, n): large for pairs of features that are in good sets."""
        return self._root.likely_pairs

    def search(self, target: int, work: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Go on; return a set of at least the weight `target`, shape (1, set_size), and its weight.

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
                self.root_bound = root.bound
            elif root.bound == bound:
                return
            self._concave = concave_above(self._pairs.weights + root.raised, root.diagonal, self._set_size)
        self._tree.write_curvature(self._concave.curvature)
