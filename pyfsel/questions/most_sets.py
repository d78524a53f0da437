"""As many sets as possible that are good enough and dissimilar to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.interface.answer import Answer, answer_to
from pyfsel.interface.problem import Problem
from pyfsel.problem.checks import integer_in, number_of
from pyfsel.problem.dissimilarity import may_be_equal
from pyfsel.problem.fields import LARGEST_TOTAL
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.questions.asked import (
    asking_of,
    at_least,
    best_and_limited,
    loss_of,
    not_known,
    require_any_order,
    threshold_facts,
)
from pyfsel.questions.most_sets_bounds import (
    MostSetsPacking,
    counting_bound,
    good_sets,
    pool_bound,
    quality_bound,
)
from pyfsel.results.backend_answer import PROVED, Status, StopReason, status_of
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.result import Result
from pyfsel.results.verify import require_true, violations
from pyfsel.solving.asking import Asking, climb
from pyfsel.solving.attempt import ordered

TOO_LARGE = (
    "The qualities are so large that no more than {} sets can be requested at once. Use a smaller scale."
)


def most_sets(problem: Problem, loss: float = 0.1, at_most: int | None = None, **solving: Any) -> Answer:
    """Find as many dissimilar sets as possible that lose at most a proportion of the best quality each.

    Like bin covering (paper 000, Appendix A.5.2), with overlaps: sets are added one after another as long as
    some set is compatible with the sets found; counting gives a first upper bound. Between them, with
    ``solver="auto"``, as many as possible are picked from all good sets, if these are few; then numbers of
    sets are proved possible or impossible.

    Parameters
    ----------
    problem : Problem
        Its number of sets makes no difference; its other rules hold for any two sets.
    loss : float
        The proportion of the quality of the best single set that a set may lose, from 0 to 1, whether or not
        the best one differs from previous sets; without effect with a minimum quality.
    at_most : int, optional
        The search ends at this number of sets.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the number of sets. `details` has ``bound_from``, what proves `high`.

    Raises
    ------
    InputError
        If equal sets are allowed, or an argument is not allowed.

    Examples
    --------
    >>> answer = most_sets(Problem([9, 8, 7, 3, 2, 1], k=2, dissimilarity="shared:1"), loss=0.3)
    >>> answer.low, answer.high, [one.indices for one in answer]
    (4.0, 4.0, [(0, 1), (0, 2), (1, 2), (0, 3)])
    """
    require_any_order(problem, "most_sets")
    instance = problem.instance.replace(shared_price=0)  # no limit, and no part of the quality
    lost = loss_of(instance, loss)
    if may_be_equal(instance):
        raise InputError("dissimilarity: allows equal sets, so there can be any number of them")
    if at_most is not None:
        at_most = integer_in("at_most", at_most, 1, None)
    with asking_of(solving) as asking:
        best, limited = best_and_limited(asking, instance, lost)
        search = _MostSetsSearch(asking, limited or instance, at_most)
        if limited is not None:
            search.run()
        elif best is not None and best.status is Status.INFEASIBLE:
            search.lower(0, "no set satisfies the rules")
        status, count, bound = search.status, len(search.sets), search.bound
        found, said = number_of(count, "set"), count if status in PROVED else 0
        number = found if status in PROVED else f"{found} or more"  # is a plural
        others = "Another one" if count == 1 else f"Other {count} sets"
        better = f". {others} may be better" if len({*search.problem.quality}) > 1 else ""
        more = "" if bound is None else f"{bound + 1} such sets do not exist"
        return answer_to(
            "most_sets",
            problem,
            asking,
            search.result() if search.sets else None,
            status,
            proved=f"Proved: {more}{better}",
            left=f"More sets were not searched for. {more}" if count == at_most else more,
            none="no such set exists",
            headline=f"{number} of {instance.sizes_text} {at_least(lost, said)} and "
            f"{'differs' if said == 1 else 'differ'} enough{problem.origin}"
            if count or status in PROVED
            else not_known(instance, lost, problem.origin, " and differ enough"),
            closed=count in (bound, at_most),
            high=None if bound is None else float(bound),
            unit="sets",
            confirmation=_confirmed(search, best) if status in PROVED else None,
            best=best,
            facts=threshold_facts(search.problem, best),
            details={"bound_from": search.bound_from},
        )


def _confirmed(search: _MostSetsSearch, best: Result | None) -> Confirmation | None:
    """Return what came of proving the best set again, and that there is not one set more."""
    asking = search.asking
    if asking.confirm is None:
        return None
    if len(search.sets) == most_with_total(search.problem):
        return Confirmation.not_confirmed(TOO_LARGE.format(len(search.sets)))
    claims = [] if best is None else [(best.problem, best.sets)]
    if best is None or best.sets:
        claims.append((search.problem.replace(n_sets=len(search.sets) + 1), ()))
    return asking.confirmation(claims)


def most_with_total(problem: Instance) -> int:
    """Return for how many sets the sum of their values stays in the range of `Instance`.

    Examples
    --------
    >>> most_with_total(Instance(quality=[2**51, 1], n_sets=1, k=1, max_shared=0))
    4
    """
    return LARGEST_TOTAL // max(1, problem.largest_total // problem.n_sets)


@dataclass
class _MostSetsSearch:
    """Sets one after another, then ever more at once, up to the bound."""

    asking: Asking
    problem: Instance
    at_most: int | None
    bound: int | None = None
    bound_from: str = ""
    sets: Family = ()

    def __post_init__(self) -> None:
        self.most = most_with_total(self.problem)
        self.limit = min(self.most, self.most if self.at_most is None else self.at_most)

    @property
    def status(self) -> Status:
        """OPTIMAL: there are no more sets; INFEASIBLE: there is none."""
        return status_of(self.sets, len(self.sets) == self.bound)

    def run(self) -> None:
        """Close the interval as far as the limits allow."""
        self.lower(counting_bound(self.problem), "counting features")
        assert self.bound is not None
        if self._extend() and not self.sets:
            self.lower(0, "no set is good enough")
        if 0 < len(self.sets) < self.limit:
            pool = None if self.asking.is_stopped() else good_sets(self.problem)
            if pool is not None:
                self.lower(pool_bound(self.problem, pool), "counting good sets")
            uses = quality_bound(self.problem, len(self.sets), self.bound)
            self.lower(uses, "counting uses of good features")
            if pool is not None and self.asking.backend == "auto" and len(self.sets) < self.limit:
                self._pack(pool)
            _, impossible = climb(len(self.sets), self.limit + 1, self._ask, self.asking.is_stopped)
            if impossible <= self.limit:
                self.lower(impossible - 1, "an exact solver")
        if len(self.sets) == self.most < self.bound:
            self.asking.message = TOO_LARGE.format(self.most)
        if self.bound < len(self.sets):
            raise FalseClaimError(
                f"most_sets: bound {self.bound} was claimed, {len(self.sets)} sets are known"
            )

    def lower(self, bound: int | None, why: str) -> None:
        """Take a bound on the number of sets, if it is a better one."""
        if bound is not None and (self.bound is None or bound < self.bound):
            self.bound, self.bound_from = bound, why
            self.limit = min(self.limit, bound)

    def _extend(self) -> bool:
        """Add sets compatible with the sets found; return whether it is proved that no further set is."""
        while len(self.sets) < self.limit:
            step = self.problem.after(self.sets)
            result = self.asking.decide(step, f"set {len(self.sets) + 1} given the sets before it", 0.5)
            if result is None or not result.sets:
                return result is not None
            self.sets = (*self.sets, result.sets[0])
        return False

    def _pack(self, pool: list[FeatureSet]) -> None:
        """Improve sets and bound by candidate packing."""
        told = partial(self.lower, why="candidate packing")
        answer = self.asking.run(MostSetsPacking(pool), self.problem, self._take, told, self.sets, 0.7)
        self._take(answer.sets or ())
        told(answer.bound)

    def _take(self, sets: Sequence[Iterable[int]]) -> None:
        """Keep a larger number of sets, which are verified."""
        listed = tuple(tuple(members) for members in sets)[: self.most]
        if len(listed) <= len(self.sets):
            return
        evidence = violations(self.problem.replace(n_sets=len(listed)), listed)
        require_true(MostSetsPacking.name, evidence)
        self.sets = listed[: self.at_most]

    def _ask(self, number: int) -> bool | None:
        if number <= len(self.sets):
            return True
        result = self.asking.decide(self.problem.replace(n_sets=number), number_of(number, "set"), 0.5)
        if result is None:
            return None
        if result.sets:
            self.sets = result.sets
            self._extend()
        return bool(result.sets)

    def result(self) -> Result:
        """Return the sets found so far as the result of a problem with this number of sets."""
        problem = self.problem.replace(n_sets=len(self.sets))
        return Result(
            problem=problem,
            sets=ordered(problem, self.sets),
            status=Status.FEASIBLE,
            integer_bound=None,
            backend=", ".join(self.asking.used),
            search="simultaneous",
            runtime=self.asking.runtime,
            stop_reason=StopReason.FINISHED,
        )
