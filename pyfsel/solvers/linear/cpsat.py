"""CP-SAT of OR-Tools, which wants integers with bounds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyfsel.errors import BackendMissingError, UnsupportedError
from pyfsel.solvers.cpsat import new_solver
from pyfsel.solvers.linear.connection import Ending, Listener, Outcome, Settings, Solver
from pyfsel.solvers.linear.exact import Bounds
from pyfsel.solvers.linear.model import COMPARISONS, LinearModel

LARGEST = 2**50  # CP-SAT adds products in 64 bits: thousands of terms of this size fit


def make(model: LinearModel, settings: Settings) -> Solver:
    """Return a CP-SAT solver of the model."""
    try:
        import ortools.sat.python.cp_model  # noqa: F401
    except ImportError as error:
        raise BackendMissingError(f"CP-SAT cannot be loaded (pip install ortools): {error}") from None
    if not all(model.integer):
        name = model.name_of(model.integer.index(False))
        raise UnsupportedError(f"{name} is a float variable, which CP-SAT lacks")
    numbers = (number for row in model.rows for number in (row.limit, *row.terms.values()))
    if not all(isinstance(number, int) for number in numbers):
        raise UnsupportedError("float coefficients, which CP-SAT lacks")
    if model.largest_number() > LARGEST:
        raise UnsupportedError("numbers beyond 2^50, which CP-SAT may not be able to add")
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
        program, columns = self._program(cp_model.CpModel(), bounds)
        if self.settings.verbose:
            self._show_log()
        if self._stopped:
            return Ending(Outcome.UNKNOWN)
        solver = self._solver
        if self.model.goal != 0:
            solver.best_bound_callback = listener.take_bound
        with self._limited():
            status = solver.solve(program, _listener(cp_model, columns, listener))
        if status == cp_model.MODEL_INVALID:
            raise UnsupportedError(f"CP-SAT refuses the model: {program.validate()}")
        listener.facts["nodes"] = solver.num_branches
        if status == cp_model.OPTIMAL:
            return Ending(Outcome.OPTIMAL, solver.objective_value if self.model.goal else None)
        if status == cp_model.FEASIBLE and self.model.goal:
            listener.take_bound(solver.best_objective_bound)
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

    def _program(self, program: Any, bounds: Bounds) -> tuple[Any, list[Any]]:
        from ortools.sat.python.cp_model import LinearExpr

        columns = []
        for j, (low, high) in enumerate(zip(bounds.low, bounds.high, strict=True)):
            if low is None or high is None or max(-low, high) > LARGEST:
                name = self.model.name_of(j)
                raise UnsupportedError(f"{name} is an integer without bounds, which CP-SAT lacks")
            columns.append(program.new_int_var(int(low), int(high), f"C{j}"))

        def total(terms: dict[int, Any]) -> Any:
            return LinearExpr.weighted_sum([columns[j] for j in terms], list(terms.values()))

        for row in self.model.rows:
            if row.terms:
                program.add(COMPARISONS[row.sense](total(row.terms), row.limit))
        if self.model.goal != 0:
            terms, constant = self.model.cost()
            (program.maximize if self.model.goal > 0 else program.minimize)(total(terms) + constant)
        return program, columns


def _listener(cp_model: Any, columns: list[Any], listener: Listener) -> Any:
    class Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            listener.solution([self.value(column) for column in columns])

    return Listener()
