"""The largest dissimilarity of sets that lose at most so much quality."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar, Unpack

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.dissimilarity import DISSIMILARITIES
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.problem.objectives import SEARCHES, FeatureSet
from pyfsel.questions.answered import AnsweredBesideBest
from pyfsel.questions.asking import (
    Asking,
    QuestionSolving,
    climb,
    require_threshold,
    with_threshold,
)
from pyfsel.results.answer import PROVED, Status
from pyfsel.results.claims import Claim, Scope, unproved
from pyfsel.results.display import Facts, listed_names
from pyfsel.results.result import Result


@dataclass(frozen=True, repr=False, kw_only=True)
class MostDissimilar(AnsweredBesideBest):
    """The largest dissimilarity of sets that are good enough, or the interval that is proved for it.

    Parameters
    ----------
    problem : Instance
        What was asked, with the least quality and, one after another, the original as previous set: the best
        one known, if `result` is None because none was proved to be best.
    search : {"sequential", "simultaneous"}
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
    result : Result or None
        The most dissimilar sets that were found, as a solution of `problem` with their overlap as the
        largest; its own status says whether they are best among sets as dissimilar.
    largest : Fraction or None
        The dissimilarity that these sets reach.
    bound : Fraction or None
        No sets that are good enough are more dissimilar; None if no sets are good enough.
    """

    question: ClassVar[str] = "most_dissimilar"

    search: str
    dissimilarity: str
    largest: Fraction | None
    bound: Fraction | None

    def __post_init__(self) -> None:
        evidence = []
        if self.result is not None and self.largest is not None:
            reached = least_dissimilarity(self.result.problem, self.result.sets, self.dissimilarity)
            if reached < self.largest:
                evidence.append(f"dissimilarity {self.largest} was claimed, the sets have {reached}")
            if self.bound is None or self.bound < self.largest:
                evidence.append(f"bound {self.bound} was claimed, {self.largest} is reached")
        if evidence:
            raise FalseClaimError("most_dissimilar: " + "; ".join(evidence))

    @property
    def status(self) -> Status:
        """OPTIMAL: no sets that are good enough are more dissimilar; INFEASIBLE: none are good enough."""
        if self.result is None:
            return Status.INFEASIBLE if self.bound is None else Status.NOT_SOLVED
        return Status.OPTIMAL if self.largest == self.bound else Status.FEASIBLE

    def _found(self) -> dict[str, Any]:
        return {
            "largest_dissimilarity": None if self.largest is None else float(self.largest),
            "bound": None if self.bound is None else float(self.bound),
            "dissimilarity": self.dissimilarity,
            "search": self.search,
            "min_quality": self.problem.min_quality,
            "best_quality": self.best_quality,
            "original": [list(s) for s in self.problem.previous_sets],
            "result": self._result_data(),
        }

    @property
    def claim(self) -> Claim:
        """What is proved of the dissimilarity; nothing is claimed about the qualities."""
        if self.bound is None:
            return Claim(Scope.COUNT, "Proved: no such sets exist.")
        if self.status is Status.OPTIMAL:
            who = (
                "no such set is" if self.search == "sequential" else f"no {self.problem.n_sets} such sets are"
            )
            return Claim(Scope.JOINT, f"Proved: {who} more dissimilar than {self.bound}.")
        return Claim(
            Scope.NONE, f"{unproved(self.stop_reason)} A dissimilarity above {self.bound} is impossible."
        )

    def _facts(self) -> Facts:
        said = "nothing found"
        if self.largest is not None:
            said = f"{self.dissimilarity} dissimilarity {float(self.largest):.4g}"
        facts = [("answer", said), *self._threshold()]
        for number, members in enumerate(self.problem.previous_sets):
            name = "original" if number == 0 else f"previous {number}"
            facts.append((name, listed_names(self.problem.names_of(members))))
        return facts


def most_dissimilar(
    problem: Instance,
    loss: float | None = None,
    *,
    search: str = "sequential",
    dissimilarity: str = "dice",
    **options: Unpack[QuestionSolving],
) -> MostDissimilar:
    """Make quality the constraint and dissimilarity the objective: the converse of `pyfsel.solve`.

    By a staircase of ever smaller overlaps; each step is a problem that is solved or proved to have no
    solution (paper 000, Section 3.1 names it as the third of four formulations).

    Parameters
    ----------
    problem : Instance
        Its `max_overlap` is replaced, its other constraints hold.
    loss : float, optional
        Share of the best quality of a single set that every set may lose, 0 to 1: 0.05 for 5%.
        Without it the problem has a `min_quality`; with both, the larger threshold holds.
    search : {"sequential", "simultaneous"}
        One alternative to the previous sets of the problem, or to the best set if there are none; or all
        `n_sets` sets at once, every two of them, and dissimilar to the previous sets. Where several sets
        are best, the answer for one alternative depends on which of them is the original.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
        Paper 000, Eq. 4 and 7.
    **options
        Backend, limits and more, see `QuestionSolving`.

    Returns
    -------
    MostDissimilar
        A limit or Ctrl-C leaves the sets found so far and the interval that is proved.

    Raises
    ------
    InputError
        If neither `loss` nor `min_quality` is given, or an argument is not allowed.
    InputError, SolverError
        As `pyfsel.solve`.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 6, 2, 1], n_sets=2, set_size=2, max_overlap=2)
    >>> answer = most_dissimilar(problem, loss=0.25, backend="brute-force")
    >>> answer.problem.previous_sets, answer.sets, str(answer.largest)
    (((0, 1),), ((2, 3),), '1')
    """
    require_sum_or_min(problem)
    require_threshold(problem, loss)
    one_of("search", search, SEARCHES)
    one_of("dissimilarity", dissimilarity, DISSIMILARITIES)
    together = search == "simultaneous"
    if together and problem.n_sets == 1 and not problem.previous_sets:
        raise InputError("n_sets=1: must be at least 2 for sets that are dissimilar to each other")
    with Asking(**options) as asking:
        best = None
        if loss is not None or not (together or problem.previous_sets):
            best = asking.best_set(problem)
        question = _Question(asking, problem, search, dissimilarity)
        if loss is not None or best is not None:
            if best is None or best.status is not Status.OPTIMAL:
                if best is not None and not together:
                    known = problem.previous_sets or best.sets
                    question.problem = problem.replace(n_sets=1, previous_sets=known)
                return _confirmed(asking, question.without_best(best), best)
            problem = with_threshold(problem, loss, best.integer_objective)
        if not together:
            known = problem.previous_sets or (best.sets if best is not None else ())
            problem = problem.replace(n_sets=1, previous_sets=known)
        question.problem = problem
        answer = question.answer(None if best is None else best.integer_objective)
        return _confirmed(asking, answer, best)


def _confirmed(asking: Asking, answer: MostDissimilar, best: Result | None) -> MostDissimilar:
    """Return the answer with what came of proving the best set again, and that nothing goes beyond it."""
    if answer.status not in PROVED:
        return answer
    claims = [] if best is None else [(best.problem, best.sets)]
    if best is None or best.sets:
        steps = levels(answer.problem, answer.dissimilarity)
        higher = (step for step in steps if answer.largest is None or step.dissimilarity > answer.largest)
        claims += [(answer.problem.replace(**step.changes), ()) for step in islice(higher, 1)]
    return replace(answer, confirmation=asking.confirmation(claims))


@dataclass(frozen=True)
class Level:
    """A dissimilarity that sets can have, and what it changes in a problem."""

    dissimilarity: Fraction
    changes: dict[str, Any]


def levels(problem: Instance, dissimilarity: str) -> list[Level]:
    """Return the dissimilarities that sets of the problem's sizes can have, rising.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=2)
    >>> [str(level.dissimilarity) for level in levels(problem, "jaccard")]
    ['0', '2/3', '1']
    """
    if not problem.has_size_range:
        k = problem.set_size
        return [Level(_value(problem, m, k, k, dissimilarity), {"max_overlap": m}) for m in range(k, -1, -1)]
    values = {
        _value(problem, m, s, t, dissimilarity)
        for s in problem.sizes
        for t in problem.sizes
        for m in range(min(s, t) + 1)
    }
    return [Level(value, _factors(problem, value, dissimilarity)) for value in sorted(values)]


def _factors(problem: Instance, value: Fraction, dissimilarity: str) -> dict[str, Any]:
    """Return the threshold as the linear constraint of paper 000, Eq. 4 or 7."""
    rule = DISSIMILARITIES[dissimilarity].rule(value, problem.n_features)
    usual = {"overlap_constant": 0, "by_smaller": False}
    return {"max_overlap": problem.set_size, **usual, **rule.fields()}


def _value(problem: Instance, shared: int, size: int, other: int, dissimilarity: str) -> Fraction:
    return DISSIMILARITIES[dissimilarity].value(shared, size, other, problem.n_features)


def least_dissimilarity(problem: Instance, sets: tuple[FeatureSet, ...], dissimilarity: str) -> Fraction:
    """Return the least dissimilarity of any two sets, or of a set and a previous one."""
    members = [set(s) for s in sets]
    others = [set(s) for s in problem.previous_sets]
    pairs = [(a, b) for i, a in enumerate(members) for b in members[:i]]
    pairs += [(a, b) for a in members for b in others]
    found = (_value(problem, len(a & b), len(a), len(b), dissimilarity) for a, b in pairs)
    return min(found, default=Fraction(1))


class _Question:
    """The staircase of ever larger dissimilarities."""

    def __init__(self, asking: Asking, problem: Instance, search: str, dissimilarity: str) -> None:
        self.asking = asking
        self.problem = problem
        self.search = search
        self.dissimilarity = dissimilarity

    def without_best(self, best: Result | None) -> MostDissimilar:
        """Return what is known if the best set is not: nothing, or that there is none."""
        impossible = best is not None and best.status is Status.INFEASIBLE
        bound = None if impossible else Fraction(1)
        return self._reply(None, None, bound, None)

    def answer(self, best_quality: int | None) -> MostDissimilar:
        """Find the highest level at which there are sets that are good enough."""
        steps = levels(self.problem, self.dissimilarity)
        found: dict[int, Result] = {}

        def ask(number: int) -> bool | None:
            level = steps[number]
            asked = f"dissimilarity ≥ {float(level.dissimilarity):.4g}"
            result = self.asking.decide(self.problem.replace(**level.changes), asked, 0.5)
            if result is not None and result.sets:
                found[number] = result
            return None if result is None else bool(result.sets)

        yes, no = climb(-1, len(steps), ask, self.asking.is_stopped)
        if no == 0:
            return self._reply(None, None, None, best_quality)
        bound = steps[no - 1].dissimilarity
        if yes < 0:
            return self._reply(None, None, bound, best_quality)
        return self._reply(found[yes], steps[yes].dissimilarity, bound, best_quality)

    def _reply(
        self,
        result: Result | None,
        largest: Fraction | None,
        bound: Fraction | None,
        best_quality: int | None,
    ) -> MostDissimilar:
        return MostDissimilar(
            problem=self.problem,
            search=self.search,
            dissimilarity=self.dissimilarity,
            result=result,
            largest=largest,
            bound=bound,
            best_quality=best_quality,
            **self.asking.ending(largest == bound),
        )
