"""Pre-selection: for sums of qualities only some features can matter (paper 000, A.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from pyfsel.problem.problem import Problem
from pyfsel.problem.values import by_quality, objective_of
from pyfsel.reductions.needed import needed_features
from pyfsel.reductions.restriction import Restriction


class Preselection(Restriction):
    """A problem over the features that can matter, in decreasing order of quality if others do not.

    Examples
    --------
    >>> problem = Problem(quality=[1, 5, 4, 3], n_sets=1, set_size=2, max_overlap=1)
    >>> reduced = Preselection.apply(problem)
    >>> reduced.problem.n_features, reduced.invert([(0, 1)])
    (2, [(1, 2)])
    """

    @classmethod
    def applies(cls, problem: Problem) -> str | None:
        """Return why pre-selection is not valid, or None.

        Without conflicts, features must be interchangeable but for their quality: a set that holds a dropped
        feature can then trade it for a kept one that no set uses, which is at least as good and overlaps with
        nothing. With conflicts see `pyfsel.reductions.needed.needed_features`.
        """
        if objective_of(problem).is_sum and not problem.side_constraints:
            return None
        return "needs a univariate objective without side constraints"

    @classmethod
    def apply(cls, problem: Problem) -> Self:
        """Keep the features of previous sets and those of the others that are needed, best first.

        Without conflicts these are the n_sets·set_size best.
        """
        if is_interchangeable(problem):
            needed = problem.n_sets * problem.set_size
            previous = {j for members in problem.previous_sets for j in members}
            best = by_quality(problem, needed + len(previous))
            others = [j for j in best if j not in previous][:needed]
            return cls._best_first(problem, [*previous, *others])
        reduction = cls.none(problem)
        while not (needs := needed_features(reduction.problem)).all():
            reduction = reduction.then(cls._best_first(reduction.problem, np.flatnonzero(needs)))
        return reduction

    @classmethod
    def _best_first(cls, problem: Problem, features: Iterable[int]) -> Self:
        chosen = np.unique(np.fromiter(features, dtype=np.intp))
        return cls.to(problem, chosen[np.argsort(-problem.quality[chosen], kind="stable")].tolist())


def is_interchangeable(problem: Problem) -> bool:
    """Return whether features differ in nothing but their quality and their membership in previous sets."""
    return objective_of(problem).is_sum and not problem.conflicts and not problem.side_constraints


def preselect(problem: Problem) -> Preselection:
    """Return the pre-selection where it is valid, and elsewhere the reduction that changes nothing."""
    if Preselection.applies(problem) is not None:
        return Preselection.none(problem)
    return Preselection.apply(problem)
