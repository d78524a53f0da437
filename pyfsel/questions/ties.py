"""All optimal solutions of a problem, or all that lose at most a proportion of the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.interface.answer import Answer, answer_to
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import nothing_found
from pyfsel.problem import values
from pyfsel.problem.checks import integer_in, share
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family
from pyfsel.questions.asked import asking_of, confirmed_but_for_the_number, require_one_stage
from pyfsel.questions.methods import ListingTask, chosen_method
from pyfsel.results.backend_answer import PROVED, Status
from pyfsel.results.display import listed_names, percent
from pyfsel.results.result import Result
from pyfsel.results.verify import require_true, violations
from pyfsel.solving.asking import Asking
from pyfsel.solving.attempt import ordered
from pyfsel.solving.least_share import value_after_loss


def ties(problem: Problem, limit: int | None = 1000, loss: float = 0.0, **solving: Any) -> Answer:
    """List all equally good answers.

    Answers of several sets are families of sets in no order; each is counted once. The optimum comes first;
    then all solutions that reach it, or lose at most a proportion of it, are enumerated, without the
    constraints that keep only one optimum.

    Parameters
    ----------
    problem : Problem
        Of one set, or of sets together.
    limit : int, optional
        The maximum number of answers to list.
    loss : float
        The proportion of the optimum that an answer may lose, from 0 to 1.
    **solving
        As for `pyfsel.solve`. The solver finds the optimum and lists the solutions.

    Returns
    -------
    Answer
        `low` and `high` are about the number of answers; `sets` is the first answer. In `details`:
        ``families``, the sets of each answer by numbers of features, and ``always``, the features in all of
        them.

    Raises
    ------
    InputError
        If the search is sequential, or the solver cannot list solutions.

    Examples
    --------
    >>> answer = ties(Problem([9, 8, 8, 3], k=2, n_sets=1))
    >>> answer.low, answer.high, answer.details["families"]
    (2.0, 2.0, [[[0, 1]], [[0, 2]]])

    The best ones are among those that a limit leaves:

    >>> problem = Problem([1, 2, 3], k=1, n_sets=1)
    >>> ties(problem, limit=1, loss=0.5, solver="brute-force").details["families"]
    [[[2]]]
    """
    require_one_stage(problem, "ties")
    instance = problem.instance
    if problem.search == "sequential" and problem.n_sets > 1:
        raise InputError(
            "ties: of one set, or of sets together. Try: n_sets=1, or search='sum' or search='min'"
        )
    if limit is not None:
        limit = integer_in("limit", limit, 1, None)
    loss = share("loss", loss)
    with asking_of(solving) as asking:
        backend = asking.backend if isinstance(asking.backend, str) else asking.backend.name
        method = chosen_method(instance, backend)
        best = asking.solve(instance, "the optimum", 0.6)
        status = Status.NOT_SOLVED if best is None else best.status
        families = set[Family]()
        if best is not None and best.integer_objective is not None and status is Status.OPTIMAL:
            asking.left_open = ""  # that more solutions were not listed needs no words
            wanted = range(value_after_loss(best.integer_objective, loss), best.integer_objective + 1)
            if not _enumerate(asking, instance, method, best.sets, wanted, limit, families):
                status = Status.FEASIBLE
        elif best is not None and best.sets:
            families.add(best.sets)
        return _stated(problem, asking, best, status, sorted(families), loss)


def _stated(
    problem: Problem, asking: Asking, best: Result | None, status: Status, listed: list[Family], loss: float
) -> Answer:
    """Return the families that were listed as an answer; `best` is what is known of the optimum."""
    instance, count = problem.instance, len(listed)
    known = best is not None and best.status is Status.OPTIMAL
    number = f"{'' if status in PROVED else 'At least '}{count:,} {_what(instance, count != 1)}"
    near = f"nearly equal (loss at most {percent(loss)})"
    good = "best" if count == 1 else near if loss else "equally good"
    always = sorted(set.intersection(*({j for s in f for j in s} for f in listed))) if listed else []
    inside = f"In all of them: {listed_names(instance.names_of(tuple(always))) or 'no feature'}"
    headline = f"{number} {'is' if count == 1 else 'are'} {good}{problem.origin}"
    if not listed:
        headline = nothing_found(problem, status)
    elif not known:
        headline = f"1 {_what(instance, many=False)} was found and may not be the best{problem.origin}"
    found = best and best.restated(instance, Status.FEASIBLE, sets=listed[0]) if listed else None
    return answer_to(
        "ties",
        problem,
        asking,
        found,
        status,
        proved="Proved: no other is as good" if count == 1 else f"Proved: these are all, {number}. {inside}",
        left=f"There can be more {_what(instance)}" if known else "The optimum is not known",
        headline=headline,
        high=None,
        unit="answers",
        confirmation=confirmed_but_for_the_number(asking, best, status, "the solutions are listed"),
        details={
            "families": [[list(one) for one in family] for family in listed],
            "always": instance.names_of(tuple(always)) if status in PROVED else None,
        },
    )


def _what(instance: Instance, many: bool = True) -> str:
    if instance.n_sets == 1:
        return f"{'sets' if many else 'set'} of {instance.sizes_text}"
    return f"{'families' if many else 'family'} of {instance.n_sets} sets"


def _enumerate(
    asking: Asking,
    instance: Instance,
    method: str,
    best: Family,
    wanted: range,
    limit: int | None,
    families: set[Family],
) -> bool:
    """Collect the solutions, the best one among them, verified; return whether these are all."""

    def take(sets: Sequence[Iterable[int]]) -> None:
        family = ordered(instance, sets)
        evidence = violations(instance, family)
        if not evidence and values.total(instance, family) not in wanted:
            said = wanted[-1] if len(wanted) == 1 else f"{wanted[0]} to {wanted[-1]}"
            evidence = [f"{family} has the objective {values.total(instance, family)}, not {said}"]
        require_true(method, evidence)
        families.add(family)

    answer = asking.run(ListingTask(method, wanted.start, limit), instance, take)
    if answer.status is Status.INFEASIBLE:
        raise FalseClaimError(f"{method}: found no solution, but {best} are one")
    complete = answer.status is Status.OPTIMAL
    if complete and best not in families:
        raise FalseClaimError(f"{method}: claims to list all solutions, but {best} are missing")
    if not complete and best not in families:
        if len(families) == limit:
            families.pop()
        families.add(best)
    return complete
