"""One run of a MaxSAT solver: the file, the process, its lines ``o``, ``s``, ``v``, and a truthful claim."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyfsel.backends.maxsat.wcnf import clause_lines, true_variables
from pyfsel.drivers.processes.guarded import GuardedProgram, how_ended
from pyfsel.drivers.sat.encoding import encode_model
from pyfsel.drivers.sat.formula import Encoding
from pyfsel.drivers.sat.opb import PseudoBoolean
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.model.model import Model
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Stated, Status, StopReason
from pyfsel.results.control import LITERAL, Control
from pyfsel.results.verify import violations

TERMINATE_SECONDS = 0.5  # before the deadline: time to print the best model
KILL_SECONDS = 0.1
LONGEST_MESSAGE = 300  # characters of what the program says at its end
OPTIMUM, SATISFIABLE, UNSATISFIABLE, UNKNOWN = "OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", "UNKNOWN"


def run_maxsat(command: Sequence[str], problem: Instance, m: Model, control: Control) -> Answer:
    """Write the model of a problem, run the command on the file, and return the claim.

    Models that come with costs on the way are reported. Half a second before the deadline the program gets
    SIGTERM, on which most solvers print their best model.

    Raises
    ------
    SolverError
        If the program ended without a status before its time, or its output makes no sense.
    FalseClaimError
        If a model violates the problem, or has another objective than was claimed.
    """
    with control.compiling():
        encoding: Encoding | PseudoBoolean
        if any("{opb}" in word for word in command):
            encoding = PseudoBoolean(m)
        else:
            encoding = encode_model(m, prices=control.formulation != LITERAL)
    with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder:
        with control.compiling():
            words = [_with_file(word, encoding, Path(folder)) for word in command]
        if control.expired():
            return Answer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
        output = _Output(problem, encoding, control)
        with _running(words, control) as program:
            for line in program.lines():
                output.take(line.decode(errors="replace").rstrip("\r\n"))
            return output.answer(*program.exit_code_and_log())


def _with_file(word: str, encoding: Encoding | PseudoBoolean, folder: Path) -> str:
    for mark in ("{wcnf}", "{classic_wcnf}", "{opb}"):
        if mark in word:
            path = folder / f"problem.{'opb' if mark == '{opb}' else 'wcnf'}"
            with path.open("w", encoding="ascii") as file:
                if isinstance(encoding, PseudoBoolean):
                    lines = encoding.lines()
                else:
                    lines = clause_lines(encoding, mark == "{classic_wcnf}")
                file.writelines(f"{line}\n" for line in lines)
            return word.replace(mark, str(path))
    return word


@contextmanager
def _running(words: list[str], control: Control) -> Iterator[GuardedProgram]:
    """Start a program; end all that it started at the deadline or with an exception: first politely."""
    with GuardedProgram(words) as program:
        left = control.remaining()
        timers = [] if left is None else [
            threading.Timer(max(0.0, left - TERMINATE_SECONDS), program.terminate),
            threading.Timer(max(0.0, left - KILL_SECONDS), program.kill),
        ]  # fmt: skip
        for timer in timers:
            timer.daemon = True
            timer.start()
        try:
            yield program
        finally:
            for timer in timers:
                timer.cancel()


@dataclass
class _Output:
    """What a solver has printed so far."""

    problem: Instance
    encoding: Encoding | PseudoBoolean
    control: Control
    costs: list[int] = field(default_factory=list)
    status: str = ""
    best: tuple[FeatureSet, ...] | None = None
    best_value: int | None = None
    _model: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        """Read a line; a model is complete when another line follows."""
        kind, rest = [*line.split(maxsplit=1), "", ""][:2]
        if kind == "v":
            self._model.append(line)
            return
        self._finish_model()
        if kind == "o":
            self.costs.append(self._cost(rest))
        elif kind == "s":
            self.status = rest.strip()

    def answer(self, code: int, errors: str) -> Answer:
        """Return the claim when the program has ended."""
        self._finish_model()
        late = self.control.remaining()
        ran_out = late is not None and late <= 2 * TERMINATE_SECONDS
        statistics = {"native_status": self.status, "costs": self.costs}
        if self.status == OPTIMUM:
            if self.best is None:
                raise SolverError(f"the solver says {OPTIMUM} without a model (v ...)")
            if not self.costs:
                return Answer(Status.OPTIMAL, self.best, statistics=statistics)
            proved = self.encoding.constant - self.costs[-1]
            return Answer(Status.OPTIMAL, self.best, proved, statistics=statistics, stated=Stated(proved))
        if self.status == UNSATISFIABLE and self.best is None:
            return Answer(Status.INFEASIBLE, statistics=statistics)
        if self.status not in ("", SATISFIABLE, UNKNOWN, UNSATISFIABLE) or self.status == UNSATISFIABLE:
            raise SolverError(f"the solver says {self.status!r} after {len(self.costs)} costs")
        if not ran_out and not self.status:
            words = errors.strip()[-LONGEST_MESSAGE:] or "it says nothing"
            raise SolverError(f"the solver ended with {how_ended(code)} and no status (s ...): {words}")
        reason = StopReason.TIME_LIMIT if ran_out else StopReason.FINISHED
        return Answer.unproved(self.best, None, reason, statistics)

    def _cost(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            raise SolverError(f"the solver printed the cost {text!r} (o ...), which is no integer") from None

    def _finish_model(self) -> None:
        if not self._model:
            return
        text, self._model = "\n".join(self._model), []
        try:
            true = true_variables(text, self.problem.n_sets * self.problem.n_features)
        except InputError as error:
            raise SolverError(f"the solver's {error}") from None
        sets = self.encoding.decode(true)
        wrong = violations(self.problem, sets)
        if wrong:
            raise FalseClaimError(f"maxsat: its model stands for {sets}: {'; '.join(wrong)}")
        value = values.total(self.problem, sets)
        if self.best_value is None or value > self.best_value:
            self.best, self.best_value = sets, value
            self.control.report_sets(sets)
