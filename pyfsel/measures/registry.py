"""The measures by name, and what is declared of each; its file is imported when it is computed."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Array
from pyfsel.measures.tables.encoded import warn_of_no_order
from pyfsel.measures.tables.table import Columns, Table
from pyfsel.measures.tables.target import SURVIVAL, UNSUPERVISED
from pyfsel.problem.checks import one_of

OTHER_TARGETS = {SURVIVAL: "times until an event", UNSUPERVISED: "tables without a target"}
SUPERVISED = ("classification", "regression")
QUALITY, PAIRS = "measure", "redundancy_measure"
"""The two kinds, by the arguments that name them."""
BOTH = (QUALITY, PAIRS)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of features, of pairs of them, or both, and what it takes.

    Parameters
    ----------
    name : str
    module : str
        The file of this package that computes it. Its function ``NAME(table, **options)`` gets a `Table`
        without constant columns and returns one number per feature. ``NAME_pairs(columns, **options)`` gets
        `Columns` and returns an array of shape (n_features, n_features): row j, column i says how informative
        feature j is about feature i, or how much less informative both are together than apart, which may be
        negative; the diagonal is ignored. Keyword arguments are the options that a user may give;
        `random_state` and `n_jobs` are passed if the function has them (`pyfsel.measures.parts.in_parts`
        works in several processes).
    unit : str
        What 1 is, in words, such as "nats of mutual information".
    kinds : tuple of {"measure", "redundancy_measure"}
        Whether it is one of features, of pairs, or both.
    tasks : tuple of str
        For which targets it is, as a measure of features; pairs do not depend on them.
    weighted : bool
        Whether it heeds ``table.weights``.
    any_entries : bool
        Whether it gets ``table.X`` sparse or in single precision if the user's is, not ``table.dense()``.
    uses_order : bool
        Whether larger values of a column are more of something; it warns of categories without an order.
    takes_gaps : bool
        Whether it heeds ``table.gaps``, here and for pairs; otherwise tables that have them are refused.
    goes_with : str
        Of pairs the one quality measure with whose numbers its own are comparable, and whose options it has;
        "" if none is.
    sees_target : bool
        Whether one of pairs gets a `Table`, and is different for each target.
    """

    name: str
    module: str
    unit: str = ""
    kinds: tuple[str, ...] = (QUALITY,)
    tasks: tuple[str, ...] = SUPERVISED
    weighted: bool = False
    any_entries: bool = False
    uses_order: bool = False
    takes_gaps: bool = False
    goes_with: str = ""
    sees_target: bool = False

    def require(self, kind: str, columns: Columns) -> None:
        """Raise `InputError` unless it takes the target, the weights and the missing values of a table."""
        task = columns.task if isinstance(columns, Table) else UNSUPERVISED
        suited = [each for each in measures(kind).values() if kind == PAIRS or task in each.tasks]
        if self not in suited:
            what = OTHER_TARGETS.get(task, "classes or numbers")
            takers = ", ".join(each.name for each in suited)
            raise InputError(f"measure={self.name!r}: is not for {what}; those that are: {takers}")
        if columns.weights is not None and not self.weighted:
            takers = ", ".join(each.name for each in suited if each.weighted) or "for other tasks"
            raise InputError(
                f"sample_weight: {kind}={self.name!r} takes no weights; those that do are {takers}"
            )
        takes_gaps = [each.name for each in MEASURES if each.takes_gaps]
        if columns.gaps is not None and (self.goes_with or self.name) not in takes_gaps:
            raise InputError(
                f"missing='category': is for measure={' or '.join(map(repr, takes_gaps))}, not {self.name!r}"
            )
        if self.sees_target and not isinstance(columns, Table):
            raise InputError(f"X: must be a Table, which holds the target that measure={self.name!r} needs")

    def warn_unordered(self, columns: Columns) -> None:
        """Warn of categories without an order, if it uses their order."""
        if self.uses_order:
            warn_of_no_order(columns.feature_names, columns.is_unordered, f"measure={self.name!r}")

    def call(
        self, kind: str, general: dict[str, Any], own: dict[str, Any]
    ) -> tuple[Callable[..., Array], dict[str, Any]]:
        """Return what computes it, and with which options: the general ones that it has, and a user's own.

        Raises
        ------
        InputError
            If it lacks one of the user's options.
        """
        module = importlib.import_module(f"pyfsel.measures.{self.module}")
        function = getattr(module, self.name if kind == QUALITY else f"{self.name}_pairs")
        parameters = list(inspect.signature(function).parameters)[1:]
        for option, given in own.items():
            if option not in parameters:
                allowed = " and ".join(other for other in parameters if other not in general)
                raise InputError(f"{option}={given!r}: measure={self.name!r} takes {allowed or 'no options'}")
        return function, {option: value for option, value in general.items() if option in parameters} | own


COUNTED: Any = {"module": "information", "weighted": True, "any_entries": True}
ORDERED: Any = {"module": "correlation", "any_entries": True, "uses_order": True}
NATS = "nats of mutual information with the target"

MEASURES = (
    Measure(
        name="class_separation",
        module="class_overlap",
        unit="share of the classes that do not overlap",
        any_entries=True,
    ),
    Measure(name="co_information", kinds=(PAIRS,), goes_with="information", sees_target=True, **COUNTED),
    Measure(
        name="concordance",
        module="survival_times",
        unit="D of Somers, twice the concordance less one",
        tasks=(SURVIVAL,),
        weighted=True,
        uses_order=True,
    ),
    Measure(name="f_statistic", unit="F statistic", **ORDERED),
    Measure(
        name="information", unit="nats of information beyond chance", kinds=BOTH, takes_gaps=True, **COUNTED
    ),
    Measure(
        name="information_share",
        unit="share of both entropies beyond chance",
        kinds=BOTH,
        takes_gaps=True,
        **COUNTED,
    ),
    Measure(name="itself", module="unsupervised", tasks=(*SUPERVISED, *OTHER_TARGETS)),
    Measure(
        name="laplacian_score", module="unsupervised", tasks=(*SUPERVISED, *OTHER_TARGETS), uses_order=True
    ),
    Measure(
        name="model_importance",
        module="importances",
        unit="importance in the model",
        weighted=True,
        takes_gaps=True,
    ),
    Measure(name="mutual_info", module="mutual_info", unit=NATS, kinds=BOTH, any_entries=True),
    Measure(name="mutual_info_binned", unit=NATS, kinds=BOTH, **COUNTED),
    Measure(
        name="mutual_info_numeric",
        module="mutual_info",
        unit=NATS,
        kinds=BOTH,
        any_entries=True,
        uses_order=True,
    ),
    Measure(
        name="pearson", unit="absolute correlation with the target", kinds=BOTH, weighted=True, **ORDERED
    ),
    Measure(name="permutation_importance", module="importances", unit="loss of score", takes_gaps=True),
    Measure(name="relief", module="relief", unit="Relief weight"),
    Measure(
        name="spearman",
        unit="absolute rank correlation with the target",
        kinds=BOTH,
        weighted=True,
        **ORDERED,
    ),
    Measure(name="symmetrical_uncertainty", unit="share of both entropies", kinds=BOTH, **COUNTED),
)
"""All measures, in alphabetical order; a new one is its function and its line here."""


def measures(kind: str) -> dict[str, Measure]:
    """Return all measures of a kind by name."""
    return {each.name: each for each in MEASURES if kind in each.kinds}


def relevance_measures() -> list[str]:
    """Return the names of all quality measures."""
    return list(measures(QUALITY))


def redundancy_measures() -> list[str]:
    """Return the names of all redundancy measures."""
    return list(measures(PAIRS))


def find(kind: str, name: object, argument: str = QUALITY) -> Measure:
    """Return a measure by name; raise `InputError` with the known names otherwise."""
    known = measures(kind)
    one_of(argument, name, known)
    return known[str(name)]


def trait(measure: object, what: str) -> Any:
    """Return a trait of a measure by its name, or None for custom numbers and unknown names."""
    return next((getattr(each, what) for each in MEASURES if each.name == str(measure)), None)
