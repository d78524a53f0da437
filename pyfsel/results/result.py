"""What is left of a backend's claims after the independent check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import (
    Incumbent,
    ModelClaim,
    ProvedBound,
    Status,
    Step,
    StopReason,
)
from pyfsel.results.certificate import Certificate
from pyfsel.results.claims import Claim, claim_of
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.saved_entry import Entry, plain
from pyfsel.results.verified import VerifiedSets

MOST_SHOWN = 3
"""Qualities of a sequential search in its short form."""


@dataclass(frozen=True, repr=False)
class Result(VerifiedSets):
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
    FalseClaimError
        If a set violates the problem or a claim contradicts the recomputed objective.
    """

    @property
    def claim(self) -> Claim:
        """What is proved, and of what: each set, all sets together, or their number."""
        return claim_of(self)

    def restated(
        self, problem: Instance, status: Status, integer_bound: int | None = None, **changes: Any
    ) -> Result:
        """Return the same sets as an answer to another problem, without the history of this one."""
        changes |= {"problem": problem, "status": status, "integer_bound": integer_bound}
        return replace(self, **{"incumbents": (), "bounds": (), **changes})

    def _sets_to_dicts(self) -> list[dict[str, Any]]:
        costs: Sequence[float | None] = self.costs or [None] * len(self.sets)
        entries = list(map(self._set_to_dict, self.sets, self.qualities, costs))
        if self.is_stepwise:
            for entry, bound, gap in zip(entries, self.step_bounds, self.step_gaps, strict=False):
                entry |= {"bound": bound, "gap": gap}
        return entries

    def _set_to_dict(self, members: FeatureSet, quality: float, cost: float | None) -> dict[str, Any]:
        problem = self.problem
        entry = {"features": problem.names_of(members), "indices": list(members), "quality": quality}
        copies = {problem.feature_names[j]: names for j in members if (names := problem.copies_of(j))}
        if copies:
            entry["copies"] = copies
        if problem.measured_unit:
            entry["raw_quality"] = quality * problem.measured_unit_factor
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
            "scope": str(self.claim.scope),
            "claim": str(self.claim),
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
        FalseClaimError
            If the sets or the claims do not stand.
        """
        entry = Entry("result", data)
        confirmation, certificate = entry.data.get("confirmation"), entry.data.get("certificate")
        problem = entry.get("problem", Mapping)
        return cls(
            problem=Instance.from_dict(problem),
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

    def __repr__(self) -> str:
        problem = self.problem
        objective = "no objective" if self.objective is None else f"objective {self.objective:.6g}"
        if self.is_stepwise and self.sets:  # their sum is not what was searched for
            objective = f"qualities {', '.join(f'{quality:.6g}' for quality in self.qualities[:MOST_SHOWN])}"
            objective += ", …" if len(self.sets) > MOST_SHOWN else ""
        return (
            f"<Result {self.status}: {len(self.sets)} of {number_of(problem.n_sets, 'set')} of "
            f"{problem.sizes_text} out of {problem.n_features} features, {objective}, {self.search} by "
            f"{self.backend}>"
        )


def _pairs(entry: Entry) -> Any:
    return tuple(pair.features("indices") for pair in entry.entries("near_copies"))
