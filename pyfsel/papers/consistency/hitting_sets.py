"""All sets up to a size that hit each of the given sets, or the proof that none exists.

Each node of the tree has chosen features, excluded ones, and the sets that are not hit yet. It takes the one
with the fewest features left and branches on which of them is chosen first: those tried before are excluded.
A node ends where

- a set has no feature left, or no choice is left while some set is not hit;
- one choice is left: the features that hit all remaining sets at once, their intersection, are the solutions;
- r choices are left and no r features together hit all sets that remain, counted with repetition: each
  choice hits at most as many of the remaining sets as it is in now, so r choices hit at most the sum of the r
  largest of these counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from pyfsel.algorithms.bits import WORD
from pyfsel.core.arrays import Ints, Words
from pyfsel.core.binding import Struct, in_core

MOST_WORK = 1_000_000
MOST_FOUND = 4096
N_CHOSEN, N_NODES, N_FOUND = range(3)


class HittingSets:
    """Looks for hitting sets of at most a given size.

    Parameters
    ----------
    sets : array of uint64
        The sets to hit, as bits; none is empty.
    n_features : int

    Attributes
    ----------
    n_nodes : int
        Nodes of all trees so far.

    Examples
    --------
    >>> to_hit = HittingSets(np.array([0b011, 0b110, 0b101], dtype=np.uint64), 3)
    >>> to_hit.of_size(1), to_hit.of_size(2)
    ([], [(0, 1), (0, 2), (1, 2)])
    """

    def __init__(self, sets: Words, n_features: int) -> None:
        self.sets = sets
        self.n_features = n_features
        self.n_nodes = 0

    def of_size(
        self,
        size: int,
        most: int | None = None,
        on_pause: Callable[[], None] = lambda: None,
    ) -> list[tuple[int, ...]]:
        """Return the hitting sets of a size, unless smaller ones exist.

        Parameters
        ----------
        size : int
            Smaller hitting sets that exist may be found as well, without their supersets.
        most : int, optional
            Stop after this many.
        on_pause : callable
            Called now and then; may raise to end the search.
        """
        if not len(self.sets):
            return [()]
        if size < 1:
            return []
        tree = HittingTree.of(self.sets, self.n_features, size)
        found: set[int] = set()
        is_done = False
        while not is_done and (most is None or len(found) < most):
            on_pause()
            is_done = hit(tree, MOST_WORK)
            found.update(tree.found[: tree.state[N_FOUND]].tolist())
            self.n_nodes += int(tree.state[N_NODES])
            tree.state[N_NODES] = tree.state[N_FOUND] = 0
        features = range(self.n_features)
        return sorted(tuple(j for j in features if mask >> j & 1) for mask in found)[:most]


class HittingTree(Struct):
    """The state of a depth-first search, so it can pause; row d is for d chosen features."""

    state: Annotated[Ints, "3"]
    """Numbers of chosen features (−1 at the end), of nodes, and of hitting sets found."""
    sets: Annotated[Words, "size", "n_sets"]
    """What may be chosen of each set that is not hit."""
    lengths: Annotated[Ints, "size"]
    """How many these are."""
    allowed: Annotated[Words, "size"]
    to_try: Annotated[Words, "size"]
    chosen: Annotated[Words, "size"]
    """`allowed` are the features that are not excluded, `to_try` the features of the present set."""
    counts: Annotated[Ints, "n_features"]
    """Room to work in."""
    found: Annotated[Words, "most_found"]

    @classmethod
    def of(cls, sets: Words, n_features: int, size: int) -> HittingTree:
        """Return a search for sets of at most `size` features."""
        sizes = {"n_sets": len(sets), "n_features": n_features, "most_found": MOST_FOUND + WORD}
        tree = cls.with_room(sizes, allowed=np.full(size, np.iinfo(np.uint64).max))
        tree.sets[0], tree.lengths[0] = sets, len(sets)
        tree.to_try[0] = min(sets.tolist(), key=int.bit_count)
        return tree


@in_core
def hit(tree: HittingTree, most_work: int) -> bool:
    """Go on until about `most_work` sets were looked at, or `found` is full; return whether all is done."""
