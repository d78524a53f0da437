"""`pyfsel subset`: one set of features by a classic search or a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.files import sets_csv
from pyfsel.cli.options import data_field, model_field, question_field, solving_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import notes, progress
from pyfsel.cli.question import DEFAULT_TAU
from pyfsel.cli.solving import SolvingOptions, Workers
from pyfsel.cli.tables import TableOptions
from pyfsel.cli.wrapper import ModelOptions, named_estimator
from pyfsel.errors import InputError
from pyfsel.measures.tables.table import Table
from pyfsel.papers.subset.run import SubsetResult
from pyfsel.problem.checks import one_of
from pyfsel.problem.wording import number_of

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_SHOWN = 10


@dataclass(frozen=True)
class SubsetQuestion:
    """Which set is looked for, and how."""

    method: str = question_field(
        metavar="NAME",
        help="forward, backward, floating-forward, floating-backward, lvf, lvi, abb, qbb, relief, "
        "information-gain, graph-fs, asdp, sdp-1, gbmo or flbmo.",
        default="floating-forward",
    )
    criterion: str | None = question_field(
        metavar="NAME",
        help="consistency (1/(1 + inconsistency rate)), conditional-entropy (minus that of the class), "
        "or model (a cross-validated score); gbmo and flbmo have the loss of a masked model.",
        show_default="consistency",
    )
    size: int | None = question_field(
        metavar="K", help="Number of features.", show_default="the smallest set that reaches the threshold"
    )
    alternatives: int = question_field(
        "--alternatives",
        "-a",
        min=0,
        metavar="A",
        help="Dissimilar sets besides the first one, by the same search: forward, backward, floating, "
        "with --size.",
        default=0,
    )
    tau: options.Tau = None
    threshold: float | None = question_field(
        metavar="R", help="Least value of the criterion.", show_default="that of all features"
    )
    slack: float | None = question_field(
        metavar="MU",
        help="gbmo: an elimination may raise the loss by this share of the loss before it.",
        show_default="0.01",
    )
    bins: int | None = data_field(
        min=2,
        metavar="N",
        help="Group the values of continuous columns into N quantile bins.",
        show_default="values as they are",
    )


@dataclass(frozen=True)
class SubsetModel(ModelOptions):
    """The model whose score or loss decides."""

    model: str | None = model_field(
        metavar="NAME",
        help="gbmo, flbmo: hist (gradient boosting), mlp or forest; or --estimator.",
        show_default="hist",
    )


@dataclass(frozen=True)
class SubsetSolving(SolvingOptions):
    """Searches of our own: a limit and a seed."""

    lacks = (
        "search",
        "backend",
        "maxsat_command",
        "model",
        "formulation",
        "confirm",
        "threads",
        "memory_limit",
    )


def _of_method(help_text: str) -> Any:
    return solving_field(help=help_text, show_default=False)


@dataclass(frozen=True)
class MethodOptions:
    """Options that one method or the other takes."""

    ties: str | None = _of_method("Which of equally good features: random or lowest.")
    patience: int | None = _of_method("forward, backward: end after this many steps without gain.")
    tries: int | None = _of_method("lvf, lvi, qbb: random sets to draw (1000).")
    draw: str | None = _of_method("lvf, lvi, qbb: all, shrinking (as the paper writes) or size.")
    portion: float | None = _of_method("lvi: share of the rows to begin with (0.1).")
    check: str | None = _of_method("lvi: test on all rows, or on the rest (as the paper writes).")
    cut: str | None = _of_method("Rankings: knee, or literal (with the feature at the cut).")
    max_evaluations: int | None = _of_method("Most sets to evaluate.")
    first: str | None = _of_method(
        "Another method, which selects first; --method searches among its features."
    )
    t_delta: float | None = _of_method("graph-fs, asdp: largest Δ of a feature.")
    t_p: float | None = _of_method("graph-fs, asdp: correlation that counts as similar.")
    rounds: int | None = _of_method("graph-fs, asdp: rounds of the cascade (1).")
    decay: float | None = _of_method("graph-fs, asdp: of thresholds, by round (0.8).")
    weight: float | None = _of_method("asdp, sdp-1: how much Δ counts (0.5).")
    shift_delta: float | None = _of_method("asdp, sdp-1: subtracted from all Δ (median).")
    shift_p: float | None = _of_method("asdp, sdp-1: subtracted from all P (median).")

    @property
    def arguments(self) -> dict[str, Any]:
        """Those that were given, as arguments of `select_subset` or `select_mask`."""
        given = {**vars(self), "max_tries": self.tries}
        del given["tries"]
        return {name: value for name, value in given.items() if value is not None}


@command(
    "subset",
    "Find one feature set by a classic search or a ranking (without alternatives).\n\n"
    "Searches for the smallest set that reaches a threshold (by default what all features reach): abb, "
    "which proves it, qbb, lvf, lvi. For a threshold or a size: forward, backward, floating-forward, "
    "floating-backward. Rankings, cut where the weights fall: relief, information-gain. Elimination by "
    "the loss of one fitted model in which features are masked: gbmo, by --slack, and flbmo, by --size. "
    "Good features that are not alike: graph-fs, asdp, sdp-1. With --first another method narrows the "
    "features before."
    "\n\n--jobs and --executor are for the models of --criterion model and the weights of relief; other "
    "searches go step by step in this process.",
    "pyfsel subset mushrooms.csv -t edible --method floating-forward",
    "pyfsel subset --dataset wine --bins 3 --method abb",
    "pyfsel subset --dataset wine --method forward --criterion model --estimator GaussianNB --size 4",
    "pyfsel subset patients.csv -t diagnosis --method relief",
    "pyfsel subset patients.csv -t diagnosis --method lvf --first relief",
    "pyfsel subset patients.csv -t diagnosis --method gbmo --slack 0.01 --model hist",
)
def subset_command(
    source: TableOptions,
    asked: SubsetQuestion,
    model: SubsetModel,
    own: MethodOptions,
    solving: SubsetSolving,
    workers: Workers,
    written: OutputOptions,
) -> ExitCode:
    """Find one set."""
    from pyfsel.papers.subset.alternatives import subset_alternatives
    from pyfsel.papers.subset.select import select_subset

    searched: Any = partial(select_subset, size=asked.size, threshold=asked.threshold)
    if asked.alternatives:
        size: Any = asked.size
        tau = DEFAULT_TAU if asked.tau is None else asked.tau
        searched = partial(subset_alternatives, size=size, n_sets=asked.alternatives + 1, dissimilarity=tau)
    is_mask = _check_method(asked, model, own)
    with notes(written.quiet), progress(f"searching {source.name}", written.quiet):
        folds = model.folds
        complete = model.prepared(source)
        table = complete.select(source.representatives(complete))
        chosen = None if model.estimator is None else named_estimator(model.estimator, table.task)
        result = (
            _masked(table, asked, model.model, chosen, solving, own)
            if is_mask
            else searched(
                table,
                method=asked.method,
                criterion=asked.criterion or "consistency",
                n_bins=asked.bins,
                estimator=chosen,
                scoring=model.scoring,
                cv=folds,
                **solving.arguments,
                n_jobs=workers.jobs,
                **own.arguments,
            )
        )
    source.note_near_copies(complete, map(result.names_of, result.sets[:1]), written.quiet)
    measure, sign = ("masked loss", -1) if is_mask else (asked.criterion or "consistency", 1)
    written.write(result.to_dict, lambda: _csv(result), lambda: _table(result, measure, sign))
    return code_of_runs([result.stop_reason], result.reached)


def _check_method(asked: SubsetQuestion, model: SubsetModel, own: MethodOptions) -> bool:
    """Return whether the method masks features of one fitted model; refuse options that it does not take."""
    from pyfsel.papers.mask_selector import MASKS
    from pyfsel.papers.subset.select import ALL_METHODS

    one_of("method", asked.method, (*ALL_METHODS, *MASKS))
    is_mask = asked.method in MASKS
    refused: dict[str, Any] = {"slack": asked.slack, "model": model.model}
    if asked.alternatives and asked.size is None:
        raise InputError(f"--alternatives={asked.alternatives}: needs --size")
    if asked.alternatives:
        refused |= {"threshold": asked.threshold, "first": own.first}
    elif asked.tau is not None:
        raise InputError(f"--tau={asked.tau:g}: is for --alternatives")
    if is_mask:
        refused = {name: getattr(asked, name) for name in ("criterion", "threshold", "bins")}
        refused |= {"scoring": model.scoring, "cv": model.cv}
        refused |= {"alternatives": asked.alternatives or None}
        refused |= {"size": asked.size} if asked.method == "gbmo" else {"slack": asked.slack}
    for name, given in refused.items():
        if given is not None:
            hint = "; gbmo does" if name in ("slack", "model") else ""
            raise InputError(f"--{name}={given!r}: --method {asked.method} does not take it{hint}")
    if asked.method == "flbmo" and asked.size is None:
        raise InputError("--method='flbmo': needs --size")
    return is_mask


def _masked(
    table: Table,
    asked: SubsetQuestion,
    model: str | None,
    estimator: Any,
    solving: SubsetSolving,
    own: MethodOptions,
) -> SubsetResult:
    from pyfsel.measures.masked_model import fitted_masked_model, named_model
    from pyfsel.papers.mask_selector import select_mask
    from pyfsel.results.control import Limits

    unknown = [name for name in own.arguments if name != "max_evaluations"]
    if unknown:
        raise InputError(f"{unknown[0]}={own.arguments[unknown[0]]!r}: does not apply to gbmo and flbmo")
    if estimator is not None and model is not None:
        raise InputError(f"--model={model!r}: give either this or --estimator")
    limits = Limits.checked(solving.time_limit, solving.seed)
    chosen = named_model(model or "hist", table.task, solving.seed) if estimator is None else estimator
    masked = fitted_masked_model(table, chosen, random_state=solving.seed)
    return select_mask(
        masked,
        size=asked.size,
        slack=0.01 if asked.slack is None else asked.slack,
        limits=limits,
        **own.arguments,
    )[0]


def _csv(result: SubsetResult) -> str:
    sets = [result.names_of(members) for members in result.sets]
    cells = ((len(names), value) for names, value in zip(sets, result.values, strict=True))
    return sets_csv(["size", "value"], cells, sets, max(map(len, sets), default=0))


def _table(result: SubsetResult, measure: str, sign: int) -> RenderableType:
    """Return the sets, each with the measure, which is `sign` times what the search maximised."""
    from pyfsel.results.display import SetsTable, printed

    table = SetsTable(("set", "size", measure))
    for number, members in enumerate(result.sets[:MOST_SHOWN]):
        names = result.names_of(members)
        table.add_row((str(number), str(len(names)), f"{sign * result.values[number]:.6g}"), names)
    facts = _facts(result, f"{measure} {sign * result.value:.6g}")
    return printed(*[table] if result.sets else [], facts)


def _facts(result: SubsetResult, quality: str) -> str:
    from pyfsel.results.claims import STOPS

    more = len(result.sets) - MOST_SHOWN
    meaning = [
        f"and {number_of(more, 'more set')}" if more > 0 else "",
        "proved: no smaller set reaches the threshold" if result.is_proved else "",
        "" if result.reached else "not what was asked for, but the best set found",
        STOPS[result.stop_reason],
    ]
    said = "; ".join(part for part in meaning if part)
    facts = f"{quality}, {number_of(result.n_evaluations, 'set')} evaluated, {result.runtime:.2f} s"
    return "\n".join(part for part in (said, f"{result.method}: {facts}") if part)
