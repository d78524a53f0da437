"""Column generation and enumeration: `pyfsel.algorithms.columns` as a backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from pyfsel.backends.base import Backend
from pyfsel.backends.cpsat.backend import solve_below
from pyfsel.backends.packing import answer_by_packing
from pyfsel.backends.turns.packing_cpsat import CPSAT_SECONDS, PACKING_SECONDS
from pyfsel.backends.turns.turns import Turn, proved_by, solve_in_turns, turn_limits
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError
from pyfsel.solvers.versions import installed_version

if TYPE_CHECKING:
    from pyfsel.algorithms.columns.by_uses.search import UseSearch
    from pyfsel.algorithms.columns.search import ColumnsSearch

COLUMNS_SECONDS = 10.0
CPSAT_SECONDS_BESIDE_USES = 16.0
USES_SECONDS = 8.0
ENUMERATION_SECONDS = 4.0
ENUMERATION_SHARE = 0.75
BRIEF_CPSAT_SECONDS = 1.0
SUM_SECONDS = 1.0
SUM_SHARE = 0.1
ROUNDS = 2000
EVEN_SECONDS = 1.0


class Columns(Backend):
    """Prices features by a linear relaxation over single sets and searches the sets that are worth it.

    Where the sets may share so little that this enumeration can be too long, the bound of the relaxation, its
    proof that there is no solution, and exchanges go before CP-SAT for sums. For the best minimum, sets of
    nearly the best sum are made even, then the enumeration, packing and CP-SAT take turns. Otherwise the
    enumeration and CP-SAT do. Where the sets must share nearly all that they may, branching on how many of
    them hold each feature has its turns too.
    """

    name = "columns"
    summary = "column generation bounds the objective; then the sets worth it are enumerated, or CP-SAT"
    objectives = ("univariate", "fcbf", "mrmr")
    basis = ("columns", "packing", "ksubgraph", "cpsat", "glop", "highs")

    def missing(self) -> str | None:
        lacking = [name for name in ("ortools", "numba") if installed_version(name) is None]
        return f"pip install {' '.join(lacking)}" if lacking else None

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        from pyfsel.algorithms.columns.search import too_large

        return too_large(problem)

    def warm_up_problems(self) -> Iterable[Problem]:
        from pyfsel.backends.warm_up import problems_of_sets

        return problems_of_sets()

    def warm_up_alone(self) -> None:
        """Branch on uses, which has its turn in hard problems only."""
        from pyfsel.algorithms.columns.by_uses.search import UseSearch
        from pyfsel.backends.warm_up import problem_of_uses

        search = UseSearch(problem_of_uses(), Control())
        search.relax()
        search.branch_on_uses()

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.columns.by_uses.search import UseSearch
        from pyfsel.algorithms.columns.search import is_worth_enumerating

        search = UseSearch(problem, control)
        shares_little = not is_worth_enumerating(problem)
        try:
            search.relax()
            if search.infeasible:
                return proved_by("columns", Answer(Status.INFEASIBLE, statistics=search.statistics))
            if problem.aggregate == "sum" and problem.n_sets > 1:
                search.exchange_sets()
                if search.value == search.bound:
                    answer = Answer(Status.OPTIMAL, search.best, search.value, statistics=search.statistics)
                    return proved_by("columns", answer)
        except OutOfTimeError:
            return _unfinished(search, StopReason.TIME_LIMIT, "")
        if shares_little and problem.aggregate == "min" and not objective_of(problem).has_pairs:
            _start_evenly(problem, control, search)
            if search.infeasible:
                return proved_by("cpsat", Answer(Status.INFEASIBLE, statistics=search.statistics))
        return solve_in_turns(problem, control, _turns(problem, search, shares_little))


def _start_evenly(problem: Problem, control: Control, search: ColumnsSearch) -> None:
    """Let a search for the best minimum begin with sets of nearly the best sum that are made even.

    CP-SAT finds the best sum much faster than the best minimum, which is nearly its share of that sum where
    there are many ways to deal out the features.
    """
    limits = turn_limits(control, SUM_SECONDS, SUM_SHARE)
    summing = replace(control, limits=limits, known_bound=None, report_bound=lambda bound: None)
    sums = solve_below(problem.replace(aggregate="sum"), summing, search.highest_sum)
    control.compile_seconds += summing.compile_seconds
    search.infeasible = sums.status is Status.INFEASIBLE
    if sums.bound is not None:
        search.highest_sum = min(search.highest_sum, sums.bound)
        search.learn(None, search.highest_sum // problem.n_sets)
    if sums.sets is not None:
        _make_even(search, sums.sets, ROUNDS, control)


def _turns(problem: Problem, search: UseSearch, shares_little: bool) -> list[Turn]:
    """Return the searches for a problem that is relaxed: the enumeration, and what goes on beside it.

    Of pairs of features, prices say more than the models of CP-SAT, which comes only if there are too many
    sets. The smallest value is at most its share of the bound on the sum. Where it is nearly that, few sets
    are good enough, but not so good that the others must be worse; among these packing decides at once.
    """
    from pyfsel.algorithms.packing.search import PackingSearch

    def enumerate_sets(problem: Problem, control: Control) -> Answer:
        search.learn(control.hint, control.known_bound)
        return _proved(search, lambda: search.enumerate_sets(control.expired))

    def pack(problem: Problem, control: Control) -> Answer:
        return answer_by_packing(PackingSearch(problem, control, highest_sum=search.highest_sum))

    def constrain(problem: Problem, control: Control) -> Answer:
        search.learn(control.hint, control.known_bound)
        return solve_below(problem, replace(control, hint=search.best), search.bound)

    def even_out(problem: Problem, control: Control) -> Answer:
        search.learn(control.hint, control.known_bound)
        return _evened_out(search, control)

    def branch_on_uses(problem: Problem, control: Control) -> Answer:
        search.learn(control.hint, control.known_bound)
        return _proved(search, lambda: search.branch_on_uses(control.expired))

    if objective_of(problem).has_pairs:
        return [Turn("columns", enumerate_sets, inf, 1.0), Turn("cpsat", constrain, CPSAT_SECONDS)]
    uses = [Turn("columns by uses", branch_on_uses, USES_SECONDS)] if search.is_worth_branching() else []
    if not shares_little:
        turns = [
            Turn("columns", enumerate_sets, ENUMERATION_SECONDS, ENUMERATION_SHARE),
            Turn("cpsat", constrain, BRIEF_CPSAT_SECONDS),
        ]
    elif problem.aggregate == "sum":
        turns = [Turn("cpsat", constrain, CPSAT_SECONDS_BESIDE_USES if uses else inf)]
    else:
        turns = [
            Turn("columns", enumerate_sets, COLUMNS_SECONDS),
            Turn("columns evened out", even_out, EVEN_SECONDS),
            Turn("packing", pack, PACKING_SECONDS),
            Turn("cpsat", constrain, CPSAT_SECONDS),
        ]
    return [*turns, *uses]


def _evened_out(search: ColumnsSearch, control: Control) -> Answer:
    """Return the best sets so far made even until time is up, or their smallest value is the bound."""
    if search.best is not None:
        _make_even(search, search.best, None, control)
        if search.value == search.bound:
            return Answer(Status.OPTIMAL, search.best, search.value, statistics=search.statistics)
    return _unfinished(search, StopReason.TIME_LIMIT, "")


def _make_even(
    search: ColumnsSearch, sets: tuple[FeatureSet, ...], rounds: int | None, control: Control
) -> None:
    """Let a search learn sets of nearly the same sum and a better smallest value."""
    from pyfsel.algorithms.columns.balance import balanced

    even = balanced(search.problem, sets, rounds, control.limits.random_state, search.bound, control.expired)
    search.learn(tuple(even), None)


def _proved(search: ColumnsSearch, go_on: Callable[[], None]) -> Answer:
    """Return what a search proves, or has found until time or memory run out."""
    try:
        go_on()
    except OutOfTimeError:
        return _unfinished(search, StopReason.TIME_LIMIT, "")
    except TooManySetsError:
        message = "columns: more sets could be part of a best solution than fit into memory."
        return _unfinished(search, StopReason.MEMORY_LIMIT, message)
    if search.best is None:
        return Answer(Status.INFEASIBLE, statistics=search.statistics)
    return Answer(Status.OPTIMAL, search.best, search.value, statistics=search.statistics)


def _unfinished(search: ColumnsSearch, why: StopReason, message: str) -> Answer:
    status = Status.NOT_SOLVED if search.best is None else Status.FEASIBLE
    return Answer(status, search.best, search.bound, why, search.statistics, message=message)
