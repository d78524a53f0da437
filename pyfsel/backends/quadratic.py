"""One set as a quadratic model in 0/1 variables, as text that annealers and others read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.values import objective_of


@dataclass(frozen=True)
class QuadraticModel:
    """The energy Σ linear x + Σ pairs x x, to be minimised: minus the value of a set of the right size.

    Attributes
    ----------
    linear : array of int, shape (n_features,)
    pairs : array of int, shape (n_features, n_features)
        Above the diagonal; all else is 0.
    size : int or None
        Features of a set; None if a set may have any size.
    penalty : int
        Times the square of how far a set is from that size it is more than any set gains by being so: a
        feature more or less changes the value by less than the penalty.
    """

    linear: NDArray[np.int64]
    pairs: NDArray[np.int64]
    size: int | None
    penalty: int

    @classmethod
    def of(cls, problem: Instance) -> QuadraticModel:
        """Return the model of a problem.

        Raises
        ------
        InputError
            If it is not for one set that nothing but its size limits.
        """
        if why := unsupported(problem):
            raise InputError(f"a quadratic model {why}")
        per_feature, per_pair = objective_of(problem).weights(problem.k)
        n = problem.n_features
        pairs = np.zeros((n, n), np.int64)
        if per_pair and problem.redundancy is not None:
            pairs = per_pair * np.triu(problem.redundancy, 1)
        linear = -per_feature * problem.quality
        around = np.abs(pairs).sum(axis=0) + np.abs(pairs).sum(axis=1)
        size = None if problem.has_size_range else problem.k
        return cls(linear, pairs, size, int((np.abs(linear) + around).max()) + 1)

    def penalised(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return linear terms, pairs and a constant with penalty · (Σx − size)² in them."""
        if self.size is None:
            return self.linear, self.pairs, 0
        ones = np.triu(np.ones_like(self.pairs), 1)
        linear = self.linear + self.penalty * (1 - 2 * self.size)
        return linear, self.pairs + 2 * self.penalty * ones, self.penalty * self.size**2


def unsupported(problem: Instance) -> str | None:
    """Return why there is no such model, or None."""
    objective = objective_of(problem)
    if objective.is_fraction or problem.lazy_redundancy is not None:
        return f"has sums and pairs in memory, not objective {problem.objective}"
    if problem.n_sets > 1 or problem.previous or problem.conflicts:
        return "is for one set, without conflicts or previous sets"
    if set(problem.side_constraints) - {"size_range"}:
        return f"has no {', '.join(problem.side_constraints)}"
    if problem.has_size_range and (problem.sizes[0] > 1 or problem.sizes[-1] < problem.n_features):
        return f"has sets of one size, or of any, not of {problem.sizes_text} features"
    return None


def qubo_text(problem: Instance) -> str:
    """Return the problem in the format of qbsolv: minimise, the size by a penalty."""
    model, n = QuadraticModel.of(problem), problem.n_features
    linear, pairs, constant = model.penalised()
    couplers = list(_entries(pairs))
    lines = [
        f"c energy + {constant} = - value of the set; variables are features from 0",
        f"p qubo 0 {n} {n} {len(couplers)}",
        *(f"{j} {j} {weight}" for j, weight in enumerate(linear.tolist())),
        *couplers,
    ]
    return "\n".join(lines) + "\n"


def _entries(pairs: NDArray[np.int64]) -> Iterator[str]:
    rows, columns = np.nonzero(pairs)
    listed = zip(rows.tolist(), columns.tolist(), pairs[rows, columns].tolist(), strict=True)
    return (f"{i} {j} {weight}" for i, j, weight in listed)
