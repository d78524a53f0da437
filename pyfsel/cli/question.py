"""Options that say which sets of a table are asked for, and what makes them good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from pyfsel.cli import options
from pyfsel.cli.measuring import MeasuringOptions
from pyfsel.cli.options import constraint_field, question_field
from pyfsel.cli.side_options import group_from_text, read_costs
from pyfsel.cli.solving import SolvingOptions
from pyfsel.cli.tables import TimedTableOptions
from pyfsel.errors import InputError
from pyfsel.results.control import chosen_search

DEFAULT_TAU = 0.6


@dataclass(frozen=True)
class SetOptions:
    """Which sets are asked for."""

    k: options.SetSize = 5
    alternatives: options.Alternatives = 3
    tau: options.Tau = None
    max_overlap: options.MaxOverlap = None
    dissimilarity: options.Dissimilarity = "dice"
    relatives: options.Relatives = None

    @property
    def threshold(self) -> float | None:
        """The threshold; its default holds if neither it nor an overlap is given."""
        return DEFAULT_TAU if self.tau is None and self.max_overlap is None else self.tau

    @property
    def overlap_rule(self) -> str:
        """Where the limit on shared features comes from, in words."""
        related = "" if self.relatives is None else f", relatives from {self.relatives:g} count as shared"
        limit = "" if self.threshold is None else f"{self.dissimilarity} dissimilarity ≥ {self.threshold:g}"
        return limit and f"{limit}{related}"

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {
            "k": self.k,
            "n_alternatives": self.alternatives,
            "tau": self.threshold,
            "max_overlap": self.max_overlap,
            "dissimilarity": self.dissimilarity,
            **({} if self.relatives is None else {"relatives": self.relatives}),
        }


Sets = TypeVar("Sets", bound=SetOptions)


@dataclass(frozen=True)
class SideOptions:
    """What each set must satisfy."""

    forced: list[str] | None = constraint_field(
        metavar="NAME",
        help="A feature that every set holds; repeatable. 'lab_*' means all whose names match.",
    )
    forbidden: list[str] | None = constraint_field(
        metavar="NAME", help="A feature that no set holds; repeatable, patterns as for --forced."
    )
    group: list[str] | None = constraint_field(
        metavar="NAMES:RULE",
        help="'a,b,c:at-most=1', 'a,b:at-least=1', 'colour_*:all-or-nothing'; repeatable. Put names "
        "with commas in double quotes, and commas between several rules.",
    )
    costs: Path | None = constraint_field(metavar="FILE", help="CSV file with the columns feature and cost.")
    budget: float | None = constraint_field(metavar="C", help="The most that the features of a set may cost.")
    min_quality: str | None = constraint_field(
        metavar="Q",
        help="Least quality of a set: '90%' of the best set's, '1.2 nats' in the unit of the measure (or "
        "'1.2 raw'), or a number on the scale of the printed table.",
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`; reads the file of costs."""
        if self.budget is not None and self.costs is None:
            raise InputError(f"--budget={self.budget:g}: needs --costs FILE")
        return {
            "forced": tuple(self.forced or ()),
            "forbidden": tuple(self.forbidden or ()),
            "groups": tuple(group_from_text(text) for text in self.group or ()),
            "costs": None if self.costs is None else read_costs(self.costs),
            "budget": self.budget,
            "min_quality": self.min_quality,
        }


@dataclass(frozen=True)
class SizeAndSideOptions(SideOptions):
    """What each set must satisfy, its size included."""

    min_set_size: int | None = constraint_field(
        metavar="K", help="Smallest number of features per set; -k is the largest then.", show_default="-k"
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {**super().arguments, "min_k": self.min_set_size}


@dataclass(frozen=True)
class QualityOptions:
    """What makes a set good."""

    measure: str | None = question_field(
        metavar="NAME",
        help=options.MEASURE_HELP,
        show_default="information; information_share for cfs; pearson for mrmr over 2000 features",
    )
    objective: options.Objective = "univariate"
    beta: float | None = question_field(
        metavar="NUMBER", help="Weight of the redundancies in mrmr, mifs and cife.", show_default="1"
    )
    ridge: float | None = question_field(
        metavar="NUMBER", help="Penalty on the coefficients in r2, of columns of length 1.", show_default="0"
    )
    criterion: str | None = question_field(
        metavar="NAME", help="By what r2 compares sets that differ in size: adjusted_r2, aic or bic."
    )
    aggregate: options.Aggregate = None
    normalise: bool = question_field(
        help="Show qualities as shares of the sum over all columns, or in the unit of the measure.",
        default=True,
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {**asdict(self), "aggregate": self.aggregate or "sum"}

    def search(self, named: str | None) -> str:
        """Return the search that is named, or that asking for an aggregate means."""
        return chosen_search(named, self.aggregate)


@dataclass(frozen=True)
class TableQuestion(Generic[Sets]):
    """What is asked about a table: which one, what makes a set good and valid, and how that is measured."""

    table: TimedTableOptions
    sets: Sets
    quality: QualityOptions
    side: SizeAndSideOptions
    measuring: MeasuringOptions = field(default_factory=MeasuringOptions)

    @property
    def arguments(self) -> dict[str, Any]:
        """Which sets are asked for, as arguments of `problem_from_table`."""
        return {**self.sets.arguments, **self.side.arguments}

    def rows(self) -> tuple[Any, Any, dict[str, Any]]:
        """Return features, target, and what else is said of the rows, as arguments of `pyfsel.evaluate`."""
        table, measuring = self.table, self.measuring
        X, y, weights, groups = table.read_with_rows(measuring.weights_of, measuring.groups_of)
        return X, y, {"sample_weight": weights, "groups": groups}

    def solver(self, solving: SolvingOptions) -> dict[str, Any]:
        """How to solve it, as arguments of `pyfsel.solve`."""
        return {**solving.arguments, "search": self.quality.search(solving.search)}
