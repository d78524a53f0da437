"""The program that MiniZinc starts: reads FlatZinc, solves it, prints the FlatZinc protocol."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from getopt import GetoptError, gnu_getopt
from typing import NamedTuple, NoReturn, TextIO

from pyfsel.drivers.linear.connection import NAMES, Ending, Outcome, Settings, Solver, load
from pyfsel.drivers.linear.model import LinearModel
from pyfsel.drivers.minizinc.bridge.linear import linearise
from pyfsel.drivers.minizinc.bridge.model import (
    UNSUPPORTED,
    FlatZincError,
    Model,
    UnsupportedFlatZincError,
)
from pyfsel.drivers.minizinc.bridge.parser import parse
from pyfsel.drivers.minizinc.bridge.protocol import Reporter
from pyfsel.drivers.processes.own import age, death_with_parent
from pyfsel.errors import InputError, PyfselError

OVERTIME_SECONDS = 0.02  # a solver ends at its own limit, which is earlier, unless it is late
POLL_SECONDS = 0.02  # how long a signal or the deadline may go unseen
MOST_THREADS = 64
LONGEST_LIMIT = 1e12  # milliseconds, 32 years: beyond it the limit is none
ONE_SOLUTION = "prints one solution of a satisfaction problem, and does not look for others"
USAGE = "usage: pyfsel-fzn-{name} [-h] [-a|-i] [-n N] [-f] [-t MS] [-p N] [-r N] [-s] [-v] FILE"
HELP = """
Solve linear FlatZinc and print the FlatZinc protocol.

  -a, -i  print every better solution as it comes
  -n N    solutions of a satisfaction problem; there is one, with -a too
  -f      ignored: the search is always the solver's own
  -t MS   time limit in milliseconds
  -p N    threads, at most 64; SCIP takes one
  -r N    random seed
  -s      print statistics
  -v      the solver's log, to the standard error"""


class _Arguments(NamedTuple):
    """What MiniZinc gives to a solver; read by `getopt`, which loads faster than `argparse`."""

    file: str
    every: bool
    limit: float | None
    threads: int
    seed: int | None
    statistics: bool
    verbose: bool
    several: bool
    wants_help: bool


def main(name: str, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run as a program of its own, and end with its parent; the exit code is 0 unless there was an error.

    Parameters
    ----------
    name : str
        One of `connection.NAMES`.
    arguments : sequence of str, optional
        ``sys.argv[1:]`` if not given.
    """
    die = death_with_parent()
    if die is not None:
        die()
    start = time.monotonic() - age()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    protocol = _protocol_alone()
    code = run(name, sys.argv[1:] if arguments is None else arguments, protocol, start, stop)
    for stream in (protocol, sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


cbc, cpsat, highs, scip = (partial(main, name) for name in sorted(NAMES))
"""The programs ``pyfsel-fzn-…``."""


def _protocol_alone() -> TextIO:
    """Return the standard output for the protocol alone: what libraries print there goes to the error output.

    The file descriptors are exchanged, not `sys.stdout`, since libraries in C write to descriptor 1 as well.
    """
    protocol = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(protocol, "w", encoding="utf-8")


def run(
    name: str,
    arguments: Sequence[str],
    stream: TextIO,
    start: float | None = None,
    stop: threading.Event | None = None,
) -> int:
    """Solve a FlatZinc file and print the result to a stream; return the exit code.

    Parameters
    ----------
    name : str
        One of `connection.NAMES`.
    arguments : sequence of str
        As MiniZinc gives them to a solver.
    stream : text file
    start : float, optional
        Value of `time.monotonic` from which the time limit counts.
    stop : threading.Event, optional
        Ends the search when it is set.
    """
    start = time.monotonic() if start is None else start
    stop = threading.Event() if stop is None else stop
    try:
        options = _arguments(arguments)
    except GetoptError as error:
        print(f"{USAGE.format(name=name)}\npyfsel-fzn-{name}: {error}", file=sys.stderr)
        return 2
    if options.wants_help:
        print(f"{USAGE.format(name=name)}\n{HELP}", file=stream)
        return 0
    deadline = None if options.limit is None else start + options.limit / 1000
    settings = Settings(deadline, options.threads, options.seed, options.verbose)
    try:
        model = parse(_read(options.file))
        linear = linearise(model)
        reporter = Reporter(model, linear, stream, options.every, options.statistics, start)
        if options.several and linear.goal == 0:
            print(f"pyfsel-fzn-{name}: {ONE_SOLUTION}", file=sys.stderr)
        reporter.facts |= {"variables": linear.n_columns, "rows": len(linear.rows)}
        _solve(name, model, linear, settings, reporter, stop)
    except (PyfselError, OSError, RuntimeError, MemoryError) as error:
        return _fail(name, options.file, error, stream)
    return 0


def _solve(
    name: str,
    model: Model,
    linear: LinearModel,
    settings: Settings,
    reporter: Reporter,
    stop: threading.Event,
) -> None:
    if linear.trivially_infeasible():
        reporter.finish(Outcome.INFEASIBLE)
    elif linear.n_columns == 0:
        reporter.solution([])
        reporter.finish(Outcome.OPTIMAL)
    elif stop.is_set() or _overtime(settings) > 0:
        reporter.finish(Outcome.UNKNOWN)
    else:
        ending = _watch(load(name)(linear, settings), settings, reporter, stop)
        reporter.finish(ending.outcome, ending.claimed)


def _watch(solver: Solver, settings: Settings, reporter: Reporter, stop: threading.Event) -> Ending:
    """Run a solver in a thread; stop it when asked to or at the deadline, and do not wait for it for ever."""
    endings: list[Ending] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            endings.append(solver.solve(reporter))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.wait(POLL_SECONDS) and not stop.is_set() and _overtime(settings) < OVERTIME_SECONDS:
        pass
    if not done.is_set():
        solver.stop()
        done.wait(solver.patience)
    if errors:
        raise (
            errors[0]
            if isinstance(errors[0], PyfselError)
            else FlatZincError(f"the solver failed: {errors[0]}")
        ) from errors[0]
    return endings[0] if endings else Ending(Outcome.UNKNOWN)


def _overtime(settings: Settings) -> float:
    return -1.0 if settings.deadline is None else time.monotonic() - settings.deadline


def _read(path: str) -> str:
    with open(path, "rb") as file:
        content = file.read()
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FlatZincError(f"byte 0x{content[error.start]:02x} is not text", line) from None


def _fail(name: str, path: str, error: Exception, stream: TextIO) -> int:
    place = f"{path}: " if isinstance(error, FlatZincError | InputError) else ""
    if isinstance(error, InputError | UnsupportedFlatZincError):
        place = f"{UNSUPPORTED}{place}"
    print(f"pyfsel-fzn-{name}: {place}{str(error) or type(error).__name__}", file=sys.stderr)
    with suppress(OSError):
        stream.write("=====ERROR=====\n")
        stream.flush()
    return 1


def _arguments(given: Sequence[str]) -> _Arguments:
    """Return the arguments; raise `GetoptError` if they are wrong."""
    found, files = gnu_getopt(list(given), "haifsvn:t:p:r:", ["help"])
    flags = dict(found)
    wants_help = bool({"-h", "--help"} & flags.keys())
    if len(files) != 1 and not wants_help:
        raise GetoptError(f"there must be one FlatZinc file, not {len(files)}")
    wanted = _whole(flags, "-n")
    return _Arguments(
        file=files[0] if files else "",
        every=bool({"-a", "-i"} & flags.keys()),
        limit=_limit(flags),
        threads=min(MOST_THREADS, max(1, _whole(flags, "-p") or 1)),
        seed=_whole(flags, "-r"),
        statistics="-s" in flags,
        verbose="-v" in flags,
        several="-a" in flags or wanted not in (None, 1),
        wants_help=wants_help,
    )


def _whole(flags: dict[str, str], name: str) -> int | None:
    """Return the whole number that an option is given, or None without it."""
    if name not in flags:
        return None
    try:
        return int(flags[name])
    except ValueError:
        raise GetoptError(f"option {name} takes a whole number, not {flags[name]!r}") from None


def _limit(flags: dict[str, str]) -> float | None:
    """Return the milliseconds of the time limit, or None without one.

    MiniZinc gives −1 where flattening took a little longer than the whole limit.
    """
    if "-t" not in flags:
        return None
    with suppress(ValueError):
        milliseconds = float(flags["-t"])
        if not math.isnan(milliseconds):
            return max(0.0, milliseconds) if milliseconds < LONGEST_LIMIT else None
    raise GetoptError(f"option -t takes milliseconds, not {flags['-t']!r}")
