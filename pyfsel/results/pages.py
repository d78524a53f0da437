"""Templates of HTML pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def templates(package: str, **options: Any) -> Environment:
    """Return the templates in the folder ``report`` of a package, which escape texts and know all names."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader(package, "report")
    options |= {"autoescape": True, "undefined": StrictUndefined}
    return Environment(loader=loader, trim_blocks=True, lstrip_blocks=True, **options)
