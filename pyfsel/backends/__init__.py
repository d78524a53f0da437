"""The backends, a file or a folder per family: from a problem to a model, from what a solver says to a claim.

For whoever adds one. Read `base` (what a backend is), then any of the others, a file per backend or family:
each is found by itself, and a folder hands its backends on in its first file. `choose` is what "auto" takes,
`export` writes models as text, `decode` reads what other programs print.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from pyfsel.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from pyfsel.backends.base import Backend

GONE = {
    "columns": "prices (sums of pairwise objectives) or packing-cpsat",
    "columns-cpsat": "prices (sums of pairwise objectives) or packing-cpsat",
    "counts": "cpsat",
    "partition": "packing-cpsat",
    "gray-code": "ksubgraph",
    "partition-packing-cpsat": "packing-cpsat",
    "pb:exact-wheel": "exact",
    "sdp-bound": "ksubgraph",
}
"""Names of backends of earlier versions, and what to use instead."""


@cache
def registry() -> dict[str, Backend]:
    """Return all backends by name, installed or not."""
    return {backend.name: backend for backend in _sorted(kind.instances() for kind in _kinds())}


@cache
def discovered() -> dict[str, Backend]:
    """Return by name the backends that are only known after a look at what is installed."""
    return {backend.name: backend for backend in _sorted(kind.discovered() for kind in _kinds())}


def _kinds() -> list[type[Backend]]:
    """Return the backend classes of all files, and those that folders hand on."""
    from pyfsel.backends.base import Backend

    found = []
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        for member in vars(module).values():
            defined_here = inspect.isclass(member) and f"{member.__module__}.".startswith(
                f"{module.__name__}."
            )
            if defined_here and issubclass(member, Backend) and not inspect.isabstract(member):
                found.append(member)
    return found


def _sorted(groups: Iterable[Sequence[Backend]]) -> list[Backend]:
    return sorted(chain.from_iterable(groups), key=lambda backend: backend.name)


def get_backend(name: str, argument: str = "backend") -> Backend:
    """Return a backend by name; raise `InputError` with the known names otherwise, about this argument."""
    backend = registry().get(name) or discovered().get(name)
    if name in GONE and backend is None:
        raise InputError(
            f"{argument}={name!r}: pyfsel no longer has this backend. Use {GONE[name]}, or auto."
        )
    if backend is None:
        known = sorted({**registry(), **discovered()})
        raise InputError(
            f"{argument}={name!r}: {_hint(name, known)}must be auto or one of {', '.join(known)}"
        )
    return backend


def _hint(name: str, known: Sequence[str]) -> str:
    near = [other for other in known if name in other.split(":")] or get_close_matches(name, known)
    return f"did you mean {' or '.join(near)}? It " if near else ""


def backends() -> pd.DataFrame:
    """Return a table of all backends: name, available, reason, version, exact, formulations, summary.

    `reason` says what is missing where a backend is not available.
    """
    import pandas as pd

    rows = []
    for backend in (registry() | discovered()).values():
        missing = backend.missing()
        rows.append(
            {
                "name": backend.name,
                "available": missing is None,
                "reason": missing or "",
                "version": (backend.version() or "") if missing is None else "",
                "exact": backend.exact,
                "formulations": ", ".join(backend.formulations),
                "summary": backend.summary,
            }
        )
    return pd.DataFrame(rows)
