"""One run of one backend on one problem: start solution, reduction, limits, and the check of every claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any

from pyfsel import objectives
from pyfsel.backends.base import Control
from pyfsel.errors import BackendError, VerificationError
from pyfsel.heuristics import start_solution
from pyfsel.isolation import Session
from pyfsel.objectives import FeatureSet
from pyfsel.problem import Problem
from pyfsel.reductions import reduce
from pyfsel.result import Answer, Incumbent, Status, StopReason, check_claim

OnIncumbent = Callable[[Incumbent], None]


@dataclass(frozen=True)
class Limits:
    """What a whole `solve` call may use; `deadline` is a value of `time.monotonic`."""

    start: float
    deadline: float | None = None
    random_state: int = 0
    n_threads: int = 1

    @classmethod
    def starting_now(cls, time_limit: float | None, random_state: int = 0, n_threads: int = 1) -> Limits:
        """Return limits that count from this moment."""
        now = time.monotonic()
        return cls(now, None if time_limit is None else now + time_limit, random_state, n_threads)

    def remaining(self) -> float | None:
        """Return the seconds left, or None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def within(self, seconds: float | None) -> Limits:
        """Return the same limits with a deadline at most so many seconds from now."""
        if seconds is None:
            return self
        deadline = time.monotonic() + seconds
        if self.deadline is not None:
            deadline = min(deadline, self.deadline)
        return Limits(self.start, deadline, self.random_state, self.n_threads)


@dataclass(frozen=True)
class Outcome:
    """The verified outcome of an attempt."""

    status: Status
    sets: tuple[FeatureSet, ...]
    bound: int | None
    stop_reason: StopReason
    message: str = ""
    source: str = ""
    incumbents: tuple[Incumbent, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)


class _Best:
    """Keeps the best verified solution and the time at which each better one came."""

    def __init__(self, problem: Problem, who: str, start: float, on_incumbent: OnIncumbent | None) -> None:
        self.problem = problem
        self.who = who
        self.start = start
        self.on_incumbent = on_incumbent
        self.sets: tuple[FeatureSet, ...] = ()
        self.value: int | None = None
        self.source = ""
        self.incumbents: list[Incumbent] = []

    def offer(self, sets: Sequence[Iterable[int]], source: str | None = None) -> None:
        listed = ordered(self.problem, sets)
        check_claim(source or self.who, self.problem, Status.FEASIBLE, listed, None)
        value = objectives.total(self.problem, listed)
        if self.value is not None and value <= self.value:
            return
        self.sets, self.value, self.source = listed, value, source or self.who
        incumbent = Incumbent(time.monotonic() - self.start, value, listed)
        self.incumbents.append(incumbent)
        if self.on_incumbent is not None:
            self.on_incumbent(incumbent)


def ordered(problem: Problem, sets: Sequence[Iterable[int]]) -> tuple[FeatureSet, ...]:
    """Return the sets by decreasing quality, ties lexicographic, each as a sorted tuple of int.

    Sets that are not valid keep their place: `violations` names what is wrong with them.
    """
    try:
        listed = [tuple(sorted(index(j) for j in members)) for members in sets]
    except TypeError:
        raise VerificationError(f"sets {sets!r} are not sets of feature numbers") from None
    in_range = all(len(s) == problem.set_size and s[0] >= 0 and s[-1] < problem.n_features for s in listed)
    if not listed or not in_range:
        return tuple(listed)
    quality = objectives.values(problem, listed)
    return tuple(s for _, s in sorted(zip((-quality).tolist(), listed, strict=True)))


def attempt(
    session: Session,
    problem: Problem,
    limits: Limits,
    formulation: str,
    on_incumbent: OnIncumbent | None = None,
) -> Outcome:
    """Run the session's backend on a problem and return what stands up to the check.

    Raises
    ------
    VerificationError
        If any of the backend's claims is false.
    BackendError
        If the backend crashed before any solution was known.
    """
    backend = session.backend
    best = _Best(problem, backend.name, limits.start, on_incumbent)
    hint = start_solution(problem) if backend.exact else None
    if hint is not None:
        best.offer(hint, "greedy start")
    reduction = reduce(problem, formulation)
    control = Control(
        deadline=limits.deadline,
        random_state=limits.random_state,
        n_threads=limits.n_threads,
        formulation=formulation,
        hint=reduction.apply_to_sets(best.sets) if best.sets else None,
        report_sets=lambda sets: best.offer(reduction.invert(sets)),
    )
    bounds: list[int] = []
    control.report_bound = bounds.append
    try:
        answer = session.solve(reduction.problem, control)
    except KeyboardInterrupt:
        answer = Answer(
            Status.NOT_SOLVED, bound=min(bounds, default=None), stop_reason=StopReason.INTERRUPTED
        )
    return _judge(answer, best, problem, backend.exact, reduction.invert)


def _judge(
    answer: Answer,
    best: _Best,
    problem: Problem,
    exact: bool,
    invert: Callable[[Sequence[Iterable[int]]], list[FeatureSet]],
) -> Outcome:
    claimed = ordered(problem, invert(answer.sets)) if answer.sets is not None else ()
    check_claim(best.who, problem, answer.status, claimed, answer.bound)
    if not exact and (answer.status in (Status.OPTIMAL, Status.INFEASIBLE) or answer.bound is not None):
        raise VerificationError(f"{best.who}: is a heuristic and may not claim {answer.status} or a bound")
    if claimed:
        value = objectives.total(problem, claimed)
        if answer.status is Status.OPTIMAL and best.value is not None and best.value > value:
            raise VerificationError(
                f"{best.who}: OPTIMAL was claimed with {value}, but {list(best.sets)} have {best.value}"
            )
        best.offer(claimed)
    if best.value is None:
        if answer.stop_reason is StopReason.ERROR:
            raise BackendError(answer.message)
        return Outcome(
            answer.status, (), answer.bound, answer.stop_reason, answer.message,
            statistics=answer.statistics,
        )  # fmt: skip
    if answer.status is Status.INFEASIBLE:
        raise VerificationError(f"{best.who}: INFEASIBLE was claimed, but {list(best.sets)} are feasible")
    if answer.bound is not None and answer.bound < best.value:
        raise VerificationError(
            f"{best.who}: bound {answer.bound} is below the objective {best.value} of {list(best.sets)}"
        )
    proved = answer.status is Status.OPTIMAL or answer.bound == best.value
    return Outcome(
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        sets=best.sets,
        bound=best.value if proved else answer.bound,
        stop_reason=answer.stop_reason,
        message=answer.message,
        source=best.source,
        incumbents=tuple(best.incumbents),
        statistics=answer.statistics,
    )
