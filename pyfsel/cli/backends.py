"""`pyfsel backends`: which solvers there are, and what is missing for those that cannot run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from pyfsel.cli import options
from pyfsel.cli.files import chosen_format, emit, emit_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("backends", help="List the backends, and what is missing for those that cannot run.")(
        backends_command
    )


def backends_command(
    file_format: options.ResultFormat = None,
    output: options.OutputFile = None,
) -> None:
    """List the backends."""
    from pyfsel.backends import backends

    chosen = chosen_format(file_format, output, ("json", "csv"), "table")
    frame = backends()
    if chosen == "json":
        emit(frame.to_json(orient="records", indent=1) + "\n", output)
    elif chosen == "csv":
        emit(frame.to_csv(index=False), output)
    else:
        emit_table(_table(frame), output)


def _table(frame: pd.DataFrame) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    for head in ("name", "version", "proves", "what it is, and its formulations"):
        table.add_column(head, no_wrap=head in ("name", "proves"), header_style="bold")
    for row in frame.to_dict("records"):
        about = Text(f"{row['summary']} ({row['formulations']})")
        if not row["available"]:
            about.append(f"\nnot available: {row['reason']}", style="red")
        colour = "green" if row["available"] else "red"
        proves = "optimality" if row["exact"] else "–"
        table.add_row(Text(row["name"], style=colour), Text(row["version"] or "–"), proves, about)
    return table
