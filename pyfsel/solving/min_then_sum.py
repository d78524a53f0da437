"""The sets with the largest minimum quality, and among these the sets with the largest sum."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyfsel.errors import FalseClaimError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.side_constraints import LARGEST_TOTAL
from pyfsel.results.backend_answer import PROVED, Status
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.result import Result
from pyfsel.solving.asking import Asking


@dataclass(frozen=True)
class MinThenSum:
    """Sets with the best smallest value and, given that, the best sum, and what is proved of both.

    Parameters
    ----------
    problem : Instance
        With ``aggregate="min"``.
    result : Result or None
        The sets as a solution of the second stage: the sum, with the smallest value as minimum quality.
    minimum_bound : int or None
        No sets have a larger smallest value.
    alone : Result or None
        The best sum without regard to the smallest value, if it was solved.
    is_infeasible : bool
        Proved: no such sets exist.
    confirmation : Confirmation or None

    Raises
    ------
    FalseClaimError
        If what is claimed of the minimum cannot be true.
    """

    problem: Instance
    result: Result | None
    minimum_bound: int | None
    alone: Result | None = None
    is_infeasible: bool = False
    confirmation: Confirmation | None = None

    def __post_init__(self) -> None:
        minimum, bound = self.minimum, self.minimum_bound
        if minimum is not None and bound is not None and bound < minimum:
            raise FalseClaimError(f"min_then_sum: bound {bound} was claimed, {minimum} is reached")
        if self.is_infeasible and self.result is not None:
            raise FalseClaimError(f"min_then_sum: INFEASIBLE was claimed with sets {self.result.sets}")

    @property
    def minimum(self) -> int | None:
        """Integer value of the set with the minimum quality."""
        return None if self.result is None else _both_values(self.result)[0]

    @property
    def status(self) -> Status:
        """OPTIMAL: both the smallest value and the sum are proved."""
        if self.result is None:
            return Status.INFEASIBLE if self.is_infeasible else Status.NOT_SOLVED
        proved = self.minimum == self.minimum_bound and self.result.status is Status.OPTIMAL
        return Status.OPTIMAL if proved else Status.FEASIBLE

    @property
    def costs_nothing(self) -> bool | None:
        """Whether some sets are best by both aggregates at once; None if that is not proved."""
        alone = self.alone
        if alone is None or alone.integer_bound is None or self.status is not Status.OPTIMAL:
            return None
        assert self.result is not None
        if self.result.integer_objective == alone.integer_bound:
            return True
        return False if alone.status is Status.OPTIMAL else None


def min_then_sum(problem: Instance, asking: Asking) -> MinThenSum:
    """Find the sets with the best smallest quality and, among these, the best sum.

    Min-aggregation says nothing about the sets that are not the worst (paper 000, Example 6). Here the
    smallest quality comes first, as a constraint of the sum then. The sum alone is solved before both: if its
    sets have the best smallest quality as well, they are the answer; that need not be so
    (`MinThenSum.costs_nothing`).

    Parameters
    ----------
    problem : Instance
        Its `aggregate` is not used.
    asking : Asking
        Its backend takes both aggregates.

    Returns
    -------
    MinThenSum
        A limit or Ctrl-C leaves the best sets found and what is proved of them.

    Examples
    --------
    >>> problem = Instance(quality=[11, 10, 6, 5, 4, 1], n_sets=2, k=3, max_shared=1)
    >>> with Asking("brute-force") as asking:
    ...     found = min_then_sum(problem, asking)
    >>> found.minimum, found.result.integer_objective
    (22, 47)

    Sets that are best by both aggregates do not always exist (an open question in paper 000):

    >>> problem = Instance(quality=[12, 10, 10, 9, 6, 5, 0], n_sets=4, k=3, max_shared=1)
    >>> with Asking("brute-force") as asking:
    ...     found = min_then_sum(problem, asking)
    >>> found.minimum, found.result.integer_objective, found.alone.integer_objective
    (25, 104, 105)
    """
    require_sum_or_min(problem)
    problem = problem.replace(aggregate="min")
    alone = asking.solve(problem.replace(aggregate="sum"), "sum", 0.4)
    worst, bound = _best_minimum(asking, problem, alone)
    result = _best_sum(asking, worst, alone) if worst is not None and worst.sets else None
    impossible = worst is not None and worst.status is Status.INFEASIBLE
    found = MinThenSum(problem, result, bound, alone, impossible)
    return replace(
        found, confirmation=asking.confirmation(_claims(found)) if found.status in PROVED else None
    )


def _claims(found: MinThenSum) -> list[tuple[Instance, tuple[FeatureSet, ...]]]:
    """Return the claims of a proved answer: no better minimum, no better sum with it, and the sum alone."""
    if found.result is None or found.minimum is None:
        return [(found.problem, ())]
    claims: list[tuple[Instance, tuple[FeatureSet, ...]]] = [(found.result.problem, found.result.sets)]
    if found.minimum < LARGEST_TOTAL:
        claims.insert(0, (found.problem.replace(min_quality=found.minimum + 1), ()))
    if found.costs_nothing is not None and found.alone is not None:
        claims.append((found.alone.problem, (found.result if found.costs_nothing else found.alone).sets))
    return claims


def _best_minimum(
    asking: Asking, problem: Instance, alone: Result | None
) -> tuple[Result | None, int | None]:
    """Return sets with the best smallest value, or the best that were found, and the proved bound on it.

    The sets of the best sum come first: that none have a better smallest value is often proved at once, where
    finding the best smallest value without that knowledge takes long.
    """
    if alone is None or alone.status is Status.NOT_SOLVED:
        worst = asking.solve(problem, "smallest quality", 0.6)
        return worst, None if worst is None else worst.integer_bound
    worst = alone.restated(problem, Status.FEASIBLE if alone.sets else Status.INFEASIBLE)
    if not alone.sets:
        return worst, None
    least = _both_values(worst)[0] + 1
    if least > LARGEST_TOTAL:  # no problem may have sets of such a value
        return worst, LARGEST_TOTAL
    better = asking.decide(problem.replace(min_quality=least), "a better smallest quality", 0.5)
    if better is None:
        return worst, None
    return (better, better.integer_bound) if better.sets else (worst, least - 1)


def _best_sum(asking: Asking, worst: Result, alone: Result | None) -> Result:
    """Return the best sum of sets whose worst is as good as the best that is known."""
    known = [result for result in (worst, alone) if result is not None and result.sets]
    best = max(known, key=_both_values)
    problem = worst.problem.replace(aggregate="sum", min_quality=_both_values(best)[0])
    if best is alone and best.status is Status.OPTIMAL:
        return replace(best, problem=problem)
    second = asking.solve(problem, "sum with that smallest quality")
    if second is not None and second.status is Status.INFEASIBLE:
        raise FalseClaimError(f"{second.backend}: INFEASIBLE was claimed, but {best.sets} are a solution")
    if second is not None and second.status is Status.OPTIMAL:
        return second
    found = best if second is None or not second.sets else max(best, second, key=_both_values)
    proved = (result.integer_bound for result in (second, alone) if result is not None)
    bound = min((number for number in proved if number is not None), default=None)
    total = _both_values(found)[1]
    return found.restated(problem, Status.OPTIMAL if bound == total else Status.FEASIBLE, bound)


def _both_values(result: Result) -> tuple[int, int]:
    """Return the smallest value and the sum of the values of the sets of a result."""
    numbers = [int(value) for value in values.values(result.problem, result.sets)]
    return min(numbers), sum(numbers)
