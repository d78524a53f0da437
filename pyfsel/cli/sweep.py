"""`pyfsel sweep`: the same question over grids of set sizes, numbers of alternatives and thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli import options
from pyfsel.cli.exit_codes import ExitCode, code_of_runs
from pyfsel.cli.footnotes import Footnotes
from pyfsel.cli.groups import (
    OutputOptions,
    QualityOptions,
    SetOptions,
    SideOptions,
    SizeAndSideOptions,
    SolvingOptions,
    TableOptions,
    TableQuestion,
    Workers,
    with_groups,
)
from pyfsel.cli.messages import in_options
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.select import measured
from pyfsel.cli.short_help import ShortHelp
from pyfsel.errors import InputError
from pyfsel.results.answer import Status, StopReason

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.questions.sweep.cells import Sweep

ALL = "all"
LONGEST_GRID = 10_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "sweep",
        cls=ShortHelp,
        help="Solve a table over grids of k, a and tau: what does dissimilarity cost?",
        epilog=options.examples(
            "pyfsel sweep --dataset breast_cancer -k 5 -a 1-5",
            "pyfsel sweep patients.csv --target diagnosis -k 3,5 -a 1,3 --tau 0.2,0.5,0.8 --plot sweep.png",
        ),
    )(with_groups(sweep_command))


SetSizes = Annotated[
    str,
    typer.Option(
        "-k",
        "--set-size",
        metavar="K,…",
        help="Features per set: 5, 3,5,8 or 3-6.",
        rich_help_panel=options.QUESTION,
    ),
]
Numbers = Annotated[
    str,
    typer.Option(
        "-a",
        "--alternatives",
        metavar="A,…",
        help="Sets besides the original one: 2, 1,3 or 1-5.",
        rich_help_panel=options.QUESTION,
    ),
]
Taus = Annotated[
    str,
    typer.Option(
        "--tau",
        metavar="T,…",
        help="Thresholds from 0 to 1, or all that make a difference.",
        rich_help_panel=options.QUESTION,
    ),
]
PlotFile = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw quality against dissimilarity (.png, .svg or .pdf).",
        callback=options.figure_file,
        rich_help_panel=options.OUTPUT,
    ),
]


@dataclass(frozen=True)
class SweepSolving(SolvingOptions):
    """A model of one's own knows one problem; a sweep has no place to say who confirmed which cell."""

    lacks = ("model", "confirm")
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds for each search.", rich_help_panel=options.SOLVING),
    ] = 60


def sweep_command(
    table: TableOptions,
    set_sizes: SetSizes = "5",
    alternatives: Numbers = "1-5",
    taus: Taus = ALL,
    dissimilarity: options.Dissimilarity = "dice",
    *,
    quality: QualityOptions,
    side: SideOptions,
    search: options.Search = None,
    solving: SweepSolving,
    workers: Workers,
    written: OutputOptions,
    plot: PlotFile = None,
) -> None:
    """Solve a table over grids."""
    sizes, numbers = integers("-k", set_sizes), integers("-a", alternatives)
    thresholds = None if taus == ALL else floats("--tau", taus)
    quiet = written.quiet
    solver = solving.arguments
    largest = SetOptions(max(sizes), max(numbers), 1.0, None, dissimilarity)
    question = TableQuestion(table, largest, quality, SizeAndSideOptions(**vars(side)))
    measurement = measured(question, quiet, random_state=solving.seed, n_jobs=workers.jobs)
    from pyfsel.questions.sweep.sweep import sweep

    with notes(quiet), progress("solving", quiet) as report:
        found = sweep(
            measurement.problem,
            set_sizes=sizes,
            n_alternatives=numbers,
            taus=thresholds,
            dissimilarity=dissimilarity,
            search=quality.search(search),
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
    if plot is not None:
        from pyfsel.questions.sweep.plot import plot_sweep
        from pyfsel.results.plots import save_figure

        save_figure(plot_sweep(found), plot)
        note(f"wrote {plot}", quiet)
    raise typer.Exit(_exit_code(found))


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
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    for head in (
        "k",
        "a",
        "tau",
        "may\nshare",
        "quality",
        "of the\nbest set",
        "least\ndissimilarity",
        "Pareto",
    ):
        table.add_column(head, justify="right", header_style="bold", vertical="top")
    table.add_column("status", header_style="bold")
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
    if found.stop_reason is StopReason.INTERRUPTED:
        legend += "; interrupted, the other rows are missing"
    return footnotes.below(table, legend)


def _status(row: dict[str, Any], footnotes: Footnotes) -> str:
    """Return the status, or how many sets were found, with a footnote where some are missing."""
    asked, explanation = row["n_alternatives"] + 1, row["explanation"]
    if not explanation:
        return str(row["status"])
    found = f"{row['n_found']} of {asked} sets" if row["n_found"] else str(row["status"])
    return f"{found} {footnotes.mark(in_options(explanation))}"


def _exit_code(found: Sweep) -> ExitCode:
    results = [cell.result for cell in found.cells]
    return code_of_runs(
        [found.stop_reason, *(result.stop_reason for result in results)],
        any(result.sets for result in results),
        all(result.status is Status.INFEASIBLE for result in results),
    )
