"""All optimal solutions by CP-SAT's own enumeration.

The model has no dominance, and every auxiliary variable is determined by the memberships, so that each family
of sets is one solution: the sets are in lexicographic order, equal ones next to each other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyfsel.algorithms.cfs.step import Step
from pyfsel.backends import get_backend
from pyfsel.errors import BackendError
from pyfsel.problem import values as problem_values
from pyfsel.problem.objectives import Kind
from pyfsel.problem.problem import Problem
from pyfsel.questions.enumeration.single_sets import EnoughError, Take
from pyfsel.results.control import LITERAL, Control, OutOfTimeError
from pyfsel.solvers.cpsat import new_solver

if TYPE_CHECKING:
    from pyfsel.backends.cpsat.membership import SetModel


def refusal(problem: Problem) -> str | None:
    """Return why CP-SAT does not take the problem, or None."""
    if Kind.MAXIMA in problem_values.kinds_of(problem):
        return "of maxima its model has several solutions for one set"
    return get_backend("cpsat").refusal(problem, LITERAL)


def list_families(problem: Problem, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value."""
    from ortools.sat.python import cp_model

    sets = _model(problem, value)
    solver = new_solver(control.limits.random_state, control.remaining())
    solver.parameters.enumerate_all_solutions = True

    class Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        enough = False

        def on_solution_callback(self) -> None:
            family = sets.read(self.value)
            try:
                if not self.enough and problem_values.total(problem, family) >= value:
                    take(family)
            except EnoughError:
                self.enough = True
                self.stop_search()

    listener = Listener()
    native = solver.solve(sets.model, listener)
    if listener.enough:
        raise EnoughError
    if native in (cp_model.UNKNOWN, cp_model.FEASIBLE):
        raise OutOfTimeError
    if native not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise BackendError(f"cpsat: returned status {solver.status_name(native)}: {sets.model.validate()}")


def _model(problem: Problem, value: int) -> SetModel:
    """Return the model of all solutions that reach the value.

    The value of CFS (paper 000, Eq. 20) is a graph score of other weights that is not negative; rounded
    weights let further sets through.
    """
    from pyfsel.backends.cpsat.membership import SetModel

    is_cfs = problem_values.takes_steps(problem)
    problem, value = (Step.of(problem, value).problem, 0) if is_cfs else (problem, value)
    sets = SetModel(problem)
    _order(sets)
    values = _values(sets)
    if problem.min_quality is not None or problem.aggregate == "min":
        least = [value] * (problem.aggregate == "min")
        least += [] if problem.min_quality is None else [problem.min_quality]
        for expression in values:
            sets.model.add(expression >= max(least))
    if problem.aggregate == "sum":
        sets.model.add(sum(values) >= value)
    return sets


def _values(sets: SetModel) -> list[Any]:
    from pyfsel.backends.cpsat.values import graph_score_values, univariate_values, values_by_pairs

    objective = problem_values.objective_of(sets.problem)
    if objective.has_one_size:
        return values_by_pairs(sets)
    if objective.has_pairs:
        return graph_score_values(sets, one_sided=False)
    return univariate_values(sets)


def _order(sets: SetModel) -> None:
    """Order consecutive sets lexicographically, by variables that are true where the sets agree so far."""
    model = sets.model
    for first, second in pairwise(sets.member):
        so_far: list[Any] = []
        for a, b in zip(first, second, strict=True):
            before = [~literal for literal in so_far]
            model.add_bool_or(*before, a, ~b)
            equal = model.new_bool_var("")
            for one, other in ((a, b), (~a, ~b)):
                model.add_bool_or(*before, equal, one, other)
                model.add_bool_or(~equal, one, ~other)
            for literal in so_far:
                model.add_implication(equal, literal)
            so_far = [equal]
