"""`pyfsel backends`: which solvers there are, and what is missing for those that cannot run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from pyfsel.cli.command import command
from pyfsel.cli.files import plain_table
from pyfsel.cli.groups import OutputOptions

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


app = typer.Typer()


@command(app, "backends", "List the backends, and what is missing for those that cannot run.")
def backends_command(written: OutputOptions) -> None:
    """List the backends."""
    from pyfsel.backends import backends

    frame = backends()
    written.write_frame(frame, lambda: _table(frame))


def _table(frame: pd.DataFrame) -> Table:
    from rich.text import Text

    heads = ("name", "version", "proves", "what it is, and its formulations")
    table = plain_table(heads, whole=("name", "proves"))
    for row in frame.to_dict("records"):
        about = Text(f"{row['summary']} ({row['formulations']})")
        if not row["available"]:
            about.append(f"\nnot available: {row['reason']}", style="red")
        colour = "green" if row["available"] else "red"
        proves = "optimality" if row["exact"] else "–"
        table.add_row(Text(row["name"], style=colour), Text(row["version"] or "–"), proves, about)
    return table
