"""Smallest consistent sets, one after another: each claim is verified, the answer says what is proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.feature_set import FeatureSet
from pyfsel.papers.consistency.distinct_rows import ConsistencyProblem, consistency_problem
from pyfsel.papers.consistency.smallest import SmallestSet, method_of
from pyfsel.problem.checks import integer_in, number_of
from pyfsel.problem.objectives import FeatureSet as Features
from pyfsel.results.backend_answer import PROVED, BackendAnswer, Status
from pyfsel.results.claims import STOPS, Scope
from pyfsel.results.display import SetsTable
from pyfsel.solving.asking import Asking


class ConsistentSets(Answer):
    """An answer that is not saved, since no instance says its problem."""

    def save(self, path: str | Path) -> None:
        """Refuse to save.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(
            "save: is not for consistent sets, which are not loaded. Try json.dumps(answer.to_dict())"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON that other programs read."""
        return {name: given for name, given in super().to_dict().items() if name != "format"}


def consistent_sets(
    X: Any,
    y: Any = None,
    *,
    n_sets: int = 1,
    method: str = "auto",
    time_limit: float | None = 60,
    random_state: int = 0,
    n_threads: int = 1,
    **rows: Any,
) -> Answer:
    """Find the smallest sets of features that keep rows of different classes apart (paper 001).

    Parameters
    ----------
    X : DataFrame, array, Table or ConsistencyProblem
    y : array-like, shape (n_rows,)
        Class labels.
    n_sets : int
        The sets are found one after another. Each contains none of the sets before it.
    method : {"auto", "branching", "cpsat"}
        Branching finds one set, with rate 0 and at most 64 different features; cpsat takes all
        problems; auto branches if it can.
    time_limit : float, optional
        Seconds for all sets together; the best set that is known and the proved bound are kept.
    random_state : int
        The same seed gives the same sets.
    n_threads : int
        Threads of the solver.
    **rows
        As for `pyfsel.papers.consistency.distinct_rows.consistency_problem`, such as ``rate`` and
        ``dissimilarity``.

    Returns
    -------
    Answer
        `low` and `high` are about the number of features of one set; for several sets each has a bound of its
        own in `details["at_least"]`. The quality of a set is 1/(1 + inconsistency rate).

    Raises
    ------
    InputError
        If an argument is not allowed.
    SolverError
        If the solver claimed something false (`FalseClaimError`), or crashed and no set is known.

    Examples
    --------
    >>> xor = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]
    >>> answer = consistent_sets(xor, [0, 1, 1, 0])
    >>> answer.low, answer.high, answer.status, len(answer[0])
    (2.0, 2.0, <Status.OPTIMAL: 'OPTIMAL'>, 2)

    A problem that is built already has its rate:

    >>> consistent_sets(consistency_problem(xor, [0, 1, 1, 0]), rate=0.5)
    Traceback (most recent call last):
    pyfsel.errors.InputError: rate: is for a table. Give it to consistency_problem
    """
    is_given = isinstance(X, ConsistencyProblem)
    if is_given and rows:
        raise InputError(f"{min(rows)}: is for a table. Give it to consistency_problem")
    integer_in("n_sets", n_sets, 1, None)
    asking = Asking("cpsat", time_limit=time_limit, random_state=random_state, n_threads=n_threads)
    problem = X if is_given else consistency_problem(X, y, **rows)
    method_of(method, problem.after([()] if n_sets > 1 else []))  # so that it is refused before a search
    steps, sets, names = list[BackendAnswer](), list[Features](), dict[str, None]()
    with asking:
        for _ in range(n_sets):
            asked = problem.after(sets)
            chosen = method_of(method, asked)
            names[chosen] = None
            steps.append(SmallestSet(asked, asking).run(chosen))
            sets += steps[-1].sets or ()
            if len(sets) < n_sets and (len(sets) < len(steps) or asking.is_stopped()):
                steps[-1] = replace(steps[-1], stop_reason=asking.stop_reason)
                break
    return _answer(problem, n_sets, steps, ", ".join(names), asking.runtime)


def _answer(
    problem: ConsistencyProblem,
    n_sets: int,
    steps: Sequence[BackendAnswer],
    solver: str,
    runtime: float,
) -> Answer:
    found = [(step, members) for step in steps for members in step.sets or ()]
    status, last, is_one = _status(n_sets, steps), steps[-1], n_sets == 1
    rates = [problem.inconsistent_rows(members) / problem.n_rows for _, members in found]
    sets = tuple(
        FeatureSet(
            names=problem.names_of(members),
            indices=members,
            quality=1 / (1 + rate),
            relative=(1 + rates[0]) / (1 + rate),
            status=step.status,
            shared=tuple(len({*members} & {*other}) for _, other in found[:i]),
        )
        for i, ((step, members), rate) in enumerate(zip(found, rates, strict=True))
    )
    number = "No set" if not found else number_of(len(found), "smallest set")
    scope = Scope.NONE if status not in PROVED else Scope.JOINT if is_one else Scope.EACH
    bounds = [step.bound for step, _ in found]
    return ConsistentSets(
        question="consistent_sets",
        status=status,
        scope=str(scope),
        claim=_claim(problem, is_one, status, last),
        low=float(last.bound) if is_one and last.bound is not None else None,
        high=float(len(sets[0])) if is_one and sets else None,
        unit="features",
        sets=sets,
        headline=f"{number} of features with an inconsistency rate of at most {problem.max_rate:.4g}",
        cautions=(),
        problem=problem,  # type: ignore[arg-type]
        runtime=runtime,
        stop_reason=str(last.stop_reason),
        solver=solver,
        details={"search": "sequential", "at_least": bounds, "rates": rates, "tables": _tables(sets, bounds)},
    )


def _status(n_sets: int, steps: Sequence[BackendAnswer]) -> Status:
    *earlier, last = steps
    if last.sets is None:
        return last.status if not earlier else Status.FEWER if last.status in PROVED else Status.FEASIBLE
    is_proved = len(steps) == n_sets and all(step.status is Status.OPTIMAL for step in steps)
    return Status.OPTIMAL if is_proved else Status.FEASIBLE


def _claim(problem: ConsistencyProblem, is_one: bool, status: Status, last: BackendAnswer) -> str:
    if status is Status.OPTIMAL:
        beside = "" if is_one else " and dissimilar enough to the earlier sets"
        return f"Proved: no smaller set is consistent enough{beside}."
    if status in PROVED:
        least = problem.inconsistent_rows(range(problem.n_features)) / problem.n_rows
        if least > problem.max_rate:
            return f"Proved: all features together leave an inconsistency rate of {least:.6g}."
        return "Proved: no further set is consistent enough and dissimilar enough to the earlier sets."
    known = f" Fewer than {last.bound} features are impossible." if is_one and last.bound else ""
    return f"Not proved{STOPS[last.stop_reason] or ': some sets may be smaller'}.{known}"


def _tables(sets: Sequence[FeatureSet], bounds: Sequence[int | None]) -> list[SetsTable]:
    table = SetsTable(("set", "size", "at least", "consistency", "status"), left=("status",))
    for number, (one, bound) in enumerate(zip(sets, bounds, strict=True)):
        least = "–" if bound is None else str(bound)
        table.add_row([str(number), str(len(one)), least, f"{one.quality:.4g}", str(one.status)], one.names)
    return [table] if sets else []
