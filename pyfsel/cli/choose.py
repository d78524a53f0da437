"""`pyfsel choose`: how many features, by held-out scores, and what dissimilarity costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyfsel.cli.command import command
from pyfsel.cli.evaluate import SelectorQuestion, SelectorSolving, ValidationOptions, chosen_selector
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.grids import floats, integers
from pyfsel.cli.options import question_field, validation_field
from pyfsel.cli.output import PlottedOutput
from pyfsel.cli.progress import notes, progress
from pyfsel.cli.question import SetOptions
from pyfsel.cli.solving import Workers
from pyfsel.errors import InputError

NONE = "none"


@dataclass(frozen=True)
class ChoiceSets(SetOptions):
    """Which sets are compared: of sizes instead of one, at thresholds instead of one."""

    lacks: ClassVar[tuple[str, ...]] = ("k", "tau", "max_overlap")

    set_sizes: str = question_field(
        "-k", "--set-size", metavar="K,…", help="Features per set: 2,4,8 or 1-10.", default="1-10"
    )
    taus: str = question_field(
        "--tau",
        metavar="T,…",
        help=f"Thresholds whose price is told, 0 to 1; or {NONE}.",
        default="0.2,0.4,0.6,0.8,1",
    )


@dataclass(frozen=True)
class ChoiceValidation(ValidationOptions):
    """How held-out scores are made."""

    lacks: ClassVar[tuple[str, ...]] = ("also", "margin")

    nested: bool = validation_field(
        "--nested",
        help="Also score the choice itself, made anew in each of the folds; takes long.",
        default=False,
    )


@command(
    "choose",
    "How many features? Held-out scores of each number, and what dissimilarity costs.\n\n"
    "Recommends the smallest number whose score is within one standard error of the best. For the threshold "
    "tau it only tells the price: which one is right depends on what the sets are for.",
    "pyfsel choose --dataset breast_cancer -k 1-10",
    "pyfsel choose patients.csv -t diagnosis -k 2-20 --estimator forest --plot k.png",
)
def choose_command(
    question: SelectorQuestion[ChoiceSets],
    solving: SelectorSolving,
    validation: ChoiceValidation,
    workers: Workers,
    written: PlottedOutput,
) -> ExitCode:
    """Choose the number of features."""
    _ = solving.chosen
    sets = question.sets
    sizes = integers("-k", sets.set_sizes)
    taus = [] if sets.taus == NONE else floats("--tau", sets.taus)
    estimator = validation.estimators
    if not isinstance(estimator, str):
        raise InputError(f"--estimator={validation.estimator!r}: must be one only")
    with notes(written.quiet), progress(f"choosing for {question.table.name}", written.quiet):
        X, y, of_rows = question.rows()
        from pyfsel.selectors.choose_k import choose_k

        found = choose_k(
            X,
            y,
            chosen_selector(question, solving),
            estimator,
            k=sizes,
            dissimilarity=taus,
            nested=validation.nested,
            **{name: given for name, given in validation.arguments.items() if name != "margin"},
            groups=of_rows["groups"],
            random_state=solving.seed,
            n_jobs=workers.jobs,
        )
    written.write(found.to_dict, lambda: found.to_frame().to_csv(index=False), found.table)
    written.draw(found.plot)
    return code_of_runs([found.stop_reason], found=True)
