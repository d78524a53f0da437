"""A start by adding and exchanging features, then the tree in the core until it is searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from pyfsel.algorithms.best_subsets.instance import Instance
from pyfsel.core.binding import Ints, Reals, Struct, Words, in_core
from pyfsel.problem import values
from pyfsel.problem.objectives import LeastSquares

if TYPE_CHECKING:
    from pyfsel.problem.objectives import FeatureSet
    from pyfsel.problem.problem import Problem
    from pyfsel.results.control import Control

WORK = 20_000_000  # operations, some milliseconds
ROOM = 1_000
TRIED = 30.0  # times m³: a bound of m candidates takes about as long


@dataclass(frozen=True, eq=False)
class Subsets(Struct):
    """The tree: what is chosen at each level, and the Schur complement of the candidates that are left."""

    gram: Annotated[Reals, "levels", "n", "n"]
    target: Annotated[Reals, "levels", "n"]
    parts: Annotated[Reals, "levels", "n"]
    features: Annotated[Ints, "levels", "n"]
    first: Annotated[Ints, "levels"]
    size: Annotated[Ints, "levels"]
    upper: Annotated[Reals, "levels"]
    gained: Annotated[Reals, "levels"]
    diagonal: Annotated[Reals, "n"]
    previous: Annotated[Words, "known", "n"]
    left: Annotated[Ints, "levels", "known"]
    chosen: Annotated[Ints, "levels"]
    found: Annotated[Ints, "room", "levels"]
    factor: Annotated[Reals, "n", "n"]
    vectors: Annotated[Reals, "6", "n"]
    state: Annotated[Ints, "3"]


@in_core
def search_subsets(subsets: Subsets, target: float, tried: float, work: int) -> int:
    """Search on, and return how many sets were found that gain at least `target`.

    Of m candidates up to ``tried · m³`` sets are tried without another bound.
    """


class BestSubsets:
    """The search for one best set beside those before it.

    Parameters
    ----------
    problem : Problem
        For one set, with objective "r2".
    control : Control

    Attributes
    ----------
    best : tuple of int or None
    value : int or None
        That of `best`, exactly.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.instance = Instance.of(problem)
        self.step = LeastSquares.step(problem.scale)
        self.best: FeatureSet | None = None
        self.value: int | None = None
        self.tree = _tree(problem, self.instance)

    def run(self) -> bool:
        """Search until all is searched; return False if time is up before."""
        for members in (*(self.control.hint or ()), *_start(self.problem, self.instance)):
            self._take(tuple(members))
        while self.tree.state[0] >= 0:
            if self.control.expired():
                return False
            count = search_subsets(self.tree, self._wanted() - self.instance.loss, TRIED, WORK)
            for members in self.tree.found[:count].tolist():
                self._take(tuple(sorted(members)))
        return True

    def bound(self) -> int:
        """Return what no set of those that are left exceeds."""
        level = int(self.tree.state[0])
        t, tree = self.problem.set_size, self.tree
        open_ones = [
            tree.upper[i] + tree.parts[i, tree.first[i] : tree.first[i] + t - i].sum()
            for i in range(level + 1)
        ]
        most = min(max(open_ones, default=0.0) + self.instance.loss, self.instance.most)
        return max(int(most * self.problem.scale) + 1, self.value or 0)

    def _wanted(self) -> float:
        """Return the least R² that is better."""
        return -1.0 if self.value is None else (self.value + self.step) / self.problem.scale

    def _take(self, members: FeatureSet) -> None:
        found = values.value(self.problem, members)
        if self.value is None or found > self.value:
            self.best, self.value = members, found
            self.control.report_sets([members])


def _tree(problem: Problem, instance: Instance) -> Subsets:
    n, k, known = problem.n_features, problem.set_size, len(problem.previous_sets)
    previous = np.zeros((known, n), np.uint64)
    for p, members in enumerate(problem.previous_sets):
        previous[p, list(members)] = 1
    tree = Subsets.with_room({"levels": k, "room": n + ROOM}, diagonal=instance.diagonal, previous=previous)
    order = np.argsort(-np.abs(instance.target), kind="stable")
    tree.gram[0] = instance.gram[np.ix_(order, order)]
    tree.target[0] = instance.target[order]
    tree.features[0] = order
    tree.size[0] = n
    tree.upper[0] = np.inf
    tree.left[0] = [problem.allowed_overlap(k, k)] * known
    return tree


def _start(problem: Problem, instance: Instance) -> list[FeatureSet]:
    """Return a set that is made by adding the best feature each time, then exchanging while that helps."""
    members: list[int] = []
    for _ in range(problem.set_size):
        best = _best_addition(problem, instance, members, -1.0)
        if best is None:
            return []
        members.append(best[1])
    reached = _gains(instance, members[:-1])[members[-1]]
    better = True
    while better:
        better = False
        for old in list(members):
            rest = [j for j in members if j != old]
            found = _best_addition(problem, instance, rest, reached + 1e-9)
            if found is not None:
                members, reached, better = [*rest, found[1]], found[0], True
    return [tuple(sorted(members))]


def _best_addition(problem: Problem, instance: Instance, members: list[int], least: float) -> Any:
    """Return the largest R² over `least` by one more feature that the sets before allow, and that feature."""
    gains = _gains(instance, members)
    allowed = problem.allowed_overlap(problem.set_size, problem.set_size)
    for previous in problem.previous_sets:
        if len(set(previous) & set(members)) >= allowed:
            gains[list(previous)] = -np.inf
    best = int(gains.argmax())
    return (float(gains[best]), best) if gains[best] > least else None


def _gains(instance: Instance, members: list[int]) -> Any:
    """Return the R² of a set with each further feature; −∞ for its own."""
    G, c = instance.gram, instance.target
    if not members:
        return c * c / np.diag(G)
    weights = np.linalg.solve(G[np.ix_(members, members)], np.column_stack([G[members], c[members]]))
    rest = np.maximum(np.diag(G) - (G[members] * weights[:, :-1]).sum(axis=0), 1e-9)
    gains = c[members] @ weights[:, -1] + (c - c[members] @ weights[:, :-1]) ** 2 / rest
    gains[members] = -np.inf
    return gains
