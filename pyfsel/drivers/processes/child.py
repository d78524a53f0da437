"""A worker, which receives tasks with problems and sends back what they report, and its guard under Linux.

Under Linux it starts as a script, so nothing big is loaded before the guard process is forked; the guard
loads what an abnormal end needs when there is one, and over another program looks up installed packages only
then (`python -S`).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import ModuleType

    from pyfsel.drivers.processes.interface import Line
    from pyfsel.results.task import Task

GUARD_SECONDS = 0.3  # how late a guard may see that the parent has gone; looking costs next to nothing
MEMORY_GUARD_SECONDS = 0.05  # memory can grow by gigabytes within a second
REAPING_SECONDS = 0.002
MEMORY_EXIT = 97  # an exit code that no program here uses
LIE = "lie"
MEGABYTE = 2**20
SIGNAL_EXIT = 128  # as shells do, 128 + n for signal n
MARKER = "PYFSEL_SESSION"
FOLDER = "PYFSEL_FOLDER"
TEMPORARY = ("TMPDIR", "TEMP", "TMP") if os.name == "nt" else ("TMPDIR",)
OWN_VARIABLES = (MARKER, FOLDER, *TEMPORARY, "PYTHONPATH")
MOST_KEPT_MEGABYTES = 1024  # a worker with more ends, instead of waiting for an order
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of <sys/prctl.h>


class Surroundings(NamedTuple):
    """What a process has that a worker which was started earlier may not have."""

    folder: str | None
    path: list[str]
    environment: dict[str, str]


class Order(NamedTuple):
    """What a worker is sent: a task, its problem, and what `Control` and the guard are told about it.

    The surroundings are None where those that it had last still hold.
    """

    task: Task
    problem: Any
    options: dict[str, Any]
    megabytes: int
    idle_seconds: float
    surroundings: Surroundings | None


def main() -> None:
    """Serve a process over a file descriptor, or become a program that writes to it.

    The arguments are the file descriptor, the number of the process, a limit of memory in MB or 0, and the
    words of a command, if any.
    """
    file_descriptor, parent, megabytes = map(int, sys.argv[1:4])
    command = sys.argv[4:]
    if command:
        _guard(parent, file_descriptor, megabytes)
        os.dup2(file_descriptor, sys.stdout.fileno())
        os.close(file_descriptor)
        try:
            os.execv(command[0], command)
        except OSError as error:
            sys.exit(f"{command[0]}: {error.strerror}")
    serve_over(file_descriptor, parent)
    os._exit(0)


def serve_over(file_descriptor: int, parent: int) -> None:
    """Fork, and serve over a file descriptor in the new process; the old one is its guard, and ends here."""
    if sys.platform != "linux":
        raise NotImplementedError
    limit = _guard(parent, file_descriptor, 0, is_worker=True)
    guard = os.getppid()
    from multiprocessing.connection import Connection

    def tell_limit(megabytes: int) -> None:
        limit[0] = megabytes
        if megabytes:
            os.kill(guard, signal.SIGUSR1)

    serve(Connection(file_descriptor), tell_limit)


def serve(line: Line, tell_limit: Callable[[int], None]) -> None:
    """Carry out the orders that come over a line, until the other end hangs up or is silent.

    It ends, too, when what it has done makes it unfit for the next order; whoever sends one then starts
    another worker. Its guard is told of limits of memory in MB, 0 for none.
    """
    import threading

    n_threads = threading.active_count()
    patience = None
    with suppress(EOFError):
        while line.poll(patience):
            order: Order = line.recv()
            # what earlier orders left in memory must not count against this one's limit
            if patience is not None and order.megabytes and 2 * _memory() > order.megabytes * MEGABYTE:
                return
            patience = order.idle_seconds
            if order.surroundings is not None:
                _move_to(order.surroundings)
            if order.megabytes:
                tell_limit(order.megabytes)
            line.send(("begun", None))
            _carry_out(line, order)
            if order.megabytes:
                tell_limit(0)
            has_left_something = threading.active_count() > n_threads or _has_children()
            if has_left_something or _memory() > MOST_KEPT_MEGABYTES * MEGABYTE:
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


def _carry_out(line: Line, order: Order) -> None:
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


def _memory() -> int:
    """Return the bytes of this process in memory."""
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE
    return int(load_psutil().Process().memory_info().rss)


def failure(name: str, error: Exception) -> tuple[str, str]:
    """Return the stop reason of a task that raised, and a message: one line, then the traceback.

    A false claim that the task found out itself is none: it is `LIE`.
    """
    import traceback

    from pyfsel.errors import FalseClaimError, PyfselError

    if isinstance(error, FalseClaimError):
        return LIE, str(error)
    if isinstance(error, MemoryError):
        return "memory_limit", f"{name}: {error if str(error) else 'out of memory'}"
    told = isinstance(error, PyfselError)
    headline = str(error) if told else traceback.format_exception_only(error)[-1].strip()
    return "error", f"{name}: {headline}\n" + "".join(traceback.format_exception(error))


def _guard(parent: int, file_descriptor: int, megabytes: int, is_worker: bool = False) -> memoryview:
    """Fork; the caller goes on in the new process, the old one becomes its guard and never returns.

    The guard ends the worker and everything the worker started as soon as the parent or the worker has gone,
    or they use too much memory together.
    A signal handler in the worker would not do: Python runs it only after the solver has returned.

    Returns
    -------
    memoryview
        Its number is the limit in MB, 0 for none; the worker may change it, and tell the guard by SIGUSR1.
    """
    if sys.platform != "linux":
        raise NotImplementedError
    limit = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("q")
    limit[0] = megabytes
    waking = {signal.SIGCHLD, signal.SIGUSR1}
    signal.pthread_sigmask(signal.SIG_BLOCK, waking)
    libc = ctypes.CDLL(None)
    guard = os.getpid()
    worker = os.fork()
    if worker == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, waking)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:  # it ended before the line above
            os._exit(1)
        return limit
    try:
        os.close(file_descriptor)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        code = _watch(parent, worker, limit, waking)
    finally:
        _kill_offspring()
        if is_worker or os.getppid() != parent:
            remove_folder()
    os._exit(code)


def _watch(parent: int, worker: int, limit: memoryview, waking: set[signal.Signals]) -> int:
    """Wait until the worker or the parent ends; return the worker's exit code, 128 + n for signal n.

    Without a limit its number is 0; once it is passed the code is `MEMORY_EXIT`.
    """
    if sys.platform != "linux":
        raise NotImplementedError
    while os.getppid() == parent:
        signal.sigtimedwait(waking, MEMORY_GUARD_SECONDS if limit[0] else GUARD_SECONDS)
        ended, how = os.waitpid(worker, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(how)
            return code if code >= 0 else SIGNAL_EXIT - code
        megabytes = limit[0]
        if megabytes and memory_of_offspring() > megabytes * MEGABYTE:
            return MEMORY_EXIT
    return 1


def memory_of_offspring() -> int:
    """Return the bytes in memory of all processes below this one; shared pages count for each."""
    psutil = load_psutil()
    total = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def _kill_offspring() -> None:
    """Kill and reap all processes below this one, which adopts those that lose their parents."""
    while _has_children():
        psutil = load_psutil()
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        time.sleep(REAPING_SECONDS)


def remove_folder() -> None:
    """Remove the folder of temporary files.

    That of a worker is of no use to anybody else. That of a program may be, to the parent, which then removes
    it. A worker may end because its parent does, but before that has quite gone: one cannot tell.
    """
    folder = os.environ.get(FOLDER)
    if folder is None:
        return
    try:
        os.rmdir(folder)
    except OSError:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def load_psutil() -> ModuleType:
    """Return the package, looked up where Python started without the installed ones."""
    if "site" not in sys.modules:
        import site

        site.main()
    import psutil

    return psutil


def _has_children() -> bool:
    """Return whether this process has children that run; reap those that have ended."""
    if sys.platform == "win32":
        return bool(load_psutil().Process().children())
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


if __name__ == "__main__":
    main()
