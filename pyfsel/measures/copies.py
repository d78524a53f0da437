"""Columns that are equal or nearly so: copies in another unit, another coding, with a little noise.

Two columns are alike if the absolute Spearman correlation is at least the threshold, or, for two discrete
columns, if their mutual information is at least that share of the larger of both entropies: 1 for the same
categories by other names. The second is asked only where each has at most √rows different values, since with
more of them chance alone shares much information (about (K−1)²/2m of log K nats for K values in m rows).
Constant columns are like no other. All entries are ranked: counts of levels give no useful bound on a rank
correlation, as a bin may enclose a frequent value.

Clusters are those of complete linkage: any two columns of one are alike, so a chain of columns, each
like the next, does not count as one feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Floats, Ints
from pyfsel.measures.contingency import entropies, joint_entropies, level_counts
from pyfsel.measures.correlation import ranks, standardised
from pyfsel.measures.levels import level_codes
from pyfsel.measures.streams.lanes import Lanes
from pyfsel.measures.tables.entries import as_dense, drawn_rows
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Columns, prepare_columns
from pyfsel.problem.checks import finite_number, share

THRESHOLD = 0.95
MANY_ROWS = 2**13
"""Of so many rows and more some are drawn to find the pairs that are compared in all rows."""
MARGIN, FEWEST = 0.6, 50
"""Six standard errors of a correlation of 0.95 of one row; columns in which fewer of the drawn rows differ
from the most frequent value are compared in all rows."""
BLOCK = 512
"""Columns compared at once: a product of two blocks fits into the cache of a processor."""
ROUNDING = 1e-9
"""What correlations of exact copies may fall short of 1 by rounding."""


def find_copies(X: Any, threshold: float = THRESHOLD) -> list[tuple[int, ...]]:
    """Return clusters of columns that are copies of each other, for `pyfsel.make_instance`.

    The work grows with the square of the number of columns (4,000 columns of 1,000 rows take seconds), the
    memory with the square of the largest connected group of columns.

    Parameters
    ----------
    X : Table, Columns, or features as `pyfsel.measures.prepare` takes them
    threshold : float
        From which two columns are alike, 0 to 1.

    Returns
    -------
    list of tuples of int
        Columns (0-based), each cluster ascending; columns without copies are in none.

    Raises
    ------
    InputError
        If the table or the threshold is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> eur = [3.0, 1.5, 4.2, 1.0, 5.9]
    >>> prices = pd.DataFrame({"eur": eur, "size": [2, 7, 1, 8, 2], "usd": [1.17 * x for x in eur]})
    >>> find_copies(prices)
    [(0, 2)]
    """
    alike = _Alike(X, threshold)
    neighbours = list(alike.pairs(range(alike.n_columns)))
    found = []
    for members in _components(alike.n_columns, neighbours):
        found += _complete_linkage(members, alike.among(members), alike.threshold)
    return sorted(found)


def copies_of(X: Any, features: Iterable[int], threshold: float = THRESHOLD) -> tuple[tuple[int, int], ...]:
    """Return the pairs of columns that are alike, of which at least one is among some features.

    Parameters
    ----------
    X, threshold
        As for `find_copies`.
    features : iterable of int
        Columns that are compared with all others, such as those of a result.

    Returns
    -------
    tuple of pairs of int
        Sorted, the smaller number first.
    """
    alike = _Alike(X, threshold)
    return tuple(sorted({(min(i, j), max(i, j)) for i, j in alike.pairs(sorted(set(features)))}))


class _Alike:
    """Compares columns, block by block."""

    def __init__(self, X: Any, threshold: float, n_rows: int | None = None) -> None:
        self._columns = X if isinstance(X, Columns) else prepare_columns(X)
        self.threshold = share("copy_threshold", threshold)
        self.n_columns = self._columns.n_features
        self._varying = np.asarray(~self._columns.is_constant)
        n_rows, discrete = n_rows or self.n_rows, np.flatnonzero(self._columns.is_discrete & self._varying)
        self._code_of: dict[int, int] = {}
        if len(discrete):
            few = self._columns.select(discrete)
            codes = level_codes(few if few.gaps is None else replace(few, gaps=None, coded=None))
            is_few = np.flatnonzero(level_counts(codes) ** 2 <= n_rows)
            self._code_of = {j: place for place, j in enumerate(discrete[is_few].tolist())}
            self._codes = codes.select(is_few) if isinstance(codes, Lanes) else codes[:, is_few]
            self._entropies = entropies(self._codes)
        self._at_once = max(1, min(BLOCK, BLOCK_ENTRIES // self.n_rows))
        self._all_ranks: Floats | None = None
        self._of_drawn: _Alike | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self._columns.X.shape[0])

    def _ranks(self, features: Sequence[int]) -> Floats:
        """Return the ranks of some columns, of mean 0 and length 1; 0 for constant ones."""
        some = np.asarray(features, dtype=np.intp)
        if self._all_ranks is not None:
            return np.asarray(self._all_ranks[:, some])
        found, varying = np.zeros((self._columns.X.shape[0], len(some))), self._varying[some]
        if varying.any():
            found[:, varying] = standardised(ranks(as_dense(self._columns.X[:, some[varying]])))
        return found

    def _similarities(self, some: Sequence[int], its_ranks: Floats, others: Sequence[int]) -> Floats:
        """Return how alike columns of these ranks are to others, shape (len(some), len(others))."""
        found = np.abs(its_ranks.T @ self._ranks(others))
        rows = [i for i, j in enumerate(some) if j in self._code_of]
        places = [i for i, j in enumerate(others) if j in self._code_of]
        if rows and places:
            shared = self._shared_information(
                [self._code_of[some[i]] for i in rows], [self._code_of[others[i]] for i in places]
            )
            found[np.ix_(rows, places)] = np.maximum(found[np.ix_(rows, places)], shared)
        return found

    def _shared_information(self, some: Sequence[int], others: Sequence[int]) -> Floats:
        single, other = self._entropies[some], self._entropies[others]
        joint = joint_entropies(self._codes[:, some], self._codes[:, others])
        larger = np.maximum(single[:, None], other[None, :])
        shared = single[:, None] + other[None, :] - joint
        return np.asarray(shared / np.where(larger > 0, larger, 1.0))

    def pairs(self, features: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield each of some columns with each other one that is like it; pairs of them in both orders."""
        if self.n_rows < MANY_ROWS:
            yield from self._close(features, np.zeros(self.n_columns))
            return
        candidates: dict[int, list[int]] = {}
        for i, j in self.drawn()._close(features, self._margins()):
            candidates.setdefault(i, []).append(j)
        for i, others in candidates.items():
            for start in range(0, len(others), self._at_once):
                some = others[start : start + self._at_once]
                found = self._similarities([i], self._ranks([i]), some)[0]
                for j in np.flatnonzero(found >= self.threshold - ROUNDING).tolist():
                    yield i, some[j]

    def drawn(self) -> _Alike:
        """Return the same of some rows, always the same ones."""
        if self._of_drawn is None:
            rows = drawn_rows(self.n_rows)
            few = replace(
                self._columns, X=self._columns.X[rows], rows=rows, gaps=None, filled=None, coded=None
            )
            self._of_drawn = _Alike(few, self.threshold, self.n_rows)
        return self._of_drawn

    def _margins(self) -> Floats:
        """Return by how much less alike each column may be in the rows drawn than it is in all."""
        columns = self.drawn()._columns
        counts = (np.unique(columns.column(j), return_counts=True)[1] for j in range(self.n_columns))
        n_others = np.array([len(columns.rows) - most.max() for most in counts])
        return np.where(n_others < FEWEST, 2.0, MARGIN / np.sqrt(np.maximum(n_others, 1)))

    def _close(self, features: Sequence[int], margins: Floats) -> Iterator[tuple[int, int]]:
        """Yield the pairs that are as alike as the threshold minus the larger margin of both."""
        starts = range(0, self.n_columns, self._at_once)
        blocks = [range(start, min(start + self._at_once, self.n_columns)) for start in starts]
        if len(features) > BLOCK:  # every block of columns is met more than once
            self._all_ranks = np.hstack([self._ranks(block) for block in blocks])
        for start in range(0, len(features), BLOCK):
            some = features[start : start + BLOCK]
            its_ranks = self._ranks(some)
            for others in blocks:
                least = self.threshold - ROUNDING - np.maximum(margins[some][:, None], margins[others])
                close = (self._similarities(some, its_ranks, others) >= least) & self._varying[others]
                for i, j in np.argwhere(close):
                    if some[i] != others[j]:
                        yield some[int(i)], others[int(j)]

    def among(self, members: Sequence[int]) -> Floats:
        """Return how alike some columns are among each other."""
        both = self._similarities(members, self._ranks(members), members)
        return np.asarray((both + both.T) / 2)


def _components(n: int, pairs: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the connected groups of two or more columns.

    Each cluster of complete linkage lies in one of them, since its columns are pairwise alike.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    if not pairs:
        return
    rows, cols = np.array(pairs).T
    _, labels = connected_components(
        coo_matrix((np.ones(len(rows)), (rows, cols)), shape=(n, n)), directed=False
    )
    involved = np.unique(rows)
    for label in np.unique(labels[involved]):
        yield [int(j) for j in involved[labels[involved] == label]]


def _complete_linkage(members: Sequence[int], similarity: Floats, threshold: float) -> list[tuple[int, ...]]:
    """Return the clusters of two columns or more in which any two are alike."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = np.clip(1 - similarity, 0.0, None)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method="complete")
    labels = fcluster(tree, 1 - threshold + ROUNDING, criterion="distance")
    clusters = [
        tuple(j for j, own in zip(members, labels, strict=True) if own == label) for label in set(labels)
    ]
    return [cluster for cluster in clusters if len(cluster) > 1]


def similarities(X: Any, features: Sequence[int]) -> Floats:
    """Return how alike some columns are among each other, shape (len(features), len(features)).

    Of many rows 4,096 are compared, always the same ones.

    Examples
    --------
    >>> similarities([[1.0, 2.0], [2.0, 4.0], [3.0, 1.0]], [0, 1]).round(2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    alike = _Alike(X, THRESHOLD)
    return (alike if alike.n_rows < MANY_ROWS else alike.drawn()).among(features)


def related_pairs(X: Any, threshold: float) -> Ints:
    """Return all pairs of columns that are at least this alike, shape (n_pairs, 2), the smaller number first.

    Examples
    --------
    >>> related_pairs([[1.0, 2.0, 5.0], [2.0, 4.0, 1.0], [3.0, 6.0, 3.0]], 0.7).tolist()
    [[0, 1]]
    """
    if not 0 < finite_number("relatives", threshold) <= 1:
        raise InputError(f"relatives={threshold!r}: is not a similarity above 0, up to 1. Try 0.7")
    alike = _Alike(X, threshold)
    found = sorted({(min(i, j), max(i, j)) for i, j in alike.pairs(range(alike.n_columns))})
    return np.array(found, dtype=np.intp).reshape(-1, 2)
