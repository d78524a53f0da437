"""Child processes that run tasks one after the other: they stay, idle, for the next call.

Nobody has to end them: they end with this process in whatever way that ends, after some idle minutes, and
when a task leaves much memory, a thread or a process behind. One that failed, or whose claim was false, is
ended by its user instead of released.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from collections import deque
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from math import inf
from multiprocessing.connection import Connection
from typing import Any

from pyfsel.drivers.processes.guard import MEMORY_EXIT
from pyfsel.drivers.processes.guarded import GuardedWorker, how_ended, patience, too_much_memory
from pyfsel.drivers.processes.serving import LIE, Order
from pyfsel.errors import FalseClaimError
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason, Task, no_answer
from pyfsel.results.control import Control

IDLE_SECONDS = 300.0  # whoever thinks between two calls still finds it
LONGEST_START_SECONDS = 30.0
GRACE_SECONDS = 0.3  # for a task to return at its deadline by itself, before it is killed
DRAIN_SECONDS = 0.5  # for reports that were sent in time; a task may never stop reporting
_starts_by_fork = False


class Worker(GuardedWorker):
    """A process that serves orders (`pyfsel.drivers.processes.serving`).

    Parameters
    ----------
    by_fork : bool
        Whether it is a copy of this process.

    Attributes
    ----------
    n_orders : int
        How many it was sent: behind the first one it may have ended.
    is_fit : bool
        Whether the last one was answered, so it can be sent another one.
    """

    def __init__(self, by_fork: bool) -> None:
        self.n_orders = 0
        self.is_fit = True
        super().__init__(by_fork)

    def ask(self, task: Task, problem: Any, control: Control, deadline: float) -> None:
        """Send an order; its memory is watched from outside.

        Raises
        ------
        TimeoutError
            If it is not taken by the deadline, a value of `time.monotonic`.
        """
        try:
            folder = os.getcwd()
        except FileNotFoundError:  # somebody has removed it
            folder = None
        path = list(sys.path) if folder is None else [os.path.abspath(entry) for entry in sys.path]
        environment = {**os.environ, **self.variables}
        options = {name: getattr(control, name) for name in ("formulation", "hint", "known_bound")}
        options["limits"] = replace(control.limits, memory_limit=None)
        megabytes = control.limits.memory_limit
        order = Order(task, problem, options, megabytes or 0, IDLE_SECONDS, folder, path, environment)
        data = pickle.dumps(order, pickle.HIGHEST_PROTOCOL)
        self.n_orders += 1
        self.limit_memory(megabytes)
        sending = threading.Thread(target=_send, args=(self.connection, data), daemon=True)
        sending.start()
        while sending.is_alive():
            if time.monotonic() >= deadline:
                raise TimeoutError
            sending.join(patience(deadline - time.monotonic()))

    def begins(self, task: Task, problem: Any, control: Control) -> bool:
        """Send an order and return whether it is begun.

        Raises
        ------
        TimeoutError
            If it is not by the deadline.
        """
        deadline = time.monotonic() + _seconds_left(control)
        try:
            self.ask(task, problem, control, deadline)
            while not self.connection.poll(patience(deadline - time.monotonic())):
                if time.monotonic() >= deadline:
                    raise TimeoutError
            self.connection.recv()
        except (EOFError, ConnectionError):
            return False
        return True

    def answer(self, control: Control) -> BackendAnswer | None:
        """Hand on what is reported and return the answer; None if the process ends before."""
        self.is_fit = False
        with suppress(EOFError, ConnectionError):
            while True:
                left = _seconds_left(control)
                if not self.connection.poll(patience(left)) or left < -DRAIN_SECONDS:
                    if left > 0:
                        continue
                    return no_answer(StopReason.TIME_LIMIT)
                kind, content = self.connection.recv()
                if kind == "sets":
                    control.report_sets(content)
                elif kind == "bound":
                    control.report_bound(content)
                elif kind == LIE:
                    raise FalseClaimError(content)
                elif kind == "answer":
                    self.is_fit = True
                    answer: BackendAnswer = content
                    return answer
                else:
                    return no_answer(kind, content)
        return None

    def why_ended(self, name: str, megabytes: int | None) -> BackendAnswer:
        """Return why it has ended without an answer."""
        self.is_fit = False
        code, log = self.exit_code_and_log()
        if code == MEMORY_EXIT:
            return no_answer(StopReason.MEMORY_LIMIT, f"{name}: {too_much_memory(megabytes)}")
        last_line = f": {log.splitlines()[-1]}\n{log}" if log else ""
        return no_answer(StopReason.ERROR, f"{name}: its process ended with {how_ended(code)}{last_line}")


def _seconds_left(control: Control) -> float:
    deadline = control.limits.deadline
    return inf if deadline is None else deadline + GRACE_SECONDS - time.monotonic()


def acquire(task: Task) -> Worker:
    """Return a worker for a task: an idle one of its kind, or a new one."""
    idle = _idle.get(_kind(task))
    while idle:
        with suppress(IndexError):  # another thread was faster
            worker = idle.pop()
            if worker.is_running():
                return worker
            worker.end()
    return start(task)


def start(task: Task) -> Worker:
    """Start a worker for a task."""
    return Worker(_starts_by_fork and task.shares_worker)


class _Load(Task):
    """Loads what a task needs; its answer shows that a worker has started."""

    name = "load"

    def __init__(self, modules: tuple[str, ...]) -> None:
        self.modules = modules

    def solve(self, problem: Any, control: Control) -> BackendAnswer:
        for module in self.modules:
            import_module(module)
        return BackendAnswer(Status.NOT_SOLVED)


def prepare(task: Task, seconds: float = LONGEST_START_SECONDS) -> None:
    """Have an idle worker for the next task of this kind, and wait until it is ready."""
    worker = acquire(task)
    deadline = time.monotonic() + seconds
    try:
        worker.ask(_Load(task.slow_imports), None, Control(), deadline)
        while worker.connection.poll(max(0.0, deadline - time.monotonic())):
            kind, _ = worker.connection.recv()
            if kind == "answer":
                release(task, worker)
                return
    except (TimeoutError, EOFError, OSError):
        pass  # whoever needs it will see why
    worker.end()


def release(task: Task, worker: Worker) -> None:
    """Keep a worker idle for the next task of its kind; an older one ends if there are too many."""
    for others in tuple(_idle.values()):
        for other in tuple(others):
            if not other.is_running():
                with suppress(ValueError):
                    others.remove(other)
                other.end()
    worker.log.seek(0)
    worker.log.truncate()
    _idle.setdefault(_kind(task), deque()).append(worker)
    while sum(map(len, tuple(_idle.values()))) > (os.cpu_count() or 1):
        with suppress(IndexError, StopIteration):  # another thread was faster
            older = (others for others in tuple(_idle.values()) if len(others) > 1 or worker not in others)
            next(others for others in older if others).popleft().end()


def end_idle_workers() -> None:
    """End all workers that are idle now; they would end by themselves later."""
    for workers in tuple(_idle.values()):
        while workers:
            with suppress(IndexError):
                workers.pop().end()


def start_workers_by_fork() -> None:
    """Start workers as copies of this process from now on (`pyfsel.drivers.processes.copied`)."""
    global _starts_by_fork  # noqa: PLW0603 - says how this process starts others
    _starts_by_fork = True


def _kind(task: Task) -> Hashable:
    """Return a key of the tasks that share workers; tasks from outside the package have their own."""
    ours = type(task).__module__.partition(".")[0] == __name__.partition(".")[0]
    return "ours" if ours and task.shares_worker else (type(task), task.name)


def _send(connection: Connection, data: bytes) -> None:
    """Send it as a whole; where that fails the worker has ended, which is seen when it is heard."""
    with suppress(OSError, ValueError, TypeError):
        connection.send_bytes(data)


_idle: dict[Hashable, deque[Worker]] = {}
if hasattr(os, "register_at_fork"):  # a copy of this process leaves all workers to it, and starts its own
    os.register_at_fork(after_in_child=_idle.clear)
