"""`pyfsel compare`: several solvers on the same instances."""

from __future__ import annotations

from pathlib import Path

from pyfsel.bench.compare import compare, compare_files
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.output import SHOWN, show, working
from pyfsel.cli.parse import Given, command


@command("compare", compare, SHOWN, arguments="INSTANCE.json+")
def compare_command(given: Given) -> int:
    """Run several solvers on the same instances and look for contradictions.

    Notes
    -----
    Every solver starts without a known solution, so times are comparable.
    Exit code 1 if two answers cannot both be true.

    Examples
    --------
    pyfsel compare wine.json digits.json --solvers cpsat,rc2,mine.mzn
    """
    paths = [Path(path) for path in given["INSTANCE.json"]]
    with working(given, "comparing"):
        asked = {"time_limit": 60, **given.of(compare)}
        found = compare_files(paths, **asked, on_run=lambda file, one: given.report(f"{one} on {file}"))
    more = "" if "details" in given else "--details adds what each solver says"
    code = show(given, found, more)
    if found.details["contradictions"]:
        return ExitCode.VIOLATIONS
    return ExitCode.FAULT if code == ExitCode.OK and found.details["crashed"] else code
