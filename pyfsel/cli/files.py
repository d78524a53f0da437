"""What commands read and write."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.progress import note
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem import text_files
from pyfsel.problem.instance import Instance
from pyfsel.results.result import Result
from pyfsel.results.solution_file import Solution

if TYPE_CHECKING:
    from rich.console import JustifyMethod, RenderableType
    from rich.table import Table


def read_text(path: Path) -> str:
    """Return the content of a file, or of stdin for ``-``."""
    if str(path) != "-":
        return text_files.read_text(path)
    return text_files.decoded("-", sys.stdin.buffer.read())


def read_problem(path: Path) -> Instance:
    """Return the problem of a JSON or ``.dzn`` file; errors name the file."""
    from pyfsel.backends.minizinc.own_model import read_instance

    return read_instance(path)[0]


def read_result(path: Path) -> Result:
    """Return a saved result; one that is false is bad input here, not the fault of a backend."""
    try:
        return Result.load(path)
    except FalseClaimError as error:
        raise InputError(f"{path}: {error}") from None


def read_solution(path: Path, problem: Instance) -> Solution:
    """Return what a result's CSV or JSON states, or a JSON list of sets; errors name the file."""
    text = read_text(path)
    try:
        if path.suffix.lower() != ".csv":
            return Solution.from_json(text_files.parsed_json("solution", text), problem)
        return Solution.from_json({"feature_sets": _sets_of_csv(text)}, problem)
    except (InputError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None


def _sets_of_csv(text: str) -> list[dict[str, Any]]:
    """Return the sets that `result_csv` wrote, with the qualities that stand beside them."""
    reader = csv.DictReader(io.StringIO(text))
    columns = [name for name in reader.fieldnames or () if name.startswith("feature_")]
    if not columns:
        raise InputError("solution: has no column feature_1")
    return [
        {"features": [row[name] for name in columns if row[name]], "quality": _number(row.get("quality"))}
        for row in reader
    ]


def _number(cell: str | None) -> float | str | None:
    """Return the number in a cell; None if it is empty, and the text if it is none."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def emit(text: str, output: Path | None = None, quiet: bool = False, told: str = "") -> None:
    """Write text to stdout, or to a file and say so on stderr, after what is `told` of it."""
    if output is not None and str(output) != "-":
        text_files.write_text(output, text)
        note(f"{told}{'; ' if told else ''}wrote {output}", quiet)
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _write_no_more()
        raise typer.Exit(ExitCode.CLOSED_PIPE) from None
    except OSError as error:
        _write_no_more()
        raise InputError(f"the standard output: cannot be written ({error.strerror})") from None


def _write_no_more() -> None:
    """Have what is left in the standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit_table(
    table: RenderableType, output: Path | None = None, quiet: bool = False, told: str = ""
) -> None:
    """Write a table: in colour to a terminal, plain elsewhere."""
    from rich.console import Console

    console = Console() if output is None else Console(file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(table)
    lines = captured.get().splitlines()
    emit("".join(f"{line.rstrip()}\n" for line in lines), output, quiet, told)


def chosen_format(
    given: str | None,
    output: Path | None,
    known: Sequence[str],
    text: str = "",
    text_extensions: Sequence[str] = ("txt",),
) -> str:
    """Return the format that the user named, or that the name of the output file tells.

    Parameters
    ----------
    given : str or None
    output : Path or None
    known : sequence of str
        Formats that are extensions as well.
    text : str
        The format without an output file, or if its name has no extension or one of a text; empty if there
        is none.
    text_extensions : sequence of str

    Raises
    ------
    InputError
        If neither tells the format.
    """
    if given:
        return given
    extension = "" if output is None else output.suffix.removeprefix(".").lower()
    if extension in known:
        return extension
    if text and extension in ("", *text_extensions):
        return text
    if not extension:
        raise InputError(f"--format: is missing; must be one of {', '.join(known)}")
    allowed = ", ".join(f".{name}" for name in (*known, *(text_extensions if text else ())))
    raise InputError(f"--output={str(output)!r}: must end in {allowed}, or --format must be given")


def json_lines(data: dict[str, Any]) -> str:
    """Return a JSON object with one line per field and per entry of a list of objects."""

    def text(field: Any) -> str:
        if isinstance(field, list) and field and isinstance(field[0], dict):
            return "[\n" + ",\n".join(f"    {_json(entry)}" for entry in field) + "\n  ]"
        return _json(field)

    return "{\n" + ",\n".join(f"  {_json(name)}: {text(field)}" for name, field in data.items()) + "\n}\n"


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)


def result_csv(result: Result) -> str:
    """Return one row per set, each feature in a column of its own."""
    return sets_csv(
        ["quality"], [[quality] for quality in result.qualities], result.feature_sets, result.problem.set_size
    )


def sets_csv(
    heads: Iterable[str], cells: Iterable[Iterable[Any]], sets: Sequence[Sequence[str]], width: int
) -> str:
    """Return one row per set: its number, some cells, and each of its features in a column of its own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["set", *heads, *(f"feature_{i + 1}" for i in range(width))])
    for number, (values, names) in enumerate(zip(cells, sets, strict=True)):
        writer.writerow([number, *values, *names])
    return text.getvalue()


def plain_table(heads: Iterable[str], right: Collection[str] = (), whole: Collection[str] = ()) -> Table:
    """Return an empty table; some columns are aligned to the right, and some are never broken."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    for head in heads:
        justify: JustifyMethod = "right" if head in right else "left"
        table.add_column(head, justify=justify, no_wrap=head in whole, header_style="bold", vertical="top")
    return table


class Footnotes:
    """Numbers texts in the order in which they first come.

    Examples
    --------
    >>> footnotes = Footnotes()
    >>> [footnotes.mark(text) for text in ("too large", "not exact", "too large")]
    ['(1)', '(2)', '(1)']
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, text: str) -> str:
        """Return the mark of a text, for a cell of the table."""
        return f"({self._numbers.setdefault(text, len(self._numbers) + 1)})"

    def below(self, table: RenderableType, *more: str) -> RenderableType:
        """Return what `rich` prints of a table with the footnotes and further lines below it."""
        from rich.console import Group
        from rich.text import Text

        lines = [*(f"({number}) {text}" for text, number in self._numbers.items()), *more]
        return Group(table, *([Text()] if lines else []), *map(Text, lines))
