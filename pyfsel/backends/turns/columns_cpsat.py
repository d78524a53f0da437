"""Column generation, packing and CP-SAT in turn."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from pyfsel.algorithms.columns.state import SearchState
from pyfsel.backends.columns import Columns, relaxed
from pyfsel.backends.cpsat import CpSat
from pyfsel.backends.packing import Packing
from pyfsel.backends.turns.packing_cpsat import CPSAT_SECONDS, PACKING_SECONDS
from pyfsel.backends.turns.turns import TakingTurns, Turn, proved_by, solve_in_turns, turn_limits
from pyfsel.problem.problem import Problem
from pyfsel.problem.values import objective_of
from pyfsel.results.answer import Answer, Status, StopReason, check_claim
from pyfsel.results.control import Control

# Turns of the first round, by trial; each round is three times as long as the one before.
COLUMNS_SECONDS = 10.0
ENUMERATION_SECONDS = 4.0
ENUMERATION_SHARE = 0.75  # where the enumeration mostly ends, CP-SAT is only there for the rest
BRIEF_CPSAT_SECONDS = 1.0
SUM_SECONDS = 1.0  # for the bound by the best sum, which CP-SAT mostly proves in less
SUM_SHARE = 0.1


class ColumnsCpSat(TakingTurns):
    """The relaxation of columns first, and then its enumeration, packing and CP-SAT, as the problem wants.

    Where the sets may share so little that the enumeration can be too long, the bound of the relaxation, its
    proof that there is no solution, and exchanges go before CP-SAT for sums. The best minimum is first
    bounded by the best sum, then the enumeration, packing and CP-SAT take turns. Otherwise the enumeration
    and CP-SAT do.
    """

    name = "columns-cpsat"
    summary = "column generation bounds the objective; then its enumeration, packing and CP-SAT in turn"
    objectives = Columns.objectives
    kinds = (Columns, Packing, CpSat)

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        return self.members[0].unsupported(problem, formulation)

    def rests_on(self, problem: Problem, formulation: str) -> frozenset[str]:
        """Return what the proofs of its members rest on."""
        return frozenset[str]().union(
            *(member.rests_on(problem, member.formulations[0]) for member in self.members)
        )

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.algorithms.columns.search import is_worth_enumerating
        from pyfsel.algorithms.columns.state import SearchState

        state = SearchState(problem, control)
        answer = relaxed(state)
        if answer is not None:
            return proved_by("columns", answer) if answer.stop_reason is StopReason.FINISHED else answer
        shares_little = not is_worth_enumerating(problem)
        if shares_little and problem.aggregate == "min" and not objective_of(problem).has_pairs:
            _bound_by_sum(problem, control, state)
            if state.infeasible:
                return proved_by("cpsat", Answer(Status.INFEASIBLE, statistics=state.statistics))
        return solve_in_turns(problem, control, _turns(problem, state, shares_little))


def _bound_by_sum(problem: Problem, control: Control, state: SearchState) -> None:
    """Let a search for the best minimum know a bound on the best sum, of which it is at most a share.

    CP-SAT finds the best sum much faster than the best minimum.
    """
    limits = turn_limits(control, SUM_SECONDS, SUM_SHARE)
    summing = replace(control, limits=limits, known_bound=state.highest_sum, report_bound=lambda bound: None)
    summed = problem.replace(aggregate="sum")
    sums = CpSat().solve(summed, summing)
    check_claim("cpsat", summed, sums.status, sums.sets or (), sums.bound, sums.stated)
    control.compile_seconds += summing.compile_seconds
    state.infeasible = sums.status is Status.INFEASIBLE
    if sums.bound is not None:
        state.highest_sum = min(state.highest_sum, sums.bound)
        state.learn(None, state.highest_sum // problem.n_sets)
    state.learn(sums.sets, None)


def _turns(problem: Problem, state: SearchState, shares_little: bool) -> list[Turn]:
    """Return the searches for a problem that is relaxed: the enumeration, and what goes on beside it.

    Of pairs of features, prices say more than the models of CP-SAT, which comes only if there are too many
    sets. The smallest value is at most its share of the bound on the sum. Where it is nearly that, few sets
    are good enough, but not so good that the others must be worse; among these packing decides at once.
    """
    from pyfsel.algorithms.columns.search import enumerate_sets
    from pyfsel.algorithms.packing.search import PackingSearch

    def list_sets(problem: Problem, control: Control) -> Answer:
        state.learn(control.hint, control.known_bound)
        return state.answer(lambda: enumerate_sets(state, control.expired), "columns")

    def pack(problem: Problem, control: Control) -> Answer:
        return PackingSearch(problem, control, highest_sum=state.highest_sum).packed()

    def constrain(problem: Problem, control: Control) -> Answer:
        state.learn(control.hint, control.known_bound)
        return CpSat().solve(problem, replace(control, hint=state.best, known_bound=state.bound))

    if objective_of(problem).has_pairs:
        return [Turn("columns", list_sets, inf, 1.0), Turn("cpsat", constrain, CPSAT_SECONDS)]
    if not shares_little:
        return [
            Turn("columns", list_sets, ENUMERATION_SECONDS, ENUMERATION_SHARE),
            Turn("cpsat", constrain, BRIEF_CPSAT_SECONDS),
        ]
    if problem.aggregate == "sum":
        return [Turn("cpsat", constrain, inf)]
    return [
        Turn("columns", list_sets, COLUMNS_SECONDS),
        Turn("packing", pack, PACKING_SECONDS),
        Turn("cpsat", constrain, CPSAT_SECONDS),
    ]
