"""The check of a benchmark: every set from the instance files, every statement against all others."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from pyfsel.bench.claims import ContenderRun, RunOutcome, find_contradictions
from pyfsel.bench.instances.instance_families import about_path
from pyfsel.bench.recheck import recheck
from pyfsel.bench.store import INSTANCES, SUITE, message_of, read_records, read_specs, result_files, starved
from pyfsel.bench.suite import RunSpec, file_hash
from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in, positive_number, share
from pyfsel.problem.instance import Instance
from pyfsel.problem.text_files import parsed_json, read_text, write_text
from pyfsel.results.backend_answer import PROVED, StopReason
from pyfsel.results.confirmation import ConfirmationVerdict
from pyfsel.results.control import Limits
from pyfsel.results.result import Result
from pyfsel.solving.confirm import claims_of, confirm
from pyfsel.solving.sequential import statements

CHECK = "check.json"


@dataclass
class CheckReport:
    """What the check found.

    Attributes
    ----------
    n_runs, n_results : int
        Records, and the records that contain a result.
    missing : int
        Runs of the suite that have not been made.
    faults : list of str
        Records that are false in themselves: not of this suite, duplicated, with a wrong set or objective.
    contradictions : list of str
        Statements that cannot both be true, or are not true given a known optimum.
    errors : list of str
        Runs whose backend crashed, with what it said; their sets are checked too.
    refuted : list of str
        Ids of the runs whose records or statements are false, or could not be checked.
    warning : str
        What makes times doubtful; empty if nothing does.
    n_claims : int
        Runs that claim a proof, of the whole or of steps.
    verdicts : dict
        Of the claims that were to be proved again: how many were ("confirmed"), were not in time ("not
        confirmed"), and are false ("contradicted").
    """

    n_runs: int
    missing: int
    faults: list[str]
    refuted: list[str]
    warning: str
    n_results: int = 0
    contradictions: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    n_claims: int = 0
    verdicts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ConfirmationVerdict, 0))

    @property
    def is_clean(self) -> bool:
        """Whether nothing false was found."""
        return not self.faults and not self.contradictions


def check_folder(
    folder: str | Path, *, confirm_share: float = 0.0, confirm_limit: float = 60.0, random_state: int = 0
) -> CheckReport:
    """Check all results of a benchmark and note in the folder that this was done.

    Everything in a record that follows from the instance is recomputed, what was measured must be possible
    (within the tolerances of `pyfsel.bench.recheck`), and statements are compared with each other, with
    known optima, and with greedy sets. A consistent lie remains possible, which only a second proof finds.

    Parameters
    ----------
    folder : path
    confirm_share : float
        Share, from 0 to 1, of the runs that claim a proof which is proved again by a backend of another kind.
    confirm_limit : float
        Maximum seconds for a run.
    random_state : int
        Seed of the choice of these runs.

    Raises
    ------
    InputError
        If an argument is not allowed, the folder contains no benchmark, or a file of it cannot be read.
    """
    confirmed = share("confirm_share", confirm_share)
    seconds = positive_number("confirm_limit", confirm_limit)
    seed = integer_in("random_state", random_state, 0, None)
    folder = Path(folder)
    specs, records = read_specs(folder), read_records(folder)
    files = {pair for spec in specs.values() for pair in spec.files.items()}
    changed = {name for name, digest in files if file_hash(folder / INSTANCES / name) != digest}
    report = CheckReport(
        n_runs=len(records),
        missing=len(specs.keys() - {record.get("id") for record in records}),
        faults=[*_foreign(specs, records), *(f"{name}: the file has changed" for name in sorted(changed))],
        refuted=[spec.id for spec in specs.values() if changed & spec.files.keys()],
        warning=starved(records),
    )
    instances = {
        name: Instance.load(folder / INSTANCES / f"{name}.json")
        for name in {spec.instance for spec in specs.values()}
    }
    runs = []
    for record in records:
        spec = specs.get(str(record.get("id")))
        if spec and f"{spec.instance}.json" not in changed:
            run = _rechecked(folder, record, spec, instances[spec.instance], report)
            runs += [(spec, run)] if run else []
    report.n_results = len(runs)
    false_claims = list(find_contradictions([run for _, run in runs], look_further=True))
    report.contradictions += [f"{c.instance}: {c.evidence}" for c in false_claims]
    liars = {c.contender for c in false_claims}
    report.refuted += [spec.id for spec, run in runs if run.contender in liars]
    claims = {
        spec.id: (spec, run.result)
        for spec, run in runs
        if run.result and any(one.status in PROVED for one in statements(run.result))
    }
    report.n_claims = len(claims)
    # chosen by the seed and the ids alone; a share above 0 is at least one
    for number in Random(seed).sample(sorted(claims), ceil(confirmed * len(claims))):
        _confirm(*claims[number], seconds, seed, report)
    report.refuted = sorted(set(report.refuted))
    note = {"fingerprint": fingerprint(folder), **asdict(report)}
    write_text(folder / CHECK, json.dumps(note, indent=1, ensure_ascii=False) + "\n")
    return report


def _rechecked(
    folder: Path, record: Mapping[str, Any], spec: RunSpec, in_file: Instance, report: CheckReport
) -> ContenderRun | None:
    """Check a record by itself; return its run if its statements can be compared with others."""
    who, outcome, said = _who(spec), record.get("outcome"), message_of(record)
    result, faults = recheck(record, spec, spec.problem(in_file))
    report.errors += [f"{who}: error: {said}"] if outcome == RunOutcome.ERROR else []
    report.faults += [f"{who}: {fault}" for fault in faults]
    report.refuted += [spec.id] if faults else []
    claimed = RunOutcome.FALSE_CLAIM if outcome == RunOutcome.FALSE_CLAIM else None
    if result is None and claimed is None:
        return None
    optimum = None
    if spec.search != "sequential" and not spec.is_varied(in_file):
        optimum = _about(folder, spec.instance).get("optimum")
    return ContenderRun(spec.problem_name, who, bool(record.get("exact")), result, claimed, said, optimum)


def _who(spec: RunSpec) -> str:
    return f"{spec.problem_name}, {spec.solver}, {spec.search}, seed {spec.random_state}"


def fingerprint(folder: Path) -> str:
    """Return a hash of suite, results and instances, by which a check is seen to be outdated."""
    digest = hashlib.sha256()
    for path in (folder / SUITE, *result_files(folder), *sorted((folder / INSTANCES).glob("*"))):
        digest.update(f"{path.name} {file_hash(path)}\n".encode())
    return digest.hexdigest()


def _about(folder: Path, name: str) -> Mapping[str, Any]:
    path = about_path(folder / INSTANCES / f"{name}.json")
    if not path.exists():
        return {}
    about = parsed_json(str(path), read_text(path), "what `pyfsel bench run` wrote")
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


def _confirm(spec: RunSpec, result: Result, seconds: float, seed: int, report: CheckReport) -> None:
    """Prove a claim again, and note what comes of it."""
    try:
        limits = Limits.starting_now(seconds, seed, memory_limit=spec.memory_limit)
        found = confirm(claims_of(result), "auto", limits)
    except InputError:  # no other backend takes the problem
        report.verdicts[ConfirmationVerdict.NOT_CONFIRMED] += 1
        return
    assert found is not None
    if StopReason.INTERRUPTED in found.message:
        raise KeyboardInterrupt
    report.verdicts[found.verdict] += 1
    if found.verdict is ConfirmationVerdict.CONTRADICTED:
        report.contradictions.append(f"{_who(spec)}: {found.message}")
        report.refuted += [spec.id] if found.refuted == result.backend else []
