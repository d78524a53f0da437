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
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from pyfsel.drivers.processes.guard import MEMORY_EXIT
from pyfsel.drivers.processes.guarded import GuardedWorker, how_ended, patience, too_much_memory
from pyfsel.drivers.processes.serving import LIE, Order
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.results.backend_answer import BackendAnswer, Status, StopReason, Task, no_answer
from pyfsel.results.control import Control, Limits

IDLE_SECONDS = 300.0  # whoever thinks between two calls still finds it
LONGEST_START_SECONDS = 30.0
GRACE_SECONDS = 0.3  # for a task to return at its deadline by itself, before it is killed
DRAIN_SECONDS = 0.5  # for reports that were sent in time; a task may never stop reporting
OURS = "ours"
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

    def solve(self, task: Task, problem: Any, control: Control) -> BackendAnswer | None:
        """Return the answer to an order, or why there is none; None if it had ended while it was idle."""
        self.n_orders += 1
        self.is_fit = False
        try:
            begun = self._begins(task, problem, control)
        except TimeoutError:
            return no_answer(StopReason.TIME_LIMIT)
        if not begun and self.n_orders > 1:
            return None
        answer = self._answer(control) if begun else None
        return answer or self._why_ended(task.name, control.limits.memory_limit)

    def _begins(self, task: Task, problem: Any, control: Control) -> bool:
        """Send an order, whose memory is watched from outside, and return whether it is begun.

        Raises
        ------
        TimeoutError
            If it is not by the deadline.
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
        self.limit_memory(megabytes)
        threading.Thread(target=_send, args=(self.connection, data), daemon=True).start()
        with suppress(EOFError, ConnectionError):
            while not self.connection.poll(patience(_seconds_left(control))):
                if _seconds_left(control) <= 0:
                    raise TimeoutError
            self.connection.recv()
            return True
        return False

    def _answer(self, control: Control) -> BackendAnswer | None:
        """Hand on what is reported and return the answer; None if the process ends before."""
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

    def _why_ended(self, name: str, megabytes: int | None) -> BackendAnswer:
        """Return why it has ended without an answer."""
        code, log = self.exit_code_and_log()
        if code == MEMORY_EXIT:
            return no_answer(StopReason.MEMORY_LIMIT, f"{name}: {too_much_memory(megabytes)}")
        last_line = f": {log.splitlines()[-1]}\n{log}" if log else ""
        return no_answer(StopReason.ERROR, f"{name}: its process ended with {how_ended(code)}{last_line}")


def _seconds_left(control: Control) -> float:
    return control.limits.deadline + GRACE_SECONDS - time.monotonic()


@contextmanager
def in_worker(task: Task, problem: Any, control: Control, kind: Hashable = None) -> Iterator[BackendAnswer]:
    """Yield the answer of a worker, an idle one of its kind or a new one, which stays idle after the block.

    It is ended if it is not fit for another order, or if anything goes wrong in the block.

    Raises
    ------
    SolverError
        If no process can be started.
    """
    kind, answer = kind or _kind(task), None
    while answer is None:
        try:
            worker = _idle_worker(kind) or Worker(_starts_by_fork and kind == OURS)
        except OSError as error:
            raise SolverError(f"{task.name}: cannot start its process: {error}") from error
        try:
            answer = worker.solve(task, problem, control)
            if answer is not None:
                yield answer
        except BaseException:
            worker.end()
            raise
        if worker.is_fit:
            _release(kind, worker)
        else:
            worker.end()


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
    control = Control(Limits().within(seconds))
    with suppress(SolverError), in_worker(_Load(task.slow_imports), None, control, _kind(task)):
        pass  # whoever needs it will see why there is none


def _idle_worker(kind: Hashable) -> Worker | None:
    """Return the idle worker of a kind that worked last, if there is one."""
    for its_kind, worker in reversed(tuple(_idle)):
        if its_kind == kind and _is_taken(its_kind, worker):
            if worker.is_running():
                return worker
            worker.end()
    return None


def _is_taken(kind: Hashable, worker: Worker) -> bool:
    """Take a worker out of those that are idle, and return False if another thread was faster."""
    try:
        _idle.remove((kind, worker))
    except ValueError:
        return False
    return True


def _release(kind: Hashable, worker: Worker) -> None:
    """Keep a worker idle for the next task of its kind; the oldest ones end if there are too many."""
    worker.log.seek(0)
    worker.log.truncate()
    _idle.append((kind, worker))
    _end_idle(len(_idle) - (os.cpu_count() or 1))


def end_idle_workers() -> None:
    """End all workers that are idle now; they would end by themselves later."""
    _end_idle(len(_idle))


def _end_idle(number: int) -> None:
    for kind, worker in _idle[: max(0, number)]:
        if _is_taken(kind, worker):
            worker.end()


def start_workers_by_fork() -> None:
    """Start workers as copies of this process from now on (`pyfsel.drivers.processes.copied`)."""
    global _starts_by_fork  # noqa: PLW0603 - says how this process starts others
    _starts_by_fork = True


def _kind(task: Task) -> Hashable:
    """Return a key of the tasks that share workers; tasks from outside the package have their own."""
    ours = type(task).__module__.partition(".")[0] == __name__.partition(".")[0]
    return OURS if ours and task.shares_worker else (type(task), task.name)


def _send(connection: Connection, data: bytes) -> None:
    """Send it as a whole; where that fails the worker has ended, which is seen when it is heard."""
    with suppress(OSError, ValueError, TypeError):
        connection.send_bytes(data)


_idle: list[tuple[Hashable, Worker]] = []
if hasattr(os, "register_at_fork"):  # a copy of this process leaves all workers to it, and starts its own
    os.register_at_fork(after_in_child=_idle.clear)
