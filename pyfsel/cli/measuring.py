"""Options about how qualities and redundancies are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pyfsel.cli.options import measuring_field
from pyfsel.cli.progress import note
from pyfsel.errors import InputError
from pyfsel.measures.tables.table import Table
from pyfsel.problem.objectives import OBJECTIVES

MANY_FEATURES = 2000


@dataclass(frozen=True)
class MeasuringOptions:
    """How qualities and redundancies are measured."""

    lacks: ClassVar[tuple[str, ...]] = ()

    redundancy_measure: str | None = measuring_field(
        metavar="NAME", help="Redundancy of pairs of features, for mrmr and cfs.", show_default="--measure"
    )
    keep_best: int | None = measuring_field(
        min=1,
        metavar="N",
        help="Leave out all but the N features of highest quality before pairs are measured.",
    )
    weights_of: str | None = measuring_field(
        metavar="COLUMN",
        help="The column that says how much each row counts, for measures that can be weighted.",
    )
    groups_of: str | None = measuring_field(
        metavar="COLUMN",
        help="The column that says which rows belong together, such as those of one patient: chance and "
        "errors are by group.",
    )
    chance: str | None = measuring_field(
        metavar="NAME",
        help="Columns that are not shown to tell more than chance: mark them; forbid them, but for those "
        "that sets need to be filled; or off.",
        show_default="mark; forbid for mrmr",
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `problem_from_table`."""
        return {
            "redundancy_measure": self.redundancy_measure,
            "chance": self.chance,
        }

    def check(self, set_size: int) -> None:
        """Raise `InputError` if fewer features are kept than a set holds."""
        if self.keep_best is not None and self.keep_best < set_size:
            raise InputError(f"--keep-best={self.keep_best}: must be at least -k={set_size}")

    def filtered(self, table: Table, measure: str, objective: str, quiet: bool, **general: Any) -> Table:
        """Return the table with the features that are kept; say so where their pairs are many."""
        if self.keep_best is not None:
            from pyfsel.measures import keep_best

            return keep_best(table, n_features=self.keep_best, measure=measure, **general)
        from pyfsel.measures.compute import is_on_demand

        known = OBJECTIVES.get(objective)
        n = table.n_features
        if is_on_demand(objective, self.redundancy_measure or measure, table):
            note(f"redundancies of the {n} features are measured only when the search asks for them", quiet)
            return table
        if known is not None and known.needs_pairs and n > MANY_FEATURES:
            megabytes = round(8 * n * n / 1e6)
            note(
                f"the redundancies of {n} features take {megabytes} MB, up to three times that while "
                "they are measured; --keep-best N first leaves out all but the N best features",
                quiet,
            )
        return table
