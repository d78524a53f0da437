"""The heaviest k-subgraph problem in integers, and how pairwise objectives become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pyfsel.algorithms.swaps import Moves
from pyfsel.core.arrays import Bools, Indices, Ints
from pyfsel.problem.instance import Instance
from pyfsel.problem.redundancies import LazyRedundancy
from pyfsel.problem.values import conflict_matrix, objective_of

LARGEST_WEIGHT = 2**58  # of all pairs of a set together: `heavy_chains` says how that stays within 64 bits


class Edges(NamedTuple):
    """The values of sets as sums over pairs; see `PairInstance.edges`.

    Attributes
    ----------
    weights : array of int, shape (n, n)
        Symmetric with zero diagonal.
    value_factor, weight_factor : int
        ``value_factor × value ≤ weight_factor × weight`` for every set.
    exact : bool
        Whether the two are equal.
    """

    weights: Ints
    value_factor: int
    weight_factor: int
    exact: bool

    def least_weight(self, value: int) -> int:
        """Return what a set of at least this value weighs at least."""
        return -(-value * self.value_factor // self.weight_factor)

    def largest_value(self, weight: int) -> int:
        """Return what a set of at most this weight is worth at most."""
        return weight * self.weight_factor // self.value_factor


@dataclass(frozen=True, eq=False)
class PairInstance:
    """Maximise ``Σ linear_i − Σ_{i<j} pairwise_ij`` over the sets of `k` features.

    Parameters
    ----------
    linear : array of int, shape (n,)
    pairwise : array of int, shape (n, n), or LazyRedundancy
        Symmetric with zero diagonal. Those that do not fit into memory are computed on demand, and count
        `per_pair` times each.
    k : int
    conflicts : array of bool, shape (n, n)
        Symmetric; pairs that no set may contain together. Empty if pairs are computed on demand.
    previous : array of bool, shape (previous sets, n)
        Membership in sets of which a new one contains a limited number of features.
    limits : array of int, shape (previous sets,)
        The largest overlap with each previous set.
    forced : tuple of int
        Features that every set holds.
    per_pair : int
    features : array of int, optional
        Of a part of another instance: the numbers that its features have there (`reduced`, `among`).
    always : array of int
        Features there that each set of this part holds in addition.
    offset : int
        What these count alone: the value of a whole set is this plus the value of its part.
    """

    linear: Ints
    pairwise: Any
    k: int
    conflicts: Bools
    previous: Bools
    limits: Ints
    forced: tuple[int, ...] = ()
    per_pair: int = 1
    features: Ints | None = None
    always: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    offset: int = 0

    @classmethod
    def of_problem(cls, problem: Instance) -> PairInstance:
        """Return the instance of one set of `k` features of a problem with pairs."""
        previous = membership(problem.previous, problem.n_features)
        limits = np.full(len(previous), problem.max_shared, dtype=np.int64)
        per_feature, per_pair = objective_of(problem).weights(problem.k)
        conflicts = np.empty((0, 0), np.bool_) if problem.pairs is None else conflict_matrix(problem)
        return cls(
            linear=per_feature * problem.quality,
            pairwise=problem.lazy_pairs if problem.pairs is None else per_pair * problem.pairs,
            k=problem.k,
            conflicts=conflicts,
            previous=previous,
            limits=limits,
            forced=problem.forced,
            per_pair=per_pair if problem.pairs is None else 1,
        )

    @property
    def is_wide(self) -> bool:
        """Whether pairs are computed on demand."""
        return isinstance(self.pairwise, LazyRedundancy)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.linear)

    @property
    def numbers(self) -> Ints:
        """The numbers of its features in the whole instance."""
        return np.arange(self.n_features) if self.features is None else self.features

    def among(self, features: Indices) -> PairInstance:
        """Return the instance over some features, in this order."""
        if np.array_equal(features, np.arange(self.n_features)):
            return self
        pairs = np.ix_(features, features)
        return replace(
            self,
            linear=self.linear[features],
            pairwise=self.pairwise.among(features) if self.is_wide else self.pairwise[pairs],
            conflicts=self.conflicts if self.is_wide else self.conflicts[pairs],
            previous=self.previous[:, features],
            features=self.numbers[features],
        )

    def reduced(self) -> PairInstance | None:
        """Return the instance of what sets hold in addition to the forced features, None without any set.

        A feature counts with its pairs with forced ones; a previous set allows fewer features to be shared
        by as many as are forced. What cannot come is left out: what conflicts with a forced feature, and the
        features of previous sets with which nothing more may be shared.
        """
        forced = np.array(self.forced, dtype=np.int64)
        limits, k = self.limits - self.previous[:, forced].sum(axis=1), self.k - len(forced)
        barred = np.any(self.previous[limits == 0], axis=0)
        barred[forced] = False
        if not self.is_wide:
            barred |= np.any(self.conflicts[forced], axis=0)
            if barred[forced].any():
                return None
        barred[forced] = True
        kept = np.flatnonzero(~barred)
        if (limits < 0).any() or not 0 <= k <= len(kept):
            return None
        if not len(forced):
            return self.among(kept)
        pairs = self.per_pair * np.asarray(
            self.pairwise.rows(forced).astype(np.int64) if self.is_wide else self.pairwise[forced]
        )
        alone = int(self.linear[forced].sum() - pairs[:, forced].sum() // 2)
        linear = self.linear - pairs.sum(axis=0)
        rest = replace(self, linear=linear, limits=limits, k=k, forced=(), always=forced, offset=alone)
        return rest.among(kept)

    def best_first(self) -> PairInstance:
        """Return the instance with its features by decreasing linear weight, ties by number."""
        return self.among(np.argsort(-self.linear, kind="stable"))

    def in_memory(self, most: int) -> PairInstance:
        """Return the instance of the best features on their own, at most this many, with their pairs."""
        best = self.best_first()
        some = np.arange(min(most, self.n_features))
        pairs = self.per_pair * best.pairwise.kept_rows(some, len(some)).astype(np.int64)
        return replace(
            best,
            linear=best.linear[some],
            pairwise=pairs,
            conflicts=np.zeros(pairs.shape, np.bool_),
            previous=best.previous[:, some],
            per_pair=1,
            features=best.numbers[some],
        )

    def whole(self, sets: Ints) -> Ints:
        """Return sets of the whole instance for rows of features, each in increasing order."""
        always = np.broadcast_to(self.always, (len(sets), len(self.always)))
        return np.sort(np.concatenate([self.numbers[sets], always], axis=1), axis=1)

    @property
    def moves(self) -> Moves:
        """The swaps of a local search."""
        everything = np.ones(self.n_features, np.bool_)
        return Moves(
            linear=self.linear,
            pairwise=self.pairwise,
            conflicts=self.conflicts,
            rows=self.previous.astype(np.int64),
            low=np.zeros(len(self.previous), np.int64),
            high=self.limits[:, None],
            weights=np.ones(len(self.previous), np.int64),
            sums=(),
            may_come=everything,
            may_leave=everything,
            is_real=everything,
        )

    @property
    def parts(self) -> Ints:
        """The first previous set that contains each feature and limits a set at all, −1 if none does."""
        parts = np.full(self.n_features, -1, dtype=np.int64)
        for number in reversed(range(len(self.previous))):
            if self.limits[number] < min(self.k, self.previous[number].sum()):
                parts[self.previous[number]] = number
        return parts

    @property
    def largest_total(self) -> int:
        """An upper bound on the absolute value of any set, in exact arithmetic."""
        k, linear = self.k, int(np.abs(self.linear).max(initial=0))
        largest = self.pairwise.largest if self.is_wide else int(np.abs(self.pairwise).max(initial=0))
        return k * linear + k * (k - 1) // 2 * self.per_pair * largest

    @cached_property
    def edges(self) -> Edges:
        """The instance as the search for a heaviest subgraph.

        Each feature brings its linear weight in k − 1 pairs, so (k − 1) times the value of a set is the
        sum of ``linear_i + linear_j − (k − 1) · pairwise_ij`` over its pairs; a common divisor is left out.
        Weights so large that sums would leave 64 bits are divided and rounded up.
        """
        k = self.k
        # what divides k − 1 and all linear weights divides (k − 1)·pairwise as well
        divisor = max(1, int(np.gcd.reduce(self.linear, initial=k - 1)))
        linear = self.linear // divisor
        weights = -((k - 1) // divisor) * self.pairwise
        weights += linear[:, None]
        weights += linear
        np.fill_diagonal(weights, 0)
        too_large = -(-(k**2) * int(np.abs(weights).max(initial=0)) // LARGEST_WEIGHT)
        if too_large <= 1:
            return Edges(weights, k - 1, divisor, exact=True)
        return Edges(-(-weights // too_large), k - 1, divisor * too_large, exact=False)

    def values(self, sets: Ints) -> Ints:
        """Return the values of sets, shape (m, k)."""
        total: Ints = self.linear[sets].sum(axis=1)
        for place in range(1, sets.shape[1]):
            pairs = self.pairwise[sets[:, place, None], sets[:, :place]]
            total -= self.per_pair * pairs.sum(axis=1)
        return total


def membership(sets: Sequence[Iterable[int]], n_features: int) -> Bools:
    """Return which features each set holds, shape (sets, n_features)."""
    inside = np.zeros((len(sets), n_features), np.bool_)
    for row, members in zip(inside, sets, strict=True):
        row[list(members)] = True
    return inside
