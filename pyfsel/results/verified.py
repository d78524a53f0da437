"""Verified sets, what is proved about them, and the numbers that follow: what a result shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem import values
from pyfsel.problem.checks import index_pairs
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.rows import set_costs
from pyfsel.results.answer import (
    PROVED,
    PROVED_BY,
    Incumbent,
    ModelClaim,
    ProvedBound,
    Status,
    Step,
    StopReason,
    check_claim,
)
from pyfsel.results.certificate import Certificate
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.sampling import Sampling


@dataclass(frozen=True, repr=False)
class VerifiedSets:
    """What a `pyfsel.Result` holds and computes, without its files and pictures; its fields are there."""

    problem: Instance
    sets: tuple[FeatureSet, ...]
    status: Status
    integer_bound: int | None
    backend: str
    search: str
    runtime: float
    stop_reason: StopReason
    message: str = ""
    steps: tuple[Step, ...] = ()
    incumbents: tuple[Incumbent, ...] = ()
    bounds: tuple[ProvedBound, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    confirmation: Confirmation | None = None
    certificate: Certificate | None = None
    model_claim: ModelClaim | None = None
    near_copies: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "near_copies", self._checked_near_copies())
        check_claim(self.backend, self._found_problem, self.status, self.sets, self.integer_bound)
        is_short = self.is_stepwise and 0 < len(self.sets) < self.problem.n_sets
        if self.status is (Status.OPTIMAL if is_short else Status.FEWER):
            count = f"{len(self.sets)} of {self.problem.n_sets}"
            raise FalseClaimError(f"{self.backend}: {self.status} was claimed with {count} sets")
        if self.is_stepwise and self.integer_bound is not None:
            raise FalseClaimError(f"{self.backend}: a sequential search proves no bound on all sets")
        stepwise = tuple(step.features for step in self.steps if step.features is not None)
        if self.steps and stepwise != self.sets:
            raise FalseClaimError(f"{self.backend}: the steps found {stepwise}, the result has {self.sets}")

    def _checked_near_copies(self) -> tuple[tuple[int, int], ...]:
        pairs = tuple(index_pairs("near_copies", self.near_copies, self.problem.n_features))
        inside = {j for members in self.sets for j in members}
        wrong = [pair for pair in pairs if inside.isdisjoint(pair)]
        if wrong:
            raise InputError(f"near_copies: {wrong[0]} is not about a feature of the sets")
        return pairs

    @property
    def _found_problem(self) -> Instance:
        """The problem with as many sets as were found (a sequential search may end early)."""
        if self.search == "sequential" and 0 < len(self.sets) < self.problem.n_sets:
            return self.problem.replace(n_sets=len(self.sets))
        return self.problem

    @property
    def is_stepwise(self) -> bool:
        """Whether several sets were searched for one after another: what is proved is about each of them."""
        return self.search == "sequential" and self.problem.n_sets > 1

    @property
    def step_objectives(self) -> list[float]:
        """Objective of each set of a sequential search: its quality, minus the price of shared features."""
        return [values.to_float(self.problem, value) for value in self._integer_step_objectives()]

    @property
    def step_bounds(self) -> list[float | None]:
        """Proved upper bound on the objective of each set, given the earlier ones; None if there is none."""
        loss = values.set_rounding_loss(self.problem)
        bounds = [step.bound for step in self._steps_with_sets()]
        return [None if bound is None else values.to_float(self.problem, bound) + loss for bound in bounds]

    @property
    def step_gaps(self) -> list[float | None]:
        """Relative distance of each step's objective and bound: 0.0 means optimal given the earlier sets."""
        found = zip(self._steps_with_sets(), self._integer_step_objectives(), strict=False)
        return [None if step.bound is None else gap_between(value, step.bound) for step, value in found]

    def _steps_with_sets(self) -> list[Step]:
        return [step for step in self.steps if step.features is not None]

    def _integer_step_objectives(self) -> list[int]:
        price = values.overlap_price(self.problem)
        found = values.values(self.problem, self.sets).tolist() if self.sets else []
        known = [set(members) for members in (*self.problem.previous, *self.sets)]
        before = len(self.problem.previous)
        if not price:
            return found
        shared = [
            sum(len(known[before + i] & other) for other in known[: before + i]) for i in range(len(found))
        ]
        return [value - price * count for value, count in zip(found, shared, strict=True)]

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
    def raw_qualities(self) -> list[float]:
        """Quality of each set in the unit of the measure (`Instance.measured_unit`), where that is known."""
        return [self.problem.measured_unit_factor * quality for quality in self.qualities]

    @property
    def costs(self) -> list[float] | None:
        """Cost of each set in the user's unit; None if the problem has no costs."""
        return set_costs(self.problem, self.sets)

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
        loss = values.rounding_loss(self.problem)
        return values.to_float(self.problem, self.integer_bound) + loss

    @property
    def gap(self) -> float | None:
        """Relative distance of objective and bound, in integers: 0.0 means proved optimal."""
        if self.integer_bound is None or self.integer_objective is None:
            return None
        return gap_between(self.integer_objective, self.integer_bound)

    @cached_property
    def sampling(self) -> Sampling | None:
        """How far sets and qualities would be others in another sample of rows; None if nobody knows."""
        return Sampling.of(self.problem, self.sets)

    @property
    def feature_sets(self) -> list[list[str]]:
        """The sets as lists of feature names."""
        return [self.problem.names_of(s) for s in self.sets]

    @property
    def relative_qualities(self) -> list[float]:
        """Quality of each set divided by that of the first; NaN where that is not positive."""
        found = self.qualities
        return [q / found[0] if found[0] > 0 else float("nan") for q in found]


def gap_between(objective: int, bound: int) -> float:
    """Return the relative distance of an integer objective and its bound."""
    return (bound - objective) / max(1, abs(objective))
