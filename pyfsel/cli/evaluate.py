"""`pyfsel evaluate`: held-out scores of alternative feature sets, and their stability."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.groups import (
    DEFAULT_TAU,
    OutputOptions,
    QualityOptions,
    SizeAndSideOptions,
    SolvingOptions,
    TableOptions,
    with_groups,
)
from pyfsel.cli.progress import note, notes, progress
from pyfsel.results.answer import StopReason

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.selectors.evaluation.result import Evaluation

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
    )(with_groups(evaluate_command))


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
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw the scores (.png, .svg or .pdf).",
        callback=options.figure_file,
        rich_help_panel=options.OUTPUT,
    ),
]


@dataclass(frozen=True)
class SelectorSolving(SolvingOptions):
    """What the selector of scikit-learn can be told, which is fitted in every fold."""

    lacks = ("maxsat_command", "model", "formulation", "confirm", "threads", "memory_limit")
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds for the sets of one fold.", rich_help_panel=options.SOLVING),
    ] = 60


def evaluate_command(
    table: TableOptions,
    k: options.SetSize = 5,
    alternatives: options.Alternatives = 3,
    tau: Annotated[
        float,
        typer.Option(
            metavar="T", help="Least dissimilarity of any two sets.", rich_help_panel=options.QUESTION
        ),
    ] = DEFAULT_TAU,
    dissimilarity: options.Dissimilarity = "dice",
    *,
    quality: QualityOptions,
    side: SizeAndSideOptions,
    search: options.Search = "sequential",
    solving: SelectorSolving,
    estimator: Estimator = "linear",
    scoring: Scoring = None,
    folds: Folds = 5,
    repeats: Repeats = 1,
    jobs: options.Jobs = None,
    written: OutputOptions,
    plot: PlotFile = None,
) -> None:
    """Score the sets of a table."""
    _ = solving.chosen
    with notes(written.quiet), progress(f"evaluating {table.name}", written.quiet):
        X, y = table.read()
        from pyfsel.selectors.alternatives import AlternativeFeatureSelector
        from pyfsel.selectors.evaluation.evaluate import evaluate

        asked = side.arguments
        selector = AlternativeFeatureSelector(
            k,
            min_features_to_select=asked.pop("min_k"),
            n_alternatives=alternatives,
            tau=tau,
            dissimilarity=dissimilarity,
            search=search,
            backend=solving.backend,
            time_limit=solving.time_limit,
            **asdict(quality),
            **asked,
        )
        found = evaluate(
            X,
            y,
            selector,
            estimator,
            scoring=scoring,
            n_splits=folds,
            n_repeats=repeats,
            task=table.task,
            missing=table.missing,
            random_state=solving.seed,
            n_jobs=jobs,
        )
    written.write(found.to_dict, lambda: _csv(found), lambda: evaluation_table(found))
    if plot is not None:
        from pyfsel.results.plots import save_figure
        from pyfsel.selectors.evaluation.plot import plot_evaluation

        save_figure(plot_evaluation(found), plot)
        note(f"wrote {plot}", written.quiet)
    if found.stop_reason is StopReason.INTERRUPTED:
        raise typer.Exit(ExitCode.INTERRUPTED)


def _csv(found: Evaluation) -> str:
    from pyfsel.results.display import listed_names

    frame = found.to_frame()
    frame["often_selected"] = frame["often_selected"].map(listed_names)
    text: str = frame.to_csv(index=False)
    return text


def evaluation_table(found: Evaluation) -> RenderableType:
    """Return what `rich` prints of an evaluation."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from pyfsel.results.display import NameList

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
    if found.stop_reason is StopReason.INTERRUPTED:
        legend += " Interrupted; the other folds are missing."
    return Group(table, Text(f"\n{legend}"))


def _number(number: Any) -> str:
    return "–" if number is None or isnan(number) else f"{number:.3f}"
