"""CP-SAT of OR-Tools, which wants integers with bounds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyfsel.drivers.cpsat import Program, new_solver
from pyfsel.drivers.linear.connection import Ending, Listener, Outcome, Settings, Solver
from pyfsel.drivers.linear.exact import Bounds
from pyfsel.drivers.linear.model import LinearModel
from pyfsel.errors import InputError
from pyfsel.model.model import Model

LARGEST = 2**50  # of values: CP-SAT adds products in 64 bits; large coefficients are written in digits


def make(model: LinearModel, settings: Settings) -> Solver:
    """Return a CP-SAT solver of the model."""
    try:
        import ortools.sat.python.cp_model  # noqa: F401
    except ImportError as error:
        raise InputError(f"CP-SAT cannot be loaded (pip install ortools): {error}") from None
    if not all(model.integer):
        name = model.name_of(model.integer.index(False))
        raise InputError(f"{name} is a float variable, which CP-SAT lacks")
    numbers = (number for row in model.rows for number in (row.limit, *row.terms.values()))
    if not all(isinstance(number, int) for number in numbers):
        raise InputError("float coefficients, which CP-SAT lacks")
    return CpSat(model, settings)


class CpSat(Solver):
    """CP-SAT; solutions and bounds come as they are found."""

    def __init__(self, model: LinearModel, settings: Settings) -> None:
        super().__init__(model, settings)
        self._solver = new_solver(settings.seed, n_threads=settings.threads)
        self._stopped = False

    def stop(self) -> None:
        """Interrupt the search."""
        self._stopped = True
        self._solver.stop_search()

    def solve(self, listener: Listener) -> Ending:
        """Solve and report."""
        from ortools.sat.python import cp_model

        bounds = Bounds(self.model)
        if not bounds.tighten(range(len(self.model.rows))):
            return Ending(Outcome.INFEASIBLE)
        program = self._program(bounds)
        if self.settings.verbose:
            self._show_log()
        if self._stopped:
            return Ending(Outcome.UNKNOWN)
        solver, goal = self._solver, self.model.goal
        if goal:
            solver.best_bound_callback = lambda bound: listener.take_bound(goal * bound)
        with self._limited():
            columns = program.x[1 : 1 + self.model.n_columns]  # without the digits of large numbers
            status = solver.solve(program.model, _listener(cp_model, columns, listener))
        if status == cp_model.MODEL_INVALID:
            raise InputError(f"CP-SAT refuses the model: {program.model.validate()}")
        listener.facts["nodes"] = solver.num_branches
        if status == cp_model.OPTIMAL:
            return Ending(Outcome.OPTIMAL, goal * solver.objective_value if goal else None)
        if status == cp_model.FEASIBLE and goal:
            listener.take_bound(goal * solver.best_objective_bound)
        return Ending(Outcome.INFEASIBLE if status == cp_model.INFEASIBLE else Outcome.UNKNOWN)

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Stop the search when its time is up.

        CP-SAT's own limit ends it earlier by as long as it once did not get to look at the clock.
        """
        left = self.settings.seconds_left()
        if left is None:
            yield
            return
        timer = threading.Timer(left, self.stop)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _show_log(self) -> None:
        self._solver.parameters.log_search_progress = True
        self._solver.parameters.log_to_stdout = False
        self._solver.log_callback = lambda text: print(text, file=sys.stderr)

    def _program(self, bounds: Bounds) -> Program:
        """Return the model that all problems are written of, which CP-SAT maximises."""
        m = Model()
        for j, (low, high) in enumerate(zip(bounds.low, bounds.high, strict=True)):
            if low is None or high is None:
                name = self.model.name_of(j)
                raise InputError(f"{name} is an integer without bounds, which CP-SAT lacks")
            if max(-low, high) > LARGEST:
                raise InputError("values beyond 2^50, which CP-SAT may not be able to add")
            m.integer(int(low), int(high), "C", j)
        for row in filter(lambda row: row.terms, self.model.rows):
            m.row(_terms(row.terms, 1), _whole(row.low), _whole(row.high))
        weights, constant = self.model.cost()
        m.reward(_terms(weights, self.model.goal))
        m.constant = self.model.goal * int(constant)
        least, most = m.reach(m.weights)
        m.limits = least + m.constant, most + m.constant
        return Program(m)


def _terms(terms: dict[int, Any], sign: int) -> list[tuple[int, int]]:
    return [(sign * int(c), j + 1) for j, c in terms.items()]


def _whole(limit: Any) -> int | None:
    return None if limit is None else int(limit)


def _listener(cp_model: Any, columns: list[Any], listener: Listener) -> Any:
    class Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            listener.solution([self.value(column) for column in columns])

    return Listener()
