"""The sets with the largest minimum quality, and among these the sets with the largest sum."""

from dataclasses import replace
from decimal import ROUND_CEILING
from typing import Any

from pyfsel.errors import FalseClaimError
from pyfsel.interface.answer import Answer, answer_to
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import nothing_found, sampling_error
from pyfsel.problem import values
from pyfsel.problem.checks import number_of
from pyfsel.problem.fields import LARGEST_TOTAL
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.results.backend_answer import PROVED, Status, status_of
from pyfsel.results.claims import Scope, rounded
from pyfsel.results.result import Result
from pyfsel.solving.asking import Asking


def min_then_sum(problem: Problem, asking: Asking) -> Answer:
    """Find the sets with the best smallest quality and, among these, the best sum.

    Min-aggregation says nothing about the sets that are not the worst (paper 000, Example 6). Here the
    smallest quality comes first, as a constraint of the sum then. The sum alone is solved before both: if its
    sets have the best smallest quality as well, they are the answer; that need not be so
    (`details["costs_nothing"]`).

    Parameters
    ----------
    problem : Problem
    asking : Asking
        Its backend takes both aggregates. If it does not take a minimum quality, the sets of the best sum
        are the answer.

    Returns
    -------
    Answer
        `low` and `high` are about the minimum. A limit or Ctrl-C leaves the best sets found and what is
        proved of them.

    Examples
    --------
    >>> problem = Problem(
    ...     [11, 10, 6, 5, 4, 1], n_sets=2, k=3, dissimilarity="shared:1", search="min_then_sum"
    ... )
    >>> with Asking("brute-force") as asking:
    ...     answer = min_then_sum(problem, asking)
    >>> answer.low, answer.details["sum"]
    (22.0, 47.0)

    Sets that are best by both aggregates do not always exist (an open question in paper 000):

    >>> problem = Problem(
    ...     [12, 10, 10, 9, 6, 5, 0], n_sets=4, k=3, dissimilarity="shared:1", search="min_then_sum"
    ... )
    >>> with Asking("brute-force") as asking:
    ...     answer = min_then_sum(problem, asking)
    >>> answer.low, answer.details["sum"], answer.details["sum_alone"]
    (25.0, 104.0, 105.0)
    """
    problem.instance.require_sum_or_min()
    instance = problem.instance.replace(aggregate="min")
    alone = asking.solve(instance.replace(aggregate="sum"), "sum", 0.4)
    worst, high = _best_minimum(asking, instance, alone)
    found = _best_sum(asking, worst, alone) if worst is not None and worst.sets else None
    low = None if found is None else _both_values(found)[0]
    if low is not None and high is not None and high < low:
        raise FalseClaimError(f"min_then_sum: bound {high} was claimed, {low} is reached")
    last = found or worst
    status = status_of(found, last is not None and last.status in PROVED and low in (None, high))
    is_best = status is Status.OPTIMAL
    claims = _claims(instance, found) if status in PROVED else []
    said: dict[str, Any] = {
        "low": None if found is None else min(found.qualities),
        "high": None if high is None else values.proved_limit(instance, high),
        "sum": None if found is None else found.objective,
        "sum_high": None if found is None else found.bound,
        "sum_alone": None if alone is None else alone.objective,
    }
    minimum, total = (
        "" if said[name] is None else rounded(said[name], ROUND_CEILING) for name in ("high", "sum_high")
    )
    joint = f"a larger minimum than {minimum}, and with that minimum a larger sum than {total}"
    left = [f"A minimum above {minimum} is impossible"] if minimum else []
    left += [f"With this minimum, a sum above {total} is impossible"] if total else []
    number = "" if found is None else number_of(len(found.sets), "feature set")
    extent = "the largest" if is_best else "a large"
    goal = f"with {extent} minimum quality, then {extent} sum"
    return answer_to(
        "solve",
        problem,
        asking,
        found,
        status,
        proved=f"Proved: no such set has a larger quality than {minimum}"
        if instance.n_sets == 1
        else f"Proved jointly: no {instance.n_sets} such sets have {joint}",
        left=". ".join(left),
        scope=Scope.JOINT,
        headline=f"{number} of {instance.sizes_text} {goal}{problem.origin}"
        if found is not None
        else nothing_found(problem, status),
        low=said.pop("low"),
        high=said.pop("high"),
        unit=problem.unit,
        confirmation=asking.confirmation(claims),
        details={
            "sampling_error": "" if found is None else sampling_error(found, problem),
            "costs_nothing": _costs_nothing(found, alone) if is_best else None,
            **said,
        },
    )


def _costs_nothing(found: Result | None, alone: Result | None) -> bool | None:
    """Return whether sets with the best minimum are best by the sum alone as well; None if not proved."""
    if found is None or alone is None or alone.integer_bound is None:
        return None
    if found.integer_objective == alone.integer_bound:
        return True
    return False if alone.status is Status.OPTIMAL else None


def _claims(instance: Instance, found: Result | None) -> list[tuple[Instance, Family]]:
    """Return the claims of a proved answer: no better minimum, and no better sum with it."""
    if found is None:
        return [(instance, ())]
    low = _both_values(found)[0]
    better = [(instance.replace(min_quality=low + 1), ())] if low < LARGEST_TOTAL else []
    return [*better, (found.problem, found.sets)]


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
