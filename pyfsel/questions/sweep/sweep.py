"""Choosing the threshold and the number of alternatives: the same question over grids of k, a and τ.

Nothing is measured twice: one problem holds the quantised qualities, and each cell of the grid changes only
its set size, its number of sets or its largest overlap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import nan
from typing import Any, TypeVar, Unpack

from pyfsel.errors import InputError
from pyfsel.problem.checks import (
    callable_or_none,
    finite_number,
    integer_in,
    list_of,
    number_of_jobs,
    one_of,
    share,
)
from pyfsel.problem.dissimilarity import DISSIMILARITIES, largest_tau_for, max_overlap_for
from pyfsel.problem.instance import Instance, require_sum_or_min
from pyfsel.problem.rows import resized
from pyfsel.problem.values import objective_of
from pyfsel.problem.wording import number_of
from pyfsel.questions.feasible import FeasibleChoices, feasible_choices
from pyfsel.questions.sweep.cells import Cell, Sweep
from pyfsel.results.answer import PROVED, Status, Step, StopReason
from pyfsel.results.control import chosen_search
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished
from pyfsel.results.result import Result
from pyfsel.solving.sequential import status_of_steps
from pyfsel.solving.solve import Solving, solve

EXPLAIN_SECONDS = 5.0
Number = TypeVar("Number", int, float)


def sweep(
    problem: Instance,
    *,
    set_sizes: Iterable[int] | None = None,
    n_alternatives: Iterable[int] | None = None,
    taus: Iterable[float] | None = None,
    dissimilarity: str = "dice",
    search: str | None = None,
    time_limit: float | None = 60,
    explain_seconds: float = EXPLAIN_SECONDS,
    on_cell: Callable[[Cell], None] | None = None,
    n_jobs: int | None = None,
    **options: Unpack[Solving],
) -> Sweep:
    """Solve a problem for every combination of set size, number of alternatives and threshold.

    Thresholds that allow the same overlap are one cell. A sequential search for the largest number of
    alternatives contains those for all smaller ones, so it runs once per set size and overlap. Searches
    run one after another in this process, whose backends' processes they share, or several at a time
    (`n_jobs`); the cells are the same, in the same order. Ctrl-C ends the sweep; the finished cells are
    returned.

    Parameters
    ----------
    problem : Instance
        Gives the qualities, the objective and the aggregate; best built for the largest size and number of
        sets, since its scale is kept.
    set_sizes : iterable of int, optional
        Features per set, k; the problem's unless given.
    n_alternatives : iterable of int, optional
        Sets in addition to the original one, a ≥ 1; 1 to the problem's number unless given.
    taus : iterable of float, optional
        Thresholds in [0, 1]; all that make a difference unless given.
    dissimilarity : {"dice", "jaccard", "overlap", "hamming"}
    search : {"sequential", "simultaneous"}, optional
        Sequential if not given, unless the problem has ``aggregate="min"``.
    time_limit : float, optional
        Seconds for each search.
    explain_seconds : float
        Seconds for finding out, of all infeasible cells together, what would be feasible.
    on_cell : callable, optional
        Called with every cell, in their order, when it and those before it are finished.
    n_jobs : int, optional
        How many searches are done at a time, each with its own time limit, threads and memory: in processes,
        or by whatever joblib is told, such as the machines of a cluster by
        ``with joblib.parallel_config("dask"):``, where searches of a lost worker are done by another one.
    **options
        Backend, formulation, seed, threads and memory, as in `pyfsel.solve`; see `Solving`.

    Returns
    -------
    Sweep

    Raises
    ------
    InputError
        If a value of the grid is not allowed, or the sets of the problem may differ in size.
    InputError, SolverError
        As `pyfsel.solve`.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=0)
    >>> found = sweep(problem, taus=[0.5, 1], backend="brute-force")
    >>> [(c.n_alternatives, c.max_overlap, c.quality) for c in found.cells]
    [(1, 1, 16.5), (1, 0, 13.5), (2, 1, 16.0), (2, 0, 10.0)]
    """
    begin = time.monotonic()
    finite_number("explain_seconds", explain_seconds)
    callable_or_none("on_cell", on_cell)
    number_of_jobs("n_jobs", n_jobs)
    grid = _Grid.checked(problem, set_sizes, n_alternatives, taus, dissimilarity)
    search = chosen_search(search or problem.search, "min" if problem.aggregate == "min" else None)
    arguments: dict[str, Any] = {"search": search, "time_limit": time_limit, **options}
    explain = _Explainer(dissimilarity, explain_seconds)
    searches = grid.searches(problem, search)
    cells = _Cells(searches, dissimilarity, explain, on_cell)
    jobs = (
        (number, (one.problem, arguments | {"search": one.search})) for number, one in enumerate(searches)
    )
    stop_reason = StopReason.FINISHED
    try:
        with (
            closing(finished(_searched, jobs, n_jobs)) as solved,
            closing(counted("searches", solved, len(searches))) as steps,
        ):
            for number, (result, is_as_asked) in steps:
                cells.add(number, result, is_as_asked)
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
        explain.seconds = 0.0
        cells.add_what_is_left()
    return Sweep(cells.in_order(), search, time.monotonic() - begin, stop_reason)


def _searched(problem: Instance, arguments: dict[str, Any]) -> tuple[Result, bool]:
    """Return the result of a search, perhaps in another process, and whether its problem is the given one."""
    result = _solve(problem, **arguments)
    return result, result.problem is problem


def _solve(problem: Instance, *arguments: Any, **named: Any) -> Result:
    """Solve as `pyfsel.solve` does, but let Ctrl-C end the sweep, not only this solve."""
    result = solve(problem, *arguments, **named)
    if result.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return result


@dataclass(frozen=True)
class _Search:
    """What is solved at once: the cells of some numbers of alternatives.

    Those without any are for the best set of their size; `best` is the number of that search.
    """

    problem: Instance
    search: str
    best: int
    n_alternatives: tuple[int, ...] = ()
    taus: tuple[float, ...] = ()


class _Cells:
    """Makes cells of results that come in any order."""

    def __init__(
        self,
        searches: Sequence[_Search],
        dissimilarity: str,
        explain: _Explainer,
        on_cell: Callable[[Cell], None] | None,
    ) -> None:
        self._searches = searches
        self._dissimilarity = dissimilarity
        self._explain = explain
        self._on_cell = on_cell
        self._results: dict[int, Result] = {}
        self._cells: dict[tuple[int, int], Cell] = {}
        self._n_done = 0

    def add(self, number: int, result: Result, is_as_asked: bool) -> None:
        """Take the result of a search; the problem of another process is replaced by the one that is here."""
        asked = self._searches[number].problem
        self._results[number] = replace(result, problem=asked) if is_as_asked else result
        while self._n_done in self._results:
            self._make(self._n_done)
            self._n_done += 1

    def add_what_is_left(self) -> None:
        """Make the cells of what was found though searches before it are not finished."""
        for number in sorted(self._results):
            self._make(number)

    def in_order(self) -> tuple[Cell, ...]:
        """Return the cells in the order of the grid."""
        return tuple(
            sorted(self._cells.values(), key=lambda c: (c.set_size, c.n_alternatives, -c.max_overlap))
        )

    def _make(self, number: int) -> None:
        search, result = self._searches[number], self._results[number]
        best = self._results.get(search.best)
        for a in search.n_alternatives:
            if (number, a) in self._cells:
                continue
            quality = nan if best is None or best.objective is None else best.objective
            cell = Cell(first_sets(result, a + 1), search.taus, self._dissimilarity, quality)
            cell = replace(cell, explanation=self._explain(cell, best))
            self._cells[number, a] = cell
            if self._on_cell is not None:
                self._on_cell(cell)


@dataclass(frozen=True)
class _Grid:
    set_sizes: tuple[int, ...]
    n_alternatives: tuple[int, ...]
    taus: tuple[float, ...] | None
    dissimilarity: str

    @classmethod
    def checked(
        cls,
        problem: Instance,
        set_sizes: Iterable[int] | None,
        n_alternatives: Iterable[int] | None,
        taus: Iterable[float] | None,
        dissimilarity: str,
    ) -> _Grid:
        require_sum_or_min(problem)
        if problem.has_size_range:
            raise InputError(f"min_set_size={problem.min_set_size}: a sweep is over fixed set sizes")
        one_of("dissimilarity", dissimilarity, DISSIMILARITIES)
        sizes = (problem.set_size,) if set_sizes is None else set_sizes
        numbers = range(1, problem.n_sets) if n_alternatives is None else n_alternatives
        grid = cls(
            _axis("set_sizes", sizes, lambda name, k: integer_in(name, k, 1, problem.n_features)),
            _axis("n_alternatives", numbers, lambda name, a: integer_in(name, a, 1, None)),
            None if taus is None else _axis("taus", taus, share),
            dissimilarity,
        )
        for k in grid.set_sizes:
            resized(problem, k, n_sets=max(grid.n_alternatives) + 1, max_overlap=0)
        return grid

    def searches(self, problem: Instance, search: str) -> list[_Search]:
        """Return all that is to be solved: for each set size its best set, and then its cells."""
        several = [self.n_alternatives] if search == "sequential" else [(a,) for a in self.n_alternatives]
        found: list[_Search] = []
        for k in self.set_sizes:
            best = len(found)
            found.append(_Search(resized(problem, k, n_sets=1, max_overlap=k), "simultaneous", best))
            for max_overlap, meant in self.overlaps(k, problem.n_features):
                at_most = resized(problem, k, max_overlap=max_overlap)
                for numbers in several:
                    asked = at_most.replace(n_sets=max(numbers) + 1)
                    found.append(_Search(asked, search, best, numbers, meant))
        return found

    def overlaps(self, k: int, n: int) -> list[tuple[int, tuple[float, ...]]]:
        """Return each largest overlap, falling, with the thresholds that mean it."""
        if self.taus is None:
            return [(m, (float(largest_tau_for(k, m, self.dissimilarity, n)),)) for m in range(k, -1, -1)]
        meant: dict[int, tuple[float, ...]] = {}
        for tau in self.taus:
            overlap = max_overlap_for(k, tau, self.dissimilarity, n)
            meant[overlap] = (*meant.get(overlap, ()), tau)
        return sorted(meant.items(), reverse=True)


def _axis(name: str, numbers: Iterable[Any], check: Callable[[str, Any], Number]) -> tuple[Number, ...]:
    """Return the different numbers of one axis of the grid, rising."""
    found = {check(name, number) for number in list_of(name, numbers)}
    if not found:
        raise InputError(f"{name}: is empty, must hold at least one number")
    return tuple(sorted(found))


def first_sets(result: Result, n_sets: int) -> Result:
    """Return the result of a sequential search that was asked for fewer sets.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3], n_sets=3, set_size=2, max_overlap=1)
    >>> first_sets(solve(problem, "brute-force", "sequential"), 2).sets
    ((0, 1), (0, 2))
    """
    if n_sets == result.problem.n_sets:
        return result
    problem = result.problem.replace(n_sets=n_sets)
    sets, steps = result.sets[:n_sets], result.steps[:n_sets]
    status = result.status
    if sets and steps:
        status = status_of_steps(problem, [step.status for step in steps], len(sets))
    return replace(
        result,
        problem=problem,
        sets=sets,
        steps=steps,
        status=status,
        integer_bound=steps[0].bound if n_sets == 1 and steps else None,
        runtime=sum(step.runtime for step in steps) if steps else result.runtime,
        message=_message_of_first(steps) if len(sets) == n_sets else result.message,
        incumbents=(),
    )


def _message_of_first(steps: Sequence[Step]) -> str:
    """Return which sets were left unproved though nothing had stopped the search."""
    finished = [step.stop_reason is StopReason.FINISHED for step in steps]
    unproved = [str(i) for i, step in enumerate(steps, start=1) if step.status not in PROVED]
    return f"Not proved to be best: sets {', '.join(unproved)}." if unproved and all(finished) else ""


class _Explainer:
    """Says why a cell lacks sets, within a time limit for all cells."""

    def __init__(self, dissimilarity: str, seconds: float) -> None:
        self.dissimilarity = dissimilarity
        self.seconds = seconds
        self._without_any: dict[int, str] = {}

    def __call__(self, cell: Cell, best: Result | None) -> str:
        result, k = cell.result, cell.set_size
        if cell.is_complete:
            return ""
        if best is not None and best.status is Status.INFEASIBLE:
            if k not in self._without_any:
                choices = self._choices(best.problem, cell.taus[-1])
                self._without_any[k] = f"Not even one set exists. {choices}"
            return self._without_any[k]
        found = f"{len(result.sets)} of {number_of(result.problem.n_sets, 'set')}"
        if result.status not in PROVED:
            return f"{found} found; the rest is not decided."
        if not result.sets:
            return f"No such sets exist. {self._choices(result.problem, cell.taus[-1])}"
        dead_end = f"The sequence ends after {found}."
        together = self._together(result.problem)
        if together is Status.INFEASIBLE:
            return f"{dead_end} {self._choices(result.problem, cell.taus[-1])}"
        exist = together in (Status.OPTIMAL, Status.FEASIBLE)
        return f"{dead_end} Sets chosen together (simultaneous search) {'exist' if exist else 'may exist'}."

    def _together(self, problem: Instance) -> Status:
        if self.seconds <= 0 or not objective_of(problem).simultaneous:
            return Status.NOT_SOLVED
        result = _solve(problem, search="simultaneous", time_limit=self.seconds, fallback=False)
        self.seconds -= result.runtime
        return result.status

    def _choices(self, problem: Instance, tau: float) -> FeasibleChoices:
        begin = time.monotonic()
        choices = feasible_choices(problem, tau, self.dissimilarity, max(self.seconds, 0.0))
        self.seconds -= time.monotonic() - begin
        return choices
