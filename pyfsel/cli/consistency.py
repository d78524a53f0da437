"""`pyfsel consistency`: the smallest sets of features that keep rows of different classes apart."""

from __future__ import annotations

from dataclasses import dataclass

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.options import data_field, question_field, solving_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.solving import SolvingOptions
from pyfsel.cli.tables import CopyingSource
from pyfsel.results.answer import Status, StopReason


@dataclass(frozen=True)
class ConsistencySource(CopyingSource):
    """A table, and how its values are compared."""

    missing: options.Missing = "error"
    bins: int = data_field(
        min=0,
        metavar="N",
        help="Group the values of continuous columns into N quantile bins; 0 compares them exactly.",
        default=5,
    )


@dataclass(frozen=True)
class ConsistentSets:
    """Which sets are asked for."""

    rate: float | None = question_field(
        metavar="R", help="Largest inconsistency rate, 0 to 1.", show_default="that of all columns together"
    )
    alternatives: options.Alternatives = 0
    tau: float = question_field(metavar="T", help="Least dissimilarity of any two sets, 0 to 1.", default=0.0)
    dissimilarity: options.Dissimilarity = "dice"


@dataclass(frozen=True)
class ConsistencySolving(SolvingOptions):
    """These searches are no backends of feature selection: they have no formulations and no second proof."""

    lacks = ("search", "maxsat_command", "model", "formulation", "confirm", "memory_limit")
    backend: str = solving_field(
        metavar="NAME",
        help="auto (branching if it can, else cpsat), branching or cpsat.",
        default="auto",
    )

    @property
    def chosen(self) -> str:
        """The name, which the search checks: it knows fewer backends than feature selection."""
        return self.backend


@command(
    "consistency",
    "Find the smallest feature sets that keep rows of different classes apart.\n\n"
    "A set's inconsistency rate is the share of rows that are not of the most frequent class among the "
    "rows equal to them in all features of the set. An alternative is a smallest set that contains none "
    "of the sets before it and is dissimilar to them.",
    "pyfsel consistency mushrooms.csv --target edible",
    "pyfsel consistency mushrooms.csv --target edible --rate 0.01 -a 3 --tau 0.5",
    "pyfsel consistency --dataset wine --bins 10",
)
def consistency_command(
    source: ConsistencySource, sets: ConsistentSets, solving: ConsistencySolving, written: OutputOptions
) -> ExitCode:
    """Find the smallest consistent sets of a table."""
    missing, bins = source.missing, source.bins
    with notes(written.quiet), progress(f"reading {source.name}", written.quiet) as report:
        X, y = source.read()
        from pyfsel.measures.tables.table import prepare_columns
        from pyfsel.papers.consistency.answer import smallest_sets
        from pyfsel.papers.consistency.problem import consistency_problem

        columns = prepare_columns(X, missing="impute" if missing == "drop" else missing)
        problem = consistency_problem(
            X.iloc[:, source.representatives(columns)],
            y,
            rate=sets.rate,
            dissimilarity=f"{sets.dissimilarity}:{sets.tau!r}",
            missing=missing,
            n_bins=bins or None,
        )
        report("solving")
        given = solving.arguments
        answer = smallest_sets(problem, sets.alternatives + 1, given.pop("backend"), **given)
    source.note_near_copies(columns, [one.names for one in answer], written.quiet)
    binned = f", continuous columns in {bins} bins" if bins else ""
    note(
        f"{source.name}: {problem.n_rows} rows, {len(problem.patterns)} distinct{binned}; "
        f"inconsistency rate {problem.max_rate:.4g} allowed",
        written.quiet,
    )
    written.write(answer.to_dict, lambda: answer.to_frame().to_csv(), answer.table)
    reasons = [StopReason(answer.stop_reason)]
    return code_of_runs(reasons, bool(answer.sets), answer.status is Status.INFEASIBLE)
