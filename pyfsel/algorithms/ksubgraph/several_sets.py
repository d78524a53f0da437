"""Several sets: the search along chains as an enumeration for candidate packing."""

from __future__ import annotations

from pyfsel.algorithms.ksubgraph.all_heavy import all_from, best_set
from pyfsel.algorithms.ksubgraph.instance import PairInstance
from pyfsel.algorithms.ksubgraph.local_search import Start
from pyfsel.algorithms.packing.families import PackingSearch
from pyfsel.algorithms.packing.pool import LARGEST_POOL, Pool, excluded_by_counting
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, Status
from pyfsel.results.control import Control


def solve_several(problem: Instance, control: Control) -> BackendAnswer:
    """Find the best compatible sets: the best single set bounds them, then they are packed."""
    if excluded_by_counting(problem):
        return BackendAnswer(Status.INFEASIBLE)
    instance = PairInstance.of_problem(problem)
    best = best_set(instance, Start(control.limits.random_state), expired=control.expired)
    bound = best.bound
    if bound is not None:
        bound *= problem.n_sets if problem.aggregate == "sum" else 1
        control.report_bound(bound)
    if best.features is None or best.value is None:
        return BackendAnswer(Status.INFEASIBLE) if best.finished else BackendAnswer.unproved(None, bound)
    pool = Pool(
        problem,
        lambda threshold: all_from(instance, threshold, LARGEST_POOL, control),
        -instance.largest_total,
        best.value,
    )
    return PackingSearch(problem, control, pool, control.hint or [best.features]).packed()
