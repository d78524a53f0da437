"""Cross-checking: backends on the same problems, every answer verified, contradictions found in integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.backends import get_backend, registry
from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.own_model import OwnModel, read_instance
from pyfsel.bench.claims import ContenderRun, RunOutcome, find_contradictions
from pyfsel.errors import FalseClaimError, InputError, ModelInputError, SolverError
from pyfsel.interface.evaluation import Evaluation
from pyfsel.interface.problem import SEARCHES, Problem, solvable
from pyfsel.interface.solving import Solver, as_solver
from pyfsel.problem.checks import is_a, list_of, number_of, one_of
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import search_from_word
from pyfsel.problem.objectives import AGGREGATES
from pyfsel.results.backend_answer import PROVED, StopReason
from pyfsel.results.control import Limits
from pyfsel.results.display import SetsTable, number_or_dash
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Contender:
    """A backend with one of its formulations (None: its default)."""

    backend: Backend
    formulation: str | None = None

    @property
    def name(self) -> str:
        """The name as users write it."""
        return self.backend.name + (f"/{self.formulation}" if self.formulation else "")

    @property
    def proves(self) -> bool:
        """Whether it can prove an answer to the problem, or as a custom model to its own question."""
        return self.backend.exact or self.backend.has_own_objective

    @classmethod
    def named(cls, solver: Solver, argument: str = "solver") -> Contender:
        """Return the contender of a solver such as ``rc2``, ``rc2/literal`` or ``highs:mine.mzn``.

        Raises
        ------
        InputError
            If no such solver is known.
        """
        if solver == "auto":
            raise InputError(f"{argument}='auto': chooses among solvers; name those to compare")
        found = as_solver(solver)
        backend = found["backend"]
        known = get_backend(backend, argument) if isinstance(backend, str) else backend
        return cls(known, found.get("formulation"))


def _record(run: ContenderRun) -> dict[str, Any]:
    """Return a run as a row; sums, bounds and seconds only if there is a result."""
    result = run.result
    claim = result and result.model_claim
    whole = result if result and len(result.sets) == result.problem.n_sets else None
    return {
        "problem": run.instance,
        "solver": run.contender,
        "status": run.status,
        "value": whole and whole.objective,
        "high": result.bound if result and not result.is_stepwise else None,
        "below_best": None,
        "seconds": result and result.runtime,
        "exact": run.exact,
        "n_sets_found": len(result.sets) if result else 0,
        "integer_objective": whole and whole.integer_objective,
        "own_objective": claim and claim.objective,
        "own_bound": claim and claim.bound,
        "stop_reason": result and str(result.stop_reason),
        "message": run.said,
    }


def compare(
    problems: Problem | Mapping[str, Problem],
    solvers: Sequence[Solver] | None = None,
    *,
    search: str | None = None,
    time_limit: float = 60,
    n_threads: int = 1,
    memory_limit: int | None = None,
    random_state: int = 0,
    on_run: Callable[[str, str], None] = lambda problem, solver: None,
) -> Evaluation:
    """Run solvers from a cold start, verify every answer, and look for contradictions.

    Parameters
    ----------
    problems : Problem or mapping
        One problem, or several by their names.
    solvers : sequence, optional
        Names such as "cpsat" or "rc2/literal" (a formulation), or your own models
        ("mine.mzn", "highs:mine.mzn"). All solvers unless given. None falls back to another.
    search : {"sequential", "sum", "min"}, optional
        In place of the problems' own.
    time_limit : float
        Seconds for each run.
    n_threads : int
        Threads of each solver.
    memory_limit : int, optional
        Megabytes for each run.
    random_state : int
        The same seed gives the same runs.
    on_run : callable
        Called before each run with the names of problem and solver.

    Returns
    -------
    Evaluation
        `to_frame` has one row for each run: the status, the value and the proved upper bound (of sets that
        are searched together), in the unit of the scores, and how far the value is below the best one that
        any solver found. With a contradiction the status is CHECK, and `details["contradictions"]` lists
        them; `details["crashed"]` has the solvers that crashed.

    Raises
    ------
    InputError
        If an argument is not allowed.

    Examples
    --------
    >>> from pyfsel.interface.problem import Problem
    >>> problem = Problem([9, 8, 7, 3, 2, 1], k=2, n_sets=3, dissimilarity="shared:1", search="sum")
    >>> found = compare(problem, ["brute-force", "greedy-replacement"])
    >>> print(found.headline)
    1 of 2 solvers proves an optimum; no contradictions
    >>> found.to_frame()[["solver", "status", "value", "below_best"]].values.tolist()[1]
    ['greedy-replacement', 'FEASIBLE', 45.0, 0.0625]
    """
    named = {"problem": problems} if isinstance(problems, Problem) else problems
    is_a("problems", named, Mapping, "a Problem, or problems by name")
    for name, problem in named.items():
        solvable(is_a(f"problems[{name!r}]", problem, Problem, "a Problem"))
    limits = {
        "time_limit": time_limit,
        "n_threads": n_threads,
        "memory_limit": memory_limit,
        "random_state": random_state,
    }
    contenders = _contenders(solvers)
    asked = [(name, one.instance, search or one.search, contenders) for name, one in named.items()]
    return _compare(asked, on_run, limits)


def compare_files(
    paths: Sequence[Path],
    solvers: Sequence[Solver] | None = None,
    *,
    search: str | None = None,
    on_run: Callable[[str, str], None] = lambda problem, solver: None,
    **limits: Any,
) -> Evaluation:
    """Compare solvers on instance files, which may have further data for custom models.

    Arguments are as for `compare`.
    """
    if len({str(path) for path in paths}) < len(paths):
        raise InputError("INSTANCE: the same file is named twice")
    contenders = _contenders(solvers)
    models = [one.backend for one in contenders if isinstance(one.backend, OwnModel)]
    used = {name for model in models for name in model.used_names()}
    asked = []
    for path in paths:
        instance, _ = read_instance(path, None, used)
        own: dict[Backend, Backend | None] = {one: read_instance(path, one, used)[1] for one in models}
        fitted = [replace(one, backend=own.get(one.backend) or one.backend) for one in contenders]
        asked.append((str(path), instance, search or instance.search_word, fitted))
    return _compare(asked, on_run, limits)


def _contenders(solvers: Sequence[Solver] | None) -> list[Contender]:
    given = registry() if solvers is None else list_of("solvers", solvers)
    return [Contender.named(one, "solvers") for one in given]


def _compare(
    asked: Sequence[tuple[str, Instance, str, list[Contender]]],
    on_run: Callable[[str, str], None],
    limits: Mapping[str, Any],
) -> Evaluation:
    """Compare contenders on instances that have a name, and a word for the search."""
    Limits.starting_now(**limits)
    if not asked:
        raise InputError("problems: is empty. Name at least one")
    for name, _, word, contenders in asked:
        if not contenders:
            raise InputError("solvers: is empty. Name at least one")
        if word not in AGGREGATES:
            one_of("search", word, SEARCHES)
        if word == "min_then_sum":
            raise InputError(f"{name}: search='min_then_sum' is two searches. Try: search='min'")
    runs: list[ContenderRun] = []
    for name, instance, word, contenders in asked:
        search = "sequential" if word == "sequential" else "simultaneous"
        problem = instance_for(instance, word)
        for contender in contenders:
            on_run(name, contender.name)
            runs.append(run_contender(name, problem, contender, search=search, cold_start=True, **limits))
            if _is_interrupted(runs[-1]):
                return _evaluation(runs, {word})
    return _evaluation(runs, {word for _, _, word, _ in asked})


def _is_interrupted(run: ContenderRun) -> bool:
    return run.result is not None and run.result.stop_reason is StopReason.INTERRUPTED


def instance_for(instance: Instance, word: str) -> Instance:
    """Return an instance whose sets are to be found as a word of `Problem` says."""
    return instance.replace(**search_from_word(word))


def _evaluation(runs: Sequence[ContenderRun], words: set[str]) -> Evaluation:
    """Return runs as they are shown; `below_best` is relative to the best verified value on the instance."""
    import pandas as pd

    frame = pd.DataFrame([_record(run) for run in runs])
    frame = frame.astype(dict.fromkeys(("value", "high", "seconds"), float))
    whole = frame["integer_objective"].astype(float)
    best = whole.groupby(frame["problem"]).transform("max")
    frame = frame.assign(below_best=(best - whole) / best.abs().clip(lower=1))
    contradictions = list(find_contradictions(runs))
    false = [f"{one.instance}: {one.evidence}" for one in contradictions]
    crashed = [
        f"{run.contender} crashed on {run.instance}: {run.said}"
        for run in runs
        if run.status == RunOutcome.ERROR
    ]
    return Evaluation(
        "compare",
        f"{_who_proves(frame)}; {number_of(len(false) or 'no', 'contradiction')}",
        f"Of {number_of(len(false), 'pair')} of statements one is false."
        if false
        else "All sets verified; no bound is below a verified value.",
        frame,
        frame,
        tables=(_table(frame, words),),
        cautions=(*false, *crashed),
        status="CHECK" if false else "CHECKED",
        facts=[(row["solver"], row["message"]) for row in frame.to_dict("records") if row["message"]],
        details={"contradictions": [asdict(one) for one in contradictions], "crashed": crashed},
        stop_reason=StopReason.INTERRUPTED if _is_interrupted(runs[-1]) else StopReason.FINISHED,
    )


def _table(frame: pd.DataFrame, words: set[str]) -> SetsTable:
    names = ["problem", "solver"] if frame["problem"].nunique() > 1 else ["solver"]
    value = "sum" if words <= {"sequential", "sum"} else "minimum" if words == {"min"} else "value"
    heads = [*names, "status", value, "upper bound", "below best", "seconds"]
    table = SetsTable(heads, ("problem", "solver", "status"))
    for row in frame.to_dict("records"):
        numbers = [number_or_dash(row[name], ".5g") for name in ("value", "high")]
        below = number_or_dash(row["below_best"], ".1%") if row["below_best"] else ""
        seconds = number_or_dash(row["seconds"], ".2f")
        table.add_row([*(row[name] for name in names), row["status"], *numbers, below, seconds], [])
    return table


def _who_proves(frame: pd.DataFrame) -> str:
    """Return who proves most, in one sentence without a point."""
    proofs = frame[frame["status"].isin(PROVED)]
    tried = number_of(frame[frame["seconds"].notna()]["solver"].nunique(), "solver")
    if proofs.empty:
        return f"None of {tried} proves anything within the limits"
    counts = proofs["solver"].value_counts()
    if (n_problems := frame["problem"].nunique()) > 1:
        best = counts.index[counts == counts.max()]
        return f"{' and '.join(best)} {'prove' if len(best) > 1 else 'proves'} {counts.max()} of {n_problems}"
    proved = set(proofs["status"])
    what = "an answer"  # such as fewer sets one after another, which says nothing about other ways
    if proved == {"INFEASIBLE"}:
        what = "that no such sets exist"
    elif proved == {"OPTIMAL"}:
        what = "the same optimum" if len(counts) > 1 and proofs["value"].nunique() == 1 else "an optimum"
    return f"{len(counts)} of {tried} {'proves' if len(counts) == 1 else 'prove'} {what}"


def run_contender(instance: str, problem: Instance, contender: Contender, **arguments: Any) -> ContenderRun:
    """Solve a problem with one contender and return what comes of it; arguments as for `pyfsel.solve`."""

    def without_result(outcome: RunOutcome, error: Exception) -> ContenderRun:
        return ContenderRun(instance, contender.name, contender.proves, None, outcome, str(error))

    try:
        result = solve(problem, contender.backend, formulation=contender.formulation, **arguments)
    except ModelInputError:
        raise
    except InputError as error:
        if contender.formulation not in (None, *contender.backend.formulations):
            raise
        missing = contender.backend.missing() is not None
        return without_result(RunOutcome.MISSING if missing else RunOutcome.UNSUPPORTED, error)
    except FalseClaimError as error:
        return without_result(RunOutcome.FALSE_CLAIM, error)
    except SolverError as error:
        return without_result(RunOutcome.ERROR, error)
    return ContenderRun(instance, contender.name, contender.proves, result)
