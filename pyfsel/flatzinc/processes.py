"""Ending with the parent process."""

from __future__ import annotations

import ctypes
import signal

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def die_with_parent() -> None:
    """Have the system kill this process when the thread that started it ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
