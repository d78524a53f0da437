"""What a search returns: the best sets, what they are worth, and the way there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import StopReason


@dataclass(frozen=True)
class Visit:
    """A set that a search went through: after how many evaluations, and its J."""

    n_evaluations: int
    features: FeatureSet
    value: float


@dataclass(frozen=True)
class SubsetResult:
    """The best sets that a search met.

    Parameters
    ----------
    method : str
    feature_names : tuple of str
        Of all features.
    sets : tuple of tuples of int
        All sets found that reach the goal as well as the best one, 0-based, by falling J: where a threshold
        asks for the smallest sets, these can differ in it. Never empty but if a search was stopped before
        it looked at anything.
    values : tuple of float
        J of each set.
    reached : bool
        Whether the sets have the size, or the J, that was asked for.
    is_proved : bool
        Whether no smaller set reaches the threshold, and `sets` are all of this size that do (ABB).
    n_evaluations : int
        Number of different sets whose J was computed.
    trace : tuple of Visit
        The steps of a stepwise search, the improvements of the others.
    stop_reason : StopReason
    runtime : float
        Seconds.
    """

    method: str
    feature_names: tuple[str, ...]
    sets: tuple[FeatureSet, ...]
    values: tuple[float, ...]
    reached: bool
    is_proved: bool
    n_evaluations: int
    trace: tuple[Visit, ...]
    stop_reason: StopReason
    runtime: float

    @property
    def features(self) -> FeatureSet:
        """The first of the sets."""
        return self.sets[0]

    @property
    def value(self) -> float:
        """J of the first set; NaN without any."""
        return self.values[0] if self.values else float("nan")

    def names_of(self, features: FeatureSet) -> list[str]:
        """Return the names of a set."""
        return [self.feature_names[j] for j in features]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "method": self.method,
            "value": self.value,
            "reached": self.reached,
            "is_proved": self.is_proved,
            "n_evaluations": self.n_evaluations,
            "stop_reason": str(self.stop_reason),
            "runtime": self.runtime,
            "sets": [
                {"features": self.names_of(s), "indices": list(s), "value": value}
                for s, value in zip(self.sets, self.values, strict=True)
            ],
            "trace": [
                {"n_evaluations": v.n_evaluations, "indices": list(v.features), "value": v.value}
                for v in self.trace
            ],
        }
