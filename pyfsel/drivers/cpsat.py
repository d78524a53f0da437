"""CP-SAT: how it is set up wherever it runs, its bounds as safe integers, and the driver of 0/1 models."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyfsel.errors import SolverError
from pyfsel.model.model import ZeroOneModel
from pyfsel.model.passes import in_digits, with_ends, with_objective
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status, StopReason
from pyfsel.results.control import Control

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

LARGEST_SUM = 2**61  # CP-SAT refuses a row or an objective whose sum could pass 64 bits
DIGIT, FIRST_DIGIT = 2**20, 2**40
FLOAT_MARGIN = 1e-6  # absolute, for small numbers
FLOAT_SLACK = 2.0**-48  # relative: 32 roundings of floats of 53 bits


def new_solver(random_state: int, seconds: float = math.inf, n_threads: int = 1) -> cp_model.CpSolver:
    """Return a solver with these limits, which leaves Ctrl-C to Python.

    Left alone, CP-SAT takes the handler of SIGINT away for good: after its first solve, Ctrl-C would kill the
    process without a word, and what was found would be lost.

    It does not look for constraints included in each other when it presolves: with coefficients of 2³⁰ this
    loses solutions (OR-Tools 9.15: a row that a set just keeps, in addition to the sizes of the sets, in 1 of
    25 random cases), and without it no solution was lost and no case became slower.

    Parameters
    ----------
    random_state : int
    seconds : float, optional
        Wall-clock limit.
    n_threads : int

    Examples
    --------
    >>> new_solver(7).parameters.random_seed
    7
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = n_threads
    solver.parameters.catch_sigint_signal = False
    solver.parameters.presolve_inclusion_work_limit = 0
    solver.parameters.random_seed = random_state % 2**31
    solver.parameters.max_time_in_seconds = seconds
    return solver


def margin_of(model: cp_model.CpModel) -> float:
    """Return what makes the bounds of CP-SAT safe: an upper bound plus it, rounded down, is one in integers.

    CP-SAT adds up a float offset while it presolves, so its bounds are off by the rounding errors of the
    largest number the objective can reach: seen with -100000000000.00008 for the optimum -100000000000.

    Examples
    --------
    >>> from ortools.sat.python import cp_model
    >>> model = cp_model.CpModel()
    >>> model.maximize(10**12 * model.new_int_var(-1, 0, ""))
    >>> [math.floor(bound + margin_of(model)) for bound in (-0.0008, -0.8)]
    [0, -1]
    """
    objective, variables = model.proto.objective, model.proto.variables
    reached = (
        abs(coefficient) * max(map(abs, variables[max(number, -1 - number)].domain))
        for number, coefficient in zip(objective.vars, objective.coeffs, strict=True)
    )
    return FLOAT_MARGIN + FLOAT_SLACK * float(sum(reached))


class CpSatProgram:
    """A model as CP-SAT reads it.

    Parameters
    ----------
    m : ZeroOneModel

    Attributes
    ----------
    model : CpModel
    x : list of CP-SAT variables
        By the numbers of the model's variables, the first of which is 1.

    Examples
    --------
    >>> m = ZeroOneModel()
    >>> m.reward([(3, m.new("x")), (-2, m.new("y"))])
    >>> program, solver = CpSatProgram(m), new_solver(7)
    >>> status = solver.solve(program.model)
    >>> solver.objective_value, [solver.value(x) for x in program.x[1:]]
    (3.0, [1, 0])
    """

    def __init__(self, m: ZeroOneModel) -> None:
        from ortools.sat.python import cp_model

        m = _carried(with_ends(m))
        self.model = cp_model.CpModel()
        domains = (m.bounds(v) for v in range(1, m.n + 1))
        self.x: list[Any] = [None, *(self.model.new_int_var(*ends, "") for ends in domains)]
        for clause in m.clauses:
            self.model.add_bool_or([self.x[a] if a > 0 else ~self.x[-a] for a in clause])
        for row in m.rows:
            low = cp_model.INT_MIN if row.low is None else row.low
            high = cp_model.INT_MAX if row.high is None else row.high
            self.model.add_linear_constraint(self._sum(row.terms), low, high)
        self._constant = m.constant
        if m.weights or m.constant:
            self.model.maximize(self._sum(m.weights, m.constant))

    def _sum(self, terms: dict[int, int], constant: int = 0) -> Any:
        from ortools.sat.python.cp_model import LinearExpr

        return LinearExpr.weighted_sum([self.x[v] for v in terms], list(terms.values())) + constant

    def limit(self, bound: int) -> None:
        """State that the objective is at most a bound."""
        least = self._constant - bound  # of what it minimises
        self.model.proto.objective.domain.extend([least, LARGEST_SUM])


def _carried(m: ZeroOneModel) -> ZeroOneModel:
    """Return a model whose sums are numbers that CP-SAT carries."""

    def is_large(terms: dict[int, int]) -> bool:
        return max(map(abs, m.reach(terms))) > LARGEST_SUM

    if is_large(m.weights):
        m = with_objective(m)
    if any(is_large(row.terms) for row in m.rows):
        m = in_digits(replace(m, reals=set()), FIRST_DIGIT, DIGIT, FIRST_DIGIT)
    return m


def solve(m: ZeroOneModel, control: Control) -> BackendAnswer:
    """Solve a model; the bound on an optimum is left to the caller, as CP-SAT's own is a float.

    Parameters
    ----------
    m : ZeroOneModel
    control : Control
        A hint is in the order of the model's sets.
    """
    from ortools.sat.python import cp_model

    program = CpSatProgram(m)
    if control.known_bound is not None:
        program.limit(control.known_bound)
    for v, inside in m.memberships(control.hint):
        program.model.add_hint(program.x[v], inside)
    margin = margin_of(program.model)
    solver = new_solver(control.limits.random_state, control.remaining(), control.limits.n_threads)
    heard = [] if control.known_bound is None else [control.known_bound]

    class CpSatListener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            control.report_sets(m.sets(lambda v: self.value(program.x[v])))

    def listen(native: float) -> None:
        if abs(native) <= 2 * m.limits[1]:
            heard.append(math.floor(native + margin))
            control.report_bound(heard[-1])

    solver.best_bound_callback = listen
    native = solver.solve(program.model, CpSatListener())
    if native == cp_model.INFEASIBLE:
        return BackendAnswer(Status.INFEASIBLE)
    if native == cp_model.UNKNOWN:
        # best_objective_bound is 0 where the search was stopped before it began
        return BackendAnswer.unproved(None, min(heard, default=None))
    if native not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise SolverError(f"cpsat: returned status {solver.status_name(native)}: {program.model.validate()}")
    sets = m.sets(lambda v: solver.value(program.x[v]))
    stated = Stated(solver.objective_value, margin)
    if native == cp_model.OPTIMAL:
        return BackendAnswer(Status.OPTIMAL, sets, stated=stated)
    listen(solver.best_objective_bound)
    return BackendAnswer(Status.FEASIBLE, sets, min(heard), StopReason.TIME_LIMIT, stated=stated)
