"""CP-SAT of OR-Tools on the models of `pyfsel.backends.cpsat`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from pyfsel.algorithms.cfs.search import solve_by_steps
from pyfsel.algorithms.cfs.step import as_graph_score
from pyfsel.backends.base import Backend
from pyfsel.errors import BackendError
from pyfsel.problem import values
from pyfsel.problem.objectives import SET_TERMS, UP_TO_PAIRS, FeatureSet, Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS
from pyfsel.problem.values import kinds_of, objective_of, takes_steps
from pyfsel.reductions.interchange import rearranged
from pyfsel.results.answer import Answer, Stated, Status, StopReason, check_claim
from pyfsel.results.control import LITERAL, PAIRS, STRENGTHENED, TIGHT_BIG_M, Control
from pyfsel.solvers.cpsat import IntegerBounds, new_solver

SUM_BOUND_SHARE = 0.3  # of the time, at most, for the best sum, which bounds the best minimum


class CpSat(Backend):
    """OR-Tools CP-SAT."""

    name = "cpsat"
    summary = "CP-SAT (OR-Tools) on a 0/1 model"
    formulations = (STRENGTHENED, LITERAL, TIGHT_BIG_M, PAIRS)
    formulation_texts: ClassVar[Mapping[str, str]] = {
        STRENGTHENED: "counts, dominance and ordered sets; mRMR of several sets by pairs",
        LITERAL: "products for each pair of sets (Eq. 6, 22); mRMR with one big-M for all (Eq. 14)",
        TIGHT_BIG_M: "one redundancy variable and one big-M per feature (Eq. 14)",
        PAIRS: "a variable per set and pair of features, with row sums; ordered sets",
    }
    objectives = (*UP_TO_PAIRS, Kind.MAXIMA)
    side_constraints = (*SIDE_CONSTRAINTS, *SET_TERMS)
    slow_imports: ClassVar[tuple[str, ...]] = ("ortools.sat.python.cp_model",)
    basis = ("cpsat",)
    by_steps = True
    packages: ClassVar[Mapping[str, str]] = {"ortools": "ortools"}

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        if formulation in (TIGHT_BIG_M, PAIRS) and Kind.PAIRS_OF_ONE_SIZE not in kinds_of(problem):
            return f"{formulation} is a formulation of {Kind.PAIRS_OF_ONE_SIZE}"
        one_size = objective_of(problem).has_one_size
        by_big_m = formulation == TIGHT_BIG_M or (formulation == LITERAL and one_size)
        if by_big_m and problem.aggregate == "difference" and problem.n_sets > 1:
            return f"{formulation} bounds values from below, a difference takes exact ones"
        return None

    def size(self, problem: Problem, formulation: str) -> dict[str, int]:
        from pyfsel.backends.cpsat.build import build_model

        proto = build_model(as_graph_score(problem), formulation).model.proto
        return {"variables": len(proto.variables), "constraints": len(proto.constraints)}

    def solve(self, problem: Problem, control: Control) -> Answer:
        if takes_steps(problem):
            return solve_by_steps(problem, control, self.solve)
        bound = None
        if problem.aggregate == "min" and problem.n_sets > 1 and control.formulation == STRENGTHENED:
            bound = control.known_bound
            left = control.remaining()
            limits = control.limits.within(None if left is None else SUM_BOUND_SHARE * left)
            summing = replace(control, limits=limits, known_bound=None, report_bound=lambda bound: None)
            sums = problem.replace(aggregate="sum")
            run = solve_below(sums, summing, None)
            check_claim(self.name, sums, run.status, run.sets or (), run.bound, run.stated)
            control.compile_seconds += summing.compile_seconds
            if run.status is Status.INFEASIBLE:
                return Answer(Status.INFEASIBLE, statistics=run.statistics)
            if run.bound is not None:
                bound = min(b for b in (bound, run.bound // problem.n_sets) if b is not None)
                control.report_bound(bound)
        return solve_below(problem, control, bound)


def solve_below(problem: Problem, control: Control, known_bound: int | None) -> Answer:
    """Solve a problem whose objective is known to be at most a bound, if one is given."""
    from ortools.sat.python import cp_model

    from pyfsel.backends.cpsat.build import build_model

    with control.compiling():
        sets = build_model(problem, control.formulation, known_bound)
    if control.hint is not None:
        sets.hint(rearranged(problem, control.hint))
    if sets.branch_first:
        sets.model.add_decision_strategy(sets.branch_first, cp_model.CHOOSE_FIRST, cp_model.SELECT_MAX_VALUE)
    solver = new_solver(control.limits.random_state, control.remaining(), control.limits.n_threads)
    if control.formulation == PAIRS:
        solver.parameters.linearization_level = 2
    if control.expired():
        return Answer.unproved(None, known_bound)

    class Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            found = sets.read(self.value)
            control.report_sets(found)
            if _reaches(control.known_bound, problem, found):
                self.stop_search()

    integer = IntegerBounds(sets.model)

    def tightest(native: float) -> int | None:
        proved = None if abs(native) > 2 * problem.largest_total else integer.upper(native)
        return min((b for b in (proved, known_bound) if b is not None), default=None)

    heard: list[int] = [] if known_bound is None else [known_bound]

    def listen(native: float) -> None:
        bound = tightest(native)
        if bound is not None:
            heard.append(bound)
            control.report_bound(bound)

    solver.best_bound_callback = listen
    native = solver.solve(sets.model, Listener())
    statistics = {
        "branches": solver.num_branches,
        "conflicts": solver.num_conflicts,
        "seconds": solver.wall_time,
        "variables": len(sets.model.proto.variables),
        "constraints": len(sets.model.proto.constraints),
    }
    if native == cp_model.INFEASIBLE:
        return Answer(Status.INFEASIBLE, statistics=statistics)
    if native == cp_model.UNKNOWN:
        # best_objective_bound is 0 where the search was stopped before it began
        return Answer.unproved(None, min(heard, default=None), statistics=statistics)
    if native not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise BackendError(f"cpsat: returned status {solver.status_name(native)}: {sets.model.validate()}")
    found = sets.read(solver.value)
    if native != cp_model.OPTIMAL and _reaches(control.known_bound, problem, found):
        return Answer(Status.OPTIMAL, found, control.known_bound, statistics=statistics)
    stated = Stated(solver.objective_value, integer.margin)
    if native == cp_model.OPTIMAL:
        # its bound is a float too, above the optimum where the margin is: the optimum is compared by `stated`
        optimum = values.total(problem, found)
        return Answer(Status.OPTIMAL, found, optimum, statistics=statistics, stated=stated)
    bound = tightest(solver.best_objective_bound)
    return Answer(Status.FEASIBLE, found, bound, StopReason.TIME_LIMIT, statistics, stated=stated)


def _reaches(bound: int | None, problem: Problem, sets: tuple[FeatureSet, ...]) -> bool:
    return bound is not None and values.total(problem, sets) >= bound
