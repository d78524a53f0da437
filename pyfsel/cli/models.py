"""`pyfsel models`: the models there are, their sizes for an instance, what is supported, a copy to change."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.files import Footnotes, emit, plain_table, read_problem
from pyfsel.cli.options import argument_field, option_field
from pyfsel.cli.output import OutputOptions
from pyfsel.cli.progress import note
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table

SIZES = ("variables", "constraints")


@dataclass(frozen=True)
class MarkdownOutput(OutputOptions):
    """Where a list is written, in whose place there may be Markdown."""

    texts: ClassVar[tuple[str, ...]] = ("txt", "md")


@command(
    "models",
    "List the models and formulations, with their sizes for an instance.",
    "pyfsel models wine.json",
    "pyfsel models --support",
    "pyfsel models --copy mine",
    "pyfsel solve wine.json --model mine/simultaneous_sum_literal.mzn",
)
def models_command(
    instance: Path | None = argument_field(
        metavar="[INSTANCE.json]", help="A problem: tells how large each model is.", show_default=False
    ),
    support: bool = option_field(
        "--support",
        help="Instead: which backend takes which objective, search and aggregate, as Markdown.",
        default=False,
    ),
    copy: Path | None = option_field(
        "--copy", metavar="FOLDER", help="Instead: copy the MiniZinc models into a new folder."
    ),
    models: options.ModelsFolder = None,
    *,
    written: MarkdownOutput,
) -> None:
    """List the models."""
    if sum((instance is not None, support, copy is not None)) > 1:
        raise InputError("INSTANCE, --support and --copy: give at most one of them")
    if copy is not None:
        _copy_models(copy)
        return
    from pyfsel.solving.models import own_models

    with own_models(models):
        if support:
            _show_support(written)
        else:
            _show_models(instance, written)


def _copy_models(folder: Path) -> None:
    try:
        shutil.copytree(models_dir(), folder)
    except OSError as error:
        raise InputError(f"--copy={str(folder)!r}: {error.strerror or 'cannot be written'}") from None
    note(f"copied the models to {folder}; README.md there says how to change one", quiet=False)


def _show_support(written: OutputOptions) -> None:
    from pyfsel.questions.support import support_markdown
    from pyfsel.solving.support import support_matrix

    if written.chosen == "table":
        emit(support_markdown(), written.output, written.quiet)
        return
    import pandas as pd

    written.write_frame(pd.DataFrame(support_matrix()), str)


def _show_models(instance: Path | None, written: OutputOptions) -> None:
    from pyfsel.solving.models import describe_models

    frame = describe_models(None if instance is None else read_problem(instance))
    written.write_frame(frame, lambda: (_list_of_models if instance is None else _list_of_sizes)(frame))


def _list_of_models(frame: pd.DataFrame) -> Table:
    table = plain_table(("name", "formulation", "what it is"), whole=("name", "formulation"))
    of_minizinc = frame.loc[frame["file"] != "", "backends"]
    table.caption = f"models without a backend in their name run on {of_minizinc.iloc[0]}"
    table.caption_justify = "left"
    for row in frame.to_dict("records"):
        about = f"{row['description']} [{row['objectives']}; {row['aggregates']}; {row['equation']}]"
        table.add_row(row["name"], row["formulation"], Text(about))
    return table


def _list_of_sizes(frame: pd.DataFrame) -> RenderableType:
    names, footnotes = ("name", "formulation"), Footnotes()
    table = plain_table((*names, *SIZES, ""), right=SIZES, whole=names)
    for row in frame[frame["variables"].notna()].to_dict("records"):
        numbers = ["" if isnan(row[size]) else f"{row[size]:.0f}" for size in SIZES]
        table.add_row(row["name"], row["formulation"], *numbers)
    for row in frame[frame["variables"].isna()].to_dict("records"):
        table.add_row(
            row["name"], row["formulation"], "–", "–", "–", footnotes.mark(row["note"]), style="dim"
        )
    return footnotes.below(table)
