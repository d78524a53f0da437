"""The best solution and the best bound of a search for several sets, and who gets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, FeatureSet
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status, StopReason
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError


class IncumbentSearch:
    """What a search knows so far; a search is a subclass.

    Parameters
    ----------
    problem : Instance
    control : Control
        Gets each better solution and each better bound.

    Attributes
    ----------
    best : tuple of feature sets or None
        The best solution so far.
    value : int or None
        Its objective.
    bound : int or None
        Upper bound on the objective.
    statistics : dict
        Numbers about the search.
    """

    def __init__(self, problem: Instance, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.best: Family | None = None
        self.value: int | None = None
        self.bound: int | None = None
        self.statistics: dict[str, int] = {}
        self._added_up: int | None = None

    def value_of(self, members: FeatureSet) -> int:
        """Return what one set is worth by the search's own numbers."""
        return values.value(self.problem, members)

    @property
    def wanted(self) -> int | None:
        """The minimum value of one set that is of interest; None without a solution and a minimum quality."""
        return self.problem.min_quality if self.value is None else self.value + 1

    def improve(self, sets: Sequence[FeatureSet], added_up: int | None = None) -> bool:
        """Take a solution if it is better, and say so; the search may have added up its objective itself."""
        value = values.total(self.problem, sets) if added_up is None else added_up
        if self.value is not None and value <= self.value:
            return False
        self.best, self.value, self._added_up = tuple(sets), value, added_up
        self.control.report_sets(self.best)
        return True

    def stated(self) -> Stated:
        """Return what the best sets are worth by the search's own numbers, also if they were given to it."""
        if self._added_up is not None:
            return Stated(self._added_up)
        return Stated(values.aggregate_values(self.problem, list(map(self.value_of, self.best or ()))))

    def tighten(self, bound: int) -> None:
        """Take a bound on what is better than the best solution: on all, it is not below the value."""
        self.bound_all(bound if self.value is None else max(bound, self.value))

    def bound_all(self, bound: int) -> None:
        """Take a bound on all solutions if it is better; verification refuses one below a known solution."""
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.control.report_bound(bound)

    def answer(self, search: Callable[[], None], name: str) -> BackendAnswer:
        """Search, and return what that proves, or has found until time or memory run out."""
        try:
            search()
        except OutOfTimeError:
            return self.unproved()
        except TooManySetsError:
            message = f"{name}: more sets could be part of a best solution than fit into memory."
            return self.unproved(StopReason.MEMORY_LIMIT, message)
        return self.proved()

    def proved(self) -> BackendAnswer:
        """Return the best solution as a proved one, or that there is none."""
        if self.best is None:
            return BackendAnswer(Status.INFEASIBLE, statistics=self.statistics)
        stated = self.stated()
        return BackendAnswer(Status.OPTIMAL, self.best, self.value, statistics=self.statistics, stated=stated)

    def unproved(self, why: StopReason = StopReason.TIME_LIMIT, message: str = "") -> BackendAnswer:
        """Return what is found and proved so far."""
        return BackendAnswer.unproved(self.best, self.bound, why, self.statistics, message)
