"""One run of one backend on one problem: start solution, reduction, limits, and the check of every claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import index
from typing import Any

from pyfsel.backends.base import Backend
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.reductions import reduce
from pyfsel.reductions.restriction import Restriction
from pyfsel.results.backend_answer import (
    PROVED,
    BackendAnswer,
    ProvedBound,
    ReportedIncumbent,
    Status,
    StopReason,
    Task,
    check_claim,
    no_answer,
)
from pyfsel.results.control import STRENGTHENED, Control, Limits
from pyfsel.results.result import Result

OnProgress = Callable[[ReportedIncumbent | ProvedBound], None]
"""Called with every better solution, and with every better bound."""
OVERTIME_SECONDS = 1.0  # for a solution to be there though the time is up
UNHEARD = "{who} says {status} without the objective or bound of its solver: that alone proves nothing."


def ordered(problem: Instance, sets: Sequence[Iterable[int]]) -> Family:
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
    problem: Instance,
    limits: Limits,
    formulation: str,
    on_progress: OnProgress | None = None,
    start: Sequence[FeatureSet] = (),
    bound: int | None = None,
) -> Result:
    """Run a backend on a problem and return what stands up to the check.

    An exact backend starts from the best of a greedy solution, the sets of a quick sequential search
    (`swap_sequence`) and a known one, which is also what is left if it finds nothing better, unless its
    limits ask for a cold start. For a backend that is done at once nothing is searched before, unless the
    time is up. The backend is not started if the time is up, or if the start reaches the known bound.

    Parameters
    ----------
    backend : Backend
    problem : Instance
    limits : Limits
    formulation : str
    on_progress : callable, optional
    start : sequence of feature sets
        A known solution, if there is one.
    bound : int, optional
        A proved upper bound on the objective. Not used for heuristics.

    Raises
    ------
    FalseClaimError
        If any of the backend's claims is false.
    SolverError
        If the backend crashed and no solution is known.
    """
    told = on_progress or (lambda found: None)
    judge = _Judge(problem, backend, reduce(problem, formulation), limits.start, told)
    try:
        helps = backend.needs_start or start or limits.expired()
        hint = _start(judge, start, limits) if helps and backend.exact and not limits.cold_start else None
        if hint is not None and formulation == STRENGTHENED:
            # which features a better solution can have follows only from a solution
            from pyfsel.reductions.promising import promising

            part = promising(judge.reduction.problem, hint)
            judge.reduction, hint = judge.reduction.then(part), part.apply_to_sets(hint)
        if bound is not None and backend.exact:
            judge.take_bound(bound)
        control = Control(
            limits=limits,
            formulation=formulation,
            hint=hint,
            known_bound=judge.bound,
            report_sets=judge.take_sets,
            report_bound=judge.take_bound,
        )
        if judge.value is not None and judge.value == judge.bound:
            return judge.outcome(BackendAnswer(Status.NOT_SOLVED))
        if limits.expired():
            return judge.outcome(BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT))
        with answered(backend, judge.reduction.problem, control) as answer:
            return judge.outcome(answer)  # within the block: a false claim ends the worker
    except KeyboardInterrupt:
        return judge.outcome(BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason.INTERRUPTED))


def _start(judge: _Judge, known: Sequence[FeatureSet], limits: Limits) -> Family | None:
    """Offer the solutions to start from; return the best one of the reduced problem, or None."""
    from pyfsel.algorithms.heuristics import start_solution

    reduction, problem = judge.reduction, judge.reduction.problem
    start = start_solution(problem, lambda: limits.expired(OVERTIME_SECONDS))
    if start is not None:
        judge.offer(reduction.invert(start), "greedy start")
    has_moves = problem.lazy_pairs is None and not values.objective_of(problem).is_fraction
    if judge.backend.needs_start and problem.n_sets > 1 and has_moves and not limits.expired():
        from pyfsel.algorithms.heuristics.swap_sequence import swap_sequence

        sequence = tuple(swap_sequence(problem, limits.expired))
        if len(sequence) == problem.n_sets:
            judge.offer(reduction.invert(sequence), "sequential start")
    if known:
        judge.offer(known, "start")
    return reduction.apply_to_sets(judge.sets) or start


@dataclass
class _Judge:
    """Checks each claim of a backend, about the reduced problem, against everything known so far.

    It keeps the best verified solution and the time at which each better one came; where the backend has an
    objective of its own, the last solution is the best.
    """

    problem: Instance
    backend: Backend
    reduction: Restriction
    begin: float
    on_progress: OnProgress
    sets: Family = ()
    value: int | None = None
    source: str = ""
    bound: int | None = None
    incumbents: list[ReportedIncumbent] = field(default_factory=list)
    bounds: list[ProvedBound] = field(default_factory=list)

    def offer(self, sets: Sequence[Iterable[int]], source: str) -> None:
        """Verify a solution of the whole problem, and keep it if it is better."""
        listed = ordered(self.problem, sets)
        check_claim(source, self.problem, Status.FEASIBLE, listed, None)
        value = values.total(self.problem, listed)
        if self.backend.has_own_objective:
            is_better = listed != self.sets
        else:
            is_better = self.value is None or value > self.value
        if not is_better:
            return
        self.sets, self.value, self.source = listed, value, source
        incumbent = ReportedIncumbent(time.monotonic() - self.begin, value, listed)
        self.incumbents.append(incumbent)
        self.on_progress(incumbent)

    def take_sets(self, sets: Sequence[Iterable[int]]) -> None:
        """Accept a better solution that the backend reports on its way."""
        self.offer(self._inverted(sets), self.backend.name)

    def take_bound(self, bound: int) -> None:
        """Accept an upper bound on the objective, on the way or with the answer."""
        if not self.backend.exact:
            raise self._lie(f"is a heuristic and may not claim the bound {bound!r}")
        try:
            number = index(bound)
        except TypeError:
            raise self._lie(f"bound {bound!r} is not an integer") from None
        if self.bound is not None and number >= self.bound:
            return
        self.bound = number
        self.bounds.append(ProvedBound(time.monotonic() - self.begin, number))
        self.on_progress(self.bounds[-1])

    def outcome(self, answer: BackendAnswer) -> Result:
        """Return what the answer and the reports amount to."""
        status, stop_reason = self._native(answer)
        if answer.bound is not None:
            self.take_bound(answer.bound)
        claimed = self._inverted(answer.sets) if answer.sets is not None else ()
        check_claim(self.backend.name, self.problem, status, claimed, answer.bound, answer.stated)
        if not self.backend.exact and status in PROVED:
            raise self._lie(f"is a heuristic and may not claim {status}")
        message, _, details = answer.message.partition("\n")  # such as a traceback
        statistics = {**answer.statistics, "log": details} if details else answer.statistics
        said_more = answer.stated is not None or answer.bound is not None
        heard = self.backend.states_objective and (status is not Status.OPTIMAL or said_more)
        if not heard and not message:
            message = UNHEARD.format(who=self.backend.name, status=status)
        if status is Status.OPTIMAL and self.value is not None:
            value = values.total(self.problem, claimed)
            if self.value > value:
                raise self._lie(f"OPTIMAL was claimed with {value}, but {self._known()}")
        if claimed:
            self.offer(claimed, self.backend.name)
        if self.value is None and stop_reason is StopReason.ERROR:
            crash = SolverError(message)
            crash.add_note(answer.message)
            raise crash
        bound, proved = self.bound, status is Status.INFEASIBLE
        if self.value is not None:
            if proved:
                raise self._lie(f"INFEASIBLE was claimed, but {self._known()}")
            if bound is not None and bound < self.value:
                raise self._lie(f"bound {bound} was claimed, but {self._known()}")
            proved = heard and (status is Status.OPTIMAL or bound == self.value)
            status = Status.OPTIMAL if proved else Status.FEASIBLE
            bound = self.value if proved else bound
        message = message if proved else self._explained(message, stop_reason)
        source = "" if self.source in ("", self.backend.name) else f"The sets come from the {self.source}."
        return Result(
            problem=self.problem,
            sets=self.sets,
            status=status,
            integer_bound=None if status is Status.INFEASIBLE else bound,
            backend=self.backend.name,
            search="simultaneous",
            runtime=time.monotonic() - self.begin,
            stop_reason=stop_reason,
            message=f"{source} {message}".strip(),
            incumbents=tuple(self.incumbents),
            bounds=tuple(self.bounds),
            statistics=statistics,
            model_claim=answer.model_claim,
        )

    def _explained(self, message: str, stop_reason: StopReason) -> str:
        """Return the message of an answer that proves nothing; without one, what is missing.

        A run that has finished has proved its answer, or says why not. Heuristics never prove anything.
        """
        if message or not self.backend.exact or stop_reason is not StopReason.FINISHED:
            return message
        bound = "" if self.bound is None else f"; no solution is above {self.bound}"
        return f"{self.backend.name} has finished, but has proved nothing about better solutions{bound}."

    def _native(self, answer: BackendAnswer) -> tuple[Status, StopReason]:
        if not isinstance(answer, BackendAnswer):
            raise SolverError(f"{self.backend.name}: returned {answer!r} instead of a BackendAnswer")
        try:
            status, stop_reason = Status(answer.status), StopReason(answer.stop_reason)
        except ValueError as error:
            raise self._lie(str(error)) from None
        if status is Status.FEWER:
            raise self._lie("FEWER was claimed, which only a sequential search can prove")
        return status, stop_reason

    def _inverted(self, sets: Sequence[Iterable[int]]) -> Family:
        try:
            listed = [[_feature(j) for j in members] for members in sets]
        except TypeError:
            raise self._lie(f"{sets!r} are not sets of feature numbers") from None
        return ordered(self.problem, self.reduction.invert(listed))

    def _known(self) -> str:
        return f"{list(self.sets)}, found by {self.source}, have {self.value}"

    def _lie(self, evidence: str) -> FalseClaimError:
        return FalseClaimError(f"{self.backend.name}: {evidence}")


def _feature(number: int) -> int:
    if isinstance(number, bool):
        raise TypeError
    return index(number)


@contextmanager
def answered(task: Task, problem: Any, control: Control) -> Iterator[BackendAnswer]:
    """Yield the task's answer; without one, say in `stop_reason` and `message` what happened.

    An isolated task gets a worker (`pyfsel.solving.workers`), which is released after the ``with`` block. The
    worker is killed with everything it started when a deadline passes, when anything goes wrong in the block,
    and when this process ends in whatever way: so claims are checked inside the block.

    Raises
    ------
    SolverError
        If its process cannot be started.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> from pyfsel.problem.instance import Instance
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=2, max_shared=2)
    >>> with answered(get_backend("brute-force"), problem, Control()) as answer:
    ...     answer.sets
    ((0, 1),)
    """
    if not task.isolated:
        yield _answered_here(task, problem, control)
        return
    from pyfsel.solving.workers import in_worker

    with in_worker(task, problem, control) as answer:
        yield answer


def _answered_here(task: Task, problem: Any, control: Control) -> BackendAnswer:
    try:
        return task.solve(problem, control)
    except (FalseClaimError, InputError):
        raise
    except Exception as error:
        from pyfsel.drivers.processes.guarded import StartError
        from pyfsel.drivers.processes.serving import failure

        if isinstance(error, StartError):
            raise SolverError(f"{task.name}: {error}") from error
        return no_answer(*failure(task.name, error))
