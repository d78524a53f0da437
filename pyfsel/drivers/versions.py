"""Which packages are installed, and their versions; what is there once is not looked up again."""

from __future__ import annotations

import importlib.util
from contextlib import suppress

_installed: set[str] = set()


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, by the name of the import.

    Examples
    --------
    >>> is_installed("numpy"), is_installed("nothing.of_that_name")
    (True, False)
    """
    with suppress(ModuleNotFoundError):  # of a part of a package that is missing as a whole
        if package not in _installed and importlib.util.find_spec(package) is not None:
            _installed.add(package)
    return package in _installed


def installed_version(distribution: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
