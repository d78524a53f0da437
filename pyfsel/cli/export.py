"""`pyfsel export` and `pyfsel decode`: to the format of another solver, and back from its solution."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import chosen_format, emit, read_problem, read_text
from pyfsel.cli.groups import OutputOptions
from pyfsel.cli.solve import finish
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.attempt import ordered


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "export",
        help="Write an instance for another solver: MiniZinc data, MaxSAT, OPB, LP or MPS.",
        epilog=options.examples(
            "pyfsel export wine.json --format lp -o wine.lp",
            "pyfsel export wine.json -o wine.dzn",
            "pyfsel export wine.json -o wine.wcnf --cardinality totalizer",
        ),
    )(export_command)
    app.command(
        "decode",
        help="Read and verify the solution that another solver printed for an exported instance.",
        epilog=options.examples(
            "pyfsel export wine.json -o wine.lp",
            "cbc wine.lp solve solution wine.sol",
            "pyfsel decode wine.json wine.sol",
        ),
    )(decode_command)


def export_command(
    instance: options.InstanceFile,
    file_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="dzn, json, wcnf, opb, lp or mps.",
            show_default="from the name of FILE",
            rich_help_panel=options.OUTPUT,
        ),
    ] = "",
    formulation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="strengthened or literal, where the format has both.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    cardinality: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="wcnf: how sizes and overlaps become clauses: seqcounter, sortnetwrk, cardnetwrk, "
            "totalizer, mtotalizer or kmtotalizer.",
            show_default="seqcounter",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    output: options.OutputFile = None,
) -> None:
    """Write an instance for another solver."""
    from pyfsel.backends.export import FORMATS, export

    chosen = chosen_format(file_format, output, tuple(FORMATS))
    emit(export(read_problem(instance), chosen, formulation, cardinality), output)


def decode_command(
    instance: options.InstanceFile,
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL_FILE",
            help="What the solver printed: a model (v lines) of WCNF or OPB, values of the variables of LP "
            "or MPS, or sets or JSON of MiniZinc; - is stdin.",
        ),
    ],
    formulation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="As for the export of the WCNF or OPB.", rich_help_panel=options.OUTPUT
        ),
    ] = None,
    file_format: options.ResultFormat = None,
    output: options.OutputFile = None,
) -> None:
    """Read the solution of another solver."""
    from pyfsel.backends.decode import read_sets

    written = OutputOptions(file_format, output, quiet=True)
    problem = read_problem(instance)
    source = "stdin" if str(model) == "-" else str(model)
    sets = read_sets(problem, read_text(model), formulation, source)
    found = violations(problem, sets)
    if found:
        emit("".join(f"{violation}\n" for violation in found))
        raise typer.Exit(ExitCode.VIOLATIONS)
    result = Result(
        problem=problem,
        sets=ordered(problem, sets),
        status=Status.FEASIBLE,
        integer_bound=None,
        backend="another solver",
        search="simultaneous",
        runtime=0.0,
        stop_reason=StopReason.FINISHED,
    )
    finish(result, written)
