"""Backends: classes that turn an `Instance` into a claim, and whether what they need is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar

from pyfsel.problem.instance import Instance
from pyfsel.problem.known_objectives import taken_by
from pyfsel.problem.objectives import FeatureSet, ObjectiveKind
from pyfsel.problem.values import kinds_of, objective_of, takes_steps
from pyfsel.reductions.restriction import without_forbidden
from pyfsel.results.backend_answer import Task
from pyfsel.results.control import STRENGTHENED, Control

BY_STEPS = "steps of CFS"
"""What proofs by steps rest on."""


class Backend(Task):
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
    has_own_objective : bool
        Whether it looks for sets that are best for something else than the problem's objective, so the
        last ones that it reports are its best.
    states_objective : bool
        Whether its solver states itself what its sets are worth
        (`pyfsel.results.backend_answer.BackendAnswer.stated`) or what bound it has proved, so the verifier
        can compare. What another one proves is not believed alone: its OPTIMAL counts as FEASIBLE.
    isolated : bool
        Whether it runs in a child process that can be killed. Only for backends that return at once, or
        watch over their own processes, this is False.
    needs_start : bool
        Whether it can take so long that searching for a solution to start from is worth milliseconds.
    shares_worker : bool
        Whether that child process may have loaded the libraries of other backends.
    slow_imports : tuple of str
        Modules that take seconds to load: done before the first step of a search by steps, whose shares of a
        time limit may be shorter than that.
    formulations : tuple of str
        Names of the formulations it can use, the default first.
    formulation_texts : mapping of str to str
        For some of them: what it is, for the list of models.
    first_search : {"sequential", "simultaneous"}
        The search that it does of sums unless another is requested.
    objectives : tuple of str
        What it takes: kinds (`pyfsel.problem.objectives.ObjectiveKind`) or names of objectives.
    side_constraints : tuple of str
        The constraints on single sets that it can take, of
        `pyfsel.problem.fields.SIDE_CONSTRAINTS`, and what the objective of several sets may have
        in addition to their sum or minimum, of `pyfsel.problem.objectives.SET_TERMS`.
    takes_lazy_redundancy : bool
        Whether it takes redundancies that are computed on demand.
    basis : tuple of str
        What its proofs rest on: solvers, models and searches by name. Two backends that have none of them in
        common can confirm each other. Its own name if it is empty.
    by_steps : tuple of str
        The formulations in which fractions are found by steps over graph scores
        (`pyfsel.algorithms.cfs.steps.solve_by_steps`).
    packages : mapping of str to str
        What it needs: distributions, of which the first has its version, by the names of their imports.
    """

    summary: str
    exact: ClassVar[bool] = True
    has_own_objective: ClassVar[bool] = False
    states_objective: ClassVar[bool] = True
    needs_start: ClassVar[bool] = True
    formulations: tuple[str, ...] = (STRENGTHENED,)
    formulation_texts: ClassVar[Mapping[str, str]] = {}
    first_search: ClassVar[str] = "sequential"
    objectives: tuple[str, ...] = (ObjectiveKind.SUMS, ObjectiveKind.PAIRS_OF_ONE_SIZE)
    side_constraints: ClassVar[tuple[str, ...]] = ()
    takes_lazy_redundancy: ClassVar[bool] = False
    by_steps: ClassVar[tuple[str, ...]] = ()
    packages: Mapping[str, str] = {}

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
        lacking = [distribution for distribution, name in self.packages.items() if not is_installed(name)]
        return f"is not installed. Try: pip install {' '.join(lacking)}" if lacking else None

    def version(self) -> str | None:
        """Return the version of the solver, if it has one."""
        return next(map(installed_version, self.packages), None)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        """Return why the backend cannot take this problem, or None; a backend overrides this.

        It is called only with objectives and side constraints that the class attributes allow.
        """
        return None

    def refusal(self, problem: Instance, formulation: str) -> str | None:
        """Return why the backend cannot take this problem, or None; callers ask this."""
        if problem.n_sets > 1 and not objective_of(problem).simultaneous:
            return f"objective {problem.objective} is for one set after another (search='sequential')"
        if kinds_of(problem).isdisjoint(self.objectives):
            taken = taken_by(self.objectives, one_size=not problem.has_size_range)
            where = " for sets that differ in size" if problem.has_size_range else ""
            return f"takes objectives {', '.join(taken)}{where}, not {problem.objective}"
        if problem.lazy_pairs is not None and not self.takes_lazy_redundancy:
            n = problem.n_features
            return f"takes redundancies in memory, not of {n} features on demand (keep_best leaves fewer)"
        missing = [name for name in problem.side_constraints if name not in self.side_constraints]
        if missing:
            return f"does not take {', '.join(missing)}"
        if problem.shared_price and BY_STEPS in self.rests_on(problem, formulation):
            return f"searches for sets of objective {problem.objective} by steps, which know no price"
        return self.unsupported(problem, formulation)

    def rests_on(self, problem: Instance, formulation: str) -> frozenset[str]:
        """Return what a proof of it would rest on: `basis`, unless that depends on the problem."""
        steps = (BY_STEPS,) if self.goes_by_steps(problem, formulation) else ()
        return frozenset((*(self.basis or (self.name,)), *steps))

    def goes_by_steps(self, problem: Instance, formulation: str) -> bool:
        """Return whether it solves steps of a loop, and not the problem itself."""
        return formulation in self.by_steps and takes_steps(problem)

    def size(self, problem: Instance, formulation: str) -> dict[str, int] | None:
        """Return how large the model of a problem is, such as numbers of variables and constraints.

        None, the default, where the backend has no model, or has not got it at once.
        """
        return None

    def judged(self, problem: Instance, search: str) -> tuple[Instance, Backend]:
        """Return the problem by which its sets are judged, and the backend that finds them: as they are."""
        return problem, self

    @classmethod
    def usual_search(cls, problem: Instance) -> str:
        """Return the search unless a call names one: the problem's, or for sums one set after another."""
        if problem.search is not None:
            return "sequential" if problem.search == "sequential" else "simultaneous"
        return cls.first_search if problem.aggregate == "sum" else "simultaneous"

    def sequence(self, problem: Instance, control: Control) -> Iterator[FeatureSet] | None:
        """Return the sets of a sequential search one by one, or None.

        None, the default, makes sequential search call `solve` for each set, with those found before as
        previous sets. Only a backend that is a sequential search in itself, and not isolated, overrides this;
        its sets count as FEASIBLE, and it may end early.
        """
        return None


def refusal(backend: Backend, problem: Instance, formulation: str) -> str | None:
    """Return why a backend cannot take a problem even without its forbidden features, or None."""
    asked = without_forbidden(problem).problem if formulation == STRENGTHENED else problem
    return backend.refusal(asked, formulation)


_installed: set[str] = set()


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, by the name of the import.

    Examples
    --------
    >>> is_installed("numpy"), is_installed("nothing.of_that_name")
    (True, False)
    """
    with suppress(ModuleNotFoundError):  # of a part of a package that is missing as a whole
        if package not in _installed and importlib.util.find_spec(package) is not None:
            _installed.add(package)
    return package in _installed


def installed_version(distribution: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
