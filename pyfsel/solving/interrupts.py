"""Ctrl-C between two solvers of a question: remembered, so the answer so far is still put together."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class HeldInterrupts:
    """Within the block the first Ctrl-C raises `KeyboardInterrupt` where it is let through, and only there.

    A second one raises anywhere. Nothing changes outside of the main thread, which alone gets it.

    Attributes
    ----------
    came : bool
        Whether one was held back.

    Examples
    --------
    >>> with HeldInterrupts() as held:
    ...     signal.raise_signal(signal.SIGINT)
    ...     held.came
    True
    """

    def __init__(self) -> None:
        self.came = False
        self._is_through = False
        self._handler: Any = None

    def __enter__(self) -> HeldInterrupts:
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Raise `KeyboardInterrupt` at once inside this block, also for one that was held back before."""
        self._is_through = True
        try:
            if self.came:
                raise KeyboardInterrupt
            yield
        finally:
            self._is_through = False

    def _take(self, number: int, frame: FrameType | None) -> None:
        if not self._is_through and not self.came:
            self.came = True
        elif callable(self._handler):
            self._handler(number, frame)
        else:
            raise KeyboardInterrupt
