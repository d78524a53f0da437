"""Exact search over a pool of enumerated sets, for sum- and min-aggregation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pyfsel.algorithms.packing.cliques import (
    BEST,
    FIRST,
    NO_LIMIT,
    Counting,
    Descent,
    SortedPool,
    search_best_sum,
    search_best_worst,
)
from pyfsel.algorithms.packing.pool import Pool, best_in_turn, falling, pool_of
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.reductions.interchange import prefix_limits
from pyfsel.reductions.promising import highest_sum
from pyfsel.results.answer import Stated
from pyfsel.results.control import Control

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_WORK = 4_000_000


class PackingSearch:
    """Finds the best compatible sets of one problem; what it knows on the way is in its attributes.

    Parameters
    ----------
    problem : Problem
    control : Control
    pool : Pool, optional
        Another enumeration of the single sets than `pool_of` gives.
    start : sequence of feature sets, optional
        Compatible sets of high values, the highest first; fewer than `n_sets` help too.
    highest_sum : int, optional
        A known upper bound on the sum of the values of the sets, whatever the aggregate; it helps where the
        smallest value is to be as large as possible.

    Attributes
    ----------
    best : tuple of feature sets or None
        The best solution so far.
    value : int or None
        Its objective.
    bound : int or None
        Upper bound on the objective.
    """

    def __init__(
        self,
        problem: Problem,
        control: Control,
        pool: Pool | None = None,
        start: Sequence[FeatureSet] = (),
        highest_sum: int = NO_LIMIT,
    ) -> None:
        self.problem = problem
        self.control = control
        self.best: tuple[FeatureSet, ...] | None = None
        self.value: int | None = None
        self._own: int | None = None
        self.bound: int | None = None
        self.pool: Pool = pool_of(problem) if pool is None else pool
        self.start = list(start)
        self.highest_sum = highest_sum
        if control.hint is not None:
            self._improve(control.hint)
        if len(self.start) == problem.n_sets:
            self._improve(self.start)

    def run(self) -> None:
        """Search until the best solution is proved; `best` is None afterwards if there is none.

        Raises
        ------
        OutOfTimeError, TooManySetsError
        """
        problem = self.problem
        limit = prefix_limits(problem.n_features, problem.n_sets, problem.set_size, problem.max_overlap)[-1]
        if limit < problem.n_sets * problem.set_size:
            return
        if problem.n_sets == 1 or problem.max_overlap == problem.set_size:
            self._repeat_best()
        elif problem.aggregate == "min":
            self._maximise_worst()
        else:
            self._maximise_sum()

    def _improve(self, sets: Sequence[FeatureSet], own: int | None = None) -> None:
        value = problem_values.total(self.problem, sets) if own is None else own
        if self.value is None or value > self.value:
            self.best, self.value = tuple(sets), value
            self._own = own
            self.control.report_sets(self.best)

    def stated(self) -> Stated:
        """Return what the best sets are worth: as added up on the way, or by the pool if they were given."""
        if self._own is not None:
            return Stated(self._own)
        found = [self.pool.value_of(members) for members in self.best or ()]
        return Stated(problem_values.aggregate_values(self.problem, found))

    def _tighten(self, bound: int) -> None:
        if self.value is not None:
            bound = max(bound, self.value)
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.control.report_bound(bound)

    def _pools(self, least: int | None) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64], int]]:
        return falling(self.pool, least, self.control.check_time)

    def _repeat_best(self) -> None:
        factor = self.problem.n_sets if self.problem.aggregate == "sum" else 1
        for sets, values, threshold in self._pools(None):
            if len(sets):
                self._improve([_as_tuple(sets[0])] * self.problem.n_sets, int(values[0]) * factor)
                self._tighten(int(values[0]) * factor)
                return
            self._tighten((threshold - 1) * factor)

    def _maximise_worst(self) -> None:
        """Try one set after the other as the worst, best first.

        No set of a solution is better than what the others, none of which is worse than the worst, leave of
        the largest possible sum; where that is little more than so many times the worst, few sets are left.
        """
        done = 0
        counting = Counting.of(self.problem, self.problem.n_sets)
        counted = None
        if objective_of(self.problem).is_sum:
            counted = highest_sum(self.problem, self.problem.n_sets)
        highest = self.highest_sum if counted is None else min(counted, self.highest_sum)
        if highest < NO_LIMIT:
            self._tighten(highest // self.problem.n_sets)
        least = None if self.value is None else self.value + 1
        for sets, values, threshold in self._pools(least):
            pool = SortedPool.of(self.problem, sets, values, counting)
            descent = Descent.of(pool, self.problem.n_sets, first=done)
            while not search_best_worst(pool, descent, highest, MOST_WORK):
                self.control.check_time()
            done = int(descent.state[FIRST])
            if descent.is_complete:
                self._improve([_as_tuple(sets[i]) for i in descent.chosen], int(values[done]))
                self._tighten(int(values[done]))
                return
            self.control.check_time()
            self._tighten(threshold - 1)

    def _maximise_sum(self) -> None:
        """Find the best sums of 2, 3, … sets, each with the help of those before it.

        A member of an optimum of l sets has at least the optimum of l less that of l − 1.
        """
        start = self.start or best_in_turn(self.problem, self._pools(None))
        best_sums = np.zeros(self.problem.n_sets, dtype=np.int64)
        for count in range(1, self.problem.n_sets + 1):
            last = count == self.problem.n_sets
            sets = start[:count] if len(start) >= count else None
            if last and self.best is not None:
                sets = self._better(sets, self.best)
            optimum = self._best_sum(count, sets, best_sums, last)
            if optimum is None:
                return
            if not last:
                best_sums[count] = optimum
                self._tighten_from(best_sums, count)
            else:
                self._tighten(optimum)

    def _better(self, first: list[FeatureSet] | None, second: Sequence[FeatureSet]) -> list[FeatureSet]:
        if first is None or problem_values.total(self.problem, first) < problem_values.total(
            self.problem, second
        ):
            return list(second)
        return first

    def _tighten_from(self, best_sums: NDArray[np.int64], count: int) -> None:
        """Bound the sum of n sets by the optima of fewer: each set is in as many groups as any other."""
        self._tighten(int(best_sums[count]) * self.problem.n_sets // count)

    def _best_sum(
        self, count: int, sets: list[FeatureSet] | None, best_sums: NDArray[np.int64], last: bool
    ) -> int | None:
        """Return the largest sum of so many compatible sets, or None if there are none."""
        value = None if sets is None else int(problem_values.values(self.problem, sets).sum())
        if last and sets is not None:
            self._improve(sets)
        for candidates, values, threshold in self._pools(self._least(value, count, best_sums)):
            value = self._search_pool(candidates, values, count, value, best_sums, last)
            if value is not None and threshold <= self._needed(value, count, best_sums):
                return value
        return value

    def _needed(self, value: int, count: int, best_sums: NDArray[np.int64]) -> int:
        return value + 1 - int(best_sums[count - 1])

    def _least(self, value: int | None, count: int, best_sums: NDArray[np.int64]) -> int | None:
        return None if value is None else self._needed(value, count, best_sums)

    def _search_pool(
        self,
        sets: NDArray[np.int32],
        values: NDArray[np.int64],
        count: int,
        value: int | None,
        best_sums: NDArray[np.int64],
        last: bool,
    ) -> int | None:
        pool = SortedPool.of(self.problem, sets, values, Counting.of(self.problem, count))
        best = -NO_LIMIT if value is None else value
        descent = Descent.of(pool, count, best=best, best_sums=best_sums[:count])
        is_done = False
        while not is_done:
            self.control.check_time()
            is_done = search_best_sum(pool, descent, MOST_WORK)
            if descent.state[BEST] > best:
                best = value = int(descent.state[BEST])
                if last:
                    self._improve([_as_tuple(sets[i]) for i in descent.found], best)
        return value


def _as_tuple(members: NDArray[np.int32]) -> FeatureSet:
    return tuple(int(j) for j in members)
