"""Forbidden features are left out, so that backends without side constraints take the problem too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pyfsel.problem import Problem
from pyfsel.reductions.preselection import Preselection

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WithoutForbidden(Preselection):
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
        kept = tuple(j for j in range(problem.n_features) if j not in dropped)
        position = {j: p for p, j in enumerate(kept)}
        index = np.array(kept)

        def renumbered(features: Iterable[int]) -> tuple[int, ...]:
            return tuple(position[j] for j in features)

        reduced = problem.replace(
            quality=problem.quality[index],
            quality_values=_part(problem.quality_values, index),
            redundancy=_part(_part(problem.redundancy, index), index, axis=1),
            redundancy_values=_part(_part(problem.redundancy_values, index), index, axis=1),
            costs=_part(problem.costs, index),
            conflicts=[renumbered(pair) for pair in problem.conflicts if dropped.isdisjoint(pair)],
            previous_sets=[renumbered(members) for members in problem.previous_sets],
            forced=renumbered(problem.forced),
            forbidden=renumbered(j for j in problem.forbidden if j not in dropped),
            groups=[replace(group, features=renumbered(group.features)) for group in problem.groups],
            feature_names=[problem.feature_names[j] for j in kept],
        )
        return cls(reduced, kept)

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the reduction where it is of use, and elsewhere the one that changes nothing."""
        return cls.apply(problem) if cls.applies(problem) is None else cls.none(problem)


def _droppable(problem: Problem) -> set[int]:
    if not problem.forbidden:
        return set()
    elsewhere = (*problem.previous_sets, *(group.features for group in problem.groups))
    return set(problem.forbidden).difference(*elsewhere)


def _part(numbers: NDArray[Any] | None, index: NDArray[np.int64], axis: int = 0) -> NDArray[Any] | None:
    return None if numbers is None else numbers.take(index, axis=axis)
