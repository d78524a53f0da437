"""The program that `pyfsel.isolation` runs: receives problems, sends back what the backend reports.

It starts as a script, so that nothing big is loaded before the guard process is forked.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import psutil

GUARD_SECONDS = 0.3
MEMORY_GUARD_SECONDS = 0.05
MEMORY_EXIT = 97
MEGABYTE = 2**20
SIGNAL_EXIT = 128
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Serve a process over a file descriptor.

    The arguments are the file descriptor, the number of the process, and a limit of memory in MB or 0.
    """
    serve(*map(int, sys.argv[1:4]))


def serve(file_descriptor: int, parent: int, megabytes: int) -> None:
    """Serve a process over a file descriptor, until it hangs up or ends."""
    _guard(parent, file_descriptor, megabytes)
    connection: Connection[Any, Any] = Connection(file_descriptor)
    try:
        backend = connection.recv()
        while True:
            _serve(connection, backend, *connection.recv())
    except EOFError:
        return


def _serve(connection: Connection[Any, Any], backend: Any, problem: Any, options: dict[str, Any]) -> None:
    from pyfsel.backends.base import Control, timed_solve

    control = Control(
        report_sets=lambda sets: connection.send(("sets", [list(members) for members in sets])),
        report_bound=lambda bound: connection.send(("bound", bound)),
        **options,
    )
    try:
        connection.send(("answer", timed_solve(backend, problem, control)))
    except Exception as error:
        connection.send(failure(backend.name, error))


def failure(name: str, error: Exception) -> tuple[str, str]:
    """Return the stop reason of a backend that raised, and a message: one line, then the traceback."""
    if isinstance(error, MemoryError):
        return "memory_limit", f"{name}: out of memory"
    headline = traceback.format_exception_only(error)[-1].strip()
    return "error", f"{name}: {headline}\n" + "".join(traceback.format_exception(error))


def _guard(parent: int, file_descriptor: int, megabytes: int) -> None:
    """Fork; the caller goes on in the new process, the old one becomes its guard and never returns.

    The guard ends the worker and everything the worker started as soon as the parent or the worker has gone,
    or they use too much memory together.
    A signal handler in the worker would not do: Python runs it only after the solver has returned.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    libc = ctypes.CDLL(None)
    guard = os.getpid()
    worker = os.fork()
    if worker == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(1)
        return
    try:
        os.close(file_descriptor)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        code = _watch(parent, worker, megabytes)
    finally:
        _kill_offspring()
    os._exit(code)


def _watch(parent: int, worker: int, megabytes: int) -> int:
    """Wait until the worker or the parent ends; return the worker's exit code, 128 + n for signal n.

    Without a limit `megabytes` is 0; once it is passed the code is `MEMORY_EXIT`.
    """
    patience = MEMORY_GUARD_SECONDS if megabytes else GUARD_SECONDS
    try:
        started_by = psutil.Process(parent)
        while started_by.is_running() and started_by.status() != psutil.STATUS_ZOMBIE:
            signal.sigtimedwait([signal.SIGCHLD], patience)
            ended, how = os.waitpid(worker, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(how)
                return code if code >= 0 else SIGNAL_EXIT - code
            if megabytes and _memory_of_offspring() > megabytes * MEGABYTE:
                return MEMORY_EXIT
    except psutil.NoSuchProcess:
        pass
    return 1


def _memory_of_offspring() -> int:
    """Return the bytes in memory of all processes below this one; shared pages count for each."""
    total = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def _kill_offspring() -> None:
    while offspring := psutil.Process().children(recursive=True):
        for process in offspring:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        with suppress(ChildProcessError):
            while os.waitpid(-1, 0):
                pass


if __name__ == "__main__":
    main()
