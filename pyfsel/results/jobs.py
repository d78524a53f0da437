"""Many jobs of one kind: in this process, in several or on a cluster, and reports of how many are done."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar
from warnings import catch_warnings, filterwarnings

from pyfsel.results.backend_answer import StopReason

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
OF_CLUSTERS = ("DaskDistributedBackend", "SparkDistributedBackend")
ROWS: ContextVar[Any] = ContextVar("ROWS", default=None)
"""The rows of `rich.progress.Progress` where progress is shown; None if it is not."""
WATCH_SECONDS = 1.0


def counted(what: str, steps: Iterable[T], total: int) -> Generator[T, None, None]:
    """Yield the steps of a task and show how many are done; counts within the steps are not shown.

    Examples
    --------
    >>> "".join(counted("letters", "abc", 3))
    'abc'
    """
    rows = ROWS.get()
    row, token = rows and rows.add_task(f"{what}: 0 of {total:,}", total=total), ROWS.set(None)
    try:
        for done, step in enumerate(steps, 1):
            if rows:
                rows.update(row, completed=done, description=f"{what}: {done:,} of {total:,}")
            yield step
    finally:
        ROWS.reset(token)
        if rows:
            rows.remove_task(row)


def console_of_bars() -> Console | None:
    """Return where bars can be shown: a terminal at stderr, or the cell of a notebook that has widgets."""
    in_notebook = "ipykernel" in sys.modules and find_spec("ipywidgets") is not None
    if not (in_notebook or sys.stderr.isatty()):
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_jupyter or sys.stderr.isatty() else None


@contextmanager
def progress_shown(doing: str, shown: bool) -> Iterator[Callable[[str], None]]:
    """Show what is done, and below it what is counted within the block, if there is a place for it.

    Parameters
    ----------
    doing : str
    shown : bool
        Whether that is wanted at all.

    Yields
    ------
    callable
        Takes another text of what is done.
    """
    console = console_of_bars() if shown else None
    if console is None:
        yield lambda text: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    texts = TextColumn("{task.description}", markup=False)
    columns = (texts, BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as rows:
        row = rows.add_task(doing, total=None)
        token = ROWS.set(rows)
        try:
            yield lambda text: rows.update(row, description=text)
        finally:
            ROWS.reset(token)


@contextmanager
def handling(number: int, handler: Any) -> Iterator[Any]:
    """Have a handler of a signal within the block, and yield the one before it.

    Only the main thread gets signals and may set handlers; in others nothing changes, and it yields None.

    Examples
    --------
    >>> with handling(signal.SIGINT, signal.SIG_IGN):
    ...     signal.raise_signal(signal.SIGINT)
    """
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(number, handler) if is_main else None
    try:
        yield before
    finally:
        if is_main:
            signal.signal(number, before)


def finished(
    what: str,
    function: Callable[..., Any],
    jobs: Iterable[tuple[Any, ...]],
    total: int,
    n_jobs: int | None,
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number and the result of each job when it is finished, in whatever order.

    Joblib chooses the processes that do the work: ``with joblib.parallel_config("dask"):`` uses those in a
    cluster. A job whose worker is lost is done by another one: its arguments go along with it, and are not
    laid down on one worker beforehand.

    Parameters
    ----------
    what : str
        What the jobs are, in words.
    function : callable
    jobs : iterable of tuple
        The arguments of each job.
    total : int
        The number of jobs.
    n_jobs : int, optional
        Number of processes, as joblib takes it.

    Examples
    --------
    >>> sorted(finished("powers", pow, [(2, 3), (3, 2)], 2, n_jobs=None))
    [(0, 8), (1, 9)]
    """
    numbered = enumerate(jobs)
    if n_jobs in (None, 1) and "joblib" not in sys.modules:  # then nobody has chosen other workers
        yield from counted(what, ((number, function(*arguments)) for number, arguments in numbered), total)
        return
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    as_they_come = get_active_backend()[0].supports_return_generator
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered" if as_they_come else "list")
    # a terminal sends Ctrl-C to all processes; workers, which this one ends, would print where they were;
    # a backend that returns a list has done everything within the block, so there Ctrl-C stays what it is
    with handling(signal.SIGINT, signal.SIG_IGN) if as_they_come else nullcontext():
        found = parallel(
            delayed(_numbered)((function, number, arguments, os.getpid())) for number, arguments in numbered
        )
    try:
        yield from counted(what, found, total)
    finally:
        if as_they_come:
            with catch_warnings():
                filterwarnings("ignore", "[0-9]+ tasks ")  # cancelled, as whoever closes this knows
                found.close()


def all_done(
    what: str, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> tuple[dict[int, Any], StopReason]:
    """Return what a function makes of each job, by its number; after Ctrl-C of the finished ones."""
    done: dict[int, Any] = {}
    try:
        with closing(finished(what, function, jobs, len(jobs), n_jobs)) as running:
            done.update(running)
    except KeyboardInterrupt:
        return done, StopReason.INTERRUPTED
    return done, StopReason.FINISHED


def _numbered(job: tuple[Callable[..., Any], int, tuple[Any, ...], int]) -> tuple[int, Any]:
    """Do a job that comes as one argument: joblib lays larger ones down on one worker of a Dask cluster.

    A worker of a cluster does by itself what the function does in parallel, as a process of this machine
    does. Otherwise joblib makes a task of the cluster of each tree of a forest, which takes far longer.
    """
    from multiprocessing import parent_process

    from joblib import parallel_config
    from joblib.parallel import get_active_backend

    function, number, arguments, caller = job
    parent = parent_process()
    is_of_cluster = type(get_active_backend()[0]).__name__ in OF_CLUSTERS
    if not is_of_cluster and parent is not None and parent.pid == caller:
        _end_with(caller)
    with parallel_config("threading", n_jobs=1) if is_of_cluster else nullcontext():
        return number, function(*arguments)


@cache
def _end_with(parent: int) -> None:
    """Let this worker end soon after its parent; joblib ends it after minutes if the parent was killed."""
    import psutil

    def watch() -> None:
        # outside of Windows, another process becomes the parent at once
        while psutil.pid_exists(parent) and (sys.platform == "win32" or os.getppid() == parent):
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
