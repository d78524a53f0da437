"""How many of the best listed sets are too few for compatible ones: by searches, and by prices."""

from __future__ import annotations

from math import inf

import numpy as np

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.algorithms.packing.cliques import WORK_AT_ONCE, Descent, SortedPool, search_compatible
from pyfsel.algorithms.packing.relaxation import Relaxation
from pyfsel.core.arrays import Ints, ShortInts

LITTLE_WORK = 20_000_000  # looks at a set in a search that may be given up
HEURISTIC_WORK = 200_000_000  # in one among the sets of the linear programs, which often have a solution
UNIT = 1_000_000  # what each set is worth to the linear program
FEW = 200  # sets that it gets at a time


class FewestSets:
    """Finds how many of the best sets are too few for a solution, of lists that grow at the end.

    A search among the first sets decides that, or is given up; then the linear program may show that they are
    too few, or its own sets may have a solution. In the program each set is worth the same. By prices of
    features no set weighs more than h and compatible ones bring in at most R (see `FeaturePrices`); so if
    ``n_sets·h + R`` is less than n_sets sets are worth, n_sets compatible ones do not exist.

    Parameters
    ----------
    search : IncumbentSearch
        Gets the solutions.

    Attributes
    ----------
    known : array of int
        Places of the sets of the linear programs, which later lists begin with too.
    sets, pool : array, SortedPool
        The list of the latest call.
    too_few : int
        The largest number of first sets that are known to be too few for a solution.
    """

    def __init__(self, search: IncumbentSearch) -> None:
        self.search, self.problem = search, search.problem
        self.known = np.zeros(1, dtype=np.int64)

    def too_few_of(self, sets: ShortInts, pool: SortedPool, too_few: int) -> int:
        """Return a number of first sets that are too few, at least the given one, by bisection.

        If nothing may be shared, it is the largest such number: what is still open is searched to the end.
        """
        self.sets, self.pool, self.too_few = sets, pool, too_few
        if too_few < self._better:
            self._suffice(len(sets))
        while self.too_few < self._better:
            low = self.too_few
            while low < self._better:
                count = (low + self._better + 1) // 2
                if not self._suffice(count):
                    low = count
            if self.problem.max_shared:
                break
            if self.too_few < self._better:
                self._suffice(self._better, inf)
        return self.too_few

    @property
    def _better(self) -> int:
        """How many sets are better than the worst one of the best solution."""
        value = self.search.value
        return len(self.sets) if value is None else int((self.pool.values > value).sum())

    def _suffice(self, count: int, most_work: float | None = None) -> bool | None:
        """Return whether there is a solution among the first sets, None if that is not decided."""
        found = self._complete(np.arange(count), most_work or LITTLE_WORK)
        if found is None and not self._have_prices(count):
            found = False
        if found is None:
            found = self._complete(self.known[self.known < count], HEURISTIC_WORK) or None
        if found is False:
            self.too_few = count
            if count < len(self.sets):
                self.search.tighten(int(self.pool.values[count]))
        return found

    def _complete(self, chosen: Ints, most_work: float) -> bool | None:
        """Look for a solution among some sets; return whether there is one, None if that takes too long."""
        if len(chosen) < self.problem.n_sets:
            return False
        sets, values = self.sets[chosen], self.pool.values[chosen]
        pool = SortedPool.of(sets, values, self.pool.counting, self.problem.quality)
        descent, is_done, work = Descent.of(pool, self.problem.n_sets), False, 0
        while not is_done:
            self.search.control.check_time()
            if work > most_work:
                return None
            is_done = search_compatible(pool, descent, int(values[-1]), WORK_AT_ONCE)
            work += WORK_AT_ONCE
        if descent.is_complete:
            best = map(tuple, sets[descent.chosen].tolist())
            self.search.improve(list(best), int(values[descent.chosen].min()))
        return descent.is_complete

    def _have_prices(self, count: int) -> bool:
        """Return whether the linear program has a solution of the first sets; those it takes are known."""
        n_sets, known = self.problem.n_sets, self.known[self.known < count]
        relaxation = Relaxation(self.problem, has_pairs=False)
        while True:
            self.search.control.check_time()
            prices, level = relaxation.solve(self.sets[known], np.full(len(known), UNIT))
            weights = UNIT - prices.features[self.sets[:count]].sum(axis=1)
            if n_sets * int(weights.max()) + prices.brought_in(self.problem) < n_sets * UNIT:
                return False
            heavy = np.argsort(-weights, kind="stable")[:FEW]
            more = np.union1d(known, heavy[weights[heavy] > level + 1])
            if len(more) == len(known):
                return True
            self.known, known = np.union1d(self.known, more), more
