"""What the system knows about this process: its start, and how to end with its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import time

PR_SET_PDEATHSIG = 1
STARTED_FIELD = 19  # of those behind the name of the program, counted from 0
LIBC = ctypes.CDLL(None)


def age() -> float:
    """Return the seconds since this process was started, the time to load Python included."""
    with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    started = int(fields[STARTED_FIELD]) / os.sysconf("SC_CLK_TCK")
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)


def die_with_parent() -> None:
    """Have the system kill this process when the thread that started it ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
