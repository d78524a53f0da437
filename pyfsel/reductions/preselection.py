"""Pre-selection: for sums of qualities only some features can matter (paper 000, A.5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from pyfsel.heuristics.greedy import by_quality
from pyfsel.objectives import SUMS_OF_QUALITIES, FeatureSet
from pyfsel.problem import Problem
from pyfsel.reductions.base import Reduction
from pyfsel.reductions.needed import needed_features


@dataclass(frozen=True)
class Preselection(Reduction):
    """A problem over some of the features, in decreasing order of quality.

    `kept[j]` is the number in the original problem of feature j of `problem`.
    """

    problem: Problem
    kept: tuple[int, ...]

    @classmethod
    def none(cls, problem: Problem) -> Self:
        """Return the reduction that changes nothing."""
        return cls(problem, tuple(range(problem.n_features)))

    @classmethod
    def applies(cls, problem: Problem) -> str | None:
        """Return why pre-selection is not valid, or None.

        Without conflicts, features must be interchangeable but for their quality: a set that holds a dropped
        feature can then trade it for a kept one that no set uses, which is at least as good and overlaps with
        nothing. With conflicts see `pyfsel.reductions.needed.needed_features`.
        """
        if problem.objective in SUMS_OF_QUALITIES and not problem.side_constraints:
            return None
        return "needs a univariate objective without side constraints"

    @classmethod
    def apply(cls, problem: Problem) -> Self:
        """Keep the features of previous sets and those of the others that are needed, best first.

        Without conflicts these are the n_sets·set_size best.
        """
        if is_interchangeable(problem):
            return cls._best(problem)
        reduction = cls.none(problem)
        while True:
            needed = needed_features(reduction.problem)
            if needed.all():
                return reduction
            fewer = cls._restricted(reduction.problem, np.flatnonzero(needed))
            reduction = cls(fewer.problem, tuple(reduction.kept[j] for j in fewer.kept))

    @classmethod
    def _best(cls, problem: Problem) -> Self:
        needed = problem.n_sets * problem.set_size
        previous = {j for members in problem.previous_sets for j in members}
        others = [j for j in by_quality(problem) if j not in previous][:needed]
        return cls._restricted(problem, [*previous, *others])

    @classmethod
    def _restricted(cls, problem: Problem, features: Iterable[int]) -> Self:
        """Return the problem over some features, which include those of the previous sets, best first."""
        chosen = set(features)
        kept = tuple(j for j in by_quality(problem) if j in chosen)
        position = {j: p for p, j in enumerate(kept)}
        index = np.array(kept)
        reduced = problem.replace(
            quality=problem.quality[index],
            quality_values=None if problem.quality_values is None else problem.quality_values[index],
            conflicts=[(position[i], position[j]) for i, j in problem.conflicts if {i, j} <= chosen],
            previous_sets=tuple(tuple(position[j] for j in s) for s in problem.previous_sets),
            feature_names=tuple(problem.feature_names[j] for j in kept),
            redundancy=None,
            redundancy_values=None,
        )
        return cls(reduced, kept)

    def invert(self, sets: Sequence[Iterable[int]]) -> list[FeatureSet]:
        """Return sets of the original problem for sets of the reduced one.

        An index that does not exist becomes −1, so that the verification names it.
        """
        return [tuple(self.kept[j] if 0 <= j < len(self.kept) else -1 for j in members) for members in sets]

    def apply_to_sets(self, sets: Sequence[Iterable[int]]) -> tuple[FeatureSet, ...] | None:
        """Return sets of the reduced problem, or None if a set holds a feature that was dropped."""
        position = {j: p for p, j in enumerate(self.kept)}
        listed = [[position.get(j) for j in members] for members in sets]
        if any(p is None for members in listed for p in members):
            return None
        return tuple(tuple(sorted(p for p in members if p is not None)) for members in listed)


def is_interchangeable(problem: Problem) -> bool:
    """Return whether features differ in nothing but their quality and their membership in previous sets."""
    return problem.objective in SUMS_OF_QUALITIES and not problem.conflicts and not problem.side_constraints


def preselect(problem: Problem) -> Preselection:
    """Return the pre-selection where it is valid, and elsewhere the reduction that changes nothing."""
    if Preselection.applies(problem) is not None:
        return Preselection.none(problem)
    return Preselection.apply(problem)
