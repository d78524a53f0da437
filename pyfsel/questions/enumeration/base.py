"""What the methods share."""

from __future__ import annotations

from collections.abc import Callable

from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Control

Family = tuple[FeatureSet, ...]
Take = Callable[[Family], None]


class OutOfTimeError(Exception):
    """A limit was reached before all solutions were listed."""


class EnoughError(Exception):
    """No further solutions are wanted."""


def check_time(control: Control) -> None:
    """Raise `OutOfTimeError` if the deadline has passed."""
    if control.expired():
        raise OutOfTimeError
