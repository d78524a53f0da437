"""All sets: of one set by NumPy at once, of several in all compatible combinations, the oracle of tests."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.backends.base import Backend
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, FeatureSet, ObjectiveKind
from pyfsel.problem.overlap import may_stand_together
from pyfsel.problem.side_constraints import FIXED_SIZE_CONSTRAINTS, SIDE_CONSTRAINTS
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

LARGEST_NUMBER_OF_SETS = 200_000  # each of which is checked in Python, in seconds


class BruteForce(Backend):
    """Tries every combination of feature sets; for small problems only."""

    name = "brute-force"
    summary = "every combination of sets; the oracle for small problems"
    objectives = tuple(ObjectiveKind)
    side_constraints = (*SIDE_CONSTRAINTS, *SET_TERMS)
    basis = ("brute-force",)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        count = sum(comb(problem.n_features, size) for size in problem.sizes)
        if count > LARGEST_NUMBER_OF_SETS:
            return f"{count} possible sets are more than {LARGEST_NUMBER_OF_SETS}"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        alone = problem.replace(n_sets=1)
        pool = [
            s
            for size in problem.sizes
            for s in combinations(range(problem.n_features), size)
            if not violations(alone, [s])
        ]
        if not pool:
            return BackendAnswer(Status.INFEASIBLE)
        quality = problem_values.values(problem, pool)
        order = np.argsort(-quality, kind="stable")
        search = _EnumeratedSets(problem, [pool[i] for i in order], quality[order].tolist(), control)
        return search.proved() if search.extend([], 0) else search.unproved()


class _EnumeratedSets(IncumbentSearch):
    """Depth-first over all multisets of pairwise compatible sets of the pool."""

    def __init__(
        self, problem: Instance, pool: list[FeatureSet], values: list[int], control: Control
    ) -> None:
        super().__init__(problem, control)
        self.pool = [set(s) for s in pool]
        self.sets = pool
        self.values = values
        self.price = problem_values.overlap_price(problem)

    def value_of(self, members: FeatureSet) -> int:
        return self.values[self.sets.index(members)]

    def extend(self, chosen: list[int], first: int) -> bool:
        """Try all completions; return False when the time is up."""
        if len(chosen) == self.problem.n_sets:
            value = problem_values.aggregate_values(self.problem, [self.values[i] for i in chosen])
            value -= self.price and self.price * problem_values.n_priced(
                self.problem, [self.sets[i] for i in chosen]
            )
            self.improve([self.sets[i] for i in chosen], value)
            return True
        if self.control.expired():
            return False
        for i in range(first, len(self.pool)):
            if self._fits(i, chosen) and not self.extend([*chosen, i], i):
                return False
        return True

    def _fits(self, candidate: int, chosen: list[int]) -> bool:
        one = self.pool[candidate]
        return all(may_stand_together(self.problem, one, self.pool[c]) for c in chosen)


MOST_SETS = 150_000  # for NumPy, in hundredths of a second


class EnumerationBackend(Backend):
    """Takes the best of all sets: milliseconds for one set, where other backends first load their libraries.

    Notes
    -----
    `CompletePool` lists every set of the size that its constraints and the previous sets allow, so the first
    one of the largest value is a best one, and an empty list proves that there is none.
    """

    name = "enumeration"
    summary = "tries all sets of a small problem at once, for one set at a time"
    isolated = False
    side_constraints = FIXED_SIZE_CONSTRAINTS
    basis = ("enumeration",)
    needs_start = False

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if problem.n_sets > 1:
            return "takes one set at a time"
        count = comb(problem.n_features, problem.k)
        return f"{count} possible sets are more than {MOST_SETS}" if count > MOST_SETS else None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.packing.pool import CompletePool

        pool = CompletePool(problem)
        if not len(pool.values):
            return BackendAnswer(Status.INFEASIBLE)
        best = int(pool.values.argmax())
        value = int(pool.values[best])
        return BackendAnswer(Status.OPTIMAL, (tuple(pool.sets[best].tolist()),), value, stated=Stated(value))
