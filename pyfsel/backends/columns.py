"""Column generation and enumeration: `pyfsel.columns` as a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyfsel.backends.base import Backend, Control, installed_version
from pyfsel.backends.cpsat import solve_below
from pyfsel.backends.packing import answer_by_packing
from pyfsel.backends.packing_cpsat import CPSAT_SECONDS, PACKING_SECONDS
from pyfsel.backends.turns import Turn, solve_in_turns
from pyfsel.problem import Problem
from pyfsel.result import Answer, Status, StopReason

if TYPE_CHECKING:
    from pyfsel.columns.search import ColumnsSearch


class Columns(Backend):
    """Prices features by a linear relaxation over single sets and searches the sets that are worth it.

    Where the sets may share so little that this enumeration is too long, the bound of the relaxation, and its
    proof that there is no solution, go before CP-SAT.
    """

    name = "columns"
    summary = "column generation bounds the objective; then the sets worth it are enumerated, or CP-SAT"
    objectives = ("univariate", "fcbf", "mrmr")

    def missing(self) -> str | None:
        lacking = [name for name in ("ortools", "numba") if installed_version(name) is None]
        return f"pip install {' '.join(lacking)}" if lacking else None

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        from pyfsel.columns.search import too_large

        return too_large(problem)

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.columns.search import ColumnsSearch, is_worth_enumerating
        from pyfsel.packing.pool import TooManySetsError
        from pyfsel.packing.search import OutOfTimeError

        search = ColumnsSearch(problem, control)
        try:
            search.relax()
            if not search.infeasible and not is_worth_enumerating(problem):
                return _solve_shared_little(problem, control, search)
            search.enumerate_sets()
        except OutOfTimeError:
            return _unfinished(search, StopReason.TIME_LIMIT, "")
        except TooManySetsError:
            message = "columns: more sets could be part of a best solution than fit into memory."
            return _unfinished(search, StopReason.MEMORY_LIMIT, message)
        if search.best is None:
            return Answer(Status.INFEASIBLE, statistics=search.statistics)
        return Answer(Status.OPTIMAL, search.best, search.value, statistics=search.statistics)


def _solve_shared_little(problem: Problem, control: Control, search: ColumnsSearch) -> Answer:
    """Hand the bound to CP-SAT; for the best minimum, to packing and CP-SAT in turn.

    The smallest value is at most its share of the bound on the sum. Where it is nearly that, few sets are
    good enough, but not so good that the others must be worse; among these packing decides at once.
    """
    highest_sum = search.highest_sum
    if problem.aggregate == "sum" or highest_sum is None:
        return solve_below(problem, control, search.bound)
    from pyfsel.packing.search import PackingSearch

    def pack(problem: Problem, control: Control) -> Answer:
        return answer_by_packing(PackingSearch(problem, control, highest_sum=highest_sum))

    def constrain(problem: Problem, control: Control) -> Answer:
        return solve_below(problem, control, search.bound)

    return solve_in_turns(problem, control, [Turn(pack, PACKING_SECONDS), Turn(constrain, CPSAT_SECONDS)])


def _unfinished(search: ColumnsSearch, why: StopReason, message: str) -> Answer:
    status = Status.NOT_SOLVED if search.best is None else Status.FEASIBLE
    return Answer(status, search.best, search.bound, why, search.statistics, message=message)
