"""The program `minizinc`: started under a guard, its messages read as they come.

The Python package of MiniZinc compiles the interface of a model before each run, and asks MiniZinc for its
version and its solvers in each process; a whole run on a small problem costs less than these.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyfsel.drivers.minizinc.installed import NO_MINIZINC
from pyfsel.drivers.processes.guard import MEMORY_EXIT
from pyfsel.drivers.processes.guarded import GuardedProgram, how_ended, too_much_memory
from pyfsel.errors import InputError, SolverError
from pyfsel.results.control import Control

GRACE_SECONDS = 0.3  # for MiniZinc to end by itself, with its last messages
UNEXPLAINED = "no explanation, as when the disk is full or its solver is killed"
LINEAR_TRACE = " POSTs ["
OUT_OF_LIMITS = "Number out of limits"
OUT_OF_TIME = "time limit reached"
"""What MiniZinc calls an error where its limit passes in some steps between compiling and solving."""
INCONSISTENT = {"type": "status", "status": "UNSATISFIABLE"}
"""For what MiniZinc 2.6 calls an error: preparing a model for linear solvers it finds nothing left."""
STATISTICS = re.compile(rb'\s*\{\s*"type"\s*:\s*"statistics"')
NOT_FINITE = re.compile(rb"(:)\s*[-+]?(?:inf(?:inity)?|nan)\b", re.IGNORECASE)
"""What solvers call a statistic that has no value, and MiniZinc hands on as it is."""


class ModelError(SolverError):
    """A model or its data are not what MiniZinc can take; the message begins with file and line."""


class MemoryLimitError(MemoryError):
    """The processes of a program have used too much memory, and were killed."""


def messages(
    arguments: Sequence[str | Path], control: Control, folder: Path | None = None
) -> Generator[dict[str, Any], None, None]:
    """Run MiniZinc and yield its messages of types solution, statistics, status and so on.

    Parameters
    ----------
    arguments : sequence of str or Path
        Options and files.
    control : Control
        Its deadline and its limit of memory are kept by force.
    folder : Path, optional
        Where MiniZinc's own temporary files go, see `GuardedProgram`.

    Raises
    ------
    SolverError
        If MiniZinc or the solver reports an error, or cannot be started.
    InputError
        If numbers turn out to be too large for the solver.
    MemoryLimitError
        If they used too much memory.
    TimeoutError
        If they did not end in time.

    Examples
    --------
    >>> from pyfsel.drivers.minizinc.model_files import models_dir
    >>> files = [models_dir() / "simultaneous_sum.mzn", models_dir() / "data" / "example.json"]
    >>> [m["status"] for m in messages(["--solver", "gecode", *files], Control()) if m["type"] == "status"]
    ['OPTIMAL_SOLUTION']
    """
    program = shutil.which("minizinc")
    if program is None:
        raise SolverError(NO_MINIZINC)
    command = [program, "--json-stream", *map(str, arguments)]
    with GuardedProgram(command, control.limits.memory_limit, folder) as running:
        for line in running.lines(control.limits.deadline + GRACE_SECONDS):
            if line.strip():
                message = _read(line)
                yield message
                if message is INCONSISTENT:
                    return
        code, log = running.exit_code_and_log()
    if code == MEMORY_EXIT:
        raise MemoryLimitError(too_much_memory(control.limits.memory_limit))
    if OUT_OF_LIMITS in log:
        raise InputError("a sum in the model goes beyond the integers of Gecode; use smaller scales")
    if code != 0:
        raise SolverError(_with_headline(log or f"MiniZinc ended with {how_ended(code)} and {UNEXPLAINED}"))


def _read(line: bytes) -> dict[str, Any]:
    is_statistics = STATISTICS.match(line)
    try:
        message: dict[str, Any] = json.loads(NOT_FINITE.sub(rb"\1 NaN", line) if is_statistics else line)
        kind = message["type"]
    except (ValueError, TypeError, KeyError):
        if is_statistics:  # nothing rests on them
            return {"type": "statistics", "statistics": {}}
        raise SolverError(f"MiniZinc printed something that is not a message: {line!r}") from None
    if kind == "statistics":
        given = message.get("statistics", {})
        kept = {x: told for x, told in given.items() if not isinstance(told, float) or math.isfinite(told)}
        return message | {"statistics": kept}
    if kind != "error":
        return message
    said = message.get("message", message.get("what", ""))
    if said.startswith("model inconsistency detected"):
        return INCONSISTENT
    if said == OUT_OF_TIME:
        raise TimeoutError
    error = ModelError if "location" in message else SolverError
    raise error(_with_headline(_where(message) + said))


def warning_text(message: Mapping[str, Any]) -> str:
    """Return a warning in one line, with file and line; "" for those that are about no line of a model."""
    places = [step["location"] for step in message.get("stack", ()) if "location" in step]
    text = " ".join(message.get("message", "").split())
    if (not places and "location" not in message) or text.startswith("model inconsistency detected"):
        return ""
    return _where({"location": places[-1]} if places else message) + text


def _where(message: Mapping[str, Any]) -> str:
    """Return the file and line of a model that an error refers to, for the reader's editor."""
    place = message.get("location", {})
    return f"{Path(place['filename']).name}:{place['firstLine']}: " if place.get("filename") else ""


def _with_headline(text: str) -> str:
    """Put first the first line that is not a trace of MiniZinc's linear library."""
    lines = (line for line in text.splitlines() if line.strip() and LINEAR_TRACE not in line)
    return f"{next(lines, UNEXPLAINED)}\n{text}"
