"""What all connections to solvers of linear models have in common; each is loaded when it is asked for."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import StrEnum
from importlib import import_module
from typing import NamedTuple, Protocol

from pyfsel.drivers.linear.model import LinearModel
from pyfsel.errors import InputError

NAMES = ("cbc", "highs", "scip")
LARGEST_EXACT_FLOAT = 2**53
LARGEST_RESERVE, RESERVED_SHARE = 0.1, 0.05  # seconds, and a share of the time that is left
SHORTEST_RUN_SECONDS = 0.01  # some solvers take 0 for no limit


class Outcome(StrEnum):
    """How a solver says that it has ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    INFEASIBLE_OR_UNBOUNDED = "infeasible or unbounded"
    LIMIT = "limit"
    UNKNOWN = "unknown"


class Settings(NamedTuple):
    """How to solve.

    Parameters
    ----------
    deadline : float or None
        Value of `time.monotonic`.
    threads : int
    seed : int or None
    start : sequence of (int, float)
        Columns and their values in a known solution; the other columns may be left out. A solver need not
        use it.
    """

    deadline: float | None = None
    threads: int = 1
    seed: int | None = None
    start: Sequence[tuple[int, float]] = ()

    def seconds_left(self) -> float | None:
        """Return the seconds that the solver may take, at least a hundredth, or None without a deadline.

        A little is kept back: solvers look at the clock now and then only.
        """
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        return max(SHORTEST_RUN_SECONDS, left - min(LARGEST_RESERVE, left * RESERVED_SHARE))


class Listener(Protocol):
    """Takes what a solver finds; `facts` are numbers about the search."""

    facts: dict[str, object]

    def solution(self, found: Sequence[float]) -> bool:
        """Take the values of all columns; return False if they do not stand up to a check."""

    def take_bound(self, bound: float) -> None:
        """Take a bound on the objective."""


class Ending(NamedTuple):
    """How a solver ended: a constant of this module, the objective that it claims, its own word for it."""

    outcome: Outcome
    claimed: float | None = None
    native: str = ""


class Solver(ABC):
    """A solver of one linear model."""

    def __init__(self, model: LinearModel, settings: Settings) -> None:
        self.model = model
        self.settings = settings

    @abstractmethod
    def solve(self, listener: Listener) -> Ending:
        """Solve, and report solutions and bounds as they come; the best solution comes last."""


class ClockedSolver(Solver):
    """One that claims infeasibility when it is cut short, as CBC does: its time is measured here, too."""

    _end: float | None = None

    def start_clock(self) -> float | None:
        """Return the seconds that the solver may take from now on, see `Settings.seconds_left`."""
        left = self.settings.seconds_left()
        self._end = None if left is None else time.monotonic() + left
        return left

    def is_out_of_time(self) -> bool:
        """Return whether the seconds of `start_clock` have passed: the solver may have been cut short."""
        return self._end is not None and time.monotonic() >= self._end


def require_floats(model: LinearModel) -> None:
    """Raise `InputError` if some number is not exact in floating point."""
    if model.largest_number() > LARGEST_EXACT_FLOAT:
        raise InputError("numbers beyond 2^53, which a floating-point solver rounds")


def load(name: str) -> Callable[[LinearModel, Settings], Solver]:
    """Return the solver of this name.

    Raises
    ------
    InputError
        If its library or program is not installed.
    InputError
        If the solver lacks something that the model has.
    """
    make: Callable[[LinearModel, Settings], Solver] = import_module(f"pyfsel.drivers.linear.{name}").make
    return make
