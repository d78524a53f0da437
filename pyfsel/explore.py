"""Questions about all sets of a problem, beside which sets are best.

Each is a function of a `pyfsel.Problem` and returns a `pyfsel.Answer`. Further arguments are those of
`pyfsel.solve`.

Examples
--------
>>> from pyfsel import explore
>>> from pyfsel.interface.problem import Problem
>>> problem = Problem([9, 8, 7, 3, 2, 1], k=3, n_sets=3, dissimilarity="shared:2")
>>> explore.atlas(problem, loss=0.2).low
2.0
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from typing import Any

from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer, answer_of, answer_to, feature_sets
from pyfsel.interface.problem import Problem, sizes_of
from pyfsel.interface.solving import as_solver, search_words
from pyfsel.problem.checks import integer_in, share
from pyfsel.problem.instance import Instance
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.problem.wording import number_of
from pyfsel.questions.atlas import Atlas
from pyfsel.questions.atlas import atlas as find_atlas
from pyfsel.questions.cheapest import cheapest_sets
from pyfsel.questions.most_dissimilar import most_dissimilar as find_most_dissimilar
from pyfsel.questions.most_sets import most_sets as find_most_sets
from pyfsel.questions.sweep.sweep import sweep as solve_grid
from pyfsel.questions.ties import ties as find_ties
from pyfsel.results.answer import Status
from pyfsel.results.claims import COST
from pyfsel.results.display import SetsTable

__all__ = ["atlas", "cheapest", "most_dissimilar", "most_sets", "sweep", "ties"]

MOST_FEATURES, MOST_SOLUTIONS = 30, 10


def _options(solving: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `solve` as those of the questions."""
    given = {"time_limit": 60, **solving}
    return {**as_solver(given.pop("solver", "auto")), **given}


def _percent(loss: float) -> str:
    return f"{100 * loss:g}%"


def _loss(instance: Instance, loss: float) -> float | None:
    """Return the loss, None for a problem whose minimum quality says what is requested."""
    share("loss", loss)
    return None if instance.min_quality is not None else loss


def _at_least(instance: Instance, loss: float) -> str:
    return (
        "have the minimum quality"
        if instance.min_quality is not None
        else f"lose at most {_percent(loss)} of the best quality"
    )


def atlas(problem: Problem, loss: float = 0.05, **solving: Any) -> Answer:
    """Count the sets that lose at most a proportion of the best quality, and the features in them.

    Parameters
    ----------
    problem : Problem
        Its number of sets makes no difference.
    loss : float
        From 0 to 1.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the number of sets. `to_frame` has a row for each feature; the counts are
        missing unless all sets were counted.
    """
    instance = problem.instance
    found = find_atlas(instance.replace(n_sets=1), _loss(instance, loss), **_options(solving))
    count = (
        number_of(found.n_sets, "set") if found.is_complete else f"At least {number_of(found.n_sets, 'set')}"
    )
    if found.most_sets is not None and not found.is_complete:
        count = f"Between {found.n_sets:,} and {found.most_sets:,} sets"
    headline = f"{count} of {instance.sizes_text} {_at_least(instance, loss)}{problem.origin}"
    return answer_to(
        found,
        problem,
        headline,
        low=float(found.n_sets),
        high=None if found.most_sets is None else float(found.most_sets),
        unit="sets",
        sets=(),
        details=_of_atlas(found, problem),
    )


def _of_atlas(found: Atlas, problem: Problem) -> dict[str, Any]:
    frame = found.to_frame()
    details: dict[str, Any] = {"search": problem.search, "frame": frame, "curve": list(found.curve)}
    if found.is_complete and found.n_sets:
        ordered = frame[frame["n_sets"] > 0].sort_values("n_sets", ascending=False, kind="stable")
        table = SetsTable(["sets"], names_head="feature")
        for name, row in ordered.head(MOST_FEATURES).iterrows():
            table.add_row([f"{100 * row['share']:.0f}%"], [str(name)])
        details["tables"] = [table]
    return details


def ties(problem: Problem, limit: int | None = 1000, loss: float = 0.0, **solving: Any) -> Answer:
    """List all equally good answers.

    Parameters
    ----------
    problem : Problem
    limit : int, optional
        The number of answers that are listed at most.
    loss : float
        The proportion of the optimum that an answer may lose.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the number of answers; the sets are those of the first one.
    """
    options = _options(solving)
    if problem.search == "sequential" and problem.n_sets > 1:
        raise InputError("ties: of one set, or of sets together. Try: n_sets=1, or search='sum' or 'min'")
    found = find_ties(problem.instance, limit, loss, **options)
    table = SetsTable(["answer"], names_head="features of set 0")
    for number, family in enumerate(found.families[:MOST_SOLUTIONS]):
        table.add_row([str(number)], problem.instance.names_of(family[0]))
    good = "equally good" if not loss else f"nearly equal (loss at most {_percent(loss)})"
    count = number_of(found.n_families, "answer")
    headline = f"{count if found.is_complete else f'At least {count}'} {good}{problem.origin}"
    details = {
        "search": problem.search,
        "families": [[list(one) for one in family] for family in found.families],
    }
    return answer_to(
        found,
        problem,
        headline,
        low=float(found.n_families),
        high=float(found.n_families) if found.is_complete else None,
        unit="answers",
        details={**details, **({"tables": [table]} if found.families else {})},
    )


def most_sets(problem: Problem, loss: float = 0.1, at_most: int | None = None, **solving: Any) -> Answer:
    """Find as many dissimilar sets as possible that lose at most a proportion of the best quality each.

    Parameters
    ----------
    problem : Problem
    loss : float
    at_most : int, optional
        The search ends at this number of sets.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the number of sets.
    """
    instance = problem.instance
    found = find_most_sets(instance, _loss(instance, loss), at_most=at_most, **_options(solving))
    headline = (
        f"{number_of(found.n_sets, 'dissimilar set')} of {instance.sizes_text} {_at_least(instance, loss)}"
    )
    high = None if found.bound is None else float(found.bound)
    return answer_to(
        found, problem, f"{headline}{problem.origin}", low=float(found.n_sets), high=high, unit="sets"
    )


def most_dissimilar(problem: Problem, loss: float = 0.1, **solving: Any) -> Answer:
    """Make the sets as different as possible, each losing at most a proportion of the best quality.

    Parameters
    ----------
    problem : Problem
        Its `dissimilarity` says what is measured; its threshold makes no difference.
    loss : float
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the minimum dissimilarity of two sets.
    """
    instance, by = problem.instance, problem.dissimilarity.by
    found = find_most_dissimilar(
        instance, _loss(instance, loss), search=search_words(problem), dissimilarity=by, **_options(solving)
    )
    low = None if found.largest is None else float(found.largest)
    reached = (
        "No sets were found"
        if low is None
        else f"{problem.n_sets} sets with a {by} dissimilarity of {low:.3g}"
    )
    return answer_to(
        found,
        problem,
        f"{reached}, which {_at_least(instance, loss)}{problem.origin}",
        low=low,
        high=None if found.bound is None else float(found.bound),
        unit=f"{by} dissimilarity",
    )


def cheapest(problem: Problem, **solving: Any) -> Answer:
    """Find the cheapest sets of at least the minimum quality of the constraints.

    Parameters
    ----------
    problem : Problem
        With `Constraints.min_quality`; without costs each feature costs 1.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `low` and `high` are about the total cost; None for a sequential search.
    """
    if problem.instance.min_quality is None:
        raise InputError("cheapest: no quality is given. Try: Constraints(min_quality='90%')")
    found = cheapest_sets(problem.instance, search=search_words(problem), **_options(solving))
    number = number_of(len(found.sets), "cheapest set")
    answer = answer_of(found.solved, problem, "cheapest", terms=COST)
    together = problem.search != "sequential" or problem.n_sets == 1
    return answer.with_found(
        low=found.cost_bound if together else None,
        high=found.cost if together else None,
        unit="cost",
        headline=f"{number} of {problem.instance.sizes_text} with the minimum quality{problem.origin}",
        sets=feature_sets(found.result),
    )


def sweep(
    problem: Problem,
    *,
    k: Iterable[Any] | None = None,
    n_sets: Iterable[int] | None = None,
    dissimilarity: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    **solving: Any,
) -> Answer:
    """Solve a grid of problems.

    Parameters
    ----------
    problem : Problem
    k : iterable of int, optional
    n_sets : iterable of int, optional
        Each at least 2.
    dissimilarity : iterable of float, optional
        Thresholds.
    n_jobs : int, optional
        Processes.
    **solving
        As for `pyfsel.solve`.

    Returns
    -------
    Answer
        `to_frame` has a row for each cell.
    """
    sizes = None if k is None else [sizes_of(one)[1] for one in k]
    numbers = None if n_sets is None else [integer_in("n_sets", number, 2, None) for number in n_sets]
    rules = None if dissimilarity is None else [as_dissimilarity(one) for one in dissimilarity]
    if rules is not None and any(rule.at_least is None for rule in rules):
        raise InputError("dissimilarity: a sweep takes thresholds from 0 to 1")
    by = {rule.by for rule in rules or [problem.dissimilarity]}
    if len(by) > 1:
        raise InputError(f"dissimilarity: a sweep takes thresholds of one kind, not {', '.join(sorted(by))}")
    found = solve_grid(
        problem.instance,
        set_sizes=sizes,
        n_alternatives=None if numbers is None else [number - 1 for number in numbers],
        taus=None if rules is None else [rule.at_least for rule in rules if rule.at_least is not None],
        dissimilarity=by.pop(),
        search=search_words(problem),
        n_jobs=n_jobs,
        **_options(solving),
    )
    frame = found.to_frame()
    frame = frame.assign(n_sets=frame["n_alternatives"] + 1).rename(columns={"set_size": "k"})
    proved = all(status in ("OPTIMAL", "FEWER", "INFEASIBLE") for status in frame["status"])
    return Answer(
        question="sweep",
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        scope="each" if proved else "none",
        claim="Proved: each row says of what." if proved else "Not proved for all rows: see their status.",
        low=None,
        high=None,
        unit="",
        sets=(),
        headline=f"{number_of(len(frame), 'problem')} solved{problem.origin}",
        cautions=(),
        problem=problem,
        runtime=float(sum(cell.result.runtime for cell in found.cells)),
        stop_reason=str(found.stop_reason),
        solver=str(solving.get("solver", "auto")),
        details={"frame": frame, "search": problem.search, "tables": [_cells(frame)]},
        source=found,
    )


def _cells(frame: Any) -> SetsTable:
    """Return the table of a sweep: a row for each problem."""
    table = SetsTable(["k", "sets", "dissimilarity", "quality"], names_head="status")
    for _, row in frame.iterrows():
        share = row["relative_quality"]
        quality = "–" if isnan(share) else f"{100 * share:.0f}%"
        table.add_row([str(row["k"]), str(row["n_sets"]), f"{row['tau']:.3g}", quality], [str(row["status"])])
    return table
