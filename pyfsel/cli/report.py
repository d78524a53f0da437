"""`pyfsel report`: one page about the sets of a table, for the people whose columns they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.evaluate import ValidationOptions, chosen_selector
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.measuring import MeasuringOptions
from pyfsel.cli.options import output_field, validation_field
from pyfsel.cli.output import FileOutput
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.question import SetOptions, TableQuestion
from pyfsel.cli.solving import SolvingOptions, Workers
from pyfsel.errors import InputError
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import Status


@dataclass(frozen=True)
class ReportMeasuring(MeasuringOptions):
    """What a report is told about measuring, of a table in memory."""

    lacks = ("memory", "sample")


@dataclass(frozen=True)
class ReportQuestion(TableQuestion[SetOptions]):
    """What is asked about the table of a report."""

    measuring: ReportMeasuring = field(default_factory=ReportMeasuring)


@dataclass(frozen=True)
class ReportValidation(ValidationOptions):
    """How the held-out scores of a report are made."""

    lacks: ClassVar[tuple[str, ...]] = ("also", "scoring", "repeats", "state")

    estimator: str = validation_field(
        metavar="NAME",
        help="The model of the held-out scores: linear, tree, forest, neighbours or boosting.",
        default="linear",
    )
    folds: int = validation_field(
        min=0, metavar="N", help="Folds; 0 leaves the held-out scores out.", default=5
    )
    choose: str | None = validation_field(
        metavar="K,…", help="Also compare sets of other sizes: 2,4,8 or 1-10."
    )


@dataclass(frozen=True)
class PageOutput(FileOutput):
    """Where the page is written."""

    output: Path = output_field(
        "--output",
        "-o",
        metavar="FILE.html",
        help="Where the page is written.",
        callback=options.writable,
        default=Path("report.html"),
    )


@command(
    "report",
    "Write one page about the sets of a table: which features, what is proved, how they predict.\n\n"
    "The page needs nothing else; it can be sent, printed, and read on a phone.",
    "pyfsel report patients.csv -t diagnosis -k 5 -a 2 --tau 0.6 -o report.html",
    "pyfsel report --dataset breast_cancer -k 5 -a 2 --copies merge -o report.html",
)
def report_command(
    question: ReportQuestion,
    solving: SolvingOptions,
    validation: ReportValidation,
    workers: Workers,
    written: PageOutput,
) -> ExitCode:
    """Write the page."""
    output, quiet, folds = written.output, written.quiet, validation.folds
    if output.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--output={str(output)!r}: must end in .html")
    if folds == 1:
        raise InputError("--folds=1: must be at least 2, or 0 for none")
    if validation.estimators != validation.estimator:
        raise InputError(f"--estimator={validation.estimator!r}: must be one only")
    with notes(quiet), progress(f"writing a report of {question.table.name}", quiet):
        X, y, of_rows = question.rows()
        from pyfsel.selectors.report.write import report

        answer = report(
            output,
            X,
            y,
            chosen_selector(question, solving).set_params(n_jobs=workers.jobs),
            model=validation.estimator,
            cv=validation.arguments["cv"] if folds else 0,
            choose_k=validation.choose is not None,
            name=question.table.name,
            **of_rows,
        )
    note(f"{answer.status}, {number_of(len(answer.sets), 'set')}; wrote {output}", quiet)
    infeasible = answer.status is Status.INFEASIBLE
    return code_of_runs([], len(answer.sets) == answer.problem.n_sets, infeasible)
