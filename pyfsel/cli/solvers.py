"""`pyfsel solvers`: CBC, HiGHS, SCIP and CP-SAT for any MiniZinc model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli.command import COMMANDS_OF
from pyfsel.errors import InputError

group = typer.Typer()
COMMANDS_OF[__name__].add_typer(group, name="solvers")

Names = Annotated[
    list[str] | None, typer.Argument(help="cbc, highs, scip or cpsat; all that can run if none is named.")
]
Folder = Annotated[
    Path | None,
    typer.Option(help="Folder of MiniZinc configurations, if not the user's own.", file_okay=False),
]


@group.callback(
    invoke_without_command=True,
    help="Make CBC, HiGHS, SCIP and CP-SAT known to MiniZinc, as pyfsel.cbc and so on.",
)
def solvers_command(context: typer.Context) -> None:
    """List the solvers if nothing else is asked."""
    if context.invoked_subcommand is None:
        list_command()


@group.command("list", help="Show which solvers can run, and which are installed into MiniZinc.")
def list_command(folder: Folder = None) -> None:
    """List the solvers."""
    from pyfsel.drivers.linear.connection import NAMES
    from pyfsel.drivers.linear.installed import missing
    from pyfsel.drivers.minizinc.bridge import install

    for name in NAMES:
        lacks = missing(name)
        written = install.files(name, folder or install.user_folder())
        state = f"in MiniZinc: {written.configuration}" if written.complete else "not in MiniZinc"
        remarks = [state, *install.limitation(name), *([lacks] if lacks else [])]
        typer.echo(f"{install.ID_PREFIX}{name:6} {'; '.join(remarks)}")


@group.command("install", help="Write solver configurations: then `minizinc --solver pyfsel.cbc` works.")
def install_command(names: Names = None, folder: Folder = None) -> None:
    """Write the files."""
    from pyfsel.drivers.linear.connection import NAMES
    from pyfsel.drivers.linear.installed import missing, version
    from pyfsel.drivers.minizinc.bridge import install

    for name in _checked(names) or [name for name in NAMES if missing(name) is None]:
        lacks = missing(name)
        if lacks is not None:
            raise InputError(lacks)
        try:
            written = install.install(name, folder or install.user_folder(), version(name) or "unknown")
        except OSError as error:
            raise InputError(f"cannot write the configuration of {name}: {error}") from None
        typer.echo(f"{install.ID_PREFIX}{name}: {written.configuration}")


@group.command("uninstall", help="Remove the configurations again.")
def uninstall_command(names: Names = None, folder: Folder = None) -> None:
    """Remove the files."""
    from pyfsel.drivers.linear.connection import NAMES
    from pyfsel.drivers.minizinc.bridge import install

    for name in _checked(names) or NAMES:
        try:
            removed = install.uninstall(name, folder or install.user_folder())
        except OSError as error:
            raise InputError(f"cannot remove the configuration of {name}: {error}") from None
        typer.echo(f"{install.ID_PREFIX}{name}: {'removed' if removed else 'was not installed'}")


def _checked(names: list[str] | None) -> list[str]:
    from pyfsel.drivers.linear.connection import NAMES

    for name in names or []:
        if name not in NAMES:
            raise InputError(f"solver {name!r}: must be one of {', '.join(NAMES)}")
    return names or []
