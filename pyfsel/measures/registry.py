"""The measures by name; a function with one decorator, in any module of this package, is a measure."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Array
from pyfsel.measures.tables.encoded import warn_of_no_order
from pyfsel.measures.tables.table import Columns, Table
from pyfsel.measures.tables.times import SURVIVAL, UNSUPERVISED
from pyfsel.problem.checks import one_of

Function = Callable[..., Array]

OTHER_TARGETS = {SURVIVAL: "times until an event", UNSUPERVISED: "tables without a target"}
QUALITY, PAIRS = "measure", "redundancy_measure"
"""The two kinds, by the arguments that name them."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of qualities or of pairs, and what it takes.

    Parameters
    ----------
    name : str
    function : callable
    kind : {"measure", "redundancy_measure"}
        Whether it is one of qualities or of pairs.
    unit : str
        What 1 is, in words, such as "nats of mutual information".
    weighted : bool
        Whether it heeds ``table.weights``.
    any_entries : bool
        Whether it gets ``table.X`` sparse or in single precision if the user's is, not ``table.dense()``.
    uses_order : bool
        Whether larger values of a column are more of something; it warns of categories without an order.
    takes_gaps : bool
        Whether it heeds ``table.gaps``, here and for pairs; otherwise tables that have them are refused.
    survival : bool
        Whether it is for times until an event, ``table.events``, and for nothing else.
    unsupervised : bool
        Whether it does not look at the target, and is for all tables.
    goes_with : str
        Of pairs the one quality measure with whose numbers its own are comparable, and whose options it has;
        "" if none is.
    sees_target : bool
        Whether one of pairs gets a `Table`, and is different for each target.
    """

    name: str
    function: Function
    kind: str
    unit: str = ""
    weighted: bool = False
    any_entries: bool = False
    uses_order: bool = False
    takes_gaps: bool = False
    survival: bool = False
    unsupervised: bool = False
    goes_with: str = ""
    sees_target: bool = False

    def is_for(self, task: str) -> bool:
        """Return whether it is for tables with such a target."""
        is_for_it = task != UNSUPERVISED and self.survival == (task == SURVIVAL)
        return self.kind == PAIRS or self.unsupervised or is_for_it

    def require(self, columns: Columns) -> None:
        """Raise `InputError` unless it takes the target, the weights and the missing values of a table."""
        task = columns.task if isinstance(columns, Table) else UNSUPERVISED
        if not self.is_for(task):
            what = OTHER_TARGETS.get(task, "classes or numbers")
            takers = self._others(lambda each: each.is_for(task))
            raise InputError(f"measure={self.name!r}: is not for {what}; those that are: {takers}")
        if columns.row_weights is not None and not self.weighted:
            takers = self._others(lambda each: each.weighted and each.is_for(task))
            raise InputError(
                f"sample_weight: {self.kind}={self.name!r} takes no weights; those that do are {takers}"
            )
        takes_gaps = [name for name, each in sorted(measures(QUALITY).items()) if each.takes_gaps]
        if columns.gaps is not None and (self.goes_with or self.name) not in takes_gaps:
            raise InputError(
                f"missing='category': is for measure={' or '.join(map(repr, takes_gaps))}, not {self.name!r}"
            )
        if self.sees_target and not isinstance(columns, Table):
            raise InputError(f"X: must be a Table, which holds the target that measure={self.name!r} needs")

    def _others(self, is_meant: Callable[[Measure], bool]) -> str:
        return ", ".join(name for name, each in sorted(measures(self.kind).items()) if is_meant(each))

    def warn_unordered(self, columns: Columns) -> None:
        """Warn of categories without an order if it uses their order."""
        if self.uses_order and columns.is_unordered is not None:
            warn_of_no_order(columns.feature_names, columns.is_unordered, f"measure={self.name!r}")

    def options(self, general: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
        """Return the general options that it has, and its own ones; raise `InputError` for any others."""
        parameters = list(inspect.signature(self.function).parameters)[1:]
        unknown = [option for option in own if option not in parameters]
        if unknown:
            allowed = " and ".join(option for option in parameters if option not in general)
            raise InputError(
                f"{unknown[0]}={own[unknown[0]]!r}: measure={self.name!r} takes {allowed or 'no options'}"
            )
        return {option: value for option, value in general.items() if option in parameters} | own


_KNOWN: dict[str, dict[str, Measure]] = {QUALITY: {}, PAIRS: {}}


def relevance(name: str, unit: str = "", **traits: bool) -> Callable[[Function], Function]:
    """Register ``function(table, **options)`` as a quality measure; `unit` and traits are of `Measure`.

    It gets a `Table` without constant columns and returns one number per feature. Its keyword arguments are
    the options that a user may give; `random_state` and `n_jobs` are passed if it has them
    (`pyfsel.measures.parts.in_parts` works in several processes).
    """
    return _registered(name, QUALITY, unit=unit, **traits)


def pairwise(name: str, **traits: Any) -> Callable[[Function], Function]:
    """Register ``function(columns, **options)`` as a measure of pairs; traits are of `Measure`.

    It gets `Columns` without constant ones and returns an array of shape (n_features, n_features), in
    which row j, column i says how informative feature j is about feature i, or how much less informative
    both are together than apart, which may be negative; the diagonal is ignored.
    """
    return _registered(name, PAIRS, **traits)


def _registered(name: str, kind: str, **traits: Any) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        _KNOWN[kind][name] = Measure(name=name, function=function, kind=kind, **traits)
        return function

    return decorate


def measures(kind: str) -> dict[str, Measure]:
    """Return all measures of a kind by name."""
    _import_all()
    return _KNOWN[kind]


def relevance_measures() -> dict[str, Function]:
    """Return all quality measures by name."""
    return {name: each.function for name, each in sorted(measures(QUALITY).items())}


def redundancy_measures() -> dict[str, Function]:
    """Return all redundancy measures by name."""
    return {name: each.function for name, each in sorted(measures(PAIRS).items())}


def find(kind: str, name: object, argument: str = QUALITY) -> Measure:
    """Return a measure by name; raise `InputError` with the known names otherwise."""
    one_of(argument, name, sorted(measures(kind)))
    return measures(kind)[str(name)]


def trait(kind: str, measure: object, what: str) -> Any:
    """Return a trait of a measure by its name, or None for custom numbers and unknown names."""
    return getattr(measures(kind).get(measure) if isinstance(measure, str) else None, what, None)


@cache
def _import_all() -> None:
    package = importlib.import_module("pyfsel.measures")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
