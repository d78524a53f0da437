"""The search for compatible sets of the best sum, or the best minimum, by prices and enumeration."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.columns.improve import best_beside, completed, sum_of
from pyfsel.algorithms.columns.prices.relaxation import Prices, relaxed_prices
from pyfsel.algorithms.columns.sets.allowed import LOW
from pyfsel.algorithms.columns.smallest import SmallestValueSearch
from pyfsel.algorithms.columns.state import GROWTH, PARTS_OF_GAP, Steps
from pyfsel.algorithms.columns.tree.node import make_task
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.reductions.interchange import prefix_limits
from pyfsel.results.control import OutOfTimeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_TOTAL = 2**40


class ColumnsSearch(SmallestValueSearch):
    """Finds the best compatible sets of a problem.

    `relax`, which comes first, bounds the objective; `enumerate_sets` finds and proves the optimum.

    A linear relaxation prices the features and gives a bound, which can prove at once that there is no
    solution. Every set of a solution then weighs, by these prices, at most the gap between the bound and the
    solution less than the heaviest set. So all sets above a threshold are enumerated, and a search through
    them either finds a solution within the gap or proves that there is none and lowers the bound; the gap
    doubles until a solution is found. For the sum of a univariate quality this is done for 2, 3, … sets, as
    the optima of fewer sets bound what any set of a solution must contribute.

    Parameters
    ----------
    problem : Problem
    control : Control

    Attributes
    ----------
    best : tuple of feature sets or None
        The best solution so far.
    value : int or None
        Its objective.
    bound : int or None
        Upper bound on the objective.
    highest_sum : int
        After `relax` of several sets: an upper bound on the sum of their values, which may be lowered.
    infeasible : bool
        Whether `relax` proved that there is no solution.
    statistics : dict
        Numbers of sets enumerated last, and in how many rounds.
    """

    def relax(self) -> None:
        """Bound the objective by the relaxation, or prove that there is no solution.

        A single set is left to `enumerate_sets`, which finds it without.

        Raises
        ------
        OutOfTimeError
        """
        problem = self.problem
        n_sets = problem.n_sets
        limit = prefix_limits(problem.n_features, n_sets, problem.set_size, problem.max_overlap)[-1]
        self.control.check_time()
        if n_sets == 1:
            return
        self._prices = relaxed_prices(self.sets, n_sets, self.control.expired)
        if self._prices is None or limit < n_sets * problem.set_size:
            self.infeasible = True
            return
        self.highest_sum = self._prices.bound
        self.infeasible = self.highest_sum < n_sets * self.sets.lowest
        if not self.infeasible:
            self._tighten(self.highest_sum // (n_sets if problem.aggregate == "min" else 1))

    def enumerate_sets(self, pause: Callable[[], bool] = lambda: False) -> None:
        """Search until the best solution is proved; `best` is None afterwards if there is none.

        Parameters
        ----------
        pause : callable
            When it returns True, the search ends as if out of time, and goes on from there if called again.

        Raises
        ------
        OutOfTimeError, TooManySetsError
        """
        if pause():
            raise OutOfTimeError
        steps, self._steps = self._steps or self._all_steps(), None
        for _ in steps:
            if self.control.expired() or pause():
                self._steps = steps
                raise OutOfTimeError

    def _all_steps(self) -> Steps[None]:
        problem = self.problem
        best_one = best_beside(self.sets, ())
        if best_one is None or self.infeasible:
            return
        self._highest = sum_of(self.problem, [best_one])
        if problem.n_sets == 1 or problem.max_overlap == problem.set_size:
            self._improve([best_one] * problem.n_sets)
            self._tighten(problem_values.total(problem, self.best or ()))
        elif problem.aggregate == "min":
            yield from self._maximise_worst([best_one])
        else:
            yield from self._maximise_sum([best_one])

    def _maximise_sum(self, start: list[FeatureSet]) -> Steps[None]:
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
            self._tighten(int(at_most[count]) * n_sets // count)

    def _best_sum(
        self, count: int, fewer: list[FeatureSet], at_most: NDArray[np.int64]
    ) -> Steps[list[FeatureSet] | None]:
        """Return so many compatible sets with the largest sum, or None if there are none."""
        last = count == self.problem.n_sets
        prices = self._relaxed(count)
        if last:
            self.exchange_sets(fewer)
            sets = None if self.best is None else list(self.best)
        else:
            sets = completed(self.problem, self._quickly_searched(prices), fewer, count)
        highest = min(prices.bound, *(int(at_most[i] + at_most[count - i]) for i in range(1, count)))
        distance = self._first_distance(count)
        if last and sets is not None:
            distance = max(1, (highest - sum_of(self.problem, sets)) // PARTS_OF_GAP)
        floor = count * self.sets.lowest if sets is None else sum_of(self.problem, sets) + 1
        while True:
            if last:
                highest, floor = self._tighten(highest), self._floor(count)
                sets = None if self.best is None else list(self.best)
            if highest < floor:
                return sets
            goal = self._goal(highest, distance, floor)
            found = yield from self._search(prices, goal, count, at_most)
            if found is not None:
                return found
            highest = goal - 1
            distance *= GROWTH

    def _search(
        self, prices: Prices, goal: int, count: int, at_most: NDArray[np.int64]
    ) -> Steps[list[FeatureSet] | None]:
        """Return the best sum of the solutions that reach the goal, or None if none does."""
        among = self._heavy(prices, goal, goal - int(at_most[count - 1]))
        if len(among.members) < count:
            return None
        values = problem_values.values(self.problem, among.members.astype(np.intp))
        task = make_task(count, self.sets, among, values, at_most, prices.subsets)
        return (yield from self._through(task, prices, goal))


def is_worth_enumerating(problem: Problem) -> bool:
    """Return whether the sets may overlap so much that few of them matter.

    With little overlap the relaxation is sharp, but there are many sets that are almost as good, each of
    which rules out most of the others; there constraints on features decide more.
    """
    alone = problem.n_sets == 1 or problem.max_overlap == problem.set_size
    return alone or objective_of(problem).has_pairs or 5 * problem.max_overlap >= 2 * problem.set_size


def too_large(problem: Problem) -> str | None:
    """Return why the numbers of a problem are beyond what the search can compute with, or None."""
    pairs = comb(problem.n_sets, 2) * max(1, problem.max_overlap)
    if problem.largest_total * pairs <= LARGEST_TOTAL * 2**10:
        return None
    return f"its objective can reach {problem.largest_total}, too much for 64-bit bounds"
