"""What a command says on stderr while it works: progress on a terminal, and warnings as short notes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from pyfsel.cli.messages import in_options
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import Incumbent, ProvedBound
from pyfsel.results.counting import CountBar, Listener, count_columns, counts_are_told_to

Report = Callable[[str], None]


def note(text: str, quiet: bool = False) -> None:
    """Write a short line to stderr."""
    if not quiet:
        print("pyfsel: note:", " ".join(text.split()), file=sys.stderr)


@contextmanager
def notes(quiet: bool) -> Iterator[None]:
    """Turn warnings that are meant for users into short notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, UserWarning)):
                note(in_options(text), quiet)


@contextmanager
def progress(doing: str, quiet: bool) -> Iterator[Report]:
    """Show a spinner with the time and a changing text, and a bar for what is counted, on a terminal.

    Yields
    ------
    callable
        Takes what has been reached so far.
    """
    if quiet or not sys.stderr.isatty():
        with counts_are_told_to(_Counts(quiet)):
            yield lambda reached: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, TimeElapsedColumn(), *count_columns())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        line = _Line(doing, partial(shown.update, shown.add_task(doing, total=None)))
        with counts_are_told_to(_Counts(quiet, CountBar(shown))):
            yield line.reached


class _Counts:
    """Notes how much was measured in an earlier run, and hands counts on."""

    def __init__(self, quiet: bool, listener: Listener | None = None) -> None:
        self._quiet = quiet
        self._listener = listener
        self._has_begun = False

    def __call__(self, what: str, done: int, total: int) -> None:
        if done and not self._has_begun:
            note(f"{done} of {total} {what} were measured before", self._quiet)
        self._has_begun = done < total
        if self._listener is not None:
            self._listener(what, done, total)


class _Line:
    """The text beside the spinner."""

    def __init__(self, doing: str, update: Callable[..., None]) -> None:
        self.doing = doing
        self.text = doing
        self.update = update

    def reached(self, reached: str) -> None:
        self.text = f"{self.doing}: {reached}"
        self.update(description=self.text)


class SoFar:
    """Reports the best solution, and the best bound on what is still possible.

    Parameters
    ----------
    problem : Instance
    report : callable
        As `progress` yields it.
    """

    def __init__(self, problem: Instance, report: Report) -> None:
        self.problem = problem
        self.report = report
        self._best = "nothing found yet"

    def incumbent(self, incumbent: Incumbent) -> None:
        """Take a better solution."""
        what = "best" if len(incumbent.sets) == self.problem.n_sets else "best set"
        self._best = f"{what} so far {self._shown(incumbent.objective)} after {incumbent.time:.1f} s"
        self.report(self._best)

    def bound(self, proved: ProvedBound) -> None:
        """Take a better bound."""
        self.report(f"{self._best}, at most {self._shown(proved.bound)} is possible")

    def _shown(self, integer: int) -> str:
        from pyfsel.results.display import aligned

        return aligned([values.to_float(self.problem, integer)])[0]
