"""What a reduction is: a smaller or different problem with the same optimum, and the way back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Self

from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem


class Reduction(ABC):
    """One application of a reduction; the class says when it is valid.

    Examples
    --------
    >>> from pyfsel.reductions import Preselection
    >>> problem = Problem(quality=[1, 5, 4, 3], n_sets=1, set_size=2, max_overlap=1)
    >>> Preselection.applies(problem) is None
    True
    >>> reduced = Preselection.apply(problem)
    >>> reduced.problem.n_features, reduced.invert([(0, 1)])
    (2, [(1, 2)])
    """

    @classmethod
    @abstractmethod
    def applies(cls, problem: Problem) -> str | None:
        """Return why the reduction is not valid for this problem, or None if it is."""

    @classmethod
    @abstractmethod
    def apply(cls, problem: Problem) -> Self:
        """Reduce a problem for which `applies` returns None."""

    @abstractmethod
    def invert(self, sets: Sequence[Iterable[int]]) -> list[FeatureSet]:
        """Return sets of the original problem for a solution of the reduced one."""
