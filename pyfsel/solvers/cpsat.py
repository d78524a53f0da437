"""How CP-SAT is set up wherever it runs, and its bounds, which are floats, as safe integers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

FLOAT_MARGIN = 1e-6  # absolute, for small numbers
FLOAT_SLACK = 2.0**-48  # relative: 32 roundings of floats of 53 bits


def new_solver(
    random_state: int | None, seconds: float | None = None, n_threads: int = 1
) -> cp_model.CpSolver:
    """Return a solver with these limits, which leaves Ctrl-C to Python.

    Left alone, CP-SAT takes the handler of SIGINT away for good: after its first solve, Ctrl-C would kill the
    process without a word, and what was found would be lost.

    It does not look for constraints included in each other when it presolves: with coefficients of 2³⁰ this
    loses solutions (OR-Tools 9.15: a row that a set just keeps, beside the sizes of the sets, in 1 of 25
    random cases), and without it no solution was lost and no case became slower.

    Parameters
    ----------
    random_state : int or None
        None is CP-SAT's own seed.
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
    if random_state is not None:
        solver.parameters.random_seed = random_state % 2**31
    if seconds is not None:
        solver.parameters.max_time_in_seconds = seconds
    return solver


class IntegerBounds:
    """Turns the bounds of CP-SAT into integers that are safe.

    CP-SAT adds up a float offset while it presolves, so that its bounds are off by the rounding errors of the
    largest number the objective can reach: seen with -100000000000.00008 for the optimum -100000000000.

    Parameters
    ----------
    model : CpModel
        With its objective.

    Examples
    --------
    >>> from ortools.sat.python import cp_model
    >>> model = cp_model.CpModel()
    >>> model.maximize(10**12 * model.new_int_var(-1, 0, ""))
    >>> IntegerBounds(model).upper(-0.0008), IntegerBounds(model).upper(-0.8)
    (0, -1)
    """

    def __init__(self, model: cp_model.CpModel) -> None:
        objective, variables = model.proto.objective, model.proto.variables
        reached = (
            abs(coefficient) * max(map(abs, variables[max(number, -1 - number)].domain))
            for number, coefficient in zip(objective.vars, objective.coeffs, strict=True)
        )
        self.margin: float = FLOAT_MARGIN + FLOAT_SLACK * sum(reached)

    def upper(self, native: float) -> int:
        """Return an upper bound on what is maximised."""
        return math.floor(native + self.margin)

    def lower(self, native: float) -> int:
        """Return a lower bound on what is minimised."""
        return math.ceil(native - self.margin)
