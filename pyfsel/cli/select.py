"""`pyfsel select` and `pyfsel problem`: from a table to feature sets, or to an instance file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.files import chosen_format, emit, emit_table
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.solve import chosen_backend, finish, solve_visibly
from pyfsel.errors import InputError
from pyfsel.problem import Problem
from pyfsel.result import Result, Status

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_TAU = 0.6


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(
        "select",
        help="Find feature sets for a table.",
        epilog=options.examples(
            "pyfsel select --dataset breast_cancer -k 5 -a 3 --tau 0.6",
            "pyfsel select patients.csv --target diagnosis --search simultaneous --aggregate min",
            "pyfsel select patients.parquet --target diagnosis --objective mrmr -o sets.json",
        ),
    )(select_command)
    app.command(
        "problem",
        help="Measure a table and write the instance file that `pyfsel solve` reads.",
        epilog=options.examples("pyfsel problem --dataset wine -k 4 -a 2 -o wine.json"),
    )(problem_command)


@dataclass(frozen=True)
class Question:
    """What a user asks about a table; fields as the arguments of `problem_from_table`."""

    data: Path | None
    dataset: str | None
    target: str | None
    arguments: Mapping[str, Any]

    @property
    def tau(self) -> float | None:
        """The threshold; its default holds if neither it nor an overlap is given."""
        tau: float | None = self.arguments["tau"]
        return DEFAULT_TAU if tau is None and self.arguments["max_overlap"] is None else tau

    @property
    def overlap_rule(self) -> str:
        """Where the limit on shared features comes from, in words."""
        return "" if self.tau is None else f"{self.arguments['dissimilarity']} dissimilarity ≥ {self.tau:g}"

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.dataset or ("" if self.data is None else self.data.name)

    def read(self) -> tuple[pd.DataFrame, pd.Series[Any]]:
        """Return features and target."""
        if (self.data is None) == (self.dataset is None):
            raise InputError("DATA: give either a file or --dataset NAME")
        from pyfsel.tables import load_dataset, read_table

        if self.dataset is not None:
            if self.target is not None:
                raise InputError(f"--target={self.target!r}: the data set {self.dataset} has its own target")
            return load_dataset(self.dataset)
        assert self.data is not None
        if self.target is None:
            raise InputError("--target: is missing; name the column to be predicted")
        return read_table(self.data, self.target)


def measured(question: Question, quiet: bool) -> tuple[Problem, str]:
    """Return the problem, and a line that describes the table."""
    with notes(quiet), progress(f"reading {question.name}", quiet) as report:
        X, y = question.read()
        from pyfsel.build import problem_from_table
        from pyfsel.tables import prepare

        arguments = {**question.arguments, "tau": question.tau}
        table = prepare(X, y, task=arguments.pop("task"), missing=arguments.pop("missing"))
        report(f"measuring {table.n_features} features")
        problem = problem_from_table(table, **arguments)
    described = (
        f"{question.name}: {len(table.y)} rows, {table.n_features} features, {table.task}; "
        f"qualities: {arguments['measure']}"
    )
    if table.n_dropped:
        described += f"; {table.n_dropped} rows dropped"
    return problem, described


def select_command(
    data: options.DataFile = None,
    dataset: options.Dataset = None,
    target: options.Target = None,
    task: options.Task = "auto",
    missing: options.Missing = "error",
    k: options.SetSize = 5,
    alternatives: options.Alternatives = 3,
    tau: options.Tau = None,
    max_overlap: options.MaxOverlap = None,
    dissimilarity: options.Dissimilarity = "dice",
    measure: options.Measure = "mutual_info",
    objective: options.Objective = "univariate",
    aggregate: options.Aggregate = "sum",
    search: options.Search = "sequential",
    backend: options.BackendName = "auto",
    maxsat_command: options.MaxSatCommand = None,
    formulation: options.Formulation = None,
    time_limit: options.TimeLimit = 60,
    seed: options.Seed = 0,
    threads: options.Threads = 1,
    memory_limit: options.MemoryLimit = None,
    jobs: options.Jobs = None,
    file_format: options.ResultFormat = None,
    output: options.OutputFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Find feature sets for a table."""
    question = Question(
        data,
        dataset,
        target,
        {
            "task": task,
            "missing": missing,
            "k": k,
            "n_alternatives": alternatives,
            "tau": tau,
            "max_overlap": max_overlap,
            "dissimilarity": dissimilarity,
            "measure": measure,
            "objective": objective,
            "aggregate": aggregate,
            "random_state": seed,
            "n_jobs": jobs,
        },
    )
    problem, described = measured(question, quiet)
    result = solve_visibly(
        problem,
        quiet,
        backend=chosen_backend(backend, maxsat_command),
        search=search,
        formulation=formulation,
        time_limit=time_limit,
        random_state=seed,
        n_threads=threads,
        memory_limit=memory_limit,
    )
    if chosen_format(file_format, output, ("json", "csv"), "table") == "table" and output is None:
        from rich.text import Text

        emit_table(Text(f"{described}\n"))
    _explain(result, question, quiet)
    finish(result, file_format, output, quiet, question.overlap_rule)


def _explain(result: Result, question: Question, quiet: bool) -> None:
    """Say what could be asked instead of the impossible."""
    if result.status is not Status.INFEASIBLE or quiet or question.tau is None:
        return
    from pyfsel.feasible import feasible_choices

    with progress("looking for what is feasible", quiet):
        choices = feasible_choices(result.problem, question.tau, question.arguments["dissimilarity"])
    note(str(choices))


def problem_command(
    data: options.DataFile = None,
    dataset: options.Dataset = None,
    target: options.Target = None,
    task: options.Task = "auto",
    missing: options.Missing = "error",
    k: options.SetSize = 5,
    alternatives: options.Alternatives = 3,
    tau: options.Tau = None,
    max_overlap: options.MaxOverlap = None,
    dissimilarity: options.Dissimilarity = "dice",
    measure: options.Measure = "mutual_info",
    objective: options.Objective = "univariate",
    aggregate: options.Aggregate = "sum",
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    output: options.OutputFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Write the instance file of a table."""
    question = Question(
        data,
        dataset,
        target,
        {
            "task": task,
            "missing": missing,
            "k": k,
            "n_alternatives": alternatives,
            "tau": tau,
            "max_overlap": max_overlap,
            "dissimilarity": dissimilarity,
            "measure": measure,
            "objective": objective,
            "aggregate": aggregate,
            "random_state": seed,
            "n_jobs": jobs,
        },
    )
    problem, described = measured(question, quiet)
    emit(problem.to_json() + "\n", output)
    note(described, quiet)
