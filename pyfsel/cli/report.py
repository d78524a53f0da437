"""`pyfsel report`: one page about the sets of a table, for the people whose columns they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.evaluate import chosen_selector
from pyfsel.cli.exit_codes import code_of_result
from pyfsel.cli.groups import (
    SolvingOptions,
    TableOptions,
    TableQuestion,
    Workers,
    with_groups,
)
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.select import measured
from pyfsel.cli.short_help import ShortHelp
from pyfsel.cli.solve import solve_visibly
from pyfsel.errors import InputError, PyfselError
from pyfsel.problem.text_files import write_text

VALIDATION = "Validation"
FOLDS = 5


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "report",
        cls=ShortHelp,
        help="Write one page about the sets of a table: which features, what is proved, how they predict.\n\n"
        "The page needs nothing else; it can be sent, printed, and read on a phone.",
        epilog=options.examples(
            "pyfsel report patients.csv -t diagnosis -k 5 -a 2 --tau 0.6 -o report.html",
            "pyfsel report --dataset breast_cancer -k 5 -a 2 --copies merge -o report.html",
        ),
    )(with_groups(report_command))


ReportFile = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE.html",
        help="Where the page is written.",
        callback=options.writable,
        rich_help_panel=options.OUTPUT,
    ),
]
Estimator = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The model of the held-out scores: linear, tree, forest or neighbours.",
        rich_help_panel=VALIDATION,
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="Folds; 0 leaves the held-out scores out.", rich_help_panel=VALIDATION
    ),
]


def report_command(
    question: TableQuestion,
    search: options.Search = None,
    estimator: Estimator = "linear",
    folds: Folds = FOLDS,
    *,
    solving: SolvingOptions,
    workers: Workers,
    output: ReportFile = Path("report.html"),
    quiet: options.Quiet = False,
) -> None:
    """Write the page."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--output={str(output)!r}: must end in .html")
    if folds == 1:
        raise InputError("--folds=1: must be at least 2, or 0 for none")
    from pyfsel.selectors.evaluation.evaluate import ESTIMATORS
    from pyfsel.selectors.report.findings import Findings, prices_of, relatives_of, trade_off_of
    from pyfsel.selectors.report.page import page

    if estimator not in ESTIMATORS:
        raise InputError(f"--estimator={estimator!r}: must be one of {', '.join(ESTIMATORS)}")
    arguments = solving.arguments
    measurement = measured(question, quiet, random_state=solving.seed, n_jobs=workers.jobs)
    result = measurement.noted(
        solve_visibly(measurement.problem, quiet, search=question.quality.search(search), **arguments)
    )
    told: dict[str, Any] = {}
    missing = []
    if result.sets:
        plain = {name: given for name, given in arguments.items() if name != "confirm"}
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
                told["prices"] = prices_of(result, report, **plain)
            except PyfselError as error:
                missing.append(f"what dissimilarity and rules cost ({error})")
            if folds:
                report("held-out scores")
                try:
                    selector = chosen_selector(question, search, solving)
                    told["evaluation"] = _evaluation(
                        question.table, selector, estimator, folds, solving.seed, workers.jobs
                    )
                except PyfselError as error:
                    missing.append(f"held-out scores ({error})")
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
    note(f"{result.status}, {len(result.sets)} sets; wrote {output}", quiet)
    for left_out in missing:
        note(f"left out: {left_out}", quiet)
    raise typer.Exit(code_of_result(result))


def _evaluation(
    table: TableOptions, selector: Any, estimator: str, folds: int, seed: int, jobs: int | None
) -> Any:
    """Return held-out scores of the same selection, made anew in each fold."""
    from pyfsel.selectors.evaluation.evaluate import evaluate

    X, y = table.read()
    missing = "drop" if table.missing == "impute" else table.missing
    return evaluate(
        X,
        y,
        selector,
        estimator,
        n_splits=folds,
        task=table.task,
        missing=missing,
        dates=table.dates,
        random_state=seed,
        n_jobs=jobs,
    )
