"""The nodes of the branch and bound by a concave function above the weights, whose search is in the core.

It returns to Python whenever some work is done; a unit of work is about a nanosecond.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pyfsel.algorithms.ksubgraph.heavy_chains import Pairs
from pyfsel.core import Ints, Reals, Struct, in_core

DEPTH, TARGET, NODES, WORK, FOUND, FOUND_WEIGHT = range(6)
BLOCK = 4  # in a row of `node`
MOST_BY_CHAINS = 4  # missing features, as in ksubgraph_tree.c, and the next
SHARE_FOR_BLOCK = 0.5


@dataclass(frozen=True, eq=False)
class Tree(Struct):
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
    gains, linear, gradient, top, room, top_of_parts, some, among, added, chains : arrays
        Room to work in, at one node: what features add, the function and its slopes, the largest ones, also
        of each part; the features of an exchange and their part of H; a chain of the missing features.
    """

    state: Annotated[Ints, "6"]
    node: Annotated[Ints, "k", "5"]
    bound: Annotated[Reals, "k"]
    chosen: Annotated[Ints, "k", "k"]
    sums: Annotated[Ints, "k", "n"]
    point: Annotated[Reals, "k", "n"]
    overlap: Annotated[Ints, "k", "n_previous"]
    blocks: Annotated[Ints, "n_blocks", "2"]
    features: Annotated[Ints, "n_blocks", "n"]
    curvature: Annotated[Reals, "n_entries"]
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

    @classmethod
    def before_its_first_node(cls, pairs: Pairs, set_size: int) -> Tree:
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
            bound=np.full(set_size, np.inf),
            point=np.full((set_size, n), set_size / n),
            features=np.tile(np.arange(n), (n_blocks, 1)),
        )
        tree.node[0] = n, 0, 0, -1, 0
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
    """Go on until so much work is done, no node is open, or a heavy set is found."""
