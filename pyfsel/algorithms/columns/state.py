"""What a search by prices and enumeration knows, and the steps it is made of."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

import numpy as np

from pyfsel.algorithms.columns.allowed import HIGH, AllowedSets, FoundSets, ListedSets, Wanted
from pyfsel.algorithms.columns.improve import as_tuple, best_listed, completed, exchanged
from pyfsel.algorithms.columns.pairwise import PairwiseSets
from pyfsel.algorithms.columns.relaxation import Prices, relaxed_prices
from pyfsel.algorithms.columns.tree import ANY_NUMBER, GOAL, MOST_WORK, ListTask, ListTree, search_list
from pyfsel.algorithms.incumbent import Incumbent
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.reductions.interchange import prefix_limits
from pyfsel.results.control import Control, TooManySetsError

LARGEST_LIST = 3_000_000  # sets of ten features: 120 MB, which the search multiplies by the number of sets
HEURISTIC_NODES = 2000  # of a search among the columns of the relaxation, which proves nothing
# How far below the bound a solution is looked for. Any distances lead to the optimum: short ones list few
# sets, but may have to be doubled often.
PARTS_OF_GAP = 8  # at first an eighth of the way from the bound to a known solution
PRECISION = 64  # without one, a part of what the sets hinder each other by
STEPS = 1024  # and at least this part of the order of magnitude of a set
GROWTH = 2

T = TypeVar("T")
Steps = Generator[None, None, T]


class SearchState(Incumbent):
    """The best solution and the bound so far (`Incumbent`), the prices, and what is done with them.

    `relax`, which comes first, bounds the objective; `pyfsel.algorithms.columns.search.enumerate_sets` then
    finds and proves the optimum.

    Parameters
    ----------
    problem : Problem
    control : Control

    Attributes
    ----------
    sets : AllowedSets
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
        super().__init__(problem, control)
        self.sets = allowed_sets(problem, control.expired)
        self.highest_sum = HIGH
        self.infeasible = False
        self.prices: Prices | None = None
        self.highest = self.sets.lowest
        self._settled: tuple[FeatureSet, ...] | None = None
        self.steps: Steps[None] | None = None
        self.statistics = {"sets": 0, "rounds": 0}
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

    def value_of(self, members: FeatureSet) -> int:
        return self.sets.value_of(members)

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
        if isinstance(self.sets, PairwiseSets):
            return ListedSets.some_of(self.sets, prices.columns)
        return self.sets

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
        problem, columns = self.problem, ListedSets.some_of(self.sets, prices.columns)
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
        """Return the least value of a solution of so many sets, or of its worst set, that is of interest."""
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
        # the other sets weigh at most `heaviest` each, so that one set can lose all of the gap, and no more
        threshold = prices.heaviest - (prices.bound - wanted)
        source = self.sets if source is None else source
        wanted_sets = Wanted(prices.weight, threshold, prices.subsets, least, most)
        among = source.heavy(wanted_sets, LARGEST_LIST)
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
