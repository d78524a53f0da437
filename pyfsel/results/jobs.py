"""Many jobs of one kind: in this process, in several or on a cluster, and reports of how many are done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar
from warnings import catch_warnings, filterwarnings

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

Listener = Callable[[str, int, int], None]
T = TypeVar("T")
OF_CLUSTERS = ("DaskDistributedBackend", "SparkDistributedBackend")


def _nobody(what: str, done: int, total: int) -> None:
    """Listen to nothing."""


_LISTENER: ContextVar[Listener] = ContextVar("_LISTENER", default=_nobody)


@contextmanager
def counts_are_told_to(listener: Listener) -> Iterator[None]:
    """Call the listener, and nobody else, with what is counted, how much is done, and the total.

    Once before a task, and after each of its steps.
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def counted(what: str, steps: Iterable[T], total: int) -> Generator[T, None, None]:
    """Yield the steps of a task and report how many are done; counts within the steps are not reported.

    Examples
    --------
    >>> with counts_are_told_to(lambda what, done, total: print(done, "of", total, what)):
    ...     "".join(counted("letters", "abc", 3))
    0 of 3 letters
    1 of 3 letters
    2 of 3 letters
    3 of 3 letters
    'abc'
    """
    listener = _LISTENER.get()
    listener(what, 0, total)
    with counts_are_told_to(_nobody):
        for done, step in enumerate(steps, 1):
            listener(what, done, total)
            yield step


def console_of_bars() -> Console | None:
    """Return where bars can be shown: a terminal at stderr, or the cell of a notebook that has widgets."""
    in_notebook = "ipykernel" in sys.modules and find_spec("ipywidgets") is not None
    if not (in_notebook or sys.stderr.isatty()):
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_jupyter or sys.stderr.isatty() else None


@contextmanager
def progress_shown(doing: str, shown: bool = True) -> Iterator[Callable[[str], None]]:
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
        with counts_are_told_to(_CountRow(rows)):
            yield lambda text: rows.update(row, description=text)


class _CountRow:
    """A listener with a row of its own for each task."""

    def __init__(self, rows: Progress) -> None:
        self._rows = rows
        self._row: TaskID | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Begin, update or end the row."""
        text = f"{what}: {done:,} of {total:,}"
        if self._row is None:
            self._row = self._rows.add_task(text, total=total)
        self._rows.update(self._row, completed=done, description=text)
        if done == total:
            self._rows.remove_task(self._row)
            self._row = None


def finished(
    function: Callable[..., Any], jobs: Iterable[tuple[int, tuple[Any, ...]]], n_jobs: int | None
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number and the result of each job when it is finished, in whatever order.

    Joblib chooses the processes that do the work: ``with joblib.parallel_config("dask"):`` uses those in a
    cluster. A job whose worker is lost is done by another one: its arguments go along with it, and are not
    laid down on one worker beforehand.

    Parameters
    ----------
    function : callable
    jobs : iterable of (number, arguments)
    n_jobs : int, optional
        Number of processes, as joblib takes it.

    Examples
    --------
    >>> sorted(finished(pow, [(0, (2, 3)), (1, (3, 2))], n_jobs=None))
    [(0, 8), (1, 9)]
    """
    if n_jobs in (None, 1) and "joblib" not in sys.modules:  # then nobody has chosen other workers
        yield from ((number, function(*arguments)) for number, arguments in jobs)
        return
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    as_they_come = get_active_backend()[0].supports_return_generator
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered" if as_they_come else "list")
    found = parallel(delayed(_numbered)((function, number, arguments)) for number, arguments in jobs)
    if not as_they_come:
        yield from found
        return
    try:
        for one in found:  # noqa: UP028 - "yield from" would close it without what follows
            yield one
    finally:
        with catch_warnings():
            filterwarnings("ignore", "[0-9]+ tasks ")  # cancelled, as whoever closes this knows
            found.close()


def _numbered(job: tuple[Callable[..., Any], int, tuple[Any, ...]]) -> tuple[int, Any]:
    """Do a job that comes as one argument: joblib lays larger ones down on one worker of a Dask cluster.

    A worker of a cluster does by itself what the function does in parallel, as a process of this machine
    does. Otherwise joblib makes a task of the cluster of each tree of a forest, which takes far longer.
    """
    from joblib import parallel_config
    from joblib.parallel import get_active_backend

    function, number, arguments = job
    is_of_cluster = type(get_active_backend()[0]).__name__ in OF_CLUSTERS
    with parallel_config("threading", n_jobs=1) if is_of_cluster else nullcontext():
        return number, function(*arguments)
