"""One run of one backend on one problem: start solution, reduction, limits, and the check of every claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import index
from typing import Any

import numpy as np

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends.base import Backend
from pyfsel.errors import BackendError, VerificationError
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.reductions import Restriction, promising, reduce, reduces
from pyfsel.results.answer import (
    Answer,
    Incumbent,
    ModelClaim,
    ProvedBound,
    SetsAbove,
    Status,
    StopReason,
    check_claim,
)
from pyfsel.results.control import Control, Limits
from pyfsel.solving.sessions import Session
from pyfsel.solving.start import sequential_start

OnIncumbent = Callable[[Incumbent], None]
OnBound = Callable[[ProvedBound], None]


UNHEARD = "{who} says {status}, but not what its solver states: nothing is proved by it alone."


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
    bounds: tuple[ProvedBound, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    above: SetsAbove | None = None
    model_claim: ModelClaim | None = None


class _Best:
    """Keeps the best verified solution and the time at which each better one came.

    Where the backend has an objective of its own, the last solution is the best.
    """

    def __init__(
        self, problem: Problem, backend: Backend, start: float, on_incumbent: OnIncumbent | None
    ) -> None:
        self.problem = problem
        self.who = backend.name
        self.last_is_best = backend.has_own_objective
        self.start = start
        self.on_incumbent = on_incumbent
        self.sets: tuple[FeatureSet, ...] = ()
        self.value: int | None = None
        self.source = ""
        self.incumbents: list[Incumbent] = []

    def offer(self, sets: Sequence[Iterable[int]], source: str | None = None) -> None:
        listed = ordered(self.problem, sets)
        check_claim(source or self.who, self.problem, Status.FEASIBLE, listed, None)
        value = values.total(self.problem, listed)
        is_new = listed != self.sets if self.last_is_best else self.value is None or value > self.value
        if not is_new:
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
    listed = [tuple(sorted(members)) for members in sets]
    in_range = all(len(s) in problem.sizes and s[0] >= 0 and s[-1] < problem.n_features for s in listed)
    if not listed or not in_range:
        return tuple(listed)
    quality = values.values(problem, listed)
    return tuple(s for _, s in sorted(zip((-quality).tolist(), listed, strict=True)))


def attempt(
    backend: Backend,
    problem: Problem,
    limits: Limits,
    formulation: str,
    on_incumbent: OnIncumbent | None = None,
    on_bound: OnBound | None = None,
    known_sets: Sequence[Sequence[FeatureSet]] = (),
    known_bound: int | None = None,
    further_sets: int = 0,
) -> Outcome:
    """Run a backend on a problem and return what stands up to the check.

    An exact backend starts from the best of a greedy solution, the sets of a quick sequential search
    (`pyfsel.solving.start`) and the known ones, which is also what is left if it finds nothing better. The
    backend is not started if the time is up, or if the start reaches the known bound.

    Parameters
    ----------
    backend : Backend
    problem : Problem
    limits : Limits
    formulation : str
    on_incumbent, on_bound : callables, optional
        As for `pyfsel.solve`.
    known_sets : sequence of sequences of feature sets
        Solutions.
    known_bound : int, optional
        A proved upper bound on the objective. Not used for heuristics.
    further_sets : int
        As for `pyfsel.results.control.Control`.

    Raises
    ------
    VerificationError
        If any of the backend's claims is false.
    BackendError
        If the backend crashed and no solution is known.
    """
    best = _Best(problem, backend, limits.start, on_incumbent)
    reduction = reduce(problem, formulation)
    start = start_solution(reduction.problem, limits.expired) if backend.exact else None
    if start is not None:
        best.offer(reduction.invert(start), "greedy start")
    in_memory = problem.lazy_redundancy is None
    if backend.needs_start and backend.exact and problem.n_sets > 1 and in_memory and not limits.expired():
        sequence = sequential_start(reduction.problem, limits.expired)
        if sequence is not None:
            best.offer(reduction.invert(sequence), "sequential start")
    for sets in known_sets if backend.exact else ():
        best.offer(sets, "start")
    hint = reduction.apply_to_sets(best.sets) or start
    if hint is not None and reduces(formulation):
        part = promising(reduction.problem, hint)
        reduction, hint = reduction.then(part), part.apply_to_sets(hint)
    judge = _Judge(best, backend, reduction, on_bound)
    if known_bound is not None and backend.exact:
        judge.take_bound(known_bound)
    control = Control(
        limits=limits,
        formulation=formulation,
        hint=hint,
        known_bound=judge.bound,
        further_sets=further_sets,
        report_sets=judge.take_sets,
        report_bound=judge.take_bound,
    )
    if best.value is not None and best.value == judge.bound:
        answer = Answer(Status.NOT_SOLVED)
    elif control.expired():
        answer = Answer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
    else:
        with Session(backend) as session:
            try:
                answer = session.solve(reduction.problem, control)
            except KeyboardInterrupt:
                answer = Answer(Status.NOT_SOLVED, stop_reason=StopReason.INTERRUPTED)
            return judge.outcome(answer)
    return judge.outcome(answer)


class _Judge:
    """Checks each claim of a backend, about the reduced problem, against everything known so far."""

    def __init__(
        self, best: _Best, backend: Backend, reduction: Restriction, on_bound: OnBound | None
    ) -> None:
        self.best = best
        self.exact = backend.exact
        self.states_objective = backend.states_objective
        self.reduction = reduction
        self.on_bound = on_bound
        self.bound: int | None = None
        self.bounds: list[ProvedBound] = []

    def take_sets(self, sets: Sequence[Iterable[int]]) -> None:
        """Accept a better solution that the backend reports on its way."""
        self.best.offer(self._inverted(sets))

    def take_bound(self, bound: int) -> None:
        """Accept an upper bound on the objective, on the way or with the answer."""
        if not self.exact:
            raise self._lie(f"is a heuristic and may not claim the bound {bound!r}")
        try:
            number = index(bound)
        except TypeError:
            raise self._lie(f"bound {bound!r} is not an integer") from None
        if self.bound is not None and number >= self.bound:
            return
        self.bound = number
        self.bounds.append(ProvedBound(time.monotonic() - self.best.start, number))
        if self.on_bound is not None:
            self.on_bound(self.bounds[-1])

    def outcome(self, answer: Answer) -> Outcome:
        """Return what the answer and the reports amount to."""
        status, stop_reason = self._native(answer)
        if answer.bound is not None:
            self.take_bound(answer.bound)
        claimed = self._inverted(answer.sets) if answer.sets is not None else ()
        check_claim(self.best.who, self.best.problem, status, claimed, answer.bound, answer.stated)
        if not self.exact and status in (Status.OPTIMAL, Status.INFEASIBLE):
            raise self._lie(f"is a heuristic and may not claim {status}")
        message, statistics = _without_details(answer)
        said_more = answer.stated is not None or answer.bound is not None
        heard = self.states_objective and (status is not Status.OPTIMAL or said_more)
        if not heard and not message:
            message = UNHEARD.format(who=self.best.who, status=status)
        if status is Status.OPTIMAL and self.best.value is not None:
            value = values.total(self.best.problem, claimed)
            if self.best.value > value:
                raise self._lie(f"OPTIMAL was claimed with {value}, but {self._known()}")
        if claimed:
            self.best.offer(claimed)
        if self.best.value is None:
            if stop_reason is StopReason.ERROR:
                crash = BackendError(message)
                crash.add_note(answer.message)
                raise crash
            bound = None if status is Status.INFEASIBLE else self.bound
            return Outcome(
                status=status,
                sets=(),
                bound=bound,
                stop_reason=stop_reason,
                message=message if status is Status.INFEASIBLE else self._explained(message, stop_reason),
                bounds=tuple(self.bounds),
                statistics=statistics,
                model_claim=answer.model_claim,
            )
        if status is Status.INFEASIBLE:
            raise self._lie(f"INFEASIBLE was claimed, but {self._known()}")
        if self.bound is not None and self.bound < self.best.value:
            raise self._lie(f"bound {self.bound} was claimed, but {self._known()}")
        proved = heard and (status is Status.OPTIMAL or self.bound == self.best.value)
        return Outcome(
            status=Status.OPTIMAL if proved else Status.FEASIBLE,
            sets=self.best.sets,
            bound=self.best.value if proved else self.bound,
            stop_reason=stop_reason,
            message=message if proved else self._explained(message, stop_reason),
            source=self.best.source,
            incumbents=tuple(self.best.incumbents),
            bounds=tuple(self.bounds),
            statistics=statistics,
            above=self._in_the_whole(answer.above),
            model_claim=answer.model_claim,
        )

    def _in_the_whole(self, above: SetsAbove | None) -> SetsAbove | None:
        """Return the sets in the numbers of the whole problem; None if its sets may hold dropped features."""
        kept, whole = self.reduction.kept, self.best.problem
        if above is None or len(kept) < whole.n_features - len(whole.forbidden):
            return None
        return replace(above, sets=np.array(kept)[above.sets])

    def _explained(self, message: str, stop_reason: StopReason) -> str:
        """Return the message of an answer that proves nothing; without one, what is missing.

        A run that has finished has proved its answer, or says why not. Heuristics never prove anything.
        """
        if message or not self.exact or stop_reason is not StopReason.FINISHED:
            return message
        if self.bound is not None:
            missing = f"proved no lower bound than {self.bound}"
        elif self.best.value is None:
            missing = "neither found a solution nor proved that there is none"
        else:
            missing = "proved nothing about better solutions"
        return f"{self.best.who} has finished, but has {missing}."

    def _native(self, answer: Answer) -> tuple[Status, StopReason]:
        if not isinstance(answer, Answer):
            raise BackendError(f"{self.best.who}: returned {answer!r} instead of an Answer")
        try:
            return Status(answer.status), StopReason(answer.stop_reason)
        except ValueError as error:
            raise self._lie(str(error)) from None

    def _inverted(self, sets: Sequence[Iterable[int]]) -> tuple[FeatureSet, ...]:
        try:
            listed = [[_feature(j) for j in members] for members in sets]
        except TypeError:
            raise self._lie(f"{sets!r} are not sets of feature numbers") from None
        return ordered(self.best.problem, self.reduction.invert(listed))

    def _known(self) -> str:
        return f"{list(self.best.sets)}, found by {self.best.source}, have {self.best.value}"

    def _lie(self, evidence: str) -> VerificationError:
        return VerificationError(f"{self.best.who}: {evidence}")


def _without_details(answer: Answer) -> tuple[str, Mapping[str, Any]]:
    """Return a message of one line, and the statistics with the rest of it, such as a traceback, as log."""
    message, _, details = answer.message.partition("\n")
    return message, {**answer.statistics, "log": details} if details else answer.statistics


def _feature(number: int) -> int:
    if isinstance(number, bool):
        raise TypeError
    return index(number)
