"""``--help`` of commands with many options: those that most need first; ``--help-all`` shows the rest."""

from __future__ import annotations

from copy import copy
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

MORE = (
    "copies copy_threshold task missing dates max_overlap dissimilarity measure aggregate normalise cheapest "
    "forbidden group costs budget min_quality min_set_size redundancy_measure keep_best cache no_cache "
    "search backend maxsat_command model formulation confirm certify seed threads memory_limit jobs "
    "executor scheduler file_format quiet"
)
"""What few need: of the options that commands share, all but those that most need first."""

FEW = 18
"""A command with so many options, or fewer, shows all."""


class ShortHelp(TyperCommand):
    """A command that hides from its help what few need; its own options are shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, in full if ``--help-all`` asks for it or the options are few."""
        options = [parameter for parameter in self.params if parameter.param_type_name == "option"]
        if ctx.meta.get("help_all") or len(options) <= FEW:
            shown = [parameter for parameter in self.params if parameter.name != "help_all"]
        else:
            shown = [parameter for parameter in self.params if parameter.name not in MORE.split()]
        short = copy(self)
        short.params = shown
        TyperCommand.format_help(short, ctx, formatter)


def _show_all(context: typer.Context, asked: bool) -> None:
    if asked:
        context.meta["help_all"] = True
        typer.echo(context.get_help())
        raise typer.Exit


HelpAll = Annotated[
    bool,
    typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show all options and exit."),
]
