"""The smallest consistent sets by branching over the difference sets of all pairs of rows, size by size.

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
from itertools import chain, islice, product
from typing import Annotated

import numpy as np

from pyfsel.core.arrays import Bools, Ints, Words
from pyfsel.core.binding import Struct, in_core
from pyfsel.papers.consistency.distinct_rows import ConsistencyProblem
from pyfsel.problem.objectives import FeatureSet

MOST_WORK = 1_000_000
MOST_FOUND = 4096
N_CHOSEN, N_NODES, N_FOUND = range(3)
WORD = 64
MOST_WORDS = 20_000_000  # of all pairs of rows
MOST_COMPARED = 4000
CHECKED = 1000  # sets that are compared before the clock is read
N_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)
"""The number of bits that are set in each byte."""


def n_words(problem: ConsistencyProblem) -> int:
    """Return how many words the differences of all pairs of rows take."""
    n_pairs = len(problem.patterns) * (len(problem.patterns) - 1) // 2
    return n_pairs * -(-problem.n_features // WORD)


def minimal_differences(rows: Ints, classes: Ints, check: Callable[[], None] = lambda: None) -> Words:
    """Return the minimal difference sets of all pairs of rows of different classes, small ones first.

    A set of features is consistent, with rate 0, if and only if it hits all of them. Each is compared with
    the `MOST_COMPARED` smallest of them only: if there are more, some that are returned may contain another.
    What hits them all is the same.

    Parameters
    ----------
    rows : array of int, shape (n_rows, n_features)
    classes : array of int, shape (n_rows,)
    check : callable
        Called now and then; may raise to end it.

    Returns
    -------
    array of uint64, shape (n_sets, ⌈n_features/64⌉)
        Bit j of the words of a set is feature j. An empty set says that no set is consistent.

    Examples
    --------
    >>> words = minimal_differences(np.array([[0, 0, 5], [0, 1, 5], [1, 0, 6]]), np.array([0, 1, 1]))
    >>> words.tolist(), as_sets(words)
    ([[2], [5]], [(1,), (0, 2)])
    """
    found = _differences(rows, classes, check)
    different = np.unique(found.ravel())[:, None] if found.shape[1] == 1 else np.unique(found, axis=0)
    ascending = different[np.argsort(N_BITS[different.view(np.uint8)].sum(axis=1), kind="stable")]
    return ascending[_is_minimal(ascending, check)]


def as_sets(words: Words) -> list[tuple[int, ...]]:
    """Return the features of each set, ascending."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    return [tuple(np.flatnonzero(row).tolist()) for row in bits]


def _differences(rows: Ints, classes: Ints, check: Callable[[], None]) -> Words:
    width = -(-rows.shape[1] // WORD)
    found = [np.empty((0, width), dtype=np.uint64)]
    for first in range(1, len(rows)):
        check()
        differ = rows[:first][classes[:first] != classes[first]] != rows[first]
        packed = np.zeros((len(differ), width * WORD // 8), dtype=np.uint8)
        packed[:, : -(-rows.shape[1] // 8)] = np.packbits(differ, axis=1, bitorder="little")
        found.append(packed.view("<u8"))
    return np.concatenate(found)


def _is_minimal(ascending: Words, check: Callable[[], None]) -> Bools:
    """Return which sets contain none that stands before them and is minimal itself."""
    kept = np.empty((ascending.shape[1], MOST_COMPARED), dtype=np.uint64)
    n_kept = 0
    result = np.zeros(len(ascending), dtype=np.bool_)
    for i, words in enumerate(ascending):
        if i % CHECKED == 0:
            check()
        inside = np.ones(n_kept, dtype=np.bool_)
        for smaller, word in zip(kept[:, :n_kept], words, strict=True):
            inside &= smaller & word == smaller
        if not inside.any():
            result[i] = True
            if n_kept < MOST_COMPARED:
                kept[:, n_kept] = words
                n_kept += 1
    return result


def branching_refusal(problem: ConsistencyProblem) -> str | None:
    """Return why a problem cannot be branched on; None if it can."""
    if problem.max_inconsistent:
        return f"allows {problem.max_inconsistent} inconsistent rows, branching none (rate 0)"
    if problem.previous:
        return "is about an alternative, branching finds the smallest set only"
    n_different = len(_copies(problem.patterns))
    if n_different > WORD:
        return f"has {n_different} different features, branching takes {WORD} at most"
    if n_words(problem) > MOST_WORDS:
        return f"has pairs of rows of {n_words(problem)} words, branching takes {MOST_WORDS} at most"
    return None


class DifferenceSets:
    """The sets that consistent sets hit, among one feature of each group of copies.

    Copies distinguish the same pairs of rows, so they are in the same difference sets: a smallest hitting set
    contains one of them at most, and any other one serves as well.

    Examples
    --------
    >>> from pyfsel.papers.consistency.distinct_rows import consistency_problem
    >>> sets = DifferenceSets(consistency_problem([[0, 0, 1], [0, 1, 0], [1, 1, 0]], [0, 1, 1]))
    >>> sets.of_size(0), sets.of_size(1)
    ([], [(1,), (2,)])
    """

    def __init__(self, problem: ConsistencyProblem, check: Callable[[], None] = lambda: None) -> None:
        self._copies = _copies(problem.patterns)
        rows = problem.patterns[:, [group[0] for group in self._copies]].astype(np.int64)
        self._to_hit = minimal_differences(rows, problem.counts.argmax(axis=1), check)[:, 0]

    def of_size(
        self, size: int, most: int | None = None, on_pause: Callable[[], None] = lambda: None
    ) -> list[FeatureSet]:
        """Return the consistent sets of a size, unless smaller ones exist.

        Parameters
        ----------
        size : int
            Smaller sets that exist may be found as well, without their supersets.
        most : int, optional
            Stop after this many.
        on_pause : callable
            Called now and then; may raise to end the search.
        """
        if not len(self._to_hit):
            return [()]
        is_done, found = size < 1, set[int]()
        tree = HittingTree.of(self._to_hit, len(self._copies), max(1, size))
        while not is_done and (most is None or len(found) < most):
            on_pause()
            is_done = hit(tree, MOST_WORK)
            found.update(tree.found[: tree.state[N_FOUND]].tolist())
            tree.state[N_NODES] = tree.state[N_FOUND] = 0
        chosen = ([g for j, g in enumerate(self._copies) if mask >> j & 1] for mask in sorted(found))
        each = (product(*groups) for groups in chosen)
        return sorted(tuple(sorted(s)) for s in islice(chain.from_iterable(each), most))


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


def _copies(patterns: Ints) -> list[tuple[int, ...]]:
    """Return the features in groups that divide the rows alike, whatever their values are called."""
    groups: dict[bytes, list[int]] = {}
    for j, column in enumerate(patterns.T):
        _, first, codes = np.unique(column, return_index=True, return_inverse=True)
        groups.setdefault(first[codes].tobytes(), []).append(j)
    return [tuple(group) for group in groups.values()]
