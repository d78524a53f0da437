"""What dissimilarity, size and number of sets cost: the same question over a grid.

Nothing is measured twice: one problem has the quantised qualities, and each cell of the grid changes only its
set size, its number of sets or its largest overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer, answer_of, in_full
from pyfsel.interface.problem import Problem
from pyfsel.interface.solving import as_solver, search_words
from pyfsel.problem.checks import integer_in, list_of, number_of_jobs
from pyfsel.problem.dissimilarity import largest_tau_for, max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.rows import resized
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.questions.asked import require_one_stage
from pyfsel.results.answer import PROVED, Status, Step, StopReason
from pyfsel.results.counting import counted
from pyfsel.results.jobs import finished
from pyfsel.results.result import Result
from pyfsel.solving.sequential import status_of_steps
from pyfsel.solving.solve import solve

PROVED_OF = (
    "Proved for each set of each row, given its earlier sets.",
    "Proved jointly for the sets of each row.",
)


def sweep(
    problem: Problem,
    *,
    k: Iterable[int] | None = None,
    n_sets: Iterable[int] | None = None,
    dissimilarity: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    **solving: Any,
) -> Answer:
    """Solve a grid of problems.

    If near-duplicates count as one in the row that needs the most features, they do in all rows.
    Thresholds that allow the same overlap are one cell. A sequential search for the largest number of sets
    contains those for all smaller ones, so it runs once per size and overlap.

    Parameters
    ----------
    problem : Problem
        Gives what is not varied.
    k : iterable of int, optional
        Features per set.
    n_sets : iterable of int, optional
        Each at least 2; the number of the problem unless given.
    dissimilarity : iterable of float or str, optional
        Thresholds, such as 0.6 or "jaccard:0.5"; all that make a difference unless given.
    n_jobs : int, optional
        How many searches are done at a time, each with its own time limit, threads and memory: in processes,
        or by whatever joblib is told, such as the machines of a cluster by
        ``with joblib.parallel_config("dask"):``.
    **solving
        As for `pyfsel.solve`; the time limit is for each search.

    Returns
    -------
    Answer
        `to_frame` has a row for each cell; `details` has their ``answers``. Ctrl-C leaves the finished cells.

    Raises
    ------
    InputError
        If a value of the grid is not allowed, or the sets of the problem may differ in size.

    Examples
    --------
    >>> found = sweep(Problem([9, 8, 7, 3, 2, 1], k=2), n_sets=[2, 3], dissimilarity=[0.5, 1])
    >>> found.to_frame()[["n_sets", "dissimilarity", "quality"]].to_numpy().tolist()
    [[2.0, 0.5, 16.5], [2.0, 1.0, 13.5], [3.0, 0.5, 16.0], [3.0, 1.0, 10.0]]
    """
    number_of_jobs("n_jobs", n_jobs)
    given = {"k": k, "n_sets": n_sets, "dissimilarity": dissimilarity}
    axes = {name: None if cells is None else list_of(name, cells) for name, cells in given.items()}
    problem = _of_all_rows(problem, **axes)
    grid = _Grid.checked(problem, **axes)
    options = {"time_limit": 60, **solving}
    options |= as_solver(options.pop("solver", "auto"))
    searches = grid.searches(problem)
    jobs = ((number, (one.instance, one.search, options)) for number, one in enumerate(searches))
    found: dict[int, Result] = {}
    stop_reason = StopReason.FINISHED
    try:
        with (
            closing(finished(_solved, jobs, n_jobs)) as solved,
            closing(counted("searches", solved, len(searches))) as steps,
        ):
            for number, result in steps:
                found[number] = result
    except KeyboardInterrupt:
        stop_reason = StopReason.INTERRUPTED
    cells = [
        _Cell(first_sets(found[number], size), one.dissimilarity, found.get(one.best))
        for number, one in enumerate(searches)
        if number in found
        for size in one.n_sets
    ]
    cells.sort(key=lambda cell: (cell.k, cell.n_sets, -cell.max_shared))
    import pandas as pd

    frame = pd.DataFrame([cell.row() for cell in cells])
    proved = stop_reason is StopReason.FINISHED and all(cell.result.status in PROVED for cell in cells)
    claim = PROVED_OF[problem.search != "sequential"] if proved else "Not proved for all rows."
    claim = in_full(problem.instance, claim)
    return Answer(
        question="sweep",
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        scope=("each" if problem.search == "sequential" else "joint") if proved else "none",
        claim=claim,
        low=None,
        high=None,
        unit="",
        sets=(),
        headline=f"{_headline(cells)}{problem.origin}",
        cautions=(),
        problem=problem,
        runtime=sum(cell.result.runtime for cell in cells),
        stop_reason=str(stop_reason),
        solver=str(solving.get("solver", "auto")),
        details={
            "search": problem.search,
            "frame": frame,
            "answers": [answer_of(cell.result, problem.with_instance(cell.result.problem)) for cell in cells],
        },
    )


def _of_all_rows(
    problem: Problem, k: list[Any] | None, n_sets: list[Any] | None, dissimilarity: list[Any] | None
) -> Problem:
    """Return the problem on which all rows are based: near-duplicates are merged in all of them or in none.

    The row that needs the most features decides.
    """
    if not problem.instance.copies or not problem.has_arguments:
        return problem
    changes: dict[str, Any] = {}
    if k is not None:
        changes["k"] = _axis("k", k, 1, None)[-1]
    if n_sets is not None:
        changes["n_sets"] = _axis("n_sets", n_sets, 2, None)[-1]
    if dissimilarity:
        changes["dissimilarity"] = max(dissimilarity, key=lambda one: as_dissimilarity(one).at_least or 0)
    return problem.replace(**changes)


def _solved(instance: Instance, search: str, options: dict[str, Any]) -> Result:
    """Solve, perhaps in another process; let Ctrl-C end the sweep, not only this search."""
    result = solve(instance, search=search, **options)
    if result.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return result


@dataclass(frozen=True)
class _Search:
    """What is solved at once: the cells of some numbers of sets.

    Those without any are for the best set of their size; `best` is the number of that search.
    """

    instance: Instance
    search: str
    best: int
    n_sets: tuple[int, ...] = ()
    dissimilarity: float = 0.0


@dataclass(frozen=True)
class _Cell:
    """One combination: the result, the threshold, and the result for the best single set of this size."""

    result: Result
    dissimilarity: float
    best: Result | None

    @property
    def k(self) -> int:
        return self.result.problem.k

    @property
    def n_sets(self) -> int:
        return self.result.problem.n_sets

    @property
    def max_shared(self) -> int:
        return self.result.problem.max_shared

    @property
    def quality(self) -> float:
        """Mean quality of the sets, the minimum if that is what is best; NaN without sets."""
        found = self.result.qualities
        if not found:
            return nan
        return sum(found) / len(found) if self.result.problem.aggregate == "sum" else min(found)

    @property
    def relative(self) -> float:
        """`quality` as a proportion of that of the best set; NaN if that is not positive."""
        best = self.best.qualities if self.best is not None else []
        return self.quality / best[0] if best and best[0] > 0 else nan

    def row(self) -> dict[str, Any]:
        """Return the numbers of the cell."""
        return {
            "k": self.k,
            "n_sets": self.n_sets,
            "dissimilarity": self.dissimilarity,
            "shared": self.max_shared,
            "n_found": len(self.result.sets),
            "quality": self.quality,
            "relative": self.relative,
            "status": str(self.result.status),
        }


def _headline(cells: Sequence[_Cell]) -> str:
    """Return what dissimilarity costs in one sentence, for the largest number of sets of the largest size."""
    line = [cell for cell in cells if (cell.k, cell.n_sets) == (cells[-1].k, cells[-1].n_sets)]
    line = [cell for cell in line if not isnan(cell.relative) and len(cell.result.sets) == cell.n_sets]
    if len(line) < 2:
        return f"{len(cells)} {'problem' if len(cells) == 1 else 'problems'} solved"
    first, last = line[0], line[-1]
    return (
        f"{last.n_sets} sets of {last.k} have {first.relative:.0%} of the best quality at dissimilarity "
        f"{first.dissimilarity:.3g}, and {last.relative:.0%} at {last.dissimilarity:.3g}"
    )


@dataclass(frozen=True)
class _Grid:
    sizes: tuple[int, ...]
    n_sets: tuple[int, ...]
    thresholds: tuple[float, ...] | None
    by: str

    @classmethod
    def checked(cls, problem: Problem, k: Any, n_sets: Any, dissimilarity: Any) -> _Grid:
        instance = problem.instance
        require_one_stage(problem, "sweep")
        if instance.has_size_range:
            raise InputError("k: is a range. A sweep is over fixed sizes. Try: k=[3, 4, 5]")
        rules, thresholds = None, None
        if dissimilarity is not None:
            rules = [as_dissimilarity(one) for one in list_of("dissimilarity", dissimilarity)]
            thresholds = [rule.at_least for rule in rules if rule.at_least is not None]
        if rules is not None and (not rules or len(rules) != len(thresholds or ())):
            raise InputError("dissimilarity: is not a list of thresholds. Expected numbers from 0 to 1")
        by = sorted({rule.by for rule in rules or [problem.dissimilarity]})
        if len(by) > 1:
            raise InputError(f"dissimilarity: a sweep has thresholds of one kind, not {', '.join(by)}")
        grid = cls(
            _axis("k", [instance.k] if k is None else k, 1, instance.n_features),
            _axis("n_sets", [max(2, instance.n_sets)] if n_sets is None else n_sets, 2, None),
            None if thresholds is None else tuple(sorted(set(thresholds))),
            by[0],
        )
        for size in grid.sizes:
            resized(instance, size, n_sets=max(grid.n_sets), max_shared=0)
        return grid

    def searches(self, problem: Problem) -> list[_Search]:
        """Return all that is to be solved: for each size its best set, and then its cells."""
        instance = problem.instance.replace(evidence=None)
        search = search_words(problem)
        several = [self.n_sets] if search == "sequential" else [(number,) for number in self.n_sets]
        found: list[_Search] = []
        for k in self.sizes:
            best = len(found)
            found.append(_Search(resized(instance, k, n_sets=1, max_shared=k), "simultaneous", best))
            for max_shared, threshold in self.overlaps(k, instance.n_features):
                at_most = resized(instance, k, max_shared=max_shared)
                for numbers in several:
                    asked = at_most.replace(n_sets=max(numbers))
                    found.append(_Search(asked, search, best, numbers, threshold))
        return found

    def overlaps(self, k: int, n: int) -> list[tuple[int, float]]:
        """Return each largest overlap, falling, with the largest threshold that means it."""
        if self.thresholds is None:
            return [(m, float(largest_tau_for(k, m, self.by, n))) for m in range(k - 1, -1, -1)]
        meant = {max_overlap_for(k, threshold, self.by, n): threshold for threshold in self.thresholds}
        return sorted(meant.items(), reverse=True)


def _axis(name: str, numbers: Iterable[Any], least: int, most: int | None) -> tuple[int, ...]:
    """Return the different numbers of one axis of the grid, rising."""
    found = {integer_in(name, number, least, most) for number in list_of(name, numbers)}
    if not found:
        raise InputError(f"{name}: is empty. Expected at least one number")
    return tuple(sorted(found))


def first_sets(result: Result, n_sets: int) -> Result:
    """Return the result of a sequential search that was asked for fewer sets.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3], n_sets=3, k=2, max_shared=1)
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
