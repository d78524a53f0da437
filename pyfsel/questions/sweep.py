"""The cost of dissimilarity, size and number of sets: the same question over a grid.

Nothing is measured twice: one problem has the quantised qualities, and each cell of the grid changes only its
set size, its number of sets or its largest overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer, answer_of
from pyfsel.interface.problem import Problem
from pyfsel.interface.said import in_full
from pyfsel.interface.solving import search_words
from pyfsel.interface.stated import row_of
from pyfsel.problem.checks import integer_in, list_of, number_of, number_of_jobs
from pyfsel.problem.dissimilarity import largest_tau_for, max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.linear_rows import resized
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.questions.asked import options_of, require_one_stage
from pyfsel.results.backend_answer import PROVED, StopReason, status_of
from pyfsel.results.jobs import all_done
from pyfsel.results.result import Result, unless_interrupted
from pyfsel.solving.least_share import split_share
from pyfsel.solving.sequential import status_of_steps
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    import pandas as pd

PROVED_OF = {
    "each": "Proved for each set of each row, given its earlier sets.",
    "joint": "Proved jointly for the sets of each row.",
    "none": "Not proved for all rows.",
}


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
        Numbers of sets, each at least 2; the number of the problem unless given.
    dissimilarity : iterable of float or str, optional
        Thresholds, such as 0.6 or "jaccard:0.5"; all that make a difference unless given.
    n_jobs : int, optional
        How many searches are done at a time, in processes, each with its own time limit, threads and memory;
        -1 means all cores. In Python also as joblib is configured, for example on the machines of a cluster
        by ``with joblib.parallel_config("dask"):``.
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
    number_of_jobs(n_jobs)
    require_one_stage(problem, "sweep")
    if problem.instance.has_size_range:
        raise InputError("k: is a range. A sweep is over fixed sizes. Try: k=[3, 4, 5]")
    thresholds, by = _thresholds(problem, dissimilarity)
    sizes = axis("k", [problem.instance.k] if k is None else k, 1)
    if "%" in str(problem.constraints.min_quality) and sizes != [problem.instance.k]:
        raise InputError(
            "min_quality: a percentage is of the best set of one size. Expected one k, or a number"
        )
    numbers = axis("n_sets", [max(2, problem.instance.n_sets)] if n_sets is None else n_sets, 2)
    problem = _of_all_rows(problem, sizes, numbers, thresholds, by)
    searches = list(_searches(problem, sizes, numbers, thresholds, by))
    options = options_of(solving)
    jobs = [(one.instance, search_words(problem), options) for one in searches]
    found, stop_reason = all_done("searches", _solved, jobs, n_jobs)
    done = [(searches[number], result) for number, result in found.items()]
    best = {one.instance.k: result.qualities[0] for one, result in done if not one.n_sets and result.sets}
    cells = [(first_sets(result, size), one.threshold) for one, result in done for size in one.n_sets]
    cells.sort(key=lambda cell: (cell[0].problem.k, cell[0].problem.n_sets, cell[1]))
    answers = [answer_of(result, problem.with_instance(result.problem)) for result, _ in cells]
    rows = [
        {"dissimilarity": threshold, **row_of(answer, best.get(result.problem.k, 0))}
        for answer, (result, threshold) in zip(answers, cells, strict=True)
    ]
    import pandas as pd

    frame = pd.DataFrame(rows, columns=COLUMNS.split())
    proved = stop_reason is StopReason.FINISHED and all(answer.proved for answer in answers)
    scope = "none" if not proved else "each" if problem.search == "sequential" else "joint"
    return Answer(
        question="sweep",
        status=status_of(True, proved),
        scope=scope,
        claim=in_full(problem.instance, PROVED_OF[scope]),
        low=None,
        high=None,
        unit="",
        sets=(),
        headline=f"{_headline(frame, proved)}{problem.origin}",
        cautions=(),
        problem=problem,
        runtime=sum(answer.runtime for answer in answers),
        stop_reason=str(stop_reason),
        solver=str(solving.get("solver", "auto")),
        details={"search": problem.search, "frame": frame, "answers": answers},
    )


def axis(name: str, numbers: Iterable[Any], least: int) -> list[int]:
    """Return the different numbers of one axis of the grid, rising."""
    found = sorted({integer_in(name, number, least, None) for number in list_of(name, numbers)})
    if not found:
        raise InputError(f"{name}: is empty. Expected at least one number")
    return found


def _thresholds(problem: Problem, dissimilarity: Iterable[Any] | None) -> tuple[list[float] | None, str]:
    """Return the thresholds, rising, and what measures dissimilarity; None for all that differ.

    Examples
    --------
    A price and relatives are the problem's, in all rows:

    >>> _thresholds(Problem([3, 2, 1], k=1), ["0.5,price=1"])
    Traceback (most recent call last):
        ...
    pyfsel.errors.InputError: dissimilarity: is not a list of thresholds. Expected numbers from 0 to 1
    """
    if dissimilarity is None:
        return None, problem.dissimilarity.by
    rules = [as_dissimilarity(one) for one in list_of("dissimilarity", dissimilarity)]
    found = {rule.at_least for rule in rules}
    if not rules or None in found or any(rule.price or rule.relatives for rule in rules):
        raise InputError("dissimilarity: is not a list of thresholds. Expected numbers from 0 to 1")
    by = sorted({rule.by for rule in rules})
    if len(by) > 1:
        raise InputError(f"dissimilarity: a sweep has thresholds of one kind, not {', '.join(by)}")
    return sorted(one for one in found if one is not None), by[0]


def _of_all_rows(
    problem: Problem, sizes: list[int], numbers: list[int], thresholds: list[float] | None, by: str
) -> Problem:
    """Return the problem on which all rows are based: near-duplicates are merged in all of them or in none.

    The row that needs the most features decides.
    """
    if not problem.instance.copies or not problem.has_arguments:
        return problem
    changes: dict[str, Any] = {"k": sizes[-1], "n_sets": numbers[-1]}
    if thresholds is not None:
        changes["dissimilarity"] = f"{by}:{thresholds[-1]}"
    return problem.replace(**changes)


class _SweepSearch(NamedTuple):
    """What is solved at once: the cells of some numbers of sets; none for the best set of its size."""

    instance: Instance
    n_sets: Sequence[int]
    threshold: float


def _searches(
    problem: Problem, sizes: list[int], numbers: list[int], thresholds: list[float] | None, by: str
) -> Iterator[_SweepSearch]:
    """Yield all that is to be solved: for each size its best set, and then its cells.

    A sequential search for the largest number of sets contains the others.
    """
    instance, n = problem.instance.replace(evidence=None), problem.instance.n_features
    several = [numbers] if problem.search == "sequential" else [[number] for number in numbers]
    least, _ = split_share(problem.constraints.min_quality)
    for k in sizes:
        integer_in("k", k, 1, n)
        # each largest overlap, with the largest threshold that means it
        if thresholds is None:
            overlaps = {shared: float(largest_tau_for(k, shared, by, n)) for shared in range(k)}
        else:
            overlaps = {max_overlap_for(k, one, by, n): one for one in thresholds}
        falling = sorted(overlaps.items(), reverse=True)
        for (shared, threshold), some in [((k, 0.0), []), *product(falling, several)]:
            sized = resized(instance, k, least, n_sets=max(some, default=1), max_shared=shared)
            yield _SweepSearch(sized, some, threshold)


def _solved(instance: Instance, search: str, options: dict[str, Any]) -> Result:
    """Solve, perhaps in another process; let Ctrl-C end the sweep, not only this search."""
    return unless_interrupted(solve(instance, search=search, **options))


def first_sets(result: Result, n_sets: int) -> Result:
    """Return the result as if a sequential search had been run for fewer sets.

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
    return result.restated(
        problem,
        status_of_steps(problem, [step.status for step in steps], len(sets)),
        sets=sets,
        steps=steps,
        runtime=sum(step.runtime for step in steps),
        message="" if len(sets) == n_sets else result.message,
    )


COLUMNS = "k n_sets dissimilarity shared n_found quality relative status"


def _headline(frame: pd.DataFrame, proved: bool) -> str:
    """Return what dissimilarity costs in one sentence, for the largest number of sets of the largest size."""
    n_proved, top = int(frame["status"].isin(PROVED).sum()), "best" if proved else "best known"
    line = frame.merge(frame[["k", "n_sets"]].tail(1)).dropna(subset="relative")
    line = line[line["n_found"] == line["n_sets"]]
    if len(line) < 2:
        number = "" if n_proved == len(frame) else f"{n_proved} of "
        return f"{number}{number_of(len(frame), 'problem')} solved"
    first, last = line.iloc[0], line.iloc[-1]
    return (
        f"{last['n_sets']} sets of {last['k']} have {first['relative']:.0%} of the {top} quality at "
        f"dissimilarity {first['dissimilarity']:.3g}, and {last['relative']:.0%} at "
        f"{last['dissimilarity']:.3g}"
    )
