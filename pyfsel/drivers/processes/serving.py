"""A worker: it receives tasks with problems over a connection, and sends back what they report."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pyfsel.drivers.processes.guard import MEGABYTE, has_children
from pyfsel.errors import FalseClaimError, PyfselError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pyfsel.results.backend_answer import Task

LIE = "lie"
MOST_KEPT_MEGABYTES = 1024  # a worker with more ends, instead of waiting for an order


class Order(NamedTuple):
    """A task for a worker, its problem, the arguments of its `Control`, its limit of memory, and where to be.

    The folder is None if it does not exist.
    """

    task: Task
    problem: Any
    options: dict[str, Any]
    megabytes: int
    idle_seconds: float
    folder: str | None
    path: list[str]
    environment: dict[str, str]


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
    n_threads, megabytes, idle_seconds = threading.active_count(), 0.0, None
    with suppress(EOFError, ConnectionError):
        while line.poll(idle_seconds):
            order = line.recv()
            # what earlier orders left in memory must not count against this one's limit
            if 2 * megabytes > order.megabytes > 0:
                return
            idle_seconds = order.idle_seconds
            _move(order)
            line.send(("begun", None))
            _carry_out(line, order)
            megabytes = _megabytes()
            if threading.active_count() > n_threads or has_children() or megabytes > MOST_KEPT_MEGABYTES:
                return


def _move(order: Order) -> None:
    """Have the folder, path and variables of the process that is served."""
    if order.folder is not None:
        os.chdir(order.folder)
    sys.path[:] = order.path
    if order.environment != os.environ:
        os.environ.clear()
        os.environ.update(order.environment)


def _carry_out(line: Connection, order: Order) -> None:
    from pyfsel.results.control import Control

    control = Control(
        report_sets=lambda sets: line.send(("sets", [list(members) for members in sets])),
        report_bound=lambda bound: line.send(("bound", bound)),
        **order.options,
    )
    try:
        answer = order.task.solve(order.problem, control)
        sys.stdout.flush()
        sys.stderr.flush()
        line.send(("answer", answer))
    except Exception as error:
        line.send(failure(order.task.name, error))


def failure(name: str, error: Exception) -> tuple[str, str]:
    """Return the stop reason of a task that raised, and a message: one line, then the traceback.

    A false claim that the task itself found is not an error: it is `LIE`.
    """
    if isinstance(error, FalseClaimError):
        return LIE, str(error)
    if isinstance(error, MemoryError):
        return "memory_limit", f"{name}: {str(error) or 'out of memory'}"
    headline = (
        str(error) if isinstance(error, PyfselError) else traceback.format_exception_only(error)[-1].strip()
    )
    return "error", f"{name}: {headline}\n" + "".join(traceback.format_exception(error))


def _megabytes() -> float:
    """Return the megabytes of this process in memory."""
    import psutil

    return float(psutil.Process().memory_info().rss / MEGABYTE)
