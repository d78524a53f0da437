"""All optimal solutions by CP-SAT's own enumeration.

The model has no dominance, and every auxiliary variable is determined by the memberships, so each family
of sets is one solution: the sets are in lexicographic order, equal ones next to each other.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from pyfsel.algorithms.cfs.step import Step
from pyfsel.backends import get_backend
from pyfsel.drivers.cpsat import Program, new_solver
from pyfsel.errors import SolverError
from pyfsel.model.build import build
from pyfsel.model.model import Model
from pyfsel.model.passes import better_than
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SUM_AND_MIN, Kind
from pyfsel.questions.enumeration.single_sets import EnoughError, Take
from pyfsel.results.control import LITERAL, Control, OutOfTimeError


def refusal(problem: Instance) -> str | None:
    """Return why CP-SAT does not take the problem, or None."""
    if Kind.MAXIMA in problem_values.kinds_of(problem):
        return "of maxima its model has several solutions for one set"
    return get_backend("cpsat").refusal(problem, LITERAL)


def list_families(problem: Instance, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value."""
    from ortools.sat.python import cp_model

    m = _model(problem, value)
    program = Program(m)
    solver = new_solver(control.limits.random_state, control.remaining())
    solver.parameters.enumerate_all_solutions = True

    class Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        enough = False

        def on_solution_callback(self) -> None:
            family = m.sets(lambda v: self.value(program.x[v]))
            try:
                if not self.enough and problem_values.total(problem, family) >= value:
                    take(family)
            except EnoughError:
                self.enough = True
                self.stop_search()

    listener = Listener()
    native = solver.solve(program.model, listener)
    if listener.enough:
        raise EnoughError
    if native in (cp_model.UNKNOWN, cp_model.FEASIBLE):
        raise OutOfTimeError
    if native not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise SolverError(f"cpsat: returned status {solver.status_name(native)}: {program.model.validate()}")


def _model(problem: Instance, value: int) -> Model:
    """Return the model of all solutions that reach the value.

    The value of CFS (paper 000, Eq. 20) is a graph score of other weights that is not negative; rounded
    weights let further sets through.
    """
    is_cfs = problem_values.takes_steps(problem)
    problem, value = (Step.of(problem, value).problem, 0) if is_cfs else (problem, value)
    m = build(problem)
    if problem.aggregate in SUM_AND_MIN:
        m = better_than(m, value - 1)
    else:  # a variable for the smallest value would have several values
        m = replace(m, weights={}, constant=0, of_min=0, of_max=0)
    for first, second in pairwise(m.member):
        _order(m, first, second)
    return m


def _order(m: Model, first: list[int], second: list[int]) -> None:
    """Order two sets lexicographically, by variables that are true where the sets agree so far."""
    so_far: list[int] = []
    for a, b in zip(first, second, strict=True):
        before = [-literal for literal in so_far]
        m.clause(*before, a, -b)
        equal = m.new("equal", a, b)
        for one, other in ((a, b), (-a, -b)):
            m.clause(*before, equal, one, other)
            m.clause(-equal, one, -other)
        for literal in so_far:
            m.clause(-equal, literal)
        so_far = [equal]
