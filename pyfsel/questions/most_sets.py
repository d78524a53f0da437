"""As many sets as possible that are good enough and dissimilar to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

from pyfsel.backends import get_backend
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem.checks import integer_in
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.overlap import may_be_equal
from pyfsel.problem.side_constraints import LARGEST_TOTAL
from pyfsel.problem.wording import number_of
from pyfsel.questions.answered import AnsweredBesideBest
from pyfsel.questions.asking import (
    Asking,
    QuestionSolving,
    climb,
    require_threshold,
    with_threshold,
)
from pyfsel.questions.most_sets_bounds import MostSetsPacking, first_bounds, quality_bound
from pyfsel.results.answer import PROVED, Status, StopReason
from pyfsel.results.claims import Claim, Scope, unproved
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.display import Facts
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.attempt import ordered

SEARCH = "simultaneous"
TOO_LARGE = (
    "The qualities are so large that no more than {} sets can be asked for at once; use a smaller scale."
)


@dataclass(frozen=True, repr=False, kw_only=True)
class MostSets(AnsweredBesideBest):
    """The largest number of sets that are good enough, or the interval that is proved for it.

    Parameters
    ----------
    problem : Instance
        What was asked, with the least quality.
    result : Result or None
        As many sets as were found, verified; None if there is none.
    bound : int or None
        Proved: there are no more sets. None if nothing is proved.
    bound_from : str
        What proves the bound.
    at_most : int or None
        No more sets than these were looked for.
    """

    question: ClassVar[str] = "most_sets"

    bound: int | None
    bound_from: str
    at_most: int | None

    def __post_init__(self) -> None:
        if self.bound is not None and self.bound < self.n_sets:
            raise FalseClaimError(f"most_sets: bound {self.bound} was claimed, {self.n_sets} sets are known")

    @property
    def n_sets(self) -> int:
        """How many sets were found."""
        return len(self.sets)

    @property
    def status(self) -> Status:
        """OPTIMAL: there are no more sets; INFEASIBLE: there is none."""
        if not self.sets:
            return Status.INFEASIBLE if self.bound == 0 else Status.NOT_SOLVED
        return Status.OPTIMAL if self.n_sets == self.bound else Status.FEASIBLE

    def _found(self) -> dict[str, Any]:
        return {
            "n_sets": self.n_sets,
            "bound": self.bound,
            "bound_from": self.bound_from,
            "min_quality": self.problem.min_quality,
            "max_overlap": self.problem.max_overlap,
            "best_quality": self.best_quality,
            "result": self._result_data(),
        }

    @property
    def claim(self) -> Claim:
        """What is proved of the number of sets; nothing is claimed about their qualities."""
        if self.bound is None:
            return Claim(Scope.NONE, unproved(self.stop_reason))
        if self.status is Status.INFEASIBLE:
            return Claim(Scope.COUNT, "Proved: no such set exists.")
        more = f"{self.bound + 1} such sets do not exist ({self.bound_from})."
        if self.status is Status.OPTIMAL:
            return Claim(Scope.COUNT, f"Proved: {more}")
        enough = self.n_sets == self.at_most
        why = "More sets were not searched for." if enough else unproved(self.stop_reason)
        return Claim(Scope.NONE, f"{why} {more}")

    def _facts(self) -> Facts:
        sets = number_of(self.n_sets, "set")
        said = f"{sets} or more, at most {self.bound}" if self.status is Status.FEASIBLE else sets
        return [("answer", said), *self._threshold()]


def most_sets(
    problem: Instance,
    loss: float | None = None,
    *,
    at_most: int | None = None,
    **options: Unpack[QuestionSolving],
) -> MostSets:
    """Find as many dissimilar sets as possible that reach a quality.

    Like bin covering (paper 000, Appendix A.5.2), with overlaps: sets are added one after another as long as
    some set fits beside those found; counting gives a first upper bound. Between them, with
    ``backend="auto"``, as many as possible are picked from all good sets, if these are few; then numbers of
    sets are proved possible or impossible.

    Parameters
    ----------
    problem : Instance
        Its `n_sets` is not used; its other constraints hold for any two sets.
    loss : float, optional
        Share of the best quality of a single set that every set may lose: 0.05 for 5%. Without it the
        problem has a `min_quality`; with both, the larger threshold holds.
    at_most : int, optional
        Enough sets: no more are looked for.
    **options
        Backend, limits and more, see `QuestionSolving`.

    Returns
    -------
    MostSets
        A limit or Ctrl-C leaves the sets found so far and the interval that is proved.

    Raises
    ------
    InputError
        If there is no threshold, if equal sets are allowed, or an argument is not allowed.
    InputError, SolverError
        As `pyfsel.solve`.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=1, set_size=2, max_overlap=1, min_quality=12)
    >>> answer = most_sets(problem, backend="brute-force")
    >>> answer.n_sets, answer.bound, answer.sets
    (4, 4, ((0, 1), (0, 2), (1, 2), (0, 3)))
    """
    require_sum_or_min(problem)
    require_threshold(problem, loss)
    if may_be_equal(problem):
        raise InputError("max_overlap: allows equal sets, so that there can be any number of them")
    if at_most is not None:
        at_most = integer_in("at_most", at_most, 1, None)
    with Asking(**options) as asking:
        best = None
        if loss is not None:
            best = asking.best_set(problem)
            if best is None or best.status is not Status.OPTIMAL:
                impossible = best is not None and best.status is Status.INFEASIBLE
                why = "no set satisfies the constraints" if impossible else ""
                answer = _Question(asking, problem, at_most).reply(0 if impossible else None, why, None)
                return _confirmed(asking, answer, best)
            problem = with_threshold(problem, loss, best.integer_objective)
        question = _Question(asking, problem, at_most)
        return _confirmed(asking, question.answer(None if best is None else best.integer_objective), best)


def _confirmed(asking: Asking, answer: MostSets, best: Result | None) -> MostSets:
    """Return the answer with what came of proving the best set again, and that there is not one set more.

    The bounds by counting rest on the sets that packing enumerates.
    """
    if answer.status not in PROVED or asking.confirm is None:
        return answer
    if answer.n_sets == most_with_total(answer.problem):
        why = Confirmation.not_confirmed(TOO_LARGE.format(answer.n_sets))
        return replace(answer, confirmation=why)
    counting = get_backend("packing")
    asking.used.setdefault(counting.name, counting)
    claims = [] if best is None else [(best.problem, best.sets)]
    if best is None or best.sets:
        claims.append((answer.problem.replace(n_sets=answer.n_sets + 1), ()))
    return replace(answer, confirmation=asking.confirmation(claims))


def most_with_total(problem: Instance) -> int:
    """Return for how many sets the sum of their values stays in the range of `Instance`.

    Examples
    --------
    >>> most_with_total(Instance(quality=[2**51, 1], n_sets=1, set_size=1, max_overlap=0))
    4
    """
    return LARGEST_TOTAL // max(1, problem.largest_total // problem.n_sets)


class _Question:
    """Sets one after another, then ever more at once, up to the bound."""

    def __init__(self, asking: Asking, problem: Instance, at_most: int | None) -> None:
        self.asking = asking
        self.problem = problem
        self.at_most = at_most
        self.limit = 0
        self.most = most_with_total(problem)
        self.sets: tuple[FeatureSet, ...] = ()
        self.backend = ""

    def answer(self, best_quality: int | None) -> MostSets:
        """Close the interval as far as the limits allow."""
        bound, why = first_bounds(self.problem)
        self.limit = min(bound, self.most, bound if self.at_most is None else self.at_most)
        none_fits = self._extend()
        if none_fits and not self.sets:
            bound, why = 0, "no set is good enough"
        if 0 < len(self.sets) < self.limit:
            better = quality_bound(self.problem, len(self.sets), bound)
            if better is not None and better < bound:
                bound, why = better, "counting uses of good features"
                self.limit = min(self.limit, bound)
            bound, why = self._pack(bound, why)
            bound, why = self._search(bound, why)
        if len(self.sets) == self.most < bound:
            self.asking.message = TOO_LARGE.format(self.most)
        return self.reply(bound, why, best_quality)

    def _extend(self) -> bool:
        """Add sets that fit beside those found; return whether it is proved that no further one fits."""
        while len(self.sets) < self.limit:
            step = self.problem.after(self.sets)
            result = self.asking.decide(step, f"set {len(self.sets) + 1} beside those before it", 0.5)
            if result is None:
                return False
            if not result.sets:
                return True
            self.sets, self.backend = (*self.sets, result.sets[0]), result.backend
        return False

    def _pack(self, bound: int, why: str) -> tuple[int, str]:
        """Improve sets and bound by candidate packing, if the backend is free and the good sets are few."""
        packing = MostSetsPacking()
        free = self.asking.backend == "auto"
        if len(self.sets) == self.limit or not free or packing.refusal(self.problem) is not None:
            return bound, why
        bounds = [bound]
        answer = self.asking.run(packing, self.problem, self._take, bounds.append, self.sets, 0.7)
        self._take(answer.sets or ())
        if answer.bound is not None:
            bounds.append(answer.bound)
        self.limit = min(self.limit, *bounds)
        return min((bound, why), (min(bounds), "candidate packing"), key=lambda proved: proved[0])

    def _take(self, sets: Sequence[Iterable[int]]) -> None:
        """Keep a larger number of sets, which are verified."""
        listed = tuple(tuple(members) for members in sets)[: self.most]
        if len(listed) <= len(self.sets):
            return
        evidence = violations(self.problem.replace(n_sets=len(listed)), listed)
        if evidence:
            raise FalseClaimError(f"{MostSetsPacking.name}: " + "; ".join(evidence))
        self.sets, self.backend = listed[: self.at_most], MostSetsPacking.name

    def _search(self, bound: int, why: str) -> tuple[int, str]:
        """Prove numbers of sets possible or impossible."""
        _, impossible = climb(len(self.sets), self.limit + 1, self._ask, self.asking.is_stopped)
        if impossible <= self.limit:
            return impossible - 1, "an exact solver"
        return bound, why

    def _ask(self, number: int) -> bool | None:
        if number <= len(self.sets):
            return True
        result = self.asking.decide(self.problem.replace(n_sets=number), number_of(number, "set"), 0.5)
        if result is None:
            return None
        if result.sets:
            self.sets, self.backend = result.sets, result.backend
            self._extend()
        return bool(result.sets)

    def reply(self, bound: int | None, why: str, best_quality: int | None) -> MostSets:
        """Return the answer with the sets found so far."""
        return MostSets(
            problem=self.problem,
            result=self._result() if self.sets else None,
            bound=bound,
            bound_from=why,
            at_most=self.at_most,
            best_quality=best_quality,
            **self.asking.ending(len(self.sets) in (bound, self.at_most)),
        )

    def _result(self) -> Result:
        problem = self.problem.replace(n_sets=len(self.sets))
        return Result(
            problem=problem,
            sets=ordered(problem, self.sets),
            status=Status.FEASIBLE,
            integer_bound=None,
            backend=self.backend,
            search=SEARCH,
            runtime=self.asking.runtime,
            stop_reason=StopReason.FINISHED,
            message="As many sets as possible were asked for, not the best of as many.",
        )
