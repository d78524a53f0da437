"""`pyfsel plot`: figures of a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pyfsel.cli import options
from pyfsel.cli.files import read_result
from pyfsel.cli.progress import note

Kind = Literal["membership", "overlaps", "qualities", "incumbents"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "plot",
        help="Draw a saved result (needs the extra plots: pip install 'pyfsel\\[plots]').",
        epilog=options.examples(
            "pyfsel select --dataset wine -k 4 -a 3 -o sets.json",
            "pyfsel plot sets.json --kind membership -o sets.png",
        ),
    )(plot_command)


ResultFile = Annotated[
    Path,
    typer.Argument(metavar="RESULT.json", help="A result, as `pyfsel select` and `pyfsel solve` write it."),
]
KindOption = Annotated[
    Kind,
    typer.Option(
        "--kind",
        help="Which features are in which set; how many features two sets share; quality of each set with "
        "its bound; how the best known solution improved.",
        rich_help_panel=options.OUTPUT,
    ),
]
FigureFile = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help=".png, .svg or .pdf.", rich_help_panel=options.OUTPUT
    ),
]


def plot_command(
    result: ResultFile,
    output: FigureFile,
    kind: KindOption = "membership",
    quiet: options.Quiet = False,
) -> None:
    """Draw a result."""
    from pyfsel.results.plots import KINDS, save_figure

    save_figure(KINDS[kind](read_result(result)), output)
    note(f"wrote {output}", quiet)
