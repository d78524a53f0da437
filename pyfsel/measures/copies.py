"""Columns that are equal or nearly so: copies in another unit, another coding, with a little noise.

Two columns are alike if the absolute Spearman correlation is at least the threshold, or, for two discrete
columns, if their mutual information is at least that share of the larger of both entropies: 1 for the same
categories by other names. The second is tested only if each has at most √rows different values, since with
more of them chance alone shares much information (about (K−1)²/2m of log K nats for K values in m rows).
Constant columns are like no other. All entries are ranked: counts of levels give no useful bound on a rank
correlation, as a bin may enclose a frequent value.

Of many rows some are drawn, in which pairs have to be nearly as alike, and then all rows of these pairs are
looked at; in a quarter of the drawn rows pairs are looked for in the same way before. Rare columns hardly
vary in drawn rows: in all rows, they have one rank and a few others, as columns of sparse tables do, so they
are compared exactly by products of sparse tables.

Clusters are found by complete linkage: any two columns of a cluster are alike, so a chain of columns, each
like the next, does not count as one feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Annotated, Any

import numpy as np

from pyfsel.core.arrays import Indices, Reals, Words
from pyfsel.core.binding import in_core
from pyfsel.errors import InputError
from pyfsel.measures.arrays import Floats, Ints, slices
from pyfsel.measures.contingency import Coded, first_levels
from pyfsel.measures.correlation import ranks, standardised
from pyfsel.measures.tables.entries import column, distinct_counts, drawn_rows, stored_entries
from pyfsel.measures.tables.table import BLOCK_ENTRIES, Columns
from pyfsel.problem.checks import finite_number, share

THRESHOLD = 0.95
SOME_ROWS, MANY_ROWS, FEWER = 2**12, 2**13, 4
"""Of this many rows and more, some are drawn to find the pairs that are compared in all rows: of some a
quarter, of many 4,096, and of these a quarter before."""
ERRORS = 6
"""In drawn rows, columns may be less alike by this many standard errors."""
DIFFERING = 0.2
"""If two columns are alike by 1 − u, then in at least this part of u n rows, where n is in how many they
differ from their most frequent values, one does not go with the other."""
FEWEST, SELDOM = 50, 6
"""Columns in which fewer of the drawn rows differ from the most frequent value are rare; columns that differ
in more than this many times as many, divided by the squared threshold, do not correlate enough with them."""
BLOCK = 512
"""Columns that are ranked at once."""
FEW_SPARSE = 500
"""Sparse tables are compared with fewer columns in all rows."""
OWN_ENTRIES = 4 * BLOCK_ENTRIES
"""Entries of the columns whose ranks are kept for all others."""
ROUNDING = 1e-9
"""By what correlations of copies may fall short of 1, and bounds of what they are."""


def find_copies(columns: Columns, threshold: float = THRESHOLD) -> list[tuple[int, ...]]:
    """Return clusters of columns that are copies of each other, for `pyfsel.problem.make.make_instance`.

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
    pairs, values = _alike_pairs(columns, share("copy_threshold", threshold))
    clusters = (
        _complete_linkage(group, _matrix(group, pairs, values), threshold) for group in _groups(pairs)
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
    own = np.array([*features], np.intp)
    pairs, _ = _alike_pairs(columns, share("copy_threshold", threshold), own)
    return tuple(map(tuple, pairs.tolist()))


def _alike_pairs(columns: Columns, threshold: float, features: Ints | None = None) -> tuple[Ints, Floats]:
    """Return the pairs that are alike, sorted, the smaller number first, and how alike they are.

    Without features any two columns may be a pair, otherwise one is among the features.
    """
    every = np.flatnonzero(~columns.is_constant)
    own = every if features is None else np.intersect1d(every, features)
    return _Similarity(columns).found(every, own, threshold - ROUNDING)


def _groups(pairs: Ints) -> Iterator[Ints]:
    """Yield the columns of each connected group of pairs, ascending."""
    if not len(pairs):
        return  # SciPy need not be loaded
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    members, n = np.unique(pairs), pairs.max() + 1
    links = coo_array((np.ones(len(pairs)), pairs.T), (n, n))
    labels = connected_components(links, directed=False)[1][members]
    yield from (members[labels == label] for label in np.unique(labels))


class _Similarity:
    """How alike columns are in all rows, or in some.

    Parameters
    ----------
    columns : Columns
    levels : Coded, optional
        Their levels in these rows.
    drawn_from : _Similarity, optional
        That of more rows, if these are drawn from them.
    """

    def __init__(
        self, columns: Columns, levels: Coded | None = None, drawn_from: _Similarity | None = None
    ) -> None:
        self.columns, self.n_rows, self.drawn_from = columns, int(columns.X.shape[0]), drawn_from
        self.whole: _Similarity = drawn_from.whole if drawn_from else self
        self.is_stored = self.whole is self and hasattr(columns.X, "indptr")
        levels = Coded.of(columns) if levels is None else levels
        self.levels = levels if levels.weights is None else Coded(levels.codes)
        self.entropies = np.maximum(self.levels.entropies(), ROUNDING)  # of constant ones as well
        is_few = self.whole.levels.sizes**2 <= self.whole.n_rows
        self.is_few = columns.is_discrete & ~columns.is_constant & is_few
        self.has_numbers = self.is_few & (columns.gaps is None)

    @cached_property
    def drawn(self) -> _Similarity:
        """How alike the columns are in some rows, always the same ones."""
        rows = drawn_rows(self.n_rows, None if self.n_rows >= MANY_ROWS else self.n_rows // FEWER)
        codes = self.levels.codes
        some = np.array([codes[:, j][rows] for j in range(self.columns.n_features)]).T
        return _Similarity(self.columns.at(rows), Coded(some), self)

    @cached_property
    def most_frequent(self) -> tuple[Indices, Indices]:
        """The most frequent level of each column, and the number of its rows."""
        counts = np.split(self.levels.of_levels, first_levels(self.levels.sizes)[1:])
        return np.array([each.argmax() for each in counts]), np.array([each.max() for each in counts])

    @cached_property
    def n_apart(self) -> Ints:
        """In how many rows each column differs from its most frequent value."""
        most = self.most_frequent[1].copy()
        for j in np.flatnonzero(~self.has_numbers).tolist():
            most[j] = distinct_counts(column(self.columns.X, j))[1].max()
        return self.n_rows - most

    def _values(self, j: int) -> Any:
        """Return the values of a column, or the numbers of them if they are few, which are ranked faster."""
        return np.asarray(self.levels.codes[:, j]) if self.has_numbers[j] else column(self.columns.X, j)

    def _ranks(self, features: Ints) -> Floats:
        """Return the ranks of some columns, of mean 0 and length 1; 0 for constant ones."""
        found = np.empty((self.n_rows, len(features)), order="F")
        for i, j in enumerate(features):
            found[:, i] = ranks(self._values(j))
        return standardised(found)

    def _sparse_ranks(self, features: Ints) -> Any:
        """Return the ranks of some columns minus the rank of one value each, of length 1 about their mean."""
        from scipy.sparse import csc_array

        places, data = [np.zeros(0, np.intp)], [np.zeros(0)]
        for j in features:
            if hasattr(self.columns.X, "indptr"):
                value = 0
                rows, values = stored_entries(self.columns.X, j)
            else:
                rows, values = np.arange(self.n_rows), self._values(j)
                distinct, counts = distinct_counts(values)
                value = distinct[counts.argmax()]
            rows, values = rows[values != value], values[values != value]  # what was filled in may be 0
            n_same, is_above = self.n_rows - len(rows), values > value
            apart = ranks(values) + n_same * is_above - np.count_nonzero(~is_above) - (n_same + 1) / 2
            square = apart @ apart - apart.sum() ** 2 / self.n_rows
            places.append(rows)
            data.append(apart / np.sqrt(square) if square > 0 else apart * 0)
        ends = np.cumsum([len(each) for each in places])
        shape = (self.n_rows, len(features))
        return csc_array((np.concatenate(data), np.concatenate(places), ends), shape=shape)

    def found(self, every: Ints, own: Ints, least: float) -> tuple[Ints, Floats]:
        """Return what `pairs` does, sorted and each pair once; of many rows some are looked at first."""
        if self.n_rows < SOME_ROWS or (self.is_stored and len(own) < FEW_SPARSE):
            found = [self.pairs(every, own, least, is_sparse=self.is_stored)]
        else:
            found = self._found_by_drawn(every, own, least)
        pairs, values = (np.concatenate(each) for each in zip(*found, strict=True))
        n = self.columns.n_features
        numbers, first = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1), return_index=True)
        return np.column_stack(np.divmod(numbers, n)), values[first]

    def _found_by_drawn(self, every: Ints, own: Ints, least: float) -> list[tuple[Ints, Floats]]:
        """Return what `pairs` does of groups of columns that are alike in drawn rows, and of rare ones."""
        n_apart = self.drawn.n_apart
        is_rare, is_seldom = n_apart < FEWEST, n_apart * max(least, 0.0) ** 2 <= SELDOM * FEWEST
        common, its_common = (each[~is_rare[each]] for each in (every, own))
        groups, rarest = iter([common]), its_common[n_apart[its_common].argsort()][:1]
        if (self.drawn._wanted(least, rarest, rarest) > 0).all():  # otherwise it is alike to all
            groups = _groups(self.drawn.found(common, its_common, least)[0])
        is_asked = is_seldom if is_rare[np.setdiff1d(every, own)].any() else is_rare
        return [
            self.pairs(every[is_seldom[every]], own[is_asked[own]], least, is_sparse=True),
            *(
                self.pairs(each, np.intersect1d(each, own), least, is_sparse=self.is_stored)
                for each in groups
            ),
        ]

    def pairs(self, every: Ints, own: Ints, least: float, *, is_sparse: bool = False) -> tuple[Ints, Floats]:
        """Return pairs of columns that are alike, shape (n_pairs, 2), and how alike they are.

        Parameters
        ----------
        every, own : array of int
            The columns that are compared, and those among them of which one at least is in each pair.
        least : float
            How alike columns are in all rows that are wanted; in drawn ones they may be less so, by some
            standard errors.
        is_sparse : bool
            Whether columns mostly have one rank, whatever the table is.
        """
        pairs, values = [np.empty((0, 2), np.intp)], [np.zeros(0)]
        ranked = self._sparse_ranks if is_sparse else self._ranks
        by_entropy = self.whole.entropies[every]  # a block of similar ones has few open pairs
        columns = every[np.lexsort((by_entropy, ~np.isin(every, own)))]
        for block in slices(len(own), OWN_ENTRIES // self.n_rows):
            left = columns[block.start :]
            own_ranks = ranked(columns[: len(own)][block])
            for other in slices(len(left), min(BLOCK, BLOCK_ENTRIES // self.n_rows)):
                others, mates = left[other], own_ranks[:, other]
                its_ranks = own_ranks[:, : other.stop]  # of two of them each pair once
                some = left[: its_ranks.shape[1]]
                mates = mates if mates.shape[1] == len(others) else ranked(others)
                alike = _correlations(its_ranks, mates)
                alike = np.maximum(alike, self._shared(least, some, others))
                is_pair = (alike >= self._wanted(least, some, others)) & (some[:, None] != others)
                first, second = np.nonzero(is_pair)
                pairs.append(np.column_stack([some[first], others[second]]))
                values.append(alike[is_pair])
        return np.concatenate(pairs), np.concatenate(values)

    def _wanted(self, least: float, some: Ints, others: Ints) -> Any:
        """Return how alike each two columns have to be in these rows.

        Notes
        -----
        If a part u of the information is not shared, or ranks correlate by 1 − u, at least c n u rows differ
        (c is `DIFFERING`), and few may differ by much: the number of those that were drawn varies by a part
        1 / √(c n u). Rows in which a column has its most frequent value do not count.
        """
        if self.whole is self:
            return np.full((len(some), len(others)), least)
        errors = [ERRORS / np.sqrt(self.n_apart[each]) for each in (some, others)]
        return least - np.sqrt((1 - max(least, 0.0)) / DIFFERING) * np.maximum.outer(*errors)

    def _shared(self, least: float, some: Ints, others: Ints) -> Floats:
        """Return what part of the larger entropy columns of few values share, or 0 if less than is wanted.

        To count pairs in a quarter of the drawn rows takes more time than to bound them in all of these, in
        which columns have to be more alike.
        """
        sides = self.whole.entropies[some], self.whole.entropies[others]
        wanted = self._wanted(least, some, others) - ROUNDING
        is_open = np.minimum.outer(*sides) >= wanted * np.maximum.outer(*sides)
        is_open &= np.logical_and.outer(self.is_few[some], self.is_few[others]) & (some[:, None] != others)
        found, more = np.zeros(is_open.shape), self.drawn_from
        bounded = self if more is None or more.n_rows >= MANY_ROWS else more
        for rows, measured in ((bounded, bounded._most_shared), (self, self.levels.plain_information)):
            first, second = (np.flatnonzero(is_open.any(axis=axis)) for axis in (1, 0))
            if len(first):
                chosen, pair = np.ix_(first, second), (some[first], others[second])
                larger = np.maximum.outer(*(rows.entropies[each] for each in pair))
                found[chosen] = measured(*pair) / larger
                is_open[chosen] &= found[chosen] >= rows._wanted(least, *pair) - ROUNDING
        return np.where(is_open, found, 0.0)

    def _most_shared(self, some: Ints, others: Ints) -> Floats:
        """Return what columns of few values share at most in nats; the proof stands in the core."""
        found = np.empty((len(some), len(others)))
        most_shared(*self._apart(some), *self._apart(others), self.levels.logs, found)
        return found / self.n_rows + ROUNDING

    def _apart(self, features: Ints) -> tuple[Words, Indices, Floats]:
        """Return in which rows columns differ from their most frequent level, as bits, and in how many.

        The third are the sums of k ln k over the numbers of rows of their other levels.
        """
        modes, counts = (each[features] for each in self.most_frequent)
        codes, logs = self.levels.codes[:, features], self.levels.logs
        packed = np.packbits(codes != modes.astype(codes.dtype), axis=0).T
        bits = np.zeros((len(features), self.n_rows // 64 + 1), np.uint64)
        bits.view(np.uint8)[:, : packed.shape[1]] = packed
        rest = logs[-1] - self.n_rows * self.entropies[features] - logs[counts]
        return bits, self.n_rows - counts, rest


def _correlations(some: Any, others: Any) -> Floats:
    """Return absolute correlations of columns of length 1 about their means, which are 0 unless sparse."""
    found = some.T @ others
    if hasattr(some, "toarray"):
        found = found.toarray()
        found -= np.outer(some.sum(axis=0), others.sum(axis=0)) / some.shape[0]
    return np.asarray(np.abs(found, out=found))


def _matrix(members: Ints, pairs: Ints, values: Floats) -> Floats:
    """Return how alike members are, 0 for those that are not a pair."""
    place, found = np.full(np.append(members, pairs).max(initial=0) + 1, -1), np.eye(len(members))
    place[members] = np.arange(len(members))
    own = place[pairs]
    first, second = own[is_inside := (own >= 0).all(axis=1)].T
    found[first, second] = found[second, first] = values[is_inside]
    return found


def _complete_linkage(members: Ints, similarity: Floats, threshold: float) -> list[tuple[int, ...]]:
    """Return the clusters of two columns or more in which any two are alike."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = np.clip(np.round(1 - similarity, 9), 0.0, None)  # of equals the first ones, on every machine
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
    alike, members = _Similarity(columns), np.asarray(features, np.intp)
    alike = alike if alike.is_stored or alike.n_rows < MANY_ROWS else alike.drawn
    return _matrix(members, *alike.pairs(members, members, -1.0, is_sparse=alike.is_stored))


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
    return _alike_pairs(columns, threshold)[0]


@in_core
def most_shared(
    bits: Annotated[Words, "n_some", "n_words"],
    apart: Annotated[Indices, "n_some"],
    rest: Annotated[Reals, "n_some"],
    its_bits: Annotated[Words, "n_others", "n_words"],
    its_apart: Annotated[Indices, "n_others"],
    its_rest: Annotated[Reals, "n_others"],
    logs: Annotated[Reals, "n + 1"],
    found: Annotated[Reals, "n_some", "n_others"],
) -> None:
    """Find the information that each two columns share at most, times the rows."""
