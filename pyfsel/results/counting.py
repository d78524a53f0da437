"""Progress of long tasks: columns measured, folds finished."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, TaskID

Listener = Callable[[str, int, int], None]
T = TypeVar("T")


def _nobody(what: str, done: int, total: int) -> None:
    """Listen to nothing."""


_LISTENER: ContextVar[Listener] = ContextVar("_LISTENER", default=_nobody)


@contextmanager
def counts_are_told_to(listener: Listener) -> Iterator[None]:
    """Call the listener, and nobody else, with what is counted, how much is done, and the total.

    Once before a task, where what is done was done another time, and after each of its steps.
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def counted(what: str, steps: Iterable[T], total: int, done: int = 0) -> Generator[T, None, None]:
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
    listener(what, done, total)
    with counts_are_told_to(_nobody):
        for step in steps:
            done += 1
            listener(what, done, total)
            yield step


@contextmanager
def counting_bar(shown: bool) -> Iterator[None]:
    """Show a bar for what is counted within the block, if that is wanted and there is a place for it."""
    console = console_of_bars() if shown else None
    if console is None:
        yield
        return
    from rich.progress import Progress, TextColumn

    with (
        Progress(TextColumn("{task.description}"), *count_columns(), console=console, transient=True) as bar,
        counts_are_told_to(CountBar(bar)),
    ):
        yield


def console_of_bars() -> Console | None:
    """Return where bars can be shown: a terminal at stderr, or the cell of a notebook that has widgets."""
    in_notebook = "ipykernel" in sys.modules and find_spec("ipywidgets") is not None
    if not (in_notebook or sys.stderr.isatty()):
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_jupyter or sys.stderr.isatty() else None


class CountBar:
    """A listener with a row of its own for each task, among the rows of `rich`.

    Parameters
    ----------
    rows : rich.progress.Progress
        With the columns of `count_columns`.
    """

    def __init__(self, rows: Progress) -> None:
        self._rows = rows
        self._row: TaskID | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Begin, update or end the row."""
        if self._row is None:
            self._row = self._rows.add_task(what, total=total)
        self._rows.update(self._row, completed=done)
        if done == total:
            self._rows.remove_task(self._row)
            self._row = None


def count_columns() -> tuple[ProgressColumn, ...]:
    """Return a bar, a count and the expected time, for `rich.progress.Progress`; empty without a total."""
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TimeRemainingColumn
    from rich.text import Text

    class OfTotal(ProgressColumn):
        def __init__(self, shown: ProgressColumn) -> None:
            super().__init__()
            self._shown = shown

        def render(self, task: Any) -> Any:
            return Text() if task.total is None else self._shown.render(task)

    return OfTotal(BarColumn()), OfTotal(MofNCompleteColumn()), OfTotal(TimeRemainingColumn())
