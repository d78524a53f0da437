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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Self

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Array, Bools, Floats, Ints, slices
from pyfsel.measures.contingency import Coded, x_log_x
from pyfsel.measures.correlation import ranks, standardised
from pyfsel.measures.levels import level_codes
from pyfsel.measures.tables.entries import as_dense, distinct_counts, drawn_rows
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Columns
from pyfsel.problem.checks import finite_number, share

THRESHOLD = 0.95
MANY_ROWS = 2**13
"""From this many rows on, some are drawn to find the pairs that are compared in all rows."""
MARGIN, FEWEST = 0.6, 50
"""Six standard errors of a correlation of 0.95 of one row; columns in which fewer of the drawn rows differ
from the most frequent value are rare."""
SELDOM = 6
"""Columns that differ in more than this many times as many drawn rows, divided by the squared threshold, do
not correlate enough with a rare one."""
BLOCK = 512
"""Columns that are ranked at once."""
NO_PAIRS: Ints = np.empty((0, 2), np.intp)
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
    clusters = (
        _complete_linkage(group, (similarity + similarity.T) / 2, threshold)
        for group, _, similarity in _groups(columns, share("copy_threshold", threshold))
    )
    return sorted(chain.from_iterable(clusters))


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
    own, found = np.array([*features], np.intp), [NO_PAIRS]
    for some, group, similarity in _groups(columns, share("copy_threshold", threshold), own):
        found.append(_different(some, group, similarity >= threshold - ROUNDING))
    pairs = np.unique(np.sort(np.concatenate(found), axis=1), axis=0)
    return tuple(map(tuple, pairs.tolist()))


def _groups(
    columns: Columns, threshold: float, features: Ints | None = None
) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Yield groups of columns: the features in a group, all its columns, and how alike these are.

    Columns of no common group are not alike. Without features all columns are; otherwise columns that are not
    like one of them need not be in groups.
    """
    alike, least = _Similarity.of(columns), threshold - ROUNDING
    every = np.flatnonzero(~columns.is_constant)
    own = every if features is None else np.intersect1d(every, features)
    if alike.n_rows < MANY_ROWS:
        pairs = alike.pairs(every, own, least, np.full(columns.n_features, least))
    else:
        drawn = alike.drawn()
        n_others = np.array([drawn.n_others(j) for j in range(columns.n_features)])
        is_rare, is_seldom = n_others < FEWEST, n_others * max(least, 0.0) ** 2 <= SELDOM * FEWEST
        of_each = least - MARGIN / np.sqrt(np.maximum(n_others, 1))
        common, rare = every[~is_rare[every]], every[is_rare[every]]
        is_own = np.isin(rare, own)
        pairs = np.concatenate(
            [
                drawn.pairs(common, own, least, of_each),
                alike.rare_pairs(rare[is_own], every, is_seldom, least),
                alike.rare_pairs(rare[~is_own], own, is_seldom, least),
            ]
        )
    labels = components(pairs, columns.n_features)
    for label in np.unique(labels[pairs]):
        group = np.flatnonzero(labels == label)
        some = np.intersect1d(group, own)
        yield some, group, alike.between(some, group, least)


def components(pairs: Ints, n: int) -> Ints:
    """Return the number of the component of each column; SciPy's would make small tables wait for SciPy."""
    labels = np.arange(n)
    while (labels[pairs[:, 0]] != labels[pairs[:, 1]]).any():
        np.minimum.at(labels, pairs, labels[pairs].min(axis=1)[:, None])
        labels = labels[labels]
    return labels


class _Similarity:
    """How alike columns are.

    Parameters
    ----------
    columns : Columns
    levels : Coded, optional
        The values of discrete columns.
    place : array of int, shape (n_features,)
        Which of these each column of few values is; −1 for others.
    whole : _Similarity, optional
        That of all rows, if these are some of them.
    """

    def __init__(self, columns: Columns, levels: Any, place: Ints, whole: _Similarity | None = None) -> None:
        self.columns, self.n_rows = columns, int(columns.X.shape[0])
        self.levels, self.place, self.whole = levels, place, whole or self
        self.entropies = np.full(columns.n_features, np.nan)
        if levels is not None:
            self.entropies[place >= 0] = levels.entropies()[place[place >= 0]]

    @classmethod
    def of(cls, columns: Columns) -> Self:
        """Return how alike columns are in all rows."""
        discrete = np.flatnonzero(columns.is_discrete & ~columns.is_constant)
        place = np.full(columns.n_features, -1)
        if not len(discrete):
            return cls(columns, None, place)
        some = columns.select(discrete)
        levels = Coded(level_codes(some if some.gaps is None else replace(some, gaps=None, coded=None)))
        is_few = levels.sizes**2 <= columns.X.shape[0]
        place[discrete[is_few]] = np.flatnonzero(is_few)
        return cls(columns, levels, place)

    def drawn(self) -> _Similarity:
        """Return how alike the columns are in some rows, always the same ones."""
        rows, levels = drawn_rows(self.n_rows), self.levels
        if levels is not None:
            levels = Coded(np.array([levels.codes[:, j][rows] for j in range(levels.codes.shape[1])]).T)
        return _Similarity(self.columns.at(rows), levels, self.place, self)

    def n_others(self, j: int) -> int:
        """Return in how many rows a column differs from its most frequent value."""
        return self.n_rows - int(distinct_counts(self._values(j))[1].max())

    def _values(self, j: int) -> Array:
        """Return the values of a column, or their numbers if they are few."""
        place = self.place[j]
        return self.columns.column(j) if place < 0 else np.asarray(self.levels.codes[:, place])

    def _apart(self, j: int) -> Bools:
        """Return in which rows a column differs from its most frequent value."""
        distinct, counts = distinct_counts(self._values(j))
        return np.asarray(self._values(j) != distinct[counts.argmax()])

    def _all_apart(self, features: Ints) -> Array:
        """Return where columns differ from their most frequent values, as ones and zeros."""
        found = np.empty((self.n_rows, len(features)), np.float32)
        for i, j in enumerate(features):
            found[:, i] = self._apart(j)
        return found

    def _sparse_apart(self, features: Ints) -> Any:
        """Return the same as a sparse table."""
        from scipy.sparse import csc_array

        rows = [np.zeros(0, np.intp), *(np.flatnonzero(self._apart(j)) for j in features)]
        ends, places = np.cumsum([len(each) for each in rows]), np.concatenate(rows)
        return csc_array((np.ones(len(places), np.float32), places, ends), shape=(self.n_rows, len(features)))

    def _ranks(self, features: Ints) -> Floats:
        """Return the ranks of some columns, of mean 0 and length 1; 0 for constant ones."""
        found, is_few = np.empty((self.n_rows, len(features))), self.place[features] >= 0
        for i in np.flatnonzero(is_few).tolist():
            found[:, i] = ranks(self._values(features[i]))
        others = np.flatnonzero(~is_few)
        for block in slices(len(others), BLOCK):
            found[:, others[block]] = ranks(as_dense(self.columns.X[:, features[others[block]]]))
        for block in slices(len(features), BLOCK):
            found[:, block] = standardised(found[:, block])
        return found

    def between(self, some: Ints, others: Ints, least: float = 0.0) -> Floats:
        """Return how alike some columns and others are, those exactly that are at least this alike."""
        found, at_once = np.empty((len(some), len(others))), BLOCK_ENTRIES // self.n_rows
        for block in slices(len(some), at_once):
            ranked = self._ranks(some[block])
            for other in slices(len(others), at_once):
                found[block, other] = np.abs(ranked.T @ self._ranks(others[other]))
        self._share(found, some, others, self._may_share(some[:, None], others, least))
        return found

    def _share(self, found: Floats, some: Ints, others: Ints, is_open: Bools) -> None:
        """Put shared information, for open pairs, in place of correlations that are less."""
        first, second = np.flatnonzero(is_open.any(axis=1)), np.flatnonzero(is_open.any(axis=0))
        if len(first):
            both = np.ix_(first, second)
            found[both] = np.maximum(found[both], self._shared(some[first], others[second]))

    def _may_share(self, some: Ints, others: Ints, least: float) -> Bools:
        """Return which columns of few values can share this much: at most the smaller entropy."""
        entropies = self.whole.entropies
        smaller, larger = (each(entropies[some], entropies[others]) for each in (np.minimum, np.maximum))
        are_few = (self.place[some] >= 0) & (self.place[others] >= 0)
        return np.asarray(are_few & (smaller >= (least - ROUNDING) * larger))

    def _shared(self, some: Ints, others: Ints) -> Floats:
        """Return the information that levels share relative to the larger entropy."""
        single, other = self.entropies[some][:, None], self.entropies[others]
        joint = self.levels.joint_entropies(self.place[some], self.place[others])
        larger = np.maximum(single, other)
        return np.asarray((single + other - joint) / np.where(larger > 0, larger, 1.0))

    def pairs(self, every: Ints, features: Ints, least: float, of_each: Floats) -> Ints:
        """Return pairs of columns that are alike enough for one of both, shape (n_pairs, 2).

        Parameters
        ----------
        every : array of int
            The columns that are compared.
        features : array of int
            At least one column of each pair is among them.
        least : float
            How alike columns are in all rows that are wanted.
        of_each : array of float, shape (n_features,)
            How alike each column must be to another one in these rows.
        """
        found, kind = [NO_PAIRS], np.float64 if self.whole is self else np.float32
        # a block of similar entropies has few columns that share enough with others
        every = every[np.argsort(self.whole.entropies[every], kind="stable")]
        is_own = np.isin(every, features)
        own, rest = every[is_own], every[~is_own]
        its_ranks = self._ranks(own).astype(kind)
        parts: list[Any] = [(rest[block], None, 0) for block in slices(len(rest), BLOCK)]
        parts += [(own[block], its_ranks[:, block], block.start) for block in slices(len(own), BLOCK)]
        for others, known, begin in parts if len(own) else ():
            some = own[begin:]  # of two of them, each pair once
            ranked: Any = self._ranks(others).astype(kind) if known is None else known
            alike = np.abs(its_ranks[:, begin:].T @ ranked)
            wanted = np.minimum(of_each[some][:, None], of_each[others])
            is_open = self._may_share(some[:, None], others, least) & (some[:, None] != others)
            self._close(is_open, some, others, wanted)
            self._share(alike, some, others, is_open)
            found.append(_different(some, others, alike >= wanted))
        return np.concatenate(found)

    def _close(self, is_open: Bools, some: Ints, others: Ints, wanted: Floats) -> None:
        """Close pairs that share less than is wanted, by the rows in which both are apart."""
        first, second = np.flatnonzero(is_open.any(axis=1)), np.flatnonzero(is_open.any(axis=0))
        own, mates = self._all_apart(some[first]), self._all_apart(others[second])
        most = self._most_shared(
            some[first][:, None], others[second], own.sum(axis=0)[:, None], mates.sum(axis=0), own.T @ mates
        )
        is_open[np.ix_(first, second)] &= most >= wanted[np.ix_(first, second)]

    def _most_shared(
        self, some: Ints, others: Ints, n_apart: Array, n_others: Array, n_both: Array
    ) -> Floats:
        """Return what columns of few values share at most, relative to the larger entropy.

        Parameters
        ----------
        n_apart, n_others, n_both : array of float
            In how many rows the first column differs from one of its values, the second one does, and both.

        Notes
        -----
        Proof. Let X differ from one value in the share a of the rows, Y from one of its own in b, both in c.
        Among the 1 − b in which Y has its value, X differs in a − c. The entropy of X given Y is at least
        what these rows add, and that at least the entropy of whether X differs in them:
        (1 − b) · h((a − c) / (1 − b)).
        """
        a, b, c = (each.astype(np.float64) / self.n_rows for each in (n_apart, n_others, n_both))
        single, other = self.entropies[some], self.entropies[others]
        most = np.minimum(single - _left(a - c, 1 - b), other - _left(b - c, 1 - a))
        return np.asarray(most / np.maximum(single, other)) + ROUNDING

    def rare_pairs(self, rare: Ints, others: Ints, is_seldom: Bools, least: float) -> Ints:
        """Return the pairs of a rare column with another one that may be alike, by where both differ.

        Parameters
        ----------
        rare, others : array of int
            Columns.
        is_seldom : array of bool, shape (n_features,)
            Which columns may correlate enough with rare ones.
        least : float
            How alike columns are that are wanted.

        Notes
        -----
        Of n rows, a column differs from its most frequent value in the share a. Its ranks minus the rank of
        that value are at most n (1 + a) / 2, and the variance of its ranks is at least n² a (1 − a) / 4, that
        of two values. So of standardised ranks the differences d are at most (1 + a) / √(n a (1 − a)), and
        the rank r of the most frequent value is at most a times that. The correlation of two columns is
        −n r r′ plus the sum of d d′ over the rows in which both differ.
        """
        own, found = self._sparse_apart(rare), [NO_PAIRS]
        for block in slices(len(others), BLOCK):
            may_share = self._may_share(rare[:, None], others[block], least)
            is_in = is_seldom[others[block]] | may_share.any(axis=0)
            some, may_share = others[block][is_in], may_share[:, is_in]
            mates = self._sparse_apart(some)
            n_own, n_mates, n_both = own.sum(axis=0)[:, None], mates.sum(axis=0), (own.T @ mates).toarray()
            a, b = n_own / self.n_rows, n_mates / self.n_rows
            largest, its_largest = ((1 + each) / np.sqrt(each * (1 - each)) for each in (a, b))
            is_near = (a * b + n_both / self.n_rows) * largest * its_largest >= least
            most = self._most_shared(rare[:, None], some, n_own, n_mates, n_both)
            found.append(_different(rare, some, is_near | (may_share & (most >= least))))
        return np.concatenate(found)


def _different(some: Ints, others: Ints, are_alike: Bools) -> Ints:
    """Return the pairs of two columns that are alike."""
    first, second = np.nonzero(are_alike & (some[:, None] != others))
    return np.column_stack([some[first], others[second]])


def _left(differing: Floats, rows: Floats) -> Floats:
    """Return the entropy of whether a column differs in some rows, times these: shares of all rows."""
    return x_log_x(rows) - x_log_x(differing) - x_log_x(rows - differing)


def _complete_linkage(members: Ints, similarity: Floats, threshold: float) -> list[tuple[int, ...]]:
    """Return the clusters of two columns or more in which any two are alike."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = np.clip(1 - similarity, 0.0, None)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method="complete")
    labels = fcluster(tree, 1 - threshold + ROUNDING, criterion="distance")
    clusters = [tuple(members[labels == label].tolist()) for label in set(labels.tolist())]
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
    alike, both = _Similarity.of(columns), np.asarray(features)
    found = (alike if alike.n_rows < MANY_ROWS else alike.drawn()).between(both, both)
    return (found + found.T) / 2


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
    return np.array(copies_of(columns, range(columns.n_features), threshold), np.intp).reshape(-1, 2)
