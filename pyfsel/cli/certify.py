"""`pyfsel certify` and `pyfsel check`: what is proved, for others to check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import emit, read_problem, read_result
from pyfsel.cli.output import FileOutput
from pyfsel.cli.progress import note
from pyfsel.cli.solve import certificate_of, solve_visibly
from pyfsel.cli.solving import SolvingOptions
from pyfsel.errors import InputError
from pyfsel.results.answer import StopReason


@command(
    "certify",
    "Solve an instance and write what others need to check the result, without pyfsel.\n\n"
    "A part without a certificate is named on stderr, and the exit code is then 4.",
    "pyfsel certify wine.json -o wine.cert",
    "pyfsel solve wine.json -o sets.json && pyfsel certify wine.json --result sets.json -o wine.cert",
    "pyfsel certify wine.json --search simultaneous -o wine.cert --veripb wine.pbp",
)
def certify_command(
    instance: options.InstanceFile,
    result: Path | None = options.solving_field(
        metavar="FILE", help="Certify this JSON of `pyfsel solve` or `pyfsel select` and solve nothing."
    ),
    veripb: Path | None = options.output_field(
        metavar="FILE",
        help="Also write a proof for VeriPB, for what `export --format opb --formulation literal` "
        "writes: sums of qualities, of one set or with --search simultaneous.",
        callback=options.writable,
    ),
    *,
    solving: SolvingOptions,
    written: FileOutput,
) -> ExitCode:
    """Write a certificate."""
    problem = read_problem(instance)
    if result is None:
        solved = solve_visibly(problem, written.quiet, **solving.arguments)
    else:
        solved = read_result(result)
        if solved.problem != problem:
            raise InputError(f"--result={result}: is the result of another problem than {instance}")
    from pyfsel.certificates.veripb import veripb_proof

    was_interrupted = result is None and solved.stop_reason is StopReason.INTERRUPTED
    certificate = None if was_interrupted else certificate_of(solved, solving.time_limit, written.quiet)
    if certificate is None:
        from pyfsel.certificates.certify import without_proofs

        emit(without_proofs(solved).text, written.output, written.quiet, "interrupted")
        return ExitCode.INTERRUPTED
    told = str(certificate) if certificate.is_complete else ""
    emit(certificate.text, written.output, written.quiet, told)
    if veripb is not None:
        emit(veripb_proof(solved, solving.time_limit), veripb, written.quiet)
    if certificate.is_complete:
        return ExitCode.OK
    note(str(certificate))
    return ExitCode.NOT_SOLVED


@command(
    "check",
    "Check a certificate, as `pyfsel/checker.py` does by itself: python checker.py CERTIFICATE INSTANCE.\n\n"
    "The JSON of `pyfsel select` and `pyfsel solve` does as well: it has the instance in it. The exit code "
    "is 0 if every claim is certified, 4 if one is not, and 1 if the file is refused.",
    "pyfsel check wine.cert wine.json",
    "pyfsel select --dataset wine --certify wine.cert -o sets.json && pyfsel check wine.cert sets.json",
)
def check_command(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="A file of `pyfsel certify` or --certify.")
    ],
    instance: options.InstanceFile,
    seconds: Annotated[
        int,
        typer.Option(
            "--time-limit", min=1, metavar="SECONDS", help="Steps that a check may take, in seconds."
        ),
    ] = 60,
) -> ExitCode:
    """Check a certificate."""
    from pyfsel.checker import main

    return ExitCode(main([str(certificate), str(instance), str(seconds)]))
