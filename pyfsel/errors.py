"""The errors and warnings that a user can meet; each names the argument, its value and what is allowed."""

from __future__ import annotations

import sys
import warnings
from typing import Any

BETWEEN = {"pyfsel", "sklearn", "joblib", "threadpoolctl", "contextlib", "functools"}
"""Packages that can stand between a line of the user and the line that warns."""


class PyfselError(Exception):
    """Base class of every error that this package raises on purpose."""


class InputError(PyfselError, ValueError):
    """Something given is wrong; also a solver that is missing, or that does not take the problem."""


class ModelInputError(InputError):
    """A model of the user's own, or its data, are not what MiniZinc can take."""


class NoSetsError(PyfselError):
    """No feature set was found.

    Parameters
    ----------
    message : str
    answer : optional
        What was found instead: its `status` is INFEASIBLE or NOT_SOLVED.
    """

    def __init__(self, message: str, answer: Any = None) -> None:
        super().__init__(message)
        self.answer = answer


class MisleadingDataWarning(UserWarning):
    """What in a table makes a selection misleading, such as a leak: said before all other cautions."""


def warn(message: str, category: type[UserWarning] = UserWarning) -> None:
    """Warn at the line of the user that called this package, however deep inside it the reason was found."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class SolverError(PyfselError):
    """A solver crashed, or ended in a way that it should not; or it claimed something false, its `claim`."""

    @property
    def claim(self) -> str | None:
        """What it claimed, and the evidence against it; None after a crash."""
        return None


class FalseClaimError(SolverError):
    """A solver's claim is contradicted by the independent check; to be caught as a `SolverError`."""

    @property
    def claim(self) -> str:
        """What it claimed, and the evidence against it."""
        return str(self)
