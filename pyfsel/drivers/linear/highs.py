"""HiGHS through highspy."""

from __future__ import annotations

import threading
from typing import Any

from pyfsel.drivers.linear.connection import Ending, Listener, Outcome, Settings, Solver, require_floats
from pyfsel.drivers.linear.model import LinearModel, as_floats
from pyfsel.errors import InputError

TOLERANCE = 1e-9
HAS_SOLUTION = 2  # highspy's kSolutionStatusFeasible

_started = threading.Lock()
_n_threads: set[int] = set()


def use_threads(highs: Any, n_threads: int) -> None:
    """Let a solver run with so many threads.

    HiGHS keeps one pool of threads for a whole process, as large as the first run asks for, and fails in a
    run that asks for another number: the pool is given up where the number changes.
    """
    with _started:
        if n_threads not in _n_threads:
            highs.resetGlobalScheduler(True)
            _n_threads.clear()
            _n_threads.add(n_threads)
    highs.setOptionValue("threads", n_threads)


def make(model: LinearModel, settings: Settings) -> Solver:
    """Return a HiGHS solver of the model."""
    require_floats(model)
    try:
        import highspy  # noqa: F401
    except ImportError as error:
        raise InputError(f"HiGHS cannot be loaded (pip install highspy): {error}") from None
    return Highs(model, settings)


class Highs(Solver):
    """HiGHS; solutions and bounds come as they are found.

    Its tolerance of integrality stays as it is: with 1e-9, HiGHS 1.15 cuts optima off where numbers go up to
    10^6 (5 of 57 small problems). Solutions are checked in integers anyway.

    A start is given to models of integers only. With real columns, HiGHS 1.16 has been seen to take one over
    into its presolved model as a solution that the original does not have, and to call that optimal: a start
    of cost 14 counted as -50 there, where the optimum is -40.
    """

    def solve(self, listener: Listener) -> Ending:
        """Solve and report."""
        import highspy

        highs = highspy.Highs()
        for name, value in self._options().items():
            highs.setOptionValue(name, value)
        use_threads(highs, self.settings.threads)
        highs.passModel(self._program(highspy))
        if self.settings.start and all(self.model.integer):
            highs.setSolution(len(self.settings.start), *map(list, zip(*self.settings.start, strict=True)))
        self._listen(highs, listener)
        if highs.run() == highspy.HighsStatus.kError:
            return Ending(Outcome.UNKNOWN, native="an error")
        info, status = highs.getInfo(), highs.getModelStatus()
        listener.facts["nodes"] = max(0, info.mip_node_count)
        native = highs.modelStatusToString(status)
        statuses = highspy.HighsModelStatus
        outcome = {
            statuses.kOptimal: Outcome.OPTIMAL,
            statuses.kInfeasible: Outcome.INFEASIBLE,
            statuses.kUnbounded: Outcome.UNBOUNDED,
            statuses.kUnboundedOrInfeasible: Outcome.INFEASIBLE_OR_UNBOUNDED,
            statuses.kTimeLimit: Outcome.LIMIT,
            statuses.kInterrupt: Outcome.LIMIT,
        }.get(status, Outcome.UNKNOWN)
        if any(self.model.integer):
            listener.take_bound(info.mip_dual_bound)
        if info.primal_solution_status != HAS_SOLUTION:
            return Ending(outcome, native=native)
        sound = listener.solution(highs.getSolution().col_value)
        return Ending(outcome, info.objective_function_value, native) if sound else Ending(Outcome.UNKNOWN)

    def _options(self) -> dict[str, object]:
        options: dict[str, object] = {
            "output_flag": False,
            "log_to_console": False,
            "mip_rel_gap": 0.0,
            "mip_abs_gap": 0.0,
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        }
        left = self.settings.seconds_left()
        if left is not None:
            options["time_limit"] = left
        if self.settings.seed is not None:
            options["random_seed"] = self.settings.seed
        return options

    def _program(self, highspy: Any) -> Any:
        model, infinity = self.model, highspy.kHighsInf
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = model.n_columns, len(model.rows)
        program.col_cost_ = [float(model.weights.get(j, 0)) for j in range(model.n_columns)]
        program.col_lower_ = as_floats(model.low, -infinity)
        program.col_upper_ = as_floats(model.high, infinity)
        program.row_lower_ = as_floats((row.low for row in model.rows), -infinity)
        program.row_upper_ = as_floats((row.high for row in model.rows), infinity)
        kinds = highspy.HighsVarType
        program.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in model.integer]
        starts = [0]
        for row in model.rows:
            starts.append(starts[-1] + len(row.terms))
        matrix = program.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        matrix.num_col_, matrix.num_row_ = model.n_columns, len(model.rows)
        matrix.start_ = starts
        matrix.index_ = [j for row in model.rows for j in row.terms]
        matrix.value_ = [float(c) for row in model.rows for c in row.terms.values()]
        return program

    def _listen(self, highs: Any, listener: Listener) -> None:
        def improved(event: Any) -> None:
            listener.solution(list(event.data_out.mip_solution))

        def asked(event: Any) -> None:
            listener.take_bound(event.data_out.mip_dual_bound)

        highs.cbMipImprovingSolution.subscribe(improved)
        highs.cbMipInterrupt.subscribe(asked)
