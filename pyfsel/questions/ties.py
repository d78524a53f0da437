"""All optimal solutions of a problem, or all that lose at most a share of the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

from pyfsel.backends import get_backend
from pyfsel.backends.base import Backend
from pyfsel.errors import FalseClaimError, InputError
from pyfsel.problem import values
from pyfsel.problem.checks import integer_in, share
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.questions.answered import Answered, quality_text
from pyfsel.questions.asking import Asking, QuestionSolving, value_after_loss
from pyfsel.questions.enumeration import METHODS, Enumeration, choose_method
from pyfsel.questions.enumeration.single_sets import Family
from pyfsel.results.answer import PROVED, Status
from pyfsel.results.claims import Claim, Scope, unproved
from pyfsel.results.confirmation import Confirmation
from pyfsel.results.display import Facts, Part, SetsTable, listed_names, percent
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.attempt import ordered

DEFAULT_LIMIT = 1000
MOST_SHOWN_FAMILIES = 20


@dataclass(frozen=True, repr=False, kw_only=True)
class Ties(Answered):
    """The solutions of a problem that are optimal or nearly so, all or some of them.

    Parameters
    ----------
    problem : Instance
    families : tuple of tuples of sets
        Each a solution, its sets by decreasing quality; no two hold the same sets.
    optimum : int or None
        The best integer objective; None if no solution was found.
    proved : Status
        Of the optimum: without OPTIMAL the families are solutions that were found, and no more.
    is_complete : bool
        Proved: there are no others.
    method : str
        What listed the solutions.
    loss : float
        Share of the optimum that a family may lose.

    Raises
    ------
    FalseClaimError
        If a family violates the problem, has a worse or better objective, or is listed twice.
    """

    question: ClassVar[str] = "ties"

    families: tuple[Family, ...]
    optimum: int | None
    proved: Status
    is_complete: bool
    method: str
    loss: float = 0.0

    def __post_init__(self) -> None:
        evidence = []
        for family in self.families:
            evidence += _evidence(self.problem, family, self.wanted)
        if len({tuple(sorted(family)) for family in self.families}) < len(self.families):
            evidence.append("a family is listed twice")
        if evidence:
            raise FalseClaimError(f"{self.method}: " + "; ".join(evidence))

    @property
    def wanted(self) -> range:
        """Objectives of the families, as integers."""
        optimum = self.optimum or 0
        return range(value_after_loss(optimum, self.loss), optimum + 1)

    @property
    def status(self) -> Status:
        """OPTIMAL if the optimum is proved and all solutions are listed."""
        unlisted = self.proved is Status.OPTIMAL and not self.is_complete
        return Status.FEASIBLE if unlisted else self.proved

    @property
    def sets(self) -> Family:
        """The sets of the first solution."""
        return self.families[0] if self.families else ()

    @property
    def n_families(self) -> int:
        """How many solutions are listed."""
        return len(self.families)

    @property
    def always(self) -> tuple[int, ...]:
        """Features that every solution uses; none if not all solutions are known."""
        if not self.is_complete:
            return ()
        used = [{j for members in family for j in members} for family in self.families]
        return tuple(sorted(set.intersection(*used))) if used else ()

    def _found(self) -> dict[str, Any]:
        return {
            "n_families": self.n_families,
            "is_complete": self.is_complete,
            "optimum": self.optimum,
            "loss": self.loss,
            "always": [self.problem.feature_names[j] for j in self.always] if self.is_complete else None,
            "problem": self.problem.to_dict(),
            "families": [
                {"indices": [list(s) for s in family], "features": [self.problem.names_of(s) for s in family]}
                for family in self.families
            ],
            "method": self.method,
        }

    def parts(self, overlap_rule: str = "") -> list[Part]:
        """Return what is shown of it: the families, and the answer in words; ties need no rule."""
        families = SetsTable([""], names_head="features" if self.problem.n_sets == 1 else "sets")
        for number, family in enumerate(self.families[:MOST_SHOWN_FAMILIES], start=1):
            for place, members in enumerate(family):
                families.add_row(["" if place else str(number)], self.problem.names_of(members))
        hidden = self.n_families - MOST_SHOWN_FAMILIES
        if hidden > 0:
            families.add_row(["…"], [f"{hidden} more (--format json lists all)"])
        return [families, self._all_facts()]

    @property
    def claim(self) -> Claim:
        """What is proved of the number of solutions."""
        if self.status is Status.INFEASIBLE:
            return Claim(Scope.COUNT, "Proved: no such sets exist.")
        if self.proved is not Status.OPTIMAL:
            return Claim(Scope.NONE, f"{unproved(self.stop_reason)} The optimum is not known.")
        if self.is_complete:
            many = self.n_families != 1
            these = f"these are all {self.n_families}" if many else "this is the only"
            return Claim(Scope.COUNT, f"Proved: {these} {self._what(many)}.")
        return Claim(Scope.NONE, f"{unproved(self.stop_reason)} There can be more {self._what()}.")

    def _what(self, many: bool = True) -> str:
        n_sets = self.problem.n_sets
        one = "set" if n_sets == 1 else "family"
        what = one if not many else "sets" if n_sets == 1 else "families"
        what += "" if n_sets == 1 else f" of {n_sets} sets"
        return f"{what} that lose at most {percent(self.loss)}" if self.loss else f"optimal {what}"

    def _facts(self) -> Facts:
        least = "" if self.is_complete else "at least "
        known = self.proved in PROVED
        facts = [
            (
                "answer",
                f"{least}{self.n_families} {self._what(self.n_families != 1)}"
                if known
                else "nothing is known",
            )
        ]
        if self.optimum is not None:
            facts.append(("optimum", quality_text(self.problem, self.optimum)))
        if self.n_families > 1 and self.is_complete:
            names = listed_names(self.problem.feature_names[j] for j in self.always)
            facts.append(("in all", names or "no feature"))
        return facts

    def _effort(self) -> tuple[str, str]:
        return "listed by", f"{self.method}, {self.runtime:.2f} s"


def ties(
    problem: Instance,
    limit: int | None = DEFAULT_LIMIT,
    loss: float = 0.0,
    **options: Unpack[QuestionSolving],
) -> Ties:
    """List all optimal solutions: of one set, also beside previous ones, or of all sets at once.

    Solutions are families of sets in no order; each is counted once. The optimum comes first; then all
    solutions that reach it, or lose at most a share of it, are enumerated, without the strengthenings that
    keep only one optimum.

    Parameters
    ----------
    problem : Instance
    limit : int or None
        List at most so many; None for all.
    loss : float
        Share of the optimum that families may lose, from 0 to 1.
    **options
        Backend, limits and more, see `QuestionSolving`. The backend finds the optimum, and lists the
        solutions with it: a key of `pyfsel.questions.enumeration.METHODS`, or "auto".

    Returns
    -------
    Ties
        A limit or Ctrl-C leaves the solutions found so far.

    Raises
    ------
    InputError
        If the backend cannot list solutions.
    InputError, SolverError
        As `pyfsel.solve`.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 8, 3], n_sets=1, set_size=2, max_overlap=2)
    >>> answer = ties(problem, backend="brute-force")
    >>> answer.families, answer.is_complete
    ((((0, 1),), ((0, 2),)), True)
    """
    require_sum_or_min(problem)
    if limit is not None:
        limit = integer_in("limit", limit, 1, None)
    loss = share("loss", loss)
    backend = options.get("backend", "auto")
    method = _method(problem, backend if isinstance(backend, str) else backend.name)
    with Asking(**options) as asking:
        best = asking.solve(problem, "the optimum", 0.6)
        proved = best is not None and best.status is Status.OPTIMAL
        families: dict[Family, None] = {}
        complete = best is not None and best.status is Status.INFEASIBLE
        if best is not None and best.integer_objective is not None and not proved:
            families[best.sets] = None
        if best is not None and proved:
            complete = _enumerate(asking, problem, method, best, loss, limit, families)
        ending = asking.ending(complete)
        if proved:  # that more solutions were not listed needs no words
            ending["message"] = asking.message
        answer = Ties(
            problem=problem,
            families=tuple(sorted(families)),
            optimum=None if best is None else best.integer_objective,
            proved=Status.NOT_SOLVED if best is None else best.status,
            is_complete=complete,
            method=method,
            loss=loss,
            **ending,
        )
        return _confirmed(asking, answer)


def _confirmed(asking: Asking, answer: Ties) -> Ties:
    """Return the answer with what came of proving the optimum again, and of listing all solutions again."""
    if answer.proved not in PROVED:
        return answer
    confirmation = asking.confirmation([(answer.problem, answer.sets)])
    if confirmation is None or not (answer.is_complete and answer.families):
        return replace(answer, confirmation=confirmation)
    left = None if asking.time_limit is None else max(0.0, asking.time_limit - confirmation.runtime)
    with replace(asking, time_limit=left, backend="auto", formulation=None, on_trial=None) as second:
        listed = _listed_again(second, answer).without_contradiction()
    return replace(answer, confirmation=Confirmation.of_all([confirmation, listed]))


def _listed_again(asking: Asking, answer: Ties) -> Confirmation:
    """List the solutions by a method of another kind; one more than are known would be enough."""
    method, wanted = _other_method(answer, asking.confirm), answer.wanted
    if method is None:
        why = f"nothing of another kind than {answer.method} lists the sets"
        return Confirmation.not_confirmed(why, asking.runtime)
    found: set[Family] = set()

    def take(sets: Sequence[Iterable[int]]) -> None:
        found.add(_solution(method, answer.problem, sets, wanted))

    listing = asking.run(Enumeration(method, wanted.start, answer.n_families + 1), answer.problem, take)
    listed, claim = set(answer.families), f"{answer.method} claimed to list all solutions"
    if further := found - listed:
        evidence = f"{claim}, but {method} found {min(further)}"
        return Confirmation.contradicted(evidence, answer.method, asking.runtime)
    if listing.status not in PROVED:
        why = f"that there are no others: tried by {method} ({listing.stop_reason})"
        return Confirmation.not_confirmed(why, asking.runtime)
    if missing := listed - found:
        evidence = f"{method} claimed to list all solutions, but {min(missing)} is missing"
        return Confirmation.contradicted(evidence, method, asking.runtime)
    return Confirmation.confirmed(method, asking.runtime)


def _other_method(answer: Ties, by: str | Backend | None) -> str | None:
    """Return the first method of another kind that takes the problem, or the named one if it is such."""
    problem = answer.problem
    basis = get_backend(answer.method).basis
    named = by if isinstance(by, str) or by is None else by.name
    for name, method in METHODS.items():
        backend = get_backend(name)
        other = named in ("auto", name) and set(basis).isdisjoint(backend.basis)
        if other and backend.missing() is None and method.refusal(problem) is None:
            return name
    return None


def _method(problem: Instance, backend: str) -> str:
    if backend == "auto":
        return choose_method(problem).name
    method = METHODS.get(backend)
    if method is None:
        raise InputError(f"backend={backend!r}: cannot list solutions; {', '.join(METHODS)} can")
    why_not = method.refusal(problem)
    if why_not is not None:
        raise InputError(f"backend={backend!r}: {why_not}")
    return backend


def _enumerate(
    asking: Asking,
    problem: Instance,
    method: str,
    best: Result,
    loss: float,
    limit: int | None,
    families: dict[Family, None],
) -> bool:
    """Collect the solutions; return whether these are all."""
    optimum = best.integer_objective
    assert optimum is not None
    wanted = range(value_after_loss(optimum, loss), optimum + 1)

    def take(sets: Sequence[Iterable[int]]) -> None:
        families[_solution(method, problem, sets, wanted)] = None

    answer = asking.run(Enumeration(method, wanted.start, limit), problem, take)
    if answer.status is Status.INFEASIBLE:
        raise FalseClaimError(f"{method}: found no solution, but {best.sets} are one")
    complete = answer.status is Status.OPTIMAL
    if complete and best.sets not in families:
        raise FalseClaimError(f"{method}: claims to list all solutions, but {best.sets} are missing")
    if not complete and (limit is None or len(families) < limit):
        families[best.sets] = None
    return complete


def _solution(method: str, problem: Instance, sets: Sequence[Iterable[int]], wanted: range) -> Family:
    """Return sets that a method lists, verified."""
    family = ordered(problem, sets)
    if evidence := _evidence(problem, family, wanted):
        raise FalseClaimError(f"{method}: " + "; ".join(evidence))
    return family


def _evidence(problem: Instance, family: Family, wanted: range) -> list[str]:
    """Return what is wrong with a family."""
    evidence = violations(problem, family)
    if not evidence and values.total(problem, family) not in wanted:
        said = wanted[-1] if len(wanted) == 1 else f"{wanted[0]} to {wanted[-1]}"
        evidence = [f"{family} has the objective {values.total(problem, family)}, not {said}"]
    return evidence
