"""Several sets: the search along chains as an enumeration for candidate packing."""

from __future__ import annotations

from pyfsel.algorithms.ksubgraph.all_heavy import best_set, enumerate_instance
from pyfsel.algorithms.ksubgraph.forced import excluded_by_counting
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.packing.families import PackingSearch
from pyfsel.algorithms.packing.pool import LARGEST_POOL, Pool
from pyfsel.core.arrays import Ints
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, Status
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError


def chains_pool(problem: Instance, control: Control, highest: int) -> Pool:
    """Return the sets of a problem from a value on, none of which is worth more than `highest`.

    The deadline of the control ends a listing with `OutOfTimeError`.
    """
    instance = PairInstance.of_problem(problem)

    def search(threshold: int) -> tuple[Ints, Ints]:
        found = enumerate_instance(instance, threshold, LARGEST_POOL, control.expired)
        if not found.complete:
            raise TooManySetsError if len(found.sets) == LARGEST_POOL else OutOfTimeError
        return found.sets, found.values

    return Pool(problem, search, -instance.largest_total, highest)


def solve_several(problem: Instance, control: Control) -> BackendAnswer:
    """Find the best compatible sets: the best single set bounds them, then they are packed."""
    if excluded_by_counting(problem):
        return BackendAnswer(Status.INFEASIBLE)
    best = best_set(
        PairInstance.of_problem(problem), Start(control.limits.random_state), expired=control.expired
    )
    bound = best.bound
    if bound is not None:
        bound *= problem.n_sets if problem.aggregate == "sum" else 1
        control.report_bound(bound)
    if best.features is None or best.value is None:
        return BackendAnswer(Status.INFEASIBLE) if best.finished else BackendAnswer.unproved(None, bound)
    pool = chains_pool(problem, control, best.value)
    return PackingSearch(problem, control, pool, control.hint or [best.features]).packed()
