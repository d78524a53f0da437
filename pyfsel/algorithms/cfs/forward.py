"""Greedy forward selection, as Hall's search for CFS begins: a start for the exact search."""

from __future__ import annotations

import numpy as np

from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.verify import violations


def forward_selection(problem: Problem) -> FeatureSet | None:
    """Add the feature that makes the quality largest, again and again; return the best feasible set met.

    Features that conflict with chosen ones, or would make the overlap with a previous set too large, are
    passed over; other constraints are only checked at the end of every round, so that the search can fail.

    Parameters
    ----------
    problem : Problem
        With objective "cfs".

    Returns
    -------
    set, or None if no set met was feasible

    Examples
    --------
    >>> problem = Problem(
    ...     quality=[60, 50, 40], redundancy=[[0, 90, 0], [90, 0, 0], [0, 0, 0]], scale=100,
    ...     n_sets=1, set_size=2, max_overlap=2, objective="cfs",
    ... )
    >>> forward_selection(problem)
    (0, 2)
    """
    search = _Forward(problem)
    best: tuple[float, FeatureSet] | None = None
    while len(search.chosen) < problem.set_size and search.add():
        members = tuple(sorted(search.chosen))
        if (best is None or search.quality > best[0]) and not violations(problem, [members]):
            best = search.quality, members
    return None if best is None else best[1]


class _Forward:
    """The chosen features, and what each other one would contribute."""

    def __init__(self, problem: Problem) -> None:
        assert problem.redundancy is not None
        self.problem = problem
        self.redundancy = problem.redundancy / problem.scale
        self.relevance = problem.quality / problem.scale
        self.chosen: list[int] = []
        self.allowed = np.ones(problem.n_features, dtype=bool)
        self.allowed[list(problem.forbidden)] = False
        self.shared = np.zeros(problem.n_features)
        self.total, self.denominator = 0.0, 0.0
        for feature in problem.forced:
            self._take(feature)
        self._forbid()

    @property
    def quality(self) -> float:
        """The value of the chosen features, in floats."""
        return float(self.total / np.sqrt(self.denominator))

    def add(self) -> bool:
        """Choose the best feature that is allowed; return whether there is one."""
        candidates = np.flatnonzero(self.allowed)
        if len(candidates) == 0:
            return False
        totals = self.total + self.relevance[candidates]
        denominators = self.denominator + 1 + 2 * self.shared[candidates]
        self._take(int(candidates[(totals / np.sqrt(denominators)).argmax()]))
        self._forbid()
        return True

    def _take(self, feature: int) -> None:
        self.chosen.append(feature)
        self.allowed[feature] = False
        self.total += self.relevance[feature]
        self.denominator += 1 + 2 * self.shared[feature]
        self.shared += self.redundancy[feature]

    def _forbid(self) -> None:
        """Forbid the features that can no longer be added."""
        problem, inside = self.problem, set(self.chosen)
        for i, j in problem.conflicts:
            if i in inside or j in inside:
                self.allowed[[i, j]] = False
        for previous in problem.previous_sets:
            if len(inside.intersection(previous)) >= problem.max_overlap:
                self.allowed[list(previous)] = False
