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
from pyfsel.algorithms.packing.cliques import Counting, Descent, SortedPool, search_pool
from pyfsel.algorithms.packing.pool import excluded_by_counting
from pyfsel.algorithms.packing.relaxation import FeaturePrices, relax
from pyfsel.core.arrays import Ints
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Control, OutOfTimeError

LARGEST_LIST = 1_000_000  # sets of ten features: 80 MB
MOST_NEAR_HEAVIEST = 200  # sets that the linear program gets with a heaviest one
STARTS = 10  # of the local search before each heaviest set
HEURISTIC_WORK = 4_000_000  # of a search among the sets of the linear program, which proves nothing
PARTS_OF_GAP = 64  # the first list reaches this part of the way from the bound to the best solution
PARTS_OF_BOUND = 20  # without a solution, it is taken to be this part of the bound below it


class Root(NamedTuple):
    """The best bound of the linear programs: no set weighs more than `heaviest` under these prices."""

    prices: FeaturePrices
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
        self.unit = max(1, self.instance.largest_total // problem.k)
        self.known: dict[FeatureSet, int] = {}
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
        if problem.max_shared == problem.k:  # all of them may be the same set
            best = self._heaviest(self._no_prices)
            if best is not None:
                self.improve([best[0]] * problem.n_sets)
            return
        root = self._root()
        if root is not None and (self.value is None or self.value < root.bound):
            self._search_below(root)

    @property
    def _no_prices(self) -> FeaturePrices:
        return FeaturePrices(np.zeros_like(self.instance.linear), 0)

    def _add(self, sets: Sequence[FeatureSet]) -> None:
        """Add sets to the linear program."""
        new = [tuple(sorted(map(int, members))) for members in sets]
        new = [members for members in new if members not in self.known]
        if new:
            values = self.instance.values(np.array(new, dtype=np.int64))
            self.known.update(zip(new, values.tolist(), strict=True))

    def _priced(self, prices: FeaturePrices) -> PairInstance:
        return replace(self.instance, linear=self.instance.linear - prices.features)

    def _root(self) -> Root | None:
        """Generate sets until the linear program is solved; return its best bound, None if no set exists."""
        best: Root | None = None
        while True:
            prices, level = self._no_prices, None
            if self.known:
                prices, level = relax(self.problem, [*self.known], [*self.known.values()], self.unit)
            self.statistics["rounds"] += 1
            found = self._heaviest(prices)
            if found is None:
                return None
            features, heaviest = found
            bound = self.problem.n_sets * heaviest + prices.brought_in(self.problem)
            if best is None or bound < best.bound:
                best = Root(prices, heaviest, bound)
                self.tighten(bound)
            solved = self.value is not None and self.value >= best.bound
            if solved or features in self.known or (level is not None and heaviest <= level + 1):
                break
            self._add([features, *self._nearly(prices, heaviest, level)])
        self._search_known(best)
        return best

    def _heaviest(self, prices: FeaturePrices) -> tuple[FeatureSet, int] | None:
        start = Start(self.control.limits.random_state, n_random=STARTS)
        found = best_set(self._priced(prices), start, expired=self.control.expired)
        if not found.finished:
            raise OutOfTimeError
        if found.features is None or found.value is None:
            return None
        return found.features, found.value

    def _nearly(self, prices: FeaturePrices, heaviest: int, level: int | None) -> list[FeatureSet]:
        """Return sets that are nearly as heavy as the heaviest one, and improve the linear program too."""
        half_way = heaviest if level is None else (heaviest + level) // 2
        near = enumerate_instance(self._priced(prices), half_way, MOST_NEAR_HEAVIEST, self.control.expired)
        return [tuple(members) for members in near.sets.tolist()]

    def _search_known(self, root: Root) -> None:
        """Improve the solution by the sets of the linear program."""
        sets, values = np.array([*self.known], np.int64), np.array([*self.known.values()], np.int64)
        self._search(sets, values, root, self._floor(), HEURISTIC_WORK)

    def _search_below(self, root: Root) -> None:
        """List the sets that solutions near the bound can have, and search them, from the bound downwards."""
        expected = root.bound - abs(root.bound) // PARTS_OF_BOUND if self.value is None else self.value
        distance = max(1, (root.bound - expected) // PARTS_OF_GAP)
        while True:
            floor = self._floor()
            goal = max(floor, root.bound + 1 - distance)
            least = root.heaviest - (root.bound - goal)
            sets, _ = all_from(self._priced(root.prices), least, LARGEST_LIST, self.control)
            self.statistics["sets"] = len(sets)
            self._search(sets, self.instance.values(sets), root, goal)
            if self.value is not None and self.value >= goal:
                self.tighten(self.value)
                return
            self.tighten(goal - 1)
            if goal == floor:
                return
            distance *= 2

    def _floor(self) -> int:
        """Return the least sum that is of interest."""
        return -self.problem.n_sets * self.instance.largest_total if self.value is None else self.value + 1

    def _search(self, sets: Ints, values: Ints, root: Root, goal: int, most_work: float = inf) -> None:
        """Look for the best compatible ones of some sets, whose sum is at least the goal."""
        problem, prices = self.problem, root.prices.features
        weights = values - prices[sets].sum(axis=1)
        order = np.argsort(-weights, kind="stable")
        sets, values, weights = sets[order], values[order], weights[order]
        counting = Counting.of(problem, prices, problem.n_sets, root.prices.overlap)
        pool = SortedPool.of(sets, values, counting, prices, weights)

        def take(places: Ints, total: int) -> None:
            self.improve(list(map(tuple, sets[places].tolist())), total)

        descent = Descent.of(pool, problem.n_sets, best=goal - 1)
        descent.rest[0] = root.prices.brought_in(problem)
        search_pool(pool, descent, self.control.check_time, take, most_work)
