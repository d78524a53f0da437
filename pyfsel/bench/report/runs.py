"""The runs of a checked benchmark, each with the problem that it was about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any, NamedTuple

from pyfsel.bench.check import CHECK, fingerprint
from pyfsel.bench.compare import Outcome
from pyfsel.bench.store import INSTANCES, message_of, read_records, read_specs, starved
from pyfsel.bench.suite import RunSpec, shape
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.results.answer import PROVED, Status
from pyfsel.results.certificate import Certificate

PAR_FACTOR = 2
REFUTED = "refuted"
ONE_SET = "one set"


class Kind(NamedTuple):
    """A kind of problem: what is maximised, and by which search."""

    objective: str
    search: str
    aggregate: str = ""

    @property
    def label(self) -> str:
        """What a reader calls it."""
        objective = OBJECTIVES[self.objective].title if self.objective in OBJECTIVES else self.objective
        return f"{objective}, {' '.join(filter(None, (self.search, self.aggregate)))}"

    @classmethod
    def of(cls, problem: Mapping[str, Any], search: str) -> Kind:
        """Return the kind of a problem, given its shape; one set needs neither a search nor an aggregate."""
        if problem["n_alternatives"] == 0:
            return cls(problem["objective"], ONE_SET)
        if search == "sequential":
            return cls(problem["objective"], search)
        return cls(problem["objective"], search, problem["aggregate"])


@dataclass(frozen=True)
class BenchRun:
    """One contender on one trial, and what came of it."""

    trial: RunSpec
    contender: str
    shape: Mapping[str, Any]
    outcome: str
    exact: bool
    record: Mapping[str, Any]

    @cached_property
    def task(self) -> RunSpec:
        """Its trial without the seed."""
        return self.trial.task

    @property
    def kind(self) -> Kind:
        """The kind of its problem."""
        return Kind.of(self.shape, self.task.search)

    @property
    def result(self) -> Mapping[str, Any]:
        """The result, empty if there is none."""
        return self.record.get("result") or {}

    @property
    def proved(self) -> bool:
        """Whether the problem is decided."""
        return self.outcome in PROVED

    @property
    def supported(self) -> bool:
        """Whether the contender can be asked such problems."""
        return self.outcome != Outcome.UNSUPPORTED

    @cached_property
    def seconds(self) -> float:
        """Wall-clock seconds of the search, or of the whole run if it has no result."""
        whole = _number(self.record.get("seconds"), self.task.time_limit)
        return _number(self.result.get("runtime"), whole)

    @property
    def cost(self) -> float:
        """Its seconds, or two time limits if it proved nothing (PAR2)."""
        return self.seconds if self.proved else PAR_FACTOR * self.task.time_limit

    @property
    def solver(self) -> str:
        """Name of the backend that found the result: what ``auto`` chose."""
        return str(self.result.get("backend") or self.contender)

    @property
    def value(self) -> tuple[int, float] | None:
        """Number of sets found and their integer objective; more is better. None without sets."""
        objective = self.result.get("integer_objective")
        if objective is None or self.outcome == REFUTED:
            return None
        return len(self.result["feature_sets"]), objective

    @property
    def message(self) -> str:
        """Why there is no result, or what is to be said of it."""
        return message_of(self.record)

    @property
    def peak_memory(self) -> float:
        """Largest memory in megabytes."""
        return _number(self.record.get("peak_memory"), 0.0)

    def measured(self, name: str) -> float | None:
        """Return a number of the record such as ``compile_seconds``, None where it was not measured."""
        given = self.record.get(name)
        return None if given is None else _number(given, 0.0)

    def history(self, name: str, value: str) -> list[tuple[float, float]]:
        """Return times and integers of ``incumbents`` or ``bounds``."""
        listed = self.result.get(name) or ()
        return sorted((_number(entry["time"], 0.0), entry[value]) for entry in listed)


@dataclass(frozen=True)
class Benchmark:
    """The runs of a checked benchmark.

    Parameters
    ----------
    name : str
    runs : tuple of BenchRun
    assigned : mapping of str to frozenset of RunSpec
        Which trials the suite has for each contender, made or missing.
    findings : tuple of str
        Faults and contradictions.
    missing : int
        Runs that have not been made.
    """

    name: str
    runs: tuple[BenchRun, ...]
    assigned: Mapping[str, frozenset[RunSpec]]
    findings: tuple[str, ...]
    missing: int

    @property
    def n_errors(self) -> int:
        """Number of runs whose backend crashed."""
        return sum(run.outcome == Outcome.ERROR for run in self.runs)

    @property
    def warning(self) -> str:
        """What makes times doubtful; empty if nothing does."""
        return starved(run.record for run in self.runs)

    @property
    def certified(self) -> str:
        """How many of the runs with an optimum are certified, if certificates were asked for."""
        optimal = [run for run in self.runs if run.outcome == Status.OPTIMAL]
        made = [certificate for run in optimal if (certificate := run.result.get("certificate"))]
        complete = sum(Certificate.from_dict(c).is_complete for c in made)
        return f"{complete} of {len(optimal)} optima are certified." if made else ""

    @property
    def repetitions(self) -> str:
        """How often tasks were repeated, in words; nothing if none was."""
        seeds = sorted({run.trial.seed for run in self.runs})
        return f"each with seeds {', '.join(map(str, seeds))}" if len(seeds) > 1 else ""

    @cached_property
    def contenders(self) -> list[str]:
        """Their names, sorted."""
        return sorted({run.contender for run in self.runs})

    @cached_property
    def kinds(self) -> dict[Kind, list[BenchRun]]:
        """The runs on each kind of problem."""
        groups: dict[Kind, list[BenchRun]] = {}
        for run in self.runs:
            groups.setdefault(run.kind, []).append(run)
        return {kind: groups[kind] for kind in sorted(groups, key=_order)}

    @cached_property
    def best(self) -> dict[tuple[str, str], tuple[int, float]]:
        """The best value known for each problem and search."""
        best: dict[tuple[str, str], tuple[int, float]] = {}
        for run in self.runs:
            key, value = run.task.question, run.value
            if value is not None:
                best[key] = max(value, best.get(key, value))
        return best

    @cached_property
    def machines(self) -> list[str]:
        """Each different machine once, with how busy it was when runs ended."""
        found: dict[str, list[float]] = {}
        for run in self.runs:
            machine = run.record.get("machine")
            if isinstance(machine, Mapping):
                found.setdefault(_machine_text(machine), []).append(_number(machine.get("load"), nan))
        return sorted(f"{text}{_load_text(loads)}" for text, loads in found.items())

    @cached_property
    def hashes(self) -> list[str]:
        """The sources by which runs were made, and the instances, each with the SHA-256 that it had."""
        sources = sorted({str(made) for run in self.runs if (made := run.record.get("sources"))})
        instances = sorted({(run.task.instance, run.task.instance_hash) for run in self.runs})
        return [*(f"pyfsel and its models {made}" for made in sources), *map(" ".join, instances)]

    @cached_property
    def versions(self) -> list[str]:
        """Each different version of a program once."""
        found = (run.record.get("versions") for run in self.runs)
        pairs = (pair for v in found if isinstance(v, Mapping) for pair in v.items())
        return sorted({f"{name} {version}" for name, version in pairs if version})


def load_benchmark(folder: str | Path) -> Benchmark:
    """Read a checked benchmark.

    Raises
    ------
    InputError
        If the results have not been checked as they are now, or a file cannot be read.
    """
    folder = Path(folder)
    check = _check_of(folder)
    specs = read_specs(folder)
    contenders = contender_names(specs)
    assigned: dict[str, set[RunSpec]] = {}
    for number, spec in specs.items():
        assigned.setdefault(contenders[number], set()).add(spec.trial)
    return Benchmark(
        name=folder.resolve().name,
        runs=tuple(_runs(folder, specs, contenders, set(check["refuted"]))),
        assigned={contender: frozenset(tasks) for contender, tasks in assigned.items()},
        findings=(*check["faults"], *check["contradictions"]),
        missing=check["missing"],
    )


def _check_of(folder: Path) -> dict[str, Any]:
    try:
        check: dict[str, Any] = json.loads((folder / CHECK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{folder}: the results have not been checked; run `pyfsel bench check`") from None
    if check.get("fingerprint") != fingerprint(folder) or "refuted" not in check:
        raise InputError(f"{folder}: has changed since the check; run `pyfsel bench check` again")
    return check


def contender_names(specs: Mapping[str, RunSpec]) -> dict[str, str]:
    """Return what is compared in each run: its backend, and the settings that differ between the runs."""
    every = {name for spec in specs.values() for name in spec.settings}
    values: dict[str, set[Any]] = {}
    for spec in specs.values():
        for name in every:
            values.setdefault(name, set()).add(spec.settings.get(name))
    differing = [name for name, found in values.items() if len(found) > 1]
    return {
        number: ", ".join(
            [
                spec.contender,
                *(f"{name}={spec.settings[name]}" for name in differing if name in spec.settings),
            ]
        )
        for number, spec in specs.items()
    }


def _runs(
    folder: Path, specs: Mapping[str, RunSpec], contenders: Mapping[str, str], refuted: set[str]
) -> Iterator[BenchRun]:
    """Yield the runs of the suite, each once; the check has named the other records."""
    files: dict[str, Instance] = {}
    shapes: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    for record in read_records(folder):
        number = str(record.get("id"))
        if number not in specs or number in seen:
            continue
        seen.add(number)
        spec = specs[number]
        if spec.problem_name not in shapes:
            if spec.instance not in files:
                files[spec.instance] = Instance.load(folder / INSTANCES / f"{spec.instance}.json")
            shapes[spec.problem_name] = shape(spec.problem(files[spec.instance]))
        yield BenchRun(
            trial=spec.trial,
            contender=contenders[number],
            shape=shapes[spec.problem_name],
            outcome=REFUTED if number in refuted else str(record.get("outcome")),
            exact=bool(record.get("exact")),
            record=record,
        )


def _machine_text(machine: Mapping[str, Any]) -> str:
    facts = [machine.get("system") or machine.get("platform"), machine.get("cpu")]
    facts.append(f"{machine.get('n_cpus')} CPUs")
    numbers = {"cores": "n_cores", "MB": "memory"}
    facts += [f"{machine[key]} {unit}" for unit, key in numbers.items() if machine.get(key)]
    if machine.get("governor"):
        facts.append(f"governor {machine['governor']}")
    cores = machine.get("cores")
    if isinstance(cores, list) and len(cores) == 1:
        facts.append("each run bound to a core")
    return ", ".join(str(fact) for fact in facts if fact)


def _load_text(loads: Sequence[float]) -> str:
    known = [load for load in loads if not isnan(load)]
    return f"; load {min(known):.1f} to {max(known):.1f}" if known else ""


def _order(kind: Kind) -> tuple[Any, ...]:
    """Sort kinds by objective as these are listed, then by search."""
    known = list(OBJECTIVES)
    return (known.index(kind.objective) if kind.objective in known else len(known), *kind)


def _number(given: object, otherwise: float) -> float:
    """Return a finite number, or else the other: records may hold anything."""
    if isinstance(given, int | float) and not isinstance(given, bool) and isfinite(given):
        return float(given)
    return otherwise
