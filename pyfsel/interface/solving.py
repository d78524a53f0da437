"""Solvers, and the most frequent question: the best sets of a problem."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.backends import all_backends, backends
from pyfsel.backends.base import Backend
from pyfsel.interface.answer import Answer, answer_of
from pyfsel.interface.feature_set import FeatureSet
from pyfsel.interface.problem import Problem, solvable
from pyfsel.problem import values
from pyfsel.problem.checks import is_a
from pyfsel.problem.instance import Instance
from pyfsel.problem.value import Value
from pyfsel.results.backend_answer import ProvedBound, ReportedIncumbent
from pyfsel.solving.attempt import OnProgress
from pyfsel.solving.solve import solve as solve_instance

if TYPE_CHECKING:
    import pandas as pd

MIP = {"highs": "mip:highs", "cbc": "mip:cbc", "scip": "mip:scip"}
"""These names mean the solvers of linear programs in this process, not the MiniZinc solvers."""


@dataclass(frozen=True, repr=False)
class MiniZincModel(Value):
    """Your own MiniZinc model as a solver. Shorthand: "mine.mzn", "highs:mine.mzn".

    Parameters
    ----------
    path : str or Path
        The model.
    solver : str
        The name of a MiniZinc solver.
    data : sequence of str or Path
        Further data files.
    rules : {"all", "sizes", "overlap", "none"}
        Which rules of the problem its sets must obey.
    """

    path: str | Path
    solver: str = "gecode"
    data: Sequence[str | Path] = ()
    rules: str = "all"


@dataclass(frozen=True, repr=False)
class Program(Value):
    """A solver program that reads {wcnf} or {opb} and prints o, s and v lines. Shorthand: "open-wbo {wcnf}".

    Parameters
    ----------
    command : str
        The command line; {wcnf} or {opb} is replaced by the path of the problem.
    """

    command: str


Solver = str | MiniZincModel | Program


@dataclass(frozen=True)
class Progress:
    """The state of a search: better sets or a better bound.

    Parameters
    ----------
    time : float
        Seconds since the search began.
    sets : tuple of FeatureSet
    low, high : float or None
        low ≤ optimum ≤ high, for the sets together or, in sequential search, for the step; for
        ``search="min_then_sum"`` they are about the minimum.
    """

    time: float
    sets: tuple[FeatureSet, ...]
    low: float | None
    high: float | None


def model_named(text: str) -> MiniZincModel:
    """Return the model of "mine.mzn" or "highs:mine.mzn"."""
    solver, _, path = text.rpartition(":") if not Path(text).exists() else ("", "", text)
    return MiniZincModel(path, solver or "gecode")


def as_solver(given: Any) -> dict[str, Any]:
    """Return a solver as arguments of the internal `solve`: a backend, a formulation, a model.

    Raises
    ------
    InputError
        If the solver is unknown.
    """
    if isinstance(given, str) and ("{wcnf}" in given or "{opb}" in given):
        given = Program(given)
    if isinstance(given, str) and given.endswith(".mzn"):
        given = model_named(given)
    if isinstance(given, Program):
        from pyfsel.backends.maxsat.program import MaxSat

        return {"backend": MaxSat("command", given.command)}
    if isinstance(given, MiniZincModel):
        from pyfsel.backends.minizinc.own_model import OwnModel

        return {"backend": OwnModel(given.path, given.solver, data=given.data, rules=given.rules)}
    if isinstance(given, Backend):
        return {"backend": given}
    is_a("solver", given, str, "a name, a MiniZincModel or a Program")
    name, _, formulation = given.partition("/")
    named = {"backend": MIP.get(name, name)}
    return named | {"formulation": formulation} if formulation else named


def search_words(problem: Problem) -> str:
    """Return the internal word for how a problem is searched."""
    return "sequential" if problem.search == "sequential" else "simultaneous"


def solve(
    problem: Problem,
    solver: Solver = "auto",
    *,
    time_limit: float | None = 60,
    random_state: int | None = 0,
    n_threads: int = 1,
    memory_limit: int | None = None,
    confirm: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Answer:
    """Find the sets of a problem and verify them.

    Parameters
    ----------
    problem : Problem
    solver : str, MiniZincModel or Program
        "auto", the name of a solver (`solvers` lists them), a name with a formulation ("cpsat/literal"), your
        own model ("mine.mzn", "highs:mine.mzn"), or a program ("open-wbo {wcnf}").
    time_limit : float, optional
        Seconds of wall-clock time for the whole call.
    random_state : int, optional
        The same seed gives the same answer.
    n_threads : int
        Threads of the solver.
    memory_limit : int, optional
        Megabytes that the processes of the solver may use.
    confirm : str, optional
        A solver of another kind, or "auto", that proves the answer again within the same time limit.
    on_progress : callable, optional
        Called with a `Progress` for every better solution or bound.

    Returns
    -------
    Answer

    Raises
    ------
    InputError
        If an argument is not allowed, or the solver is missing or does not suit the problem.
    SolverError
        If the solver crashed or claimed something false.

    Examples
    --------
    >>> answer = solve(Problem([9, 8, 7, 3, 2, 1], k=3, n_sets=2, dissimilarity=0.5))
    >>> [one.indices for one in answer]
    [(0, 1, 2), (0, 3, 4)]
    """
    solvable(problem)
    is_a("confirm", confirm, str | Backend | None, "a name or None")
    is_a("on_progress", on_progress, Callable | None, "a function or None")
    options = {
        **as_solver(solver),
        "time_limit": time_limit,
        "random_state": random_state,
        "n_threads": n_threads,
        "memory_limit": memory_limit,
        "confirm": MIP.get(str(confirm), confirm),
    }
    if problem.search == "min_then_sum":
        from pyfsel.interface.min_then_sum import min_then_sum
        from pyfsel.solving.asking import Asking

        watching = on_progress and _watched_minimum(problem.instance, on_progress)
        with Asking(**options, on_progress=watching) as asking:
            return min_then_sum(problem, asking)
    instance, search = problem.instance, search_words(problem)
    part = instance.replace(n_sets=1) if search == "sequential" else instance
    watched = on_progress and _watched(part, on_progress)
    result = solve_instance(instance, search=search, on_progress=watched, **options)
    return answer_of(result, problem)


def _watched(instance: Instance, on_progress: Callable[[Progress], None]) -> OnProgress:
    """Return a function that calls another one with what is known of a search, or of its present step."""
    low = high = None

    def report(found: ReportedIncumbent | ProvedBound) -> None:
        nonlocal low, high
        sets: tuple[FeatureSet, ...] = ()
        if isinstance(found, ProvedBound):
            high = values.proved_limit(instance, found.bound)
            if low is not None and high < low:  # an earlier step reached it
                low = None
        else:
            prices = values.total(instance, found.sets) - found.objective  # of features of earlier steps
            low = values.quality_total(instance, found.sets) - values.to_float(instance, prices)
            sets = _shown(instance, found)
        on_progress(Progress(found.time, sets, low, high))

    return report


def _watched_minimum(
    instance: Instance, on_progress: Callable[[Progress], None]
) -> Callable[[Instance, ReportedIncumbent | ProvedBound], None]:
    """Return a function that does so for the problems of `min_then_sum`; `low` and `high` are of the minimum.

    What is proved of a sum says nothing about it, and sets that have a worse minimum are not reported.
    """
    start, low, high = time.monotonic(), -math.inf, math.inf

    def report(solved: Instance, found: ReportedIncumbent | ProvedBound) -> None:
        nonlocal low, high
        sets: tuple[FeatureSet, ...] = ()
        if isinstance(found, ProvedBound):
            # without sets of the minimum quality, the minimum is below that
            least = found.bound if solved.min_quality is None else max(found.bound, solved.min_quality - 1)
            limit = values.proved_limit(solved, least) if solved.aggregate == "min" else math.inf
            if limit >= high:
                return
            high = limit
        else:
            sets = _shown(instance, found)
            reached = min(one.quality for one in sets)
            if reached < low:
                return
            low = reached
        known = [number if math.isfinite(number) else None for number in (low, high)]
        on_progress(Progress(time.monotonic() - start, sets, *known))

    return report


def _shown(instance: Instance, found: ReportedIncumbent) -> tuple[FeatureSet, ...]:
    return tuple(
        FeatureSet(tuple(instance.names_of(one)), one, quality)
        for one, quality in zip(found.sets, values.qualities(instance, found.sets), strict=True)
    )


def solver_rows(problem: Problem | None) -> list[dict[str, Any]]:
    """Return the rows of `solvers`, which costs no pandas."""
    from pyfsel.solving.sequential import reason_against

    is_a("problem", problem, Problem | None, "a Problem or None")
    rows = backends()
    if problem is not None:
        search = search_words(problem)
        for row, backend in zip(rows, all_backends().values(), strict=True):
            row["why_not"] = reason_against(backend, backend.formulations[0], search, problem.instance) or ""
    return rows


def solvers(problem: Problem | None = None) -> pd.DataFrame:
    """List the solvers: which can run here, what each proves, and, for a problem, why one does not suit.

    Examples
    --------
    >>> "cpsat" in solvers().index
    True
    """
    import pandas as pd

    return pd.DataFrame(solver_rows(problem)).set_index("name")
