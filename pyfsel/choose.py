"""The backend `auto`: which backend a problem gets, and why."""

from __future__ import annotations

from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.errors import UnsupportedError
from pyfsel.problem import Problem

PREFERENCE = (
    ("sorting", "the best features alone decide"),
    ("ksubgraph", "strongest on mRMR"),
    ("cpsat", "strongest on many sets and on large tables"),
    ("packing", "its sets can be enumerated"),
    ("rc2", "a MaxSAT encoding exists"),
    ("brute-force", "no other embedded solver takes this problem"),
)


def choose_backend(problem: Problem) -> tuple[Backend, str]:
    """Return the first backend that is installed and takes the problem, and the reason in words.

    Raises
    ------
    UnsupportedError
        If no embedded backend takes the problem.
    """
    refused = []
    for name, reason in PREFERENCE:
        backend = registry().get(name)
        why_not = "is not installed" if backend is None else backend.missing()
        if backend is not None and why_not is None:
            why_not = backend.refusal(problem, backend.formulations[0])
            if why_not is None:
                return backend, f"auto chose {name}: {reason}."
        refused.append(f"{name} ({why_not})")
    raise UnsupportedError(f"backend='auto': none takes this problem: {', '.join(refused)}")
