"""Sequential search: one set after another, each best given those before it (000, Definitions 2 and 3)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from pyfsel.backends.base import Backend, refusal
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SUM_AND_MIN, Family, FeatureSet
from pyfsel.results.backend_answer import (
    PAIRS_MEASURED,
    PROVED,
    PROVED_BY,
    SequentialStep,
    Status,
    StopReason,
)
from pyfsel.results.control import Control, Limits
from pyfsel.results.result import Result
from pyfsel.solving.attempt import OVERTIME_SECONDS, OnProgress, attempt

SHORTEST_SHARE = 1.0  # seconds, of which starting a process takes some


def sequential_search(
    problem: Instance,
    backend: Backend,
    limits: Limits | None = None,
    formulation: str | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Find one set after another, each best given those before it.

    A step keeps the bounds of the ones before it, because a further previous set makes no optimum larger.

    Parameters
    ----------
    problem : Instance
        Its `n_sets` is the maximum number of steps.
    backend : Backend
        It does sequential search and takes the steps: see `reason_against`.
    limits : Limits, optional
        Each step may use its equal share of the time that is left, or a second if that is more; all of it
        if it has found no set by then. A second after the deadline the search ends, whatever number of
        greedy sets is still to come.
    formulation : str, optional
        The backend's default if not given.
    on_progress : callable, optional
        Called with every better solution and every better bound of a step.

    Examples
    --------
    >>> from pyfsel.backends import get_backend
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> sequential_search(problem, get_backend("brute-force")).sets
    ((0, 1), (0, 2), (1, 2))
    """
    formulation = formulation or backend.formulations[0]
    limits = limits or Limits()
    by_itself = backend.sequence(problem, Control(limits, formulation))
    return _Sequence(problem, backend, limits, formulation, on_progress, by_itself).run()


@dataclass
class _Sequence:
    """What the backend has said of the steps taken so far, and the seconds of each."""

    problem: Instance
    backend: Backend
    limits: Limits
    formulation: str
    on_progress: OnProgress | None
    by_itself: Iterator[FeatureSet] | None
    found: list[Result] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def run(self) -> Result:
        """Take the steps until one has no set, or the user interrupts; return the result."""
        asked = self.problem.after([])
        while len(self.found) < self.problem.n_sets:
            begin = time.monotonic()
            found = self._found(asked)
            self.found.append(found)
            self.seconds.append(time.monotonic() - begin)
            if not found.sets or found.stop_reason is StopReason.INTERRUPTED:
                break
            asked = asked.after(found.sets)
        steps = tuple(map(self._step, self.found, self.seconds))
        sets = tuple(step.features for step in steps if step.features is not None)
        reasons = [step.stop_reason for step in steps]
        messages = [one.message for one in self.found if one.status is not Status.OPTIMAL and one.message]
        return self._unproved(
            self.problem,
            sets=sets,
            status=status_of_steps(self.problem, [step.status for step in steps], len(sets)),
            stop_reason=max(reasons, key=list(StopReason).index),
            integer_bound=steps[0].bound if self.problem.n_sets == 1 and steps else None,
            message=messages[-1] if messages else "",
            steps=steps,
            incumbents=tuple(chain.from_iterable(one.incumbents for one in self.found)),
            bounds=tuple(chain.from_iterable(one.bounds for one in self.found)),
            statistics=self._statistics(),
        )

    def _found(self, asked: Instance) -> Result:
        """Take a step in its share of the time; without a set no later step can use what is left."""
        if self.found and self.limits.expired(OVERTIME_SECONDS):
            return self._unproved(asked, stop_reason=StopReason.TIME_LIMIT)
        try:
            if self.by_itself is not None:
                return self._taken_from(self.by_itself, asked)
            left = self.limits.remaining()
            if left and not self.found and self.backend.slow_imports:
                from pyfsel.solving.workers import prepare

                # a worker that its share ends while it loads would never get warm
                prepare(self.backend, left)
            share = max(left / (self.problem.n_sets - len(self.found)), SHORTEST_SHARE)
            found = self._attempt(asked, self.limits.within(share))
            if found.sets or found.stop_reason is not StopReason.TIME_LIMIT or self.limits.expired():
                return found
            return self._attempt(asked, self.limits)
        except KeyboardInterrupt:
            return self._unproved(asked, stop_reason=StopReason.INTERRUPTED)
        except FalseClaimError:
            raise
        except SolverError as error:
            if not self.found:
                raise
            return self._unproved(asked, stop_reason=StopReason.ERROR, message=str(error))

    def _attempt(self, asked: Instance, limits: Limits) -> Result:
        """Run the backend; a further previous set makes no optimum larger, so earlier bounds are known."""
        bounds = [found.integer_bound for found in self.found if found.integer_bound is not None]
        least = min(bounds, default=None)
        return attempt(self.backend, asked, limits, self.formulation, self.on_progress, bound=least)

    def _taken_from(self, sequence: Iterator[FeatureSet], asked: Instance) -> Result:
        sets = tuple(islice(sequence, 1))
        return self._unproved(
            asked,
            sets=sets,
            status=Status.FEASIBLE if sets else Status.NOT_SOLVED,
            stop_reason=StopReason.TIME_LIMIT if not sets and self.limits.expired() else StopReason.FINISHED,
        )

    def _unproved(self, asked: Instance, **more: Any) -> Result:
        """Return a result without a set and a bound, unless these are given."""
        usual = {"sets": (), "status": Status.NOT_SOLVED, "integer_bound": None}
        runtime = time.monotonic() - self.limits.start
        return Result(asked, backend=self.backend.name, search="sequential", runtime=runtime, **usual | more)

    def _step(self, found: Result, seconds: float) -> SequentialStep:
        features = found.sets[0] if found.sets else None
        return SequentialStep(
            status=found.status,
            features=features,
            objective=None if features is None else values.value(self.problem, features),
            bound=found.integer_bound,
            stop_reason=found.stop_reason,
            runtime=seconds,
            backend=self.backend.name,
            model_claim=found.model_claim,
        )

    def _statistics(self) -> dict[str, Any]:
        """Return the measured pairs of all steps, and who has proved any."""
        said = [one.statistics for one in self.found]
        measured = [one[PAIRS_MEASURED] for one in said if PAIRS_MEASURED in one]
        found = {PAIRS_MEASURED: sum(measured)} if measured else {}
        provers = dict.fromkeys(str(one[PROVED_BY]) for one in said if PROVED_BY in one)
        return found | ({PROVED_BY: ", ".join(provers)} if provers else {})


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


def statements(result: Result) -> Iterator[Result]:
    """Yield what a result states, each about one problem: the whole, or the steps of a sequential search.

    Raises
    ------
    FalseClaimError
        If a step is false in itself.
    """
    if result.search == "simultaneous":
        yield result
        return
    found: Family = ()
    for step in result.steps:
        own = () if step.features is None else (step.features,)
        ended = (step.backend, "simultaneous", step.runtime, step.stop_reason)
        yield Result(result.problem.after(found), own, step.status, step.bound, *ended)
        found += own


def typical_step(problem: Instance) -> Instance:
    """Return a problem such as the later steps of a sequential search are, to ask who takes it."""
    allowed = (j for j in range(problem.n_features) if j not in problem.forbidden)
    return problem.after([tuple(islice(allowed, problem.k))] if problem.n_sets > 1 else [])


def reason_against(backend: Backend, formulation: str, search: str, problem: Instance) -> str | None:
    """Return why a backend does not take a problem in a search, or None."""
    if search == "sequential":
        if problem.aggregate not in SUM_AND_MIN and problem.n_sets > 1:
            return f"search={problem.search_word!r} is of all sets at once"
        if backend.sequence(problem, Control(formulation=formulation)) is None:
            problem = typical_step(problem)
    return refusal(backend, problem, formulation)
