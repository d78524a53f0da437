"""Options about how qualities and redundancies are measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pyfsel.cli.progress import note
from pyfsel.errors import InputError
from pyfsel.problem.objectives import OBJECTIVES

if TYPE_CHECKING:
    from pyfsel.measures.tables.table import Table

MANY_FEATURES = 2000
PANEL = "Measuring"


@dataclass(frozen=True)
class MeasuringOptions:
    """How qualities and redundancies are measured."""

    redundancy_measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Redundancy of pairs of features, for mrmr and cfs.",
            show_default="--measure",
            rich_help_panel=PANEL,
        ),
    ] = None
    keep_best: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Leave out all but the N features of highest quality before pairs are measured.",
            rich_help_panel=PANEL,
        ),
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            file_okay=False,
            help="Keep what was measured there, and look there first.",
            show_default="the user's cache, for what takes long",
            rich_help_panel=PANEL,
        ),
    ] = None
    no_cache: Annotated[
        bool,
        typer.Option("--no-cache", help="Measure everything, and keep nothing.", rich_help_panel=PANEL),
    ] = False
    weights_of: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that says how much each row counts, for measures that can be weighted.",
            rich_help_panel=PANEL,
        ),
    ] = None
    groups_of: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that says which rows belong together, such as those of one patient: chance and "
            "errors are by group.",
            rich_help_panel=PANEL,
        ),
    ] = None
    chance: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Columns that are not shown to tell more than chance: mark them, forbid them, or off.",
            show_default="mark; forbid for mrmr",
            rich_help_panel=PANEL,
        ),
    ] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `problem_from_table`."""
        return {
            "redundancy_measure": self.redundancy_measure,
            "cache_dir": self.cache_dir,
            "chance": self.chance,
        }

    @property
    def cache_dir(self) -> Path | str | None:
        """Where is kept what was measured, as `problem_from_table` takes it."""
        if self.no_cache and self.cache is not None:
            raise InputError("--no-cache: goes not with --cache")
        return None if self.no_cache else self.cache or "auto"

    def check(self, set_size: int) -> None:
        """Raise `InputError` if fewer features are kept than a set holds."""
        if self.keep_best is not None and self.keep_best < set_size:
            raise InputError(f"--keep-best={self.keep_best}: must be at least -k={set_size}")

    def filtered(self, table: Table, measure: str, objective: str, quiet: bool, **general: Any) -> Table:
        """Return the table with the features that are kept; say so where their pairs are many."""
        if self.keep_best is not None:
            from pyfsel.measures import keep_best

            return keep_best(
                table, n_features=self.keep_best, measure=measure, cache_dir=self.cache_dir, **general
            )
        from pyfsel.measures.compute import is_on_demand

        known = OBJECTIVES.get(objective)
        n = table.n_features
        if is_on_demand(objective, self.redundancy_measure or measure, n):
            note(f"redundancies of the {n} features are measured when they are asked for", quiet)
            return table
        if known is not None and known.needs_pairs and n > MANY_FEATURES:
            megabytes = round(8 * n * n / 1e6)
            note(
                f"the redundancies of {n} features take {megabytes} MB, measuring them up to three times "
                "that; --keep-best N leaves all but the N best features out first",
                quiet,
            )
        return table


UNMEASURED = MeasuringOptions()
