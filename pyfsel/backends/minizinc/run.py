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
from typing import Any

from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.backends.minizinc.text import items_of
from pyfsel.drivers.linear.connection import LARGEST_RESERVE, RESERVED_SHARE
from pyfsel.drivers.minizinc.installed import MiniZincSolver
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.drivers.minizinc.program import ModelError, json_options, messages, time_left, warning_text
from pyfsel.drivers.processes.guarded import StartError
from pyfsel.errors import SolverError
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import minizinc_json
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Goal, ModelClaim, Status, StopReason
from pyfsel.results.control import Control

ROUNDING_SECONDS = 0.02  # between its clock and ours
LARGEST_SEED = LARGEST_IN_JSON = 2**31 - 1
LONG_INTEGER = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\d.])\d{10,}(?![\d.])')
"""It takes a text as a whole, so digits in it are not found."""
FLAT = re.compile(r"flat\w*?(Vars|Constraints)")
BOUND_MARGIN = 1e-6  # relative: a bound that is no integer has been rounded, perhaps downwards
UNBOUNDED = {
    "UNBOUNDED": "its objective has no bound: give its variables bounds",
    "UNSAT_OR_UNBOUNDED": "it has no solution, or its objective has no bound: give its variables bounds",
}


def flat_size(model: Path, solver: str, problem: Instance, more_data: Mapping[str, Any]) -> dict[str, int]:
    """Compile a model for a solver and return its numbers of variables and constraints.

    Raises
    ------
    SolverError
        If MiniZinc reports an error.
    """
    compiling = ["-c", "--solver", solver, "--statistics", "--no-output-ozn", "--fzn", os.devnull]
    counted: dict[str, int] = {"Vars": 0, "Constraints": 0}
    with data_files(problem, more_data) as data:
        for message in messages([*compiling, model, *data], Control(), data[0].parent):
            for name, number in message.get("statistics", {}).items():
                kind = FLAT.fullmatch(name)
                if kind is not None:
                    counted[kind[1]] += number
    return {"variables": counted["Vars"], "constraints": counted["Constraints"]}


@contextmanager
def data_files(
    problem: Instance, more_data: Mapping[str, Any] | None, model: Path | None = None
) -> Iterator[list[Path]]:
    """Write a problem and further data to files for MiniZinc, which are gone at the end.

    A model need not declare all names of a problem: MiniZinc leaves out the others of JSON, and this of a
    ``.dzn`` file.

    MiniZinc 2.6 reads whole numbers of JSON beyond 32 bits as the last one within, without a word.

    Raises
    ------
    StartError
        If they cannot be written, which is as if a process cannot be started.
    """
    text, more = problem.to_json(), minizinc_json(more_data or {})
    if is_clipped(more):
        raise ModelError("further data: an integer is beyond 32 bits, which MiniZinc cannot read from JSON")
    is_exact = not is_clipped(text)
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pyfsel-"))
            files = [Path(folder, "problem.json" if is_exact else "problem.dzn")]
            names = None if is_exact or model is None else {item.awaited for item in items_of(model)}
            files[0].write_text(text if is_exact else dzn_text(problem, names), encoding="utf-8")
            if more_data:
                files.append(Path(folder, "more.json"))
                files[1].write_text(more, encoding="utf-8")
        except OSError as error:
            raise StartError(f"cannot start its process: {error}") from error
        yield files


def is_clipped(json: str) -> bool:
    """Return whether a JSON text has integers beyond 32 bits."""
    return any(found[0] != '"' and int(found) > LARGEST_IN_JSON for found in LONG_INTEGER.findall(json))


def run_model(
    model: Path,
    solver: MiniZincSolver,
    problem: Instance,
    control: Control,
    more_data: Mapping[str, Any] | None = None,
    files: Sequence[Path] = (),
    options: Sequence[str] = (),
) -> Answer:
    """Solve a problem with a model file and return the claim, with what the solver says of its objective.

    Every solution is reported to `control` as it comes, and so is every bound on the objective of the model,
    whose optimum is that of the problem if it is a model of the catalogue. The last solution is the best.

    Parameters
    ----------
    more_data : mapping, optional
        Data that the model needs in addition to the problem.
    files : sequence of Path
        Files with still more of them.
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
    run = _Run(model, problem, control)
    with data_files(problem, more_data, model) as data:
        limit = time_left(control)
        begin = time.monotonic()
        arguments: list[str | Path] = [*_options(solver, control, limit), *options]
        arguments += ["-I", models_dir(), model, *data, *files]
        try:
            with closing(messages(arguments, control, data[0].parent)) as stream:
                for message in stream:
                    run.take(message)
        except TimeoutError:
            return Answer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
    ran_out = limit is not None and time.monotonic() - begin >= limit - _reserve(limit)
    return run.answer(ran_out)


@dataclass
class _Run:
    """What MiniZinc has reported so far."""

    model: Path
    problem: Instance
    control: Control
    status: str = ""
    best: list[FeatureSet] | None = None
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
                self.objective = output["_objective"] + 0  # that of a Boolean is a number too
            self.control.report_sets(self.best)
        elif message["type"] == "warning":
            text = warning_text(message)
            if text:
                self.warnings[text] = None
        elif message["type"] == "statistics":
            self.statistics |= message["statistics"]
            bound = _whole_bound(message["statistics"].get("objectiveBound"))
            if bound is not None:
                self.control.report_bound(bound)

    def answer(self, ran_out: bool) -> Answer:
        """Return the claim when MiniZinc has ended."""
        self.control.compile_seconds += float(self.statistics.get("flatTime", 0.0))
        if self.warnings:
            self.statistics["warnings"] = list(self.warnings)
        goal = Goal(self.statistics["method"]) if "method" in self.statistics else None
        status = self.status or ("UNKNOWN" if self.best is None else "SATISFIED")
        answer = _answer(status, self.best, ran_out, goal is Goal.SATISFY, self.statistics)
        return answer if goal is None else replace(answer, model_claim=self._claim(answer.status, goal))

    def _claim(self, status: Status, goal: Goal) -> ModelClaim:
        """Return what the solver says of the model's own objective; Gecode states no bound."""
        bound = self.statistics.get("objectiveBound")
        if not isinstance(bound, (int, float)):
            bound = self.objective if status is Status.OPTIMAL else None
        if bound is not None and not math.isfinite(bound):
            bound = None
        return ModelClaim(status, goal, self.objective, bound)


def _reserve(limit: float) -> float:
    """Return how many seconds before the limit a solver may stop because of it, see `Settings`."""
    return ROUNDING_SECONDS + min(LARGEST_RESERVE, RESERVED_SHARE * limit)


def _options(solver: MiniZincSolver, control: Control, limit: float | None) -> list[str]:
    flags = solver.flags
    options = [*json_options(solver.tag, limit), "--statistics", "--output-objective"]
    if {"-a", "-i"} & set(flags):
        options += ["--intermediate-solutions"]
    if "-p" in flags:
        options += ["--parallel", str(control.limits.n_threads)]
    if "-r" in flags:
        options += ["--random-seed", str(control.limits.random_state % LARGEST_SEED)]
    return options


def _whole_bound(bound: float | None) -> int | None:
    """Return a solver's upper bound on the integer objective, rounded to the safe side."""
    if not isinstance(bound, (int, float)) or not math.isfinite(bound):
        return None
    return math.floor(bound if bound == math.floor(bound) else bound + BOUND_MARGIN * max(1.0, abs(bound)))


def _sets(output: Mapping[str, Any], model: Path, n_features: int) -> list[FeatureSet]:
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
    return list(sets_of(rows))


def sets_of(selected: Sequence[Sequence[bool]]) -> tuple[FeatureSet, ...]:
    """Return the sets that the variables `selected` of the models stand for."""
    return tuple(tuple(j for j, inside in enumerate(row) if inside) for row in selected)


def _answer(
    native: str,
    best: list[FeatureSet] | None,
    ran_out: bool,
    satisfies: bool,
    statistics: dict[str, Any],
) -> Answer:
    sets = None if best is None else tuple(best)
    if native == "OPTIMAL_SOLUTION" and sets is not None:
        return Answer(Status.OPTIMAL, sets, statistics=statistics)
    if native == "UNSATISFIABLE" and sets is None:
        return Answer(Status.INFEASIBLE, statistics=statistics)
    if native in ("SATISFIED", "ALL_SOLUTIONS") and satisfies and sets is not None:
        return Answer(Status.FEASIBLE, sets, statistics=statistics)
    if native in ("SATISFIED", "UNKNOWN") and ran_out:
        return Answer.unproved(sets, statistics=statistics)
    if native in UNBOUNDED:
        raise ModelError(UNBOUNDED[native])
    found = "a solution" if sets is not None else "no solution"
    raise SolverError(f"MiniZinc ended before its time with status {native} and {found}")
