"""The search by prices and enumeration: the best sum, the best minimum, and the whole, with pauses."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import NDArray

from pyfsel.algorithms.columns.allowed import FoundSets, ListedSets
from pyfsel.algorithms.columns.improve import LEVEL, best_beside, best_listed, completed, levelled, sum_of
from pyfsel.algorithms.columns.relaxation import Prices, relaxed_prices
from pyfsel.algorithms.columns.state import (
    GROWTH,
    HEURISTIC_NODES,
    PARTS_OF_GAP,
    PRECISION,
    SearchState,
    Steps,
)
from pyfsel.algorithms.columns.tree import ListTask
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.control import OutOfTimeError

LARGEST_TOTAL = 2**50
"""Times the overlaps of all pairs of sets: a price of overlap times these, within 64 bits."""


def enumerate_sets(state: SearchState, pause: Callable[[], bool] = lambda: False) -> None:
    """Search until the best solution is proved; `state.best` is None afterwards if there is none.

    Parameters
    ----------
    state : SearchState
        Relaxed.
    pause : callable
        When it returns True, the search ends as if out of time, and goes on from there if called again.

    Raises
    ------
    OutOfTimeError, TooManySetsError
    """
    if pause():
        raise OutOfTimeError
    steps, state.steps = state.steps or _all_steps(state), None
    for _ in steps:
        if state.control.expired() or pause():
            state.steps = steps
            raise OutOfTimeError


def _all_steps(state: SearchState) -> Steps[None]:
    problem = state.problem
    best_one = best_beside(state.sets, ())
    if best_one is None or state.infeasible:
        return
    state.highest = sum_of(problem, [best_one])
    if problem.n_sets == 1 or problem.max_overlap == problem.set_size:
        state.improve([best_one] * problem.n_sets)
        state.tighten(problem_values.total(problem, state.best or ()))
    elif problem.aggregate == "min":
        yield from SmallestValueSearch(state).maximise([best_one])
    else:
        yield from LargestSumSearch(state).maximise([best_one])


def is_worth_enumerating(problem: Problem) -> bool:
    """Return whether the sets may overlap so much that few of them matter.

    With little overlap the relaxation is sharp, but there are many sets that are almost as good, each of
    which rules out most of the others; there constraints on features decide more.
    """
    # that the border is at two fifths of a set is by trial
    alone = problem.n_sets == 1 or problem.max_overlap == problem.set_size
    return alone or objective_of(problem).has_pairs or 5 * problem.max_overlap >= 2 * problem.set_size


def too_large(problem: Problem) -> str | None:
    """Return why the numbers of a problem are beyond what the search can compute with, or None."""
    pairs = comb(problem.n_sets, 2) * max(1, problem.max_overlap)
    if problem.largest_total * pairs <= LARGEST_TOTAL:
        return None
    return f"its objective can reach {problem.largest_total}, too much for 64-bit bounds"


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
        at_most: NDArray[np.int64] = sum_of(self.problem, start) * np.arange(n_sets + 1)
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


GOOD_SUMS = 5  # distances to try: the last is 256 times the first
FEW_SETS = 8  # an eighth more sets make a search hardly longer


class SmallestValueSearch:
    """Finds compatible sets with the largest smallest value.

    A relaxation asks how many of the sets that reach a value are compatible; the largest value that enough
    of them reach is found by bisection, and bounds the objective. From there on downwards a search through
    the sets that reach a goal finds a solution, or proves that there is none.
    """

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self.problem = state.problem
        self.sets = state.sets
        self._reaching: tuple[int, ListedSets] | None = None

    def maximise(self, start: list[FeatureSet]) -> Steps[None]:
        """Find the best solution, and prove it; `start` is a first set of it."""
        n_sets = self.problem.n_sets
        prices = self.state.relaxed(n_sets)
        self.state.exchange_sets(start)
        self._take_good_sum(prices)
        highest = self._highest_packed(
            prices.bound // n_sets if self.state.bound is None else self.state.bound
        )
        distance = max(1, (highest - self.state.floor(1)) // PARTS_OF_GAP)
        while (highest := self.state.tighten(highest)) >= self.state.floor(1):
            goal = self.state.next_goal(highest, distance, self.state.floor(1))
            if self._few_between(self.state.floor(1), goal):
                goal = self.state.floor(1)
            if (yield from self._search_worst(goal)):
                highest = self._highest_packed(highest)
                distance = max(1, (highest - self.state.floor(1)) // PARTS_OF_GAP)
            else:
                highest = goal - 1
                distance *= GROWTH
        if self.state.value is not None:
            self.state.tighten(self.state.value)

    def _take_good_sum(self, prices: Prices) -> None:
        """Take sets of a relaxation with nearly the best sum, a good start for the smallest value too."""
        sums = self.problem.replace(aggregate="sum")
        distance = self.state.first_distance(sums.n_sets)
        for _ in range(GOOD_SUMS):
            goal = prices.bound + 1 - distance
            columns = ListedSets.some_of(self.sets, prices.columns)
            found = best_listed(sums, columns, prices, sums.n_sets, goal, HEURISTIC_NODES)
            self.state.control.check_time()
            if found is not None:
                self.state.improve(found)
                return
            distance *= GROWTH**2

    def _highest_packed(self, highest: int) -> int:
        """Return a bound on the smallest value: the relaxation shows that too few sets reach more than it.

        Then solutions are made of the sets of the last relaxation.
        """
        distance = self.state.first_distance(1)
        if self.state.value is not None:
            distance = max(1, min(distance, (highest - self.state.value) // PARTS_OF_GAP))
        packed = 0
        while (highest := self.state.tighten(highest)) >= self.state.floor(1):
            goal = max(self.state.floor(1), highest + 1 - distance)
            relaxation = self._packed(goal, decide=True)
            if relaxation is not None:
                packed = goal
                break
            highest = goal - 1
            distance *= GROWTH
        else:
            return highest
        while highest - packed > (highest - self.state.floor(1)) // PRECISION:
            middle = (packed + highest + 1) // 2
            finer = self._packed(middle, decide=True)
            if finer is None:
                highest = middle - 1
                self.state.tighten(highest)
            else:
                packed, relaxation = middle, finer
        self.state.exchange_among(*relaxation)
        return highest

    def _packed(self, goal: int, *, decide: bool) -> tuple[ListedSets, Prices] | None:
        """Return the sets that reach the goal, and prices; None if they are too few by the relaxation."""
        n_sets = self.problem.n_sets
        listed = self._reaching is not None and self._reaching[0] <= goal
        source = self._reaching[1] if self._reaching is not None and listed else self.sets
        most = self.state.highest_sum - (n_sets - 1) * goal
        among = self.state.heavy_sets(self.state.relaxed(n_sets), n_sets * goal, goal, source, most)
        if len(among.members) < n_sets:
            return None
        sets = ListedSets.some_of(self.sets, among)
        if not listed:
            self._reaching = goal, sets
        enough = n_sets * LEVEL
        prices = relaxed_prices(
            levelled(sets),
            n_sets,
            self.state.control.expired,
            any_number=True,
            decide=enough if decide else None,
        )
        self.state.control.check_time()
        return None if prices is None or prices.bound < enough else (sets, prices)

    def _few_between(self, floor: int, goal: int) -> bool:
        """Return whether hardly more sets reach the floor than the goal, so that one search is as long."""
        if self._reaching is None or self._reaching[0] > floor:
            return False
        values = self._reaching[1].weights(self.sets.quality)
        return FEW_SETS * int((values >= floor).sum()) <= (FEW_SETS + 1) * int((values >= goal).sum())

    def _search_worst(self, goal: int) -> Steps[bool]:
        """Find a solution that reaches the goal, if there is one."""
        packed = self._packed(goal, decide=False)
        if packed is None:
            return False
        sets, prices = packed
        values = sets.weights(sets.quality)
        even = levelled(sets)
        among = FoundSets(even.members, even.rests)
        task = ListTask.of(self.problem.n_sets, even, among, values, None, prices.subsets)
        found = yield from self.state.search_through(task, prices, goal, any_solution=True)
        return found is not None
