"""`pyfsel sweep`: the same question over grids of set sizes, numbers of alternatives and thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.files import Footnotes, plain_table
from pyfsel.cli.measuring import MeasuringOptions
from pyfsel.cli.messages import in_options
from pyfsel.cli.options import question_field, solving_field
from pyfsel.cli.output import PlottedOutput
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.question import QualityOptions, SetOptions, SideOptions, SizeAndSideOptions, TableQuestion
from pyfsel.cli.select import measured
from pyfsel.cli.solving import SolvingOptions, Workers
from pyfsel.cli.tables import TimedTableOptions
from pyfsel.errors import InputError
from pyfsel.problem.wording import number_of
from pyfsel.questions.sweep.cells import Sweep
from pyfsel.results.answer import Status, StopReason

if TYPE_CHECKING:
    from rich.console import RenderableType

ALL = "all"
LONGEST_GRID = 10_000


@dataclass(frozen=True)
class GridOptions:
    """The grids of what is asked."""

    set_sizes: str = question_field(
        "-k", "--set-size", metavar="K,…", help="Features per set: 5, 3,5,8 or 3-6.", default="5"
    )
    alternatives: str = question_field(
        "-a",
        "--alternatives",
        metavar="A,…",
        help="Sets besides the original one: 2, 1,3 or 1-5.",
        default="1-5",
    )
    tau: str = question_field(
        metavar="T,…", help="Thresholds from 0 to 1, or all that make a difference.", default=ALL
    )
    dissimilarity: options.Dissimilarity = "dice"


@dataclass(frozen=True)
class GridQuestion:
    """What is asked about a table over grids: as `TableQuestion`, whose sets have one size and number."""

    table: TimedTableOptions
    grid: GridOptions
    quality: QualityOptions
    side: SideOptions
    measuring: MeasuringOptions

    def largest(self, set_size: int, n_alternatives: int) -> TableQuestion[SetOptions]:
        """Return the question of the largest cell, for which the table is measured."""
        sets = SetOptions(set_size, n_alternatives, 1.0, None, self.grid.dissimilarity)
        side = SizeAndSideOptions(**vars(self.side))
        return TableQuestion(self.table, sets, self.quality, side, self.measuring)


@dataclass(frozen=True)
class SweepSolving(SolvingOptions):
    """A model of the user's own is for one problem, and a sweep has no place for who confirmed which cell."""

    lacks = ("model", "confirm")
    time_limit: float | None = solving_field(metavar="S", help="Seconds for each search.", default=60)


@command(
    "sweep",
    "Solve a table over grids of k, a and tau: what does dissimilarity cost?",
    "pyfsel sweep --dataset breast_cancer -k 5 -a 1-5",
    "pyfsel sweep patients.csv --target diagnosis -k 3,5 -a 1,3 --tau 0.2,0.5,0.8 --plot sweep.png",
)
def sweep_command(
    asked: GridQuestion, solving: SweepSolving, workers: Workers, written: PlottedOutput
) -> ExitCode:
    """Solve a table over grids."""
    grid, quiet = asked.grid, written.quiet
    sizes, numbers = integers("-k", grid.set_sizes), integers("-a", grid.alternatives)
    thresholds = None if grid.tau == ALL else floats("--tau", grid.tau)
    question = asked.largest(max(sizes), max(numbers))
    solver = question.solver(solving)
    measurement = measured(question, quiet, random_state=solving.seed, n_jobs=workers.jobs)
    from pyfsel.questions.sweep.sweep import sweep

    with notes(quiet), progress("solving", quiet) as report:
        found = sweep(
            measurement.problem,
            set_sizes=sizes,
            n_alternatives=numbers,
            taus=thresholds,
            dissimilarity=grid.dissimilarity,
            **solver,
            n_jobs=workers.jobs,
            on_cell=lambda cell: report(
                f"k = {cell.set_size}, a = {cell.n_alternatives}, max_overlap = {cell.max_overlap}"
            ),
        )
    if not found.cells:
        raise KeyboardInterrupt
    note(measurement.described, quiet)
    measurement.note_copies([members for cell in found.cells for members in cell.result.sets], quiet)
    written.write(found.to_dict, lambda: found.to_frame().to_csv(index=False), lambda: sweep_table(found))
    written.draw(found.plot)
    return _exit_code(found)


def integers(name: str, text: str) -> list[int]:
    """Return the numbers of a list such as ``3,5-7``."""
    numbers: list[int] = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            between = range(int(first), int(last or first) + 1)
            if between.stop - between.start > LONGEST_GRID:
                raise InputError(f"{name}={text!r}: must hold at most {LONGEST_GRID} integers")
            numbers += between
    except InputError:
        raise
    except ValueError:
        raise InputError(f"{name}={text!r}: must be integers such as 5, 3,5 or 3-6") from None
    if not numbers:
        raise InputError(f"{name}={text!r}: must hold at least one integer")
    return numbers


def floats(name: str, text: str) -> list[float]:
    """Return the numbers of a list such as ``0.2,0.5``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{name}={text!r}: must be numbers such as 0.2,0.5, or {ALL}") from None


def sweep_table(found: Sweep) -> RenderableType:
    """Return what `rich` prints of a sweep."""
    heads = ("k", "a", "tau", "may\nshare", "quality", "of the\nbest set", "least\ndissimilarity", "Pareto")
    table = plain_table((*heads, "status"), right=heads)
    footnotes = Footnotes()
    for row in found.rows():
        complete = row["n_found"] == row["n_alternatives"] + 1
        numbers = (
            f"{row['quality']:.5g}",
            "–" if isnan(row["relative_quality"]) else f"{100 * row['relative_quality']:.1f} %",
            f"{row['least_dissimilarity']:.3g}",
        )
        table.add_row(
            str(row["set_size"]),
            str(row["n_alternatives"]),
            f"{row['tau']:.3g}",
            str(row["max_overlap"]),
            *(numbers if complete else ("", "", "")),
            "*" if row["pareto"] else "",
            _status(row, footnotes),
        )
    what = "mean" if found.cells[0].result.problem.aggregate == "sum" else "smallest"
    legend = (
        f"quality: {what} quality of the sets; *: no row of this k has at least its quality, dissimilarity "
        f"and number of sets; {found.search} search, {found.runtime:.1f} s"
    )
    if found.search == "sequential":
        legend += "; OPTIMAL: proved for each set, given its earlier sets, and not for their mean"
    if found.stop_reason is StopReason.INTERRUPTED:
        legend += "; interrupted, the other rows are missing"
    return footnotes.below(table, legend)


def _status(row: dict[str, Any], footnotes: Footnotes) -> str:
    """Return the status, or how many sets were found, with a footnote where some are missing."""
    asked, explanation = row["n_alternatives"] + 1, row["explanation"]
    if not explanation:
        return str(row["status"])
    found = f"{row['n_found']} of {number_of(asked, 'set')}" if row["n_found"] else str(row["status"])
    return f"{found} {footnotes.mark(in_options(explanation))}"


def _exit_code(found: Sweep) -> ExitCode:
    results = [cell.result for cell in found.cells]
    return code_of_runs(
        [found.stop_reason, *(result.stop_reason for result in results)],
        any(result.sets for result in results),
        all(result.status is Status.INFEASIBLE for result in results),
    )
