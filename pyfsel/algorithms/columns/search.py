"""The search by prices and enumeration as a whole: best sums or smallest values, with pauses."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from pyfsel.algorithms.columns.improve import best_beside, sum_of
from pyfsel.algorithms.columns.largest import LargestSumSearch
from pyfsel.algorithms.columns.smallest import SmallestValueSearch
from pyfsel.algorithms.columns.state import SearchState, Steps
from pyfsel.problem import values
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.control import OutOfTimeError

LARGEST_TOTAL = (
    2**50
)  # times the overlaps of all pairs of sets: a price of overlap times these, within 64 bits


def enumerate_sets(state: SearchState, pause: Callable[[], bool] = lambda: False) -> None:
    """Search until the best solution is proved; `state.best` is None afterwards if there is none.

    Parameters
    ----------
    state : SearchState
        Relaxed.
    pause : callable
        When it returns True, the search ends as if out of time, and goes on from there if called again.

    Raises
    ------
    OutOfTimeError, TooManySetsError
    """
    if pause():
        raise OutOfTimeError
    steps, state.steps = state.steps or _all_steps(state), None
    for _ in steps:
        if state.control.expired() or pause():
            state.steps = steps
            raise OutOfTimeError


def _all_steps(state: SearchState) -> Steps[None]:
    problem = state.problem
    best_one = best_beside(state.sets, ())
    if best_one is None or state.infeasible:
        return
    state.highest = sum_of(problem, [best_one])
    if problem.n_sets == 1 or problem.max_overlap == problem.set_size:
        state.improve([best_one] * problem.n_sets)
        state.tighten(values.total(problem, state.best or ()))
    elif problem.aggregate == "min":
        yield from SmallestValueSearch(state).maximise([best_one])
    else:
        yield from LargestSumSearch(state).maximise([best_one])


def is_worth_enumerating(problem: Problem) -> bool:
    """Return whether the sets may overlap so much that few of them matter.

    With little overlap the relaxation is sharp, but there are many sets that are almost as good, each of
    which rules out most of the others; there constraints on features decide more.
    """
    # that the border is at two fifths of a set is by trial
    alone = problem.n_sets == 1 or problem.max_overlap == problem.set_size
    return alone or objective_of(problem).has_pairs or 5 * problem.max_overlap >= 2 * problem.set_size


def too_large(problem: Problem) -> str | None:
    """Return why the numbers of a problem are beyond what the search can compute with, or None."""
    pairs = comb(problem.n_sets, 2) * max(1, problem.max_overlap)
    if problem.largest_total * pairs <= LARGEST_TOTAL:
        return None
    return f"its objective can reach {problem.largest_total}, too much for 64-bit bounds"
