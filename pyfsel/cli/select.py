"""`pyfsel select` and `pyfsel problem`: from a table to feature sets, or to an instance file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.files import emit, emit_table, read_solution
from pyfsel.cli.groups import (
    OutputOptions,
    SetOptions,
    SolvingOptions,
    TableQuestion,
    Workers,
    with_groups,
)
from pyfsel.cli.measuring import UNMEASURED, MeasuringOptions
from pyfsel.cli.messages import in_options
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.short_help import ShortHelp
from pyfsel.cli.solve import certified_visibly, cheapest_visibly, finish, solve_visibly
from pyfsel.errors import InputError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.questions.cheapest import CheapestSets
from pyfsel.questions.optimal_part import optimal_part
from pyfsel.reductions.cheapest import refusal
from pyfsel.results.answer import Status
from pyfsel.results.result import Result

if TYPE_CHECKING:
    from pyfsel.measures.tables.table import Table

MOST_CLASSES_SHOWN = 5


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(
        "select",
        cls=ShortHelp,
        help="Find feature sets for a table.",
        epilog=options.examples(
            "pyfsel select --dataset breast_cancer -k 5 -a 3 --tau 0.6",
            "pyfsel select patients.csv --target diagnosis --search simultaneous --aggregate min",
            "pyfsel select patients.parquet --target diagnosis --objective mrmr -o sets.json",
            "pyfsel select patients.csv -t diagnosis --forced age --group 'lab_*:at-most=1' --costs eur.csv "
            "--budget 50",
            "pyfsel select patients.csv -t diagnosis --cheapest --min-quality 0.4 --costs eur.csv",
        ),
    )(with_groups(select_command))
    app.command(
        "problem",
        cls=ShortHelp,
        help="Measure a table and write the instance file that `pyfsel solve` reads.",
        epilog=options.examples(
            "pyfsel problem --dataset wine -k 4 -a 2 -o wine.json",
            "pyfsel problem genes.parquet -t y --objective mrmr -k 5 -a 2 --incumbent sets.csv -o genes.json",
        ),
    )(with_groups(problem_command))


@dataclass(frozen=True)
class Measured:
    """The problem of a table, a line that describes the table, and what is done about copies."""

    problem: Problem
    described: str
    table: Table
    copying: dict[str, Any]

    def noted(self, result: Result) -> Result:
        """Return the result with the near copies in its sets."""
        from pyfsel.measures.from_table import with_near_copies

        return with_near_copies(result, self.table, self.copying["copies"], self.copying["copy_threshold"])

    def note_copies(self, sets: Iterable[FeatureSet], quiet: bool) -> None:
        """Tell on stderr of near copies in an answer that has no place for them."""
        note_copies(self.table, self.problem, sets, self.copying, quiet)


def note_copies(
    table: Table,
    problem: Problem,
    sets: Iterable[FeatureSet],
    copying: dict[str, Any],
    quiet: bool,
) -> None:
    """Tell on stderr which columns of some sets are nearly equal, or stand for others."""
    from pyfsel.measures.from_table import near_copies
    from pyfsel.results.copies import copies_text

    found = tuple(sets)
    pairs = near_copies(table, found, copying["copies"], copying["copy_threshold"])
    told = copies_text(problem, found, pairs)
    if told:
        note(told, quiet)


def measured(
    question: TableQuestion,
    quiet: bool,
    measuring: MeasuringOptions = UNMEASURED,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Measured:
    """Return the problem, and a line that describes the table."""
    source, quality = question.table, question.quality
    asked: Any = question.arguments
    measuring.check(asked["k"])
    name = source.name
    general: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    with notes(quiet), progress(f"reading {name}", quiet) as report:
        complete = source.prepared(measuring.weights_of, measuring.groups_of)
        from pyfsel.measures.from_table import default_measure, problem_from_table
        from pyfsel.questions.least_share import split_share, with_least_share

        report(f"measuring {complete.n_features} features")
        asked["min_quality"], least_share = split_share(asked.get("min_quality"))
        n_features = min(complete.n_features, measuring.keep_best or complete.n_features)
        measure = quality.measure or default_measure(quality.objective, n_features)
        table = measuring.filtered(complete, measure, quality.objective, quiet, **general)
        problem = problem_from_table(
            table,
            **{**quality.arguments, "measure": measure},
            **measuring.arguments,
            **source.copying,
            **general,
            **asked,
        )
        problem, told = with_least_share(problem, least_share, random_state=random_state, time_limit=60)
    if told:
        note(told, quiet)
    best = "" if table is complete else f"the {table.n_features} best of "
    described = (
        f"{name}: {len(table.y)} rows, {best}{complete.n_features} features, {_task(table)}; "
        f"qualities: {measure}"
    )
    if measuring.redundancy_measure is not None:
        described += f"; redundancies: {measuring.redundancy_measure}"
    if table.n_dropped:
        described += f"; {table.n_dropped} rows dropped"
    return Measured(problem, described, table, source.copying)


def _task(table: Table) -> str:
    """Return what is to be predicted, with the rows of each class if there are few."""
    if not 1 < len(table.classes) <= MOST_CLASSES_SHOWN:
        return table.task
    counts = (f"{label}: {(table.y == code).sum()}" for code, label in enumerate(table.classes))
    return f"{table.task} ({', '.join(counts)})"


def select_command(
    question: TableQuestion,
    measuring: MeasuringOptions,
    cheapest: options.Cheapest = False,
    search: options.Search = None,
    certify: options.CertificateFile = None,
    *,
    solving: SolvingOptions,
    workers: Workers,
    written: OutputOptions,
) -> None:
    """Find feature sets for a table."""
    if cheapest:
        _check_cheapest(question, certify)
    solver = {"search": question.quality.search(search), **solving.arguments}
    measurement = measured(question, written.quiet, measuring, random_state=solving.seed, n_jobs=workers.jobs)
    problem, described = measurement.problem, measurement.described
    if problem.lazy_redundancy is not None and written.chosen == "json":
        raise InputError(
            f"--format=json: would hold the redundancies of all {problem.n_features} features; choose csv, "
            "which `pyfsel problem --incumbent FILE` takes"
        )
    result: Result | CheapestSets
    if cheapest:
        found = cheapest_visibly(problem, written.quiet, **solver)
        result = replace(found, solved=measurement.noted(found.solved))
    else:
        result = measurement.noted(solve_visibly(problem, written.quiet, **solver))
        result = certified_visibly(result, certify, solving.time_limit, written.quiet)
    if written.chosen == "table" and written.output is None:
        from rich.text import Text

        emit_table(Text(f"{described}\n"))
    _explain(result, question.sets, written.quiet)
    finish(result, written, question.sets.overlap_rule)


def _check_cheapest(question: TableQuestion, certify: Path | None) -> None:
    """Find what is wrong with --cheapest before anything is measured."""
    if certify is not None:
        raise InputError("--certify: is not for --cheapest")
    if question.side.min_quality is None:
        raise InputError("--cheapest: needs --min-quality Q")
    why_not = refusal(question.quality.objective)
    if why_not is not None:
        raise InputError(f"--cheapest: {why_not}")


def _explain(result: Result | CheapestSets, sets: SetOptions, quiet: bool) -> None:
    """Say what could be asked instead of the impossible."""
    if result.status is not Status.INFEASIBLE or quiet or sets.threshold is None:
        return
    from pyfsel.questions.feasible import feasible_choices

    with progress("looking for what is feasible", quiet):
        choices = feasible_choices(result.problem, sets.threshold, sets.dissimilarity)
    note(in_options(str(choices)))


def problem_command(
    question: TableQuestion,
    measuring: MeasuringOptions,
    seed: options.Seed = 0,
    incumbent: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Sets for this question (CSV or JSON of `pyfsel select`). Where redundancies of very many "
            "features are measured on demand, what is written is the part that provably holds every optimum.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    search: options.Search = None,
    time_limit: options.TimeLimit = 60,
    *,
    workers: Workers,
    output: options.OutputFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Write the instance file of a table."""
    if search is not None and incumbent is None:
        raise InputError(f"--search={search}: is for --incumbent; an instance is for any search")
    measurement = measured(question, quiet, measuring, random_state=seed, n_jobs=workers.jobs)
    problem = measurement.problem
    if incumbent is not None:
        with progress("looking for features that an optimum can have", quiet):
            problem = optimal_part(
                problem,
                read_solution(incumbent, problem).sets,
                question.quality.search(search),
                time_limit,
                seed,
            ).problem
    emit(problem.to_json() + "\n", output, quiet)
    note(measurement.described, quiet)
    if problem.part_of:
        note(problem.part_of, quiet)
    if measurement.problem.copies:
        measurement.note_copies((), quiet)
