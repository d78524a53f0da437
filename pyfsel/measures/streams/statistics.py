"""Counts of a table as a value: they add in any order, and all measures of information follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.contingency import entropies_of_counts, entropy_of_counts, first_levels, x_log_x
from pyfsel.measures.information import Counts, at_least_zero, beyond_chance
from pyfsel.problem.checks import one_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARE = "information_share"
MEASURES = ("information", SHARE)
"""Those that follow from counts of levels."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """How often levels of features occur with those of the target, and with those of each other.

    Parameters
    ----------
    names : tuple of str, length n_features
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
    levels : tuple
        What is one level of each feature, and of the target: counts of others cannot be added.
    """

    names: tuple[str, ...]
    sizes: NDArray[np.int64]
    task: str
    classes: tuple[Any, ...]
    n_rows: int
    with_target: NDArray[np.int64]
    pairs: NDArray[Any] | None = None
    paired: Sequence[int] = ()
    levels: tuple[Any, ...] = ()

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Which features have one level only."""
        return np.asarray(self.sizes == 1)

    def merge(self, other: Statistics) -> Statistics:
        """Return the statistics of the rows of both.

        Raises
        ------
        InputError
            If they are of other columns or levels.
        """
        described = [
            (each.names, each.sizes.tolist(), each.classes, list(each.paired), each.levels)
            for each in (self, other)
        ]
        if described[0] != described[1]:
            raise InputError("statistics: are of different columns or levels, which cannot be added")
        pairs = None
        if self.pairs is not None and other.pairs is not None:
            pairs = self.pairs.astype(np.int64) + other.pairs
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            with_target=self.with_target + other.with_target,
            pairs=pairs,
        )

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

        2 n times the information is about χ² of (levels − 1) · (levels of the target − 1) degrees of freedom
        if feature and target are independent; over all features by Holm's procedure.
        """
        from scipy.special import chdtrc

        found, (varying, counts) = np.ones(len(self.names)), self.counts()
        if len(varying) == 0:
            return found
        freedom = (self.sizes[varying] - 1) * (np.count_nonzero(counts.of_target) - 1)
        p_values = chdtrc(freedom, np.maximum(2 * self.n_rows * counts.plain_information(), 0.0))
        order = np.argsort(p_values, kind="stable")
        adjusted = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1))
        found[varying[order]] = np.minimum(adjusted, 1.0)
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
