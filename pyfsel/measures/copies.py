"""Columns that are equal or nearly so: copies in another unit, another coding, with a little noise.

Two columns are alike if the absolute Spearman correlation is at least the threshold, or, for two discrete
columns, if their mutual information is at least that share of the larger of both entropies: 1 for the same
categories by other names. The second is tested only if each has at most √rows different values, since with
more of them chance alone shares much information (about (K−1)²/2m of log K nats for K values in m rows).
Constant columns are like no other. All entries are ranked: counts of levels give no useful bound on a rank
correlation, as a bin may enclose a frequent value.

Clusters are found by complete linkage: any two columns of a cluster are alike, so a chain of columns, each
like the next, does not count as one feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Floats, Ints, slices
from pyfsel.measures.contingency import Coded
from pyfsel.measures.correlation import ranks, standardised
from pyfsel.measures.levels import level_codes
from pyfsel.measures.tables.entries import as_dense, drawn_rows
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Columns
from pyfsel.problem.checks import finite_number, share

THRESHOLD = 0.95
MANY_ROWS = 2**13
"""From this many rows on, some are drawn to find the pairs that are compared in all rows."""
MARGIN, FEWEST = 0.6, 50
"""Six standard errors of a correlation of 0.95 of one row; columns in which fewer of the drawn rows differ
from the most frequent value are compared in all rows."""
BLOCK = 512
"""Columns that are ranked at once."""
ROUNDING = 1e-9
"""What correlations of exact copies may fall short of 1 by rounding."""


def find_copies(columns: Columns, threshold: float = THRESHOLD) -> list[tuple[int, ...]]:
    """Return clusters of columns that are copies of each other, for `pyfsel.make_instance`.

    The work grows with the square of the number of columns (4,000 columns of 1,000 rows take seconds), the
    memory with the square of the largest connected group of columns.

    Parameters
    ----------
    columns : Columns or Table
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
    >>> from pyfsel.measures.tables.table import prepare_columns
    >>> eur = [3.0, 1.5, 4.2, 1.0, 5.9]
    >>> prices = pd.DataFrame({"eur": eur, "size": [2, 7, 1, 8, 2], "usd": [1.17 * x for x in eur]})
    >>> find_copies(prepare_columns(prices))
    [(0, 2)]
    """
    alike, pairs = _alike(columns, share("copy_threshold", threshold))
    if not len(pairs):
        return []
    import networkx as nx

    # columns of a cluster are pairwise alike, so each cluster lies in one connected group
    groups = map(sorted, nx.connected_components(nx.Graph(pairs.tolist())))
    return sorted(
        each for group in groups for each in _complete_linkage(group, alike.among(group), threshold)
    )


def copies_of(
    columns: Columns, features: Iterable[int], threshold: float = THRESHOLD
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of columns that are alike, of which at least one is among some features.

    Parameters
    ----------
    columns, threshold
        As for `find_copies`.
    features : iterable of int
        Columns that are compared with all others, such as the features of a result.

    Returns
    -------
    tuple of pairs of int
        Sorted, the smaller number first.
    """
    _, pairs = _alike(columns, share("copy_threshold", threshold), sorted(set(features)))
    return tuple(map(tuple, pairs.tolist()))


def _alike(
    columns: Columns, threshold: float, features: Sequence[int] | None = None
) -> tuple[_Similarity, Ints]:
    """Return what compares columns, and the pairs that are alike, sorted, the smaller number first.

    Of each pair at least one is among some features, which are all unless given.
    """
    alike = _Similarity(columns)
    features, least = range(columns.n_features) if features is None else features, threshold - ROUNDING
    features = [j for j in features if not columns.is_constant[j]]
    if alike.n_rows < MANY_ROWS:
        found = alike.pairs(features, least, np.full(columns.n_features, least))
    else:
        drawn = _Similarity(alike.drawn_columns(), alike)
        found = alike.confirmed(drawn.pairs(features, least, least - drawn.margins()), least)
    return alike, np.unique(np.sort(found, axis=1), axis=0)


class _Similarity:
    """How alike columns are.

    Parameters
    ----------
    columns : Columns
    whole : _Similarity, optional
        That of all rows, if these are some of them.
    """

    def __init__(self, columns: Columns, whole: _Similarity | None = None) -> None:
        self.columns, self.n_rows = columns, int(columns.X.shape[0])
        self.whole = whole or self
        self._place = np.full(columns.n_features, -1)  # of columns of few values, among the levels
        self._entropies = np.full(columns.n_features, np.nan)
        discrete = np.flatnonzero(columns.is_discrete & ~columns.is_constant)
        if len(discrete):
            few = columns.select(discrete)
            filled = few if few.gaps is None else replace(few, gaps=None, coded=None)
            self._levels = Coded(level_codes(filled))
            is_few = self._levels.sizes**2 <= self.whole.n_rows
            self._place[discrete[is_few]] = np.flatnonzero(is_few)
            self._entropies[discrete[is_few]] = self._levels.entropies()[is_few]

    def drawn_columns(self) -> Columns:
        """Return the columns in some rows, always the same ones."""
        rows = drawn_rows(self.n_rows)
        return replace(self.columns, X=self.columns.X[rows], rows=rows, gaps=None, filled=None, coded=None)

    def margins(self) -> Floats:
        """Return by how much less alike each column of drawn rows may be than it is in all."""
        every = (self.columns.column(j) for j in range(self.columns.n_features))
        n_others = np.array([self.n_rows - np.unique(each, return_counts=True)[1].max() for each in every])
        return np.where(n_others < FEWEST, 2.0, MARGIN / np.sqrt(np.maximum(n_others, 1)))

    def _ranks(self, features: Sequence[int] | Ints) -> Floats:
        """Return the ranks of some columns, of mean 0 and length 1; 0 for constant ones."""
        blocks, X = (features[some] for some in slices(len(features), BLOCK)), self.columns.X
        return np.hstack([standardised(ranks(as_dense(X[:, np.asarray(some)]))) for some in blocks])

    def between(
        self,
        some: Sequence[int] | Ints,
        others: Sequence[int] | Ints,
        least: float = 0.0,
        its_ranks: Floats | None = None,
    ) -> Floats:
        """Return how alike some columns, whose ranks may be known, and others are, if at least this much."""
        some, others = np.asarray(some), np.asarray(others)
        found = np.abs((self._ranks(some) if its_ranks is None else its_ranks).T @ self._ranks(others))
        is_open = self._may_share(some[:, None], others, least)
        first, second = np.flatnonzero(is_open.any(axis=1)), np.flatnonzero(is_open.any(axis=0))
        if len(first):
            both = np.ix_(first, second)
            found[both] = np.maximum(found[both], self._shared(some[first], others[second]))
        return np.asarray(found)

    def _may_share(self, some: Ints, others: Ints, least: float) -> NDArray[np.bool_]:
        """Return which columns of few values can share this much: at most the smaller entropy."""
        entropies = self.whole._entropies
        smaller, larger = (each(entropies[some], entropies[others]) for each in (np.minimum, np.maximum))
        are_few = (self._place[some] >= 0) & (self._place[others] >= 0)
        return np.asarray(are_few & (smaller >= (least - ROUNDING) * larger))

    def _shared(self, some: Ints, others: Ints) -> Floats:
        """Return the information that levels share relative to the larger entropy."""
        single, other = self._entropies[some][:, None], self._entropies[others]
        joint = self._levels.joint_entropies(self._place[some], self._place[others])
        larger = np.maximum(single, other)
        return np.asarray((single + other - joint) / np.where(larger > 0, larger, 1.0))

    def pairs(self, features: Sequence[int], least: float, of_each: Floats) -> Ints:
        """Return some columns with others that are alike enough for one of both, shape (n_pairs, 2).

        Parameters
        ----------
        features : sequence of int
        least : float
            How alike columns are in all rows that are wanted.
        of_each : array of float, shape (n_features,)
            How alike each column must be to another one in these rows.
        """
        found = [np.empty((0, 2), dtype=np.intp)]
        if not features:
            return found[0]
        some = np.array(features)
        its_ranks, its_least = self._ranks(some), of_each[some][:, None]
        varying = np.flatnonzero(~self.columns.is_constant)
        by_entropy = np.argsort(self.whole._entropies[varying], kind="stable")
        varying = varying[by_entropy]  # a block has few columns that share enough with others
        for block in slices(len(varying), BLOCK):
            others = varying[block]
            close = self.between(some, others, least, its_ranks) >= np.minimum(its_least, of_each[others])
            first, second = np.nonzero(close & (some[:, None] != others))
            found.append(np.column_stack([some[first], others[second]]))
        return np.concatenate(found)

    def confirmed(self, pairs: Ints, least: float) -> Ints:
        """Return the pairs that are alike, with the ranks of a block of columns in memory."""
        n_mates = np.bincount(pairs.ravel(), minlength=self.columns.n_features)
        pairs = np.unique(np.sort(pairs, axis=1), axis=0)
        swapped = n_mates[pairs[:, 1]] > n_mates[pairs[:, 0]]  # few firsts, such as the rare ones, have many
        pairs[swapped] = pairs[swapped][:, ::-1]
        pairs, found = pairs[np.argsort(pairs[:, 0], kind="stable")], [np.empty((0, 2), dtype=np.intp)]
        firsts, at_once = np.unique(pairs[:, 0]), BLOCK_ENTRIES // self.n_rows
        for block in slices(len(firsts), at_once):
            some = firsts[block]
            own = pairs[(pairs[:, 0] >= some[0]) & (pairs[:, 0] <= some[-1])]
            its_ranks, seconds = self._ranks(some), np.unique(own[:, 1])
            for second in slices(len(seconds), at_once):
                others = seconds[second]
                inside = own[(own[:, 1] >= others[0]) & (own[:, 1] <= others[-1])]
                of_ranks = np.abs(its_ranks.T @ self._ranks(others))
                places = np.searchsorted(some, inside[:, 0]), np.searchsorted(others, inside[:, 1])
                is_alike = of_ranks[places] >= least
                found.append(inside[is_alike])
                left = inside[~is_alike & self._may_share(inside[:, 0], inside[:, 1], least)]
                found += [
                    mates[self._shared(mates[:1, 0], mates[:, 1])[0] >= least] for mates in _by_first(left)
                ]
        return np.concatenate(found)

    def among(self, features: Sequence[int]) -> Floats:
        """Return how alike some columns are among each other."""
        both = self.between(features, features)
        return np.asarray((both + both.T) / 2)


def _by_first(pairs: Ints) -> list[Ints]:
    """Return the pairs of each first column, of pairs that are sorted by it."""
    return np.split(pairs, np.flatnonzero(np.diff(pairs[:, 0])) + 1) if len(pairs) else []


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


def similarities(columns: Columns, features: Sequence[int]) -> Floats:
    """Return how alike some columns are among each other, shape (len(features), len(features)).

    Of many rows 4,096 are compared, always the same ones.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import prepare_columns
    >>> columns = prepare_columns([[1.0, 2.0], [2.0, 4.0], [3.0, 1.0]])
    >>> similarities(columns, [0, 1]).round(2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    alike = _Similarity(columns)
    return (alike if alike.n_rows < MANY_ROWS else _Similarity(alike.drawn_columns(), alike)).among(features)


def related_pairs(columns: Columns, threshold: float) -> Ints:
    """Return all pairs of columns that are at least this alike, shape (n_pairs, 2), the smaller number first.

    Examples
    --------
    >>> from pyfsel.measures.tables.table import prepare_columns
    >>> columns = prepare_columns([[1.0, 2.0, 5.0], [2.0, 4.0, 1.0], [3.0, 6.0, 3.0]])
    >>> related_pairs(columns, 0.7).tolist()
    [[0, 1]]
    """
    if not 0 < finite_number("relatives", threshold) <= 1:
        raise InputError(f"relatives={threshold!r}: is not a similarity above 0, up to 1. Try 0.7")
    return _alike(columns, threshold)[1]
