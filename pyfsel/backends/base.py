"""What a backend is: a class that turns a `Problem` into a claim."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import ClassVar

from pyfsel.errors import UnsupportedError
from pyfsel.objectives import FeatureSet, objective_of
from pyfsel.problem import Problem
from pyfsel.result import Answer

STRENGTHENED = "strengthened"
LITERAL = "literal"
SEARCHES = ("simultaneous", "sequential")


@dataclass
class Control:
    """The limits of a run, and where a backend reports what it finds on the way.

    Parameters
    ----------
    deadline : float or None
        Value of `time.monotonic` at which the backend must have returned.
    random_state : int
        Seed of everything random.
    n_threads : int
    memory_limit : int or None
        Megabytes that the backend's processes may use together; they are killed when they use more.
    formulation : str
        One of the backend's `formulations`.
    hint : sequence of feature sets or None
        A verified solution to start from, where the backend can use one. It is returned in any case if
        nothing better is found.
    known_bound : int or None
        A proved upper bound on the objective of the problem, such as the optimum of the step before in
        sequential search. A backend may stop at a solution that reaches it, which is optimal, and return it
        as its own bound; it need not use it. For a part of the search with another objective it means
        nothing.
    report_sets, report_bound : callables
        Take better solutions and better bounds (integers) as they come; what was reported survives when the
        backend is killed.
    """

    deadline: float | None = None
    random_state: int = 0
    n_threads: int = 1
    memory_limit: int | None = None
    formulation: str = STRENGTHENED
    hint: tuple[FeatureSet, ...] | None = None
    known_bound: int | None = None
    report_sets: Callable[[Sequence[Iterable[int]]], None] = field(default=lambda sets: None)
    report_bound: Callable[[int], None] = field(default=lambda bound: None)
    compile_seconds: float = field(default=0.0, init=False)

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Count the time of a block as that of building, flattening or encoding the model."""
        begin = time.monotonic()
        try:
            yield
        finally:
            self.compile_seconds += time.monotonic() - begin

    def remaining(self) -> float | None:
        """Return the seconds left, at least 0, or None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def expired(self) -> bool:
        """Return whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline


class Backend(ABC):
    """A solver of problems; subclass it in a file of this package and it is found.

    Attributes
    ----------
    name : str
        As users write it.
    summary : str
        One line for the list of backends.
    exact : bool
        Whether the backend can prove optimality and infeasibility; others may only claim FEASIBLE or
        NOT_SOLVED.
    isolated : bool
        Whether it runs in a child process that can be killed. Only for backends that return at once, or
        watch over their own processes, this is False.
    needs_start : bool
        Whether several sets can take so long that a better start than a greedy one is worth milliseconds.
    forkable : bool
        Whether the child may be a copy of a process that has loaded the libraries of other backends.
    formulations : tuple of str
        Names of the formulations it can use, the default first.
    formulation_texts : mapping of str to str
        For some of them: what it is, for the list of models.
    searches : tuple of str
        The kinds of search it can do.
    objectives : tuple of str
        The objectives it can take at all.
    side_constraints : tuple of str
        The constraints on single sets that it can take, of `pyfsel.side_constraints.SIDE_CONSTRAINTS`.
    basis : tuple of str
        What its proofs rest on: solvers, models and searches by name. Two backends that have none of them in
        common can confirm each other. Its own name if it is empty.
    """

    name: str
    summary: str
    exact: ClassVar[bool] = True
    isolated: ClassVar[bool] = True
    needs_start: ClassVar[bool] = True
    forkable: bool = True
    formulations: ClassVar[tuple[str, ...]] = (STRENGTHENED,)
    formulation_texts: ClassVar[Mapping[str, str]] = {}
    searches: ClassVar[tuple[str, ...]] = SEARCHES
    objectives: ClassVar[tuple[str, ...]] = ("univariate", "fcbf", "mrmr")
    side_constraints: ClassVar[tuple[str, ...]] = ()
    basis: tuple[str, ...] = ()

    @classmethod
    def instances(cls) -> Sequence[Backend]:
        """Return the backends that this class provides."""
        return [cls()]

    @classmethod
    def discovered(cls) -> Sequence[Backend]:
        """Return further backends, which it takes a look at what is installed to know."""
        return []

    def missing(self) -> str | None:
        """Return what has to be installed, or None if the backend can run."""
        return None

    def version(self) -> str | None:
        """Return the version of the solver, if it has one."""
        return None

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        """Return why the backend cannot take this problem, or None; a backend overrides this.

        It is asked only about objectives and side constraints that the class attributes allow.
        """
        return None

    def refusal(self, problem: Problem, formulation: str) -> str | None:
        """Return why the backend cannot take this problem, or None; callers ask this."""
        if problem.n_sets > 1 and not objective_of(problem).simultaneous:
            return f"objective {problem.objective} is for one set after another (search='sequential')"
        if problem.objective not in self.objectives:
            return f"takes objective {', '.join(self.objectives)}, not {problem.objective}"
        missing = [name for name in problem.side_constraints if name not in self.side_constraints]
        if missing:
            return f"does not take {', '.join(missing)}"
        return self.unsupported(problem, formulation)

    def rests_on(self, problem: Problem, formulation: str) -> frozenset[str]:
        """Return what a proof of it would rest on: `basis`, unless that depends on the problem."""
        return frozenset(self.basis or (self.name,))

    def size(self, problem: Problem, formulation: str) -> dict[str, int] | None:
        """Return how large the model of a problem is, such as numbers of variables and constraints.

        None, the default, where the backend has no model, or has not got it at once.
        """
        return None

    def is_isolated(self, formulation: str) -> bool:
        """Return whether it runs in a child process of its own with this formulation."""
        return self.isolated

    def require_search(self, search: str) -> None:
        """Raise `UnsupportedError` if the backend cannot do this kind of search."""
        if search not in self.searches:
            allowed = ", ".join(self.searches)
            raise UnsupportedError(f"search={search!r}: backend {self.name} does {allowed} search only")

    def sequence(self, problem: Problem, control: Control) -> Iterator[FeatureSet] | None:
        """Return the sets of a sequential search one by one, or None.

        None, the default, makes sequential search call `solve` for each set, with those found before as
        previous sets. Only a backend that is a sequential search in itself, and not isolated, overrides this;
        its sets count as FEASIBLE, and it may end early.
        """
        return None

    @abstractmethod
    def solve(self, problem: Problem, control: Control) -> Answer:
        """Solve the problem for all its sets at once and return a claim.

        Sets are 0-based indices in any order. The backend keeps to `control.deadline` as well as it can; an
        isolated one is killed soon after.
        """


def timed_solve(backend: Backend, problem: Problem, control: Control) -> Answer:
    """Solve, and add to the statistics the seconds of building the model and those of the rest."""
    begin = time.monotonic()
    answer = backend.solve(problem, control)
    if not isinstance(answer, Answer):
        return answer
    seconds = time.monotonic() - begin
    split = {
        "compile_seconds": control.compile_seconds,
        "solve_seconds": max(0.0, seconds - control.compile_seconds),
    }
    return replace(answer, statistics={**answer.statistics, **split})


def installed_version(distribution: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
