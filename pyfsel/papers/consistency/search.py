"""The smallest consistent set by implicit hitting sets, in a child process; and one set after another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from pyfsel.errors import FalseClaimError, InputError, SolverError
from pyfsel.papers.consistency.branching import BRANCHING, BranchingSearch, branching_refusal
from pyfsel.papers.consistency.cuts import (
    MOST_PAIRS,
    MOST_SETS,
    Cut,
    cut_of,
    disjoint_cuts,
    minimal_difference_sets,
    reduced,
    row_pairs,
)
from pyfsel.papers.consistency.heuristics import SubsetSearchTask, forward_set
from pyfsel.papers.consistency.hitting import smallest_hitting_set
from pyfsel.papers.consistency.problem import ConsistencyProblem
from pyfsel.papers.consistency.result import ConsistencyResult
from pyfsel.papers.subset_search.registry import METHODS as SUBSET_SEARCHES
from pyfsel.problem.checks import integer_in, is_a, one_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control, Limits, OutOfTimeError
from pyfsel.results.task import Task
from pyfsel.solving.sessions import Session

CUTS_PER_ROUND = 8  # different orders of the features give different cuts; a round costs a proof
AUTO, CPSAT = "auto", "cpsat"
GONE = ("brute-force", "minizinc:gecode", "rc2")  # earlier ways to solve hitting sets


class HittingSetSearch(Task):
    """Solves minimum hitting sets until one is consistent (implicit hitting set).

    Each of the hitting sets is a smallest one for the cuts known so far, so its size is a lower bound.
    As for backends, the objective is maximised: it is minus the size. With rate 0 the cuts are the minimal
    difference sets of all row pairs, unless there are too many pairs or sets; then, and with other rates,
    they come as they are violated.

    References
    ----------
    Moreno-Centeno and Karp, "The implicit hitting set approach to solve combinatorial optimization problems
    with an application to multigenome alignment", Operations Research 61(2), 2013.
    """

    name = CPSAT

    def solve(self, problem: ConsistencyProblem, control: Control) -> Answer:
        statistics = {"cuts": 0, "rounds": 0}
        if not problem.is_consistent(range(problem.n_features)):
            return Answer(Status.INFEASIBLE)
        found = _Found(problem, control)
        found.offer(forward_set(problem, control.limits))
        bound = None
        try:
            cuts = _first_cuts(problem)
            while True:
                statistics |= {"cuts": len(cuts), "rounds": statistics["rounds"] + 1}
                control.check_time()
                candidate = smallest_hitting_set(problem, cuts, control)
                if candidate is None:
                    return Answer(Status.INFEASIBLE, statistics=statistics)
                bound = -len(candidate)
                control.report_bound(bound)
                if problem.is_consistent(candidate):
                    return Answer(Status.OPTIMAL, (candidate,), bound, statistics=statistics)
                cuts += found.cuts_against(candidate)
                if found.best is not None and -len(found.best) == bound:
                    return Answer(Status.OPTIMAL, (found.best,), bound, statistics=statistics)
        except OutOfTimeError:
            status = Status.NOT_SOLVED if found.best is None else Status.FEASIBLE
            sets = None if found.best is None else (found.best,)
            return Answer(status, sets, bound, StopReason.TIME_LIMIT, statistics)


def _first_cuts(problem: ConsistencyProblem) -> list[Cut]:
    if problem.max_inconsistent == 0 and row_pairs(problem) <= MOST_PAIRS:
        return minimal_difference_sets(problem, MOST_SETS)
    return list(disjoint_cuts(problem))


class _Found:
    """Makes cuts, and consistent sets, from sets that are not consistent; keeps the smallest one."""

    def __init__(self, problem: ConsistencyProblem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.rng = np.random.default_rng(control.limits.random_state)
        self.best: FeatureSet | None = None
        self.offer(range(problem.n_features))

    def cuts_against(self, candidate: FeatureSet) -> list[Cut]:
        """Return different cuts that the candidate does not hit."""
        cuts: set[Cut] = set()
        union = set(candidate)
        for _ in range(CUTS_PER_ROUND):
            order = self.rng.permutation(self.problem.n_features).tolist()
            cut = cut_of(self.problem, candidate, order)
            cuts.add(cut)
            union |= cut
            if self.control.expired():
                break
        if self.problem.is_consistent(union):
            self.offer(union)
        return sorted(cuts, key=sorted)

    def offer(self, features: Any) -> None:
        """Keep a consistent set, as small as it can be made, if it is an alternative."""
        smaller = reduced(self.problem, features)
        better = self.best is None or len(smaller) < len(self.best)
        if better and self.problem.is_alternative(smaller):
            self.best = smaller
            self.control.report_sets([smaller])


def smallest_set(
    problem: ConsistencyProblem,
    backend: str = AUTO,
    time_limit: float | None = None,
    random_state: int = 0,
    *,
    n_threads: int = 1,
) -> ConsistencyResult:
    """Find the smallest set that is consistent enough, and verify it.

    Parameters
    ----------
    problem : ConsistencyProblem
    backend : str
        "branching", for rate 0 and at most 64 features; "cpsat", for all problems, by hitting sets; "auto",
        branching if it takes the problem, else cpsat. The classic searches, which prove nothing: "forward",
        "backward", "floating-forward", "floating-backward", "lvf", "lvi", "qbb"; and "abb", which does, in at
        least 2^(n − smallest size) steps.
    time_limit : float, optional
        Wall-clock seconds; the best set that is known and the proved bound are kept.
    random_state : int
    n_threads : int

    Returns
    -------
    ConsistencyResult
        After Ctrl-C with the best set until then, and INTERRUPTED as its reason.

    Raises
    ------
    InputError
        If an argument is not allowed.
    SolverError
        If the backend crashed and nothing is known.
    FalseClaimError
        If a claim is false.

    Examples
    --------
    >>> from pyfsel.papers.consistency import consistency_problem
    >>> xor = consistency_problem([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]], [0, 1, 1, 0])
    >>> result = smallest_set(xor)
    >>> len(result.features), result.bound, str(result.status)
    (2, 2, 'OPTIMAL')
    """
    _require(problem)
    return _smallest(task_of(backend, problem), problem, Limits.checked(time_limit, random_state, n_threads))


def alternative_sets(
    problem: ConsistencyProblem,
    n_alternatives: int,
    backend: str = AUTO,
    time_limit: float | None = None,
    random_state: int = 0,
    *,
    n_threads: int = 1,
) -> Iterator[ConsistencyResult]:
    """Yield the smallest set, then one smallest alternative after another.

    Each contains none of the sets before it, and is dissimilar to each as the problem demands. The last
    result has no set if there are no more, or the time is up.

    Parameters
    ----------
    n_alternatives : int
        Most sets in addition to the first one.
    time_limit : float, optional
        Seconds for all sets together.

    Other parameters and errors as for `smallest_set`.
    """
    _require(problem)
    most = integer_in("n_alternatives", n_alternatives, 0, None) + 1
    if backend == BRANCHING and most > 1:
        raise InputError(f"n_alternatives={n_alternatives}: backend={backend!r} finds the smallest set only")
    limits = Limits.checked(time_limit, random_state, n_threads)
    task_of(backend, problem)  # so that a wrong name is an error now
    return _one_after_another(problem, most, backend, limits)


def _require(problem: object) -> None:
    is_a("problem", problem, ConsistencyProblem, "a ConsistencyProblem, as consistency_problem returns")


def _one_after_another(
    problem: ConsistencyProblem, most: int, backend: str, limits: Limits
) -> Iterator[ConsistencyResult]:
    for _ in range(most):
        result = _smallest(task_of(backend, problem), problem, limits)
        yield result
        if result.features is None or result.stop_reason is StopReason.INTERRUPTED:
            return
        problem = problem.after([result.features])


def _smallest(search: Task, problem: ConsistencyProblem, limits: Limits) -> ConsistencyResult:
    with Session(search) as session:
        return _judged(session, problem, limits)


def _judged(session: Session[Task], problem: ConsistencyProblem, limits: Limits) -> ConsistencyResult:
    begin = time.monotonic()
    sets: list[FeatureSet] = []
    bounds: list[int] = []
    control = Control(
        limits=limits,
        report_sets=lambda reported: sets.extend(tuple(sorted(s)) for s in reported),
        report_bound=bounds.append,
    )
    try:
        answer = session.solve(problem, control)
    except KeyboardInterrupt:
        answer = Answer(Status.NOT_SOLVED, stop_reason=StopReason.INTERRUPTED)
    if answer.stop_reason is StopReason.ERROR and not sets:
        raise SolverError(answer.message.partition("\n")[0])
    claimed = None if answer.sets is None else tuple(sorted(answer.sets[0]))
    known = [s for s in (claimed, *sets) if s is not None]
    best = min(known, key=len, default=None)
    status = Status(answer.status)
    if status is Status.OPTIMAL and (claimed is None or best is None or len(claimed) > len(best)):
        raise FalseClaimError(f"{session.task.name}: OPTIMAL was claimed with {claimed}, but {best} is known")
    if status is Status.INFEASIBLE and best is not None:
        raise FalseClaimError(f"{session.task.name}: INFEASIBLE was claimed, but {best} is known")
    if status is Status.NOT_SOLVED and best is not None:
        status = Status.FEASIBLE
    proved = [-bound for bound in (*bounds, answer.bound) if bound is not None]
    return ConsistencyResult(
        problem=problem,
        features=best,
        status=status,
        bound=max(proved, default=None) if status is not Status.INFEASIBLE else None,
        backend=session.task.name,
        runtime=time.monotonic() - begin,
        stop_reason=StopReason(answer.stop_reason),
        message=_message(problem, status) or answer.message.partition("\n")[0],
        statistics=answer.statistics,
    )


def _message(problem: ConsistencyProblem, status: Status) -> str:
    if status is not Status.INFEASIBLE:
        return ""
    least = problem.inconsistent_rows(range(problem.n_features))
    if least > problem.max_inconsistent:
        return f"All features together leave a rate of {least / problem.n_rows:.6g}."
    return "No further set is dissimilar enough to the earlier ones."


def task_of(name: str, problem: ConsistencyProblem) -> Task:
    """Return the search of this name; raise `InputError` if it does not take the problem."""
    if name in GONE:
        raise InputError(
            f"backend={name!r}: no longer solves hitting sets. Use {AUTO!r}, {BRANCHING!r} or {CPSAT!r}."
        )
    one_of("backend", name, [AUTO, BRANCHING, CPSAT, *SUBSET_SEARCHES])
    if name in (AUTO, BRANCHING):
        why_not = branching_refusal(problem)
        if why_not is None:
            return BranchingSearch()
        if name == BRANCHING:
            raise InputError(f"backend={name!r}: the problem {why_not}")
    return HittingSetSearch() if name in (AUTO, CPSAT) else SubsetSearchTask(name)
