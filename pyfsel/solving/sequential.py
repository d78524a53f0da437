"""Sequential search: one set after another, each best given those before it (000, Definitions 2 and 3)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from pyfsel.algorithms.heuristics import greedy_replacement
from pyfsel.backends.base import Backend, refusal
from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SUM_AND_MIN, FeatureSet
from pyfsel.results.answer import (
    PAIRS_MEASURED,
    PROVED,
    PROVED_BY,
    Incumbent,
    ProvedBound,
    Status,
    Step,
    StopReason,
    check_claim,
)
from pyfsel.results.control import Control, Limits
from pyfsel.results.result import Result
from pyfsel.solving.attempt import Callbacks, Known, Outcome, attempt
from pyfsel.solving.workers import prepare

SHORTEST_SHARE = 1.0  # seconds, of which starting a process takes some
OVERTIME_SECONDS = 1.0
MOST_GREEDY_SETS = 1000  # to verify more takes seconds: every two are compared
SECONDS = ("compile_seconds", "solve_seconds")


def sequential_search(
    problem: Instance,
    backend: Backend,
    limits: Limits | None = None,
    formulation: str | None = None,
    callbacks: Callbacks = Callbacks(),  # noqa: B008 - never changes
) -> Result:
    """Find one set after another, each best given those before it.

    A step keeps the bounds of the ones before it, because a further previous set makes no optimum larger.

    Parameters
    ----------
    problem : Instance
        Its `n_sets` is the maximum number of steps.
    backend : Backend
    limits : Limits, optional
        Each step may use its equal share of the time that is left, or a second if that is more; all of it
        if it has found no set by then. A second after the deadline the search ends, whatever number of
        greedy sets is still to come.
    formulation : str, optional
        The backend's default if not given.
    callbacks : Callbacks
        Called with every better solution and every better bound of a step.

    Raises
    ------
    InputError
        If the backend does not do sequential search, or cannot take the problems of its steps.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> sequential_search(problem, get_backend("brute-force")).sets
    ((0, 1), (0, 2), (1, 2))
    """
    backend.require_search("sequential")
    formulation = formulation or backend.formulations[0]
    why_not = unsupported_steps(backend, problem, formulation)
    if why_not is not None:
        raise InputError(f"backend={backend.name!r}: {why_not}")
    return _Sequence(problem, backend, limits or Limits(), formulation, callbacks).run()


class _Sequence:
    """The steps taken so far, and what they have left for the next one."""

    def __init__(
        self, problem: Instance, backend: Backend, limits: Limits, formulation: str, callbacks: Callbacks
    ) -> None:
        self.problem = problem
        self.backend = backend
        self.limits = limits
        self.formulation = formulation
        self.callbacks = callbacks
        self.steps: list[Step] = []
        self.incumbents: list[Incumbent] = []
        self.bounds: list[ProvedBound] = []
        self._next_problem = problem.after([])
        self._known_bound: int | None = None
        self.message = ""
        self.statistics = dict.fromkeys(SECONDS, 0.0)
        self._provers: dict[str, None] = {}
        self._sequence = backend.sequence(problem, Control(limits, formulation))

    @property
    def sets(self) -> tuple[FeatureSet, ...]:
        """The sets found so far, the original one first."""
        return tuple(step.features for step in self.steps if step.features is not None)

    def run(self) -> Result:
        """Take the steps until one has no set, or the user interrupts; return the result."""
        while len(self.steps) < self.problem.n_sets:
            step = self._step()
            if step.features is None or step.stop_reason is StopReason.INTERRUPTED:
                break
        return self._result()

    def _step(self) -> Step:
        begin = time.monotonic()
        step_problem = self._next_problem
        if self._is_too_late():
            outcome = Outcome(Status.NOT_SOLVED, (), None, StopReason.TIME_LIMIT)
        elif self._sequence is None:
            outcome = self._attempt(step_problem)
        else:
            outcome = self._take_from(self._sequence, step_problem)
        step = Step(
            status=outcome.status,
            features=outcome.sets[0] if outcome.sets else None,
            objective=values.value(self.problem, outcome.sets[0]) if outcome.sets else None,
            bound=outcome.bound,
            stop_reason=outcome.stop_reason,
            runtime=time.monotonic() - begin,
            backend=self.backend.name,
            model_claim=outcome.model_claim,
        )
        self.steps.append(step)
        if step.features is not None:
            self._next_problem = step_problem.after([step.features])
            self._keep(outcome.bound)
        self.message = outcome.message or self.message
        self.incumbents += outcome.incumbents
        self.bounds += outcome.bounds
        for name in outcome.statistics.keys() & {*SECONDS, PAIRS_MEASURED}:
            self.statistics[name] = self.statistics.get(name, 0) + outcome.statistics[name]
        if PROVED_BY in outcome.statistics:
            self._provers[outcome.statistics[PROVED_BY]] = None
        return step

    def _keep(self, bound: int | None) -> None:
        """Keep the bound: a further previous set makes no optimum larger."""
        if bound is not None:
            self._known_bound = bound if self._known_bound is None else min(bound, self._known_bound)

    def _is_too_late(self) -> bool:
        deadline = self.limits.deadline
        return bool(self.steps) and deadline is not None and time.monotonic() > deadline + OVERTIME_SECONDS

    def _attempt(self, step_problem: Instance) -> Outcome:
        """Take a step in its share of the time; without a set no later step can use what is left."""
        outcome = self._attempt_within(self._share_of_limits, step_problem)
        if outcome.sets or outcome.stop_reason is not StopReason.TIME_LIMIT or not self.limits.remaining():
            return outcome
        return self._attempt_within(lambda: self.limits, step_problem)

    def _attempt_within(self, limits: Callable[[], Limits], step_problem: Instance) -> Outcome:
        try:
            left = self.limits.remaining()
            if left is not None and not self.steps and self.backend.slow_imports:
                # a worker that its share ends while it loads would never get warm
                prepare(self.backend, left)
            return attempt(
                self.backend,
                step_problem,
                limits(),  # they begin when the solver is loaded
                self.formulation,
                self.callbacks,
                Known(bound=self._known_bound),
            )
        except KeyboardInterrupt:
            return Outcome(Status.NOT_SOLVED, (), None, StopReason.INTERRUPTED)
        except FalseClaimError:
            raise
        except SolverError as error:
            if not self.steps:
                raise
            return Outcome(Status.NOT_SOLVED, (), None, StopReason.ERROR, str(error))

    def _share_of_limits(self) -> Limits:
        left = self.limits.remaining()
        share = None if left is None else max(left / (self.problem.n_sets - len(self.steps)), SHORTEST_SHARE)
        return self.limits.within(share)

    def _take_from(self, sequence: Iterator[FeatureSet], step_problem: Instance) -> Outcome:
        try:
            found = next(sequence, None)
        except KeyboardInterrupt:
            return Outcome(Status.NOT_SOLVED, (), None, StopReason.INTERRUPTED)
        if found is None:
            late = self.limits.remaining() == 0
            return Outcome(
                Status.NOT_SOLVED, (), None, StopReason.TIME_LIMIT if late else StopReason.FINISHED
            )
        check_claim(self.backend.name, step_problem, Status.FEASIBLE, [found], None)
        return Outcome(Status.FEASIBLE, (found,), None, StopReason.FINISHED, source=self.backend.name)

    def _result(self) -> Result:
        """Return what was found so far.

        If some step is unproved and Greedy Replacement does better as a whole (of at most 1,000
        sets, which are checked fast), its sets are returned.
        """
        sets = self.sets
        statuses = [step.status for step in self.steps]
        proved = all(status in PROVED for status in statuses)
        message = self.message
        is_plain = len(self.problem.relatives) == 0
        if not proved and is_plain and self.backend.exact and self.problem.n_sets <= MOST_GREEDY_SETS:
            greedy = tuple(greedy_replacement(self.problem))
            if _rank(self.problem, greedy) > _rank(self.problem, sets):
                sets, message = greedy, f"The sets come from greedy-replacement. {message}".strip()
        return Result(
            problem=self.problem,
            sets=sets,
            status=status_of_steps(self.problem, statuses, len(sets)),
            integer_bound=self._bound_of_one() if sets == self.sets else None,
            backend=self.backend.name,
            search="sequential",
            runtime=time.monotonic() - self.limits.start,
            stop_reason=self._stop_reason(),
            message=message,
            steps=tuple(self.steps) if sets == self.sets else (),
            incumbents=tuple(self.incumbents),
            bounds=tuple(self.bounds),
            statistics=self.statistics | ({PROVED_BY: ", ".join(self._provers)} if self._provers else {}),
        )

    def _bound_of_one(self) -> int | None:
        """Return the bound of a search for one set; of several there is none on all of them together."""
        return self.steps[0].bound if self.problem.n_sets == 1 and self.steps else None

    def _stop_reason(self) -> StopReason:
        reasons = [step.stop_reason for step in self.steps]
        return next((r for r in reasons if r is not StopReason.FINISHED), StopReason.FINISHED)


def status_of_steps(problem: Instance, statuses: Sequence[Status], n_found: int) -> Status:
    """Return what the statuses of the steps amount to.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7], n_sets=2, k=2, max_shared=0)
    >>> str(status_of_steps(problem, [Status.OPTIMAL, Status.INFEASIBLE], 1))
    'FEWER'
    """
    if not n_found:
        return statuses[0] if statuses else Status.NOT_SOLVED
    if not all(status in PROVED for status in statuses):
        return Status.FEASIBLE
    if n_found == problem.n_sets:
        return Status.OPTIMAL
    return Status.FEWER if statuses[-1] is Status.INFEASIBLE else Status.FEASIBLE


def typical_step(problem: Instance) -> Instance:
    """Return a problem such as the later steps of a sequential search are, to ask who takes it."""
    allowed = (j for j in range(problem.n_features) if j not in problem.forbidden)
    return problem.after([tuple(islice(allowed, problem.k))] if problem.n_sets > 1 else [])


def unsupported_steps(backend: Backend, problem: Instance, formulation: str) -> str | None:
    """Return why the backend cannot do the steps of a sequential search, or None."""
    if problem.aggregate not in SUM_AND_MIN and problem.n_sets > 1:
        return f"aggregate={problem.aggregate!r} is of all sets at once (search='simultaneous')"
    by_itself = backend.sequence(problem, Control(formulation=formulation)) is not None
    return refusal(backend, problem if by_itself else typical_step(problem), formulation)


def _rank(problem: Instance, sets: tuple[FeatureSet, ...]) -> tuple[int, int]:
    return len(sets), values.total(problem, sets) if sets else 0
