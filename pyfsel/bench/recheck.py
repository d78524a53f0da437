"""What is false in the record of one run: recomputed from the instance, or impossible.

Tolerances. The worker gives a run `START_SECONDS` beyond its time limit to start and end, and kills above
`MEMORY_TOLERANCE` times the memory limit. An exact solver is ended at most a second after its time, and the
slowest of a trial with all solvers came 0.6 s late, so `LATE_SECONDS` leave room for a machine that does much
else. Reading what a solver prints while it goes on costs some more CPU time than its threads (at most 0.97
times the wall-clock time was seen). The clocks of two processes are read at slightly different times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import isclose, isfinite
from typing import Any

from pyfsel.bench.claims import Outcome, outcome_of
from pyfsel.bench.processes import MEMORY_TOLERANCE, START_SECONDS
from pyfsel.bench.suite import RunSpec
from pyfsel.errors import InputError, PyfselError
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import PROVED, Incumbent, ProvedBound, Status, Step, StopReason
from pyfsel.results.result import Result
from pyfsel.results.verify import violations
from pyfsel.solving.attempt import ordered
from pyfsel.solving.sequential import status_of_steps

LATE_SECONDS, END_SECONDS = 10.0, 5.0
CLOCK_SECONDS = 0.1
CPU_TOLERANCE, CPU_SECONDS = 1.5, 1.0
ROUNDED_MEGABYTES = 0.1
KILLED = "killed"
SENTENCES = ("scope", "claim")
"""Words that follow from status and bounds, and that another version may choose otherwise."""


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
    outcome, has_result = record.get("outcome"), record.get("result") is not None
    faults = list(_false_measurements(record, spec))
    if outcome not in ((*Status, Outcome.ERROR) if has_result else (*Outcome, KILLED)):
        faults.append(f"the outcome {outcome} was recorded {'with' if has_result else 'without'} a result")
    if not has_result:
        return None, faults
    try:
        result = rebuilt(record, problem)
    except PyfselError as error:
        return None, [*faults, str(error)]
    truth = result.to_dict()
    del truth["problem"]
    found = (
        _differences(record["result"], truth),
        _false_run(record, spec, result),
        _false_status(record, result),
        _false_times("bound", result.bounds, result),
        _false_times("incumbent", result.incumbents, result),
        _false_steps(result) if result.search == "sequential" else _false_search(result),
    )
    return result, [*faults, *chain(*found)]


def amount(number: object, otherwise: float) -> float:
    """Return a finite number, or else the other: records may hold anything."""
    is_number = isinstance(number, int | float) and not isinstance(number, bool) and isfinite(number)
    return float(number) if is_number else otherwise  # type: ignore[arg-type]


def _false_measurements(record: Mapping[str, Any], spec: RunSpec) -> Iterator[str]:
    for name in ("seconds", "peak_memory", "cpu_seconds"):
        number = record.get(name)
        if amount(number, -1.0) < 0 and (name != "cpu_seconds" or number is not None):
            yield f"{name}={number!r} is no measurement"
            return
    seconds, peak = record["seconds"], record["peak_memory"]
    if seconds > spec.most_seconds + START_SECONDS + END_SECONDS:
        yield f"the run took {seconds:.4g} s, the limit is {spec.time_limit:g} s"
    most = MEMORY_TOLERANCE * spec.memory_limit
    if record.get("outcome") != KILLED and peak > most + ROUNDED_MEGABYTES:
        yield f"peak_memory={peak} was recorded, a run is killed above {most:g} MB"
    if amount(record.get("cpu_seconds"), 0.0) > CPU_TOLERANCE * (spec.n_threads or 1) * seconds + CPU_SECONDS:
        yield f"cpu_seconds={record['cpu_seconds']:.4g} was recorded, the run took {seconds:.4g} s"


def _differences(recorded: Any, recomputed: Any) -> Iterator[str]:
    """Yield where recorded data is not what is recomputed; floats may differ by 1e-9 of themselves."""
    given, true = dict(_flat(recorded)), dict(_flat(recomputed))
    for path in {**true, **given}:
        if path in SENTENCES:
            continue
        if path not in true:
            yield f"{path} was recorded, but is no field"
        elif path not in given:
            yield from [] if true[path] is None else [f"{path} is missing"]
        elif not _is_same(given[path], true[path]):
            yield f"{path}={given[path]} was recorded, it is {true[path]}"


def _flat(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in nested data with their places."""
    if isinstance(data, Mapping):
        for name, inner in data.items():
            yield from _flat(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(data, list):
        for number, inner in enumerate(data):
            yield from _flat(inner, f"{path}[{number}]")
    else:
        yield path, data


def _is_same(given: Any, true: Any) -> bool:
    if isinstance(true, float) and isinstance(given, int | float) and not isinstance(given, bool):
        return isclose(given, true, abs_tol=1e-12)
    return type(given) is type(true) and bool(given == true)


def _false_run(record: Mapping[str, Any], spec: RunSpec, result: Result) -> Iterator[str]:
    """Yield where a result does not fit its run: another search, impossible times."""
    runtime = result.runtime
    if (result.search == "sequential") is not (spec.search == "sequential"):
        yield f"the search {result.search} was recorded, it is {spec.search}"
    if result.confirmation is not None:
        yield "a confirmation was recorded, a run of a suite makes none"
    if runtime < 0:
        yield f"runtime={runtime}: must be a number of seconds"
    if runtime > amount(record.get("seconds"), runtime) + CLOCK_SECONDS:
        yield f"runtime={runtime:.4g} was recorded, the whole run took {record['seconds']:.4g} s"
    if record.get("exact") and runtime > spec.time_limit + LATE_SECONDS:
        yield f"runtime={runtime:.4g} was recorded, the limit is {spec.time_limit:g} s"


def _false_status(record: Mapping[str, Any], result: Result) -> Iterator[str]:
    """Yield where status, bound and stop reason do not go together."""
    status, bound = result.status, result.integer_bound
    if record.get("outcome") != outcome_of(result):
        yield f"the outcome {record.get('outcome')} was recorded, the result is {outcome_of(result)}"
    if not record.get("exact") and (status in PROVED or bound is not None):
        yield f"{status} was claimed by a heuristic" + ("" if bound is None else f" with the bound {bound}")
    if status is Status.INFEASIBLE and (bound is not None or result.incumbents):
        yield f"INFEASIBLE was claimed with the bound {bound} and {len(result.incumbents)} incumbents"
    unproved = status not in PROVED and result.stop_reason is StopReason.FINISHED
    if record.get("exact") and unproved and not result.message and result.search != "sequential":
        yield f"{status} was claimed by an exact solver that finished, without saying why"


def _false_times(name: str, entries: Sequence[Incumbent | ProvedBound], result: Result) -> Iterator[str]:
    if any(later.time < earlier.time for earlier, later in pairwise(entries)):
        yield f"the times of the {name}s are not in order"
    if entries and not 0 <= entries[0].time <= entries[-1].time <= result.runtime + CLOCK_SECONDS:
        yield f"the last {name} is of {entries[-1].time:.4g} s, the runtime is {result.runtime:.4g} s"


def _false_search(result: Result) -> Iterator[str]:
    """Yield what is wrong with a search for all sets at once: its bounds, its incumbents, their order."""
    status, bound, value = result.status, result.integer_bound, result.integer_objective
    if status is Status.OPTIMAL and bound is None:
        yield "OPTIMAL was claimed without a bound"
    if status is Status.FEASIBLE and bound == value:
        yield f"{status} was claimed, but the bound {bound} is reached"
    if result.sets != ordered(result.problem, result.sets):
        yield "the sets are not in order, best first and equal ones by their features"
    found = [entry.bound for entry in result.bounds]
    if any(later >= earlier for earlier, later in pairwise(found)):
        yield f"the bounds {found} do not fall"
    last = found[-1] if found else None
    if last != bound and status not in PROVED:
        yield f"integer_bound={bound} was recorded, the last bound on the way is {last}"
    elif last is not None and value is not None and last < value:
        yield f"the bound {last} on the way is below the objective {value}"
    yield from _false_incumbents(result)


def _false_incumbents(result: Result) -> Iterator[str]:
    """Yield what is wrong with the incumbents of a search for all sets; reports use no others."""
    problem, found, sets = result.problem, result.incumbents, result.sets
    for incumbent in found:
        wrong = violations(problem, incumbent.sets)
        if wrong:
            yield f"the incumbent after {incumbent.time:.2f} s: {wrong[0]}"
        elif values.total(problem, incumbent.sets) != incumbent.objective:
            yield f"the incumbent after {incumbent.time:.2f} s has not the objective {incumbent.objective}"
    if any(later.objective <= earlier.objective for earlier, later in pairwise(found)):
        yield f"the incumbents {[entry.objective for entry in found]} do not rise"
    last = found[-1].sets if found else ()
    if tuple(last) != tuple(sets):
        yield f"the last incumbent {_listed(last)} is not what was found, {_listed(sets)}"


def _listed(sets: Sequence[FeatureSet]) -> list[list[int]]:
    return [list(members) for members in sets]


def _false_steps(result: Result) -> Iterator[str]:
    """Yield what is wrong with a sequential search as a whole and with single steps."""
    steps = result.steps
    for number, step in enumerate(steps):
        yield from (f"step {number} {fault}" for fault in _false_step(result, number, step))
    if sum(step.runtime for step in steps) > result.runtime + CLOCK_SECONDS:
        yield f"the steps took longer than the runtime, {result.runtime:.4g} s"
    if not steps:
        if result.status not in (Status.FEASIBLE, Status.NOT_SOLVED) or result.integer_bound is not None:
            yield f"{result.status} was claimed with the bound {result.integer_bound}, but not for each step"
        return
    whole = steps[-1].features is None or steps[-1].stop_reason is StopReason.INTERRUPTED
    if len(steps) > result.problem.n_sets or (len(steps) < result.problem.n_sets and not whole):
        yield f"there are {len(steps)} steps, the problem asks for {result.problem.n_sets} sets"
    status = status_of_steps(result.problem, [step.status for step in steps], len(result.sets))
    if result.status is not status:
        yield f"{result.status} was claimed, by the steps it is {status}"
    true = None if result.is_stepwise else steps[0].bound
    if result.integer_bound != true:
        yield f"integer_bound={result.integer_bound} was recorded, by the steps it is {true}"


def _false_step(result: Result, number: int, step: Step) -> Iterator[str]:
    found = None if step.features is None else values.value(result.problem, step.features)
    has_set = step.status in (Status.OPTIMAL, Status.FEASIBLE)
    if step.backend != result.backend:
        yield f"is by {step.backend}, the result by {result.backend}"
    if step.objective != found:
        yield f"has the objective {found}, not {step.objective}"
    elif (found is not None) is not has_set:
        yield f"is {step.status} with the set {step.features}"
    elif found is None:
        if number < len(result.steps) - 1:
            yield f"is {step.status}, but others follow"
    elif step.status is Status.OPTIMAL and step.bound != found:
        yield f"was claimed OPTIMAL with the bound {step.bound} and the objective {found}"
    elif step.bound is not None and step.bound < found:
        yield f"has the objective {found} above its bound {step.bound}"
    elif step.status is Status.FEASIBLE and step.bound == found:
        yield f"was claimed FEASIBLE, but its bound {found} is reached"
    if step.features is not None and list(step.features) != sorted(step.features):
        yield f"has the set {list(step.features)}, which is not sorted"
