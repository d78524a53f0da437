"""`pyfsel verify`: check a solution file against an instance file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import emit, json_lines, read_problem, read_solution
from pyfsel.cli.options import argument_field


@command(
    "verify",
    "Check a solution: its sets, and the objective, qualities and bound that it states.\n\n"
    "Whether a solution is optimal cannot be seen from it; compare backends for that.",
    "pyfsel solve wine.json -o sets.json",
    "pyfsel verify wine.json sets.json",
)
def verify_command(
    instance: options.InstanceFile,
    solution: Path = argument_field(
        metavar="SOLUTION",
        help="The JSON or CSV of `pyfsel solve` or `pyfsel select`, or a JSON list of lists of features "
        "(numbers from 0, or names).",
    ),
    file_format: Literal["text", "json"] = options.output_field(
        "--format", help="How to write what was found.", default="text"
    ),
    quiet: options.Quiet = False,
) -> ExitCode:
    """Check a solution file."""
    problem = read_problem(instance)
    claims = read_solution(solution, problem)
    found = claims.violations(problem)
    if file_format == "json":
        emit(json_lines({"valid": not found, "violations": found}))
    elif found:
        emit("".join(f"{violation}\n" for violation in found))
    elif not quiet:
        emit(f"valid: {claims.summary(problem)}\n")
    return ExitCode.VIOLATIONS if found else ExitCode.OK
