"""The MIP solvers: HiGHS through highspy, CBC and SCIP through OR-Tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pyfsel.backends.mip.linear_model import LinearModel
from pyfsel.backends.mip.scaling import FloatModel, in_floats
from pyfsel.errors import BackendError
from pyfsel.results.control import Control

LATEST_SECONDS = 0.15
SHORTEST_SECONDS = 0.01
HIGHS_TOLERANCE = 1e-9
SCIP_OPTIONS = """
numerics/feastol = 1e-9
numerics/dualfeastol = 1e-9
limits/absgap = 0
limits/gap = 0
randomization/randomseedshift = {seed}
"""

Values = Mapping[str, float]


@dataclass(frozen=True)
class MipRun:
    """What a solver says in floating point: minimised cost, lower bound on it, values by variable.

    `outcome` is "optimal", "infeasible" or "limit".
    """

    outcome: str
    values: Values | None = None
    cost: float | None = None
    bound: float | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MipTask:
    """A model, the limits, values to start from, and where solutions and bounds on the cost are reported."""

    model: LinearModel
    control: Control
    start: Values
    on_values: Callable[[Values, float], None]
    on_bound: Callable[[float], None]

    @property
    def seconds(self) -> float | None:
        """Time for the solver itself, a little less than is left."""
        left = self.control.remaining()
        return None if left is None else max(SHORTEST_SECONDS, left - LATEST_SECONDS)


def run_highs(task: MipTask) -> MipRun:
    """Minimise with HiGHS; solutions and bounds are reported as they come.

    Its tolerance of integrality stays as it is: with 1e-9, HiGHS 1.15 cuts optima off.
    """
    import highspy

    model = in_floats(task.model)
    names = [*model.binary, *model.carries, *model.free]
    highs = highspy.Highs()
    highs.silent()
    for option, value in {
        "threads": task.control.limits.n_threads,
        "random_seed": task.control.limits.random_state,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "primal_feasibility_tolerance": HIGHS_TOLERANCE,
        "dual_feasibility_tolerance": HIGHS_TOLERANCE,
        "time_limit": highspy.kHighsInf if task.seconds is None else task.seconds,
    }.items():
        highs.setOptionValue(option, value)
    highs.passModel(_highs_lp(model, names))
    if task.start:
        index = {name: i for i, name in enumerate(names)}
        given = np.array([index[name] for name in task.start], np.int32)
        highs.setSolution(len(given), given, np.array(list(task.start.values())))

    def found(event: Any) -> None:
        values = dict(zip(names, event.data_out.mip_solution, strict=True))
        task.on_values(values, event.data_out.objective_function_value * model.unit)

    highs.cbMipImprovingSolution += found
    highs.cbMipInterrupt += lambda event: task.on_bound(event.data_out.mip_dual_bound * model.unit)
    highs.run()
    return _highs_run(highs, names, model.unit)


def _highs_run(highs: Any, names: list[str], unit: float) -> MipRun:
    import highspy

    native, info = highs.getModelStatus(), highs.getInfo()
    statistics = {"nodes": info.mip_node_count, "simplex_iterations": info.simplex_iteration_count}
    outcomes = {
        highspy.HighsModelStatus.kOptimal: "optimal",
        highspy.HighsModelStatus.kInfeasible: "infeasible",
        highspy.HighsModelStatus.kTimeLimit: "limit",
        highspy.HighsModelStatus.kInterrupt: "limit",
    }
    if native not in outcomes:
        raise BackendError(f"HiGHS ended with status {highs.modelStatusToString(native)}")
    feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return MipRun(
        outcomes[native],
        dict(zip(names, highs.getSolution().col_value, strict=True)) if feasible else None,
        info.objective_function_value * unit if feasible else None,
        info.mip_dual_bound * unit,
        statistics,
    )


def _highs_lp(model: FloatModel, names: list[str]) -> Any:
    import highspy

    index = {name: i for i, name in enumerate(names)}
    n = len(names)
    bounds = [(0, 1) for _ in model.binary] + list(model.carries.values())
    n_integer, unlimited = len(bounds), np.full(n - len(bounds), highspy.kHighsInf)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n, len(model.rows)
    cost = np.zeros(n)
    for coefficient, name in model.cost:
        cost[index[name]] += coefficient
    lp.col_cost_ = cost
    lp.col_lower_ = np.r_[[float(low) for low, _ in bounds], -unlimited]
    lp.col_upper_ = np.r_[[float(high) for _, high in bounds], unlimited]
    lp.integrality_ = [
        highspy.HighsVarType.kInteger if i < n_integer else highspy.HighsVarType.kContinuous for i in range(n)
    ]
    lp.row_lower_ = np.array([row.low for row in model.rows])
    lp.row_upper_ = np.array([row.high for row in model.rows])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0, *(len(row.terms) for row in model.rows)])
    lp.a_matrix_.index_ = np.array([index[name] for row in model.rows for _, name in row.terms], np.int32)
    lp.a_matrix_.value_ = np.array([c for row in model.rows for c, _ in row.terms])
    return lp


def run_ortools(native_name: str, task: MipTask) -> MipRun:
    """Minimise with a solver inside OR-Tools, such as CBC or SCIP; only the last solution is returned."""
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver(native_name)
    if solver is None:
        raise BackendError(f"OR-Tools has no {native_name}")
    model = in_floats(task.model)
    variables = {name: solver.BoolVar(name) for name in model.binary}
    variables |= {name: solver.IntVar(low, high, name) for name, (low, high) in model.carries.items()}
    variables |= {name: solver.NumVar(-solver.infinity(), solver.infinity(), name) for name in model.free}
    for row in model.rows:
        constraint = solver.Constraint(row.low, row.high, row.name)
        for coefficient, name in row.terms:
            constraint.SetCoefficient(variables[name], coefficient)
    objective = solver.Objective()
    for coefficient, name in model.cost:
        variable = variables[name]
        objective.SetCoefficient(variable, objective.GetCoefficient(variable) + coefficient)
    objective.SetMinimization()
    if task.start:
        solver.SetHint([variables[name] for name in task.start], list(task.start.values()))
    if native_name == "SCIP":
        solver.SetSolverSpecificParametersAsString(SCIP_OPTIONS.format(seed=task.control.limits.random_state))
    elif task.control.limits.n_threads > 1:
        solver.SetNumThreads(task.control.limits.n_threads)
    if task.seconds is not None:
        solver.SetTimeLimit(max(1, int(1000 * task.seconds)))
    parameters = pywraplp.MPSolverParameters()
    parameters.SetDoubleParam(parameters.RELATIVE_MIP_GAP, 0.0)
    native = solver.Solve(parameters)
    outcomes = {
        solver.OPTIMAL: "optimal",
        solver.INFEASIBLE: "infeasible",
        solver.FEASIBLE: "limit",
        solver.NOT_SOLVED: "limit",
    }
    if native not in outcomes:
        raise BackendError(f"{native_name} ended with status {native}")
    found = native in (solver.OPTIMAL, solver.FEASIBLE)
    return MipRun(
        outcomes[native],
        {name: variable.solution_value() for name, variable in variables.items()} if found else None,
        objective.Value() * model.unit if found else None,
        objective.BestBound() * model.unit if found else None,
        {"nodes": solver.nodes(), "simplex_iterations": solver.iterations()},
    )
