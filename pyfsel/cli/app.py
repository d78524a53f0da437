"""The program: all commands, and errors as exit codes."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from pyfsel import __version__
from pyfsel.cli import (
    ask,
    backends,
    bench,
    compare,
    compile,
    consistency,
    evaluate,
    export,
    generate,
    models,
    plot,
    report,
    select,
    solve,
    solvers,
    subset,
    sweep,
    verify,
    wrapper,
)
from pyfsel.cli.exit_codes import EPILOG, ExitCode, code_of_error
from pyfsel.cli.messages import in_options, of_typer, table_name
from pyfsel.cli.termination import sigterm_as_ctrl_c
from pyfsel.errors import PyfselError

__all__ = ["app", "main"]

app = typer.Typer(
    name="pyfsel",
    help="Find several dissimilar, provably best feature sets for a table.",
    epilog=EPILOG,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    select,
    ask,
    wrapper,
    subset,
    sweep,
    evaluate,
    report,
    consistency,
    solve,
    compare,
    bench,
    verify,
    plot,
    export,
    generate,
    models,
    backends,
    compile,
    solvers,
):
    module.register(app)

PANELS = {
    "Your table": "select report ask sweep evaluate wrapper subset consistency",
    "Instances and solvers": "problem solve verify compare plot export decode backends solvers compile",
    "Models": "models",
    "Benchmarks": "bench generate",
}
for panel, names in PANELS.items():
    for command in app.registered_commands:
        if command.name in names.split():
            command.rich_help_panel = panel
    for group in app.registered_groups:
        if group.name in names.split():
            group.rich_help_panel = panel


@app.callback(invoke_without_command=True)
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
    table_name.set("DATA")
    if isinstance(sys.stdout, io.TextIOWrapper):  # what is redirected is no Unicode under Windows
        sys.stdout.reconfigure(errors="backslashreplace")
    with sigterm_as_ctrl_c() as was_terminated:
        code = _run(given)
    if code == ExitCode.INTERRUPTED and was_terminated():
        return _fail("terminated", ExitCode.TERMINATED)
    return _fail("interrupted", ExitCode.INTERRUPTED) if code == ExitCode.INTERRUPTED else code


def _run(arguments: list[str]) -> int:
    try:
        return int(app(args=arguments, prog_name="pyfsel", standalone_mode=False) or 0)
    except typer.TyperException as error:
        if not error.format_message():
            return ExitCode.BAD_INPUT
        return _fail(of_typer(error), ExitCode.BAD_INPUT)
    except PyfselError as error:
        return _fail(in_options(str(error)), code_of_error(error))
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return ExitCode.FAULT


def _fail(message: str, code: ExitCode) -> int:
    print("pyfsel: error:", " ".join(message.split()), file=sys.stderr)
    return code
