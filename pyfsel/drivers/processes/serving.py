"""A worker: it receives tasks with problems over a connection, and sends back what they report."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pyfsel.drivers.processes.guard import FOLDER, MARKER
from pyfsel.drivers.processes.guarded import MEGABYTE, TEMPORARY
from pyfsel.errors import FalseClaimError, PyfselError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pyfsel.results.task import Task

LIE = "lie"
OWN_VARIABLES = (MARKER, FOLDER, *TEMPORARY)
MOST_KEPT_MEGABYTES = 1024  # a worker with more ends, instead of waiting for an order


class Surroundings(NamedTuple):
    """What a process has that a worker which was started earlier may not have."""

    folder: str | None
    path: list[str]
    environment: dict[str, str]


class Order(NamedTuple):
    """What a worker is sent: a task, its problem, what `Control` is told about it, and a limit of memory.

    The surroundings are None if those that it had last still hold.
    """

    task: Task
    problem: Any
    options: dict[str, Any]
    megabytes: int
    idle_seconds: float
    surroundings: Surroundings | None


def main(handle: int) -> None:
    """Serve over a connection that was inherited, and end."""
    from multiprocessing import connection

    if sys.platform == "win32":
        serve(connection.PipeConnection(handle))
    else:
        os.set_inheritable(handle, False)
        serve(connection.Connection(handle))
    os._exit(0)


def serve(line: Connection) -> None:
    """Carry out the orders that come over a line, until the other end hangs up or is silent.

    It ends, too, when what it has done makes it unfit for the next order; whoever sends one then starts
    another worker.
    """
    n_threads = threading.active_count()
    idle_seconds = None
    with suppress(EOFError, ConnectionError):
        while line.poll(idle_seconds):
            order: Order = line.recv()
            # what earlier orders left in memory must not count against this one's limit
            if idle_seconds is not None and 2 * _megabytes() > order.megabytes > 0:
                return
            idle_seconds = order.idle_seconds
            if order.surroundings is not None:
                _move_to(order.surroundings)
            line.send(("begun", None))
            _carry_out(line, order)
            if threading.active_count() > n_threads or _has_children() or _megabytes() > MOST_KEPT_MEGABYTES:
                return


def _move_to(surroundings: Surroundings) -> None:
    """Have the folder, path and variables of the process that is served, but its own temporary folder."""
    own = {name: os.environ[name] for name in OWN_VARIABLES if name in os.environ}
    if surroundings.folder is not None:
        os.chdir(surroundings.folder)
    sys.path[:] = surroundings.path
    environment = {**surroundings.environment, **own}
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)


def _carry_out(line: Connection, order: Order) -> None:
    from pyfsel.results.control import Control
    from pyfsel.results.task import timed_solve

    control = Control(
        report_sets=lambda sets: line.send(("sets", [list(members) for members in sets])),
        report_bound=lambda bound: line.send(("bound", bound)),
        **order.options,
    )
    try:
        answer = timed_solve(order.task, order.problem, control)
        sys.stdout.flush()
        sys.stderr.flush()
        line.send(("answer", answer))
    except Exception as error:
        line.send(failure(order.task.name, error))


def failure(name: str, error: Exception) -> tuple[str, str]:
    """Return the stop reason of a task that raised, and a message: one line, then the traceback.

    A false claim that the task found out itself is none: it is `LIE`.
    """
    if isinstance(error, FalseClaimError):
        return LIE, str(error)
    if isinstance(error, MemoryError):
        return "memory_limit", f"{name}: {error if str(error) else 'out of memory'}"
    headline = (
        str(error) if isinstance(error, PyfselError) else traceback.format_exception_only(error)[-1].strip()
    )
    return "error", f"{name}: {headline}\n" + "".join(traceback.format_exception(error))


def _megabytes() -> float:
    """Return the megabytes of this process in memory."""
    import psutil

    return float(psutil.Process().memory_info().rss / MEGABYTE)


def _has_children() -> bool:
    """Return whether this process has children that run; reap those that have ended."""
    import psutil

    if sys.platform == "win32":
        return bool(psutil.Process().children())
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False
