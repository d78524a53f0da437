"""A verified smallest set and what is proved about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyfsel.errors import FalseClaimError
from pyfsel.papers.consistency.problem import ConsistencyProblem
from pyfsel.papers.consistency.verify import consistency_violations, inconsistency_rate
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Status, StopReason


@dataclass(frozen=True)
class ConsistencyResult:
    """A feature set that was checked, and a bound on the size.

    Parameters
    ----------
    problem : ConsistencyProblem
    features : tuple of int or None
    status : Status
        OPTIMAL: no smaller set exists.
    bound : int or None
        Proved lower bound on the size.
    backend : str
    runtime : float
        Wall-clock seconds.
    stop_reason : StopReason
    message : str
    statistics : mapping

    Raises
    ------
    FalseClaimError
        If the set violates the problem, or status, set and bound cannot all be true.
    """

    problem: ConsistencyProblem
    features: FeatureSet | None
    status: Status
    bound: int | None
    backend: str
    runtime: float
    stop_reason: StopReason = StopReason.FINISHED
    message: str = ""
    statistics: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        evidence = [] if self.features is None else consistency_violations(self.problem, self.features)
        if (self.features is None) != (self.status in (Status.INFEASIBLE, Status.NOT_SOLVED)):
            evidence.append(f"{self.status} was claimed with the set {self.features}")
        if self.features is not None and self.bound is not None:
            if self.bound > len(self.features):
                evidence.append(f"bound {self.bound} was claimed for a set of {len(self.features)} features")
            if self.status is Status.OPTIMAL and self.bound != len(self.features):
                evidence.append(f"OPTIMAL was claimed with {len(self.features)} features, bound {self.bound}")
        if evidence:
            raise FalseClaimError(f"{self.backend}: " + "; ".join(evidence))

    @property
    def rate(self) -> float | None:
        """Inconsistency rate of the set (001 Eq. 2), recomputed; None without a set."""
        return None if self.features is None else inconsistency_rate(self.problem, self.features)

    @property
    def feature_names(self) -> list[str]:
        """The names of the selected features."""
        return [self.problem.feature_names[j] for j in self.features or ()]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "status": str(self.status),
            "size": None if self.features is None else len(self.features),
            "bound": self.bound,
            "rate": self.rate,
            "features": self.feature_names,
            "indices": None if self.features is None else list(self.features),
            "backend": self.backend,
            "runtime": self.runtime,
            "stop_reason": str(self.stop_reason),
            "message": self.message,
            "statistics": dict(self.statistics),
        }
