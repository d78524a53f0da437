"""The program: all commands, and errors as exit codes."""

from __future__ import annotations

import importlib
import io
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from pyfsel import __version__
from pyfsel.cli.command import COMMANDS_OF
from pyfsel.cli.exit_codes import EPILOG, ExitCode, code_of_error
from pyfsel.cli.messages import in_options, of_typer, options_here, table_name
from pyfsel.cli.termination import sigterm_as_ctrl_c
from pyfsel.commands.app import main as new_main
from pyfsel.drivers.processes.own import open_standard_files
from pyfsel.errors import PyfselError

__all__ = ["main", "program"]

COMMANDS = {
    "Your table": {
        "evaluate": "evaluate",
        "choose": "choose",
        "stability": "stability",
        "report": "report",
    },
    "Models": {"lab": "lab"},
    "Benchmarks": {"bench": "bench", "generate": "generate"},
}
"""The panels of the help, with the commands in each and the files that add them."""


def program(command: str | None = None) -> typer.Typer:
    """Return the program with all its commands, or only with those of the file that adds the named one.

    What other commands import would take half a second more.
    """
    app = typer.Typer(
        name="pyfsel",
        help="Find several dissimilar, provably best feature sets for a table.",
        epilog=EPILOG,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    files = {name: file for commands in COMMANDS.values() for name, file in commands.items()}
    for file in dict.fromkeys(files.values()):
        if command not in files or file == files[command]:
            declared = COMMANDS_OF[importlib.import_module(f"pyfsel.cli.{file}").__name__]
            app.registered_commands += declared.registered_commands
            app.registered_groups += declared.registered_groups
    panels = {name: panel for panel, commands in COMMANDS.items() for name in commands}
    for added in app.registered_commands:
        added.rich_help_panel = panels[str(added.name)]
    for group in app.registered_groups:
        group.rich_help_panel = panels[str(group.name)]
    app.callback(invoke_without_command=True)(_root)
    return app


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"pyfsel {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.get_help()
        raise typer.Exit(ExitCode.BAD_INPUT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        ``sys.argv[1:]`` if not given.

    Examples
    --------
    >>> main(["--version"])  # doctest: +ELLIPSIS
    pyfsel ...
    0
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if not given or given[0] not in {name for names in COMMANDS.values() for name in names}:
        return new_main(given)
    _open_standard_files()
    table_name.set("DATA")
    options_here.set({})
    if isinstance(sys.stdout, io.TextIOWrapper):  # redirected output is not Unicode under Windows
        sys.stdout.reconfigure(errors="backslashreplace")
    with sigterm_as_ctrl_c() as was_terminated:
        code = _run(given)
    if code == ExitCode.INTERRUPTED and was_terminated():
        return _fail("terminated", ExitCode.TERMINATED)
    return _fail("interrupted", ExitCode.INTERRUPTED) if code == ExitCode.INTERRUPTED else code


def _open_standard_files() -> None:
    """Have standard files, on nothing if the program was started without."""
    open_standard_files()
    for name, descriptor, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            file = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - stays open
            setattr(sys, name, file)


def _run(arguments: list[str]) -> int:
    try:
        app = program(arguments[0] if arguments else None)
        return int(app(args=arguments, prog_name="pyfsel", standalone_mode=False) or 0)
    except typer.TyperException as error:
        if not error.format_message():
            return ExitCode.BAD_INPUT
        return _fail(of_typer(error), ExitCode.BAD_INPUT)
    except PyfselError as error:
        return _fail(in_options(str(error)), code_of_error(error))
    except MemoryError as error:
        remedy = (
            "files that a pattern names, 'table*.parquet', are read in parts (select, problem, sweep, ask)"
        )
        found = f"does not fit into memory: {error or 'it is exhausted'}; {remedy}"
        return _fail(f"{table_name.get()}: {found}", ExitCode.BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return ExitCode.FAULT


def _fail(message: str, code: ExitCode) -> int:
    print("pyfsel: error:", " ".join(message.split()), file=sys.stderr)
    return code
