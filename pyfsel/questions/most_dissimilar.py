"""The largest dissimilarity of sets that are good enough."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.interface.answer import Answer, answer_to
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import nothing_found
from pyfsel.problem.checks import number_of
from pyfsel.problem.dissimilarity import DISSIMILARITIES, least_dissimilarity
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.questions.asked import (
    asking_of,
    at_least,
    best_and_limited,
    loss_of,
    require_any_order,
    threshold_facts,
)
from pyfsel.results.backend_answer import PROVED, Status, status_of
from pyfsel.results.claims import Scope
from pyfsel.results.display import listed_names
from pyfsel.results.result import Result
from pyfsel.solving.asking import Asking, climb

ANY = Fraction(1)


def most_dissimilar(problem: Problem, loss: float = 0.1, **solving: Any) -> Answer:
    """Make the sets as different as possible, each losing at most a proportion of the best quality.

    By a staircase of ever smaller overlaps; each step is a problem that is solved or proved to have no
    solution (paper 000, Section 3.1 lists it as the third of four formulations).

    Parameters
    ----------
    problem : Problem
        Its `dissimilarity` says what is measured; its threshold makes no difference. A sequential search is
        about one alternative to the previous sets of the constraints, or to the best set if there are none;
        other searches are about all sets at once, also dissimilar to the previous ones.
    loss : float
        The proportion of the quality of the best single set that a set may lose, from 0 to 1, whether or not
        the best one differs from previous sets; without effect with a minimum quality.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the minimum dissimilarity of two sets. `details` has ``original``, the sets
        that a sequential search differs from.

    Raises
    ------
    InputError
        If one set has nothing to differ from, or an argument is not allowed.

    Examples
    --------
    >>> problem = Problem([9, 8, 7, 6, 2, 1], k=2, n_sets=2)
    >>> answer = most_dissimilar(problem, loss=0.25)
    >>> answer.details["original"], answer[0].indices, answer.low
    ([[0, 1]], (2, 3), 1.0)
    """
    require_any_order(problem, "most_dissimilar")
    instance, by = problem.instance.replace(shared_price=0), problem.dissimilarity.by
    lost, together = loss_of(instance, loss), problem.search != "sequential"
    if together and instance.n_sets == 1 and not instance.previous:
        raise InputError("n_sets=1: one set has nothing to differ from. Expected at least 2")
    with asking_of(solving) as asking:
        best, limited = best_and_limited(asking, instance, lost, not (together or instance.previous))
        if not together:
            known = instance.previous or (best.sets if best is not None else ())
            instance = instance.replace(n_sets=1, previous=known)
        reached = _Reached()
        if best is not None and best.status is Status.INFEASIBLE:
            reached.bound = None
        elif limited is not None:
            instance = instance.replace(min_quality=limited.min_quality)
            reached = _climbed(asking, instance, by)
        return _answer(problem, asking, instance, best, reached, lost)


@dataclass
class _Reached:
    """The sets of the highest step, their dissimilarity, and one that none exceed; None: there are none."""

    result: Result | None = None
    largest: Fraction | None = None
    bound: Fraction | None = ANY

    @property
    def status(self) -> Status:
        return status_of(self.result, self.largest == self.bound)


def _climbed(asking: Asking, instance: Instance, by: str) -> _Reached:
    """Find the highest level at which there are sets that are good enough."""
    steps = levels(instance, by)
    found: dict[int, Result] = {}

    def ask(number: int) -> bool | None:
        asked = f"dissimilarity ≥ {float(steps[number]):.4g}"
        result = asking.decide(at_least_as_dissimilar(instance, steps[number], by), asked, 0.5)
        if result is not None and result.sets:
            found[number] = result
        return None if result is None else bool(result.sets)

    yes, no = climb(-1, len(steps), ask, asking.is_stopped)
    bound = steps[no - 1] if no else None
    if yes < 0:
        return _Reached(bound=bound)
    least, reached = steps[yes], least_dissimilarity(found[yes].problem, found[yes].sets, by)
    if bound is None or not least <= reached <= bound:
        raise FalseClaimError(f"most_dissimilar: {least} to {bound} was claimed, the sets have {reached}")
    return _Reached(found[yes], reached, bound)


def _answer(
    problem: Problem,
    asking: Asking,
    instance: Instance,
    best: Result | None,
    reached: _Reached,
    lost: float | None,
) -> Answer:
    by, low, status = problem.dissimilarity.by, reached.largest, reached.status
    amount = f"a {by.capitalize()} dissimilarity of {float(low or 0):.3g}"
    known = "the previous sets" if problem.instance.previous else "the best set"
    proved = f"Proved: no such set differs more from {known}"
    also = ", also from the previous sets," if instance.previous else ""
    if low is None:
        headline = nothing_found(problem.with_instance(instance), status, f" that {at_least(lost)}")
    elif instance.n_sets == 1:
        one = f"A set of {instance.sizes_text} that {at_least(lost, 1)}"
        headline = f"{one} differs from {known} by {amount}{problem.origin}"
    else:
        about = f"{number_of(instance.n_sets, 'set')} of {instance.sizes_text}"
        can = "can have" if status is Status.OPTIMAL else "have"
        headline = f"{about} {can} {amount}{also} and {at_least(lost)}{problem.origin}"
    bound = f"{float(reached.bound or 0):.3g}"
    if instance.n_sets > 1:
        proved = f"Proved: no {instance.n_sets} such sets are more dissimilar than {bound}{also.rstrip(',')}"
    claims = _claims(instance, by, best, reached)
    originals = [
        ("original" if i == 0 else f"previous {i}", listed_names(instance.names_of(members)))
        for i, members in enumerate(instance.previous)
    ]
    return answer_to(
        "most_dissimilar",
        problem,
        asking,
        reached.result,
        status,
        proved=proved,
        left=f"A dissimilarity above {bound} is impossible",
        scope=Scope.JOINT,
        headline=headline,
        high=None if reached.bound is None else float(reached.bound),
        unit=f"{by} dissimilarity",
        confirmation=asking.confirmation(claims) if status in PROVED else None,
        best=best,
        facts=threshold_facts(instance, best) + originals,
        details={"original": [list(members) for members in instance.previous]},
    )


def _claims(
    instance: Instance, by: str, best: Result | None, reached: _Reached
) -> list[tuple[Instance, Family]]:
    """Return on what the answer rests: the best set, and that nothing goes beyond the sets found."""
    claims = [] if best is None else [(best.problem, best.sets)]
    if best is None or best.sets:
        largest = -1 if reached.largest is None else reached.largest
        higher = [level for level in levels(instance, by) if level > largest]
        claims += [(at_least_as_dissimilar(instance, level, by), ()) for level in higher[:1]]
    return claims


def levels(problem: Instance, dissimilarity: str) -> list[Fraction]:
    """Return the dissimilarities that sets of the problem's sizes can have, rising.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=2, k=2, max_shared=2)
    >>> [str(level) for level in levels(problem, "jaccard")]
    ['0', '2/3', '1']
    """
    value = DISSIMILARITIES[dissimilarity].value
    return sorted(
        {
            value(shared, size, other, problem.n_features)
            for size, other in product(problem.sizes, repeat=2)
            for shared in range(min(size, other) + 1)
        }
    )


def at_least_as_dissimilar(problem: Instance, least: Fraction, dissimilarity: str) -> Instance:
    """Return the problem with another threshold; if sizes differ, as in paper 000, Eq. 4 or 7."""
    rule = DISSIMILARITIES[dissimilarity].rule(least, problem.n_features)
    if not problem.has_size_range:
        return problem.replace(max_shared=rule.most_shared(problem.k, problem.k))
    usual = {"max_shared": problem.k, "shared_constant": 0, "shared_by_smaller": False}
    return problem.replace(**usual | rule.fields())
