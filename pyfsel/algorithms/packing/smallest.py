"""How many of the best listed sets are too few for compatible ones: by searches, and by prices."""

from __future__ import annotations

import numpy as np

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.algorithms.packing.cliques import WORK_AT_ONCE, priced, search_compatible
from pyfsel.algorithms.packing.relaxation import Prices, Relaxation
from pyfsel.core.arrays import Ints, ShortInts
from pyfsel.problem.instance import Instance

LITTLE_WORK = 20_000_000  # looks at a set in a search that may be given up
UNIT = 1_000_000  # what each set is worth to the linear program
HEURISTIC_WORK = 200_000_000  # in one among the sets of the linear programs, which often have a solution
FEW = 200  # sets that it gets at a time


class FewestSets:
    """Finds how many of the best sets are too few for a solution, of lists that grow at the end.

    The linear program says how many compatible sets there are at most among the first ones, if parts of sets
    count too. By its prices each set pays p or more, and what n_sets compatible ones pay brings in R at most
    (see `Prices`). If ``n_sets·p`` is more than R, the sets are too few. Else each set of a solution pays at
    most ``R − (n_sets − 1)·p``, as the others pay p or more. Where the program has hardly more than n_sets
    sets, few are left, and few features can be left out: the search among them branches on those. It decides,
    or is given up; then the sets of the linear program may have a solution.

    Features that all of the first sets hold are shared by any two of them. Without these the sets may share
    as many fewer, often nothing any more, which makes prices of features as good as prices of pairs.

    Parameters
    ----------
    search : IncumbentSearch
        Gets the solutions.

    Attributes
    ----------
    known : array of int
        Places of the sets of the linear programs, which are in later lists too.
    sets, values : array
        The list of the latest call.
    others : array of int
        Its first sets, as many as are looked at, without the features that all of these hold.
    relaxation : Relaxation
        Of a problem that has sets like `others`. Its qualities do not matter.
    too_few : int
        The largest number of first sets that are known to be too few for a solution.
    """

    def __init__(self, search: IncumbentSearch) -> None:
        self.search, self.problem = search, search.problem
        self.known = np.zeros(1, dtype=np.int64)
        self.relaxation = Relaxation(self.problem, self.problem.n_sets * self.problem.n_features)

    def too_few_of(self, sets: ShortInts, values: Ints, too_few: int, most_work: float) -> int:
        """Return a number of first sets that are too few, at least the given one, by bisection.

        It is the largest one unless a search is given up. A later call may find more, by other prices.

        Parameters
        ----------
        sets : array of int, shape (m, k)
        values : array of int, shape (m,), decreasing
        too_few : int
            So many first sets are known to be too few.
        most_work : float
            Looks at a set in the search among all sets that are better than the best solution; the others
            are given up earlier.
        """
        self.sets, self.values, self.too_few = sets, values, too_few
        if too_few < self._better:
            self._suffice(len(sets), LITTLE_WORK)
        low = self.too_few
        while low < self._better:
            count = (low + self._better + 1) // 2
            if not self._suffice(count, LITTLE_WORK if count < self._better else most_work):
                low = count
        return self.too_few

    @property
    def _better(self) -> int:
        """How many sets are better than the worst one of the best solution."""
        value = self.search.value
        return len(self.sets) if value is None else int((self.values > value).sum())

    def _suffice(self, count: int, most_work: float) -> bool | None:
        """Return whether there is a solution among the first sets, None if that is not decided."""
        whole, first, prices = self.problem, self.sets[:count], None
        is_common = np.bincount(first.ravel(), minlength=whole.n_features) == count
        max_shared = whole.max_shared - int(is_common.sum())
        if max_shared >= 0:
            self.others = first[~is_common[first]].reshape(count, -1)
            rest = {"n_sets": whole.n_sets, "k": self.others.shape[1], "max_shared": max_shared}
            self.relaxation.problem = Instance(whole.quality, **rest)
            prices = self._prices()
        if prices is not None:
            found = self._complete(np.arange(count), prices, most_work)
            if found is None:
                found = self._complete(self.known[self.known < count], prices, HEURISTIC_WORK) or None
            if found is not False:
                return found
        self.too_few = count
        if count < len(self.sets):
            self.search.tighten(int(self.values[count]))
        return False

    def _complete(self, chosen: Ints, prices: Prices, most_work: float) -> bool | None:
        """Return whether there is a solution among some sets, None if the search takes too long."""
        paid, _ = prices.paid(self.others[chosen])
        least = int(paid.min())
        can_be = chosen[paid <= prices.brought_in() - (self.problem.n_sets - 1) * least]
        pool, descent = priced(prices, self.others[can_be], self.values[can_be])
        work = 0
        while not search_compatible(pool, descent, least, WORK_AT_ONCE):
            self.search.control.check_time()
            work += WORK_AT_ONCE
            if work > most_work:
                return None
        if descent.is_complete:
            best = can_be[descent.chosen]
            self.search.improve(list(map(tuple, self.sets[best].tolist())), int(self.values[best].min()))
        return descent.is_complete

    def _prices(self) -> Prices | None:
        """Return prices by which the first sets may have a solution, None if these are too few by them.

        The sets of the linear program are known then.
        """
        known = self.known[self.known < len(self.others)]
        while True:
            self.search.control.check_time()
            prices, level = self.relaxation.solve(self.others[known], np.full(len(known), UNIT))
            paid, _ = prices.paid(self.others)
            if self.problem.n_sets * int(paid.min()) > prices.brought_in():
                return None
            cheap = np.flatnonzero(paid < UNIT - level - 1)
            more = np.union1d(known, cheap[np.argsort(paid[cheap], kind="stable")[:FEW]])
            if len(more) == len(known):
                return prices
            self.known, known = np.union1d(self.known, more), more
