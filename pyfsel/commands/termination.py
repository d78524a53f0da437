"""SIGTERM, by which schedulers and `timeout` end a program, handled like Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS_BETWEEN = 1.0


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Make SIGTERM raise `KeyboardInterrupt` inside the block; yield a function that says whether one came.

    A second one within a second does nothing, as `timeout` sends two. Nothing changes where the program that
    calls has its own handler or ignores SIGTERM, or outside of the main thread, which alone may set one.
    """
    times: list[float] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        is_repeated = bool(times) and now - times[-1] < SECONDS_BETWEEN
        times.append(now)
        if not is_repeated:
            raise KeyboardInterrupt

    is_ours = threading.current_thread() is threading.main_thread()
    is_ours = is_ours and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if is_ours:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield lambda: bool(times)
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
