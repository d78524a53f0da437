"""The backends, a file or a folder per family: from a problem to a model, from what a solver says to a claim.

For whoever adds one. Read `base` (what a backend is), then any of the others, a file per backend or family:
each is found by itself, and imported when a backend of it is requested; a folder hands its backends on in
its first file. Other distributions add backends by entry points of the group "pyfsel.backends". `choose` is
what "auto" takes, `export` writes models as text, `decode` reads what other programs print.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from itertools import chain
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError, warn

if TYPE_CHECKING:
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


ENTRY_POINTS = "pyfsel.backends"
"""The group of entry points by which other distributions add backends: subclasses of `base.Backend`."""
PLACES = {
    "asdp": "paper_heuristics",
    "best-subsets": "own_searches",
    "brute-force": "simple_searches",
    "cpsat": "by_model",
    "enumeration": "simple_searches",
    "exact": "by_model",
    "greedy-balancing": "paper_heuristics",
    "greedy-depth-search": "paper_heuristics",
    "greedy-replacement": "paper_heuristics",
    "ksubgraph": "own_searches",
    "packing": "own_searches",
    "pb": "maxsat",
    "prices": "own_searches",
    "ranking": "simple_searches",
    "rc2": "by_model",
    "sdp-1": "paper_heuristics",
    "sorting": "simple_searches",
    "swap-sequence": "paper_heuristics",
}
"""The files of backends whose names, up to a colon, are not the names of their files."""


@cache
def registry() -> dict[str, Backend]:
    """Return all backends by name, installed or not."""
    return _by_name("instances")


@cache
def discovered() -> dict[str, Backend]:
    """Return by name the backends that are only known after a look at what is installed."""
    return _by_name("discovered")


def forget() -> None:
    """Have all backends made again when they are next requested, as after a change of the models."""
    for known in (registry, discovered, _of, _kinds_of_others):
        known.cache_clear()


def _places() -> list[str]:
    """Return the names of the files and folders that may have backends."""
    return [module.name for module in pkgutil.iter_modules(__path__)]


@cache
def _of(place: str, method: str) -> list[Backend]:
    """Return the backends of a file or folder by one of the two methods that list them."""
    from pyfsel.backends.base import Backend

    module = importlib.import_module(f"{__name__}.{place}")
    found = []
    for member in vars(module).values():
        defined_here = inspect.isclass(member) and f"{member.__module__}.".startswith(f"{module.__name__}.")
        if defined_here and issubclass(member, Backend) and not inspect.isabstract(member):
            found += getattr(member, method)()
    return found


@cache
def _kinds_of_others() -> list[type[Backend]]:
    """Return the backend classes of other distributions; warn of those that cannot be loaded."""
    from pyfsel.backends.base import Backend

    found = []
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            kind = entry.load()
        except Exception as error:  # whatever another distribution does must not break ours
            why = f"cannot be loaded ({type(error).__name__}: {error})"
        else:
            if inspect.isclass(kind) and issubclass(kind, Backend):
                found.append(kind)
                continue
            why = "is not a subclass of pyfsel.backends.base.Backend"
        warn(f"backend {entry.name} ({entry.value}): {why}. Update or uninstall it.")
    return found


def _by_name(method: str) -> dict[str, Backend]:
    """Return all backends by name, in the order of names; ours count before others of the same name."""
    others = [backend for kind in _kinds_of_others() for backend in getattr(kind, method)()]
    ours = chain.from_iterable(_of(place, method) for place in _places())
    found = {backend.name: backend for backend in (*others, *ours)}
    return dict(sorted(found.items()))


def all_backends() -> dict[str, Backend]:
    """Return all backends by name: those that are listed, and those that are found on this machine."""
    return registry() | discovered()


def find_backend(name: str) -> Backend | None:
    """Return a backend by name, or None; only the file that should have it is imported, if it has."""
    if not registry.cache_info().currsize:
        family = name.partition(":")[0]
        place = PLACES.get(family, family.replace("-", "_"))
        if family in PLACES or place in _places():
            for method in ("instances", "discovered"):
                for backend in _of(place, method):
                    if backend.name == name:
                        return backend
    return registry().get(name) or discovered().get(name)


def get_backend(name: str, argument: str = "solver") -> Backend:
    """Return a backend by name; raise `InputError` with the known names otherwise, about this argument."""
    backend = find_backend(name)
    if name in GONE and backend is None:
        raise InputError(f"{argument}={name!r}: pyfsel no longer has this solver. Use {GONE[name]}, or auto.")
    if backend is None:
        from pyfsel.problem.checks import one_of  # imports NumPy, which naming a solver does not need

        known = sorted(all_backends())
        same = [other for other in known if name in other.split(":")]
        if same:
            raise InputError(f"{argument}={name!r}: unknown solver. Did you mean {' or '.join(same)}?")
        one_of(argument, name, ["auto", *known])
        raise AssertionError(name)
    return backend


def backends() -> list[dict[str, Any]]:
    """Return what is known of all backends, a row for each.

    Its keys are name, available, reason, version, exact, formulations, summary; `reason` says what is missing
    where a backend is not available.
    """
    rows = []
    for backend in all_backends().values():
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
    return rows
