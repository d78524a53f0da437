"""`pyfsel plot`: figures of a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pyfsel.cli import options
from pyfsel.cli.command import command
from pyfsel.cli.files import read_result
from pyfsel.cli.progress import note


@command(
    "plot",
    "Draw a saved result (needs the extra plots: pip install 'pyfsel\\[plots]').",
    "pyfsel select --dataset wine -k 4 -a 3 -o sets.json",
    "pyfsel plot sets.json --kind membership -o sets.png",
)
def plot_command(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT.json", help="A result, as `pyfsel select` and `pyfsel solve` write it."
        ),
    ],
    output: Annotated[
        Path,
        options.output_option(
            "--output", "-o", metavar="FILE", help=".png, .svg or .pdf.", callback=options.figure_file
        ),
    ],
    kind: Literal["membership", "overlaps", "qualities", "incumbents"] = options.output_field(
        help="Which features are in which set; how many features two sets share; quality of each set "
        "with its bound; how the best known solution improved.",
        default="membership",
    ),
    quiet: options.Quiet = False,
) -> None:
    """Draw a result."""
    from pyfsel.results.plots import save_figure

    save_figure(read_result(result).plot(kind), output)
    note(f"wrote {output}", quiet)
