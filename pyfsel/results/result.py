"""What is left of a backend's claims after the independent check."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError, VerificationError
from pyfsel.problem import values
from pyfsel.problem.checks import index_pairs, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.problem.rows import set_costs
from pyfsel.problem.text_files import parsed_json, read_text, write_text
from pyfsel.problem.wording import number_of
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
from pyfsel.results.drawing import result_html, result_table, result_text
from pyfsel.results.plots import KINDS
from pyfsel.results.sampling import Sampling
from pyfsel.results.saved_entry import Entry, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class Result:
    """Verified sets and what is proved about them.

    Building one checks the sets against the problem and the claims against the recomputed objective.

    Parameters
    ----------
    problem : Problem
    sets : sequence of sets of int
        0-based; simultaneous search lists them by decreasing quality, sequential search as found, the first
        being the original set. A sequential result can hold fewer sets than the problem asks for.
    status : Status
    integer_bound : int or None
        Upper bound on the integer objective (in sequential search: the steps' bounds, aggregated).
    backend : str
        Name of the backend that found the sets.
    search : {"simultaneous", "sequential"}
    runtime : float
        Wall-clock seconds.
    stop_reason : StopReason
    message : str
        Why this backend was chosen, what is missing, where the sets come from.
    steps : sequence of Step
        The steps of a sequential search.
    incumbents : sequence of Incumbent
    bounds : sequence of ProvedBound
        Falling bounds as they were proved; in sequential search those of one step after the other.
    statistics : mapping
        What the solver reports of itself.
    confirmation : Confirmation or None
        What came of proving the claims again, if that was asked for and anything was claimed to be proved.
    model_claim : ModelClaim or None
        Of simultaneous search by a model of the user's own: what its solver says about the objective of the
        model, by which alone its sets were chosen. In sequential search each step has one.
    certificate : Certificate or None
        What can be checked without this package, if that was asked for (`pyfsel.certify`).
    near_copies : sequence of pairs of int
        Features that are nearly equal columns of a table though they count as different, at least one of each
        pair in one of the sets; empty if nobody looked (`pyfsel.measures.copies`).

    Raises
    ------
    VerificationError
        If a set violates the problem or a claim contradicts the recomputed objective.
    """

    problem: Problem
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
        stepwise = tuple(step.features for step in self.steps if step.features is not None)
        if self.steps and stepwise != self.sets:
            raise VerificationError(f"{self.backend}: the steps found {stepwise}, the result has {self.sets}")

    def _checked_near_copies(self) -> tuple[tuple[int, int], ...]:
        pairs = tuple(index_pairs("near_copies", self.near_copies, self.problem.n_features))
        inside = {j for members in self.sets for j in members}
        wrong = [pair for pair in pairs if inside.isdisjoint(pair)]
        if wrong:
            raise InputError(f"near_copies: {wrong[0]} is not about a feature of the sets")
        return pairs

    def restated(
        self, problem: Problem, status: Status, integer_bound: int | None = None, **changes: Any
    ) -> Result:
        """Return the same sets as an answer to another problem, without the history of this one."""
        changes |= {"problem": problem, "status": status, "integer_bound": integer_bound}
        return replace(self, **{"incumbents": (), "bounds": (), **changes})

    @property
    def _found_problem(self) -> Problem:
        """The problem with as many sets as were found (a sequential search may end early)."""
        if self.search == "sequential" and 0 < len(self.sets) < self.problem.n_sets:
            return self.problem.replace(n_sets=len(self.sets))
        return self.problem

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
        """Quality of each set in the unit of the measure (`Problem.quality_unit`), where that is known."""
        return [self.problem.unit_factor * quality for quality in self.qualities]

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
        """Proved upper bound on the objective, the rounding loss of quantising included."""
        if self.integer_bound is None:
            return None
        loss = values.rounding_loss(self.problem)
        return values.to_float(self.problem, self.integer_bound) + loss

    @property
    def gap(self) -> float | None:
        """Relative distance of objective and bound, in integers: 0.0 means proved optimal."""
        if self.integer_bound is None or self.integer_objective is None:
            return None
        distance = self.integer_bound - self.integer_objective
        return distance / max(1, abs(self.integer_objective))

    @cached_property
    def sampling(self) -> Sampling | None:
        """How far sets and qualities would be others in another sample of rows; None if nobody knows."""
        return Sampling.of(self.problem, self.sets)

    @property
    def feature_sets(self) -> list[list[str]]:
        """The sets as lists of feature names."""
        return [self.problem.names_of(s) for s in self.sets]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set: features, quality, quality relative to the original, largest overlap.

        With costs there is a column for them.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "features": self.feature_sets,
                "indices": [list(s) for s in self.sets],
                "quality": self.qualities,
                **({} if not self.problem.quality_unit else {"raw_quality": self.raw_qualities}),
                "relative_quality": self.relative_qualities,
                **({} if self.costs is None else {"cost": self.costs}),
                "largest_overlap": self.largest_overlaps,
                "status": [str(s.status) for s in self.steps if s.features is not None]
                or [str(self.status)] * len(self.sets),
            },
            index=pd.RangeIndex(len(self.sets), name="set"),
        )

    @property
    def relative_qualities(self) -> list[float]:
        """Quality of each set divided by that of the first; NaN where that is not positive."""
        found = self.qualities
        return [q / found[0] if found[0] > 0 else float("nan") for q in found]

    @property
    def largest_overlaps(self) -> list[int]:
        """Most features that each set shares with another one, the previous sets included."""
        members = [frozenset(s) for s in (*self.sets, *self.problem.previous_sets)]
        return [
            max((len(mine & other) for j, other in enumerate(members) if j != i), default=0)
            for i, mine in enumerate(members[: len(self.sets)])
        ]

    def _sets_to_dicts(self) -> list[dict[str, Any]]:
        costs: Sequence[float | None] = self.costs or [None] * len(self.sets)
        return list(map(self._set_to_dict, self.sets, self.qualities, costs))

    def _set_to_dict(self, members: FeatureSet, quality: float, cost: float | None) -> dict[str, Any]:
        problem = self.problem
        entry = {"features": problem.names_of(members), "indices": list(members), "quality": quality}
        copies = {problem.feature_names[j]: names for j in members if (names := problem.copies_of(j))}
        if copies:
            entry["copies"] = copies
        if problem.quality_unit:
            entry["raw_quality"] = quality * problem.unit_factor
        if cost is not None:
            entry["cost"] = cost
        if problem.evidence is not None:
            chance = tuple(problem.evidence.not_above_chance(members).tolist())
            entry["not_above_chance"] = problem.names_of(chance)
        return entry

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with what `from_dict` needs to build the result again."""
        return {
            "status": str(self.status),
            "objective": self.objective,
            "bound": self.bound,
            "gap": self.gap,
            "backend": self.backend,
            "runtime": self.runtime,
            "stop_reason": str(self.stop_reason),
            "search": self.search,
            "message": self.message,
            "feature_sets": self._sets_to_dicts(),
            "integer_objective": self.integer_objective,
            "integer_bound": self.integer_bound,
            "steps": plain(self.steps),
            "incumbents": plain(self.incumbents),
            "bounds": plain(self.bounds),
            "statistics": plain(self.statistics),
            "confirmation": plain(self.confirmation),
            "model_claim": plain(self.model_claim),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "near_copies": [
                {"features": self.problem.names_of(pair), "indices": list(pair)} for pair in self.near_copies
            ],
            "sampling": None if self.sampling is None else asdict(self.sampling),
            "problem": self.problem.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Build a result from what `to_dict` returns; everything is verified again.

        Raises
        ------
        InputError
            If a field is missing or has no valid value.
        VerificationError
            If the sets or the claims do not stand.
        """
        entry = Entry("result", data)
        confirmation, certificate = entry.data.get("confirmation"), entry.data.get("certificate")
        problem = entry.get("problem", Mapping)
        return cls(
            problem=Problem.from_dict(problem),
            sets=tuple(s.features("indices") for s in entry.entries("feature_sets")),
            status=entry.word("status", Status),
            integer_bound=entry.integer_or_none("integer_bound"),
            backend=entry.get("backend", str),
            search=entry.get("search", str),
            runtime=entry.number("runtime"),
            stop_reason=entry.word("stop_reason", StopReason),
            message=entry.get("message", str),
            steps=tuple(map(Step.of_entry, entry.entries("steps"))),
            incumbents=tuple(map(Incumbent.of_entry, entry.entries("incumbents"))),
            bounds=tuple(map(ProvedBound.of_entry, entry.entries("bounds"))) if "bounds" in data else (),
            statistics=entry.get("statistics", Mapping),
            confirmation=None if confirmation is None else Confirmation.from_dict(confirmation),
            model_claim=entry.part("model_claim", ModelClaim.of_entry),
            certificate=None if certificate is None else Certificate.from_dict(certificate),
            near_copies=_pairs(entry) if "near_copies" in data else (),
        )

    def save(self, path: str | Path) -> None:
        """Write the result and its problem as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read what `save` writes and verify it again."""
        data = parsed_json(str(path), read_text(path))
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{path}: is no saved result ({error})") from None

    def __repr__(self) -> str:
        problem = self.problem
        objective = "no objective" if self.objective is None else f"objective {self.objective:.6g}"
        return (
            f"<Result {self.status}: {len(self.sets)} of {number_of(problem.n_sets, 'set')} of "
            f"{problem.sizes_text} out of {problem.n_features} features, {objective}, {self.search} by "
            f"{self.backend}>"
        )

    def table(self, overlap_rule: str = "") -> RenderableType:
        """Return what `rich` prints; `overlap_rule` says what the limit on shared features comes from."""
        return result_table(self, overlap_rule)

    def plot(self, kind: str = "membership") -> Figure:
        """Draw the sets.

        Parameters
        ----------
        kind : {"membership", "overlaps", "qualities", "incumbents"}
            Which features are in which set; how many features two sets share; quality of each set with its
            bound; how the best known solution improved.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            If there is no such kind, or nothing to draw.
        """
        one_of("kind", kind, KINDS)
        return KINDS[kind](self)

    def __str__(self) -> str:
        return result_text(self)

    def _repr_html_(self) -> str:
        return result_html(self)


def _pairs(entry: Entry) -> Any:
    return tuple(pair.features("indices") for pair in entry.entries("near_copies"))
