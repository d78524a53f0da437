"""The cheapest sets that have a quality: the second scenario of paper 001, Definition 1."""

from dataclasses import replace
from typing import Any

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer, answer_of
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import nothing_found
from pyfsel.interface.solving import search_words
from pyfsel.interface.stated import with_costs
from pyfsel.problem.checks import number_of
from pyfsel.problem.instance import Instance
from pyfsel.questions.asked import options_of, require_one_stage
from pyfsel.reductions.cheapest_by_budget import exchanged, reason_against_exchange
from pyfsel.results.backend_answer import PROVED
from pyfsel.results.claims import COST, claim_of
from pyfsel.solving.solve import solve

NO_QUALITY = "cheapest: no quality is given. Try: Constraints(min_quality='90%')"


def cheapest(problem: Problem, **solving: Any) -> Answer:
    """Find the cheapest sets of at least the minimum quality of the constraints.

    Qualities and costs change places (`pyfsel.reductions.cheapest_by_budget`).

    Parameters
    ----------
    problem : Problem
        With `Constraints.min_quality`; without costs each feature costs 1, so sets of few features are found
        if sizes may differ. Several sets are dissimilar as always; a budget limits each of them.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the total cost, with ``search="min"`` about the maximum cost; None for a
        sequential search. Its status is about costs: better sets may exist at a higher cost.

    Raises
    ------
    InputError
        If the problem has no minimum quality, its objective is not a sum of qualities, the costs of all sets
        together can go beyond 2**53, or the solver does not suit.

    Examples
    --------
    >>> from pyfsel.problem.rules import Constraints
    >>> rules = Constraints(costs=[9, 2.5, 1, 1], min_quality=7)
    >>> answer = cheapest(Problem([5, 4, 3, 2], k=(1, 3), n_sets=1, constraints=rules))
    >>> answer[0].indices, answer.high, answer[0].quality
    ((1, 2), 3.5, 7.0)
    """
    require_one_stage(problem, "cheapest")
    instance = problem.instance
    why_not = NO_QUALITY if instance.min_quality is None else reason_against_exchange(instance)
    if why_not is not None:
        raise InputError(why_not)
    instance = with_costs(instance)
    solved = solve(exchanged(instance), search=search_words(problem), **options_of(solving))
    # qualities and costs are in their own places again; what is proved is about costs
    steps = tuple(replace(step, objective=None, bound=None) for step in solved.steps)
    extent = "cheapest" if solved.status in PROVED else "cheap"
    number, that = number_of(len(solved.sets), f"{extent} set"), " with the minimum quality"
    return answer_of(
        solved.restated(instance, solved.status, steps=steps),
        problem,
        "cheapest",
        claim_of(solved, COST),
        status=solved.status,
        low=_cost(instance, solved.integer_bound),
        high=None if solved.is_stepwise else _cost(instance, solved.integer_objective),
        unit="cost",
        headline=f"{number} of {instance.sizes_text}{that}{problem.origin}"
        if solved.sets
        else nothing_found(problem, solved.status, that),
    )


def _cost(instance: Instance, negated: int | None) -> float | None:
    return None if negated is None else -negated / instance.cost_scale
