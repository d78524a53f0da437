"""`pyfsel ask`: other questions about feature sets, of a table or an instance file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from pyfsel.cli import options
from pyfsel.cli.command import COMMANDS_OF, Function, command
from pyfsel.cli.exit_codes import ExitCode, code_of_result
from pyfsel.cli.files import read_problem, result_csv
from pyfsel.cli.messages import options_here
from pyfsel.cli.options import question_field, question_option
from pyfsel.cli.output import OutputOptions, PlottedOutput
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.question import SetOptions, TableQuestion
from pyfsel.cli.select import measured
from pyfsel.cli.solving import SolvingOptions
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet

if TYPE_CHECKING:
    from pyfsel.questions.atlas import Atlas
    from pyfsel.questions.min_then_sum import MinThenSum
    from pyfsel.questions.most_dissimilar import MostDissimilar
    from pyfsel.questions.most_sets import MostSets
    from pyfsel.questions.ties import Ties

DEFAULT_LOSS = 0.05
DEFAULT_LIMIT = 1000
ABOUT_DATA = "DATA is a table, or an INSTANCE.json as `pyfsel problem` writes it."

ask = typer.Typer(no_args_is_help=True)
COMMANDS_OF[__name__].add_typer(
    ask,
    name="ask",
    help="Other questions: the most dissimilar sets, the most sets, how many, min then sum, all optima.",
)


def _question(
    name: str, about: str, *examples: str, data: str = ABOUT_DATA
) -> Callable[[Function], Function]:
    return command(name, f"{about}\n\n{data}", *examples, group=ask)


Loss = Annotated[
    float | None,
    question_option(
        metavar="L",
        help="Share of the best quality that each set may lose.",
        show_default="0.05 unless --min-quality is given",
    ),
]


@dataclass(frozen=True)
class DissimilarSets(SetOptions):
    """Sets that are as dissimilar as possible, so without a threshold or a largest overlap."""

    lacks: ClassVar[tuple[str, ...]] = ("tau", "max_overlap")

    alternatives: options.Alternatives = 1

    @property
    def threshold(self) -> None:
        """None."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {"k": self.k, "n_alternatives": self.alternatives, "max_overlap": self.k}


@dataclass(frozen=True)
class TiedSets(SetOptions):
    """Sets of which all best ones are listed; one set unless more are asked for."""

    alternatives: options.Alternatives = 0


@dataclass(frozen=True)
class UncountedSets(SetOptions):
    """Sets of which as many as possible are asked for."""

    alternatives: int = question_field(hidden=True, default=0)


@dataclass(frozen=True)
class FamilySets(SetOptions):
    """Sets of whatever quality; how many there are is what is asked."""

    lacks: ClassVar[tuple[str, ...]] = ("alternatives",)


@dataclass(frozen=True)
class SingleSets(DissimilarSets):
    """Single sets, whatever they share with each other."""

    lacks: ClassVar[tuple[str, ...]] = (*DissimilarSets.lacks, "dissimilarity", "alternatives")

    alternatives: int = 0


@dataclass(frozen=True)
class AskSolving(SolvingOptions):
    """A question solves several problems, but a model of the user's own is written for one."""

    lacks = ("model", "search")


@dataclass(frozen=True)
class _Asked:
    """What is asked about: the problem of a table or an instance file, or the number of features."""

    problem: Any
    overlap_rule: str
    note_copies: Callable[[Iterable[FeatureSet], bool], None] = lambda sets, quiet: None


def _problem(
    context: typer.Context,
    question: TableQuestion[Any],
    seed: int,
    quiet: bool,
) -> _Asked:
    table = question.table
    if table.data is None or table.data.suffix.lower() != ".json":
        measurement = measured(question, quiet, random_state=seed)
        note(measurement.described, quiet)
        return _Asked(measurement.problem, question.sets.overlap_rule, measurement.note_copies)
    groups = (getattr(question, each.name) for each in fields(question))
    names = {each.name for group in groups for each in fields(group)}
    given = _given(context, names - {"data", "dissimilarity"})
    if given:
        raise InputError(f"{', '.join(given)}: the instance file {table.data} already determines this")
    return _Asked(read_problem(table.data), "")


def _given(context: typer.Context, names: set[str]) -> list[str]:
    """Return the options that stand on the command line, by their long names."""
    sources = {name: context.get_parameter_source(name) for name in names}
    given = {name for name, found in sources.items() if found is not None and found.name == "COMMANDLINE"}
    return [option for name, option in options_here.get().items() if name in given]


def _answered(
    question: Callable[..., Any], asked: _Asked, solving: AskSolving, written: OutputOptions, **more: Any
) -> ExitCode:
    """Ask, write the answer and return the exit code."""
    with notes(written.quiet), progress("solving", written.quiet) as report:
        answer = question(
            asked.problem,
            on_trial=lambda trial: report(f"{trial.asked}: {trial.status}"),
            **solving.arguments,
            **more,
        )

    asked.note_copies(_sets(answer), written.quiet)
    written.write(answer.to_dict, lambda: _csv(answer), lambda: answer.table(asked.overlap_rule))
    if isinstance(written, PlottedOutput):
        written.draw(answer.plot)
    return code_of_result(answer)


def _sets(answer: MostDissimilar | MostSets | MinThenSum | Ties | Atlas) -> Iterable[FeatureSet]:
    from pyfsel.questions.ties import Ties

    if isinstance(answer, Ties):
        return [members for family in answer.families for members in family]
    return () if answer.result is None else answer.result.sets


def _csv(answer: MostDissimilar | MostSets | MinThenSum | Ties | Atlas) -> str:
    from pyfsel.questions.atlas import Atlas
    from pyfsel.questions.ties import Ties

    if isinstance(answer, Atlas):
        return answer.to_frame().to_csv()
    if not isinstance(answer, Ties):
        return "" if answer.result is None else result_csv(answer.result)
    import pandas as pd

    from pyfsel.results.display import listed_names

    rows = [
        {"solution": number, "set": position, "features": listed_names(answer.problem.names_of(members))}
        for number, family in enumerate(answer.families)
        for position, members in enumerate(family)
    ]
    return pd.DataFrame(rows, columns=["solution", "set", "features"]).to_csv(index=False)


def _loss(loss: float | None, problem: Instance) -> float | None:
    return DEFAULT_LOSS if loss is None and problem.min_quality is None else loss


@_question(
    "most-dissimilar",
    "How different can sets be that lose only so much quality? Finds the most dissimilar ones.",
    "pyfsel ask most-dissimilar --dataset breast_cancer -k 5 --loss 0.05",
    "pyfsel ask most-dissimilar wine.json --loss 0.1 --search simultaneous",
)
def most_dissimilar_command(
    context: typer.Context,
    question: TableQuestion[DissimilarSets],
    loss: Loss = None,
    search: str | None = question_field(
        metavar="NAME",
        help="sequential: one alternative to the best set; simultaneous: all sets at once.",
        show_default="sequential, unless an aggregate is asked for",
    ),
    *,
    solving: AskSolving,
    written: OutputOptions,
) -> ExitCode:
    """Find the most dissimilar sets that are good enough."""
    from pyfsel.questions.most_dissimilar import most_dissimilar

    asked = _problem(context, question, solving.seed, written.quiet)
    more = {
        "loss": _loss(loss, asked.problem),
        "search": question.quality.search(search),
        "dissimilarity": question.sets.dissimilarity,
    }
    return _answered(most_dissimilar, asked, solving, written, **more)


@_question(
    "most-sets",
    "How many dissimilar sets are there that lose only so much quality? Finds as many as possible.",
    "pyfsel ask most-sets --dataset breast_cancer -k 5 --tau 0.6 --loss 0.1",
    "pyfsel ask most-sets wine.json --loss 0.1 --time-limit 20",
)
def most_sets_command(
    context: typer.Context,
    question: TableQuestion[UncountedSets],
    loss: Loss = None,
    at_most: int | None = question_field(metavar="N", help="Stop at N sets."),
    *,
    solving: AskSolving,
    written: OutputOptions,
) -> ExitCode:
    """Find as many sets as possible that are good enough."""
    from pyfsel.questions.most_sets import most_sets

    asked = _problem(context, question, solving.seed, written.quiet)
    return _answered(most_sets, asked, solving, written, loss=_loss(loss, asked.problem), at_most=at_most)


@_question(
    "how-many",
    "How many dissimilar sets of k of N features are there, whatever their quality, and how many families?",
    "pyfsel ask how-many 7 -k 3 --max-overlap 1",
    "pyfsel ask how-many 100 -k 5 --tau 0.6 -a 2 --draw 3",
    data="No table is needed: the answer is the same for all tables of N columns.",
)
def how_many_command(
    n_features: Annotated[int, typer.Argument(metavar="N", help="Features.")],
    sets: FamilySets,
    alternatives: int | None = question_field(
        "-a",
        "--alternatives",
        metavar="A",
        help="Count the families of A + 1 sets.",
        show_default="as many as there are",
    ),
    draw: int = question_field(
        min=0, metavar="N", help="Draw N of these families at random, uniformly.", default=0
    ),
    *,
    solving: AskSolving,
    written: OutputOptions,
) -> ExitCode:
    """Count dissimilar sets and families of them."""
    from pyfsel.papers.counting import how_many

    asked = _Asked(n_features, sets.overlap_rule)
    return _answered(
        how_many, asked, solving, written, **{**sets.arguments, "n_alternatives": alternatives}, n_draws=draw
    )


@_question(
    "min-then-sum",
    "The sets with the best smallest quality and, among these, the best sum; --aggregate is not used.",
    "pyfsel ask min-then-sum --dataset breast_cancer -k 5 -a 3 --tau 0.4",
)
def min_then_sum_command(
    context: typer.Context,
    question: TableQuestion[SetOptions],
    solving: AskSolving,
    written: OutputOptions,
) -> ExitCode:
    """Find the sets with the best smallest quality and then the best sum."""
    from pyfsel.questions.min_then_sum import min_then_sum

    asked = _problem(context, question, solving.seed, written.quiet)
    return _answered(min_then_sum, asked, solving, written)


@_question(
    "ties",
    "All optimal sets: which others are exactly as good? With -a, all optimal families of sets at once.",
    "pyfsel ask ties --dataset iris -k 2 --measure mutual_info_binned",
    "pyfsel ask ties wine.json --limit 100 --loss 0.01 --format json",
)
def ties_command(
    context: typer.Context,
    question: TableQuestion[TiedSets],
    limit: int = question_field(min=1, metavar="N", help="List at most N.", default=DEFAULT_LIMIT),
    loss: float = question_field(metavar="L", help="Share of the optimum that they may lose.", default=0.0),
    *,
    solving: AskSolving,
    written: OutputOptions,
) -> ExitCode:
    """List all optimal sets."""
    from pyfsel.questions.ties import ties

    asked = _problem(context, question, solving.seed, written.quiet)
    return _answered(ties, asked, solving, written, limit=limit, loss=loss)


@command(
    "atlas",
    "How many sets are nearly as good as the best one, and what do they share? Counted, not listed.\n\n"
    + ABOUT_DATA,
    "pyfsel atlas --dataset breast_cancer -k 5 --loss 0.05",
    "pyfsel atlas wine.json --loss 0.01 --plot atlas.svg",
)
def atlas_command(
    context: typer.Context,
    question: TableQuestion[SingleSets],
    loss: Loss = None,
    *,
    solving: AskSolving,
    written: PlottedOutput,
) -> ExitCode:
    """Count the sets that are good enough."""
    from pyfsel.questions.atlas import atlas

    asked = _problem(context, question, solving.seed, written.quiet)
    return _answered(atlas, asked, solving, written, loss=_loss(loss, asked.problem))
