"""`pyfsel compare`: several solvers on the same instances."""

from __future__ import annotations

from pathlib import Path

from pyfsel.bench.compare import compare, compare_files
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.options import options_of
from pyfsel.cli.output import check_output, estimated, working, write
from pyfsel.cli.parse import Command, Given
from pyfsel.errors import InputError


def names_options(*, solvers: str | None = None) -> None:
    """Declare the option that is a list in Python.

    Parameters
    ----------
    solvers : str, optional
        Names with commas between: cpsat,rc2/literal,mine.mzn; all solvers unless given.
    """


def compare_command(given: Given) -> int:
    """Run several solvers on the same instances."""
    check_output(given)
    names = given.get("solvers")
    chosen = None if names is None else [name.strip() for name in names.split(",") if name.strip()]
    if chosen == []:
        raise InputError("solvers: is empty. Name at least one")
    options = {"time_limit": 60, **given.of(compare)}
    paths = [Path(path) for path in given.get("INSTANCE.json")]
    with working(given, "comparing") as now:
        found = compare_files(
            paths, chosen, **options, on_run=lambda file, solver: now.report(f"{solver} on {file}")
        )
    more = "" if "details" in given else "--details adds what each solver says"
    code = estimated(given, found, more, cautions=now.cautions)
    if found.details["contradictions"]:
        return ExitCode.VIOLATIONS
    return ExitCode.FAULT if code == ExitCode.OK and found.details["crashed"] else code


COMMANDS = [
    Command(
        "compare",
        "Run several solvers on the same instances and look for contradictions.",
        compare_command,
        [
            *options_of(names_options),
            *options_of(compare, problems="", solvers="", on_run=""),
            *options_of(write),
        ],
        arguments=("INSTANCE.json+",),
        examples=("pyfsel compare wine.json digits.json --solvers cpsat,rc2,mine.mzn",),
        notes="Every solver starts without a known solution, so times are comparable.\n"
        "Exit code 1 if two answers cannot both be true.",
        files=True,
    ),
]
