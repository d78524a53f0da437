"""CBC by its program `cbc`."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from pyfsel.drivers.linear.connection import (
    ClockedSolver,
    Ending,
    Listener,
    Outcome,
    Settings,
    Solver,
    require_floats,
)
from pyfsel.drivers.linear.files import mps_text
from pyfsel.drivers.linear.model import LinearModel
from pyfsel.errors import InputError

TOLERANCE = "1e-9"
NUMBER = r"(-?[0-9][-+.e0-9]*)"
BEST_AND_BOUND = re.compile(rf"{NUMBER}(?: best solution, | \()best possible {NUMBER}")
NODES = re.compile(r"Enumerated nodes:\s+([0-9]+)")
LOG_LINES, LOG_CHARACTERS = 5, 500  # of the end of the log, in an error
LOG_PRECISION = 1e-7  # the log has eight digits
LARGEST_SEED = 2**31 - 1
PROBLEM, FOUND = "model.mps", "solution"
"""Files in the folder that CBC runs in: of the path of a file it reads ``%d`` as a format of C."""
CRASHES = (signal.SIGABRT, signal.SIGSEGV, signal.SIGFPE)


def make(model: LinearModel, settings: Settings) -> Solver:
    """Return a CBC solver of the model."""
    require_floats(model)
    program = shutil.which("cbc")
    if program is None:
        raise InputError("the program cbc is not on the PATH (apt install coinor-cbc)")
    return CbcProgram(model, settings, program)


class CbcProgram(ClockedSolver):
    """The program `cbc`, which prints its last solution only, and bounds on the way.

    Seeds count from 1, as 0 is the time of day to it.
    An assertion of CBC 2.10.8 fails now and then, and with another seed hardly a second time.
    It takes no known solution: its option for that, mipstart, crashes where presolving has removed columns.
    When its time ends while it preprocesses, CBC 2.10.8 calls the model infeasible (in 114 of 773 runs of a
    solvable model, with limits near the time that preprocessing takes): it counts within its time only.
    """

    def __init__(self, model: LinearModel, settings: Settings, program: str) -> None:
        super().__init__(model, settings)
        self._program = str(Path(program).absolute())

    def solve(self, listener: Listener) -> Ending:
        """Run the program and report what it found; after a crash once again, with another seed."""
        text = mps_text(self.model)
        seed = None if self.settings.seed is None else self.settings.seed % LARGEST_SEED + 1
        code, found, last_lines = self._run(text, seed, listener)
        if -code in CRASHES:
            listener.facts["crashes"] = 1
            code, found, last_lines = self._run(text, (seed or 0) % LARGEST_SEED + 1, listener)
        return self._ending(found.splitlines(), code, last_lines, listener)

    def _command(self, seed: int | None) -> list[str]:
        settings = self.settings
        options: dict[str, object] = {
            "timeMode": "elapsed",
            "integerTolerance": TOLERANCE,
            "primalTolerance": TOLERANCE,
            "ratioGap": 0,
            "allowableGap": 0,
        }
        left = self.start_clock()
        if left is not None:
            options["sec"] = f"{left:.6f}"
        if settings.threads > 1:
            options["threads"] = settings.threads
        if seed is not None:
            options["randomCbcSeed"] = options["randomSeed"] = seed
        flags = [text for name, value in options.items() for text in (f"-{name}", str(value))]
        return [self._program, PROBLEM, *flags, "-solve", "-solution", FOUND]

    def _run(self, text: str, seed: int | None, listener: Listener) -> tuple[int, str, list[str]]:
        """Return the exit code of the program, the solution that it wrote, and the end of its log."""
        with TemporaryDirectory(prefix="pyfsel-cbc-") as folder:
            Path(folder, PROBLEM).write_text(text, encoding="ascii")
            code, log = self._log(self._command(seed), folder, listener)
            with suppress(FileNotFoundError):
                return code, Path(folder, FOUND).read_text(encoding="ascii"), log
        return code, "", log

    def _log(self, command: list[str], folder: str, listener: Listener) -> tuple[int, list[str]]:
        with subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            assert process.stdout is not None
            log: list[str] = []
            for line in process.stdout:
                log = [*log[-LOG_LINES:], line]
                self._read(line, listener)
        return process.returncode, log

    def _read(self, line: str, listener: Listener) -> None:
        costs, nodes = BEST_AND_BOUND.search(line), NODES.search(line)
        if costs is not None:
            with suppress(ValueError):
                # the bound is one on what is better than the best solution: reduced costs have fixed the rest
                cost = min(map(float, costs.groups()))
                # CBC minimises: a bound rounded down stays one
                listener.take_bound(cost - LOG_PRECISION * abs(cost))
        if nodes is not None:
            listener.facts["nodes"] = int(nodes.group(1))

    def _ending(self, lines: Sequence[str], code: int, log: Sequence[str], listener: Listener) -> Ending:
        if not lines:
            if code == 0 and self._end is not None:
                return Ending(Outcome.LIMIT)
            words = "".join(log).strip()[-LOG_CHARACTERS:]
            raise RuntimeError(": ".join([f"cbc ended with code {code}", *([words] if words else [])]))
        headline = lines[0].lower()
        if "continuous used" in headline or ("infeasible" in headline and headline.startswith("stopped")):
            return Ending(Outcome.LIMIT)
        if "infeasible" in headline or "unbounded" in headline:
            if self.is_out_of_time():
                return Ending(Outcome.LIMIT)
            return Ending(Outcome.INFEASIBLE if "infeasible" in headline else Outcome.UNBOUNDED)
        values = [0.0] * self.model.n_columns
        for line in lines[1:]:
            fields = line.replace("**", " ").split()
            values[int(fields[1][1:])] = float(fields[2])
        sound = listener.solution(values)
        if not sound:
            return Ending(Outcome.UNKNOWN)
        outcome = Outcome.OPTIMAL if headline.startswith("optimal") else Outcome.LIMIT
        return Ending(outcome, float(headline.rsplit(maxsplit=1)[-1]))
