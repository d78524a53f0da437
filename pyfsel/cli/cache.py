"""`pyfsel cache`: what measuring has kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.files import emit
from pyfsel.cli.progress import note


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "cache",
        help="Show what measuring has kept, or clear it.\n\n"
        "What takes more than five seconds to measure is kept, up to a gigabyte, so that another question "
        "about the same table begins at once and an interrupted command goes on from where it was.",
        epilog=options.examples("pyfsel cache", "pyfsel cache --clear"),
    )(cache_command)


def cache_command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="As given to --cache.", show_default=False)
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove all of it.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Show or clear what is kept."""
    from pyfsel.measures.kept import cache_folder, clear_cache, entries

    chosen = folder or cache_folder()
    if clear:
        note(f"removed {clear_cache(chosen) / 1e6:.1f} MB from {chosen}", quiet)
        return
    found = entries(chosen)
    lines = [f"{size / 1e6:8.1f} MB  {entry.name}" for entry, size in found.items()]
    lines.append(f"{sum(found.values()) / 1e6:8.1f} MB in {chosen}")
    emit("\n".join(lines) + "\n")
