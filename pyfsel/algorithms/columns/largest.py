"""The search for compatible sets of the best sum, by the heaviest sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.columns.allowed import LOW
from pyfsel.algorithms.columns.improve import completed, sum_of
from pyfsel.algorithms.columns.relaxation import Prices
from pyfsel.algorithms.columns.state import GROWTH, PARTS_OF_GAP, SearchState, Steps
from pyfsel.algorithms.columns.tree import ListTask
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LargestSumSearch:
    """Finds compatible sets with the largest sum.

    Every set of a solution weighs, by the prices of the relaxation, at most the gap between the bound and the
    solution less than the heaviest set. So all sets above a threshold are enumerated, and a search through
    them either finds a solution within the gap or proves that there is none and lowers the bound; the gap
    doubles until a solution is found. For the sum of a univariate quality this is done for 2, 3, … sets, as
    the optima of fewer sets bound what any set of a solution must contribute.
    """

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self.problem = state.problem
        self.sets = state.sets

    def maximise(self, start: list[FeatureSet]) -> Steps[None]:
        """Find the best solution, and prove it; `start` is the best single set."""
        n_sets = self.problem.n_sets
        at_most = np.full(n_sets + 1, -LOW)
        at_most[:] = sum_of(self.problem, start) * np.arange(n_sets + 1)
        sets = start
        counts = range(2, n_sets + 1)
        for count in counts[-1:] if objective_of(self.problem).has_pairs else counts:
            best = yield from self._best_sum(count, sets, at_most)
            if best is None:
                return
            sets = best
            at_most[count] = sum_of(self.problem, sets)
            self.state.tighten(int(at_most[count]) * n_sets // count)

    def _best_sum(
        self, count: int, fewer: list[FeatureSet], at_most: NDArray[np.int64]
    ) -> Steps[list[FeatureSet] | None]:
        """Return so many compatible sets with the largest sum, or None if there are none."""
        last = count == self.problem.n_sets
        prices = self.state.relaxed(count)
        if last:
            self.state.exchange_sets(fewer)
            sets = None if self.state.best is None else list(self.state.best)
        else:
            sets = completed(self.problem, self.state.quickly_searched(prices), fewer, count)
        highest = min(prices.bound, *(int(at_most[i] + at_most[count - i]) for i in range(1, count)))
        distance = self.state.first_distance(count)
        if last and sets is not None:
            distance = max(1, (highest - sum_of(self.problem, sets)) // PARTS_OF_GAP)
        floor = count * self.sets.lowest if sets is None else sum_of(self.problem, sets) + 1
        while True:
            if last:
                highest, floor = self.state.tighten(highest), self.state.floor(count)
                sets = None if self.state.best is None else list(self.state.best)
            if highest < floor:
                return sets
            goal = self.state.next_goal(highest, distance, floor)
            found = yield from self._search(prices, goal, count, at_most)
            if found is not None:
                return found
            highest = goal - 1
            distance *= GROWTH

    def _search(
        self, prices: Prices, goal: int, count: int, at_most: NDArray[np.int64]
    ) -> Steps[list[FeatureSet] | None]:
        """Return the best sum of the solutions that reach the goal, or None if none does."""
        among = self.state.heavy_sets(prices, goal, goal - int(at_most[count - 1]))
        if len(among.members) < count:
            return None
        values = problem_values.values(self.problem, among.members.astype(np.intp))
        task = ListTask.of(count, self.sets, among, values, at_most, prices.subsets)
        return (yield from self.state.search_through(task, prices, goal))
