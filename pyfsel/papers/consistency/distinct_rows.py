"""The question in integers: distinct rows, how many of each class they stand for, and what is allowed."""

from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from pyfsel.core.arrays import Indices, Ints, Reals
from pyfsel.errors import InputError
from pyfsel.measures.levels import value_codes
from pyfsel.measures.tables.table import Table, prepare
from pyfsel.problem.checks import integer_in, number_of, share
from pyfsel.problem.dissimilarity import BY_BOTH_SIZES, DISSIMILARITIES
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.problem.rules import as_dissimilarity

MOST_PATTERN_CODES = 2**62  # codes stay within 64 bits


@dataclass(frozen=True, eq=False, repr=False)
class ConsistencyProblem:
    """Find the smallest set of features with at most a number of inconsistent rows.

    Parameters
    ----------
    patterns : array of int, shape (n_patterns, n_features)
        The distinct rows, values coded from 0 in each column.
    counts : array of int, shape (n_patterns, n_classes)
        How many rows of each class a pattern stands for.
    max_inconsistent : int
        Most inconsistent rows: in each group of rows that agree in the selected features, all rows
        but its most frequent class are inconsistent.
    feature_names : tuple of str
    previous : tuple of sets of int
        The new set must contain none of these, and be dissimilar to each.
    shared_weight, size_weight : int
        Dissimilar means ``shared_weight·|A∩B| ≤ size_weight·(|A|+|B|)``.
    """

    patterns: Ints
    counts: Ints
    max_inconsistent: int
    feature_names: tuple[str, ...]
    previous: Family = ()
    shared_weight: int = 1
    size_weight: int = 1

    @property
    def n_features(self) -> int:
        """Number of features, n."""
        return int(self.patterns.shape[1])

    @cached_property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.counts.sum())

    def __repr__(self) -> str:
        return (
            f"<ConsistencyProblem: {self.n_rows} rows, {len(self.patterns)} different ones, of "
            f"{self.n_features} features, {self.max_inconsistent} may be inconsistent>"
        )

    @property
    def max_rate(self) -> float:
        """The allowed inconsistency rate, as rounded down to whole rows."""
        return self.max_inconsistent / self.n_rows

    @cached_property
    def _n_values(self) -> list[int]:
        return [int(column.max()) + 1 for column in self.patterns.T]

    def groups(self, features: Iterable[int]) -> Indices:
        """Return the group of each pattern: patterns that agree in all features are in the same one."""
        codes = np.zeros(len(self.patterns), dtype=np.int64)
        n_codes = 1
        for j in features:
            if n_codes * self._n_values[j] > MOST_PATTERN_CODES:
                codes = np.unique(codes, return_inverse=True)[1].ravel()
                n_codes = int(codes.max()) + 1
            codes = codes * self._n_values[j] + self.patterns[:, j]
            n_codes *= self._n_values[j]
        return np.unique(codes, return_inverse=True)[1].ravel()

    def tally(self, features: Iterable[int]) -> tuple[Indices, Reals]:
        """Return the group of each pattern, and how many rows of each class (row) each group (column) has."""
        groups = self.groups(features)
        return groups, np.array([np.bincount(groups, weights=column) for column in self.counts.T])

    def inconsistent_rows(self, features: Iterable[int]) -> int:
        """Return the number of inconsistent rows of a set (001 Eq. 1, over all groups of equal rows)."""
        return self.n_rows - int(self.tally(features)[1].max(axis=0).sum())

    def is_consistent(self, features: Iterable[int]) -> bool:
        """Return whether a set has at most `max_inconsistent` inconsistent rows."""
        return self.inconsistent_rows(features) <= self.max_inconsistent

    def names_of(self, features: Iterable[int]) -> tuple[str, ...]:
        """Return the names of features."""
        return tuple(self.feature_names[j] for j in features)

    def violations(self, features: Sequence[int]) -> list[str]:
        """Return what is wrong with a set, one sentence each; an empty list means that it is feasible.

        The independent check: groups of equal rows by a dictionary, nothing shared with the search.
        """
        chosen = set(features)
        if len(chosen) < len(features) or not chosen <= set(range(self.n_features)):
            return [f"{list(features)} must be different features from 0 to {self.n_features - 1}"]
        groups: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for pattern, counts in zip(self.patterns.tolist(), self.counts.tolist(), strict=True):
            groups[tuple(pattern[j] for j in features)].update(dict(enumerate(counts)))
        wrong = sum(group.total() - max(group.values()) for group in groups.values())
        found = []
        if wrong > self.max_inconsistent:
            found.append(f"{wrong} rows are inconsistent, at most {self.max_inconsistent} are allowed")
        for previous in self.previous:
            shared, sizes = len(chosen & set(previous)), len(chosen) + len(previous)
            if shared == len(previous):
                found.append(f"it contains the earlier set {list(previous)}")
            if self.shared_weight * shared > self.size_weight * sizes:
                too_many = number_of(shared, "feature")
                found.append(f"it shares {too_many} with the earlier set {list(previous)}: too many")
        return found

    @property
    def instance(self) -> ConsistencyProblem:
        """The problem itself, which an answer writes by its `to_dict`."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the data of ``models/consistency/rows.mzn``, as its JSON."""
        return {
            "n_patterns": len(self.patterns),
            "n_classes": self.counts.shape[1],
            "patterns": self.patterns.tolist(),
            "counts": self.counts.tolist(),
            "max_inconsistent": self.max_inconsistent,
            "n_features": self.n_features,
            "previous": [{"set": list(members)} for members in self.previous],
            "shared_weight": self.shared_weight,
            "size_weight": self.size_weight,
            "feature_names": list(self.feature_names),
        }

    def after(self, previous: Iterable[FeatureSet]) -> ConsistencyProblem:
        """Return the problem of one more set next to these and the earlier sets of this problem."""
        return replace(self, previous=(*self.previous, *previous))


def consistency_problem(
    X: Any,
    y: Any = None,
    *,
    rate: float | None = None,
    dissimilarity: Any = 0.0,
    missing: str = "error",
    n_bins: int | None = None,
) -> ConsistencyProblem:
    """Build the problem of a table.

    Parameters
    ----------
    X : DataFrame, array or Table
        Values are compared exactly, unless `n_bins` is given.
    y : array-like, shape (n_rows,)
        Class labels.
    rate : float, optional
        Allowed inconsistency rate in [0, 1], read as the nearest fraction with a denominator of at most 10⁶.
        By default the rate of all features together, so a set keeps apart what the table does.
    dissimilarity : float, str or Dissimilarity
        How different a set must be from earlier ones: a threshold in [0, 1], by Dice or Jaccard (paper 000,
        Eq. 4 and 7), such as 0.6 or "jaccard:0.5".
    missing : {"error", "drop", "impute", "category"}
    n_bins : int, optional
        Quantile bins of continuous columns, at least 2; columns of at most as many values keep them, and so
        do those that hold categories or few whole numbers.

    Returns
    -------
    ConsistencyProblem

    Raises
    ------
    InputError
        If an argument or the table is not allowed.

    Examples
    --------
    >>> problem = consistency_problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> problem.inconsistent_rows([0]), problem.inconsistent_rows([0, 1])
    (2, 0)
    """
    allowed, rule = checked_rules(rate, dissimilarity, n_bins)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*gets? quality 0", category=UserWarning)
        table = X if isinstance(X, Table) else prepare(X, y, task="classification", missing=missing)
    if table.task != "classification":
        raise InputError("y: holds numbers; consistency needs classes")
    codes = value_codes(table, n_bins)
    patterns, inverse = np.unique(codes, axis=0, return_inverse=True)
    counts = np.zeros((len(patterns), len(table.classes)), dtype=np.int64)
    np.add.at(counts, (inverse.ravel(), table.y), 1)
    return ConsistencyProblem(
        patterns=patterns,
        counts=counts,
        max_inconsistent=(
            len(table.y) - int(counts.max(axis=1).sum())
            if allowed is None
            else math.floor(allowed * len(table.y))
        ),
        feature_names=table.feature_names,
        **rule.fields(),
    )


def checked_rules(
    rate: float | None = None, dissimilarity: Any = 0.0, n_bins: int | None = None
) -> tuple[Fraction | None, Any]:
    """Return the allowed rate, and how different sets must be; raise `InputError` if they are not allowed."""
    if n_bins is not None:
        integer_in("n_bins", n_bins, 2, None)
    least = as_dissimilarity(dissimilarity)
    if least.at_least is None or least.by not in BY_BOTH_SIZES or least.price or least.relatives:
        raise InputError(
            f"dissimilarity={dissimilarity!r}: sets of different sizes need a threshold. "
            "Try 0.6 or 'jaccard:0.5'"
        )
    rule = DISSIMILARITIES[least.by].rule(_fraction("dissimilarity", least.at_least), 0)
    return None if rate is None else _fraction("rate", rate), rule


def _fraction(name: str, number: Any) -> Fraction:
    return Fraction(share(name, number)).limit_denominator(10**6)
