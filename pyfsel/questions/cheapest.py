"""The cheapest sets that have a quality: the second scenario of paper 001, Definition 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfsel.backends.base import Backend
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.problem.objectives import FeatureSet
from pyfsel.reductions.cheapest import Cheapest
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.claims import COST, Claim, claim_of
from pyfsel.results.display import Facts, Part, Shown
from pyfsel.results.drawing import proof_facts, question_facts, sets_table, status_text
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class CheapestSets(Shown):
    """Sets of least cost, and what is proved about their cost.

    Parameters
    ----------
    problem : Instance
        What was asked, with costs and `min_quality`.
    solved : Result
        The verified result of the problem in which qualities and costs have changed places
        (`pyfsel.reductions.cheapest.Cheapest`).

    Raises
    ------
    FalseClaimError
        If a set violates the problem.
    """

    problem: Instance
    solved: Result

    def __post_init__(self) -> None:
        assert self.result.problem is self.problem

    @cached_property
    def result(self) -> Result:
        """The sets with their qualities and costs, verified against what was asked.

        Its status says nothing about the qualities: better sets may exist, at a higher cost.
        """
        found = self.solved
        steps = tuple(replace(step, objective=None, bound=None) for step in found.steps)
        status = Status.FEASIBLE if found.sets else found.status
        return found.restated(self.problem, status, steps=steps)

    @property
    def sets(self) -> tuple[FeatureSet, ...]:
        """The sets; simultaneous search lists them by increasing cost."""
        return self.solved.sets

    @property
    def feature_sets(self) -> list[list[str]]:
        """The sets as lists of feature names."""
        return self.solved.feature_sets

    @property
    def status(self) -> Status:
        """OPTIMAL if no cheaper sets exist, or given the earlier ones: see `claim`."""
        return self.solved.status

    @property
    def claim(self) -> Claim:
        """What is proved of the costs, and of what: each set, all sets together, or their number."""
        return claim_of(self.solved, COST)

    @property
    def stop_reason(self) -> StopReason:
        """Why the run ended."""
        return self.solved.stop_reason

    @property
    def qualities(self) -> list[float]:
        """Quality of each set."""
        return self.result.qualities

    @property
    def costs(self) -> list[float]:
        """Cost of each set."""
        costs = self.result.costs
        assert costs is not None
        return costs

    @property
    def cost(self) -> float | None:
        """The sum of the costs of the sets, with ``aggregate="min"`` the largest; None without sets."""
        return self._in_user_unit(self.solved.integer_objective)

    @property
    def cost_bound(self) -> float | None:
        """Proved lower bound on `cost`; None for several sets of a sequential search."""
        return self._in_user_unit(self.solved.integer_bound)

    def _in_user_unit(self, negated: int | None) -> float | None:
        return None if negated is None else -negated / self.problem.cost_scale

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set, as `Result.to_frame`, with the status of its cost."""
        return self.result.to_frame().assign(status=self.solved.to_frame()["status"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "question": "cheapest",
            "status": str(self.status),
            "scope": str(self.claim.scope),
            "claim": str(self.claim),
            "cost": self.cost,
            "cost_bound": self.cost_bound,
            "gap": self.solved.gap,
            "stop_reason": str(self.stop_reason),
            "feature_sets": self.result.to_dict()["feature_sets"],
            "problem": self.problem.to_dict(),
            "solved": self.solved.to_dict(),
        }

    def parts(self, overlap_rule: str = "") -> list[Part]:
        """Return what is shown of it: the sets, and what is proved of their cost."""
        return [*sets_table(self.result), self._facts(overlap_rule)]

    def _facts(self, overlap_rule: str) -> Facts:
        facts = [("status", status_text(self.solved, COST)), *proof_facts(self.solved)]
        if self.cost is not None and not self.solved.is_stepwise:
            kind = COST.total(self.solved.problem)
            facts.append(("cost", f"{self.cost:.10g}" + ("" if len(self.sets) == 1 else f", the {kind}")))
        return facts + question_facts(self.result, overlap_rule)


def cheapest_sets(problem: Instance, backend: str | Backend = "auto", **options: Any) -> CheapestSets:
    """Find the sets of least cost that have at least the quality `min_quality`.

    Parameters
    ----------
    problem : Instance
        With `min_quality`, as `make_instance(..., min_quality=…, costs=…)` builds it. Without costs each
        feature costs 1, so sets of few features are found if sizes may differ (`min_k`). Several sets
        are dissimilar as always; a budget limits each of them.
    backend : str or Backend
    **options
        As for `pyfsel.solve`.

    Returns
    -------
    CheapestSets

    Raises
    ------
    InputError
        If the problem has no `min_quality`.
    InputError
        If the quality of a set is not a sum of qualities of its features, such as mRMR, the costs of all sets
        together can go beyond 2**53, or the backend does not take a budget.
    InputError, SolverError
        As `pyfsel.solve`.

    Examples
    --------
    >>> from pyfsel.problem.make import make_instance
    >>> problem = make_instance([5, 4, 3, 2], k=3, min_k=1, costs=[9, 2.5, 1, 1], min_quality=7)
    >>> found = cheapest_sets(problem, "brute-force")
    >>> found.feature_sets, found.cost, found.qualities
    ([['x1', 'x2']], 3.5, [7.0])
    """
    require_sum_or_min(problem)
    why_not = Cheapest.applies(problem)
    if why_not is not None:
        raise InputError(why_not)
    if problem.costs is None:
        problem = problem.replace(costs=np.ones(problem.n_features, dtype=np.int64))
    return CheapestSets(problem, solve(Cheapest.apply(problem).problem, backend, **options))
