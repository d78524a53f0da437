"""Cross-checking: backends on the same problems, every answer verified, contradictions found in integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pyfsel.backends import get_backend, registry
from pyfsel.backends.base import Backend
from pyfsel.backends.minizinc.own_model import own_model
from pyfsel.errors import FalseClaimError, InputError, ModelInputError, SolverError
from pyfsel.problem import values
from pyfsel.problem.checks import is_a, list_of, one_of, only_known
from pyfsel.problem.instance import Instance, require_problem
from pyfsel.problem.objectives import SEARCHES, FeatureSet
from pyfsel.results.answer import Status, StopReason
from pyfsel.results.control import Limits
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

if TYPE_CHECKING:
    import pandas as pd


class RunLimits(TypedDict, total=False):
    """What every run of a comparison may use: arguments of `pyfsel.solve`."""

    time_limit: float | None
    random_state: int | None
    n_threads: int
    memory_limit: int | None


class Outcome(StrEnum):
    """What came of a run instead of a status; after an ERROR there may be a result, found before."""

    UNSUPPORTED = "unsupported"
    MISSING = "missing"
    ERROR = "error"
    FALSE_CLAIM = "false claim"


class Reference(StrEnum):
    """What the gap of a run is measured against."""

    OPTIMUM = "optimum"
    BOUND = "bound"
    SEQUENCE = "proved sequence"


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
        """Whether it can decide what it is asked: an exact backend the problem, a custom model itself."""
        return self.backend.exact or self.backend.has_own_objective

    @classmethod
    def named(cls, name: str) -> Contender:
        """Return the contender of a name such as ``rc2``, ``rc2/literal``, ``mine.mzn``, ``highs:mine.mzn``.

        Raises
        ------
        InputError
            If there is no such backend.
        """
        if name.endswith(".mzn"):
            solver, colon, path = name.rpartition(":")
            return cls(own_model(path, f"minizinc:{solver.removeprefix('minizinc:')}" if colon else "auto"))
        backend, _, formulation = name.partition("/")
        if backend == "auto":
            raise InputError("backend='auto': chooses among backends; name those to compare")
        return cls(get_backend(backend), formulation or None)


@dataclass(frozen=True)
class Run:
    """One contender on one instance: its verified result, or why there is none."""

    instance: str
    contender: str
    exact: bool
    result: Result | None
    outcome: Outcome | None = None
    message: str = ""

    @property
    def status(self) -> str:
        """The status of the result, or the outcome: ``error`` after a crash, whatever was found before."""
        return str(self.outcome if self.result is None else outcome_of(self.result))


@dataclass(frozen=True)
class Contradiction:
    """Statements of which at least one is false, with the evidence in integers.

    `kind` is "optimum" (a better verified value than a claimed optimum), "infeasible" (a verified solution
    against claimed infeasibility), "bound" (a bound below a verified value) or "claim" (the answer of one
    backend is false in itself).
    """

    instance: str
    kind: str
    contender: str
    against: str
    evidence: str


@dataclass(frozen=True)
class _Claim:
    """What a run states about a problem: the whole one, or that of a step of a sequential search."""

    run: Run
    problem: Instance
    status: Status
    bound: int | None
    step: str = ""


@dataclass(frozen=True)
class Comparison:
    """The runs and what they prove about each other.

    Examples
    --------
    >>> problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, set_size=2, max_overlap=1)
    >>> found = compare({"example": problem}, ["brute-force", "greedy-replacement"])
    >>> found.contradictions
    ()
    >>> found.to_frame()[["backend", "integer_objective", "gap_to_reference"]].to_dict("records")[1]
    {'backend': 'greedy-replacement', 'integer_objective': 45, 'gap_to_reference': 0.0625}
    """

    runs: tuple[Run, ...]
    contradictions: tuple[Contradiction, ...]

    @classmethod
    def joined(cls, parts: Iterable[Comparison]) -> Comparison:
        """Return comparisons on several instances as one; an interrupted one is the last."""
        runs: tuple[Run, ...] = ()
        contradictions: tuple[Contradiction, ...] = ()
        for part in parts:
            runs, contradictions = (*runs, *part.runs), (*contradictions, *part.contradictions)
            if part.interrupted:
                break
        return cls(runs, contradictions)

    @property
    def crashed(self) -> list[Run]:
        """The runs whose backend crashed, with or without a solution in hand."""
        return [run for run in self.runs if run.status == Outcome.ERROR]

    @property
    def interrupted(self) -> bool:
        """Whether the comparison was stopped by the user."""
        return any(_stopped(run, StopReason.INTERRUPTED) for run in self.runs)

    def reference(self, instance: str) -> tuple[int, Reference] | None:
        """Return the integer that gaps on an instance refer to, and what it is.

        It is the proved optimum, or else the best bound; None if there is neither, or if statements about the
        instance contradict each other. In sequential search, where the best value of all sets together is
        not what is looked for, it is the value of a sequence whose every step is proved optimal.
        """
        if any(c.instance == instance for c in self.contradictions):
            return None
        results = [r.result for r in self.runs if r.instance == instance and r.result is not None]
        optimal = [r for r in results if r.status is Status.OPTIMAL and r.integer_objective is not None]
        if optimal:
            value = max(r.integer_objective for r in optimal if r.integer_objective is not None)
            sequential = optimal[0].search == "sequential" and optimal[0].problem.n_sets > 1
            return value, Reference.SEQUENCE if sequential else Reference.OPTIMUM
        bounds = [r.integer_bound for r in results if r.search == "simultaneous"]
        return min(((b, Reference.BOUND) for b in bounds if b is not None), default=None)

    def gap(self, run: Run) -> float | None:
        """Return how far a run is from the reference of its instance, relative to it; 0.0 means reached.

        Against a proved sequence it can be negative. None without sets or without a reference, and where the
        numbers of sets differ.
        """
        reference = self.reference(run.instance)
        if reference is None or run.result is None or run.result.integer_objective is None:
            return None
        if len(run.result.sets) != run.result.problem.n_sets:
            return None
        return (reference[0] - run.result.integer_objective) / max(1, abs(reference[0]))

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dictionary per run."""
        return [self._record(run) for run in self.runs]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per run."""
        import pandas as pd

        return pd.DataFrame(self.to_records())

    def to_dict(self) -> dict[str, Any]:
        """Return runs and contradictions as plain data."""
        return {"runs": self.to_records(), "contradictions": [asdict(c) for c in self.contradictions]}

    def _record(self, run: Run) -> dict[str, Any]:
        result, reference = run.result, self.reference(run.instance)
        gap = self.gap(run)
        claim = result.model_claim if result else None
        return {
            "instance": run.instance,
            "backend": run.contender,
            "exact": run.exact,
            "status": run.status,
            "n_sets_found": len(result.sets) if result else 0,
            "objective": result.objective if result else None,
            "integer_objective": result.integer_objective if result else None,
            "integer_bound": result.integer_bound if result else None,
            "gap": result.gap if result else None,
            "gap_to_reference": gap,
            "reference": str(reference[1]) if reference and gap is not None else None,
            "own_objective": claim and claim.objective,
            "own_bound": claim and claim.bound,
            "stop_reason": str(result.stop_reason) if result else None,
            "runtime": result.runtime if result else None,
            "message": run.message or (result.message if result else ""),
        }


def compare(
    problems: Mapping[str, Instance],
    backends: Sequence[str | Contender] | None = None,
    *,
    search: str | None = None,
    on_run: Callable[[str, str], None] = lambda instance, contender: None,
    **limits: Unpack[RunLimits],
) -> Comparison:
    """Run backends on the same problems and hold their statements against each other.

    Parameters
    ----------
    problems : mapping
        Problems by the names of their instances.
    backends : sequence of str or Contender, optional
        Names such as ``rc2``, ``rc2/literal`` (a formulation), or ``mine.mzn`` and ``highs:mine.mzn`` (a
        custom MiniZinc model on Gecode, HiGHS); all backends if not given. No backend falls back to another,
        so each shows what it alone achieves.
    search : {"sequential", "simultaneous"}, optional
        As in `pyfsel.solve`. In sequential search the statements about each step are compared: every set that
        any run found is tried as a solution of every step of every run.
    on_run : callable
        Called before each run with the names of instance and contender.
    **limits
        `time_limit` (seconds per run), `random_state`, `n_threads` and `memory_limit`, as in `pyfsel.solve`.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If an argument is not allowed.
    """
    only_known("compare", RunLimits, limits)
    Limits.checked(**{"time_limit": None, **limits})
    if search is not None:
        one_of("search", search, SEARCHES)
    is_a("problems", problems, Mapping, "problems by name")
    for problem in problems.values():
        require_problem(problem)
    contenders = [
        name if isinstance(name, Contender) else Contender.named(name)
        for name in list_of("backends", list(registry()) if backends is None else backends)
    ]
    runs: list[Run] = []
    for instance, problem in problems.items():
        for contender in contenders:
            on_run(instance, contender.name)
            run = run_contender(instance, problem, contender, search=search, **limits)
            runs.append(run)
            if _stopped(run, StopReason.INTERRUPTED):
                return Comparison(tuple(runs), tuple(find_contradictions(runs)))
    return Comparison(tuple(runs), tuple(find_contradictions(runs)))


def run_contender(instance: str, problem: Instance, contender: Contender, **arguments: Any) -> Run:
    """Solve a problem with one contender and return what comes of it; arguments as for `pyfsel.solve`."""

    def without_result(outcome: Outcome, error: Exception) -> Run:
        return Run(instance, contender.name, contender.proves, None, outcome, str(error))

    try:
        result = solve(
            problem, contender.backend, formulation=contender.formulation, fallback=False, **arguments
        )
    except ModelInputError:
        raise
    except InputError as error:
        if contender.formulation not in (None, *contender.backend.formulations):
            raise
        missing = contender.backend.missing() is not None
        return without_result(Outcome.MISSING if missing else Outcome.UNSUPPORTED, error)
    except FalseClaimError as error:
        return without_result(Outcome.FALSE_CLAIM, error)
    except SolverError as error:
        return without_result(Outcome.ERROR, error)
    return Run(instance, contender.name, contender.proves, result)


def outcome_of(result: Result) -> Status | Outcome:
    """Return what a run with this result counts as: a crash is no status, whatever was found before.

    A custom model asks a question of its own, so what it claims of that counts; its sets are verified, and
    the claim says nothing of the problem.
    """
    if result.stop_reason is StopReason.ERROR:
        return Outcome.ERROR
    return result.status if result.model_claim is None else result.model_claim.status


def _stopped(run: Run, why: StopReason) -> bool:
    return run.result is not None and run.result.stop_reason is why


def find_contradictions(runs: Sequence[Run]) -> Iterator[Contradiction]:
    """Yield the statements of runs that cannot all be true.

    Runs on instances of one name must be about the same problem; their searches may differ, as the sets of
    one search are tried as solutions of the other.
    """
    for run in runs:
        if run.outcome is Outcome.FALSE_CLAIM:
            yield Contradiction(run.instance, "claim", run.contender, "", run.message)
    for instance in dict.fromkeys(run.instance for run in runs):
        here = [run for run in runs if run.instance == instance and run.result is not None]
        solutions = [(run, sets) for run in here for sets in _solutions(run)]
        for run in here:
            for claim in _claims(run):
                yield from _refuted(claim, solutions)


def _solutions(run: Run) -> list[tuple[FeatureSet, ...]]:
    """Return what the run found, all sets together and each by itself, as steps are about one set."""
    assert run.result is not None
    together = run.result.sets
    alone = [(s,) for s in together] if len(together) > 1 else []
    return [together, *alone] if together else []


def _claims(run: Run) -> Iterator[_Claim]:
    result = run.result
    assert result is not None
    if result.search == "simultaneous":
        yield _Claim(run, result.problem, result.status, result.integer_bound)
        return
    for number, step in enumerate(result.steps):
        found = tuple(s.features for s in result.steps[:number] if s.features is not None)
        problem = result.problem.after(found)
        yield _Claim(run, problem, step.status, step.bound, f" in step {number}")


def _refuted(
    claim: _Claim, solutions: Sequence[tuple[Run, tuple[FeatureSet, ...]]]
) -> Iterator[Contradiction]:
    """Yield the contradiction of a claim and the best solution of its problem, if there is one."""
    known = [
        (values.total(claim.problem, sets), run, sets)
        for run, sets in solutions
        if not violations(claim.problem, sets)
    ]
    if not known:
        return
    value, run, sets = max(known, key=itemgetter(0))
    who, instance = claim.run.contender, claim.run.instance
    known_better = f"but {run.contender} found {[list(s) for s in sets]}, verified, with {value}"
    if claim.status is Status.INFEASIBLE:
        evidence = f"{who}: INFEASIBLE was claimed{claim.step}, {known_better}"
        yield Contradiction(instance, "infeasible", who, run.contender, evidence)
    elif claim.bound is not None and claim.bound < value:
        kind = "optimum" if claim.status is Status.OPTIMAL else "bound"
        evidence = f"{who}: the {kind} {claim.bound} was claimed{claim.step}, {known_better}"
        yield Contradiction(instance, kind, who, run.contender, evidence)
