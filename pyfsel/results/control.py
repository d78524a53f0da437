"""Control of a search: limits, names of searches and formulations, ways to end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from pyfsel.problem.checks import integer_in, is_a, seconds, seed
from pyfsel.problem.objectives import Family

STRENGTHENED, LITERAL = "strengthened", "literal"
MOST_THREADS, MOST_MEGABYTES = 1024, 10**9  # beyond what machines have: a slip of the user's

LONGEST_SECONDS = 2_000_000.0
"""About 23 days. Solvers and systems count milliseconds in 31 bits; longer times overflow and end at once."""


@dataclass(frozen=True)
class Limits:
    """What a whole `solve` call, or a part of it, may use.

    Parameters
    ----------
    start : float
        When it began: a value of `time.monotonic`, now unless given.
    deadline : float
        Value of `time.monotonic` at which it must have ended; infinite without a limit.
    random_state : int
        Seed of everything random.
    n_threads : int
    memory_limit : int or None
        Megabytes that the processes of a backend may use together; they are killed when they use more.
    cold_start : bool
        Whether exact backends get no solution to start from.

    Examples
    --------
    >>> Limits.starting_now(60.0).within(0.0).expired(), Limits().remaining()
    (True, inf)
    """

    start: float = field(default_factory=time.monotonic)
    deadline: float = inf
    random_state: int = 0
    n_threads: int = 1
    memory_limit: int | None = None
    cold_start: bool = False

    @classmethod
    def starting_now(
        cls,
        time_limit: Any,
        random_state: Any = None,
        n_threads: Any = 1,
        memory_limit: Any = None,
        cold_start: Any = False,
    ) -> Limits:
        """Return limits that count from this moment; a time limit beyond `LONGEST_SECONDS` is none.

        Raises
        ------
        InputError
            If one is not allowed.
        """
        is_a("cold_start", cold_start, bool, "True or False")
        now, left = time.monotonic(), seconds("time_limit", time_limit)
        return cls(
            now,
            inf if left > LONGEST_SECONDS else now + left,
            seed(random_state),
            n_threads=integer_in("n_threads", n_threads, 1, MOST_THREADS),
            memory_limit=None
            if memory_limit is None
            else integer_in("memory_limit", memory_limit, 1, MOST_MEGABYTES),
            cold_start=cold_start,
        )

    def again(self) -> Limits:
        """Return the same limits counted from this moment: as much time as there was at the start."""
        now = time.monotonic()
        return replace(self, start=now, deadline=now + self.deadline - self.start)

    def remaining(self) -> float:
        """Return the seconds left, at least 0, infinitely many without a limit."""
        return max(0.0, self.deadline - time.monotonic())

    def within(self, seconds: float) -> Limits:
        """Return the same limits with a deadline at most this number of seconds from now."""
        return replace(self, deadline=min(self.deadline, time.monotonic() + seconds))

    def expired(self, overtime: float = 0.0) -> bool:
        """Return whether the deadline has passed by at least this number of seconds."""
        return time.monotonic() >= self.deadline + overtime


@dataclass
class Control:
    """The limits of a run, and where a backend reports what it finds on the way.

    Parameters
    ----------
    limits : Limits
        The backend must have returned at their deadline.
    formulation : str
        One of the backend's `formulations`.
    hint : sequence of feature sets or None
        A verified solution to start from, where the backend can use one. It is returned in any case if
        nothing better is found.
    known_bound : int or None
        A proved upper bound on the objective of the problem, such as the optimum of the step before in
        sequential search. A backend may stop at a solution that reaches it, which is optimal, and return it
        as its own bound; it need not use it. For a part of the search with another objective it means
        nothing.
    report_sets, report_bound : callables
        Take better solutions and better bounds (integers) as they come; what was reported survives when the
        backend is killed.
    """

    limits: Limits = field(default_factory=Limits)
    formulation: str = STRENGTHENED
    hint: Family | None = None
    known_bound: int | None = None
    report_sets: Callable[[Sequence[Iterable[int]]], None] = field(default=lambda sets: None)
    report_bound: Callable[[int], None] = field(default=lambda bound: None)

    def remaining(self) -> float:
        """Return the seconds left, at least 0, infinitely many without a limit."""
        return self.limits.remaining()

    def expired(self) -> bool:
        """Return whether the deadline has passed."""
        return self.limits.expired()

    def check_time(self) -> None:
        """Raise `OutOfTimeError` if the deadline has passed."""
        if self.expired():
            raise OutOfTimeError


class TooManySetsError(Exception):
    """More sets reach the threshold than fit into memory."""


class OutOfTimeError(Exception):
    """The deadline has passed before the search was through."""
