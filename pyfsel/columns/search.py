"""The search for compatible sets of the best sum, or the best minimum, by prices and enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from pyfsel import objectives
from pyfsel.backends.base import Control
from pyfsel.columns.allowed_sets import LOW, AllowedSets, FoundSets, allowed_sets
from pyfsel.columns.improve import (
    LEVEL,
    as_tuple,
    best_beside,
    best_listed,
    completed,
    exchanged,
    levelled,
    sum_of,
)
from pyfsel.columns.listed_sets import ListedSets
from pyfsel.columns.node import Task, make_task, root_node
from pyfsel.columns.pairwise_sets import PairwiseSets
from pyfsel.columns.relaxation import Prices, relaxed_prices
from pyfsel.columns.tree import go_on
from pyfsel.objectives import FeatureSet, Mrmr
from pyfsel.packing.pool import TooManySetsError
from pyfsel.packing.search import OutOfTimeError
from pyfsel.problem import Problem
from pyfsel.reductions.interchange import prefix_limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_LIST = 3_000_000
LARGEST_TOTAL = 2**40
NODES_AT_A_TIME = 500
HEURISTIC_NODES = 2000
PARTS_OF_GAP = 8
PRECISION = 64
GOOD_SUMS = 5
STEPS = 1024
GROWTH = 2


class ColumnsSearch:
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
    infeasible : bool
        Whether `relax` proved that there is no solution.
    statistics : dict
        Numbers of sets enumerated last, and in how many rounds.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.sets = allowed_sets(problem, control.expired)
        self.best: tuple[FeatureSet, ...] | None = None
        self.value: int | None = None
        self.bound: int | None = None
        self.infeasible = False
        self._prices: Prices | None = None
        self._highest = self.sets.lowest
        self._reaching: tuple[int, ListedSets] | None = None
        self.statistics: dict[str, int] = {"sets": 0, "rounds": 0}
        if control.hint is not None:
            self._improve(control.hint)

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
        self._check_time()
        if n_sets == 1:
            return
        self._prices = relaxed_prices(self.sets, n_sets, self.control.expired)
        if self._prices is None or limit < n_sets * problem.set_size:
            self.infeasible = True
            return
        self.infeasible = self._prices.bound < n_sets * self.sets.lowest
        if not self.infeasible:
            self._tighten(self._prices.bound // (n_sets if problem.aggregate == "min" else 1))

    @property
    def highest_sum(self) -> int | None:
        """The bound of the relaxation on the sum of the values of all sets, once there is one."""
        return None if self._prices is None else self._prices.bound

    def enumerate_sets(self) -> None:
        """Search until the best solution is proved; `best` is None afterwards if there is none.

        Raises
        ------
        OutOfTimeError, TooManySetsError
        """
        problem = self.problem
        best_one = best_beside(self.sets, ())
        if best_one is None or self.infeasible:
            return
        self._highest = sum_of(self.problem, [best_one])
        if problem.n_sets == 1 or problem.max_overlap == problem.set_size:
            self._improve([best_one] * problem.n_sets)
            self._tighten(objectives.total(problem, self.best or ()))
        elif problem.aggregate == "min":
            self._maximise_worst([best_one])
        else:
            self._maximise_sum([best_one])

    def _improve(self, sets: Sequence[FeatureSet]) -> None:
        value = objectives.total(self.problem, sets)
        if self.value is None or value > self.value:
            self.best, self.value = tuple(sets), value
            self.control.report_sets(self.best)

    def _tighten(self, bound: int) -> None:
        if self.value is not None:
            bound = max(bound, self.value)
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.control.report_bound(bound)

    def _check_time(self) -> None:
        if self.control.expired():
            raise OutOfTimeError

    def _relaxed(self, count: int) -> Prices:
        """Return the prices for so many sets, of which one is known to be allowed."""
        self._check_time()
        if count == self.problem.n_sets and self._prices is not None:
            return self._prices
        prices = relaxed_prices(self.sets, count, self.control.expired)
        assert prices is not None
        return prices

    def _maximise_worst(self, start: list[FeatureSet]) -> None:
        n_sets = self.problem.n_sets
        prices = self._relaxed(n_sets)
        first = completed(self.problem, self._quickly_searched(prices), start, n_sets)
        if first is not None:
            self._improve(first)
        self._take_good_sum(prices)
        highest = self._highest_packed(prices.bound // n_sets)
        distance = max(1, (highest - self._floor(1)) // PARTS_OF_GAP)
        while highest >= self._floor(1):
            self._tighten(highest)
            goal = max(self._floor(1), highest + 1 - distance)
            if self._search_worst(goal):
                highest = self._highest_packed(highest)
                distance = max(1, (highest - self._floor(1)) // PARTS_OF_GAP)
            else:
                highest = goal - 1
                distance *= GROWTH
        if self.value is not None:
            self._tighten(self.value)

    def _take_good_sum(self, prices: Prices) -> None:
        """Take sets of a relaxation with nearly the best sum, a good start for the smallest value too."""
        sums = self.problem.replace(aggregate="sum")
        distance = self._first_distance(sums.n_sets)
        for _ in range(GOOD_SUMS):
            goal = prices.bound + 1 - distance
            found = best_listed(
                sums, self._listed(prices.columns), prices, sums.n_sets, goal, HEURISTIC_NODES
            )
            self._check_time()
            if found is not None:
                self._improve(found)
                return
            distance *= GROWTH**2

    def _highest_packed(self, highest: int) -> int:
        """Return a bound on the smallest value: more the relaxation shows that too few sets reach.

        On the way, solutions are made of the sets of the last relaxation.
        """
        distance = self._first_distance(1)
        packed = 0
        while highest >= self._floor(1):
            self._tighten(highest)
            goal = max(self._floor(1), highest + 1 - distance)
            relaxation = self._packed(goal, decide=True)
            if relaxation is not None:
                packed = goal
                break
            highest = goal - 1
            distance *= GROWTH
        else:
            return highest
        while highest - packed > (highest - self._floor(1)) // PRECISION:
            middle = (packed + highest + 1) // 2
            finer = self._packed(middle, decide=True)
            if finer is None:
                highest = middle - 1
                self._tighten(highest)
            else:
                packed, relaxation = middle, finer
        self._exchange(*relaxation)
        return highest

    def _packed(self, goal: int, *, decide: bool) -> tuple[ListedSets, Prices] | None:
        """Return the sets that reach the goal, and prices; None if they are too few by the relaxation."""
        n_sets = self.problem.n_sets
        listed = self._reaching is not None and self._reaching[0] <= goal
        source = self._reaching[1] if self._reaching is not None and listed else self.sets
        among = self._heavy(self._relaxed(n_sets), n_sets * goal, goal, source)
        if len(among.members) < n_sets:
            return None
        sets = self._listed(among)
        if not listed:
            self._reaching = goal, sets
        enough = n_sets * LEVEL
        prices = relaxed_prices(
            levelled(sets), n_sets, self.control.expired, any_number=True, decide=enough if decide else None
        )
        self._check_time()
        return None if prices is None or prices.bound < enough else (sets, prices)

    def _search_worst(self, goal: int) -> bool:
        """Find a solution that reaches the goal, if there is one."""
        packed = self._packed(goal, decide=False)
        if packed is None:
            return False
        sets, prices = packed
        values = sets.weights(sets.quality)
        even = levelled(sets)
        among = FoundSets(even.members, even.rests)
        task = make_task(
            self.problem.n_sets, even, among, values, np.empty(0, np.int64), prices.pair_price, LEVEL
        )
        return self._through(task, prices, goal, any_solution=True) is not None

    def _quickly_searched(self, prices: Prices) -> AllowedSets:
        """Return all sets, or those of a relaxation where a search through all takes long."""
        return self._listed(prices.columns) if isinstance(self.sets, PairwiseSets) else self.sets

    def _listed_or(self, prices: Prices) -> ListedSets:
        """Return all sets if they are listed, else those of a relaxation."""
        return self.sets if isinstance(self.sets, ListedSets) else self._listed(prices.columns)

    def _listed(self, among: FoundSets) -> ListedSets:
        return ListedSets(
            max_overlap=self.sets.max_overlap,
            quality=self.sets.quality,
            unit=self.sets.unit,
            lowest=self.sets.lowest,
            members=among.members,
            rests=among.rests,
        )

    def _exchange(self, sets: ListedSets, prices: Prices) -> None:
        """Improve the best solution by sets of the relaxation, then by exchanges of listed ones."""
        problem, columns = self.problem, self._listed(prices.columns)
        if problem.aggregate == "min":
            worth = objectives.values(problem, columns.members.astype(np.intp))
            columns = columns._replace(rests=worth - columns.quality[columns.members].sum(axis=1))
        found = best_listed(
            problem,
            columns,
            prices,
            problem.n_sets,
            self._floor(problem.n_sets if problem.aggregate == "sum" else 1),
            HEURISTIC_NODES,
        )
        if found is not None:
            self._improve(found)
        self._check_time()
        if self.best is not None:
            self._improve(exchanged(problem, sets, prices, self.best, self.control.expired))
        self._check_time()

    def _first_distance(self, count: int) -> int:
        """Return how far below the bound so many sets are looked for at first.

        The bound is as far below what the best set alone promises as the sets hinder each other.
        """
        bound = self._relaxed(count if count > 1 else self.problem.n_sets).bound
        if count == 1:
            bound //= self.problem.n_sets
        return max(1, count * self.sets.unit // STEPS, (count * self._highest - bound) // PRECISION)

    def _floor(self, count: int) -> int:
        """Return what a solution is worth at least that is of interest, for so many sets or the worst one."""
        return count * self.sets.lowest if self.value is None else self.value + 1

    def _maximise_sum(self, start: list[FeatureSet]) -> None:
        n_sets = self.problem.n_sets
        at_most = np.full(n_sets + 1, -LOW)
        at_most[:] = sum_of(self.problem, start) * np.arange(n_sets + 1)
        sets = start
        counts = range(2, n_sets + 1)
        for count in counts[-1:] if self.problem.objective == Mrmr.name else counts:
            best = self._best_sum(count, sets, at_most)
            if best is None:
                return
            sets = best
            at_most[count] = sum_of(self.problem, sets)
            self._tighten(int(at_most[count]) * n_sets // count)

    def _best_sum(
        self, count: int, fewer: list[FeatureSet], at_most: NDArray[np.int64]
    ) -> list[FeatureSet] | None:
        """Return so many compatible sets with the largest sum, or None if there are none."""
        last = count == self.problem.n_sets
        prices = self._relaxed(count)
        sets = completed(self.problem, self._quickly_searched(prices), fewer, count)
        if last and sets is not None:
            self._improve(sets)
        if last and self.best is not None:
            sets = list(self.best)
        highest = min(prices.bound, *(int(at_most[i] + at_most[count - i]) for i in range(1, count)))
        distance = self._first_distance(count)
        if last:
            self._exchange(self._listed_or(prices), prices)
            if self.best is not None:
                sets = list(self.best)
                distance = max(1, (highest - sum_of(self.problem, sets)) // PARTS_OF_GAP)
        floor = count * self.sets.lowest if sets is None else sum_of(self.problem, sets) + 1
        while highest >= floor:
            if last:
                self._tighten(highest)
            goal = max(floor, highest + 1 - distance)
            found = self._search(prices, goal, count, at_most)
            if found is not None:
                return found
            highest = goal - 1
            distance *= GROWTH
        return sets

    def _search(
        self, prices: Prices, goal: int, count: int, at_most: NDArray[np.int64]
    ) -> list[FeatureSet] | None:
        """Return the best sum of the solutions that reach the goal, or None if none does."""
        among = self._heavy(prices, goal, goal - int(at_most[count - 1]))
        if len(among.members) < count:
            return None
        values = objectives.values(self.problem, among.members.astype(np.intp))
        task = make_task(count, self.sets, among, values, at_most, prices.pair_price)
        return self._through(task, prices, goal)

    def _through(
        self, task: Task, prices: Prices, goal: int, *, any_solution: bool = False
    ) -> list[FeatureSet] | None:
        """Return the best solution of a task that reaches the goal, or any one, or None if none does."""
        self.statistics["rounds"] += 1
        node = root_node(task, prices, goal)
        done = False
        reached = goal
        while not done:
            done = go_on(task, node, NODES_AT_A_TIME)
            if node.goal[0] > reached:
                reached = int(node.goal[0])
                if task.n_sets == self.problem.n_sets:
                    self._improve([as_tuple(task.members[i]) for i in node.found])
                done = done or any_solution
            if not done:
                self._check_time()
        return None if reached == goal else [as_tuple(task.members[i]) for i in node.found]

    def _heavy(self, prices: Prices, wanted: int, least: int, source: AllowedSets | None = None) -> FoundSets:
        """Return the sets of at least this value that can be part of a solution with the wanted sum."""
        threshold = prices.heaviest - (prices.bound - wanted)
        source = self.sets if source is None else source
        among = source.heavy(prices.weight, threshold, least, LARGEST_LIST, prices.pair_price)
        self._check_time()
        if len(among.members) > LARGEST_LIST:
            raise TooManySetsError
        self.statistics["sets"] = len(among.members)
        return among


def is_worth_enumerating(problem: Problem) -> bool:
    """Return whether the sets may overlap so much that few of them matter.

    With little overlap the relaxation is sharp, but there are many sets that are almost as good, each of
    which rules out most of the others; there constraints on features decide more.
    """
    alone = problem.n_sets == 1 or problem.max_overlap == problem.set_size
    return alone or problem.objective == Mrmr.name or 5 * problem.max_overlap >= 2 * problem.set_size


def too_large(problem: Problem) -> str | None:
    """Return why the numbers of a problem are beyond what the search can compute with, or None."""
    pairs = comb(problem.n_sets, 2) * max(1, problem.max_overlap)
    if problem.largest_total * pairs <= LARGEST_TOTAL * 2**10:
        return None
    return f"its objective can reach {problem.largest_total}, too much for 64-bit bounds"
