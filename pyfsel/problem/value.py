"""Values: immutable descriptions of what is requested, cloned and searched by scikit-learn; and shorthand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from typing import Any, Self

from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of


class Value:
    """The base of frozen dataclasses that are compared by content.

    scikit-learn clones them as themselves. ``set_params`` of an estimator replaces the whole value, so two
    estimators never share a value that changes.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the fields by name; `deep` adds the fields of an estimator, as ``estimator__depth``."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        for name, held in tuple(found.items()) if deep else ():
            if hasattr(held, "get_params") and not isinstance(held, type):
                found |= {f"{name}__{inner}": value for inner, value in held.get_params().items()}
        return found

    def with_params(self, owner: str, **changes: Any) -> Self:
        """Return the value with other fields; an unknown one is an error that names `owner`."""
        changed: dict[str, Any] = {}
        for name, value in changes.items():
            one_of(f"parameter of {owner}", name, tuple(self.get_params()))
            field, _, inner = name.partition("__")
            changed[field] = _with_inner(changed.get(field, getattr(self, field)), inner, value)
        return replace(self, **changed)  # type: ignore[type-var]

    def __sklearn_clone__(self) -> Self:
        return self

    def __repr__(self) -> str:
        """Return the fields that differ from their defaults, as scikit-learn prints estimators."""
        shown = []
        for field in fields(self):  # type: ignore[arg-type]
            given = getattr(self, field.name)
            default = None if field.default is MISSING else field.default
            if type(given) is not type(default) or given != default:
                shown.append(f"{field.name}={given!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _with_inner(held: Any, inner: str, value: Any) -> Any:
    """Return the value, or if it is meant for an estimator a copy of that with it."""
    if not inner:
        return value
    from sklearn.base import clone

    return clone(held).set_params(**{inner: value})


def named_options(argument: str, text: str, parts: list[str]) -> dict[str, str]:
    """Return ``name=value`` texts by name; raise `InputError` if one is not of this form."""
    found: dict[str, str] = {}
    for part in parts:
        name, sign, value = part.partition("=")
        name = name.strip()
        if not sign or not name or not value.strip():
            raise InputError(f"{argument}={text!r}: {part!r} is not of the form NAME=VALUE")
        if name in found:
            raise InputError(f"{argument}={text!r}: {name} is repeated")
        found[name] = value.strip()
    return found


def number_of_text(argument: str, text: str) -> float:
    """Return a text as a number; an error that names the argument otherwise."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{argument}={text!r}: is not a number") from None


def whole_of_text(argument: str, text: str) -> int:
    """Return a text as a whole number; an error that names the argument otherwise."""
    number = number_of_text(argument, text)
    if not number.is_integer():
        raise InputError(f"{argument}={text!r}: is not a whole number")
    return int(number)


def typed(argument: str, options: Mapping[str, str], kinds: Mapping[str, type]) -> dict[str, Any]:
    """Return texts as numbers where a field holds numbers; unknown names are errors."""
    found: dict[str, Any] = {}
    for name, text in options.items():
        one_of(f"parameter of {argument}", name, tuple(kinds))
        number = {str: lambda _, text: text, int: whole_of_text, float: number_of_text}[kinds[name]]
        found[name] = number(f"{argument}:{name}", text)
    return found
