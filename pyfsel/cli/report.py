"""`pyfsel report`: one page about the sets of a table, for the people whose columns they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from warnings import catch_warnings, filterwarnings, simplefilter

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.evaluate import ValidationOptions, chosen_selector
from pyfsel.cli.exit_codes import ExitCode, code_of_result
from pyfsel.cli.measuring import MeasuringOptions
from pyfsel.cli.messages import in_options
from pyfsel.cli.options import output_field, validation_field
from pyfsel.cli.output import FileOutput
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.question import SetOptions, TableQuestion
from pyfsel.cli.select import measured
from pyfsel.cli.solve import solve_visibly
from pyfsel.cli.solving import SolvingOptions, Workers
from pyfsel.cli.sweep import integers
from pyfsel.errors import InputError, PyfselError
from pyfsel.problem.text_files import write_text
from pyfsel.problem.wording import number_of


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
    from pyfsel.selectors.report.findings import Findings, near_of, relatives_of, trade_off_of
    from pyfsel.selectors.report.page import page

    if validation.estimators != validation.estimator:
        raise InputError(f"--estimator={validation.estimator!r}: must be one only")
    arguments = question.solver(solving)
    measurement = measured(question, quiet, random_state=solving.seed, n_jobs=workers.jobs)
    if measurement.table is None or measurement.table.coded is not None:
        raise InputError("DATA: a report takes a table that is in memory, one file")
    result = measurement.noted(solve_visibly(measurement.problem, quiet, **arguments))
    told: dict[str, Any] = {}
    missing = []
    if result.sets:
        plain = {name: given for name, given in arguments.items() if name not in ("search", "confirm")}
        with notes(quiet), progress("writing the report", quiet) as report:
            told["relatives"] = relatives_of(measurement.table, result)
            report("what dissimilarity costs")
            try:
                told["trade_off"] = trade_off_of(
                    measurement.problem,
                    question.sets.dissimilarity,
                    search=result.search,
                    n_jobs=workers.jobs,
                    **plain,
                )
            except PyfselError as error:
                missing.append(f"what dissimilarity costs ({in_options(str(error))})")
            report("nearly best sets")
            try:
                told["near"] = near_of(measurement.problem, **plain)
            except PyfselError as error:
                missing.append(f"nearly best sets ({in_options(str(error))})")
            if folds:
                report("held-out scores")
                try:
                    told |= _held_out(question, solving, validation, workers)
                except PyfselError as error:
                    missing.append(f"held-out scores ({in_options(str(error))})")
    found = Findings(
        title=question.table.name,
        target=question.table.target or "",
        described=measurement.described,
        result=result,
        overlap_rule=question.sets.overlap_rule,
        missing=missing,
        **told,
    )
    write_text(output, page(found))
    note(f"{result.status}, {number_of(len(result.sets), 'set')}; wrote {output}", quiet)
    for left_out in missing:
        note(f"left out: {left_out}", quiet)
    return code_of_result(result, result.problem.n_sets)


def _held_out(
    question: ReportQuestion, solving: SolvingOptions, validation: ReportValidation, workers: Workers
) -> dict[str, Any]:
    """Return held-out scores of the same selection, made again in each fold, and of other sizes."""
    from pyfsel.selectors.choose_k import Sizes
    from pyfsel.selectors.evaluation.scored import Validation, read_rows, scored, selectors_of

    if question.measuring.keep_best is not None:
        raise InputError("keep_best: is not repeated in the folds")
    X, y, of_rows = question.rows()
    selector = chosen_selector(question, solving)
    asked = Validation(
        cv=validation.arguments["cv"],
        margin=validation.margin,
        random_state=solving.seed,
        n_jobs=workers.jobs,
    )
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # measuring has said it
        filterwarnings("always", "k:")
        rows = read_rows(X, y, selector, cv=asked.cv, **of_rows)
        selectors, model = selectors_of(selector, rows), validation.estimator
        told: dict[str, Any] = {"evaluation": scored(rows, selectors, model, asked)}
        if validation.choose is not None:
            told["choice"] = Sizes.of(rows, selector, model, integers("--choose", validation.choose), asked)
    return told
