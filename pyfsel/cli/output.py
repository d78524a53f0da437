"""Output of commands: progress on a terminal, answers by their layout, JSON and CSV."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.cli.exit_codes import ExitCode, code_of
from pyfsel.cli.named_files import require_writable
from pyfsel.cli.options import options_of
from pyfsel.cli.parse import Given, in_options
from pyfsel.errors import InputError, MisleadingDataWarning
from pyfsel.problem.text_files import write_text
from pyfsel.results.display import SetsTable
from pyfsel.results.jobs import ROWS, progress_shown

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pyfsel.interface.solving import Progress

FORMATS = {".json": "json", ".csv": "csv"}
"""By the ending of a file; others are texts."""
SPELT = {"±": "+-", "–": "-", "−": "-", "…": "...", "≈": "~", "≤": "<=", "≥": ">="}
"""Signs in the letters of any output."""


def _spelt(error: Any) -> tuple[str, int]:
    """Return what is written for a letter that the output lacks: as it is spelt, or as Python writes it.

    Examples
    --------
    >>> "0.95 ± 0.06".encode("ascii", SPELL)
    b'0.95 +- 0.06'
    """
    letter = error.object[error.start]
    return SPELT.get(letter, ascii(letter)[1:-1]), error.start + 1


SPELL = "pyfsel.spell"
codecs.register_error(SPELL, _spelt)


class ClosedPipeError(Exception):
    """The reader of the output went away."""


def write(
    *,
    output: str | None = None,
    format: str | None = None,
    details: bool = False,
    quiet: bool = False,
    require_proof: bool = False,
) -> None:
    """Declare the options about output; `show` and `emit` do it.

    Parameters
    ----------
    output : str, optional
        Write there; .json and .csv choose the format.
    format : {"text", "json", "csv"}, optional
        How it is written; by default as the name of the file says.
    details : bool
        Also print bounds, units, solver and time.
    quiet : bool
        Print headline, table and status only.
    require_proof : bool
        The exit code is 4 unless the answer is proved.
    """


SHOWN = options_of(write, "require_proof")
"""The options about output of what proves nothing."""
LISTED = options_of(write, only="output format quiet")


def format_of(given: Given) -> str:
    """Return the format; raise `InputError` if the file cannot be written, before anything is measured."""
    output, chosen, endings = given["output"], given["format"], given.command.endings
    if output in (None, "-"):
        return chosen or "text"
    ending = Path(output).suffix.lower()
    if not endings:
        if ending in FORMATS:
            raise InputError(f"-o {output}: has the ending of a file. Expected the name of a folder")
        return "text"
    require_writable("-o", output, given.files)
    if chosen is None and ending not in endings:
        other = ", or --format" if any(one.name == "format" for one in given.command.options) else ""
        raise InputError(f"-o {output}: unknown ending. Expected {' '.join(endings).strip()}{other}")
    return chosen or FORMATS.get(ending, "text")


def emit(text: str, output: str | None = None) -> None:
    """Write text to the standard output, or to a file; if the file cannot be written, to the output as well.

    Raises
    ------
    InputError
        If it could not be written where it was to be.
    """
    if output and output != "-":
        try:
            write_text(output, text)
        except InputError:
            emit(text)  # it may have taken hours to find
            raise
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # where the rest goes
        if isinstance(error, BrokenPipeError):
            raise ClosedPipeError from None
        raise InputError(f"standard output: cannot be written ({error.strerror})") from None


def text_of(shown: RenderableType, output: str | None = None) -> str:
    """Return what is printed: in colour for a terminal, plain elsewhere.

    Examples
    --------
    Tables have lines of the letters that the output has:

    >>> from contextlib import redirect_stdout
    >>> table = SetsTable(("set", "quality"))
    >>> table.add_row(("0", "100%"), [])
    >>> with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "ascii")):
    ...     text = text_of(table)
    >>> text.isascii()
    True
    """
    from rich.console import Console, Group

    letters = "utf-8" if output else sys.stdout.encoding
    drawn = io.TextIOWrapper(io.BytesIO(), letters, SPELL)
    console = Console(file=drawn, color_system=None, width=80) if output else Console()
    if not console.is_terminal:
        console.width = max(console.width, 80)
    console.file = drawn  # only `emit` writes, so only there a disk is full
    console.print(Group(shown), crop=False)  # rich joins texts by themselves and wraps them
    drawn.seek(0)
    return "".join(f"{line.rstrip()}\n" for line in drawn)


def _json_of(found: Any) -> str:
    rows = found if isinstance(found, list) else found.to_dict()
    return f"{json.dumps(rows, indent=1, ensure_ascii=False, default=str)}\n"


def _csv_of(found: Any) -> str:
    """Return the rows of `to_frame`; each feature of a set in a column of its own."""
    import pandas as pd

    if hasattr(found, "to_frame"):
        frame = found.to_frame()
    else:
        frame = pd.DataFrame(found if isinstance(found, list) else [found.to_dict()])
    if "indices" in frame:
        names = pd.DataFrame(frame["features"].tolist(), index=frame.index)
        names = names.rename(columns=lambda j: f"feature_{j + 1}")
        frame = frame.drop(columns=["features", "indices"]).join(names)
    return str(frame.to_csv(index=bool(frame.index.name), lineterminator="\n"))


def show(given: Given, found: Any, *next_steps: str, printed: Any = None) -> ExitCode:
    """Print what was found in the format that is requested, and return the exit code.

    Parameters
    ----------
    given : Given
        With what was noted on the way, which follows what an answer or evaluation says itself.
    found : Answer, Evaluation, list of rows that are dictionaries, or anything that has `to_dict`
    *next_steps : str
        Command lines.
    printed : str, list of rows, Evaluation or what rich can draw, optional
        What the text shows in place of `found`.
    """
    output, form = given["output"], format_of(given)
    found, shown = _with_cautions(given, found), _with_cautions(given, found if printed is None else printed)
    if form == "text":
        written = text_of(rendered(given, shown, next_steps), output)
    else:
        written = _json_of(found) if form == "json" else _csv_of(found)
    emit(written, output)
    return code_of(found, "require_proof" in given)


def _with_cautions(given: Given, found: Any) -> Any:
    if not hasattr(found, "cautions"):
        return found
    told = (*given.misleading, *found.cautions, *given.cautions)
    return replace(found, cautions=tuple(dict.fromkeys(in_options(one, given) for one in told)))


def rendered(given: Given, shown: Any, next_steps: Iterable[str]) -> Any:
    """Return what is shown of a text, rows, an answer or an evaluation; all else is drawn as it is."""
    if isinstance(shown, str):
        from rich.text import Text

        return Text(shown, no_wrap=True, overflow="ignore")
    if hasattr(shown, "headline"):
        steps = [in_options(step, given) for step in next_steps if step]
        return shown.table(steps, details="details" in given, quiet="quiet" in given)
    if not isinstance(shown, list):
        return shown
    names = [name for row in shown[:1] for name in row]
    table = SetsTable(names, left=names)
    for row in shown:
        table.add_row([_cell(value) for value in row.values()], [])
    return table


def _cell(value: Any) -> str:
    """Return an entry of a table in words; what is unknown is a dash."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return "–" if text in ("None", "nan", "") else text


@contextmanager
def working(given: Given, doing: str) -> Iterator[Callable[[Progress], None] | None]:
    """Show on a terminal what is done, and collect warnings that are meant for users.

    Yields
    ------
    callable or None
        Says how far a search is; None if nobody would see it.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with progress_shown(doing, "quiet" not in given) as given.report:
                yield partial(say_progress, given) if ROWS.get() else None
        except KeyboardInterrupt as interrupt:
            print(str(interrupt) or "Nothing is finished, so there is nothing to show", file=sys.stderr)
            raise
        finally:
            for one in caught:
                if issubclass(one.category, UserWarning):
                    is_first = issubclass(one.category, MisleadingDataWarning)
                    kept = given.misleading if is_first else given.cautions
                    kept.append(" ".join(str(one.message).split()))


def say_progress(given: Given, found: Progress) -> None:
    """Say how far a search is."""
    best = "nothing found" if found.low is None else f"best so far {found.low:.5g}"
    limit = "" if found.high is None else f", at most {found.high:.5g} is possible"
    given.report(f"solving: {best} after {found.time:.1f} s{limit}")
