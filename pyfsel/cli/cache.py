"""`pyfsel cache`: the measurements that were kept."""

from __future__ import annotations

from pathlib import Path

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.files import emit
from pyfsel.cli.options import argument_field, option_field
from pyfsel.cli.progress import note


@command(
    "cache",
    "Show the measurements that were kept, or remove them.\n\n"
    "Measurements that take more than five seconds are kept, up to a gigabyte, so that the next question "
    "about the same table starts at once and an interrupted command continues where it stopped.",
    "pyfsel cache",
    "pyfsel cache --clear",
)
def cache_command(
    folder: Path | None = argument_field(metavar="[FOLDER]", help="As given to --cache.", show_default=False),
    clear: bool = option_field("--clear", help="Remove them all.", default=False),
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
