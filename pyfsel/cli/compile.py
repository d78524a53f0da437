"""`pyfsel compile`: machine code before it is needed."""

from __future__ import annotations

import typer

from pyfsel.cli import options
from pyfsel.cli.progress import note, progress


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "compile",
        help="Compile the machine code of the searches now, not when each is first used.\n\n"
        "It takes about a minute and is kept with the package. Before a benchmark it keeps the compilation "
        "out of the times.",
    )(compile_command)


def compile_command(quiet: options.Quiet = False) -> None:
    """Compile all searches."""
    from pyfsel.solving.compile_searches import compile_searches

    with progress("compiling", quiet) as report:
        compile_searches(report)
    note("the searches are compiled", quiet)
