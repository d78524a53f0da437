"""`pyfsel wrapper`: feature sets with which a model predicts well."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode, code_of_result
from pyfsel.cli.files import sets_csv
from pyfsel.cli.options import model_field, solving_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import notes
from pyfsel.cli.question import SetOptions, SizeAndSideOptions
from pyfsel.cli.solving import SolvingOptions, Workers
from pyfsel.cli.tables import TableOptions
from pyfsel.errors import InputError
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import Status, StopReason
from pyfsel.selectors.wrapper.wrapper import WrapperResult

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.measures.tables.table import Table

DEFAULTS = {"classification": "DecisionTreeClassifier", "regression": "DecisionTreeRegressor"}


@dataclass(frozen=True)
class ModelOptions:
    """The model whose scores decide."""

    estimator: str | None = model_field(
        metavar="CLASS",
        help="Name of an estimator of scikit-learn, which gets its default parameters.",
        show_default="a decision tree",
    )
    scoring: str | None = model_field(
        metavar="NAME",
        help="A scorer of scikit-learn, such as balanced_accuracy, roc_auc or r2.",
        show_default="the estimator's own",
    )
    cv: str | None = model_field(
        metavar="N",
        help="Folds of cross-validation; or time:COLUMN or time:COLUMN:GAP: models are trained on rows that "
        "are earlier by COLUMN, which is then not a feature.",
        show_default="5",
    )

    def prepared(self, source: TableOptions) -> Table:
        """Return the table; with times of its rows if the folds go forward in time."""
        if self.cv is None or not self.cv.startswith("time:"):
            return source.prepared()
        from pyfsel.measures.tables.rows import with_rows
        from pyfsel.measures.tables.table import prepare
        from pyfsel.selectors.splits import split_times

        X, y = source.read()
        X, times, gap = split_times(X, self.cv)
        table = prepare(X, y, task=source.task, missing=source.missing, dates=source.dates)
        return with_rows(table, times=times, time_gap=gap)

    @property
    def folds(self) -> int | str | None:
        """The number of folds, or the column of times by which they go forward."""
        if self.cv is None or self.cv.startswith("time:"):
            return self.cv
        if not self.cv.isdecimal() or int(self.cv) < 2:
            raise InputError(
                f"--cv={self.cv!r}: is not a number of at least 2, time:COLUMN or time:COLUMN:GAP"
            )
        return int(self.cv)


@dataclass(frozen=True)
class WrapperSolving(SolvingOptions):
    """A hill climb trains models; the solver that proposes its sets is not a choice."""

    lacks = ("backend", "maxsat_command", "model", "formulation", "confirm", "threads", "memory_limit")

    max_iters: int = solving_field(
        min=1,
        metavar="N",
        help="Most solver calls: per set, or in simultaneous search for all sets together.",
        default=1000,
    )
    state: options.StateFile = None


@dataclass(frozen=True)
class WrapperSets(SetOptions):
    """Which sets are asked for, and what counts of several."""

    lacks: ClassVar[tuple[str, ...]] = ("relatives",)
    aggregate: options.Aggregate = None


@dataclass(frozen=True)
class WrapperSide(SizeAndSideOptions):
    """A model's score decides, so there is no least quality of features."""

    lacks: ClassVar[tuple[str, ...]] = ("min_quality",)

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `greedy_wrapper`."""
        return {name: given for name, given in super().arguments.items() if name != "min_quality"}


@command(
    "wrapper",
    "Find feature sets with which a model predicts well: a hill climb that trains models.\n\n"
    "It proves nothing about better sets, but every set is as dissimilar to the others as asked.",
    "pyfsel wrapper --dataset wine -k 3 -a 2 --tau 0.6",
    "pyfsel wrapper patients.csv -t diagnosis --estimator GaussianNB --scoring matthews_corrcoef",
    "pyfsel wrapper patients.csv -t diagnosis --state climb.json --time-limit 600",
)
def wrapper_command(
    source: TableOptions,
    sets: WrapperSets,
    side: WrapperSide,
    model: ModelOptions,
    solving: WrapperSolving,
    workers: Workers,
    written: OutputOptions,
) -> ExitCode:
    """Find feature sets by a hill climb."""
    from pyfsel.selectors.wrapper.wrapper import greedy_wrapper

    with notes(written.quiet):
        folds = model.folds
        table = model.prepared(source)
        result = greedy_wrapper(
            table,
            **sets.arguments,
            **side.arguments,
            **source.copying,
            aggregate=sets.aggregate,
            estimator=named_estimator(model.estimator, table.task),
            scoring=model.scoring,
            cv=folds or 5,
            max_iters=solving.max_iters,
            state_file=solving.state,
            **solving.arguments,
            n_jobs=workers.jobs,
            progress=not written.quiet,
        )
    source.note_near_copies(table, result.feature_sets, written.quiet)
    told = f"{result.status}, {number_of(len(result.sets), 'set')}"

    def csv() -> str:
        scores = ([score] for score in result.scores)
        return sets_csv(["score"], scores, result.feature_sets, result.problem.set_size)

    written.write(result.to_dict, csv, lambda: _table(result), told)
    return code_of_result(result, result.problem.n_sets)


def named_estimator(name: str | None, task: str) -> Any:
    """Return an estimator of scikit-learn with default parameters.

    Raises
    ------
    InputError
        For an unknown name, one of the other task, or an estimator that needs parameters.
    """
    from sklearn.utils import all_estimators

    name = name or DEFAULTS[task]
    kind = "classifier" if task == "classification" else "regressor"
    known = dict(all_estimators(type_filter=kind))
    if name not in known:
        near = get_close_matches(name, known, n=3, cutoff=0.4)
        hint = f", such as {' or '.join(near)}" if near else ""
        raise InputError(f"--estimator={name!r}: must be the name of a scikit-learn {kind}{hint}")
    try:
        return known[name]()
    except TypeError as error:
        raise InputError(f"--estimator={name!r}: cannot be made without parameters ({error})") from None


def _table(result: WrapperResult) -> RenderableType:
    from pyfsel.results.display import SetsTable, printed

    table = SetsTable(("set", "score"))
    for number, (score, names) in enumerate(zip(result.scores, result.feature_sets, strict=True)):
        table.add_row((str(number), f"{score:.4f}"), names)
    facts = (
        f"{result.status} ({_meaning(result)})\n"
        f"{number_of(result.n_solver_calls, 'solver call')}, {number_of(result.n_models, 'model')} trained, "
        f"{result.runtime:.1f} s"
    )
    return printed(*[table] if result.sets else [], facts)


def _meaning(result: WrapperResult) -> str:
    from pyfsel.results.claims import STOPS

    if result.status is Status.INFEASIBLE:
        return "proved: no such sets exist"
    if result.stop_reason is not StopReason.FINISHED:
        end = STOPS[result.stop_reason]
    elif result.is_local_optimum:
        end = "no swap improves a set any more"
    else:
        end = "ended after the most solver calls allowed"
    found, asked = len(result.sets), result.problem.n_sets
    return end if found == asked else f"{found} of {number_of(asked, 'set')}; {end}"
