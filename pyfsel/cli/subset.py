"""`pyfsel subset`: one set of features by a classic search or a ranking."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.copy_notes import note_near_copies
from pyfsel.cli.exit_codes import code_of_runs
from pyfsel.cli.groups import OutputOptions, SolvingOptions, TableOptions, Workers, with_groups
from pyfsel.cli.progress import notes, progress
from pyfsel.cli.short_help import ShortHelp
from pyfsel.cli.wrapper import MODEL, Estimator, Scoring, named_estimator
from pyfsel.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.algorithms.subset_search.result import SubsetResult
    from pyfsel.measures.tables.table import Table

MOST_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "subset",
        cls=ShortHelp,
        help="Find one feature set by a classic search or a ranking (without alternatives).\n\n"
        "Searches for the smallest set that reaches a threshold (by default what all features reach): abb, "
        "which proves it, qbb, lvf, lvi. For a threshold or a size: forward, backward, floating-forward, "
        "floating-backward. Rankings, cut where the weights fall: relief, information-gain. Elimination by "
        "the loss of one fitted model in which features are masked: gbmo, by --slack, and flbmo, by --size."
        "\n\n--jobs and --executor are for the models of --criterion model and the weights of relief; other "
        "searches go step by step in this process.",
        epilog=options.examples(
            "pyfsel subset mushrooms.csv -t edible --method floating-forward",
            "pyfsel subset --dataset wine --bins 3 --method abb",
            "pyfsel subset --dataset wine --method forward --criterion model --estimator GaussianNB --size 4",
            "pyfsel subset patients.csv -t diagnosis --method relief",
            "pyfsel subset patients.csv -t diagnosis --method gbmo --slack 0.01 --model hist",
        ),
    )(with_groups(subset_command))


Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="forward, backward, floating-forward, floating-backward, lvf, lvi, abb, qbb, relief, "
        "information-gain, gbmo or flbmo.",
        rich_help_panel=options.QUESTION,
    ),
]
CriterionName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="consistency (1/(1 + inconsistency rate)), conditional-entropy (minus that of the class), or "
        "model (a cross-validated score); gbmo and flbmo have the loss of a masked model.",
        show_default="consistency",
        rich_help_panel=options.QUESTION,
    ),
]
Size = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        help="Number of features.",
        show_default="the smallest set that reaches the threshold",
        rich_help_panel=options.QUESTION,
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="R",
        help="Least value of the criterion.",
        show_default="that of all features",
        rich_help_panel=options.QUESTION,
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        "--cv",
        min=2,
        metavar="N",
        help="Folds of cross-validation.",
        show_default="5",
        rich_help_panel=MODEL,
    ),
]
Bins = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="N",
        help="Group the values of continuous columns into N quantile bins.",
        show_default="values as they are",
        rich_help_panel=options.DATA,
    ),
]


@dataclass(frozen=True)
class SubsetSolving(SolvingOptions):
    """Searches of our own: a limit and a seed."""

    lacks = ("backend", "maxsat_command", "model", "formulation", "confirm", "threads", "memory_limit")


def _own(help_text: str) -> Any:
    return typer.Option(help=help_text, show_default=False, rich_help_panel=options.SOLVING)


@dataclass(frozen=True)
class MethodOptions:
    """Options that one method or the other takes."""

    ties: Annotated[str | None, _own("Which of equally good features: random or lowest.")] = None
    patience: Annotated[int | None, _own("forward, backward: end after so many steps without gain.")] = None
    tries: Annotated[int | None, _own("lvf, lvi, qbb: random sets to draw (1000).")] = None
    draw: Annotated[str | None, _own("lvf, lvi, qbb: all, shrinking (as the paper writes) or size.")] = None
    portion: Annotated[float | None, _own("lvi: share of the rows to begin with (0.1).")] = None
    check: Annotated[str | None, _own("lvi: test on all rows, or on the rest (as the paper writes).")] = None
    cut: Annotated[str | None, _own("Rankings: knee, or literal (with the feature at the cut).")] = None
    max_evaluations: Annotated[int | None, _own("Most sets to evaluate.")] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """Those that were given, as arguments of `select_subset` or `select_mask`."""
        given = {**vars(self), "max_tries": self.tries}
        del given["tries"]
        return {name: value for name, value in given.items() if value is not None}


Slack = Annotated[
    float | None,
    typer.Option(
        metavar="MU",
        help="gbmo: an elimination may raise the loss by this share of the loss before it.",
        show_default="0.01",
        rich_help_panel=options.QUESTION,
    ),
]
MaskModel = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="gbmo, flbmo: hist (gradient boosting), mlp or forest; or --estimator.",
        show_default="hist",
        rich_help_panel=MODEL,
    ),
]


def subset_command(
    source: TableOptions,
    method: Method = "floating-forward",
    criterion: CriterionName = None,
    size: Size = None,
    threshold: Threshold = None,
    bins: Bins = None,
    estimator: Estimator = None,
    scoring: Scoring = None,
    folds: Folds = None,
    slack: Slack = None,
    model: MaskModel = None,
    *,
    own: MethodOptions,
    solving: SubsetSolving,
    workers: Workers,
    written: OutputOptions,
) -> None:
    """Find one set."""
    from pyfsel.selectors.subset.mask import MASKS
    from pyfsel.selectors.subset.select import select_subset

    is_mask = method in MASKS
    if is_mask:
        unused = {"threshold": threshold, "bins": bins, "scoring": scoring, "cv": folds}
        _check_mask(method, criterion, size, unused, slack)
    else:
        _check_no_mask(method, {"slack": slack, "model": model})
    with notes(written.quiet), progress(f"searching {source.name}", written.quiet):
        complete = source.prepared()
        table = complete.select(source.representatives(complete))
        chosen = None if estimator is None else named_estimator(estimator, table.task)
        result = (
            _masked(table, chosen, size, slack, model, solving, own)
            if is_mask
            else select_subset(
                table,
                method=method,
                criterion=criterion or "consistency",
                size=size,
                threshold=threshold,
                n_bins=bins,
                estimator=chosen,
                scoring=scoring,
                cv=folds,
                **solving.arguments,
                n_jobs=workers.jobs,
                **own.arguments,
            )
        )
    note_near_copies(source, complete, map(result.names_of, result.sets[:1]), written.quiet)
    measure, sign = ("masked loss", -1) if is_mask else (criterion or "consistency", 1)
    written.write(result.to_dict, lambda: _csv(result), lambda: _table(result, measure, sign))
    raise typer.Exit(code_of_runs([result.stop_reason], result.reached))


def _check_mask(
    method: str, criterion: str | None, size: int | None, others: dict[str, Any], slack: float | None
) -> None:
    """Raise `InputError` for what a mask elimination does not take, before anything is read."""
    refused = {"criterion": criterion, **others}
    refused |= {"size": size} if method == "gbmo" else {"slack": slack}
    for name, given in refused.items():
        if given is not None:
            raise InputError(f"--{name}={given!r}: --method {method} does not take it")
    if method == "flbmo" and size is None:
        raise InputError("--method='flbmo': needs --size")


def _check_no_mask(method: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--{name}={value!r}: --method {method} does not take it; gbmo does")


def _masked(
    table: Table,
    estimator: Any,
    size: int | None,
    slack: float | None,
    model: str | None,
    solving: SubsetSolving,
    own: MethodOptions,
) -> SubsetResult:
    from pyfsel.measures.masked_model import fitted_masked_model, named_model
    from pyfsel.results.control import Limits
    from pyfsel.selectors.subset.mask import select_mask

    unknown = [name for name in own.arguments if name != "max_evaluations"]
    if unknown:
        raise InputError(f"{unknown[0]}={own.arguments[unknown[0]]!r}: is not for gbmo and flbmo")
    if estimator is not None and model is not None:
        raise InputError(f"--model={model!r}: give either this or --estimator")
    limits = Limits.checked(solving.time_limit, solving.seed)
    chosen = named_model(model or "hist", table.task, solving.seed) if estimator is None else estimator
    masked = fitted_masked_model(table, chosen, random_state=solving.seed)
    return select_mask(
        masked, size=size, slack=0.01 if slack is None else slack, limits=limits, **own.arguments
    )[0]


def _csv(result: SubsetResult) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    width = max((len(s) for s in result.sets), default=0)
    writer.writerow(["set", "size", "value", *(f"feature_{i + 1}" for i in range(width))])
    for number, (members, value) in enumerate(zip(result.sets, result.values, strict=True)):
        writer.writerow([number, len(members), value, *result.names_of(members)])
    return text.getvalue()


def _table(result: SubsetResult, measure: str, sign: int) -> RenderableType:
    """Return the sets, each with the measure, which is `sign` times what the search maximised."""
    from rich.console import Group
    from rich.text import Text

    from pyfsel.results.display import SetsTable

    table = SetsTable(("set", "size", measure))
    for number, members in enumerate(result.sets[:MOST_SHOWN]):
        names = result.names_of(members)
        table.add_row((str(number), str(len(names)), f"{sign * result.values[number]:.6g}"), names)
    facts = _facts(result, f"{measure} {sign * result.value:.6g}")
    return Group(table, Text(f"\n{facts}")) if result.sets else Text(facts)


def _facts(result: SubsetResult, quality: str) -> str:
    from pyfsel.results.drawing import STOPS

    more = len(result.sets) - MOST_SHOWN
    meaning = [
        f"and {more} more sets" if more > 0 else "",
        "proved: no smaller set reaches the threshold" if result.is_proved else "",
        "" if result.reached else "not what was asked for: the best set that was met",
        STOPS[result.stop_reason],
    ]
    said = "; ".join(part for part in meaning if part)
    facts = f"{quality}, {result.n_evaluations} sets evaluated, {result.runtime:.2f} s"
    return "\n".join(part for part in (said, f"{result.method}: {facts}") if part)
