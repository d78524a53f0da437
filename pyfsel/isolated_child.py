"""The child side of `pyfsel.isolation`: receives problems, sends back what the backend reports."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Serve one parent over the connection whose file descriptor is the first argument."""
    _die_with_parent(int(sys.argv[2]))
    connection: Connection[Any, Any] = Connection(int(sys.argv[1]))
    backend = connection.recv()
    while True:
        try:
            problem, options = connection.recv()
        except EOFError:
            return
        _serve(connection, backend, problem, options)


def _serve(connection: Connection[Any, Any], backend: Any, problem: Any, options: dict[str, Any]) -> None:
    from pyfsel.backends.base import Control

    seconds = options.pop("seconds")
    control = Control(
        deadline=None if seconds is None else time.monotonic() + seconds,
        report_sets=lambda sets: connection.send(("sets", [list(members) for members in sets])),
        report_bound=lambda bound: connection.send(("bound", int(bound))),
        **options,
    )
    try:
        connection.send(("answer", backend.solve(problem, control)))
    except MemoryError:
        connection.send(("memory_limit", f"{backend.name}: out of memory"))
    except Exception:
        connection.send(("error", f"{backend.name}: {traceback.format_exc()}"))


def _die_with_parent(parent: int) -> None:
    """Make the kernel end this process with its parent, and take over orphaned solver processes."""
    signal.signal(signal.SIGTERM, _end_with_family)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        if os.getppid() != parent:
            _end_with_family()


def _end_with_family(*_: object) -> None:
    from pyfsel.isolation import kill_tree

    kill_tree(os.getpid())


if __name__ == "__main__":
    main()
