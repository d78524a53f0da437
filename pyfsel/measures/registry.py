"""The measures by name; a function with one decorator, in any module of this package, is a measure."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from pyfsel.errors import InputError
from pyfsel.measures.arrays import Array
from pyfsel.measures.tables.times import SURVIVAL, UNSUPERVISED
from pyfsel.problem.checks import one_of

Measure = Callable[..., "Array"]

IN_PARTS = "in_parts"
OTHER_TARGETS = {SURVIVAL: "times until an event", UNSUPERVISED: "tables without a target"}


class Relevance(NamedTuple):
    """A quality measure and what it takes.

    Parameters
    ----------
    function : callable
    unit : str
        What 1 is, in words, such as "nats of mutual information".
    weighted : bool
        Whether it heeds ``table.weights``.
    any_entries : bool
        Whether it gets ``table.X`` sparse or in single precision if the user's is, not ``table.dense()``.
    takes_gaps : bool
        Whether it heeds ``table.gaps``, here and for pairs; otherwise tables that have them are refused.
    survival : bool
        Whether it is for times until an event, ``table.events``, and for nothing else.
    unsupervised : bool
        Whether it does not look at the target, and is for all tables.
    uses_order : bool
        Whether larger values of a column are more of something; it warns of categories without an order.
    """

    function: Measure
    unit: str = ""
    weighted: bool = False
    any_entries: bool = False
    takes_gaps: bool = False
    survival: bool = False
    unsupervised: bool = False
    uses_order: bool = False

    def is_for(self, task: str) -> bool:
        """Return whether it is for tables with such a target."""
        return self.unsupervised or (task != UNSUPERVISED and self.survival == (task == SURVIVAL))


class Pairs(NamedTuple):
    """A redundancy measure and what it takes; `weighted`, `any_entries` and `uses_order` as of `Relevance`.

    Parameters
    ----------
    function : callable
    goes_with : str
        The one quality measure with whose numbers its own are comparable, and whose options it has; "" if
        there is no such one.
    sees_target : bool
        Whether it gets a `Table`, and is different for each target.
    """

    function: Measure
    goes_with: str = ""
    sees_target: bool = False
    any_entries: bool = False
    uses_order: bool = False
    weighted: bool = False


_RELEVANCE: dict[str, Relevance] = {}
_REDUNDANCY: dict[str, Pairs] = {}


def relevance(name: str, unit: str = "", **traits: bool) -> Callable[[Measure], Measure]:
    """Register ``function(table, **options)`` as a quality measure; `unit` and traits are of `Relevance`.

    It gets a `Table` without constant columns and returns one number per feature. Its keyword arguments are
    the options that a user may give; `random_state`, `n_jobs` and `in_parts` are passed if it has them. The
    last is a `pyfsel.measures.parts.Parts`, which measures parts in several processes.
    """

    def decorate(function: Measure) -> Measure:
        _RELEVANCE[name] = Relevance(function, unit, **traits)
        return function

    return decorate


def pairwise(name: str, *, goes_with: str = "", **traits: bool) -> Callable[[Measure], Measure]:
    """Register ``function(columns, **options)`` as a redundancy measure; traits are of `Pairs`.

    It gets `Columns` none of which is constant and returns an array of shape (n_features, n_features), in
    which row j, column i says how much feature j tells about feature i, or how much less both tell together
    than apart, which may be negative; the diagonal is ignored.
    """

    def decorate(function: Measure) -> Measure:
        _REDUNDANCY[name] = Pairs(function, goes_with, **traits)
        return function

    return decorate


def shared_options(redundancy_measure: str, measure: object, options: dict[str, Any]) -> dict[str, Any]:
    """Return those options of a quality measure that redundancies beside it have as well.

    Raises
    ------
    InputError
        If the redundancies are comparable with another quality measure only.
    """
    wanted = _REDUNDANCY[redundancy_measure].goes_with
    named = measure if isinstance(measure, str) else None
    if wanted and named != wanted:
        raise InputError(f"measure={measure!r}: must be {wanted!r} beside {redundancy_measure!r}")
    return options if named in (wanted, redundancy_measure) else {}


def sees_target(redundancy_measure: str | None) -> bool:
    """Return whether redundancies depend on the target."""
    _import_all()
    return redundancy_measure in _REDUNDANCY and _REDUNDANCY[redundancy_measure].sees_target


def relevance_measures() -> dict[str, Measure]:
    """Return all quality measures by name."""
    _import_all()
    return {name: measure.function for name, measure in sorted(_RELEVANCE.items())}


def redundancy_measures() -> dict[str, Measure]:
    """Return all redundancy measures by name."""
    _import_all()
    return {name: measure.function for name, measure in sorted(_REDUNDANCY.items())}


def unit_of(measure: object) -> str:
    """Return in words what 1 of a quality measure is; "" for own numbers and unknown measures."""
    _import_all()
    return _RELEVANCE[measure].unit if isinstance(measure, str) and measure in _RELEVANCE else ""


def require_weighted(measure: str, task: str | None) -> None:
    """Raise `InputError` unless a measure for a target, or one of pairs (None), takes weights of rows."""
    known: dict[str, Any] = (
        _REDUNDANCY
        if task is None
        else {name: each for name, each in _RELEVANCE.items() if each.is_for(task)}
    )
    if not known[measure].weighted:
        argument = "redundancy_measure" if task is None else "measure"
        takers = ", ".join(name for name, each in sorted(known.items()) if each.weighted)
        raise InputError(
            f"sample_weight: {argument}={measure!r} takes no weights; those that do are {takers}"
        )


def require_task(measure: str, task: str) -> None:
    """Raise `InputError` unless a measure is for the target: times until an event, any other, or none."""
    if not _RELEVANCE[measure].is_for(task):
        known = ", ".join(name for name, each in sorted(_RELEVANCE.items()) if each.is_for(task))
        what = OTHER_TARGETS.get(task, "classes or numbers")
        raise InputError(f"measure={measure!r}: is not for {what}; those that are: {known}")


def require_complete(measure: str) -> None:
    """Raise `InputError` unless a measure takes gaps as a level of their own."""
    pairs = _REDUNDANCY.get(measure)
    takers = [name for name, each in sorted(_RELEVANCE.items()) if each.takes_gaps]
    if (pairs.goes_with if pairs and pairs.goes_with else measure) not in takers:
        raise InputError(
            f"missing='category': is for measure={' or '.join(map(repr, takers))}, not {measure!r}"
        )


def ignores_target(measure: object) -> bool:
    """Return whether a measure, by its name, does not look at the target."""
    _import_all()
    return isinstance(measure, str) and measure in _RELEVANCE and _RELEVANCE[measure].unsupervised


def takes_any_entries(measure: str, *, of_pairs: bool = False) -> bool:
    """Return whether a measure takes tables that are sparse or in single precision as they are."""
    return _REDUNDANCY[measure].any_entries if of_pairs else _RELEVANCE[measure].any_entries


def uses_order(measure: str, *, of_pairs: bool = False) -> bool:
    """Return whether a measure takes larger values to be more of something."""
    return _REDUNDANCY[measure].uses_order if of_pairs else _RELEVANCE[measure].uses_order


def find(known: dict[str, Measure], name: object, argument: str = "measure") -> Measure:
    """Return a measure by name; raise `InputError` with the known names otherwise."""
    one_of(argument, name, known)
    return known[str(name)]


def is_own(measure: Callable[..., Any]) -> bool:
    """Return whether a measure is one of this package's."""
    return measure.__module__.startswith("pyfsel.")


def accepted_options(
    name: str, measure: Callable[..., Any], general: dict[str, Any], own: dict[str, Any]
) -> dict[str, Any]:
    """Return the options for a measure: the general ones if it has them, its own ones or an error."""
    parameters = list(inspect.signature(measure).parameters)[1:]
    unknown = [option for option in own if option not in parameters]
    if unknown:
        allowed = " and ".join(option for option in parameters if option not in general)
        raise InputError(
            f"{unknown[0]}={own[unknown[0]]!r}: measure={name!r} takes {allowed or 'no options'}"
        )
    return {option: value for option, value in general.items() if option in parameters} | own


@cache
def _import_all() -> None:
    package = importlib.import_module("pyfsel.measures")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
