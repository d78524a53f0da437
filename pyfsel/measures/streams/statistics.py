"""Counts of a table as a value: they add in any order, and all measures of information follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.above_chance import g_test
from pyfsel.measures.contingency import entropies_of_counts, entropy_of_counts, first_levels, x_log_x
from pyfsel.measures.information import Counts, at_least_zero, beyond_chance
from pyfsel.problem.checks import one_of

SHARE = "information_share"
MEASURES = ("information", SHARE)
"""Those that follow from counts of levels."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """How often levels of features occur with those of the target, and with those of each other.

    Parameters
    ----------
    names : tuple of str, length n_features
    target : str
    sizes : array of int, shape (n_features,)
        The number of levels of each.
    task : {"classification", "regression"}
    classes : tuple
        The labels of the target; empty for regression.
    n_rows : int
    with_target : array of int, shape (n_levels, n_target_levels)
    pairs : array of int, shape (n_levels of some, n_levels of some), optional
        Of columns that come later in the table, or are the same; the others may be 0.
    paired : array of int
        The features that these are.
    levels : tuple of dict
        What is one level of each feature, and last of the target: its values or labels, or bounds and codes
        of bins.
    """

    names: tuple[str, ...]
    target: str
    sizes: NDArray[np.int64]
    task: str
    classes: tuple[Any, ...]
    n_rows: int
    with_target: NDArray[np.int64]
    pairs: NDArray[Any] | None = None
    paired: Sequence[int] = ()
    levels: tuple[dict[str, Any], ...] = ()

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Which features have one level only."""
        return np.asarray(self.sizes == 1)

    def merge(self, other: Statistics) -> Statistics:
        """Return the statistics of the rows of both.

        Values and labels that one of them lacks occur 0 times there.

        Raises
        ------
        InputError
            If they are of other columns or bins.
        """
        for what in ("names", "target", "task", "paired"):
            if getattr(self, what) != getattr(other, what):
                raise InputError(f"statistics: differ in {what}, and cannot be added")
        sizes = zip(self._all_sizes, other._all_sizes, strict=True)
        levels = zip(self.levels, other.levels, strict=True)
        joined = [
            _joined(name, both, its_sizes)
            for name, both, its_sizes in zip((*self.names, self.target), levels, sizes, strict=True)
        ]
        mine, theirs = self._spread(joined, 0), other._spread(joined, 1)
        pairs = None if mine.pairs is None or theirs.pairs is None else mine.pairs + theirs.pairs
        return replace(
            mine,
            classes=tuple(sorted({*self.classes, *other.classes})),
            n_rows=self.n_rows + other.n_rows,
            with_target=mine.with_target + theirs.with_target,
            pairs=pairs,
        )

    @property
    def _all_sizes(self) -> list[int]:
        return [*self.sizes.tolist(), self.with_target.shape[1]]

    def _spread(self, joined: Sequence[_Joined], which: int) -> Statistics:
        """Return the same with the joint levels, of which these are some."""
        sizes = np.array([one.size for one in joined])
        *places, of_target = [one.places[which] for one in joined]
        with_target = np.zeros((sizes[:-1].sum(), sizes[-1]), np.int64)
        with_target[np.ix_(_one_after_another(places, sizes[:-1]), of_target)] = self.with_target
        pairs = None
        if self.pairs is not None:
            some = _one_after_another([places[j] for j in self.paired], sizes[list(self.paired)])
            pairs = np.zeros((sizes[list(self.paired)].sum(),) * 2, np.int64)
            pairs[np.ix_(some, some)] = np.maximum(self.pairs, self.pairs.T)
        described = tuple(one.levels for one in joined)
        return replace(self, sizes=sizes[:-1], with_target=with_target, pairs=pairs, levels=described)

    def occurring(self) -> Statistics:
        """Return the same without levels that have no rows, such as bins of other rows may have."""
        rows, columns = (self.with_target.sum(axis=axis) > 0 for axis in (1, 0))
        starts = first_levels(self.sizes)
        own = [rows[begin : begin + size] for begin, size in zip(starts, self.sizes, strict=True)]
        some = np.concatenate([own[j] for j in self.paired] or [rows[:0]])
        return replace(
            self,
            sizes=np.array([each.sum() for each in own]),
            classes=tuple(label for label, occurs in zip(self.classes, columns, strict=False) if occurs),
            with_target=self.with_target[np.ix_(rows, columns)],
            pairs=None if self.pairs is None else self.pairs[np.ix_(some, some)],
            levels=(),
        )

    def best(self, n_features: int | None = None) -> list[int]:
        """Return the features of highest information; all without a number."""
        order = np.argsort(-self.relevance("information"), kind="stable")
        return sorted(order[:n_features].tolist())

    def counts(self) -> tuple[NDArray[np.intp], Counts]:
        """Return the features that are not constant, and how their levels occur with those of the target."""
        varying = np.flatnonzero(~self.is_constant)
        rows = np.repeat(~self.is_constant, self.sizes)
        starts = first_levels(self.sizes[varying])
        return varying, Counts(starts, self.with_target[rows].astype(np.float64), self.n_rows)

    def relevance(self, measure: str) -> NDArray[np.float64]:
        """Return the quality of each feature, not normalised, as `pyfsel.measures.quality` does."""
        one_of("measure", measure, MEASURES)
        found, (varying, counts) = np.zeros(len(self.names)), self.counts()
        if len(varying):
            values = counts.information()
            if measure == SHARE:
                values = 2 * values / (counts.entropies() + counts.entropy_of_target())
            found[varying] = at_least_zero(values)
        return found

    def p_values(self) -> NDArray[np.float64]:
        """Return for each feature how likely chance alone makes any one tell so much.

        By the G test, see `pyfsel.measures.above_chance.g_test`.
        """
        found, (varying, counts) = np.ones(len(self.names)), self.counts()
        if len(varying):
            found[varying] = g_test(counts)
        return found

    def redundancy(self, measure: str) -> NDArray[np.float64]:
        """Return the redundancies of all features as `pyfsel.measures.redundancy` does; 0 if not paired."""
        one_of("measure", measure, MEASURES)
        result, some = np.zeros((len(self.names), len(self.names))), np.asarray(self.paired, dtype=np.intp)
        if len(some) == 0:
            return result
        assert self.pairs is not None
        pairs, sizes = self.pairs, self.sizes[some]
        starts, ends = first_levels(sizes), np.cumsum(sizes)

        def counted(rows: slice, cols: slice) -> NDArray[np.float64]:
            its_rows = slice(starts[rows.start], ends[rows.stop - 1])
            counts = pairs[its_rows, starts[cols.start] : ends[cols.stop - 1]].astype(np.intp)
            return x_log_x(np.maximum(counts, counts.T) if rows == cols else counts)

        of_levels = pairs.diagonal().astype(np.intp)
        each = np.split(of_levels, ends[:-1])
        single = np.array([entropy_of_counts(counts, self.n_rows) for counts in each])
        joint = entropies_of_counts(sizes, None, counted, self.n_rows)
        values = at_least_zero(beyond_chance(single, joint, of_levels, starts))
        if measure == SHARE:
            values = 2 * values / (single[:, None] + single)
        np.fill_diagonal(values, 0.0)
        result[np.ix_(some, some)] = values
        return result


def alike(
    counts: NDArray[Any], known: Statistics, features: Sequence[int], others: Sequence[int]
) -> NDArray[np.float64]:
    """Return how alike columns are by their levels, as `pyfsel.measures.copies` does by their values.

    That is the larger one of the absolute correlation of the ranks of levels, and, for two columns of few
    values, their information as a share of the larger entropy. Ranks within a bin count as equal.

    Parameters
    ----------
    counts : array of int, shape (n_levels of some, n_levels of others)
        How often levels occur together.
    known : Statistics
    features, others : sequences of int
        Whose levels these are.
    """
    of_levels = known.with_target.sum(axis=1)
    starts = first_levels(known.sizes)
    own = {j: of_levels[starts[j] : starts[j] + known.sizes[j]] for j in {*features, *others}}
    ranks = {j: _scores(known, j, counts) for j, counts in own.items()}
    entropy = {j: entropy_of_counts(counts, known.n_rows) for j, counts in own.items()}
    is_few = {j: known.levels[j]["values"] is not None and len(own[j]) ** 2 <= known.n_rows for j in own}
    found = np.zeros((len(features), len(others)))
    rows = np.split(counts, np.cumsum(known.sizes[list(features)])[:-1])
    for place, (j, its_rows) in enumerate(zip(features, rows, strict=True)):
        both = np.split(its_rows, np.cumsum(known.sizes[list(others)])[:-1], axis=1)
        for column, (i, pairs) in enumerate(zip(others, both, strict=True)):
            found[place, column] = abs(ranks[j] @ pairs @ ranks[i])
            if is_few[j] and is_few[i] and entropy[j] and entropy[i]:
                shared = entropy[j] + entropy[i] - entropy_of_counts(pairs.ravel(), known.n_rows)
                found[place, column] = max(found[place, column], shared / max(entropy[j], entropy[i]))
    return found


def _scores(known: Statistics, feature: int, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return ranks of the levels of a feature, of mean 0 and length 1 over all rows; a gap has 0."""
    described = known.levels[feature]
    codes = described["codes"][:-1] if "codes" in described else range(len(described["values"]))
    order = [code for code in dict.fromkeys(codes) if code < len(counts)]
    sizes = counts[order]
    scores = np.zeros(len(counts))
    scores[order] = np.cumsum(sizes) - sizes / 2 - sizes.sum() / 2
    length = np.sqrt(counts @ scores**2)
    return scores / length if length else scores


class _Joined(NamedTuple):
    """Levels of two statistics together, how many, and which of them those of each are."""

    levels: dict[str, Any]
    size: int
    places: tuple[NDArray[np.intp], NDArray[np.intp]]


def _joined(name: str, levels: tuple[dict[str, Any], dict[str, Any]], sizes: tuple[int, int]) -> _Joined:
    offsets = {each.get("offset", 0) for each in levels}
    are_bins = any(each["values"] is None for each in levels) or len(offsets) > 1
    if are_bins and levels[0] != levels[1]:
        raise InputError(
            f"statistics: column {name!r} has different bins, which cannot be added; take those of one "
            "(--levels on the command line)"
        )
    known = [range(each["codes"][-1]) if are_bins else each["values"] for each in levels]
    values = sorted({value for each in known for value in each})
    n = len(values)
    gaps = [size - len(each) for size, each in zip(sizes, known, strict=True)]
    places = [
        np.array([values.index(value) for value in each] + [n] * gap, np.intp)
        for each, gap in zip(known, gaps, strict=True)
    ]
    described = levels[0] if are_bins else {**levels[0], "values": values}
    if not are_bins and "codes" in described:
        described |= {"bounds": values[1:], "codes": [*range(max(n, 1)), n]}
    return _Joined(described, n + max(gaps), (places[0], places[1]))


def _one_after_another(places: Sequence[NDArray[np.intp]], sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the levels of columns, numbered over all of them."""
    starts = first_levels(sizes)
    return np.concatenate([each + begin for each, begin in zip(places, starts, strict=True)] or [starts[:0]])
