"""The search for compatible sets of the best minimum, by how many sets can reach a value."""

from __future__ import annotations

from pyfsel.algorithms.columns.allowed import FoundSets
from pyfsel.algorithms.columns.improve import LEVEL, best_listed, levelled
from pyfsel.algorithms.columns.listed import ListedSets
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
from pyfsel.problem.objectives import FeatureSet

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
