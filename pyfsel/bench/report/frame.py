"""The runs of a checked benchmark as one table."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.bench.check_records import CHECK, fingerprint
from pyfsel.bench.recheck import amount
from pyfsel.bench.store import INSTANCES, message_of, read_records, read_specs
from pyfsel.bench.suite import RunSpec
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import PROVED
from pyfsel.results.confirmation import Certificate

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
    # The check has named records of other runs, and second ones of a run.
    records = {str(record.get("id")): record for record in reversed(read_records(folder))}
    records = {number: records[number] for number in specs if number in records}
    files = {s.instance: Instance.load(folder / INSTANCES / f"{s.instance}.json") for s in specs.values()}
    rows = []
    for number, record in records.items():
        spec = specs[number]
        outcome = REFUTED if number in check["refuted"] else str(record.get("outcome"))
        rows.append(row_of(spec, names[number], spec.problem(files[spec.instance]), outcome, record))
    return Benchmark(
        name=folder.resolve().name,
        runs=table_of(rows, {specs[number].trial.id for number in specs.keys() - records.keys()}),
        findings=(*check["faults"], *check["contradictions"]),
        missing=check["missing"],
        warning=check["warning"],
        about=tuple(_about(specs, records)),
    )


def row_of(
    spec: RunSpec, contender: str, problem: Instance, outcome: str, record: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what reports say of a run.

    `trial` and `task` are ids, of what several contenders are given alike, with and without the seed.
    `answer` sorts better ones last: the number of sets and their objective, or of a model with a question of
    its own what it claims for that. `cost` is the seconds, or two time limits without a proof (PAR2). With
    a limit on CPU time these are CPU seconds, and a proof beyond it is none. Nothing of what a refuted record
    says of its result counts.
    """
    result = {} if outcome == REFUTED else record.get("result") or {}
    wall = amount(result.get("runtime"), amount(record.get("seconds"), spec.time_limit))
    cpu = amount(record.get("cpu_seconds"), wall)
    limit, seconds = (spec.time_limit, wall) if spec.cpu_limit is None else (spec.cpu_limit, cpu)
    proved = outcome in PROVED and (spec.cpu_limit is None or cpu <= limit)
    kind = f"{problem.objective}, {'one set' if problem.n_sets == 1 else spec.search}"
    certificate = result.get("certificate")
    return {
        "contender": contender,
        "problem": spec.problem_name,
        "instance": spec.instance,
        "kind": kind + (", own question" if spec.own_question else ""),
        "trial": spec.trial.id,
        "task": spec.task.id,
        "limit": limit,
        "search": spec.search,
        "outcome": outcome,
        "exact": bool(record.get("exact")),
        "proved": proved,
        "answer": _answer(result, spec.own_question),
        "seconds": seconds,
        "cost": seconds if proved else PAR_FACTOR * limit,
        "cpu_seconds": cpu,
        "certified": Certificate.from_dict(certificate).is_complete if certificate else None,
        "message": message_of(record),
        "incumbents": [(entry["time"], entry["integer_objective"]) for entry in result.get("incumbents", ())],
    }


def _answer(result: Mapping[str, Any], own_question: bool) -> tuple[int, float]:
    claim = (result.get("model_claim") or {}) if own_question else {}
    value = claim.get("objective") if claim else result.get("integer_objective")
    if value is None:
        return NO_ANSWER
    if claim:
        return 0, -value if claim.get("goal") == "minimize" else value
    return len(result["feature_sets"]), value


def table_of(rows: list[dict[str, Any]], unfinished: Collection[str] = ()) -> pd.DataFrame:
    """Return rows as a table, with `is_best` among all the answers to a question."""
    import pandas as pd

    runs = pd.DataFrame(rows)
    if runs.empty:
        return runs
    best = runs.groupby(["problem", "search", "kind"])["answer"].transform("max")
    is_best = [one == top and one != NO_ANSWER for one, top in zip(runs["answer"], best, strict=True)]
    return runs.assign(best=best, is_best=is_best, unfinished=runs["trial"].isin(list(unfinished)))


def contender_names(specs: Mapping[str, RunSpec]) -> dict[str, str]:
    """Return what is compared in each run: its solver, and the settings that differ between the runs."""
    settings = {number: spec.settings for number, spec in specs.items()}
    names = sorted({name for given in settings.values() for name in given})
    differing = [name for name in names if len({given.get(name) for given in settings.values()}) > 1]
    return {
        number: ", ".join(
            [specs[number].solver, *(f"{name}={given[name]}" for name in differing if name in given)]
        )
        for number, given in settings.items()
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
    for part in ("machine", "versions"):
        found = (own for record in records.values() if isinstance(own := record.get(part), Mapping))
        facts = {f"{name} {fact}" for own in found for name, fact in own.items() if fact and name != "load"}
        yield ", ".join(sorted(facts))
    yield from sorted({f"sources {record.get('sources')}" for record in records.values()})
    yield from sorted({f"{spec.instance} {spec.instance_hash}" for spec in specs.values()})
