"""False statements in the record of one run: recomputed from the instance, or impossible.

Tolerances. The worker gives a run `START_SECONDS` beyond its time limit to start and end, and kills above
`MEMORY_TOLERANCE` times the memory limit. An exact solver is ended at most a second after its time, and the
slowest of a trial with all solvers came 0.6 s late, so `LATE_SECONDS` leave room for a machine that does much
else. Reading what a solver prints while it goes on costs some more CPU time than its threads (at most 0.97
times the wall-clock time was seen). The clocks of two processes are read at slightly different times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import isfinite
from typing import Any

from pyfsel.bench.claims import RunOutcome, outcome_of
from pyfsel.bench.suite import RunSpec
from pyfsel.bench.suite_runs import MEMORY_TOLERANCE, START_SECONDS
from pyfsel.errors import InputError, PyfselError
from pyfsel.interface.stated import differences
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import PROVED, Status, StopReason
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.sequential import statements, status_of_steps

LATE_SECONDS, END_SECONDS = 10.0, 5.0
CLOCK_SECONDS = 0.1
CPU_TOLERANCE, CPU_SECONDS = 1.5, 1.0
ROUNDED_MEGABYTES = 0.1
KILLED = "killed"


def rebuilt(record: Mapping[str, Any], problem: Instance) -> Result:
    """Return the result of a record for the problem of the instance file, verified again.

    Raises
    ------
    InputError, FalseClaimError
        If the record holds no result, or one whose sets or claims do not stand.
    """
    written = record["result"]
    if not isinstance(written, Mapping):
        raise InputError("the result is not a JSON object")
    return Result.from_dict({**written, "problem": problem.to_dict()})


def recheck(record: Mapping[str, Any], spec: RunSpec, problem: Instance) -> tuple[Result | None, list[str]]:
    """Return the result of a record, None without one that stands, and what is wrong with the record."""
    outcome, faults = record.get("outcome"), list(_false_measurements(record, spec))
    if record.get("result") is None:
        known = outcome in (*RunOutcome, KILLED)
        return None, faults if known else [*faults, f"the outcome {outcome} was recorded without a result"]
    try:
        result = rebuilt(record, problem)
        parts = list(statements(result))
    except PyfselError as error:
        return None, [*faults, str(error)]
    if outcome != outcome_of(result):
        faults.append(f"the outcome {outcome} was recorded, the result is {outcome_of(result)}")
    exact = bool(record.get("exact"))
    found = (
        differences(record["result"], result.to_dict()),
        _false_run(record, spec, result),
        *(_false_statement(part, exact) for part in parts),
        # no report uses the incumbents of steps
        _false_steps(result, parts) if result.search == "sequential" else _false_way(result, exact),
    )
    return result, [*faults, *chain(*found)]


def amount(number: object, otherwise: float) -> float:
    """Return a finite number, or else the other: records may contain anything."""
    is_number = isinstance(number, int | float) and not isinstance(number, bool) and isfinite(number)
    return float(number) if is_number else otherwise  # type: ignore[arg-type]


def _false_measurements(record: Mapping[str, Any], spec: RunSpec) -> Iterator[str]:
    for name in ("seconds", "peak_memory", "cpu_seconds"):
        number = record.get(name)
        if amount(number, -1.0) < 0 and (name != "cpu_seconds" or number is not None):
            yield f"{name}={number!r} is not a measurement"
            return
    seconds, peak = record["seconds"], record["peak_memory"]
    if seconds > spec.most_seconds + START_SECONDS + END_SECONDS:
        yield f"the run took {seconds:.4g} s, the limit is {spec.time_limit:g} s"
    most = MEMORY_TOLERANCE * spec.memory_limit
    if record.get("outcome") != KILLED and peak > most + ROUNDED_MEGABYTES:
        yield f"peak_memory={peak} was recorded, a run is killed above {most:g} MB"
    if amount(record.get("cpu_seconds"), 0.0) > CPU_TOLERANCE * (spec.n_threads or 1) * seconds + CPU_SECONDS:
        yield f"cpu_seconds={record['cpu_seconds']:.4g} was recorded, the run took {seconds:.4g} s"


def _false_run(record: Mapping[str, Any], spec: RunSpec, result: Result) -> Iterator[str]:
    """Yield where a result does not fit its run: another search, impossible times."""
    runtime = result.runtime
    if (result.search == "sequential") is not (spec.search == "sequential"):
        yield f"the search {result.search} was recorded, it is {spec.search}"
    if not 0 <= runtime <= amount(record.get("seconds"), runtime) + CLOCK_SECONDS:
        yield f"runtime={runtime:.4g} was recorded, the whole run took {record['seconds']:.4g} s"
    if record.get("exact") and runtime > spec.time_limit + LATE_SECONDS:
        yield f"runtime={runtime:.4g} was recorded, the limit is {spec.time_limit:g} s"


def _false_statement(one: Result, exact: bool) -> Iterator[str]:
    """Yield why a statement about all sets, or one of a step, cannot be made by its backend."""
    status, bound = one.status, one.integer_bound
    with_bound = "" if bound is None else f" with the bound {bound}"
    if not exact and (status in PROVED or bound is not None):
        yield f"{status} was claimed by a heuristic{with_bound}"
    if status is Status.INFEASIBLE and bound is not None:
        yield f"INFEASIBLE was claimed{with_bound}"
    if status is Status.OPTIMAL and bound is None:
        yield "OPTIMAL was claimed without a bound"
    if status is Status.FEASIBLE and bound is not None and bound == one.integer_objective:
        yield f"FEASIBLE was claimed, but the bound {bound} is reached"


def _false_way(result: Result, exact: bool) -> Iterator[str]:
    """Yield what is wrong with the incumbents, and the end of a search for all sets at once."""
    ended_by_itself = result.stop_reason is StopReason.FINISHED and not result.message
    if exact and result.status not in PROVED and ended_by_itself:
        yield f"{result.status} was claimed by an exact solver that finished, without saying why"
    times = [0.0, *(entry.time for entry in result.incumbents), result.runtime + CLOCK_SECONDS]
    if times != sorted(times):
        yield f"the incumbents are of {times[1:-1]} s, in a runtime of {result.runtime:.4g} s"
    for entry in result.incumbents:
        wrong = violations(result.problem, entry.sets)
        if not wrong and values.total(result.problem, entry.sets) != entry.objective:
            wrong = [f"the objective is not {entry.objective}"]
        yield from (f"the incumbent after {entry.time:.2f} s: {fault}" for fault in wrong[:1])
    better = [entry.objective for entry in result.incumbents]
    has_own_objective = result.model_claim is not None  # by which its incumbents rise
    if not has_own_objective and any(later <= earlier for earlier, later in pairwise(better)):
        yield f"the incumbents {better} do not rise"
    ended = result.incumbents[-1].sets if result.incumbents else ()
    if ended != result.sets:
        yield f"the last incumbent {_listed(ended)} is not what was found, {_listed(result.sets)}"


def _listed(sets: Sequence[tuple[int, ...]]) -> list[list[int]]:
    return [list(members) for members in sets]


def _false_steps(result: Result, parts: Sequence[Result]) -> Iterator[str]:
    """Yield what is wrong with a sequential search as a whole, given what its steps state."""
    steps, n_sets = result.steps, result.problem.n_sets
    ended = bool(steps) and (not parts[-1].sets or steps[-1].stop_reason is StopReason.INTERRUPTED)
    if len(steps) != n_sets and not (ended and len(steps) < n_sets):
        yield f"there are {len(steps)} steps, the problem asks for {n_sets} sets"
    status = status_of_steps(result.problem, [part.status for part in parts], len(result.sets))
    if result.status is not status:
        yield f"{result.status} was claimed, by the steps it is {status}"
    bound = parts[0].integer_bound if n_sets == 1 and parts else None
    if result.integer_bound != bound:
        yield f"integer_bound={result.integer_bound} was recorded, by the steps it is {bound}"
    for number, (step, part) in enumerate(zip(steps, parts, strict=True)):
        value = values.value(result.problem, step.features) if step.features else None
        if step.objective != value:
            yield f"step {number} has the objective {value}, not {step.objective}"
        if not part.sets and number < len(steps) - 1:
            yield f"step {number} is {part.status}, but others follow"
