"""What the system knows about this process: its kind, this one's start, and how to end with the parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable

SWITCH = "PYFSEL_PROCESSES"
PR_SET_PDEATHSIG = 1
STARTED_FIELD = 19  # of those behind the name of the program, counted from 0


def is_portable() -> bool:
    """Return whether to start processes by `portable`, not by `linux`."""
    return sys.platform != "linux" or os.environ.get(SWITCH) == "portable"


def age() -> float:
    """Return the seconds since this process was started, the time to load Python included."""
    if sys.platform != "linux":
        from pyfsel.drivers.processes.child import load_psutil

        return max(0.0, time.time() - float(load_psutil().Process().create_time()))
    with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    started = int(fields[STARTED_FIELD]) / os.sysconf("SC_CLK_TCK")
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)


def death_with_parent() -> Callable[[], object] | None:
    """Return what to call in a process for the system to kill it when the thread that started it ends.

    None where a guard alone has to do that.
    """
    if sys.platform != "linux" or is_portable():
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def open_standard_files() -> None:
    """Have the descriptors 0, 1 and 2 open, on nothing if they are closed.

    Otherwise the next pipe gets their numbers, and is overwritten in the process that inherits it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
