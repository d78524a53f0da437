"""What a solution file states, held against the problem: sets, qualities, objective, status, bound."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance, require_problem
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import Status, contradictions
from pyfsel.results.result import Result
from pyfsel.results.verify import violations

RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-9, 1e-12  # for floats that others write with ten digits


def verify(problem: Instance, solution: Result | Sequence[Iterable[int]]) -> list[str]:
    """Return what is wrong with a solution, one sentence each; an empty list means that it stands.

    Parameters
    ----------
    problem : Instance
    solution : Result or sequence of iterables of int
        As many feature sets as the problem asks for, 0-based; or a result, which is checked with all that it
        states: one of a sequential search may have fewer sets, where no further one exists.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=2, set_size=2, max_overlap=1)
    >>> verify(problem, [(0, 1), (0, 1)])
    ['sets 0 and 1 share 2 features [0, 1], at most 1 is allowed']
    """
    require_problem(problem)
    if isinstance(solution, Result):
        return Solution.from_json(solution.to_dict(), problem).violations(problem)
    return violations(problem, solution)


@dataclass(frozen=True)
class Solution:
    """Sets as somebody states them, and the statements that came with them.

    Parameters
    ----------
    sets : sequence of sequences of int
        0-based, not checked.
    stated : mapping
        The fields of a result's JSON; empty if only sets were given.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=2, set_size=1, max_overlap=0)
    >>> Solution.from_json([[0], [1]], problem).violations(problem)
    []
    """

    sets: tuple[tuple[Any, ...], ...]
    stated: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Any, problem: Instance) -> Solution:
        """Build one from a result's JSON, or from a list of sets of feature numbers or names.

        Raises
        ------
        InputError
            If the data is neither.
        """
        stated = data if isinstance(data, Mapping) else {}
        entries = stated.get("feature_sets") if stated else data
        if not isinstance(entries, list):
            raise InputError("solution: must be a JSON object with feature_sets, or a list of sets")
        return cls(tuple(_members(entry, problem) for entry in entries), stated)

    def violations(self, problem: Instance) -> list[str]:
        """Return what is wrong, one sentence each; an empty list means that every statement stands."""
        asked = self._asked(problem)
        found = self._wrong_sets(problem, asked) or [*self._wrong_names(problem), *self._wrong_numbers(asked)]
        return found or self._wrong_steps(problem)

    def _wrong_sets(self, problem: Instance, asked: Instance) -> list[str]:
        status, bound = self.stated.get("status"), self.stated.get("integer_bound")
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int)):
            return [f"integer_bound {bound!r} is not an integer"]
        if status is None:
            return violations(asked, self.sets)
        if status not in list(Status):
            return [f"status {status!r} is not one of {', '.join(Status)}"]
        found = contradictions(asked, Status(status), self.sets, bound)
        return found or self._wrong_scope(problem, Status(status), bound)

    def _wrong_scope(self, problem: Instance, status: Status, bound: int | None) -> list[str]:
        """Return which claim is not about the sets that were found, or not about each of them."""
        if self.stated.get("search") != "sequential" or problem.n_sets == 1:
            return []
        is_short = 0 < len(self.sets) < problem.n_sets
        if status is (Status.OPTIMAL if is_short else Status.FEWER):
            return [f"{status} is stated with {len(self.sets)} of {problem.n_sets} sets"]
        if bound is not None or any(self.stated.get(name) is not None for name in ("bound", "gap")):
            return ["a bound or gap of all sets is stated, which a sequential search does not prove"]
        return []

    def _wrong_steps(self, problem: Instance) -> list[str]:
        """Return what `Result` itself finds wrong in a complete result."""
        if "problem" not in self.stated:
            return []
        try:
            Result.from_dict({**self.stated, "problem": problem.to_dict()})
        except FalseClaimError as error:
            return [str(error)]
        return []

    def summary(self, problem: Instance) -> str:
        """Return what was checked; to be asked for when there are no violations."""
        if not self.sets:
            return f"no sets were given; the claim {self.stated.get('status')} cannot be checked here"
        value = values.quality_total(self._asked(problem), self.sets)
        sets, features = number_of(len(self.sets), "set"), number_of(problem.set_size, "feature")
        text = f"{sets} of {features}, objective {value:.10g}"
        missing = problem.n_sets - len(self.sets)
        if missing:
            text += f"; {missing} of the {problem.n_sets} sets asked for are missing (sequential search)"
        return text

    def _asked(self, problem: Instance) -> Instance:
        """Return the problem with as many sets as a sequential search found."""
        if self.stated.get("search") == "sequential" and 0 < len(self.sets) < problem.n_sets:
            return problem.replace(n_sets=len(self.sets))
        return problem

    def _wrong_names(self, problem: Instance) -> list[str]:
        found = []
        entries = self.stated.get("feature_sets", [])
        for number, (entry, members) in enumerate(zip(entries, self.sets, strict=False)):
            names = entry.get("features") if isinstance(entry, Mapping) else None
            if names is not None and names != problem.names_of(members):
                found.append(
                    f"set {number} names the features {names}, its indices are {problem.names_of(members)}"
                )
        return found

    def _wrong_numbers(self, problem: Instance) -> list[str]:
        if not self.sets or not self.stated:
            return []
        found = []
        for number, quality in enumerate(values.qualities(problem, self.sets)):
            entry = self.stated["feature_sets"][number]
            stated = entry.get("quality") if isinstance(entry, Mapping) else None
            found += _compared(f"quality of set {number}", stated, quality)
        value = values.quality_total(problem, self.sets)
        found += _compared("objective", self.stated.get("objective"), value)
        integer = values.total(problem, self.sets)
        found += _compared("integer_objective", self.stated.get("integer_objective"), integer)
        return found + self._wrong_bound(problem, value, integer)

    def _wrong_bound(self, problem: Instance, value: float, integer: int) -> list[str]:
        bound, integer_bound = self.stated.get("bound"), self.stated.get("integer_bound")
        if integer_bound is not None:
            loss = values.rounding_loss(problem)
            found = _compared("bound", bound, values.to_float(problem, integer_bound) + loss)
            gap = (integer_bound - integer) / max(1, abs(integer))
            return found + _compared("gap", self.stated.get("gap"), gap)
        if isinstance(bound, (int, float)) and bound < value and not _close(bound, value):
            return [f"bound is stated as {bound}, below the objective {value}"]
        return []


def _members(entry: Any, problem: Instance) -> tuple[Any, ...]:
    listed = entry.get("indices", entry.get("features")) if isinstance(entry, Mapping) else entry
    if not isinstance(listed, list):
        raise InputError(f"solution: {entry!r} is not a set of features")
    numbers = {name: j for j, name in problem.copies}
    numbers |= {name: j for j, name in enumerate(problem.feature_names)}
    return tuple(numbers.get(j, j) if isinstance(j, str) else j for j in listed)


def _close(stated: float, computed: float) -> bool:
    return math.isclose(stated, computed, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)


def _compared(name: str, stated: Any, computed: float) -> list[str]:
    if stated is None:
        return []
    is_number = isinstance(stated, (int, float)) and not isinstance(stated, bool)
    if is_number and _close(stated, computed):
        return []
    return [f"{name} is stated as {stated}, recomputed it is {computed}"]
