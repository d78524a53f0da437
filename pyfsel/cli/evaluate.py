"""`pyfsel evaluate`: held-out scores of alternative feature sets, and their stability."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.copy_notes import note_near_copies
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.groups import (
    OutputOptions,
    SolvingOptions,
    TableQuestion,
    Workers,
    with_groups,
)
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.short_help import ShortHelp
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.results.answer import StopReason

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.selectors.alternatives import AlternativeFeatureSelector
    from pyfsel.selectors.evaluation.result import Evaluation

VALIDATION = "Validation"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "evaluate",
        cls=ShortHelp,
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
    typer.Option(
        metavar="NAME,…",
        help="linear, tree, forest or neighbours; several with commas between.",
        rich_help_panel=VALIDATION,
    ),
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
Also = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…",
        help="Selectors of scikit-learn to compare with, of as many features: kbest (F statistic) or rfe "
        "(recursive elimination by a linear model).",
        rich_help_panel=VALIDATION,
    ),
]
FoldGroups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows with the same value there, such as a patient, stay in one fold; it is no feature then.",
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


def chosen_selector(
    question: TableQuestion, search: str | None, solving: SolvingOptions
) -> AlternativeFeatureSelector:
    """Return the unfitted selector that the options ask for, to be fitted in every fold."""
    from pyfsel.selectors.alternatives import AlternativeFeatureSelector

    table, sets, asked = question.table, question.sets, question.side.arguments
    return AlternativeFeatureSelector(
        sets.k,
        min_features_to_select=asked.pop("min_k"),
        n_alternatives=sets.alternatives,
        tau=sets.threshold,
        max_overlap=sets.max_overlap,
        dissimilarity=sets.dissimilarity,
        search=search,
        backend=solving.backend,
        time_limit=solving.time_limit,
        copies="merge" if table.copies == "merge" else "ignore",
        copy_threshold=table.copy_threshold,
        **asdict(question.quality),
        **asked,
    )


def evaluate_command(
    question: TableQuestion,
    search: options.Search = None,
    *,
    solving: SelectorSolving,
    estimator: Estimator = "linear",
    also: Also = None,
    scoring: Scoring = None,
    fold_groups: FoldGroups = None,
    folds: Folds = 5,
    repeats: Repeats = 1,
    workers: Workers,
    written: OutputOptions,
    plot: PlotFile = None,
) -> None:
    """Score the sets of a table."""
    _ = solving.chosen
    table = question.table
    with notes(written.quiet), progress(f"evaluating {table.name}", written.quiet):
        one_of("copies", table.copies, ("note", "merge", "ignore"))
        X, y = table.read()
        groups = None
        if fold_groups is not None:
            if fold_groups not in X.columns or X.shape[1] == 1:
                raise InputError(f"--fold-groups={fold_groups!r}: must be a column besides the features")
            X, groups = X.drop(columns=fold_groups), X[fold_groups]
        from pyfsel.selectors.evaluation.evaluate import evaluate

        selector = chosen_selector(question, search, solving)
        others = _others(also, question.sets.k)
        found = evaluate(
            X,
            y,
            {"sets": selector, **others} if others else selector,
            estimator.split(",") if "," in estimator else estimator,
            scoring=scoring,
            n_splits=folds,
            n_repeats=repeats,
            groups=groups,
            task=table.task,
            missing=table.missing,
            dates=table.dates,
            random_state=solving.seed,
            n_jobs=workers.jobs,
        )
        from pyfsel.measures.tables.table import prepare_columns

        columns = prepare_columns(
            X, missing="impute" if table.missing == "drop" else table.missing, dates=table.dates
        )
    often = [row["often_selected"] for row in found.to_dict()["sets"]]
    if table.copies == "note":
        note_near_copies(table, columns, often, written.quiet)
    written.write(found.to_dict, lambda: _csv(found), lambda: evaluation_table(found))
    if plot is not None:
        from pyfsel.results.plots import save_figure
        from pyfsel.selectors.evaluation.plot import plot_evaluation

        save_figure(plot_evaluation(found), plot)
        note(f"wrote {plot}", written.quiet)
    if found.stop_reason is StopReason.INTERRUPTED:
        raise typer.Exit(ExitCode.INTERRUPTED)


def _others(names: str | None, k: int) -> dict[str, Any]:
    """Return the selectors of scikit-learn that are to be compared with."""
    from pyfsel.selectors.evaluation.peers import PEERS, Peer

    listed = names.split(",") if names else []
    for name in listed:
        if name not in PEERS:
            raise InputError(f"--also={name!r}: must be one of {', '.join(PEERS)}")
    return {name: Peer(name, k) for name in listed}


def _csv(found: Evaluation) -> str:
    from pyfsel.results.display import listed_names

    frame = found.to_frame()
    frame["often_selected"] = frame["often_selected"].map(listed_names)
    text: str = frame.to_csv(index=False)
    return text


def evaluation_table(found: Evaluation) -> RenderableType:
    """Return what `rich` prints of an evaluation."""
    from rich.console import Group
    from rich.text import Text

    from pyfsel.results.display import SetsTable

    several = ["estimator"] if len(found.estimators) > 1 else []
    heads = ("set", "folds", f"held-out\n{found.scoring}", "95 %\ninterval", "stability", "mean\nJaccard")
    table = SetsTable([*heads, *several], several, "selected in most folds")
    for row in found.to_dict()["sets"]:
        cells = (
            row["set"],
            str(row["n_folds"]),
            f"{row['score']:.3f} ± {_number(row['score_std'])}",
            f"{_number(row['score_low'])}–{_number(row['score_high'])}",
            _number(row["stability"]),
            _number(row["jaccard"]),
        )
        table.add_row([*cells, *(row[name] for name in several)], row["often_selected"])
    legend = (
        f"mean ± standard deviation of {found.n_folds} folds, and the interval of the mean, which knows that "
        "training sets overlap (Nadeau and Bengio 2003); each selection saw only its training rows. "
        "stability: 1 if all folds select the same features, about 0 if they do so by chance (Nogueira et "
        "al. 2018)."
    )
    if found.stop_reason is StopReason.INTERRUPTED:
        legend += " Interrupted; the other folds are missing."
    return Group(table, Text(f"\n{legend}"))


def _number(number: Any) -> str:
    return "–" if number is None or isnan(number) else f"{number:.3f}"
