"""`pyfsel compare`: several solvers on the same instances."""

from __future__ import annotations

from pathlib import Path

from pyfsel.bench.compare import compare, compare_files
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.options import options_of
from pyfsel.cli.output import show, working, write
from pyfsel.cli.parse import Given, command


@command(
    "compare",
    *options_of(compare, "problems solvers on_run"),
    *options_of(write, "require_proof"),
    arguments="INSTANCE.json+",
    examples=("pyfsel compare wine.json digits.json --solvers cpsat,rc2,mine.mzn",),
    notes="Every solver starts without a known solution, so times are comparable.\n"
    "Exit code 1 if two answers cannot both be true.",
)
def compare_command(given: Given, *, solvers: str | None = None) -> int:
    """Run several solvers on the same instances and look for contradictions.

    Parameters
    ----------
    given : Given
    solvers : str, optional
        Names with commas between: cpsat,rc2/literal,mine.mzn; all solvers unless given.
    """
    chosen = None if solvers is None else [name.strip() for name in solvers.split(",") if name.strip()]
    options = {"time_limit": 60, **given.of(compare), "solvers": chosen}
    paths = [Path(path) for path in given.get("INSTANCE.json")]
    with working(given, "comparing"):
        found = compare_files(
            paths, **options, on_run=lambda file, solver: given.report(f"{solver} on {file}")
        )
    more = "" if "details" in given else "--details adds what each solver says"
    code = show(given, found, more)
    if found.details["contradictions"]:
        return ExitCode.VIOLATIONS
    return ExitCode.FAULT if code == ExitCode.OK and found.details["crashed"] else code
