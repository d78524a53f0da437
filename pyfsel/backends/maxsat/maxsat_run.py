"""One run of a MaxSAT solver: the file, the process, its lines ``o``, ``s``, ``v``, and a truthful claim."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.backends.decode import true_variables
from pyfsel.drivers.processes.guarded import GuardedProgram, how_ended
from pyfsel.drivers.sat.maxsat_encoding import encode_model
from pyfsel.drivers.sat.opb import opb_lines, pseudo_boolean
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.model.dual_values import prices_pay
from pyfsel.model.model import ZeroOneModel
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status, StopReason
from pyfsel.results.control import Control
from pyfsel.results.verify import violations

TERMINATE_SECONDS = 0.5  # before the deadline: time to print the best model
KILL_SECONDS = 0.1
LONGEST_MESSAGE = 300  # characters of what the program says at its end
OPTIMUM, SATISFIABLE, UNSATISFIABLE, UNKNOWN = "OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", "UNKNOWN"


def run_maxsat(
    command: Sequence[str], mark: str, problem: Instance, m: ZeroOneModel, control: Control
) -> BackendAnswer:
    """Write the model of a problem, run the command with the file for its mark, and return the claim.

    Models that come with costs on the way are reported. Half a second before the deadline the program gets
    SIGTERM, on which most solvers print their best model.

    Raises
    ------
    SolverError
        If the program ended without a status before its time, or its output makes no sense.
    FalseClaimError
        If a model violates the problem, or has another objective than was claimed.
    """
    with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder:
        path = Path(folder, "problem.opb" if mark == "{opb}" else "problem.wcnf")
        with path.open("w", encoding="ascii") as file:
            constant = _write(file, mark, m, prices_pay(m, control.formulation))
        if control.expired():
            return BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
        output = _Output(problem, m, constant, control)
        with _running([word.replace(mark, str(path)) for word in command], control) as program:
            for line in program.lines():
                output.take(line.decode(errors="replace").rstrip("\r\n"))
            return output.answer(*program.exit_code_and_log())


def _write(file: IO[str], mark: str, m: ZeroOneModel, prices: bool) -> int:
    """Write a model, and return what the objective and the cost in the file add up to."""
    if mark == "{opb}":
        rows = pseudo_boolean(m)
        file.writelines(f"{line}\n" for line in opb_lines(rows))
        return rows.constant
    formula = encode_model(m, prices)
    formula.to_wcnf().to_fp(file, format="legacy" if mark == "{classic_wcnf}" else "mse22")
    return formula.constant


@contextmanager
def _running(words: list[str], control: Control) -> Iterator[GuardedProgram]:
    """Start a program; end all that it started at the deadline or with an exception: first politely.

    Timers do so whether it prints without an end, nothing, or has closed its output.
    """
    with GuardedProgram(words) as program:
        left, timers = control.remaining(), []
        if left < inf:
            for early, end in ((TERMINATE_SECONDS, program.terminate), (KILL_SECONDS, program.kill)):
                timer = threading.Timer(max(0.0, left - early), end)
                timer.daemon = True
                timer.start()
                timers.append(timer)
        try:
            yield program
        finally:
            for timer in timers:
                timer.cancel()


class _Output:
    """What a solver has printed so far."""

    def __init__(self, problem: Instance, m: ZeroOneModel, constant: int, control: Control) -> None:
        self.problem, self.m, self.constant, self.control = problem, m, constant, control
        self.known = IncumbentSearch(problem, control)
        self.cost: int | None = None
        self.status = ""
        self._model: list[str] = []

    def take(self, line: str) -> None:
        """Read a line; a model is complete when another line follows."""
        kind, rest = [*line.split(maxsplit=1), "", ""][:2]
        if kind == "v":
            self._model.append(line)
            return
        self._finish_model()
        if kind == "s":
            self.status = rest.strip()
        elif kind == "o":
            try:
                self.cost = int(rest)
            except ValueError:
                raise SolverError(
                    f"the solver printed the cost {rest!r} (o ...). It must be an integer"
                ) from None

    def answer(self, code: int, errors: str) -> BackendAnswer:
        """Return the claim when the program has ended."""
        self._finish_model()
        best = self.known.best
        if self.status == OPTIMUM:
            if best is None:
                raise SolverError(f"the solver says {OPTIMUM} without a model (v ...)")
            if self.cost is None:
                return BackendAnswer(Status.OPTIMAL, best)
            proved = self.constant - self.cost
            return BackendAnswer(Status.OPTIMAL, best, proved, stated=Stated(proved))
        if self.status == UNSATISFIABLE and best is None:
            return BackendAnswer(Status.INFEASIBLE)
        if self.status not in ("", SATISFIABLE, UNKNOWN):
            raise SolverError(f"the solver says {self.status!r}")
        ran_out = self.control.remaining() <= TERMINATE_SECONDS  # so it got SIGTERM
        if not ran_out and not self.status:
            words = errors.strip()[-LONGEST_MESSAGE:] or "it says nothing"
            raise SolverError(f"the solver ended with {how_ended(code)} and no status (s ...): {words}")
        reason = StopReason.TIME_LIMIT if ran_out else StopReason.FINISHED
        return BackendAnswer.unproved(best, None, reason)

    def _finish_model(self) -> None:
        if not self._model:
            return
        text, self._model = "\n".join(self._model), []
        try:
            true = true_variables(text, self.problem.n_sets * self.problem.n_features)
        except InputError as error:
            raise SolverError(f"the solver's {error}") from None
        sets = self.m.sets(true.__contains__)
        wrong = violations(self.problem, sets)
        if wrong:
            raise FalseClaimError(f"maxsat: its model stands for {sets}: {'; '.join(wrong)}")
        self.known.improve(sets)
