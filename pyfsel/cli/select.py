"""`pyfsel select` and `pyfsel problem`: from a table to feature sets, or to an instance file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyfsel.cli.options import question_field
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.question import SetOptions, TableQuestion
from pyfsel.measures.tables.table import Table
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.wording import number_of
from pyfsel.results.result import Result

MOST_CLASSES_SHOWN = 5
BEST_SET_SECONDS = 60.0
"""For the best set, of whose quality a minimum is given as a proportion."""


@dataclass(frozen=True)
class Measured:
    """The problem of a table, a line that describes the table, and what is done about copies."""

    problem: Instance
    described: str
    table: Table | None
    copying: dict[str, Any]

    def noted(self, result: Result) -> Result:
        """Return the result with the near copies in its sets."""
        from pyfsel.measures.from_table import with_near_copies

        if self.table is None:
            return result
        return with_near_copies(result, self.table, self.copying["copies"], self.copying["copy_threshold"])

    def note_sets(self, result: Result, quiet: bool) -> None:
        """Say on stderr which sets contain a leak, and how much their features say the same."""
        from pyfsel.measures.relations import relations
        from pyfsel.measures.tables.look import marks

        if self.table is not None and result.sets:
            place = {name: j for j, name in enumerate(self.table.feature_names)}
            sets = [[place[name] for name in names] for names in result.feature_sets]
            told = marks(self.table, sets)
            for line in [*([told] if told else []), *relations(self.table, sets).lines()]:
                note(line, quiet)

    def note_copies(self, sets: Iterable[FeatureSet], quiet: bool) -> None:
        """Say on stderr which columns of some sets are nearly equal, or stand for others."""
        from pyfsel.measures.from_table import near_copies
        from pyfsel.results.copies import copies_text

        if self.table is None:
            return
        found = tuple(sets)
        pairs = near_copies(self.table, found, self.copying["copies"], self.copying["copy_threshold"])
        told = copies_text(self.problem, found, pairs)
        if told:
            note(told, quiet)


def measured(
    question: TableQuestion[Any],
    quiet: bool,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    time_limit: float = BEST_SET_SECONDS,
) -> Measured:
    """Return the problem, and a line that describes the table."""
    source, quality, measuring = question.table, question.quality, question.measuring
    asked: Any = question.arguments
    measuring.check(asked["k"])
    name = source.name
    general: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    with notes(quiet), progress(f"reading {name}", quiet) as report:
        complete = source.prepared(measuring.weights_of, measuring.groups_of)
        from pyfsel.measures.from_table import default_measure, problem_from_table
        from pyfsel.solving.least_share import split_share, with_least_share

        report(f"measuring {complete.n_features} features")
        asked["min_quality"], least_share = split_share(asked.get("min_quality"))
        n_features = min(complete.n_features, measuring.keep_best or complete.n_features)
        measure = quality.measure or default_measure(quality.objective, n_features, complete.task)
        table = measuring.filtered(complete, measure, quality.objective, quiet, **general)
        problem = problem_from_table(
            table,
            **{**quality.arguments, "measure": measure},
            **measuring.arguments,
            **source.copying,
            **general,
            **asked,
        )
        problem, told = with_least_share(
            problem, least_share, random_state=random_state, time_limit=time_limit
        )
    if told:
        note(told, quiet)
    if complete.coded is not None and not source.is_stream:
        note(f"{name} is large and was read in parts", quiet)
    best = "" if table is complete else f"the {table.n_features} best of "
    in_parts = "" if table.coded is None else " (read in parts)"
    described = (
        f"{name}: {len(table.y)} rows{in_parts}, {best}{complete.n_features} features, {_task(table)}; "
        f"qualities: {measure}"
    )
    if measuring.redundancy_measure is not None:
        described += f"; redundancies: {measuring.redundancy_measure}"
    if table.n_dropped:
        described += f"; {number_of(table.n_dropped, 'row')} dropped"
    return Measured(problem, described, table, source.copying)


def _task(table: Table) -> str:
    """Return what is to be predicted, with the rows of each class if there are few."""
    if table.events is not None:
        return f"{table.task} ({number_of(int(table.events.sum()), 'event')})"
    if not 1 < len(table.classes) <= MOST_CLASSES_SHOWN:
        return table.task
    counts = (f"{label}: {(table.y == code).sum()}" for code, label in enumerate(table.classes))
    return f"{table.task} ({', '.join(counts)})"


@dataclass(frozen=True)
class PricedSets(SetOptions):
    """Sets that may pay for what they share, limited or not, and the weights of their qualities."""

    overlap_cost: float = question_field(
        metavar="P",
        help="What each shared feature takes from the sum of the qualities; without --tau any number may "
        "be shared.",
        default=0,
    )
    sum_weight: int = question_field(
        metavar="N", help="How often the sum counts with --aggregate weighted.", default=1
    )
    min_weight: int = question_field(
        metavar="N", help="How often the smallest quality counts there.", default=1
    )

    @property
    def threshold(self) -> float | None:
        """The threshold; without one and an overlap its default holds, unless overlap is paid for."""
        return self.tau if self.overlap_cost > 0 else super().threshold

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The same as arguments of `problem_from_table`."""
        more = {"sum_weight": self.sum_weight, "min_weight": self.min_weight}
        return {**super().arguments, "overlap_cost": self.overlap_cost, **more}
