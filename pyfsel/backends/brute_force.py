"""All sets: of one set by NumPy at once, of several in all compatible combinations, the oracle of tests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.backends.base import Backend
from pyfsel.problem import values as problem_values
from pyfsel.problem.dissimilarity import may_stand_together
from pyfsel.problem.fields import FIXED_SIZE_CONSTRAINTS, SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, FeatureSet, ObjectiveKind
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
        pool = allowed_sets(problem)
        if not pool:
            return BackendAnswer(Status.INFEASIBLE)
        quality = problem_values.values(problem, pool)
        order = np.argsort(-quality, kind="stable").tolist()
        best_first, price = [pool[i] for i in order], problem_values.overlap_price(problem)
        search = IncumbentSearch(problem, control)

        def run() -> None:
            for chosen in compatible_families(problem, best_first, control):
                sets = [best_first[i] for i in chosen]
                numbers = [int(quality[order[i]]) for i in chosen]
                value = problem_values.aggregate_values(problem, numbers)
                value -= price and price * problem_values.n_priced(problem, sets)
                search.improve(sets, value)

        return search.answer(run, self.name)


def allowed_sets(problem: Instance) -> list[FeatureSet]:
    """Return all sets that satisfy the constraints on single sets."""
    alone = problem.replace(n_sets=1)
    return [
        members
        for size in problem.sizes
        for members in combinations(range(problem.n_features), size)
        if not violations(alone, [members])
    ]


def compatible_families(problem: Instance, pool: list[FeatureSet], control: Control) -> Iterator[list[int]]:
    """Yield the numbers, rising, of the sets of each family, in which any two sets are dissimilar enough.

    Parameters
    ----------
    problem : Instance
    pool : list of feature sets
    control : Control
        Ends the search by an exception when the time is up.
    """
    members = [set(one) for one in pool]

    def extended(chosen: list[int], first: int) -> Iterator[list[int]]:
        if len(chosen) == problem.n_sets:
            yield chosen
            return
        control.check_time()
        for i in range(first, len(pool)):
            if all(may_stand_together(problem, members[i], members[c]) for c in chosen):
                yield from extended([*chosen, i], i)

    return extended([], 0)


MOST_SETS = 150_000  # for NumPy, in hundredths of a second


class EnumerationBackend(Backend):
    """Takes the best of all sets: milliseconds for one set, where other backends first load their libraries.

    Notes
    -----
    `complete_pool` lists every set of the size that its constraints and the previous sets allow, so the first
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
        from pyfsel.algorithms.packing.pool import complete_pool

        pool = complete_pool(problem)
        sets, values = pool.above(pool.highest)
        if not len(sets):
            return BackendAnswer(Status.INFEASIBLE)
        best = tuple(sets[0].tolist())
        return BackendAnswer(Status.OPTIMAL, (best,), int(values[0]), stated=Stated(int(values[0])))
