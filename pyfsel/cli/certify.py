"""`pyfsel certify` and `pyfsel check`: what is proved, for others to check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import emit, read_problem, read_result
from pyfsel.cli.groups import SolvingOptions, with_groups
from pyfsel.cli.progress import note, notes, progress
from pyfsel.cli.solve import solve_visibly


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(
        "certify",
        help="Solve an instance and write what others need to check the result, without pyfsel.\n\n"
        "A part without a certificate is named on stderr, and the exit code is then 4.",
        epilog=options.examples(
            "pyfsel certify wine.json -o wine.cert",
            "pyfsel solve wine.json -o sets.json && pyfsel certify wine.json --result sets.json -o wine.cert",
        ),
    )(with_groups(certify_command))
    app.command(
        "check",
        help="Check a certificate, as `pyfsel/check.py` does alone: python check.py CERTIFICATE INSTANCE.",
        epilog=options.examples("pyfsel check wine.cert wine.json"),
    )(check_command)


def certify_command(
    instance: options.InstanceFile,
    result: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Certify this JSON of `pyfsel solve` or `pyfsel select` and solve nothing.",
            rich_help_panel=options.SOLVING,
        ),
    ] = None,
    search: options.Search = None,
    *,
    solving: SolvingOptions,
    output: options.OutputFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Write a certificate."""
    problem = read_problem(instance)
    if result is None:
        solved = solve_visibly(problem, quiet, search=search, **solving.arguments)
    else:
        solved = read_result(result)
    from pyfsel.certificates.certify import certify

    with notes(quiet), progress("certifying", quiet):
        certificate = certify(solved, solving.time_limit)
    emit(certificate.text, output, quiet, str(certificate))
    if not certificate.is_complete:
        note(str(certificate))
        raise typer.Exit(ExitCode.NOT_SOLVED)


def check_command(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="A file of `pyfsel certify` or --certify.")
    ],
    instance: options.InstanceFile,
) -> None:
    """Check a certificate."""
    from pyfsel.check import main

    raise typer.Exit(main([str(certificate), str(instance)]))
