"""`pyfsel evaluate`: held-out scores of alternative feature sets, and their stability."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.measuring import MeasuringOptions
from pyfsel.cli.options import measuring_field, solving_field, validation_field
from pyfsel.cli.output import PlottedOutput
from pyfsel.cli.progress import notes, progress
from pyfsel.cli.question import SetOptions, Sets, TableQuestion
from pyfsel.cli.solving import SolvingOptions, Workers
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of

if TYPE_CHECKING:
    from pyfsel.interface.evaluation import Evaluation
    from pyfsel.selectors.alternatives import AlternativeFeatureSelector


@dataclass(frozen=True)
class ValidationOptions:
    """How held-out scores are made."""

    estimator: str = validation_field(
        metavar="NAME,…",
        help="linear, tree, forest, neighbours or boosting; several with commas between.",
        default="linear",
    )
    also: str | None = validation_field(
        metavar="NAME,…",
        help="Selectors of scikit-learn to compare with, of as many features: kbest (F statistic) or rfe "
        "(recursive elimination by a linear model).",
    )
    scoring: str | None = validation_field(
        metavar="NAME", help="A score of scikit-learn.", show_default="balanced_accuracy or r2"
    )
    folds: int = validation_field(min=2, metavar="N", help="Folds.", default=5)
    repeats: int = validation_field(
        min=1, metavar="N", help="Split the rows N times, with new seeds.", default=4
    )
    cv: str | None = validation_field(
        metavar="time:COLUMN",
        help="Folds forward in time: models are trained on rows that are earlier by COLUMN, which is then "
        "not a feature; time:COLUMN:GAP leaves out the last GAP (of dates: days) before each fold.",
        show_default="random folds",
    )
    margin: float = validation_field(
        min=0, metavar="D", help="A set that scores at most D less is not worse.", default=0.02
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `pyfsel.evaluate`."""
        if self.cv is not None and not self.cv.startswith("time:"):
            raise InputError(
                f"--cv={self.cv!r}: is not time:COLUMN or time:COLUMN:GAP; --folds is the number"
            )
        return {
            "cv": self.folds if self.cv is None else self.cv,
            "margin": self.margin,
            "scoring": self.scoring,
            "repeats": self.repeats,
        }

    @property
    def estimators(self) -> str | list[str]:
        """The estimator, or several; `InputError` for an unknown name."""
        from pyfsel.selectors.evaluation.models import MODELS

        names = self.estimator.split(",")
        for name in names:
            if name not in MODELS:
                raise InputError(f"--estimator={name!r}: must be one of {', '.join(MODELS)}")
        return names if len(names) > 1 else self.estimator


@dataclass(frozen=True)
class SelectorMeasuring(MeasuringOptions):
    """What the selector of scikit-learn can be told about measuring."""

    lacks = ("keep_best",)

    weights_of: str | None = measuring_field(
        metavar="COLUMN",
        help="The column that says how much each row counts, for measure, models and score; it is then "
        "not a feature.",
    )
    groups_of: str | None = measuring_field(
        metavar="COLUMN",
        help="The column that says which rows belong together, such as those of one patient: they stay "
        "in one fold, and chance is by group; it is then not a feature.",
    )


@dataclass(frozen=True)
class SelectorQuestion(TableQuestion[Sets]):
    """What is asked of the selector of scikit-learn."""

    measuring: SelectorMeasuring = field(default_factory=SelectorMeasuring)


@dataclass(frozen=True)
class SelectorSolving(SolvingOptions):
    """What the selector of scikit-learn, which is fitted in every fold, can be told about solving."""

    lacks = ("maxsat_command", "model", "formulation", "confirm", "threads", "memory_limit")
    time_limit: float | None = solving_field(
        metavar="S", help="Seconds for the sets of one fold.", default=60
    )


def chosen_selector(question: TableQuestion[Any], solving: SolvingOptions) -> AlternativeFeatureSelector:
    """Return the unfitted selector that the options ask for, to be fitted in every fold."""
    from pyfsel.objectives import as_objective
    from pyfsel.problem.rules import Constraints, Dissimilarity
    from pyfsel.selectors.alternatives import AlternativeFeatureSelector

    table, sets, quality, asked = question.table, question.sets, question.quality, question.side.arguments
    least = asked.pop("min_k")
    named = {name: getattr(quality, name) for name in ("beta", "ridge", "criterion")}
    named["pairs"] = question.measuring.redundancy_measure
    own = {name: given for name, given in named.items() if given is not None}
    is_sequential = quality.search(solving.search) == "sequential"
    return AlternativeFeatureSelector(
        sets.k if least is None else (least, sets.k),
        n_sets=sets.alternatives + 1,
        dissimilarity=Dissimilarity(
            sets.threshold, sets.dissimilarity, sets.max_overlap, relatives=sets.relatives
        ),
        objective=as_objective(quality.objective).with_params("objective", **own),
        measure=quality.measure,
        constraints=Constraints(**asked),
        search="sequential" if is_sequential else quality.aggregate or "sum",
        solver=solving.backend,
        time_limit=solving.time_limit,
        task=table.task,
        missing=table.missing,
        near_duplicates=f"merge:{table.copy_threshold}" if table.copies == "merge" else "ignore",
        chance=question.measuring.chance,
    )


@command(
    "evaluate",
    "Score feature sets on rows that their selection has not seen.\n\n"
    "The selection is repeated inside each training fold. Do not select with all rows first and then "
    "cross-validate only the estimator: that score is too high, because the held-out rows have helped to "
    "choose the features.",
    "pyfsel evaluate --dataset breast_cancer -k 5 -a 3 --tau 0.6",
    "pyfsel evaluate patients.csv --target diagnosis --estimator forest --repeats 5 --plot scores.png",
)
def evaluate_command(
    question: SelectorQuestion[SetOptions],
    solving: SelectorSolving,
    validation: ValidationOptions,
    workers: Workers,
    written: PlottedOutput,
) -> ExitCode:
    """Score the sets of a table."""
    _ = solving.chosen
    table = question.table
    with notes(written.quiet), progress(f"evaluating {table.name}", written.quiet):
        one_of("copies", table.copies, ("note", "merge", "ignore"))
        estimators = validation.estimators
        X, y, of_rows = question.rows()
        from pyfsel.selectors.evaluation.evaluate import evaluate

        selector = chosen_selector(question, solving)
        others = _others(validation.also, question.sets.k)
        found = evaluate(
            X,
            y,
            {"sets": selector, **others} if others else selector,
            estimators,
            **validation.arguments,
            **of_rows,
            random_state=solving.seed,
            n_jobs=workers.jobs,
        )
    written.write(found.to_dict, lambda: _csv(found), found.table)
    written.draw(found.plot)
    return code_of_runs([found.stop_reason], found=True)


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
