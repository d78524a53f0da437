"""Answers of backends: statuses, incumbents, bounds, steps, and what contradicts itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.results.control import Control
from pyfsel.results.saved_entry import Saved
from pyfsel.results.verify import require_true, violations

PROVED_BY = "proved_by"
"""The statistic that names which one of a backend's searches has finished its proof."""
FLOAT_TOLERANCE = 1e-9
"""What adding up floats may be off, relative to the sum."""
PAIRS_MEASURED = "pairs_measured"
"""The statistic of how many redundancies were computed on demand."""


class Status(StrEnum):
    """What is known.

    FEWER is for a sequential search of several sets: each set is optimal given the earlier ones, and no
    further one exists.
    """

    OPTIMAL = "OPTIMAL"
    FEASIBLE = "FEASIBLE"
    FEWER = "FEWER"
    INFEASIBLE = "INFEASIBLE"
    NOT_SOLVED = "NOT_SOLVED"


PROVED = (Status.OPTIMAL, Status.FEWER, Status.INFEASIBLE)


def status_of(found: object, is_proved: object) -> Status:
    """Return what is known: whether something was found, and whether it is proved that there is no more.

    Examples
    --------
    >>> str(status_of([(0, 1)], is_proved=False)), str(status_of([], is_proved=True))
    ('FEASIBLE', 'INFEASIBLE')
    """
    if found:
        return Status.OPTIMAL if is_proved else Status.FEASIBLE
    return Status.INFEASIBLE if is_proved else Status.NOT_SOLVED


class ModelGoal(StrEnum):
    """What a model asks for."""

    MINIMIZE = "minimize"
    MAXIMIZE = "maximize"
    SATISFY = "satisfy"


class StopReason(StrEnum):
    """Why a run ended; of several runs the last of these counts: a user who interrupts is always heard."""

    FINISHED = "finished"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    EVALUATION_LIMIT = "evaluation_limit"
    ERROR = "error"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class ReportedIncumbent(Saved):
    """A solution met on the way: seconds since the start, integer objective, sets."""

    KEYS: ClassVar = {"objective": "integer_objective"}

    time: float
    objective: int
    sets: Family


@dataclass(frozen=True)
class ProvedBound(Saved):
    """An upper bound on the integer objective, and the seconds after the start at which it was proved."""

    KEYS: ClassVar = {"bound": "integer_bound"}

    time: float
    bound: int


@dataclass(frozen=True)
class ModelClaim(Saved):
    """What a solver says about a model of the user's own, in terms of that model's objective; unchecked.

    Parameters
    ----------
    status : Status
        OPTIMAL: the sets are best for *its* objective, whatever they are worth to the problem.
    goal : ModelGoal
    objective : number or None
        Its objective for the sets, as the solver states it; None without sets or without an objective.
    bound : number or None
        What the solver has proved that its objective cannot pass.
    """

    status: Status
    goal: ModelGoal
    objective: int | float | None = None
    bound: int | float | None = None

    def __str__(self) -> str:
        if self.goal is ModelGoal.SATISFY:
            return f"{self.status} for a model without an objective"
        value = "" if self.objective is None else f": {self.objective:.10g}"
        bound = "" if self.bound is None else f", bound {self.bound:.10g}"
        return f"{self.status} for its own objective ({self.goal}){value}{bound}"


@dataclass(frozen=True)
class SequentialStep(Saved):
    """One step of a sequential search: a set that is best given the sets before it, or why there is none."""

    KEYS: ClassVar = {"features": "indices", **ReportedIncumbent.KEYS, **ProvedBound.KEYS}

    status: Status
    features: FeatureSet | None
    objective: int | None
    bound: int | None
    stop_reason: StopReason
    runtime: float
    backend: str
    model_claim: ModelClaim | None = None


@dataclass(frozen=True)
class Stated:
    """The objective of sets as a solver itself states it, or by the numbers that a search of ours works with.

    A mistake between us and the solver shows here if it concerns these sets; one that hides better sets does
    not: that is for a proof by another backend.

    Parameters
    ----------
    value : number
        Its number in the problem's integers: times the factor and plus the offset that its model declares.
    margin : float
        How far the solver's floats may put that number off.

    Examples
    --------
    >>> Stated(48.0000001, 1e-6).differs_from(48), Stated(47, 1e-6).differs_from(48)
    (False, True)
    """

    value: int | float
    margin: float = 0.0

    def differs_from(self, objective: int) -> bool:
        """Return whether it cannot be this objective."""
        return abs(self.value - objective) > self.margin

    def exceeds(self, objective: int) -> bool:
        """Return whether it is more than this objective."""
        return self.value - objective > self.margin


@dataclass(frozen=True)
class BackendAnswer:
    """A backend's claim about a problem; nothing in it is believed before it is checked.

    `bound` is an integer upper bound on the integer objective, where the backend has proved one. `stated` is
    what its own solver says that the sets are worth: in an optimum exactly that, in other solutions it may be
    less where a model leaves variables slack. `model_claim`, of a model of the user's own, is what its solver
    says about the model's own objective.
    """

    status: Status
    sets: Family | None = None
    bound: int | None = None
    stop_reason: StopReason = StopReason.FINISHED
    statistics: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    model_claim: ModelClaim | None = None
    stated: Stated | None = None

    @classmethod
    def unproved(
        cls,
        sets: Family | None,
        bound: int | None = None,
        stop_reason: StopReason = StopReason.TIME_LIMIT,
        statistics: Mapping[str, Any] | None = None,
        message: str = "",
    ) -> BackendAnswer:
        """Return what a search has when it ends without a proof: sets and bound, if any."""
        return cls(status_of(sets, False), sets, bound, stop_reason, statistics or {}, message)


def check_claim(
    who: str,
    problem: Instance,
    status: Status,
    sets: Sequence[FeatureSet],
    bound: int | None,
    stated: Stated | None = None,
) -> None:
    """Raise `FalseClaimError` if sets, status, integer bound and stated objective cannot all be true.

    Whether OPTIMAL and INFEASIBLE are true cannot be decided here; backends are compared for that.
    """
    evidence = violations(problem, sets) if sets else []
    if sets and status in (Status.INFEASIBLE, Status.NOT_SOLVED):
        evidence.append(f"{status} was claimed together with sets {list(sets)}")
    if not sets and status in (Status.OPTIMAL, Status.FEASIBLE, Status.FEWER):
        evidence.append(f"{status} was claimed without sets")
    if sets and not evidence:
        objective, optimal = values.total(problem, sets), status is Status.OPTIMAL
        if bound is not None and bound < objective:
            evidence.append(f"bound {bound} is below the objective {objective} of the sets")
        if bound is not None and optimal and bound != objective:
            evidence.append(f"OPTIMAL was claimed with bound {bound}, the sets have {objective}")
        if bound is not None:
            evidence += _floats_above(problem, sets, bound)
        if stated is not None and (stated.differs_from if optimal else stated.exceeds)(objective):
            evidence.append(f"its solver states the objective {stated.value} for sets that have {objective}")
    require_true(who, evidence)


def _floats_above(problem: Instance, sets: Sequence[FeatureSet], bound: int) -> list[str]:
    """Return that the objective in floats is above a bound by more than the stated rounding, if it is."""
    reached = values.quality_total(problem, sets)
    limit = values.proved_limit(problem, bound)
    if reached <= limit + FLOAT_TOLERANCE * max(1.0, abs(limit), abs(reached)):
        return []
    return [f"bound {limit} is below the objective {reached} of the sets, computed in floats"]


class Task(ABC):
    """Solves something within its limits; a backend is one.

    Attributes
    ----------
    name : str
    isolated : bool
        Whether it runs in a child process, which can be killed.
    shares_worker : bool
        Whether the child process may have loaded the libraries of others.
    slow_imports : tuple of str
        Modules that need seconds to load, such as the modules of a solver.
    basis : tuple of str
        Names of the models, searches and solvers on which its proofs rest.
    """

    name: str
    isolated: ClassVar[bool] = True
    shares_worker: bool = True
    slow_imports: ClassVar[tuple[str, ...]] = ()
    basis: tuple[str, ...] = ()

    @abstractmethod
    def solve(self, problem: Any, control: Control) -> BackendAnswer:
        """Solve a problem, in a backend for all its sets at once, and return a claim.

        Sets are 0-based indices in any order. It keeps to the deadline of `control.limits` as well as it can;
        an isolated one is killed soon after.
        """


def no_answer(stop_reason: str, message: str = "") -> BackendAnswer:
    """Return what is known of a task that ended without an answer."""
    return BackendAnswer(Status.NOT_SOLVED, stop_reason=StopReason(stop_reason), message=message)
