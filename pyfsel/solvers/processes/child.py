"""The program that `guarded` starts: a guard, and under it a backend or another program.

A backend receives problems and sends back what it reports. It starts as a script, so that nothing big is
loaded before the guard process is forked; the guard loads what an abnormal end needs when there is one, and
over another program looks up installed packages only then (`python -S`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from types import ModuleType

GUARD_SECONDS = 0.3
MEMORY_GUARD_SECONDS = 0.05
REAPING_SECONDS = 0.002
MEMORY_EXIT = 97
MEGABYTE = 2**20
SIGNAL_EXIT = 128
FOLDER = "PYFSEL_FOLDER"
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


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
    serve(file_descriptor, parent, megabytes)


def serve(file_descriptor: int, parent: int, megabytes: int) -> None:
    """Serve a process over a file descriptor, until it hangs up or ends."""
    _guard(parent, file_descriptor, megabytes)
    from multiprocessing.connection import Connection

    connection: Connection[Any, Any] = Connection(file_descriptor)
    try:
        task = connection.recv()
        while True:
            _serve(connection, task, *connection.recv())
    except EOFError:
        return


def _serve(connection: Connection[Any, Any], task: Any, problem: Any, options: dict[str, Any]) -> None:
    from pyfsel.results.control import Control
    from pyfsel.results.task import timed_solve
    from pyfsel.solvers.compiling import compiling_is_told_to

    control = Control(
        report_sets=lambda sets: connection.send(("sets", [list(members) for members in sets])),
        report_bound=lambda bound: connection.send(("bound", bound)),
        **options,
    )
    try:
        with compiling_is_told_to(lambda is_compiling: connection.send(("compiling", is_compiling))):
            answer = timed_solve(task, problem, control)
        connection.send(("answer", answer))
    except Exception as error:
        connection.send(failure(task.name, error))


def failure(name: str, error: Exception) -> tuple[str, str]:
    """Return the stop reason of a task that raised, and a message: one line, then the traceback."""
    import traceback

    from pyfsel.errors import PyfselError

    if isinstance(error, MemoryError):
        return "memory_limit", f"{name}: {error if str(error) else 'out of memory'}"
    told = isinstance(error, PyfselError)
    headline = str(error) if told else traceback.format_exception_only(error)[-1].strip()
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
        _remove_folder(parent)
    os._exit(code)


def _watch(parent: int, worker: int, megabytes: int) -> int:
    """Wait until the worker or the parent ends; return the worker's exit code, 128 + n for signal n.

    Without a limit `megabytes` is 0; once it is passed the code is `MEMORY_EXIT`.
    """
    patience = MEMORY_GUARD_SECONDS if megabytes else GUARD_SECONDS
    while os.getppid() == parent:
        signal.sigtimedwait([signal.SIGCHLD], patience)
        ended, how = os.waitpid(worker, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(how)
            return code if code >= 0 else SIGNAL_EXIT - code
        if megabytes and _memory_of_offspring() > megabytes * MEGABYTE:
            return MEMORY_EXIT
    return 1


def _memory_of_offspring() -> int:
    """Return the bytes in memory of all processes below this one; shared pages count for each."""
    psutil = _psutil()
    total = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def _kill_offspring() -> None:
    """Kill and reap all processes below this one, which adopts those that lose their parents."""
    while _has_children():
        psutil = _psutil()
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        time.sleep(REAPING_SECONDS)


def _remove_folder(parent: int) -> None:
    """Remove the folder of temporary files if the parent has gone, which otherwise does it."""
    folder = os.environ.get(FOLDER)
    if folder is not None and os.getppid() != parent:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def _psutil() -> ModuleType:
    """Return the package, looked up where Python started without the installed ones."""
    if "site" not in sys.modules:
        import site

        site.main()
    import psutil

    return psutil


def _has_children() -> bool:
    """Return whether this process has children that run; reap those that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


if __name__ == "__main__":
    main()
