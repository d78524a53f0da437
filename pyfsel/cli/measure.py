"""`pyfsel measure` and `pyfsel merge`: the counts of a table in a file, and those of several tables added."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.options import measuring_field, output_field
from pyfsel.cli.output import FileOutput
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.solving import Workers
from pyfsel.cli.tables import TableOptions
from pyfsel.errors import InputError
from pyfsel.problem.wording import number_of


@dataclass(frozen=True)
class CountedTable(TableOptions):
    """A table that is read in parts, of which only counts are kept."""

    lacks = ("dataset", "encoding", "copies", "copy_threshold", "dates")


@dataclass(frozen=True)
class CountsOutput(FileOutput):
    """Where counts are written."""

    output: Path = output_field(
        "--output",
        "-o",
        metavar="FILE.npz",
        help="Where the counts go.",
        callback=options.writable,
        default=Path("counts.npz"),
    )

    def __post_init__(self) -> None:
        """Find out before anything is read whether the file can be found again."""
        if self.output.suffix != ".npz":
            raise InputError(f"--output={str(self.output)!r}: must end in .npz")


@command(
    "measure",
    "Count a table once; select, problem, sweep, ask and atlas take the file in its place.\n\n"
    "It holds no rows, but names of columns, labels, bounds of bins, and how often any two levels occur "
    "together. Sites that may not share rows can add theirs, see `pyfsel merge`.",
    "pyfsel measure 'data/*.parquet' -t ill -o counts.npz",
    "pyfsel select counts.npz -k 5 -a 2 --objective mrmr",
    "pyfsel measure there.csv -t ill --levels counts.npz -o there.npz",
)
def measure_command(
    table: CountedTable,
    measure: Literal["information", "pearson"] = measuring_field(
        help="Counts for information, or sums of products for correlations.", default="information"
    ),
    levels: Path | None = measuring_field(
        metavar="FILE.npz", help="Counts of another site, whose bins or scales are taken: both can be merged."
    ),
    keep_best: int | None = measuring_field(
        min=1, metavar="N", help="Count the pairs of the N features of highest quality only."
    ),
    memory: float | None = measuring_field(
        min=0.001, metavar="GB", help="Held at a time, about.", show_default="half of what is free"
    ),
    *,
    workers: Workers,
    written: CountsOutput,
) -> None:
    """Write the counts of a table."""
    from pyfsel.measures.streams.kept import load, save

    if levels is not None and keep_best is not None:
        raise InputError(
            f"--keep-best={keep_best}: must not be given with --levels, which has the same pairs"
        )
    like: Any = None if levels is None else load(levels)
    is_counted = measure != "pearson"
    if like is not None and is_counted != hasattr(like, "pairs"):
        raise InputError(f"--levels={str(levels)!r}: is of another measure than --measure={measure}")
    if keep_best is not None and not is_counted:
        raise InputError(f"--keep-best={keep_best}: is for --measure information")
    with (
        notes(written.quiet),
        progress(f"reading {table.name} in parts", written.quiet) as report,
        closing(
            table.streamed(measure, memory, workers.jobs, like=like, pairs=keep_best is None)
        ) as streamed,
    ):
        found = streamed.statistics
        report(f"counting pairs of {len(found.names)} features")
        paired: Any = range(len(found.names))
        if is_counted:
            paired = found.best(keep_best) if like is None else like.paired
        save(streamed.paired(paired), written.output)
    told = f"{number_of(found.n_rows, 'row')}, {number_of(len(found.names), 'feature')}"
    note(f"counted {told}; wrote {written.output}", written.quiet)


@command(
    "merge",
    "Add the counts of several tables, rows of which are nowhere together.",
    "pyfsel merge here.npz there.npz -o both.npz",
)
def merge_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE.npz…", help="Counts, as `pyfsel measure` writes them.")
    ],
    *,
    written: CountsOutput,
) -> None:
    """Write the sum of counts."""
    from pyfsel.measures.streams.kept import load, save

    total: Any = load(files[0])
    for path in files[1:]:
        try:
            total = total.merge(load(path))
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    save(total, written.output)
    note(f"counts of {number_of(total.n_rows, 'row')}; wrote {written.output}", written.quiet)
