"""Forbidden features are left out, so that backends without side constraints take the problem too."""

from __future__ import annotations

from typing import Self

from pyfsel.problem.problem import Problem
from pyfsel.reductions.base import Reduction
from pyfsel.reductions.restriction import Restriction


class WithoutForbidden(Restriction, Reduction):
    """A problem without the features that no set may hold; the others keep their order.

    Forbidden features of previous sets stay, since they count in the sizes of these sets, and those of
    groups, since they count there. Nothing is left out if fewer features than the largest size would remain.

    Examples
    --------
    >>> problem = Problem(quality=[5, 4, 3], n_sets=1, set_size=1, max_overlap=1, forbidden=[0])
    >>> reduced = WithoutForbidden.apply(problem)
    >>> reduced.problem.side_constraints, reduced.invert([(0,)])
    ((), [(1,)])
    """

    @classmethod
    def applies(cls, problem: Problem) -> str | None:
        """Return why nothing can be left out, or None."""
        dropped = _droppable(problem)
        if not dropped:
            return "needs forbidden features outside previous sets and groups"
        left = problem.n_features - len(dropped)
        return (
            None if left >= problem.set_size else f"leaves {left} features for sets of {problem.sizes_text}"
        )

    @classmethod
    def apply(cls, problem: Problem) -> Self:
        """Leave the forbidden features out."""
        dropped = _droppable(problem)
        return cls.to(problem, (j for j in range(problem.n_features) if j not in dropped))

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the reduction where it is of use, and elsewhere the one that changes nothing."""
        return cls.apply(problem) if cls.applies(problem) is None else cls.none(problem)


def _droppable(problem: Problem) -> set[int]:
    if not problem.forbidden:
        return set()
    elsewhere = (*problem.previous_sets, *(group.features for group in problem.groups))
    return set(problem.forbidden).difference(*elsewhere)
