"""Ways to list all solutions with a known objective; none of them shares its constraints with another.

`single_sets` has two of them and what all share, `blocks` those that meet many sets at a time; `cpsat` and
`sat` are one each. `census` counts sets without listing them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyfsel.backends import get_backend
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.questions.enumeration import cpsat, sat
from pyfsel.questions.enumeration.blocks import (
    Blocks,
    by_best_subsets,
    by_chains,
    by_packing,
    one_by_one,
    refusal_of,
)
from pyfsel.questions.enumeration.single_sets import (
    EnoughError,
    Family,
    Take,
    list_by_packing,
    list_by_trying,
)
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import STRENGTHENED, Control, OutOfTimeError, TooManySetsError
from pyfsel.results.task import Task

__all__ = ["METHODS", "Enumeration", "Method", "choose_method"]


@dataclass(frozen=True)
class Method:
    """A way to list all solutions that reach a value.

    Parameters
    ----------
    name : str
        Of the backend that it uses.
    refusal : callable
        Takes a problem, returns why the method cannot take it, or None.
    list_families : callable
        Takes a problem, its optimum, a `Control`, and a callable to which it hands over every solution.
    list_blocks : callable or None
        The same of problems for one set: it hands over arrays of sets, and of their values.
    """

    name: str
    refusal: Callable[[Instance], str | None]
    list_families: Callable[[Instance, int, Control, Take], None]
    list_blocks: Blocks | None = None


def _refused_by(backend: str) -> Callable[[Instance], str | None]:
    return lambda problem: get_backend(backend).refusal(problem, STRENGTHENED)


METHODS = {
    method.name: method
    for method in (
        Method("packing", _refused_by("packing"), list_by_packing, by_packing),
        Method("ksubgraph", refusal_of("ksubgraph"), one_by_one(by_chains), by_chains),
        Method(
            "best-subsets",
            refusal_of("best-subsets", of_any_size=True),
            one_by_one(by_best_subsets),
            by_best_subsets,
        ),
        Method("cpsat", cpsat.refusal, cpsat.list_families),
        Method("rc2", sat.refusal, sat.list_families),
        Method("brute-force", _refused_by("brute-force"), list_by_trying),
    )
}


def choose_method(problem: Instance) -> Method:
    """Return the first method that takes the problem.

    Raises
    ------
    InputError
        If none does.
    """
    refusals = {}
    for method in METHODS.values():
        refusals[method.name] = get_backend(method.name).missing() or method.refusal(problem)
        if refusals[method.name] is None:
            return method
    reasons = ", ".join(f"{name} ({why})" for name, why in refusals.items())
    raise InputError(f"no method lists the optimal sets of this problem: {reasons}")


class Enumeration(Task):
    """Runs a method in a process that can be killed; every solution is reported as it comes.

    Parameters
    ----------
    method : str
        Key of `METHODS`.
    value : int
        The objective that solutions reach.
    limit : int or None
        Stop after so many.
    """

    def __init__(self, method: str, value: int, limit: int | None) -> None:
        self.name = method
        self.basis: tuple[str, ...] = (method,)
        self.value = value
        self.limit = limit

    def solve(self, problem: Instance, control: Control) -> Answer:
        """Return OPTIMAL once all solutions have been reported, and FEASIBLE after `limit` of them."""
        seen: set[Family] = set()

        def take(family: Family) -> None:
            listed = tuple(sorted(tuple(sorted(members)) for members in family))
            if listed in seen:
                return
            if len(seen) == self.limit:
                raise EnoughError
            seen.add(listed)
            control.report_sets(listed)

        try:
            METHODS[self.name].list_families(problem, self.value, control, take)
        except EnoughError:
            return Answer(Status.FEASIBLE, next(iter(seen)))
        except (OutOfTimeError, TooManySetsError) as error:
            late = isinstance(error, OutOfTimeError)
            why = StopReason.TIME_LIMIT if late else StopReason.MEMORY_LIMIT
            status = Status.FEASIBLE if seen else Status.NOT_SOLVED
            return Answer(status, next(iter(seen), None), stop_reason=why)
        return Answer(Status.OPTIMAL if seen else Status.INFEASIBLE, next(iter(seen), None))
