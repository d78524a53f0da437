"""mRMR over so many features that their redundancies are computed on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.ksubgraph.instance import Instance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyfsel.problem.problem import Problem
    from pyfsel.problem.redundancies import Redundancies


@dataclass(frozen=True, eq=False)
class WideInstance:
    """Maximise ``(k − 1) Σ quality_i − 2 Σ_{i<j} redundancy_ij`` over the sets of k features.

    Parameters
    ----------
    quality : array of int, shape (n,)
    redundancies : Redundancies
    set_size : int
    previous : array of bool, shape (previous sets, n)
    max_overlap : int
    """

    quality: NDArray[np.int64]
    redundancies: Redundancies
    set_size: int
    previous: NDArray[np.bool_]
    max_overlap: int

    @classmethod
    def of_problem(cls, problem: Problem) -> WideInstance:
        """Return the instance of one set of an mRMR problem without conflicts and forced features."""
        assert problem.on_demand is not None
        previous = np.zeros((len(problem.previous_sets), problem.n_features), np.bool_)
        for row, members in zip(previous, problem.previous_sets, strict=True):
            row[list(members)] = True
        return cls(problem.quality, problem.on_demand, problem.set_size, previous, problem.max_overlap)

    @property
    def largest_total(self) -> int:
        """An upper bound on the absolute value of any set."""
        k = self.set_size
        return k * max(1, k - 1) * (int(np.abs(self.quality).max()) + self.redundancies.largest)

    def by_quality(self) -> NDArray[np.intp]:
        """Return the features that a set can contain, by decreasing quality, ties by number."""
        allowed = np.ones(len(self.quality), np.bool_)
        if self.max_overlap == 0:
            allowed[np.any(self.previous, axis=0)] = False
        features = np.flatnonzero(allowed)
        return features[np.argsort(-self.quality[features], kind="stable")]

    def among(self, features: NDArray[np.intp]) -> WideInstance:
        """Return the instance over some features, in this order."""
        return replace(
            self,
            quality=self.quality[features],
            redundancies=self.redundancies.among(features),
            previous=self.previous[:, features],
        )

    def in_memory(self) -> Instance:
        """Return the same instance with all redundancies computed."""
        n = len(self.quality)
        return Instance(
            max(1, self.set_size - 1) * self.quality,
            2 * self.redundancies.matrix(),
            self.set_size,
            np.zeros((n, n), np.bool_),
            self.previous,
            self.max_overlap,
        )
