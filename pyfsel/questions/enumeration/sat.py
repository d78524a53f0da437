"""All optimal solutions by a SAT solver: each one found is excluded by a clause."""

from __future__ import annotations

from pyfsel.backends import get_backend
from pyfsel.model.build import Style, build, unsupported
from pyfsel.model.passes import better_than
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.questions.enumeration.single_sets import Take
from pyfsel.results.control import LITERAL, Control

SOLVER = "cadical153"


def refusal(problem: Instance) -> str | None:
    """Return why there are no clauses of the problem, or None."""
    return unsupported(problem) or get_backend("rc2").refusal(problem, LITERAL)


def list_families(problem: Instance, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value."""
    from pysat.solvers import Solver

    from pyfsel.drivers.sat.encoding import encode_model

    asked = better_than(build(problem, Style(order=True)), value - 1)
    with Solver(name=SOLVER, bootstrap_with=encode_model(asked, prices=False).hard) as solver:
        while True:
            control.check_time()
            if not solver.solve():
                return
            model = solver.get_model()
            signed = [[model[var - 1] for var in row] for row in asked.member]
            take(tuple(_members(row) for row in signed))
            solver.add_clause([-literal for row in signed for literal in row])


def _members(row: list[int]) -> FeatureSet:
    return tuple(j for j, literal in enumerate(row) if literal > 0)
