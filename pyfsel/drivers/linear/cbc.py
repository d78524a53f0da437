"""CBC by its program `cbc`, which prints its last solution only, and bounds on the way.

Seeds count from 1, as 0 is the time of day to it. An assertion of CBC 2.10.8 fails now and then, and with
another seed hardly a second time. It takes no known solution: its option for that, mipstart, crashes where
presolving has removed columns.

When its time ends while it preprocesses, CBC 2.10.8 calls the model infeasible (in 114 of 773 runs of a
solvable model, with limits near the time that preprocessing takes): it counts within its time only.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from functools import cache
from math import inf
from pathlib import Path

from pyfsel.drivers.linear.connection import TOLERANCE, LinearRun
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import LONGEST_SECONDS

NUMBER = r"(-?[0-9][-+.e0-9]*)"
BEST_AND_BOUND = re.compile(rf"{NUMBER}(?: best solution, | \()best possible {NUMBER}")
LOG_LINES, LOG_CHARACTERS = 5, 500  # of the end of the log, in an error
LOG_PRECISION = 1e-7  # the log has eight digits
LARGEST_SEED = 2**31 - 1
FOUND = "solution"
OUTCOMES = {"optimal": StopReason.FINISHED, "infeasible": None, "limit": StopReason.TIME_LIMIT}
CRASHES = (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE)


@cache
def version() -> str | None:
    """Return the version of the program, or None."""
    program = shutil.which("cbc")
    if program is None:
        return None
    text = subprocess.run([program, "-quit"], capture_output=True, text=True, check=False, timeout=60).stdout
    return "".join(re.findall(r"Version: (\S+)", text)) or "unknown"


def solve(run: LinearRun) -> str:
    """Run the program, after a crash once again with another seed, and report what it found."""
    ends = time.monotonic() + run.seconds()
    seed = run.control.limits.random_state % LARGEST_SEED + 1
    code, solution, log = _run(run, seed)
    if -code in CRASHES:
        code, solution, log = _run(run, seed % LARGEST_SEED + 1)
    if solution:
        return _outcome(run, solution, time.monotonic() >= ends)
    if code == 0 and ends < inf:
        return "limit"
    return f"code {code}: {log.strip()[-LOG_CHARACTERS:]}"


def _run(run: LinearRun, seed: int) -> tuple[int, list[str], str]:
    """Return the exit code of the program, the lines of its solution, and the end of its log."""
    n_threads = run.control.limits.n_threads
    options = {
        "timeMode": "elapsed",
        "integerTolerance": TOLERANCE,
        "primalTolerance": TOLERANCE,
        "ratioGap": 0,
        "allowableGap": 0,
        "threads": n_threads if n_threads > 1 else None,
        "randomCbcSeed": seed,
        "randomSeed": seed,
        "sec": min(run.seconds(), LONGEST_SECONDS),
    }
    flags = [
        text for name, value in options.items() if value is not None for text in (f"-{name}", str(value))
    ]
    program = str(Path(shutil.which("cbc") or "cbc").absolute())
    with run.file() as path:  # CBC runs in its folder: of the path of a file it reads ``%d`` as a format of C
        command = [program, path.name, *flags, "-solve", "-solution", FOUND]
        log: deque[str] = deque(maxlen=LOG_LINES)
        with subprocess.Popen(
            command,
            cwd=path.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            for line in process.stdout or ():
                log.append(line)
                read_log(run, line)
        lines: list[str] = []
        with suppress(FileNotFoundError):
            lines = path.with_name(FOUND).read_text(encoding="ascii").splitlines()
    return process.returncode, lines, "".join(log)


def read_log(run: LinearRun, line: str) -> None:
    """Report the bound in a line of the log.

    It is a bound on what is better than the best solution: reduced costs have fixed the rest.
    """
    costs = BEST_AND_BOUND.search(line)
    if costs is not None:
        with suppress(ValueError):
            cost = min(map(float, costs.groups()))
            run.take_bound(cost - LOG_PRECISION * abs(cost))


def _outcome(run: LinearRun, solution: list[str], out_of_time: bool) -> str:
    headline = solution[0].lower()
    if "infeasible" in headline or "continuous used" in headline:
        stopped = out_of_time or headline.startswith("stopped") or "continuous used" in headline
        return "limit" if stopped else "infeasible"
    values = [0.0] * len(run.model.columns)
    for line in solution[1:]:
        column, _, value = line.replace("**", " ").split()[:3]
        values[int(column)] = float(value)
    run.take_solution(values, float(headline.rsplit(maxsplit=1)[-1]))
    return "optimal" if headline.startswith("optimal") else "limit"
