"""`pyfsel export` and `pyfsel decode`: to the format of another solver, and back from its solution."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import chosen_format, emit, read_problem, read_text
from pyfsel.cli.options import output_field
from pyfsel.cli.output import FileOutput, OutputOptions
from pyfsel.cli.solve import finish
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.attempt import ordered


@command(
    "export",
    "Write an instance for another solver: MiniZinc data, MaxSAT, OPB, LP, MPS, CPMpy or QUBO.",
    "pyfsel export wine.json --format lp -o wine.lp",
    "pyfsel export wine.json -o wine.dzn",
    "pyfsel export one_set.json -o one_set.qubo",
    "pyfsel export wine.json -o wine.wcnf --cardinality totalizer",
)
def export_command(
    instance: options.InstanceFile,
    file_format: str = output_field(
        "--format",
        metavar="NAME",
        help="dzn, json, wcnf, opb, lp, mps or cpmpy (a Python program); of one set also qubo (of qbsolv).",
        show_default="from the name of FILE",
        default="",
    ),
    formulation: str | None = output_field(
        metavar="NAME",
        help="strengthened or literal, where the format has both.",
    ),
    cardinality: str | None = output_field(
        metavar="NAME",
        help="wcnf: how sizes and overlaps become clauses: seqcounter, sortnetwrk, cardnetwrk, "
        "totalizer, mtotalizer or kmtotalizer.",
        show_default="seqcounter",
    ),
    *,
    written: FileOutput,
) -> None:
    """Write an instance for another solver."""
    from pyfsel.backends.export import FORMATS, export

    chosen = chosen_format(file_format, written.output, FORMATS)
    emit(export(read_problem(instance), chosen, formulation, cardinality), written.output, written.quiet)


@command(
    "decode",
    "Read and verify the solution that another solver printed for an exported instance.",
    "pyfsel export wine.json -o wine.lp",
    "cbc wine.lp solve solution wine.sol",
    "pyfsel decode wine.json wine.sol",
)
def decode_command(
    instance: options.InstanceFile,
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL_FILE",
            help="What the solver printed: a model (v lines) of WCNF or OPB, values of the variables of LP, "
            "MPS or OPB, or sets, JSON or dzn of MiniZinc or a solver of FlatZinc; - is stdin.",
        ),
    ],
    formulation: str | None = output_field(metavar="NAME", help="The one that the WCNF was exported with."),
    *,
    written: OutputOptions,
) -> ExitCode:
    """Read the solution of another solver."""
    from pyfsel.backends.decode import read_sets

    problem = read_problem(instance)
    source = "stdin" if str(model) == "-" else str(model)
    sets = read_sets(problem, read_text(model), formulation, source)
    found = violations(problem, sets)
    if found:
        emit("".join(f"{violation}\n" for violation in found))
        return ExitCode.VIOLATIONS
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
    return finish(result, written)
