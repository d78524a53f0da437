"""The search: prices until no set improves the linear program, then lists of heavy sets below the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.algorithms.ksubgraph.all_heavy import all_from, best_set, enumerate_instance
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.packing.cliques import priced, search_pool
from pyfsel.algorithms.packing.pool import excluded_by_counting
from pyfsel.algorithms.packing.relaxation import Prices, Relaxation
from pyfsel.core.arrays import Ints
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Control, OutOfTimeError

LARGEST_LIST = 1_000_000  # sets of ten features: 80 MB
MOST_NEAR_HEAVIEST = 200  # sets that the linear program gets with a heaviest one
STARTS = 10  # of the local search before each heaviest set
HEURISTIC_WORK = 4_000_000  # of a search among the sets of the linear program, which proves nothing
PARTS_OF_GAP = 64  # the first list reaches this part of the way from the bound to the best solution
PARTS_OF_BOUND = 20  # but if that is far below the bound, of this part of the bound


class Root(NamedTuple):
    """The best bound of the linear programs: no set weighs more than `heaviest` under these prices."""

    prices: Prices
    heaviest: int
    bound: int


class PricesSearch(IncumbentSearch):
    """Finds compatible sets with the largest sum of a pairwise objective, and proves it.

    Parameters
    ----------
    problem : Instance
        With a pairwise objective, sets of one size, and the sum as aggregate.
    control : Control
    """

    def __init__(self, problem: Instance, control: Control) -> None:
        super().__init__(problem, control)
        self.instance = PairInstance.of_problem(problem)
        self.relaxation = Relaxation(problem, problem.n_sets)
        self.known: dict[FeatureSet, None] = {}
        self.statistics = {"sets": 0, "rounds": 0}

    def value_of(self, members: FeatureSet) -> int:
        return int(self.instance.values(np.array([members], dtype=np.int64))[0])

    def run(self) -> None:
        """Search until the best solution is proved; `best` is None afterwards if there is none.

        Raises
        ------
        OutOfTimeError, TooManySetsError
        """
        problem = self.problem
        if excluded_by_counting(problem):
            return
        if self.control.hint is not None:
            self.improve(self.control.hint)
            self._add(self.control.hint)
        may_be_same = problem.max_shared == problem.k
        if may_be_same or not self.known:
            heaviest, _ = self._heaviest(self.instance)
            if heaviest is None:
                return
            self._add([heaviest])
            if may_be_same:
                self.improve([heaviest] * problem.n_sets)
                return
        root = self._root()
        if self._floor <= root.bound:
            self._search_below(root)

    def _add(self, sets: Sequence[FeatureSet] | Ints) -> None:
        """Add sets to the linear program."""
        self.known |= dict.fromkeys(map(tuple, np.sort(sets, axis=1).tolist()))

    def _priced(self, prices: Prices) -> PairInstance:
        linear, paid = self.instance.linear - prices.features, np.zeros_like(self.instance.pairwise)
        paid.flat[prices.pairs] = prices.of_pairs
        return replace(self.instance, linear=linear, pairwise=self.instance.pairwise + paid + paid.T)

    def _root(self) -> Root:
        """Generate sets until the linear program is solved; return its best bound."""
        best: Root | None = None
        while True:
            sets = np.array([*self.known])
            prices, level = self.relaxation.solve(sets, self.instance.values(sets))
            self.statistics["rounds"] += 1
            instance = self._priced(prices)
            features, heaviest = self._heaviest(instance)
            bound = self.problem.n_sets * heaviest + prices.brought_in()
            if best is None or bound < best.bound:
                best = Root(prices, heaviest, bound)
                self.tighten(bound)
            if self._floor > best.bound or features in self.known or heaviest <= level + 1:
                break
            half_way = (heaviest + level) // 2  # sets that are nearly as heavy improve the program too
            near = enumerate_instance(instance, half_way, MOST_NEAR_HEAVIEST, self.control.expired)
            self._add(np.vstack([near.sets, [features]]))
        self._search(sets, best, self._floor, HEURISTIC_WORK)
        return best

    def _heaviest(self, instance: PairInstance) -> tuple[FeatureSet | None, int]:
        start = Start(self.control.limits.random_state, n_random=STARTS)
        found = best_set(instance, start, expired=self.control.expired)
        if not found.finished:
            raise OutOfTimeError
        return found.features, found.value or 0

    def _search_below(self, root: Root) -> None:
        """List the sets that solutions near the bound can have, and search them, from the bound downwards."""
        distance = max(1, min(root.bound - self._floor, abs(root.bound) // PARTS_OF_BOUND) // PARTS_OF_GAP)
        while True:
            floor = self._floor
            goal = max(floor, root.bound + 1 - distance)
            least = root.heaviest - (root.bound - goal)
            sets, _ = all_from(self._priced(root.prices), least, LARGEST_LIST, self.control)
            self.statistics["sets"] = len(sets)
            self._search(sets, root, goal)
            if goal == floor or self._floor > goal:
                return
            self.tighten(goal - 1)
            distance *= 2

    @property
    def _floor(self) -> int:
        """The least sum that is of interest."""
        return -self.problem.n_sets * self.instance.largest_total if self.value is None else self.value + 1

    def _search(self, sets: Ints, root: Root, goal: int, most_work: float = inf) -> None:
        """Look for the best compatible ones of some sets, whose sum is at least the goal."""
        values = self.instance.values(sets)
        order = np.argsort(root.prices.paid(sets)[0] - values, kind="stable")
        sets = sets[order]
        pool, descent = priced(root.prices, sets, values[order], goal - 1)
        search_pool(sets, pool, descent, self.control.check_time, self.improve, most_work)
