"""Several problems solved for one question: limits, Ctrl-C, decisions left open, and the staircase."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf
from types import FrameType
from typing import Any

from pyfsel.backends import get_backend
from pyfsel.backends.base import Backend
from pyfsel.errors import FalseClaimError, InputError, PyfselError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.results.backend_answer import (
    PROVED,
    BackendAnswer,
    ProvedBound,
    ReportedIncumbent,
    Status,
    StopReason,
    Task,
)
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.control import Control, Limits
from pyfsel.results.jobs import handling
from pyfsel.results.result import Result
from pyfsel.solving.attempt import answered
from pyfsel.solving.confirm import ClaimToConfirm, confirm, part_of
from pyfsel.solving.least_share import single_set
from pyfsel.solving.solve import solve

SHORTEST_STEP_SECONDS = 0.2  # in less, a backend in a process of its own hardly starts


class Asking:
    """Solves the problems of one question within its limits.

    Parameters
    ----------
    backend, formulation
        As in `pyfsel.solving.solve.solve`.
    confirm : str or Backend, optional
        Prove again on what a proved answer rests, in as much time again.
    on_progress : callable, optional
        Called with the problem for every better solution or bound of it.
    **limits
        The time limit for the whole question, and the other limits of `pyfsel.solving.solve.solve`.

    Attributes
    ----------
    used : dict of str to Backend
        By name: what has solved any of the problems, or is the basis of what has.
    is_refused : bool
        Whether a backend refused a problem after the first: harder ones are not tried.
    """

    def __init__(
        self,
        backend: str | Backend = "auto",
        formulation: str | None = None,
        confirm: str | Backend | None = None,
        on_progress: Callable[[Instance, ReportedIncumbent | ProvedBound], None] | None = None,
        **limits: Any,
    ) -> None:
        self.backend, self.formulation, self.confirm = backend, formulation, confirm
        self._on_progress = on_progress
        self._limits = {"time_limit": None, **limits}
        self.limits = Limits.starting_now(**self._limits)
        self.used: dict[str, Backend] = {}
        self.stop_reason, self.message, self.left_open = StopReason.FINISHED, "", ""
        self.is_refused = False
        self._interrupts = HeldInterrupts()
        self._unjudged = ExitStack()
        if isinstance(confirm, str) and confirm != "auto":
            get_backend(confirm, "confirm")

    def __enter__(self) -> Asking:
        self._interrupts.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._interrupts.__exit__()
        self._unjudged.__exit__(*exception)

    @property
    def runtime(self) -> float:
        """Seconds since the question was asked."""
        return time.monotonic() - self.limits.start

    def is_stopped(self) -> bool:
        """Return whether the time is up, the user has interrupted, or no backend goes on."""
        if self.stop_reason is StopReason.FINISHED and self.limits.expired():
            self.stop_reason = StopReason.TIME_LIMIT
        self._hear_interrupts()
        is_ended = self.stop_reason in (StopReason.INTERRUPTED, StopReason.ERROR)
        return is_ended or self.is_refused or self.limits.expired()

    def _hear_interrupts(self) -> None:
        if self._interrupts.came:
            self.stop_reason = StopReason.INTERRUPTED

    def solve(self, problem: Instance, asked: str, share: float = 1.0) -> Result | None:
        """Solve a problem with a fraction of the time left; None without time or an answer.

        Raises
        ------
        SolverError, InputError
            If the backend crashed in the first of all problems, or refuses it; later ones are left open.
        """
        self._unjudged.close()
        left = self.limits.remaining()  # not 0 where the search is not stopped after it was read
        if self.is_stopped():
            return None
        within = min(left, max(share * left, SHORTEST_STEP_SECONDS))
        try:
            with self._interrupts.let_through():
                result = solve(
                    problem,
                    self.backend,
                    "simultaneous",
                    formulation=self.formulation,
                    on_progress=self._on_progress and partial(self._on_progress, problem),
                    **{**self._limits, "time_limit": within if within < inf else None},
                )
        except KeyboardInterrupt:
            self.stop_reason = StopReason.INTERRUPTED
            return None
        except FalseClaimError:
            raise
        except PyfselError as error:
            if not self.used:
                raise
            said, self.is_refused = str(error).partition("\n")[0], isinstance(error, InputError)
            if self.is_refused:
                self.left_open = said
            else:
                self.stop_reason, self.message = StopReason.ERROR, said
            return None
        name = result.backend
        self.used[name] = get_backend(name) if isinstance(self.backend, str) else self.backend
        if result.stop_reason is not StopReason.FINISHED:
            self.stop_reason = result.stop_reason
        if result.status not in PROVED:
            self.left_open = f"{name} has proved nothing about: {asked}."
        return result

    def best_set(self, problem: Instance) -> Result | None:
        """Return the best single set, to which losses of quality refer."""
        return self.solve(single_set(problem).replace(min_quality=None), "the best set", 0.5)

    def run(
        self,
        part: Task,
        problem: Any,
        report_sets: Callable[[Sequence[Iterable[int]]], None],
        report_bound: Callable[[int], None] = lambda bound: None,
        hint: Family | None = None,
        share: float = 1.0,
    ) -> BackendAnswer:
        """Run a task that is made for one question, in a worker, with a share of the time.

        What it reports has still to be verified, by the callables that take it; so has its answer, before
        the next question: only then is the worker given back.
        """
        self._unjudged.close()
        control = Control(
            limits=part_of(self.limits, share),
            hint=hint,
            report_sets=report_sets,
            report_bound=report_bound,
        )
        try:
            with self._interrupts.let_through():
                answer = self._unjudged.enter_context(answered(part, problem, control))
        except KeyboardInterrupt:
            answer = BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason.INTERRUPTED)
        if answer.stop_reason is not StopReason.FINISHED:
            self.stop_reason = answer.stop_reason
            self.message = answer.message.partition("\n")[0]
        self.used |= {name: get_backend(name) for name in part.basis if name not in self.used}
        return answer

    def ended(self, closed: bool) -> tuple[StopReason, str]:
        """Return why the question ended, and what is open; `closed` if nothing is left to be proved."""
        self._hear_interrupts()
        if closed:
            return StopReason.FINISHED, self.message
        left_open = self.left_open if self.stop_reason is StopReason.FINISHED else ""
        return self.stop_reason, self.message or left_open

    def confirmation(self, claims: Sequence[tuple[Instance, Family]]) -> Confirmation | None:
        """Prove again on what an answer rests, within the time limit of the question.

        Parameters
        ----------
        claims : sequence of problems with sets
            That the sets are best for the problem; without sets, that there are none.

        Returns
        -------
        Confirmation or None
            None without claims, or if it was not requested.

        Raises
        ------
        FalseClaimError
            If a claim is false.
        """
        self._hear_interrupts()
        if self.confirm is None or self.stop_reason is StopReason.INTERRUPTED:
            return None
        solvers = tuple(self.used.values())
        with self._interrupts.let_through():
            confirmation = confirm(
                [ClaimToConfirm(problem, sets, solvers) for problem, sets in claims],
                self.confirm,
                self.limits.again(),
            )
        return confirmation and confirmation.without_contradiction()

    def decide(self, problem: Instance, asked: str, share: float) -> Result | None:
        """Find sets that reach the minimum quality of a problem, or prove that none exist.

        The value of the best single set decides whether any reaches the minimum quality.

        Returns
        -------
        Result or None
            With sets, or INFEASIBLE; None if it stays open.
        """
        least = problem.min_quality
        if least is None or problem.n_sets > 1:
            result = self.solve(problem, asked, share)
        else:
            result = self.solve(problem.replace(min_quality=None), asked, share)
            result = result and _limited(result, least)
        if result is None or (not result.sets and result.status is not Status.INFEASIBLE):
            return None
        return result


def _limited(result: Result, least: int) -> Result | None:
    """Return the result of a problem without a least value as one of the problem with it, None if open."""
    problem = result.problem.replace(min_quality=least)
    if result.sets and values.value(problem, result.sets[0]) >= least:
        return replace(result, problem=problem)
    none_left = result.integer_bound is not None and result.integer_bound < least
    if result.status is not Status.INFEASIBLE and not none_left:
        return None
    return result.restated(problem, Status.INFEASIBLE, sets=())


def climb(
    yes: int,
    no: int,
    ask: Callable[[int], bool | None],
    is_stopped: Callable[[], bool] = lambda: False,
) -> tuple[int, int]:
    """Find the last of ever harder problems that has a solution.

    Steps double as long as there are solutions, since harder problems can take much longer; then the rest is
    bisected.

    Parameters
    ----------
    yes, no : int
        Numbers of a problem with and one without a solution, which need not be asked; `yes` is the smaller.
    ask : callable
        Whether a problem has a solution; None if that stays open, and all others are still asked.
    is_stopped : callable

    Returns
    -------
    tuple of int
        The nearest numbers with a proved answer.

    Examples
    --------
    >>> climb(0, 100, lambda number: number <= 41)
    (41, 42)
    """
    unknown: set[int] = set()
    step = 1
    while not is_stopped():
        number = min(yes + step, no - 1) if step else _between(yes, no, unknown)
        if number is None or number == yes:
            break
        answer = ask(number)
        step = 2 * step if answer else 0
        if answer is None:
            unknown.add(number)
        elif answer:
            yes = number
        else:
            no = number
    return yes, no


def _between(yes: int, no: int, unknown: set[int]) -> int | None:
    """Return the middle of the first gap between numbers that were asked."""
    asked = [yes, *sorted(number for number in unknown if yes < number < no), no]
    gaps = ((one + other) // 2 for one, other in pairwise(asked) if other - one > 1)
    return next(gaps, None)


class HeldInterrupts:
    """Within the block the first Ctrl-C raises `KeyboardInterrupt` where it is let through, and only there.

    A second one raises anywhere. Nothing changes outside of the main thread, which alone gets it.

    Attributes
    ----------
    came : bool
        Whether one was held back.

    Examples
    --------
    >>> with HeldInterrupts() as held:
    ...     signal.raise_signal(signal.SIGINT)
    ...     held.came
    True
    """

    def __init__(self) -> None:
        self.came = False
        self._is_through = False
        self._block = handling(signal.SIGINT, self._take)

    def __enter__(self) -> HeldInterrupts:
        self._handler = self._block.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._block.__exit__(None, None, None)

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Raise `KeyboardInterrupt` at once inside this block, also for one that was held back before."""
        self._is_through = True
        try:
            if self.came:
                raise KeyboardInterrupt
            yield
        finally:
            self._is_through = False

    def _take(self, number: int, frame: FrameType | None) -> None:
        if not self._is_through and not self.came:
            self.came = True
        elif callable(self._handler):
            self._handler(number, frame)
        else:
            raise KeyboardInterrupt
