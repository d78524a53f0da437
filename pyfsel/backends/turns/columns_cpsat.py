"""Column generation, packing and CP-SAT in turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from pyfsel.backends.base import Backend
from pyfsel.backends.columns import Columns, optimal, proved, relaxed, unfinished
from pyfsel.backends.cpsat.backend import CpSat, solve_below
from pyfsel.backends.packing import Packing, answer_by_packing
from pyfsel.backends.turns.packing_cpsat import CPSAT_SECONDS, PACKING_SECONDS
from pyfsel.backends.turns.turns import Turn, proved_by, solve_in_turns, turn_limits
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control

if TYPE_CHECKING:
    from pyfsel.algorithms.columns.search import ColumnsSearch

COLUMNS_SECONDS = 10.0
ENUMERATION_SECONDS = 4.0
ENUMERATION_SHARE = 0.75
BRIEF_CPSAT_SECONDS = 1.0
SUM_SECONDS = 1.0
SUM_SHARE = 0.1
ROUNDS = 2000
EVEN_SECONDS = 1.0


class ColumnsCpSat(Backend):
    """The relaxation of columns first, and then its enumeration, packing and CP-SAT, as the problem wants.

    Where the sets may share so little that the enumeration can be too long, the bound of the relaxation, its
    proof that there is no solution, and exchanges go before CP-SAT for sums. For the best minimum, sets of
    nearly the best sum are made even, then the enumeration, packing and CP-SAT take turns. Otherwise the
    enumeration and CP-SAT do.
    """

    name = "columns-cpsat"
    summary = "column generation bounds the objective; then its enumeration, packing and CP-SAT in turn"
    objectives = Columns.objectives

    def __init__(self) -> None:
        self.members = (Columns(), Packing(), CpSat())
        self.basis = tuple(part for member in self.members for part in member.basis)

    def missing(self) -> str | None:
        return next((lack for member in self.members if (lack := member.missing())), None)

    def version(self) -> str | None:
        return CpSat().version()

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return Columns().unsupported(problem, formulation)

    def warm_up_problems(self) -> Iterable[Problem]:
        return Columns().warm_up_problems()

    def rests_on(self, problem: Problem, formulation: str) -> frozenset[str]:
        """Return what the proofs of its members rest on."""
        return frozenset[str]().union(
            *(member.rests_on(problem, member.formulations[0]) for member in self.members)
        )

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.columns.search import ColumnsSearch, is_worth_enumerating

        search = ColumnsSearch(problem, control)
        answer = relaxed(search)
        if answer is not None:
            return proved_by("columns", answer) if answer.stop_reason is StopReason.FINISHED else answer
        shares_little = not is_worth_enumerating(problem)
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


def _turns(problem: Problem, search: ColumnsSearch, shares_little: bool) -> list[Turn]:
    """Return the searches for a problem that is relaxed: the enumeration, and what goes on beside it.

    Of pairs of features, prices say more than the models of CP-SAT, which comes only if there are too many
    sets. The smallest value is at most its share of the bound on the sum. Where it is nearly that, few sets
    are good enough, but not so good that the others must be worse; among these packing decides at once.
    """
    from pyfsel.algorithms.packing.search import PackingSearch

    def enumerate_sets(problem: Problem, control: Control) -> Answer:
        search.learn(control.hint, control.known_bound)
        return proved(search, lambda: search.enumerate_sets(control.expired))

    def pack(problem: Problem, control: Control) -> Answer:
        return answer_by_packing(PackingSearch(problem, control, highest_sum=search.highest_sum))

    def constrain(problem: Problem, control: Control) -> Answer:
        search.learn(control.hint, control.known_bound)
        return solve_below(problem, replace(control, hint=search.best), search.bound)

    def even_out(problem: Problem, control: Control) -> Answer:
        search.learn(control.hint, control.known_bound)
        return _evened_out(search, control)

    if objective_of(problem).has_pairs:
        return [Turn("columns", enumerate_sets, inf, 1.0), Turn("cpsat", constrain, CPSAT_SECONDS)]
    if not shares_little:
        return [
            Turn("columns", enumerate_sets, ENUMERATION_SECONDS, ENUMERATION_SHARE),
            Turn("cpsat", constrain, BRIEF_CPSAT_SECONDS),
        ]
    if problem.aggregate == "sum":
        return [Turn("cpsat", constrain, inf)]
    return [
        Turn("columns", enumerate_sets, COLUMNS_SECONDS),
        Turn("sets made even", even_out, EVEN_SECONDS),
        Turn("packing", pack, PACKING_SECONDS),
        Turn("cpsat", constrain, CPSAT_SECONDS),
    ]


def _evened_out(search: ColumnsSearch, control: Control) -> Answer:
    """Return the best sets so far made even until time is up, or their smallest value is the bound."""
    if search.best is not None:
        _make_even(search, search.best, None, control)
        if search.value == search.bound:
            return optimal(search)
    return unfinished(search, StopReason.TIME_LIMIT)


def _make_even(
    search: ColumnsSearch, sets: tuple[FeatureSet, ...], rounds: int | None, control: Control
) -> None:
    """Let a search learn sets of nearly the same sum and a better smallest value."""
    from pyfsel.algorithms.columns.balance import balanced

    even = balanced(search.problem, sets, rounds, control.limits.random_state, search.bound, control.expired)
    search.learn(tuple(even), None)
