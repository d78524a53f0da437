"""`pyfsel evaluate`: held-out scores of alternative feature sets, and their stability."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.files import chosen_format, emit, emit_table, json_lines
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.select import DEFAULT_TAU, Question

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.evaluate import Evaluation

VALIDATION = "Validation"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "evaluate",
        help="Score feature sets on rows that their selection has not seen.\n\n"
        "The selection is repeated inside each training fold. Do not select with all rows first and "
        "cross-validate only the estimator afterwards: that score is too high, because the held-out rows "
        "have helped to choose the features.",
        epilog=options.examples(
            "pyfsel evaluate --dataset breast_cancer -k 5 -a 3 --tau 0.6",
            "pyfsel evaluate patients.csv --target diagnosis --estimator forest --repeats 5 --plot s.png",
        ),
    )(evaluate_command)


Estimator = Annotated[
    str,
    typer.Option(metavar="NAME", help="linear, tree, forest or neighbours.", rich_help_panel=VALIDATION),
]
Scoring = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A score of scikit-learn.",
        show_default="balanced_accuracy or r2",
        rich_help_panel=VALIDATION,
    ),
]
Folds = Annotated[int, typer.Option(min=2, metavar="N", help="Folds.", rich_help_panel=VALIDATION)]
Repeats = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="Split the rows so many times, with new seeds.", rich_help_panel=VALIDATION
    ),
]
PlotFile = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the scores.", rich_help_panel=options.OUTPUT),
]


def evaluate_command(
    data: options.DataFile = None,
    dataset: options.Dataset = None,
    target: options.Target = None,
    task: options.Task = "auto",
    missing: options.Missing = "error",
    k: options.SetSize = 5,
    alternatives: options.Alternatives = 3,
    tau: Annotated[
        float,
        typer.Option(
            metavar="T", help="Least dissimilarity of any two sets.", rich_help_panel=options.QUESTION
        ),
    ] = DEFAULT_TAU,
    dissimilarity: options.Dissimilarity = "dice",
    measure: options.Measure = "mutual_info",
    objective: options.Objective = "univariate",
    aggregate: options.Aggregate = "sum",
    search: options.Search = "sequential",
    backend: options.BackendName = "auto",
    time_limit: options.TimeLimit = 60,
    estimator: Estimator = "linear",
    scoring: Scoring = None,
    folds: Folds = 5,
    repeats: Repeats = 1,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    file_format: options.ResultFormat = None,
    output: options.OutputFile = None,
    plot: PlotFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Score the sets of a table."""
    question = Question(data, dataset, target, {})
    with notes(quiet), progress(f"evaluating {question.name}", quiet):
        X, y = question.read()
        from pyfsel.estimator import AlternativeFeatureSelector
        from pyfsel.evaluate import evaluate

        selector = AlternativeFeatureSelector(
            k,
            n_alternatives=alternatives,
            tau=tau,
            dissimilarity=dissimilarity,
            objective=objective,
            measure=measure,
            search=search,
            aggregate=aggregate,
            backend=backend,
            time_limit=time_limit,
        )
        found = evaluate(
            X,
            y,
            selector,
            estimator,
            scoring=scoring,
            n_splits=folds,
            n_repeats=repeats,
            task=task,
            missing=missing,
            random_state=seed,
            n_jobs=jobs,
        )
    _emit(found, chosen_format(file_format, output, ("json", "csv"), "table"), output)
    if plot is not None:
        from pyfsel.plots import plot_evaluation, save_figure

        save_figure(plot_evaluation(found), plot)
        note(f"wrote {plot}", quiet)


def _emit(found: Evaluation, file_format: str, output: Path | None) -> None:
    if file_format == "json":
        emit(json_lines(found.to_dict()), output)
    elif file_format == "csv":
        frame = found.to_frame()
        frame["often_selected"] = frame["often_selected"].map(", ".join)
        emit(frame.to_csv(index=False), output)
    else:
        emit_table(evaluation_table(found), output)


def evaluation_table(found: Evaluation) -> RenderableType:
    """Return what `rich` prints of an evaluation."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from pyfsel.display import NameList

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    for head in ("set", "folds", f"held-out\n{found.scoring}", "stability", "mean\nJaccard"):
        table.add_column(head, justify="right", header_style="bold", vertical="top", no_wrap=True)
    table.add_column("selected in most folds", header_style="bold")
    for row in found.to_dict()["sets"]:
        names = row["often_selected"]
        table.add_row(
            row["set"],
            str(row["n_folds"]),
            f"{row['score']:.3f} ± {_number(row['score_std'])}",
            _number(row["stability"]),
            _number(row["jaccard"]),
            NameList(names, [False] * len(names)),
        )
    legend = (
        f"mean ± standard deviation of {found.n_folds} folds; each selection saw only its training rows. "
        "stability: 1 if all folds select the same features, about 0 if they do so by chance (Nogueira et "
        "al. 2018)."
    )
    return Group(table, Text(f"\n{legend}"))


def _number(number: Any) -> str:
    return "–" if number is None or isnan(number) else f"{number:.3f}"
