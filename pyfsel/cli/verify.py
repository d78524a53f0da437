"""`pyfsel verify`: check a solution file against an instance file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.files import emit, json_lines, read_problem, read_solution, read_text
from pyfsel.cli.options import argument_field
from pyfsel.errors import InputError
from pyfsel.questions.samples import rate_samples, read_samples


@command(
    "verify",
    "Check a solution: its sets, and the objective, qualities and bound that it states.\n\n"
    "Whether a solution is optimal cannot be seen from it; compare backends for that.",
    "pyfsel solve wine.json -o sets.json",
    "pyfsel verify wine.json sets.json",
    "pyfsel verify one_set.json --samples samples.csv",
)
def verify_command(
    instance: options.InstanceFile,
    solution: Path | None = argument_field(
        metavar="SOLUTION",
        help="The JSON or CSV of `pyfsel solve` or `pyfsel select`, or a JSON list of lists of features "
        "(numbers from 0, or names).",
    ),
    samples: Path | None = options.question_field(
        metavar="FILE",
        help="Instead: samples of one set, a CSV with a column of 0 and 1 for each feature, as dimod "
        "writes it; how far is each from the proved optimum?",
    ),
    time_limit: options.TimeLimit = 60.0,
    file_format: Literal["text", "json"] = options.output_field(
        "--format", help="How to write what was found.", default="text"
    ),
    quiet: options.Quiet = False,
) -> ExitCode:
    """Check a solution file."""
    problem = read_problem(instance)
    if (solution is None) == (samples is None):
        raise InputError("SOLUTION, --samples: give exactly one of them")
    if samples is not None:
        rated = rate_samples(problem, *read_samples(read_text(samples), problem), time_limit=time_limit)
        emit(json_lines(rated.to_dict()) if file_format == "json" else f"{rated}\n")
        return ExitCode.OK
    assert solution is not None
    claims = read_solution(solution, problem)
    found = claims.violations(problem)
    if file_format == "json":
        emit(json_lines({"valid": not found, "violations": found}))
    elif found:
        emit("".join(f"{violation}\n" for violation in found))
    elif not quiet:
        emit(f"valid: {claims.summary(problem)}\n")
    return ExitCode.VIOLATIONS if found else ExitCode.OK
