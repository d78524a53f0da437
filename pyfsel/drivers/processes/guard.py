"""The guard of a worker or a program: it starts one command, and ends it with all that this has started.

The guard ends the command when its offspring uses too much memory, and when its own standard input ends:
the process that it serves has the other end, and has ended or wants that. The lines that come
there are a limit of memory in bytes, 0 for none, or `TERMINATE`.

It is run as a script, without installed packages, because it has to start within milliseconds. It loads
psutil when something is left to look for.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from psutil import Process

MEMORY_SECONDS = 0.05  # memory can grow by gigabytes within a second
SHUTDOWN_SECONDS = 1.0  # processes that are killed end within milliseconds, unless the machine swaps
REAPING_SECONDS = 0.002
MEMORY_EXIT = 97  # an exit code that no program here uses
SIGNAL_EXIT = 128  # as shells do, 128 + n for signal n
LARGEST_CODE = 2**31 - 1  # Windows has larger ones, without a sign
MARKER = "PYFSEL_SESSION"
FOLDER = "PYFSEL_FOLDER"
MEGABYTE = 2**20
TERMINATE = "terminate"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of <sys/prctl.h>


class Guard:
    """Watches a process that it has started.

    Parameters
    ----------
    process : subprocess.Popen or psutil.Process
    """

    def __init__(self, process: subprocess.Popen[bytes] | Process) -> None:
        self._process = process
        self._most_memory = 0
        self._code: int | None = None

    def watch(self) -> int:
        """Wait until the process ends; return its exit code, 128 + n for signal n, or `MEMORY_EXIT`."""
        threading.Thread(target=self._listen, daemon=True).start()
        code = int(self._process.wait() or 0)
        if self._code is not None:
            return self._code
        return SIGNAL_EXIT - code if code < 0 else code

    def _listen(self) -> None:
        for line in open(0, "rb", buffering=0):  # noqa: SIM115 - until this process ends
            word = line.decode().strip()
            if word == TERMINATE:
                terminate(self._process.pid)
                continue
            before, self._most_memory = self._most_memory, int(word)
            if self._most_memory not in (0, before):
                threading.Thread(target=self._weigh, args=(self._most_memory,), daemon=True).start()
        self._process.kill()

    def _weigh(self, most: int) -> None:
        """Watch over a limit of memory until another one comes."""
        while self._most_memory == most:
            if memory_of_offspring() > most:
                self._code = MEMORY_EXIT
                self._process.kill()
                return
            time.sleep(MEMORY_SECONDS)


def main() -> None:
    """Guard a command.

    The arguments are the folder of psutil, a connection that the command inherits or -1, and the command.
    """
    packages, handle, *command = sys.argv[1:]
    sys.path.append(packages)
    guard(
        lambda: subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 - one call
            **passing(int(handle)),
        ),
        int(handle),
    )


def guard(start: Callable[[], subprocess.Popen[bytes] | Process], handle: int) -> NoReturn:
    """Start a process, watch over it and all below it, and end.

    Parameters
    ----------
    start : callable
    handle : int
        A connection that only the started process is to have, or -1.
    """
    code = 1
    try:
        _control(PR_SET_CHILD_SUBREAPER, 1)
        process = start()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the output ends with the command
        if handle >= 0 and sys.platform != "win32":
            os.close(handle)
        code = Guard(process).watch()
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr, flush=True)
    finally:
        if sys.platform != "linux" or has_children():
            end_family(os.getpid(), os.environ[MARKER])
        if FOLDER in os.environ:
            shutil.rmtree(os.environ[FOLDER], ignore_errors=True)
        os._exit(code & LARGEST_CODE)


def end_with_parent() -> None:
    """Have the system kill this process when the thread that started it ends; under Linux only."""
    _control(PR_SET_PDEATHSIG, signal.SIGKILL)


def _control(option: int, value: int) -> None:
    """Call ``prctl`` under Linux."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def passing(handle: int) -> dict[str, Any]:
    """Return the options of `subprocess.Popen` to hand a connection on; below 0 there is none."""
    if handle < 0:
        return {}
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, True)
        return {"startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})}
    return {"pass_fds": [handle]}


def terminate(pid: int) -> None:
    """Ask a command and what it has started to end; under Windows it cannot be asked."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.killpg(pid, signal.SIGTERM)


def end_family(head: int, marker: str) -> None:
    """Kill what is below a process, and what has inherited its marker, until nothing is left."""
    deadline = time.monotonic() + SHUTDOWN_SECONDS
    while (found := _family(head, marker)) and time.monotonic() < deadline:
        for process in found:
            with suppress(OSError):
                process.kill()
        time.sleep(REAPING_SECONDS)


def _family(head: int, marker: str) -> list[Process]:
    import psutil

    found = [x for x in psutil.process_iter(["environ"]) if (x.info["environ"] or {}).get(MARKER) == marker]
    with suppress(psutil.NoSuchProcess):
        found += psutil.Process(head).children(recursive=True)
    return [process for process in found if process.pid not in (head, os.getpid()) and lives(process.pid)]


def lives(pid: int) -> bool:
    """Return whether a process has not ended."""
    import psutil

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def memory_of_offspring() -> int:
    """Return the bytes in memory of all processes below this one; shared pages count for each."""
    import psutil

    total = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def has_children() -> bool:
    """Return whether this process has children that run; reap those that have ended."""
    if sys.platform == "win32":
        import psutil

        return bool(psutil.Process().children())
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


if __name__ == "__main__":
    main()
