"""The check of a benchmark: every set from the instance files, every statement against all others."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from pyfsel.bench.compare import Run, find_contradictions
from pyfsel.bench.instances.writing import about_path
from pyfsel.bench.run import INSTANCES, SUITE
from pyfsel.bench.store import RESULTS, read_records
from pyfsel.bench.suite import RunSpec, file_hash
from pyfsel.errors import InputError, PyfselError
from pyfsel.problem import values
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Status
from pyfsel.results.result import Result
from pyfsel.results.verify import violations

CHECK = "check.json"


@dataclass(frozen=True)
class CheckReport:
    """What the check found.

    Attributes
    ----------
    n_runs, n_results : int
        Records, and those of them that hold a result.
    missing : int
        Runs of the suite that have not been made.
    faults : tuple of str
        Records that are false in themselves: not of this suite, doubled, with a wrong set or objective.
    contradictions : tuple of str
        Statements that cannot both be true, or are not true given a known optimum.
    refuted : tuple of str
        Ids of the runs whose records or statements are false, or could not be checked.
    """

    n_runs: int
    n_results: int
    missing: int
    faults: tuple[str, ...]
    contradictions: tuple[str, ...]
    refuted: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether nothing false was found."""
        return not self.faults and not self.contradictions

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "n_runs": self.n_runs,
            "n_results": self.n_results,
            "missing": self.missing,
            "faults": list(self.faults),
            "contradictions": list(self.contradictions),
            "refuted": list(self.refuted),
        }


def check_folder(folder: str | Path) -> CheckReport:
    """Check all results of a benchmark and note in the folder that this was done.

    Raises
    ------
    InputError
        If the folder holds no benchmark, or a file of it cannot be read.
    """
    folder = Path(folder)
    specs = read_specs(folder)
    records = read_records(folder)
    faults = list(_foreign(specs, records))
    problems = {name: _problem(folder, name) for name in {spec.instance for spec in specs.values()}}
    changed = {
        spec.instance
        for spec in specs.values()
        if file_hash(folder / INSTANCES / f"{spec.instance}.json") != spec.instance_hash
    }
    faults += [f"{name}: the instance file has changed" for name in sorted(changed)]
    refuted = {spec.id for spec in specs.values() if spec.instance in changed}
    runs: list[Run] = []
    contradictions: list[str] = []
    for record in records:
        if record.get("id") not in specs or specs[record["id"]].instance in changed:
            continue
        spec = specs[record["id"]]
        who = f"{spec.problem_name}, {spec.backend}, {spec.search}, seed {spec.seed}"
        if record.get("result") is None:
            if record.get("outcome") == "false claim":
                contradictions.append(f"{who}: {record.get('message')}")
                refuted.add(spec.id)
            continue
        try:
            result = rebuilt(record, spec.problem(problems[spec.instance]))
            false = [f"{who}: {fault}" for fault in _false_fields(record, result)]
        except PyfselError as error:
            faults.append(f"{who}: {error}")
            refuted.add(spec.id)
            continue
        against = [f"{who}: {c}" for c in _against_known(result, _about(folder, spec.problem_name))]
        faults += false
        contradictions += against
        if false or against:
            refuted.add(spec.id)
        runs.append(Run(spec.problem_name, _contender(spec), bool(record.get("exact")), result))
    found = list(find_contradictions(runs))
    contradictions += [f"{c.instance}: {c.evidence}" for c in found]
    false_claims = {(c.instance, c.contender) for c in found}
    refuted |= {spec.id for spec in specs.values() if (spec.problem_name, _contender(spec)) in false_claims}
    made = {record.get("id") for record in records}
    report = CheckReport(
        n_runs=len(records),
        n_results=len(runs),
        missing=len(specs.keys() - made),
        faults=tuple(faults),
        contradictions=tuple(contradictions),
        refuted=tuple(sorted(refuted)),
    )
    note = {"fingerprint": fingerprint(folder), **report.to_dict()}
    (folder / CHECK).write_text(json.dumps(note, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return report


def _contender(spec: RunSpec) -> str:
    return f"{spec.backend} ({spec.search})"


def read_specs(folder: Path) -> dict[str, RunSpec]:
    """Return the runs of the suite of a benchmark folder by id."""
    path = folder / SUITE
    if not path.exists():
        raise InputError(f"{folder}: is not the folder of a benchmark, which `pyfsel bench run` writes")
    try:
        listed = [RunSpec.from_dict(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    return {spec.id: spec for spec in listed}


def fingerprint(folder: Path) -> str:
    """Return a hash of suite, results and instances, by which a check is seen to be outdated."""
    digest = hashlib.sha256()
    for path in (folder / SUITE, folder / RESULTS, *sorted((folder / INSTANCES).glob("*"))):
        digest.update(f"{path.name} {file_hash(path)}\n".encode())
    return digest.hexdigest()


def rebuilt(record: Mapping[str, Any], problem: Problem) -> Result:
    """Return the result of a record for the problem of the instance file, verified again."""
    result = record["result"]
    if not isinstance(result, Mapping):
        raise InputError("the result is not a JSON object")
    return Result.from_dict({**result, "problem": problem.to_dict()})


def _problem(folder: Path, name: str) -> Problem:
    return Problem.load(folder / INSTANCES / f"{name}.json")


def _about(folder: Path, name: str) -> Mapping[str, Any]:
    path = about_path(folder / INSTANCES / f"{name}.json")
    if not path.exists():
        return {}
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    return about if isinstance(about, dict) else {}


def _foreign(specs: Mapping[str, RunSpec], records: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with the ids, and with copies of the specification in the records."""
    for number, times in Counter(str(record.get("id")) for record in records).items():
        if times > 1:
            yield f"run {number}: has {times} records"
    for record in records:
        spec = specs.get(str(record.get("id")))
        if spec is None:
            yield f"run {record.get('id')}: is not in the suite"
        elif RunSpec.from_dict(record) != spec:
            yield f"run {spec.id}: its record is about another run"


def _false_fields(record: Mapping[str, Any], result: Result) -> Iterator[str]:
    """Yield the recorded numbers that are not those of the sets, and incumbents that are none."""
    written = record["result"]
    if written.get("integer_objective") != result.integer_objective:
        yield (
            f"the objective {written.get('integer_objective')} was recorded, "
            f"the sets have {result.integer_objective}"
        )
    for name, true in (("objective", result.objective), ("bound", result.bound)):
        given = written.get(name)
        if not _equal(given, true):
            yield f"{name}={given} was recorded, it is {true}"
    if record.get("outcome") != str(result.status):
        yield f"the outcome {record.get('outcome')} was recorded, the result is {result.status}"
    if not record.get("exact") and result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        yield f"{result.status} was claimed by a heuristic"
    yield from _false_incumbents(result) if result.search == "simultaneous" else _false_steps(result)


def _equal(given: object, true: float | None) -> bool:
    if true is None or not isinstance(given, int | float):
        return given is true
    return isclose(given, true)


def _false_incumbents(result: Result) -> Iterator[str]:
    for incumbent in result.incumbents:
        wrong = violations(result.problem, incumbent.sets)
        if wrong:
            yield f"the incumbent after {incumbent.time:.2f} s: {wrong[0]}"
        elif values.total(result.problem, incumbent.sets) != incumbent.objective:
            yield f"the incumbent after {incumbent.time:.2f} s has not the objective {incumbent.objective}"


def _false_steps(result: Result) -> Iterator[str]:
    """Yield what is wrong with a sequential search as a whole and with single steps."""
    for number, step in enumerate(result.steps):
        found = None if step.features is None else values.value(result.problem, step.features)
        if step.objective != found:
            yield f"step {number} has the objective {found}, not {step.objective}"
        elif step.status is Status.OPTIMAL and step.bound != found:
            yield f"step {number} was claimed OPTIMAL with the bound {step.bound} and the objective {found}"
    proved = all(step.status in (Status.OPTIMAL, Status.INFEASIBLE) for step in result.steps)
    if result.status is Status.OPTIMAL and not (proved and result.steps):
        yield "OPTIMAL was claimed, but not for each step"
    if result.status is Status.INFEASIBLE and [step.status for step in result.steps] != [Status.INFEASIBLE]:
        yield "INFEASIBLE was claimed, but not for the first step"


def _against_known(result: Result, about: Mapping[str, Any]) -> Iterator[str]:
    """Yield what contradicts the optimum that the construction of the instance gives."""
    optimum = about.get("optimum")
    if optimum is None or result.search != "simultaneous":
        return
    objective = result.integer_objective
    if result.status is Status.INFEASIBLE:
        yield f"INFEASIBLE was claimed, the known optimum is {optimum}"
    elif result.status is Status.OPTIMAL and objective != optimum:
        yield f"OPTIMAL was claimed with {objective}, the known optimum is {optimum}"
    elif objective is not None and objective > optimum:
        yield f"the sets have {objective}, the known optimum is {optimum}"
    elif result.integer_bound is not None and result.integer_bound < optimum:
        yield f"the bound {result.integer_bound} was claimed, the known optimum is {optimum}"
