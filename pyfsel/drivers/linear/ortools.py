"""CBC and SCIP inside OR-Tools, for machines without the program `cbc` or PySCIPOpt."""

from __future__ import annotations

import math

from ortools.linear_solver import pywraplp

from pyfsel.drivers.linear.connection import ClockedSolver, Ending, Listener, Outcome, Settings
from pyfsel.drivers.linear.model import LinearModel, as_floats

OUTCOMES = {
    pywraplp.Solver.OPTIMAL: Outcome.OPTIMAL,
    pywraplp.Solver.FEASIBLE: Outcome.LIMIT,
    pywraplp.Solver.INFEASIBLE: Outcome.INFEASIBLE,
    pywraplp.Solver.UNBOUNDED: Outcome.UNBOUNDED,
    pywraplp.Solver.NOT_SOLVED: Outcome.LIMIT,
}
SCIP_OPTIONS = """
numerics/feastol = 1e-9
numerics/dualfeastol = 1e-9
limits/absgap = 0
limits/gap = 0
randomization/randomseedshift = {seed}
"""


class OrTools(ClockedSolver):
    """CBC or SCIP through `pywraplp`; they tell their last solution only.

    Parameters
    ----------
    model, settings
        As for all solvers; CBC has no seed here.
    name : {"CBC", "SCIP"}
    """

    patience = 1.0

    def __init__(self, model: LinearModel, settings: Settings, name: str) -> None:
        super().__init__(model, settings)
        self._name = name
        self._solver = pywraplp.Solver.CreateSolver(name)

    def stop(self) -> None:
        """Interrupt the search."""
        self._solver.InterruptSolve()

    def solve(self, listener: Listener) -> Ending:
        """Solve and report the last solution."""
        solver, model = self._solver, self.model
        infinity = solver.infinity()
        bounds = zip(as_floats(model.low, -infinity), as_floats(model.high, infinity), strict=True)
        columns = [
            solver.Var(low, high, whole, f"C{j}")
            for j, ((low, high), whole) in enumerate(zip(bounds, model.integer, strict=True))
        ]
        lowest = as_floats((row.low for row in model.rows), -infinity)
        highest = as_floats((row.high for row in model.rows), infinity)
        for row, low, high in zip(model.rows, lowest, highest, strict=True):
            constraint = solver.Constraint(low, high)
            for j, c in row.terms.items():
                constraint.SetCoefficient(columns[j], float(c))
        terms, constant = model.cost()
        for j, c in terms.items():
            solver.Objective().SetCoefficient(columns[j], float(c))
        solver.Objective().SetOffset(float(constant))
        solver.Objective().SetOptimizationDirection(model.goal > 0)
        if self.settings.start:
            solver.SetHint(
                [columns[j] for j, _ in self.settings.start], [value for _, value in self.settings.start]
            )
        status = solver.Solve(self._parameters())
        outcome = OUTCOMES.get(status, Outcome.UNKNOWN)
        if outcome in (Outcome.INFEASIBLE, Outcome.UNBOUNDED) and self.is_out_of_time():
            outcome = Outcome.LIMIT  # CBC says so when it is cut short, see `pyfsel.drivers.linear.cbc`
        ending = Ending(outcome, native=f"status {status}")
        if status not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
            return ending
        value, bound = solver.Objective().Value(), solver.Objective().BestBound()
        listener.take_bound(model.goal * max(model.goal * value, model.goal * bound))  # see `CbcProgram`
        listener.facts["nodes"] = solver.nodes()
        sound = listener.solution([column.solution_value() for column in columns])
        return ending._replace(claimed=value) if sound else Ending(Outcome.UNKNOWN)

    def _parameters(self) -> pywraplp.MPSolverParameters:
        settings = self.settings
        left = self.start_clock()
        if left is not None:
            self._solver.SetTimeLimit(math.ceil(left * 1000))
        if self._name == "SCIP":
            options = SCIP_OPTIONS.format(seed=(settings.seed or 0) % 2**31)
            self._solver.SetSolverSpecificParametersAsString(options)
        elif settings.threads > 1:
            self._solver.SetNumThreads(settings.threads)
        if settings.verbose:
            self._solver.EnableOutput()
        parameters = pywraplp.MPSolverParameters()
        parameters.SetDoubleParam(parameters.RELATIVE_MIP_GAP, 0.0)
        return parameters
