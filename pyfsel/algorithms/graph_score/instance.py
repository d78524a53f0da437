"""The quadratic problem in integers, and what is left of it when some features are decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyfsel.problem.problem import Problem
from pyfsel.problem.values import weighted


@dataclass(frozen=True, eq=False)
class Instance:
    """Minimise ``constant + Σ_{i∈S} linear_i + Σ_{i<j∈S} pairwise_ij`` over sets S of the free features.

    Parameters
    ----------
    linear : array of int, shape (n,)
    pairwise : array of int, shape (n, n)
        Symmetric with zero diagonal.
    constant : int
        The score of the features in `inside`.
    free : array of int, shape (n,)
        The numbers of the free features in the whole instance.
    inside : tuple of int
        Features of the whole instance that are decided to be in the set.
    """

    linear: NDArray[np.int64]
    pairwise: NDArray[np.int64]
    constant: int
    free: NDArray[np.intp]
    inside: tuple[int, ...] = ()

    @classmethod
    def of(cls, linear: NDArray[np.int64], pairwise: NDArray[np.int64]) -> Instance:
        """Return the instance in which nothing is decided."""
        linear, pairwise = np.asarray(linear, np.int64), np.ascontiguousarray(pairwise, np.int64)
        return cls(linear, pairwise, 0, np.arange(len(linear)))

    @classmethod
    def of_problem(cls, problem: Problem) -> Instance:
        """Return the instance of one set of a graph-score problem: its score is the negated objective."""
        features, pairs = weighted(problem)
        return cls.of(-features, pairs)

    def decide(self, inside: Iterable[int], outside: Iterable[int]) -> Instance:
        """Return what is left when free features, by their positions here, are put in or out."""
        chosen = np.array(list(inside), dtype=np.intp)
        left = np.ones(len(self.free), dtype=bool)
        left[chosen] = False
        left[list(outside)] = False
        kept = np.flatnonzero(left)
        among_chosen = int(self.pairwise[np.ix_(chosen, chosen)].sum()) // 2
        return Instance(
            linear=self.linear[kept] + self.pairwise[np.ix_(kept, chosen)].sum(axis=1),
            pairwise=self.pairwise[np.ix_(kept, kept)],
            constant=self.constant + int(self.linear[chosen].sum()) + among_chosen,
            free=self.free[kept],
            inside=(*self.inside, *self.free[chosen].tolist()),
        )

    def simplify(self) -> Instance:
        """Decide the features whose best choice does not depend on the others.

        A feature whose score is at least 0 with the most helpful others is left out, one whose score is at
        most 0 with the least helpful ones is put in. Leaving the last feature out would give the empty set:
        callers make sure that it is no set, or no better than one they know.
        """
        instance = self
        while len(instance.free):
            lowest = instance.linear + np.minimum(instance.pairwise, 0).sum(axis=1)
            highest = instance.linear + np.maximum(instance.pairwise, 0).sum(axis=1)
            outside, inside = np.flatnonzero(lowest >= 0), np.flatnonzero((highest <= 0) & (lowest < 0))
            if len(outside) + len(inside) == 0:
                break
            instance = instance.decide(inside, outside)
        return instance

    def features_of(self, chosen: NDArray[np.bool_]) -> tuple[int, ...]:
        """Return the set of the whole instance for a choice among the free features."""
        return tuple(sorted((*self.inside, *self.free[chosen].tolist())))
