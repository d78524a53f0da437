"""`pyfsel look`: what is odd about a table, before anything is searched."""

from __future__ import annotations

from dataclasses import dataclass

from pyfsel.cli.command import command
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import progress
from pyfsel.cli.tables import TableOptions
from pyfsel.errors import InputError


@dataclass(frozen=True)
class LookedAtTable(TableOptions):
    """A table in memory; missing values are left as they are."""

    lacks = ("copies", "copy_threshold", "missing", "dates")


@command(
    "look",
    "Look at a table before the search: leaks, groups of rows, codes of missing values, copies.\n\n"
    "At most seven lines, the most harmful first; `select` shows the first two.",
    "pyfsel look patients.csv -t diagnosis",
    "pyfsel look patients.csv -t diagnosis --format json",
)
def look_command(source: LookedAtTable, written: OutputOptions) -> None:
    """Show what is odd."""
    if source.is_stream:
        raise InputError("DATA: a look is at a table in memory, one file; take a sample of the rows")
    from pyfsel.measures.tables.look import look

    with progress(f"reading {source.name}", written.quiet):
        X, y = source.read()
        found = look(X, y, task=source.task)
    written.write(found.to_dict, lambda: found.to_frame().to_csv(index=False), found.table)
