"""The smallest consistent sets by branching over the difference sets of all pairs of rows, size by size."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, islice, product

import numpy as np

from pyfsel.algorithms.bits import WORD
from pyfsel.core.arrays import Ints
from pyfsel.papers.consistency.differences import MOST_WORDS, minimal_differences, n_words
from pyfsel.papers.consistency.distinct_rows import ConsistencyProblem
from pyfsel.papers.consistency.hitting_sets import HittingSets
from pyfsel.problem.objectives import FeatureSet


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

    def __init__(self, problem: ConsistencyProblem) -> None:
        self._copies = _copies(problem.patterns)
        rows = problem.patterns[:, [group[0] for group in self._copies]].astype(np.int64)
        classes = problem.counts.argmax(axis=1).astype(np.int64)
        self._to_hit = HittingSets(minimal_differences(rows, classes)[:, 0], len(self._copies))

    @property
    def n_nodes(self) -> int:
        """Nodes of all trees so far."""
        return self._to_hit.n_nodes

    def of_size(
        self, size: int, most: int | None = None, on_pause: Callable[[], None] = lambda: None
    ) -> list[FeatureSet]:
        """Return the consistent sets of a size if no smaller one is consistent; see `HittingSets.of_size`."""
        found = self._to_hit.of_size(size, most, on_pause)
        each = (product(*(self._copies[j] for j in members)) for members in found)
        return sorted(tuple(sorted(s)) for s in islice(chain.from_iterable(each), most))


def _copies(patterns: Ints) -> list[tuple[int, ...]]:
    """Return the features in groups that divide the rows alike, whatever their values are called."""
    groups: dict[bytes, list[int]] = {}
    for j, column in enumerate(patterns.T):
        _, first, codes = np.unique(column, return_index=True, return_inverse=True)
        groups.setdefault(first[codes].tobytes(), []).append(j)
    return [tuple(group) for group in groups.values()]
