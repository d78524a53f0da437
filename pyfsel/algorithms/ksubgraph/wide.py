"""Pairwise objectives over many features, whose redundancies are computed on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.ksubgraph.instance import PairInstance, membership
from pyfsel.core.arrays import Bools, Ints
from pyfsel.problem.instance import Instance
from pyfsel.problem.redundancies import LazyRedundancy
from pyfsel.problem.values import objective_of


@dataclass(frozen=True, eq=False)
class WideInstance:
    """Maximise ``Σ linear_i − per_pair · Σ_{i<j} redundancy_ij`` over the sets of k features.

    Parameters
    ----------
    linear : array of int, shape (n,)
    redundancies : LazyRedundancy
    per_pair : int
    k : int
    previous : array of bool, shape (previous sets, n)
    limits : array of int, shape (previous sets,)
        The largest overlap with each previous set.
    forced : tuple of int
        Features that every set holds.
    """

    linear: Ints
    redundancies: LazyRedundancy
    per_pair: int
    k: int
    previous: Bools
    limits: Ints
    forced: tuple[int, ...] = ()

    @classmethod
    def of_problem(cls, problem: Instance) -> WideInstance:
        """Return the instance of one set of a problem without conflicts."""
        assert problem.lazy_pairs is not None
        per_feature, per_pair = objective_of(problem).weights(problem.k)
        linear = per_feature * problem.quality
        previous = membership(problem.previous, problem.n_features)
        limits = np.full(len(previous), problem.max_shared)
        return cls(linear, problem.lazy_pairs, per_pair, problem.k, previous, limits, problem.forced)

    @property
    def largest_total(self) -> int:
        """An upper bound on the absolute value of any set."""
        k = self.k
        pairs = k * (k - 1) // 2 * self.per_pair * self.redundancies.largest
        return k * int(np.abs(self.linear).max(initial=0)) + pairs

    def in_order(self) -> NDArray[np.intp]:
        """Return the features that a set can contain, by decreasing linear weight, ties by number."""
        allowed = np.ones(len(self.linear), np.bool_)
        allowed[np.any(self.previous[self.limits == 0], axis=0)] = False
        features = np.flatnonzero(allowed)
        return features[np.argsort(-self.linear[features], kind="stable")]

    def among(self, features: NDArray[np.intp]) -> WideInstance:
        """Return the instance over some features, in this order."""
        return replace(
            self,
            linear=self.linear[features],
            redundancies=self.redundancies.among(features),
            previous=self.previous[:, features],
        )

    def pairs_of(self, features: Ints) -> Ints:
        """Return what pairs of some features with all features cost."""
        return self.per_pair * self.redundancies.rows(features).astype(np.int64)

    def in_memory(self, most: int) -> PairInstance:
        """Return the instance over the first features."""
        pairs = self.redundancies.kept_rows(np.arange(most), most) * np.int64(self.per_pair)
        conflicts = np.zeros((most, most), np.bool_)
        linear, previous = self.linear[:most], self.previous[:, :most]
        return PairInstance(linear, pairs, self.k, conflicts, previous, self.limits, self.forced)

    def value(self, members: NDArray[np.intp]) -> int:
        """Return the value of a set."""
        one, other = np.triu_indices(len(members), 1)
        pairs = self.redundancies[members[one], members[other]]
        return int(self.linear[members].sum() - self.per_pair * pairs.sum())
