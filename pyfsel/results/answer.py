"""What a backend says: statuses, incumbents, bounds, steps, the answer, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pyfsel.errors import VerificationError
from pyfsel.problem import values
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.saved_entry import Entry
from pyfsel.results.verify import violations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PROVED_BY = "proved_by"
"""The statistic that names which one of a backend's searches has finished its proof."""
PAIRS_MEASURED = "pairs_measured"
"""The statistic of how many redundancies were computed on demand."""


class Status(StrEnum):
    """What we hold."""

    OPTIMAL = "OPTIMAL"
    FEASIBLE = "FEASIBLE"
    INFEASIBLE = "INFEASIBLE"
    NOT_SOLVED = "NOT_SOLVED"


PROVED = (Status.OPTIMAL, Status.INFEASIBLE)


class StopReason(StrEnum):
    """Why a run ended."""

    FINISHED = "finished"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    EVALUATION_LIMIT = "evaluation_limit"
    INTERRUPTED = "interrupted"
    ERROR = "error"


@dataclass(frozen=True)
class Incumbent:
    """A solution met on the way: seconds since the start, integer objective, sets."""

    time: float
    objective: int
    sets: tuple[FeatureSet, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "time": self.time,
            "integer_objective": self.objective,
            "sets": [list(s) for s in self.sets],
        }

    @classmethod
    def of_entry(cls, entry: Entry) -> Incumbent:
        """Build it from what `to_dict` returns."""
        return cls(entry.number("time"), entry.get("integer_objective", int), entry.feature_sets("sets"))


@dataclass(frozen=True)
class ProvedBound:
    """An upper bound on the integer objective, and the seconds after the start at which it was proved."""

    time: float
    bound: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"time": self.time, "integer_bound": self.bound}

    @classmethod
    def of_entry(cls, entry: Entry) -> ProvedBound:
        """Build it from what `to_dict` returns."""
        return cls(entry.number("time"), entry.get("integer_bound", int))


@dataclass(frozen=True)
class Step:
    """One step of a sequential search: a set that is best given the sets before it, or why there is none."""

    status: Status
    features: FeatureSet | None
    objective: int | None
    bound: int | None
    stop_reason: StopReason
    runtime: float
    backend: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "status": str(self.status),
            "indices": None if self.features is None else list(self.features),
            "integer_objective": self.objective,
            "integer_bound": self.bound,
            "stop_reason": str(self.stop_reason),
            "runtime": self.runtime,
            "backend": self.backend,
        }

    @classmethod
    def of_entry(cls, entry: Entry) -> Step:
        """Build it from what `to_dict` returns."""
        return cls(
            status=entry.word("status", Status),
            features=None if entry.get("indices", object) is None else entry.features("indices"),
            objective=entry.integer_or_none("integer_objective"),
            bound=entry.integer_or_none("integer_bound"),
            stop_reason=entry.word("stop_reason", StopReason),
            runtime=entry.number("runtime"),
            backend=entry.get("backend", str),
        )


@dataclass(frozen=True, eq=False)
class SetsAbove:
    """All the sets that a problem for one set allows, from a value on.

    Parameters
    ----------
    sets : array of int, shape (m, set_size)
        By decreasing value, features in increasing order.
    values : array of int, shape (m,)
    least : int
        Sets that are worth less are not in it.
    """

    sets: NDArray[np.int64]
    values: NDArray[np.int64]
    least: int


@dataclass(frozen=True)
class Answer:
    """A backend's claim about a problem; nothing in it is believed before it is checked.

    `bound` is an integer upper bound on the integer objective, where the backend has one. `above`, where
    `Control.further_sets` asks for it and it pays: sets with which a sequential search can go on.
    """

    status: Status
    sets: tuple[FeatureSet, ...] | None = None
    bound: int | None = None
    stop_reason: StopReason = StopReason.FINISHED
    statistics: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    above: SetsAbove | None = None


def check_claim(
    who: str,
    problem: Problem,
    status: Status,
    sets: Sequence[FeatureSet],
    bound: int | None,
) -> None:
    """Raise `VerificationError` if sets, status and bound cannot all be true (see `contradictions`)."""
    evidence = contradictions(problem, status, sets, bound)
    if evidence:
        raise VerificationError(f"{who}: " + "; ".join(evidence))


def contradictions(
    problem: Problem, status: Status, sets: Sequence[FeatureSet], bound: int | None
) -> list[str]:
    """Return why sets, status and integer bound cannot all be true, one sentence each.

    Notes
    -----
    What cannot be decided here, whether OPTIMAL and INFEASIBLE are true, is decided by comparing backends.
    """
    evidence = violations(problem, sets) if sets else []
    if sets and status in (Status.INFEASIBLE, Status.NOT_SOLVED):
        evidence.append(f"{status} was claimed together with sets {list(sets)}")
    if not sets and status in (Status.OPTIMAL, Status.FEASIBLE):
        evidence.append(f"{status} was claimed without sets")
    if sets and not evidence and bound is not None:
        objective = values.total(problem, sets)
        if bound < objective:
            evidence.append(f"bound {bound} is below the objective {objective} of the sets")
        if status is Status.OPTIMAL and bound != objective:
            evidence.append(f"OPTIMAL was claimed with bound {bound}, the sets have {objective}")
    return evidence
