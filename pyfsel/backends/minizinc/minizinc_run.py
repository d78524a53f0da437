"""One run of MiniZinc on a model: solutions as they come, and a truthful status."""

from __future__ import annotations

import math
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.backends.minizinc.text import items_of
from pyfsel.drivers.linear.connection import LARGEST_RESERVE, RESERVED_SHARE, SHORTEST_RUN_SECONDS
from pyfsel.drivers.minizinc.installed import MiniZincSolver
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.drivers.minizinc.program import ModelError, messages, warning_text
from pyfsel.drivers.processes.guarded import StartError
from pyfsel.errors import SolverError
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import within_reach
from pyfsel.problem.objectives import Family
from pyfsel.results.backend_answer import BackendAnswer, ModelClaim, ModelGoal, Status, StopReason
from pyfsel.results.control import Control

SHUTDOWN_SECONDS = 0.1  # what MiniZinc takes from its own limit to its end
ROUNDING_SECONDS = 0.02  # between its clock and ours
LARGEST_SEED = LARGEST_IN_JSON = 2**31 - 1
LONG_INTEGER = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\d.])\d{10,}(?![\d.])')
"""It takes a text as a whole, so digits in it are not found."""
FLAT = re.compile(r"flat\w*?(Vars|Constraints)")
BOUND_MARGIN = 1e-6  # relative: a fractional bound has been rounded, perhaps downwards
UNBOUNDED = {
    "UNBOUNDED": "its objective has no bound: give its variables bounds",
    "UNSAT_OR_UNBOUNDED": "it has no solution, or its objective has no bound: give its variables bounds",
}


def flat_size(model: Path, solver: str, problem: Instance) -> dict[str, int]:
    """Compile a model for a solver and return its numbers of variables and constraints.

    Raises
    ------
    SolverError
        If MiniZinc reports an error.
    """
    compiling = ["-c", "--solver", solver, "--statistics", "--no-output-ozn", "--fzn", os.devnull]
    counted = {"Vars": 0, "Constraints": 0}
    with data_files(problem, {}, model) as data:
        for message in messages([*compiling, model, *data], Control(), data[0].parent):
            for name, number in message.get("statistics", {}).items():
                kind = FLAT.fullmatch(name)
                if kind is not None:
                    counted[kind[1]] += number
    return {"variables": counted["Vars"], "constraints": counted["Constraints"]}


@contextmanager
def data_files(problem: Instance, texts: Mapping[str, str], model: Path) -> Iterator[list[Path]]:
    """Write a problem and further data to files for MiniZinc, which are gone at the end.

    MiniZinc 2.6 reads whole numbers of JSON beyond 32 bits as the last one within, without a word: then it
    gets a ``.dzn`` file, of the names that the model declares, as it refuses others in such a file.

    Raises
    ------
    StartError
        If they cannot be written, which is as if a process cannot be started.
    """
    text = problem.to_json()
    if is_clipped(text):
        text = dzn_text(problem, {item.awaited for item in items_of(model)})
    name = "problem.json" if text.startswith("{") else "problem.dzn"
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pyfsel-"))
            written = {Path(folder, one): content for one, content in {name: text, **texts}.items()}
            for path, content in written.items():
                path.write_text(content, encoding="utf-8")
        except OSError as error:
            raise StartError(f"cannot start its process: {error}") from error
        yield list(written)


def is_clipped(json: str) -> bool:
    """Return whether a JSON text has integers beyond 32 bits."""
    return any(found[0] != '"' and int(found) > LARGEST_IN_JSON for found in LONG_INTEGER.findall(json))


def run_model(
    model: Path,
    solver: MiniZincSolver,
    problem: Instance,
    control: Control,
    texts: Mapping[str, str] = MappingProxyType({}),
    files: Sequence[Path] = (),
    options: Sequence[str] = (),
) -> BackendAnswer:
    """Solve a problem with a model file and return the claim, with what the solver says of its objective.

    Every solution is reported to `control` as it comes, and so is every bound on the objective of the model,
    whose optimum is the problem's if it is a model of the catalogue. The last solution is the best.

    Parameters
    ----------
    texts : mapping, optional
        Data that the model needs in addition to the problem, by names of files.
    files : sequence of Path
        Files with more of these.
    options : sequence of str
        Further options of MiniZinc.

    Raises
    ------
    SolverError
        If MiniZinc or the solver reports an error, or if the solver ended by itself without a result, or with
        one that is not known.
    MemoryLimitError
        If they used too much memory.
    """
    problem = within_reach(problem)
    run = _MiniZincRun(model, problem, control)
    with data_files(problem, texts, model) as data:
        limit = max(SHORTEST_RUN_SECONDS, control.remaining() - SHUTDOWN_SECONDS)
        begin = time.monotonic()
        arguments: list[str | Path] = [*_options(solver, control, limit), *options]
        arguments += ["-I", models_dir(), model, *data, *files]
        try:
            with closing(messages(arguments, control, data[0].parent)) as stream:
                for message in stream:
                    run.take(message)
        except TimeoutError:
            return BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
    # A solver may stop a little before the limit because of it.
    reserve = ROUNDING_SECONDS + min(LARGEST_RESERVE, RESERVED_SHARE * limit)
    return run.answer(time.monotonic() - begin >= limit - reserve)


@dataclass
class _MiniZincRun:
    """What MiniZinc has reported so far."""

    model: Path
    problem: Instance
    control: Control
    status: str = ""
    best: Family | None = None
    objective: int | float | None = None
    statistics: dict[str, Any] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)

    def take(self, message: Mapping[str, Any]) -> None:
        """Note a message, and report a solution or a bound."""
        if message["type"] == "status":
            self.status = message["status"]
        elif message["type"] == "solution":
            output = message["output"].get("json", {})
            self.best = _sets(output, self.model, len(self.problem.quality))
            if "_objective" in output:
                self.objective = output["_objective"] + 0  # a Boolean objective is a number too
            self.control.report_sets(self.best)
        elif message["type"] == "warning" and (text := warning_text(message)):
            self.warnings[text] = None
        elif message["type"] == "statistics":
            self.statistics |= message["statistics"]
            bound = _whole_bound(message["statistics"].get("objectiveBound"))
            if bound is not None:
                self.control.report_bound(bound)

    def answer(self, ran_out: bool) -> BackendAnswer:
        """Return the claim when MiniZinc has ended."""
        if self.warnings:
            self.statistics["warnings"] = list(self.warnings)
        goal = ModelGoal(self.statistics["method"]) if "method" in self.statistics else None
        answer = self._answer(ran_out, goal is ModelGoal.SATISFY)
        if goal is None:
            return answer
        bound = self.statistics.get("objectiveBound")  # Gecode states none
        if not isinstance(bound, (int, float)):
            bound = self.objective if answer.status is Status.OPTIMAL else None
        return replace(answer, model_claim=ModelClaim(answer.status, goal, self.objective, bound))

    def _answer(self, ran_out: bool, satisfies: bool) -> BackendAnswer:
        status = self.status or ("UNKNOWN" if self.best is None else "SATISFIED")
        more: dict[str, Any] = {"statistics": self.statistics}
        if status == "OPTIMAL_SOLUTION" and self.best is not None:
            return BackendAnswer(Status.OPTIMAL, self.best, **more)
        if status == "UNSATISFIABLE" and self.best is None:
            return BackendAnswer(Status.INFEASIBLE, **more)
        if status in ("SATISFIED", "ALL_SOLUTIONS") and satisfies and self.best is not None:
            return BackendAnswer(Status.FEASIBLE, self.best, **more)
        if status in ("SATISFIED", "UNKNOWN") and ran_out:
            return BackendAnswer.unproved(self.best, **more)
        if status in UNBOUNDED:
            raise ModelError(UNBOUNDED[status])
        found = "no solution" if self.best is None else "a solution"
        raise SolverError(f"MiniZinc ended before its time with status {status} and {found}")


def _options(solver: MiniZincSolver, control: Control, limit: float) -> list[str]:
    flags = solver.flags
    options = ["--solver", solver.tag, "--output-mode", "json", "--statistics", "--output-objective"]
    if limit < math.inf:
        options += ["--time-limit", str(int(limit * 1000))]
    if {"-a", "-i"} & set(flags):
        options += ["--intermediate-solutions"]
    if "-p" in flags:
        options += ["--parallel", str(control.limits.n_threads)]
    if "-r" in flags:
        options += ["--random-seed", str(control.limits.random_state % LARGEST_SEED)]
    return options


def _whole_bound(bound: float | None) -> int | None:
    """Return a solver's upper bound on the integer objective, rounded to the safe side."""
    if not isinstance(bound, (int, float)):
        return None
    return math.floor(bound if bound == math.floor(bound) else bound + BOUND_MARGIN * max(1.0, abs(bound)))


def _sets(output: Mapping[str, Any], model: Path, n_features: int) -> Family:
    """Return the sets of a solution; raise `ModelError` if there are none where they are expected."""
    if "selected" not in output:
        raise ModelError(
            f"{model.name} prints no `selected`: declare it as variables without a right-hand side, "
            "or as an array that is :: output_only :: add_to_output"
        )
    rows = output["selected"]
    are_sets = isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == n_features and all(isinstance(cell, bool) for cell in row)
        for row in rows
    )
    if not are_sets:
        raise ModelError(f"{model.name}: selected must be array[SETS, FEATURES] of var bool")
    return tuple(tuple(j for j, inside in enumerate(row) if inside) for row in rows)
