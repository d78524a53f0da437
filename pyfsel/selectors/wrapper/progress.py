"""The progress bar of a wrapper search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pyfsel.results.counting import console_of_bars
from pyfsel.selectors.wrapper.climb import WrapperSearch


@contextmanager
def progress_bar(search: WrapperSearch, shown: bool) -> Iterator[Callable[[], None]]:
    """Show how many models a search has trained, in a terminal or a notebook.

    The bar counts towards the maximum, if there is one; a climb that reaches a local optimum ends before.

    Yields
    ------
    callable
        To be called after each iteration.
    """
    console = console_of_bars() if shown else None
    if console is None:
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("trained models"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("climbing", total=search.max_fits)

        def update() -> None:
            scores = ", ".join(f"{score:.4f}" for score in search.scores)
            bar.update(task, completed=search.n_fits, description=f"scores {scores}")

        yield update
