"""The sets with the best worst quality, and among these the ones with the best sum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING
from typing import Any, ClassVar, Unpack

from pyfsel.errors import FalseClaimError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.side_constraints import LARGEST_TOTAL
from pyfsel.questions.answered import Answered, quality_text
from pyfsel.questions.asking import Asking, QuestionSolving
from pyfsel.results.answer import PROVED, Status
from pyfsel.results.claims import Claim, Scope, rounded, unproved
from pyfsel.results.display import Facts
from pyfsel.results.result import Result


@dataclass(frozen=True, repr=False, kw_only=True)
class MinThenSum(Answered):
    """Sets with the best smallest quality and, given that, the best sum, and what is proved of both.

    Parameters
    ----------
    problem : Instance
        What was asked, with ``aggregate="min"``.
    result : Result or None
        The sets as a solution of the second stage: the sum, with the smallest quality as least quality.
    minimum_bound : int or None
        No sets have a larger smallest value.
    sum_alone : Result or None
        The best sum without regard to the smallest quality, where it was solved.
    is_infeasible : bool
        Proved: no such sets exist.
    """

    question: ClassVar[str] = "min_then_sum"

    minimum_bound: int | None
    sum_alone: Result | None
    is_infeasible: bool = False

    def __post_init__(self) -> None:
        minimum, bound = self.minimum, self.minimum_bound
        if minimum is not None and bound is not None and bound < minimum:
            raise FalseClaimError(f"min_then_sum: bound {bound} was claimed, {minimum} is reached")
        if self.is_infeasible and self.sets:
            raise FalseClaimError(f"min_then_sum: INFEASIBLE was claimed with sets {self.sets}")

    @property
    def minimum(self) -> int | None:
        """Integer value of the worst set."""
        return min(map(int, values.values(self.problem, self.sets))) if self.sets else None

    @property
    def total(self) -> int | None:
        """Integer sum of the values of the sets."""
        return None if self.result is None else self.result.integer_objective

    @property
    def total_bound(self) -> int | None:
        """No sets whose smallest value is at least `minimum` have a larger sum."""
        return None if self.result is None else self.result.integer_bound

    @property
    def status(self) -> Status:
        """OPTIMAL: both the smallest quality and the sum are proved."""
        if self.result is None:
            return Status.INFEASIBLE if self.is_infeasible else Status.NOT_SOLVED
        proved = self.minimum == self.minimum_bound and self.result.status is Status.OPTIMAL
        return Status.OPTIMAL if proved else Status.FEASIBLE

    @property
    def costs_nothing(self) -> bool | None:
        """Whether some sets are best by both aggregates at once; None where that is not proved."""
        alone = self.sum_alone
        if alone is None or alone.integer_bound is None or self.status is not Status.OPTIMAL:
            return None
        if self.total == alone.integer_bound:
            return True
        return False if alone.status is Status.OPTIMAL else None

    def _found(self) -> dict[str, Any]:
        return {
            "minimum": self.minimum,
            "minimum_bound": self.minimum_bound,
            "sum": self.total,
            "sum_bound": self.total_bound,
            "costs_nothing": self.costs_nothing,
            "result": self._result_data(),
        }

    @property
    def claim(self) -> Claim:
        """What is proved of the minimum, and of the sum with that minimum."""
        if self.is_infeasible:
            return Claim(Scope.COUNT, "Proved: no such sets exist.")
        bounds = [self._limit(self.minimum_bound), self._limit(self.total_bound)]
        if self.status is Status.OPTIMAL:
            joint = f"a larger minimum than {bounds[0]}, and with that minimum a larger sum than {bounds[1]}"
            return Claim(Scope.JOINT, f"Proved jointly: no {self.problem.n_sets} such sets have {joint}.")
        said = [unproved(self.stop_reason)]
        said += [f"A minimum above {bounds[0]} is impossible."] if bounds[0] else []
        said += [f"With this minimum, a sum above {bounds[1]} is impossible."] if bounds[1] else []
        return Claim(Scope.NONE, " ".join(said))

    def _limit(self, bound: int | None) -> str:
        if bound is None:
            return ""
        loss = values.set_rounding_loss(self.problem) * self.problem.n_sets
        return rounded(values.to_float(self.problem, bound) + loss, ROUND_CEILING)

    def _facts(self) -> Facts:
        minimum, total = self.minimum, self.total
        if minimum is None or total is None:
            return [("answer", "nothing found")]
        problem = self.problem
        facts = [("minimum", quality_text(problem, minimum)), ("sum", quality_text(problem, total))]
        if self.costs_nothing is not None:
            alone = self.sum_alone
            assert alone is not None
            best = quality_text(problem, alone.integer_objective or 0)
            whose = "these sets have the best sum of all"
            facts.append(("compare", whose if self.costs_nothing else f"the best sum of all is {best}"))
        return facts


def min_then_sum(problem: Instance, **options: Unpack[QuestionSolving]) -> MinThenSum:
    """Find the sets with the best smallest quality and, among these, the best sum.

    Min-aggregation says nothing about the sets that are not the worst (paper 000, Example 6). Here the
    smallest quality comes first, as a constraint of the sum then. The sum alone is solved before both: if its
    sets have the best smallest quality as well, they are the answer; that need not be so
    (`MinThenSum.costs_nothing`).

    Parameters
    ----------
    problem : Instance
        Its `aggregate` is not used.
    **options
        Backend, limits and more, see `QuestionSolving`; the backend takes both aggregates.

    Returns
    -------
    MinThenSum
        A limit or Ctrl-C leaves the best sets found and what is proved of them.

    Raises
    ------
    InputError, SolverError
        As `pyfsel.solve`.

    Examples
    --------
    >>> problem = Instance(quality=[11, 10, 6, 5, 4, 1], n_sets=2, set_size=3, max_overlap=1)
    >>> answer = min_then_sum(problem, backend="brute-force")
    >>> answer.minimum, answer.total
    (22, 47)

    Sets that are best by both aggregates do not always exist (an open question in paper 000):

    >>> problem = Instance(quality=[12, 10, 10, 9, 6, 5, 0], n_sets=4, set_size=3, max_overlap=1)
    >>> answer = min_then_sum(problem, backend="brute-force")
    >>> answer.minimum, answer.total, answer.sum_alone.integer_objective
    (25, 104, 105)
    """
    require_sum_or_min(problem)
    problem = problem.replace(aggregate="min")
    with Asking(**options) as asking:
        alone = asking.solve(problem.replace(aggregate="sum"), "sum", 0.4)
        worst, bound = _best_minimum(asking, problem, alone)
        result = _best_sum(asking, worst, alone) if worst is not None and worst.sets else None
        reply = MinThenSum(
            problem=problem,
            result=result,
            minimum_bound=bound,
            sum_alone=alone,
            is_infeasible=worst is not None and worst.status is Status.INFEASIBLE,
            **asking.ending(False),
        )
        if reply.status not in PROVED:
            return reply
        return replace(reply, **asking.ending(True), confirmation=asking.confirmation(_claims(reply)))


def _claims(answer: MinThenSum) -> list[tuple[Instance, tuple[FeatureSet, ...]]]:
    """Return on what a proved answer rests: no better minimum, no better sum beside it, and the sum alone."""
    if answer.result is None or answer.minimum is None:
        return [(answer.problem, ())]
    claims: list[tuple[Instance, tuple[FeatureSet, ...]]] = [(answer.result.problem, answer.sets)]
    if answer.minimum < LARGEST_TOTAL:
        claims.insert(0, (answer.problem.replace(min_quality=answer.minimum + 1), ()))
    if answer.costs_nothing is not None and answer.sum_alone is not None:
        alone = answer.sum_alone
        claims.append((alone.problem, answer.sets if answer.costs_nothing else alone.sets))
    return claims


def _best_minimum(
    asking: Asking, problem: Instance, alone: Result | None
) -> tuple[Result | None, int | None]:
    """Return sets with the best smallest value, or the best that were found, and the proved bound on it.

    It begins with the sets of the best sum: that none have a better smallest value is often proved at once,
    where finding the best smallest value without that knowledge takes long.
    """
    if alone is not None and alone.sets:
        worst: Result | None = alone.restated(problem, Status.FEASIBLE)
    elif alone is not None and alone.status is Status.INFEASIBLE:
        return replace(alone, problem=problem), None
    else:
        worst = asking.solve(problem, "smallest quality", 0.6)
    bound = None if worst is None else worst.integer_bound
    while worst is not None and worst.sets and bound != worst.integer_objective:
        least = _both_values(worst)[0] + 1
        if least > LARGEST_TOTAL:  # no problem may have sets of such a value
            return worst, LARGEST_TOTAL
        better = asking.decide(problem.replace(min_quality=least), "a better smallest quality", 0.5)
        if better is None or not better.sets:
            return worst, bound if better is None else least - 1
        worst = better
        if worst.integer_bound is not None:
            bound = worst.integer_bound if bound is None else min(bound, worst.integer_bound)
    return worst, bound


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
