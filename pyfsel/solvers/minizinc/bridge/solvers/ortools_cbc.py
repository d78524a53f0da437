"""The CBC inside OR-Tools, for machines without the program `cbc`."""

from __future__ import annotations

from ortools.linear_solver import pywraplp

from pyfsel.solvers.minizinc.bridge.linear import LinearModel, as_floats
from pyfsel.solvers.minizinc.bridge.protocol import INFEASIBLE, OPTIMAL, UNBOUNDED, UNKNOWN, Reporter
from pyfsel.solvers.minizinc.bridge.solvers import Ending, Settings, Solver

OUTCOMES = {
    pywraplp.Solver.OPTIMAL: OPTIMAL,
    pywraplp.Solver.INFEASIBLE: INFEASIBLE,
    pywraplp.Solver.UNBOUNDED: UNBOUNDED,
}


class OrToolsCbc(Solver):
    """CBC through `pywraplp`; it tells its last solution only."""

    patience = 1.0

    def __init__(self, model: LinearModel, settings: Settings) -> None:
        super().__init__(model, settings)
        self._solver = pywraplp.Solver.CreateSolver("CBC")

    def stop(self) -> None:
        """Interrupt the search."""
        self._solver.InterruptSolve()

    def solve(self, reporter: Reporter) -> Ending:
        """Solve and report the last solution."""
        solver, model = self._solver, self.model
        infinity = solver.infinity()
        bounds = zip(as_floats(model.low, -infinity), as_floats(model.high, infinity), strict=True)
        columns = [
            solver.Var(low, high, whole, f"C{j}")
            for j, ((low, high), whole) in enumerate(zip(bounds, model.integer, strict=True))
        ]
        for row in model.rows:
            constraint = solver.Constraint(float(row.limit) if row.equal else -infinity, float(row.limit))
            for j, c in row.terms.items():
                constraint.SetCoefficient(columns[j], float(c))
        terms, constant = model.cost()
        for j, c in terms.items():
            solver.Objective().SetCoefficient(columns[j], float(c))
        solver.Objective().SetOffset(float(constant))
        solver.Objective().SetOptimizationDirection(model.goal > 0)
        status = solver.Solve(self._parameters())
        outcome = OUTCOMES.get(status, UNKNOWN)
        if status not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
            return Ending(outcome)
        reporter.take_bound(solver.Objective().BestBound())
        reporter.facts["nodes"] = solver.nodes()
        sound = reporter.solution([column.solution_value() for column in columns])
        return Ending(outcome, solver.Objective().Value()) if sound else Ending(UNKNOWN)

    def _parameters(self) -> pywraplp.MPSolverParameters:
        left = self.settings.seconds_left()
        if left is not None:
            self._solver.SetTimeLimit(int(left * 1000))
        if self.settings.threads > 1:
            self._solver.SetNumThreads(self.settings.threads)
        if self.settings.verbose:
            self._solver.EnableOutput()
        parameters = pywraplp.MPSolverParameters()
        parameters.SetDoubleParam(parameters.RELATIVE_MIP_GAP, 0.0)
        return parameters
