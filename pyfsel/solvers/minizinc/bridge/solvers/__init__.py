"""The solvers behind the bridge: one module each, loaded when it is asked for."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from pyfsel.solvers.minizinc.bridge.errors import UnsupportedFlatZincError
from pyfsel.solvers.minizinc.bridge.linear import LinearModel
from pyfsel.solvers.minizinc.bridge.protocol import Reporter

NAMES = ("cbc", "highs", "scip", "cpsat")
LARGEST_EXACT_FLOAT = 2**53
LARGEST_RESERVE = 0.1
RESERVED_SHARE = 0.05


class Settings(NamedTuple):
    """How to solve; `deadline` is a value of `time.monotonic`."""

    deadline: float | None = None
    threads: int = 1
    seed: int | None = None
    verbose: bool = False

    def seconds_left(self) -> float | None:
        """Return the seconds that the solver may take, at least a hundredth, or None without a deadline.

        A little is kept back: solvers look at the clock now and then only.
        """
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        return max(0.01, left - min(LARGEST_RESERVE, left * RESERVED_SHARE))


class Ending(NamedTuple):
    """How a solver ended (a constant of `protocol`) and, if optimal, with which objective."""

    outcome: str
    claimed: float | None = None


class Solver(ABC):
    """A solver of one linear model.

    Attributes
    ----------
    patience : float
        Seconds that it is given to end after `stop`. One that reports all on its way loses nothing when it is
        left alone.
    """

    patience = 0.1

    def __init__(self, model: LinearModel, settings: Settings) -> None:
        self.model = model
        self.settings = settings

    @abstractmethod
    def solve(self, reporter: Reporter) -> Ending:
        """Solve, and report solutions and bounds as they come."""

    @abstractmethod
    def stop(self) -> None:
        """Ask the solver, which runs in another thread, to stop soon."""


def require_floats(model: LinearModel) -> None:
    """Raise `UnsupportedFlatZincError` if some number is not exact in floating point."""
    if model.largest_number() > LARGEST_EXACT_FLOAT:
        raise UnsupportedFlatZincError("numbers beyond 2^53, which a floating-point solver rounds")


def load(name: str) -> Callable[[LinearModel, Settings], Solver]:
    """Return the solver of this name.

    Raises
    ------
    SolverMissingError
        If its library or program is not installed.
    """
    make: Callable[[LinearModel, Settings], Solver] = import_module(f"{__name__}.{name}").make
    return make
