"""Exact search over a pool of enumerated sets, for sum- and min-aggregation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.algorithms.packing.cliques import (
    FIRST,
    NO_LIMIT,
    WORK_AT_ONCE,
    Counting,
    Descent,
    SortedPool,
    search_best_worst,
    search_pool,
)
from pyfsel.algorithms.packing.pool import Pool, excluded_by_counting, falling, pool_of
from pyfsel.algorithms.packing.smallest import FewestSets
from pyfsel.core.arrays import Ints, ShortInts
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.values import objective_of
from pyfsel.reductions.promising import highest_sum
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.control import Control

SHORT_WORK = 100_000_000  # looks at a set, about half a second, before it is tried otherwise
LONGER = 16  # times longer is the other way tried, and each time again


class PackingSearch(IncumbentSearch):
    """Finds the best compatible sets of one problem; what it knows on the way is in its attributes.

    Parameters
    ----------
    problem : Instance
    control : Control
    pool : Pool, optional
        Another enumeration of the single sets than `pool_of` gives.
    start : sequence of feature sets, optional
        Compatible sets of high values, the highest first; fewer than `n_sets` help too. By default sets of
        the hint, or of greedy searches.
    """

    def __init__(
        self,
        problem: Instance,
        control: Control,
        pool: Pool | None = None,
        start: Sequence[FeatureSet] = (),
    ) -> None:
        super().__init__(problem, control)
        self.pool = pool or pool_of(problem)
        hint = control.hint or start_solution(problem) or ()
        self.start = start or sorted(hint, key=self.value_of, reverse=True)
        for known in (hint, self.start):
            if len(known) == problem.n_sets:
                self.improve(known)

    def run(self) -> None:
        """Search until the best solution is proved; `best` is None afterwards if there is none.

        Raises
        ------
        OutOfTimeError, TooManySetsError
        """
        problem = self.problem
        if excluded_by_counting(problem):
            return
        if problem.n_sets == 1 or problem.max_shared == problem.k:
            self._repeat_best()
        elif problem.aggregate == "min":
            self._maximise_worst()
        else:
            self._maximise_sum()

    def packed(self) -> BackendAnswer:
        """Return what `run` proves."""
        return self.answer(self.run, "packing")

    def value_of(self, members: FeatureSet) -> int:
        return self.pool.value_of(members)

    def _pools(self, least: int | None) -> Iterator[tuple[ShortInts, Ints, int]]:
        return falling(self.pool, least, self.control.check_time)

    def _repeat_best(self) -> None:
        factor = self.problem.n_sets if self.problem.aggregate == "sum" else 1
        for sets, values, threshold in self._pools(None):
            if len(sets):
                value = int(values[0]) * factor
                self.improve([tuple(sets[0].tolist())] * self.problem.n_sets, value)
                self.tighten(value)
                return
            self.tighten((threshold - 1) * factor)

    def _maximise_worst(self) -> None:
        """Try one set after the other as the worst, best first.

        The other sets of a solution are at least as good as the worst one, so each set is at most what they
        then leave of the largest possible sum. Where that sum is little more than n_sets times the worst, few
        sets are left. Where it takes long, and no such sum is known or nothing may be shared,
        `FewestSets` finds how many of the best sets are too few for a solution, and begins again by other
        prices where that takes long, too.
        """
        problem, done = self.problem, 0
        counting = Counting.of_qualities(problem)
        is_sum = objective_of(problem).is_sum
        highest = highest_sum(problem, problem.n_sets) if is_sum else None
        if highest is None:
            highest = NO_LIMIT
        else:
            self.tighten(highest // problem.n_sets)
        fewest = FewestSets(self)
        for sets, values, threshold in self._pools(self.wanted):
            pool = SortedPool.of(sets, values, counting, problem.quality)
            short, work = SHORT_WORK if problem.max_shared == 0 or not is_sum else inf, SHORT_WORK
            while done < len(sets):
                if self.value is not None and values[done] <= self.value:
                    self.tighten(int(values[done]))
                    return
                done = self._first_worst(sets, pool, done, highest, short)
                work *= LONGER
                done = fewest.too_few_of(sets, values, done, work)
            self.control.check_time()
            self.tighten(threshold - 1)

    def _first_worst(
        self, sets: ShortInts, pool: SortedPool, first: int, highest: int, most_work: float
    ) -> int:
        """Return the place of the first set, from a place on, that is, or after much work may be, worst."""
        descent, work = Descent.of(pool, self.problem.n_sets, first=first), 0
        while work < most_work and not search_best_worst(pool, descent, highest, WORK_AT_ONCE):
            self.control.check_time()
            work += WORK_AT_ONCE
        place = int(descent.state[FIRST])
        if descent.is_complete:
            self.improve([tuple(sets[i].tolist()) for i in descent.chosen], int(pool.values[place]))
        return place

    def _maximise_sum(self) -> None:
        """Find the best sums of 2, 3, … sets, each with the help of those before it.

        A member of an optimum of l sets has at least the optimum of l minus the optimum of l − 1.
        """
        n_sets = self.problem.n_sets
        best_sums = np.zeros(n_sets + 1, dtype=np.int64)
        for count in range(1, n_sets + 1):
            value = self.value
            if count < n_sets:
                known = len(self.start) >= count
                value = int(problem_values.values(self.problem, self.start[:count]).sum()) if known else None
            optimum = self._best_sum(best_sums[:count], value)
            if optimum is None:
                return
            best_sums[count] = optimum
            # all groups of `count` among the n sets: each set is in as many of them as any other
            self.tighten(optimum * n_sets // count)

    def _best_sum(self, fewer: Ints, known: int | None) -> int | None:
        """Return the largest sum of one compatible set more, or None if that is not possible.

        Parameters
        ----------
        fewer : array of int
            The largest sums of 0, 1, … sets up to one less.
        known : int or None
            The sum of some sets.
        """
        value, one_less = known, int(fewer[-1])
        for sets, values, threshold in self._pools(None if value is None else value + 1 - one_less):
            value = self._search_pool(sets, values, fewer, value)
            if value is not None and threshold <= value + 1 - one_less:
                break
        return value

    def _search_pool(self, sets: ShortInts, values: Ints, fewer: Ints, known: int | None) -> int | None:
        """Return the largest sum of sets of a pool if it is more than known; solutions of all are kept."""
        count, best = len(fewer), known
        counting = Counting.of_qualities(self.problem.replace(n_sets=count))
        pool = SortedPool.of(sets, values, counting, self.problem.quality)
        descent = Descent.of(pool, count, best=-NO_LIMIT if best is None else best)
        descent.best_sums[:] = fewer

        def take(found: list[FeatureSet], reached: int) -> None:
            nonlocal best
            best = reached
            if count == self.problem.n_sets:
                self.improve(found, reached)

        search_pool(sets, pool, descent, self.control.check_time, take)
        return best
