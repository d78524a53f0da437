"""Results: sets and claims of a backend that passed the independent check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem import values
from pyfsel.problem.checks import number_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.results.backend_answer import (
    PROVED,
    PROVED_BY,
    ModelClaim,
    ProvedBound,
    ReportedIncumbent,
    SequentialStep,
    Status,
    StopReason,
    check_claim,
)
from pyfsel.results.confirmation import Certificate, Confirmation
from pyfsel.results.sampling import Sampling
from pyfsel.results.saved_entry import Saved, value_of


@dataclass(frozen=True, repr=False)
class Result(Saved):
    """Verified sets and what is proved about them.

    Building one checks the sets against the problem and the claims against the recomputed objective.

    Parameters
    ----------
    problem : Instance
    sets : sequence of sets of int
        0-based; simultaneous search lists them by decreasing quality, sequential search as found, the first
        being the original set. A sequential result can hold fewer sets than the problem asks for.
    status : Status
    integer_bound : int or None
        Upper bound on the integer objective; None for several sets of a sequential search, whose steps have
        bounds of their own.
    backend : str
        Name of the backend that found the sets.
    search : {"simultaneous", "sequential"}
    runtime : float
        Wall-clock seconds.
    stop_reason : StopReason
    message : str
        Why this backend was chosen, what is missing, where the sets come from.
    steps : sequence of SequentialStep
        The steps of a sequential search.
    incumbents : sequence of ReportedIncumbent
    bounds : sequence of ProvedBound
        Falling bounds as they were proved; in sequential search, one step after another.
    statistics : mapping
        What the solver reports of itself.
    confirmation : Confirmation or None
        The outcome of proving the claims again, if that was requested and there were claims.
    model_claim : ModelClaim or None
        Of simultaneous search by a model of the user's own: what its solver says about the objective of the
        model, by which alone its sets were chosen. In sequential search each step has one.
    certificate : Certificate or None
        Proofs to check without this package, if they were requested (`pyfsel.certify`).

    Raises
    ------
    FalseClaimError
        If a set violates the problem or a claim contradicts the recomputed objective.
    """

    KEYS: ClassVar = {"sets": "feature_sets"}

    problem: Instance
    sets: Family
    status: Status
    integer_bound: int | None
    backend: str
    search: str
    runtime: float
    stop_reason: StopReason
    message: str = ""
    steps: tuple[SequentialStep, ...] = ()
    incumbents: tuple[ReportedIncumbent, ...] = ()
    bounds: tuple[ProvedBound, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    confirmation: Confirmation | None = None
    certificate: Certificate | None = None
    model_claim: ModelClaim | None = None

    def __post_init__(self) -> None:
        is_short = self.is_stepwise and 0 < len(self.sets) < self.problem.n_sets
        found = self.problem.replace(n_sets=len(self.sets)) if is_short else self.problem
        check_claim(self.backend, found, self.status, self.sets, self.integer_bound)
        if self.status is (Status.OPTIMAL if is_short else Status.FEWER):
            count = f"{len(self.sets)} of {self.problem.n_sets}"
            raise FalseClaimError(f"{self.backend}: {self.status} was claimed with {count} sets")
        if self.is_stepwise and self.integer_bound is not None:
            raise FalseClaimError(f"{self.backend}: a sequential search proves no bound on all sets")
        stepwise = tuple(step.features for step in self.steps if step.features is not None)
        if self.steps and stepwise != self.sets:
            raise FalseClaimError(f"{self.backend}: the steps found {stepwise}, the result has {self.sets}")

    @property
    def is_stepwise(self) -> bool:
        """Whether several sets were searched for one after another: what is proved is about each of them."""
        return self.search == "sequential" and self.problem.n_sets > 1

    @property
    def step_objectives(self) -> list[float]:
        """Objective of each set of a sequential search: its quality, minus the price of shared features."""
        steps = (self.problem.after(self.sets[:i]) for i in range(len(self.sets)))
        return [values.quality_total(step, [one]) for step, one in zip(steps, self.sets, strict=True)]

    @property
    def step_bounds(self) -> list[float | None]:
        """Proved upper bound on the objective of each set, given the earlier ones; None if there is none."""
        loss = values.set_rounding_loss(self.problem)
        bounds = [step.bound for step in self.steps if step.features is not None]
        return [None if bound is None else values.to_float(self.problem, bound) + loss for bound in bounds]

    @property
    def integer_objective(self) -> int | None:
        """The objective in the problem's integers, None without sets."""
        return values.total(self.problem, self.sets) if self.sets else None

    @property
    def proved_by(self) -> str | None:
        """Who proved the claims, the backend or some of its searches; None if nothing is proved."""
        return str(self.statistics.get(PROVED_BY, self.backend)) if self.status in PROVED else None

    @property
    def qualities(self) -> list[float]:
        """Quality of each set, computed from the user's own numbers."""
        return values.qualities(self.problem, self.sets)

    @property
    def objective(self) -> float | None:
        """The aggregated quality, computed from the user's own numbers; None without sets."""
        if not self.sets:
            return None
        return values.quality_total(self.problem, self.sets)

    @property
    def bound(self) -> float | None:
        """Proved upper bound on the objective, the rounding loss of quantising included.

        None for several sets of a sequential search: what is proved there is about each step.
        """
        if self.integer_bound is None:
            return None
        return values.proved_limit(self.problem, self.integer_bound)

    @property
    def gap(self) -> float | None:
        """Relative distance of objective and bound, in integers: 0.0 means proved optimal."""
        if self.integer_bound is None or self.integer_objective is None:
            return None
        return (self.integer_bound - self.integer_objective) / max(1, abs(self.integer_objective))

    @cached_property
    def sampling(self) -> Sampling | None:
        """How far sets and qualities would be others in another sample of rows; None if nobody knows."""
        return Sampling.of(self.problem, self.sets)

    def restated(
        self, problem: Instance, status: Status, integer_bound: int | None = None, **changes: Any
    ) -> Result:
        """Return the same sets as an answer to another problem, without the history of this one."""
        changes |= {"problem": problem, "status": status, "integer_bound": integer_bound}
        return replace(self, **{"incumbents": (), "bounds": (), **changes})

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with what `from_dict` needs to build the result again."""
        names = self.problem.names_of
        found = zip(self.sets, self.qualities, strict=True)
        return {
            **super().to_dict(),
            "objective": self.objective,
            "bound": self.bound,
            "gap": self.gap,
            "integer_objective": self.integer_objective,
            "feature_sets": [
                {"features": names(one), "indices": list(one), "quality": quality} for one, quality in found
            ],
            "problem": self.problem.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Any, where: str = "result") -> Self:
        """Build a result from what `to_dict` returns; everything is verified again.

        Raises
        ------
        InputError
            If a field is missing or has no valid value.
        FalseClaimError
            If the sets or the claims do not stand.
        """
        data = value_of(Mapping, data, where)
        for name in ("problem", "feature_sets"):
            if name not in data:
                raise InputError(f"{where}: lacks {name}")
        found = value_of(tuple[Mapping[str, Any], ...], data["feature_sets"], f"{where}.feature_sets")
        sets = tuple(
            value_of(tuple[int, ...], one.get("indices"), f"{where}.feature_sets[{i}].indices")
            for i, one in enumerate(found)
        )
        problem = data["problem"]
        if not isinstance(problem, Instance):
            problem = Instance.from_dict(value_of(Mapping, problem, f"{where}.problem"))
        return super().from_dict({**data, "feature_sets": sets, "problem": problem}, where)

    def __repr__(self) -> str:
        problem = self.problem
        # the sum of a sequence is not what was searched for
        objective = "" if self.is_stepwise or not self.sets else f", objective {self.objective:.6g}"
        return (
            f"<Result {self.status}: {len(self.sets)} of {number_of(problem.n_sets, 'set')} of "
            f"{problem.sizes_text} out of {problem.n_features} features{objective}, {self.search} by "
            f"{self.backend}>"
        )


def unless_interrupted(found: Result) -> Result:
    """Return what a phase of a longer task found; raise `KeyboardInterrupt` if the user ended that phase.

    `pyfsel.solve` itself returns what it has found until then.
    """
    if found.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return found


def follows_from_found(data: Mapping[str, Any]) -> bool:
    """Return whether all that an answer states follows from what its search found: `solve` with one goal."""
    return bool(data["question"] == "solve" and data["details"]["search"] != "min_then_sum")
