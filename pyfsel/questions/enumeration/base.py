"""What the methods share."""

from __future__ import annotations

from collections.abc import Callable

from pyfsel.problem.objectives import FeatureSet

Family = tuple[FeatureSet, ...]
Take = Callable[[Family], None]


class EnoughError(Exception):
    """No further solutions are wanted."""
