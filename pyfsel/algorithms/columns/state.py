"""What a search by prices and enumeration knows, and the steps it is made of."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

import numpy as np

from pyfsel.algorithms.columns.allowed import HIGH, AllowedSets, FoundSets
from pyfsel.algorithms.columns.improve import as_tuple, best_listed, completed, exchanged
from pyfsel.algorithms.columns.listed import ListedSets
from pyfsel.algorithms.columns.pairwise import PairwiseSets
from pyfsel.algorithms.columns.relaxation import Prices, relaxed_prices
from pyfsel.algorithms.columns.tree import ANY_NUMBER, GOAL, MOST_WORK, ListTask, ListTree, search_list
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.reductions.interchange import prefix_limits
from pyfsel.results.answer import Stated
from pyfsel.results.control import Control, TooManySetsError

LARGEST_LIST = 3_000_000
HEURISTIC_NODES = 2000
PARTS_OF_GAP = 8
PRECISION = 64
STEPS = 1024
GROWTH = 2

T = TypeVar("T")
Steps = Generator[None, None, T]


class SearchState:
    """The best solution and the bound so far, the prices, and what is done with them.

    `relax`, which comes first, bounds the objective; `pyfsel.algorithms.columns.search.enumerate_sets` then
    finds and proves the optimum.

    Parameters
    ----------
    problem : Problem
    control : Control

    Attributes
    ----------
    sets : AllowedSets
    best : tuple of feature sets or None
        The best solution so far.
    value : int or None
        Its objective.
    bound : int or None
        Upper bound on the objective.
    prices : Prices or None
        After `relax` of several sets.
    highest : int
        Value of the best single set, once that is known.
    highest_sum : int
        After `relax` of several sets: an upper bound on the sum of their values, which may be lowered.
    infeasible : bool
        Whether `relax` proved that there is no solution.
    steps : generator or None
        A search that was paused.
    statistics : dict
        Numbers of sets enumerated last, and in how many rounds.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.sets = allowed_sets(problem, control.expired)
        self.best: tuple[FeatureSet, ...] | None = None
        self.value: int | None = None
        self._own: int | None = None
        self.bound: int | None = None
        self.highest_sum = HIGH
        self.infeasible = False
        self.prices: Prices | None = None
        self.highest = self.sets.lowest
        self._settled: tuple[FeatureSet, ...] | None = None
        self.steps: Steps[None] | None = None
        self.statistics: dict[str, int] = {"sets": 0, "rounds": 0}
        self.control = control
        self.learn(control.hint, control.known_bound)

    def learn(self, sets: tuple[FeatureSet, ...] | None, bound: int | None) -> None:
        """Take what another search has found and proved, where it is better.

        Parameters
        ----------
        sets : tuple of feature sets or None
            A solution.
        bound : int or None
            An upper bound on the objective.
        """
        if sets is not None:
            self.improve(sets)
        if bound is not None:
            self.tighten(bound)

    def relax(self) -> None:
        """Bound the objective by the relaxation, or prove that there is no solution.

        A single set is left to the enumeration, which finds it without.

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
        self.prices = relaxed_prices(self.sets, n_sets, self.control.expired)
        if self.prices is None or limit < n_sets * problem.set_size:
            self.infeasible = True
            return
        self.highest_sum = self.prices.bound
        self.infeasible = self.highest_sum < n_sets * self.sets.lowest
        if not self.infeasible:
            self.tighten(self.highest_sum // (n_sets if problem.aggregate == "min" else 1))

    def improve(self, sets: Sequence[FeatureSet], own: int | None = None) -> None:
        """Take a solution, of which a search may have added up the objective, if it is better."""
        value = values.total(self.problem, sets) if own is None else own
        if self.value is None or value > self.value:
            self.best, self.value = tuple(sets), value
            self._own = own
            self.control.report_sets(self.best)

    def stated(self) -> Stated:
        """Return what the best sets are worth: as added up on the way, or by the allowed sets."""
        if self._own is not None:
            return Stated(self._own)
        found = [self.sets.value_of(members) for members in self.best or ()]
        return Stated(values.aggregate_values(self.problem, found))

    def tighten(self, bound: int) -> int:
        """Take a bound, if it is better, and return the best so far, which is at least the value."""
        if self.value is not None:
            bound = max(bound, self.value)
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.control.report_bound(bound)
        return self.bound

    def relaxed(self, count: int) -> Prices:
        """Return the prices for so many sets, of which one is known to be allowed."""
        self.control.check_time()
        if count == self.problem.n_sets and self.prices is not None:
            return self.prices
        prices = relaxed_prices(self.sets, count, self.control.expired)
        assert prices is not None
        return prices

    def quickly_searched(self, prices: Prices) -> AllowedSets:
        """Return all sets, or those of a relaxation where a search through all takes long."""
        return self.some_of(prices.columns) if isinstance(self.sets, PairwiseSets) else self.sets

    def some_of(self, among: FoundSets) -> ListedSets:
        """Return found sets as the only ones that there are."""
        return ListedSets.some_of(self.sets, among)

    def exchange_sets(self, some: Sequence[FeatureSet] = ()) -> None:
        """Find a good solution: sets one after another beside some, then exchanges of a few at once.

        Raises
        ------
        OutOfTimeError
        """
        prices = self.relaxed(self.problem.n_sets)
        sets = self.quickly_searched(prices)
        found = completed(self.problem, sets, some, self.problem.n_sets)
        if found is not None:
            self.improve(found)
        self.exchange_among(sets, prices)

    def exchange_among(self, sets: AllowedSets, prices: Prices) -> None:
        """Improve the best solution by sets of the relaxation, then by exchanges of any."""
        problem, columns = self.problem, self.some_of(prices.columns)
        if problem.aggregate == "min":
            worth = values.values(problem, columns.members.astype(np.intp))
            columns = columns._replace(rests=worth - columns.quality[columns.members].sum(axis=1))
        found = best_listed(
            problem,
            columns,
            prices,
            problem.n_sets,
            self.floor(problem.n_sets if problem.aggregate == "sum" else 1),
            HEURISTIC_NODES,
        )
        if found is not None:
            self.improve(found)
        self.control.check_time()
        if self.best is not None and not (sets is self.sets and self.best == self._settled):
            self.improve(exchanged(problem, sets, prices, self.best, self.control.expired))
            self._settled = self.best if sets is self.sets else self._settled
        self.control.check_time()

    def first_distance(self, count: int) -> int:
        """Return how far below the bound so many sets are looked for at first.

        The bound is as far below what the best set alone promises as the sets hinder each other.
        """
        bound = self.relaxed(count if count > 1 else self.problem.n_sets).bound
        if count == 1:
            bound //= self.problem.n_sets
        return max(1, count * self.sets.unit // STEPS, (count * self.highest - bound) // PRECISION)

    def floor(self, count: int) -> int:
        """Return what a solution is worth at least that is of interest, for so many sets or the worst one."""
        return count * self.sets.lowest if self.value is None else self.value + 1

    def next_goal(self, highest: int, distance: int, floor: int) -> int:
        """Return what is looked for next; a last step that would be short is taken at once."""
        goal = highest + 1 - distance
        return floor if goal - floor <= distance // GROWTH else goal

    def search_through(
        self, task: ListTask, prices: Prices, goal: int, *, any_solution: bool = False
    ) -> Steps[list[FeatureSet] | None]:
        """Return the best solution of a task that reaches the goal, or any one, or None if none does.

        A solution that another search has found counts as well.
        """
        self.statistics["rounds"] += 1
        tree = ListTree.of(task, prices, goal)
        whole = task.n_sets == self.problem.n_sets
        reached = goal
        found: list[FeatureSet] | None = None
        done = False
        while not done:
            done = search_list(task, tree, ANY_NUMBER, MOST_WORK)
            if tree.state[GOAL] > reached:
                reached = int(tree.state[GOAL])
                found = [as_tuple(task.members[i]) for i in tree.found]
                if whole:
                    self.improve(found, reached - 1)
                done = done or any_solution
            if not done:
                yield
            if whole and self.best is not None and self.floor(task.n_sets) > reached:
                reached = tree.state[GOAL] = self.floor(task.n_sets)
                found = list(self.best)
                done = done or any_solution
        return found

    def heavy_sets(
        self, prices: Prices, wanted: int, least: int, source: AllowedSets | None = None, most: int = HIGH
    ) -> FoundSets:
        """Return the sets of such a value that can be part of a solution with the wanted sum."""
        threshold = prices.heaviest - (prices.bound - wanted)
        source = self.sets if source is None else source
        among = source.heavy(prices.weight, threshold, least, LARGEST_LIST, prices.subsets, most)
        self.control.check_time()
        if len(among.members) > LARGEST_LIST:
            raise TooManySetsError
        self.statistics["sets"] = len(among.members)
        return among


def allowed_sets(problem: Problem, expired: Callable[[], bool]) -> AllowedSets:
    """Return the sets of a problem; a search through them ends with `OutOfTimeError` when time is up."""
    from pyfsel.algorithms.columns.pairwise import pairwise_sets
    from pyfsel.algorithms.columns.single import single_sets

    sets = pairwise_sets if objective_of(problem).has_pairs else single_sets
    return sets(problem, expired)
