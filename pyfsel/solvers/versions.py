"""Versions of installed packages."""

from __future__ import annotations


def installed_version(distribution: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
