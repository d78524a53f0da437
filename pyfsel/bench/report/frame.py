"""The runs of a checked benchmark as one table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.bench.check import CHECK, fingerprint
from pyfsel.bench.claims import Outcome
from pyfsel.bench.recheck import amount
from pyfsel.bench.store import INSTANCES, message_of, read_records, read_specs, starved
from pyfsel.bench.suite import RunSpec
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.results.answer import PROVED
from pyfsel.results.certificate import Certificate

if TYPE_CHECKING:
    import pandas as pd

PAR_FACTOR = 2
REFUTED = "refuted"
NO_ANSWER = (-1, -inf)


@dataclass(frozen=True, eq=False)
class Benchmark:
    """The runs of a checked benchmark.

    Parameters
    ----------
    name : str
    runs : DataFrame
        One row for each run, see `row_of`; `unfinished` are tasks of which a run is missing.
    findings : tuple of str
        Faults and contradictions.
    missing : int
        Runs that have not been made.
    warning : str
        What makes times doubtful; empty if nothing does.
    about : tuple of str
        Machines, versions, and the hashes of sources and instances.
    """

    name: str
    runs: pd.DataFrame
    findings: tuple[str, ...] = ()
    missing: int = 0
    warning: str = ""
    about: tuple[str, ...] = ()

    @property
    def n_errors(self) -> int:
        """Number of runs whose solver crashed."""
        return int((self.runs["outcome"] == Outcome.ERROR).sum())


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
    names = contender_names(specs)
    records: dict[str, dict[str, Any]] = {}
    for record in read_records(folder):  # the check has named records of other runs, and second ones
        if record.get("id") in specs:
            records.setdefault(str(record["id"]), record)
    refuted = set(check["refuted"])
    files = {s.instance: Instance.load(folder / INSTANCES / f"{s.instance}.json") for s in specs.values()}
    rows = []
    for number, record in records.items():
        spec, outcome = specs[number], REFUTED if number in refuted else str(record.get("outcome"))
        rows.append(row_of(spec, names[number], spec.problem(files[spec.instance]), outcome, record))
    unfinished = {specs[number].trial.id for number in specs.keys() - records.keys()}
    return Benchmark(
        name=folder.resolve().name,
        runs=table_of(rows, unfinished),
        findings=(*check["faults"], *check["contradictions"]),
        missing=check["missing"],
        warning=starved(records.values()),
        about=tuple(_about(specs, records)),
    )


def row_of(
    spec: RunSpec, contender: str, problem: Instance, outcome: str, record: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what reports say of a run.

    `trial` and `task` are ids, of what several contenders are given alike, with and without the seed.
    `answer` sorts better ones last: the number of sets and their objective, or of a model with a question of
    its own what it claims for that. `cost` is the seconds, or two time limits without a proof (PAR2). With
    a limit on CPU time these are CPU seconds, and a proof beyond it is none.
    """
    result = record.get("result") or {}
    claim = result.get("model_claim") or {}
    whole = amount(record.get("seconds"), spec.time_limit)
    wall = amount(result.get("runtime"), whole)
    cpu = amount(record.get("cpu_seconds"), wall)
    limit, seconds = (spec.time_limit, wall) if spec.cpu_limit is None else (spec.cpu_limit, cpu)
    proved = outcome in PROVED and (spec.cpu_limit is None or cpu <= limit)
    return {
        "contender": contender,
        "problem": spec.problem_name,
        "instance": spec.instance,
        "kind": kind_of(problem, spec.search) + (", own question" if spec.own_question else ""),
        "n_features": problem.n_features,
        "trial": spec.trial.id,
        "task": spec.task.id,
        "limit": limit,
        "search": spec.search,
        "outcome": outcome,
        "exact": bool(record.get("exact")),
        "supported": outcome != Outcome.UNSUPPORTED,
        "proved": proved,
        "answer": NO_ANSWER if outcome == REFUTED else _answer(result, claim if spec.own_question else {}),
        "seconds": seconds,
        "cost": seconds if proved else PAR_FACTOR * limit,
        "cpu_seconds": cpu,
        "compile_seconds": amount((result.get("statistics") or {}).get("compile_seconds"), 0.0),
        "peak_memory": amount(record.get("peak_memory"), 0.0),
        "solver": str(result.get("backend") or contender),
        "certified": _certified(result),
        "message": message_of(record),
        "incumbents": [
            (amount(entry["time"], 0.0), entry["integer_objective"])
            for entry in result.get("incumbents") or ()
        ],
    }


def _answer(result: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[int, float]:
    if own:
        value = own.get("objective")
        sign = -1 if own.get("goal") == "minimize" else 1
        return NO_ANSWER if value is None else (0, sign * value)
    value = result.get("integer_objective")
    return NO_ANSWER if value is None else (len(result["feature_sets"]), value)


def _certified(result: Mapping[str, Any]) -> bool | None:
    certificate = result.get("certificate")
    return Certificate.from_dict(certificate).is_complete if certificate else None


def table_of(rows: list[dict[str, Any]], unfinished: set[str] | None = None) -> pd.DataFrame:
    """Return rows as a table, with what only all of them tell: `is_best` among the answers to a question."""
    import pandas as pd

    runs = pd.DataFrame(rows)
    if runs.empty:
        return pd.DataFrame(columns=["contender", "problem", "instance", "task", "outcome", "kind"])
    best = runs.groupby(["problem", "search", "kind"])["answer"].transform("max")
    is_best = [one == top and one != NO_ANSWER for one, top in zip(runs["answer"], best, strict=True)]
    return runs.assign(
        best=best, is_best=is_best, unfinished=[one in (unfinished or ()) for one in runs["trial"]]
    )


def kind_of(problem: Instance, search: str) -> str:
    """Return the kind of a problem in words; one set needs no search."""
    return f"{OBJECTIVES[problem.objective].title}, {'one set' if problem.n_sets == 1 else search}"


def contender_names(specs: Mapping[str, RunSpec]) -> dict[str, str]:
    """Return what is compared in each run: its solver, and the settings that differ between the runs."""
    values: dict[str, set[Any]] = {}
    for name in {name for spec in specs.values() for name in spec.settings}:
        values[name] = {spec.settings.get(name) for spec in specs.values()}
    differing = sorted(name for name, found in values.items() if len(found) > 1)
    return {
        number: ", ".join(
            [
                spec.solver,
                *(f"{name}={spec.settings[name]}" for name in differing if name in spec.settings),
            ]
        )
        for number, spec in specs.items()
    }


def _check_of(folder: Path) -> dict[str, Any]:
    try:
        check: dict[str, Any] = json.loads((folder / CHECK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{folder}: the results have not been checked; run `pyfsel bench check`") from None
    if check.get("fingerprint") != fingerprint(folder) or "refuted" not in check:
        raise InputError(f"{folder}: has changed since the check; run `pyfsel bench check` again")
    return check


def _about(specs: Mapping[str, RunSpec], records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield where the runs were made, by which versions, and of which files."""
    machines = (record.get("machine") for record in records.values())
    facts = (machine.items() for machine in machines if isinstance(machine, Mapping))
    yield from sorted({", ".join(f"{name} {fact}" for name, fact in own if name != "load") for own in facts})
    versions = (record.get("versions") for record in records.values())
    pairs = (pair for found in versions if isinstance(found, Mapping) for pair in found.items())
    yield ", ".join(sorted({f"{name} {version}" for name, version in pairs if version}))
    yield from sorted({f"sources {made}" for record in records.values() if (made := record.get("sources"))})
    yield from sorted({f"{spec.instance} {spec.instance_hash}" for spec in specs.values()})
