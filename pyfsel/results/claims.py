"""The scope of a proof, one of four, and the sentence that every display and file shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from enum import StrEnum

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.least_squares import LARGEST_COEFFICIENTS
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.display import aligned, listed_names, percent
from pyfsel.results.result import Result

MOST_NAMED_STEPS = 3
STOPS = {
    StopReason.FINISHED: "",
    StopReason.TIME_LIMIT: ": the time limit ended the search",
    StopReason.MEMORY_LIMIT: ": the memory limit ended the search",
    StopReason.EVALUATION_LIMIT: ": the limit on evaluations ended the search",
    StopReason.INTERRUPTED: ": the search was interrupted",
    StopReason.ERROR: ": an error of the backend ended the search",
}


class Scope(StrEnum):
    """What a proof is about.

    EACH: each set, given the earlier ones; nothing is proved of all sets together. JOINT: all sets together.
    COUNT: how many sets there are. NONE: nothing is proved of what was requested.
    """

    EACH = "each"
    JOINT = "joint"
    COUNT = "count"
    NONE = "none"


@dataclass(frozen=True)
class Claim:
    """What is proved, in one or two sentences, and what it is about.

    Examples
    --------
    >>> str(Claim(Scope.COUNT, "Proved: these are all 26 sets."))
    'Proved: these are all 26 sets.'
    """

    scope: Scope
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Terms:
    """The words for what makes a set good: a larger quality, or a smaller cost.

    Parameters
    ----------
    better : str
        What a better set does.
    more : str
        Which numbers would be better than the bound.
    beyond : str
        Where they are.
    amount : str
        What the number of one set is called.
    totals : mapping
        What the number of all sets is called, by aggregate.
    sign : int
        By which the objective of the solved problem becomes that number.
    """

    better: str
    more: str
    beyond: str
    amount: str
    totals: dict[str, str]
    sign: int = 1

    def limit(self, bound: float) -> str:
        """Return a bound as text, rounded to the side on which it stays true."""
        return rounded(self.sign * bound, ROUND_CEILING if self.sign > 0 else ROUND_FLOOR)

    def number(self, objective: float) -> str:
        """Return an objective as text."""
        return rounded(self.sign * objective, ROUND_HALF_EVEN)

    def total(self, problem: Instance) -> str:
        """Return what the number of all sets of a problem is called."""
        name = self.amount if problem.n_sets == 1 else self.totals.get(problem.aggregate, "objective")
        return f"{name}, minus the price of shared features," if problem.shared_price else name


QUALITY = Terms("is better", "larger", "above", "quality", {"sum": "sum", "min": "minimum"})
COST = Terms(
    "costs less", "smaller", "below", "cost", {"sum": "sum of costs", "min": "maximum cost"}, sign=-1
)


def rounded(number: float, way: str) -> str:
    """Return a number with the digits of `aligned`, rounded up (`ROUND_CEILING`) or down (`ROUND_FLOOR`).

    Examples
    --------
    >>> rounded(0.9859612, ROUND_CEILING), rounded(0.9859612, ROUND_FLOOR), rounded(48.0, ROUND_CEILING)
    ('0.98597', '0.98596', '48')
    """
    text = aligned([number])[0]
    outward = Decimal(f"{number:.12g}").quantize(
        Decimal(text), way
    )  # what floats add up to differs beyond that
    return f"{outward:e}" if "e" in text else f"{outward.normalize():f}"


def claim_of(result: Result, terms: Terms = QUALITY) -> Claim:
    """Return what is proved of a result.

    Parameters
    ----------
    result : Result
    terms : Terms
        `QUALITY`, or `COST` for a problem whose objective is the negative cost.

    Examples
    --------
    >>> from pyfsel.problem.instance import Instance
    >>> from pyfsel.solving.solve import solve
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
    >>> print(claim_of(solve(problem, search="sequential")))
    Proved for each set: no set of 2 features that differs enough from the earlier sets is better.
    >>> print(claim_of(solve(problem, search="simultaneous")))
    Proved jointly: no 3 sets of 2 features that differ enough have a larger sum than 48.
    """
    problem = result.problem
    if result.status is Status.INFEASIBLE:
        one = problem.n_sets == 1 or result.is_stepwise
        exist = "no such set exists" if one else f"{problem.n_sets} such sets do not exist"
        return Claim(Scope.COUNT, f"Proved: {exist}.")
    if result.is_stepwise:
        return _of_steps(result, terms)
    if result.status is Status.OPTIMAL:
        together = "" if problem.n_sets == 1 else " jointly"
        none = f"Proved{together}: {_none_of(problem)} {_passes(result, terms)}."
        return Claim(Scope.JOINT, none + _of_dependent(problem))
    return Claim(Scope.NONE, " ".join([unproved(result.stop_reason), *_interval(result, terms)]))


def unproved(stop_reason: StopReason, open_: str = "") -> str:
    """Return that something is not proved, and why the search ended."""
    return f"Not proved{open_}{STOPS[stop_reason]}."


def claim_about(
    status: Status, stop_reason: StopReason, proved: str, left: str, none: str, scope: Scope
) -> Claim:
    """Return a claim: what is proved, what is left open, or that no sets exist; texts without full stops."""
    if status is Status.INFEASIBLE:
        return Claim(Scope.COUNT, f"Proved: {none}.")
    if status is Status.OPTIMAL:
        return Claim(scope, f"{proved}.")
    return Claim(Scope.NONE, f"{unproved(stop_reason)} {left}.".removesuffix(" ."))


def _of_steps(result: Result, terms: Terms) -> Claim:
    if result.status in (Status.OPTIMAL, Status.FEWER):
        loss = 2 * values.set_rounding_loss(result.problem)
        by_more = f" by more than rounding ({loss:.1g})" if loss else ""
        sentence = f"Proved for each set: {_none_after(result, terms)}{by_more}."
        sentence += _of_dependent(result.problem)
        if result.status is Status.FEWER:
            sentence += f" No further set exists in addition to {_these(result)}."
        return Claim(Scope.EACH, sentence)
    if not result.sets:
        return Claim(Scope.NONE, f"{unproved(result.stop_reason)} No set was found.")
    proved = [i for i, step in enumerate(result.steps) if step.status is Status.OPTIMAL]
    left = [i for i in range(len(result.sets)) if i not in proved]
    said = [unproved(result.stop_reason, f" for {_sets(left)}")] if left else []
    if proved:
        said.append(f"Proved for {_sets(proved)}: {_none_after(result, terms)}.")
    said += _step_intervals(result, left, terms)
    said += _after_the_last(result, bool(left))
    return Claim(Scope.NONE, " ".join(said))


def _step_intervals(result: Result, left: list[int], terms: Terms) -> Iterable[str]:
    amount = terms.total(result.problem.after([]))
    known = [i for i in left if i < len(result.step_bounds) and result.step_bounds[i] is not None]
    for i in known[:MOST_NAMED_STEPS]:
        bound, reached = result.step_bounds[i], result.step_objectives[i]
        assert bound is not None
        yield (
            f"Set {i} has the {amount} {terms.number(reached)}; {terms.beyond} {terms.limit(bound)} is "
            "impossible, given the earlier sets."
        )


def _after_the_last(result: Result, is_said: bool) -> Iterable[str]:
    """Yield whether there is a further set, and why that is open, unless that is said."""
    if result.steps and len(result.sets) < result.problem.n_sets:
        if result.steps[-1].status is Status.INFEASIBLE:
            yield f"No further set exists in addition to {_these(result)}."
            return
        why = "" if is_said else STOPS[result.stop_reason]
        yield f"Whether a further set exists in addition to {_these(result)} was not decided{why}."


def _these(result: Result) -> str:
    return "this one" if len(result.sets) == 1 else f"these {len(result.sets)}"


def _sets(numbers: list[int]) -> str:
    return f"set {numbers[0]}" if len(numbers) == 1 else f"sets {listed_names(map(str, numbers))}"


def loses_nothing(problem: Instance) -> bool:
    """Return whether an optimum among representatives is one among all columns (`pyfsel.problem.among`)."""
    objective = values.objective_of(problem)
    return objective.is_sum and not objective.has_conflicts and problem.costs is None


def _none_after(result: Result, terms: Terms) -> str:
    problem = result.problem
    priced = " when the price of shared features is subtracted" if problem.shared_price else ""
    previous = " and the previous ones" if problem.previous else ""
    such = _such(problem, "set")
    return f"no {such} that differs enough from the earlier sets{previous} {terms.better}{priced}"


def _such(problem: Instance, what: str) -> str:
    """Return "set" or "sets" with what the problem asks of a single one."""
    allowed = "allowed " if problem.side_constraints or problem.has_conflicts else ""
    return f"{allowed}{what} of {problem.sizes_text} feature{'s' if problem.k > 1 else ''}"


def _none_of(problem: Instance) -> str:
    before = " from the previous sets" if problem.previous else ""
    if problem.n_sets == 1:
        enough = f" that differs enough{before}" if before else ""
        return f"no {_such(problem, 'set')}{enough} has"
    also = f", also{before}," if before else ""
    return f"no {problem.n_sets} {_such(problem, 'sets')} that differ enough{also} have"


def _passes(result: Result, terms: Terms) -> str:
    reached = result.objective if result.bound is None else result.bound
    assert reached is not None
    return f"a {terms.more} {terms.total(result.problem)} than {terms.limit(reached)}"


def _interval(result: Result, terms: Terms) -> Iterable[str]:
    """Yield what was reached, and what is impossible."""
    total, limit = terms.total(result.problem), ""
    if result.bound is not None:
        limit = f"{terms.beyond} {terms.limit(result.bound)} is impossible"
    if result.objective is not None:
        gap = "" if result.gap is None else f" (gap at most {percent(result.gap)})"
        yield f"The {total} is {terms.number(result.objective)}{limit and '; '}{limit}{gap}."
        return
    yield f"No {'set was' if result.problem.n_sets == 1 else 'sets were'} found."
    if limit:
        yield f"A {total} {limit}."


def _of_dependent(problem: Instance) -> str:
    """Return what is disregarded where columns depend on each other (`pyfsel.problem.least_squares`)."""
    if ObjectiveKind.LEAST_SQUARES not in values.kinds_of(problem):
        return ""
    return f" Sets of dependent features, or with coefficients beyond {LARGEST_COEFFICIENTS:,}, count as 0."
