"""The measures by name; a function with one decorator, in any module of this package, is a measure."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Measure = Callable[..., "NDArray[Any]"]

IN_PARTS = "in_parts"

_RELEVANCE: dict[str, Measure] = {}
_REDUNDANCY: dict[str, Measure] = {}
_UNITS: dict[str, str] = {}
_WEIGHTED: set[str] = set()
_ANY_ENTRIES: set[str] = set()


def relevance(
    name: str, unit: str = "", *, weighted: bool = False, any_entries: bool = False
) -> Callable[[Measure], Measure]:
    """Register ``function(table, **options)`` as a quality measure.

    `unit` says in words what 1 is, its first word being short enough for the head of a column, such as "nats
    of mutual information". A `weighted` measure heeds ``table.weights``. One that takes `any_entries` gets
    ``table.X`` sparse or in single precision if the user's is; the others get ``table.dense()``.

    It gets a `Table` without constant columns and returns one number per feature. Its keyword arguments are
    the options that a user may give; `random_state`, `n_jobs` and `in_parts` are passed if it has them. The
    last is a `pyfsel.measures.parts.Parts`: what it measures goes on from where it was interrupted.
    """

    def decorate(function: Measure) -> Measure:
        _UNITS[name] = unit
        if weighted:
            _WEIGHTED.add(name)
        if any_entries:
            _ANY_ENTRIES.add(name)
        return _register(_RELEVANCE, name)(function)

    return decorate


def pairwise(name: str) -> Callable[[Measure], Measure]:
    """Register ``function(columns, **options)`` as a redundancy measure.

    It gets `Columns` none of which is constant and returns an array of shape (n_features, n_features), in
    which row j, column i says how much feature j tells about feature i; the diagonal is ignored.
    """
    return _register(_REDUNDANCY, name)


def _register(known: dict[str, Measure], name: str) -> Callable[[Measure], Measure]:
    def decorate(function: Measure) -> Measure:
        known[name] = function
        return function

    return decorate


def relevance_measures() -> dict[str, Measure]:
    """Return all quality measures by name."""
    _import_all()
    return dict(sorted(_RELEVANCE.items()))


def redundancy_measures() -> dict[str, Measure]:
    """Return all redundancy measures by name."""
    _import_all()
    return dict(sorted(_REDUNDANCY.items()))


def unit_of(measure: object) -> str:
    """Return in words what 1 of a quality measure is; "" for own numbers and unknown measures."""
    _import_all()
    return _UNITS.get(measure, "") if isinstance(measure, str) else ""


def require_weighted(measure: str) -> None:
    """Raise `InputError` unless a measure takes weights of rows."""
    if measure not in _WEIGHTED:
        known = ", ".join(sorted(_WEIGHTED))
        raise InputError(f"sample_weight: measure={measure!r} takes no weights; those that do are {known}")


def takes_any_entries(measure: str) -> bool:
    """Return whether a quality measure takes tables that are sparse or in single precision as they are."""
    return measure in _ANY_ENTRIES


def find(known: dict[str, Measure], name: object, argument: str = "measure") -> Measure:
    """Return a measure by name; raise `InputError` with the known names otherwise."""
    if isinstance(name, str) and name in known:
        return known[name]
    raise InputError(f"{argument}={name!r}: must be one of {', '.join(known)}")


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
