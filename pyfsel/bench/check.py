"""The check of a benchmark: every set from the instance files, every statement against all others."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from pyfsel.bench.claims import Outcome, Run, find_contradictions
from pyfsel.bench.instances.writing import about_path
from pyfsel.bench.recheck import recheck
from pyfsel.bench.store import INSTANCES, SUITE, message_of, read_records, read_specs, result_files, starved
from pyfsel.bench.suite import RunSpec, file_hash
from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in, positive_number, share
from pyfsel.problem.instance import Instance
from pyfsel.problem.text_files import write_text
from pyfsel.results.answer import PROVED, StopReason
from pyfsel.results.confirmation import Confirmation, Verdict
from pyfsel.results.result import Result
from pyfsel.solving.confirm import confirm

CHECK = "check.json"

OnConfirmed = Callable[[RunSpec, Confirmation], None]


@dataclass(frozen=True)
class CheckReport:
    """What the check found.

    Attributes
    ----------
    n_runs, n_results : int
        Records, and the records that contain a result.
    missing : int
        Runs of the suite that have not been made.
    faults : tuple of str
        Records that are false in themselves: not of this suite, duplicated, with a wrong set or objective.
    contradictions : tuple of str
        Statements that cannot both be true, or are not true given a known optimum.
    errors : tuple of str
        Runs whose backend crashed, with what it said; their sets are checked too.
    refuted : tuple of str
        Ids of the runs whose records or statements are false, or could not be checked.
    warning : str
        What makes times doubtful; empty if nothing does.
    n_claims : int
        Runs that claim a proof, of the whole or of steps.
    n_confirmed, n_not_confirmed, n_contradicted : int
        Of the claims that were to be proved again: how many were, were not in time, and are false.
    """

    n_runs: int
    n_results: int
    missing: int
    faults: tuple[str, ...]
    contradictions: tuple[str, ...]
    errors: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    warning: str = ""
    n_claims: int = 0
    n_confirmed: int = 0
    n_not_confirmed: int = 0
    n_contradicted: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing false was found."""
        return not self.faults and not self.contradictions

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def check_folder(
    folder: str | Path,
    *,
    confirm_share: float = 0.0,
    confirm_limit: float = 60.0,
    random_state: int = 0,
    on_confirmed: OnConfirmed = lambda spec, confirmation: None,
) -> CheckReport:
    """Check all results of a benchmark and note in the folder that this was done.

    Everything in a record that follows from the instance is recomputed, what was measured must be possible
    (within the tolerances of `pyfsel.bench.recheck`), and statements are held against each other, against
    known optima, and against greedy sets and exchanges of single features. A consistent lie remains
    possible, which only a second proof finds.

    Parameters
    ----------
    folder : path
    confirm_share : float
        Share, from 0 to 1, of the runs that claim a proof which is proved again by a backend of another kind.
    confirm_limit : float
        Most seconds for a run.
    random_state : int
        Seed of the choice of these runs.
    on_confirmed : callable
        Called with the specification of each such run, and what came of it.

    Raises
    ------
    InputError
        If an argument is not allowed, the folder holds no benchmark, or a file of it cannot be read.
    """
    confirmed = share("confirm_share", confirm_share)
    seconds = positive_number("confirm_limit", confirm_limit)
    seed = integer_in("random_state", random_state, 0, None)
    folder = Path(folder)
    specs = read_specs(folder)
    records = read_records(folder)
    check = _Check(folder, specs)
    check.faults += _foreign(specs, records)
    check.look_for_changed_files()
    for record in records:
        check.look_at(record)
    check.compare()
    n_claims, confirmations = _confirmed_share(check.runs, confirmed, seconds, seed, on_confirmed)
    check.take(confirmations)
    report = check.report(records, n_claims, Counter(made.verdict for _, _, made in confirmations))
    _write_note(folder, report)
    return report


def _write_note(folder: Path, report: CheckReport) -> None:
    """Note in the folder what was found, and in which state of its files."""
    note = {"fingerprint": fingerprint(folder), **report.to_dict()}
    write_text(folder / CHECK, json.dumps(note, indent=1, ensure_ascii=False) + "\n")


class _Check:
    """What was found so far in the records of a folder."""

    def __init__(self, folder: Path, specs: Mapping[str, RunSpec]) -> None:
        self.folder = folder
        self.specs = specs
        self.instances = {name: _instance(folder, name) for name in {s.instance for s in specs.values()}}
        self.changed: set[str] = set()
        self.runs: list[tuple[RunSpec, Run]] = []
        self.faults: list[str] = []
        self.contradictions: list[str] = []
        self.errors: list[str] = []
        self.refuted: set[str] = set()

    def look_for_changed_files(self) -> None:
        for number, spec in self.specs.items():
            for name, digest in {f"{spec.instance}.json": spec.instance_hash, **spec.files}.items():
                if file_hash(self.folder / INSTANCES / name) != digest:
                    self.changed.add(name)
                    self.refuted.add(number)
        self.faults += [f"{name}: the file has changed" for name in sorted(self.changed)]

    def look_at(self, record: Mapping[str, Any]) -> None:
        """Check one record by itself; one of another suite or about another instance cannot be."""
        spec = self.specs.get(str(record.get("id")))
        if spec is None or f"{spec.instance}.json" in self.changed:
            return
        result, faults = recheck(record, spec, spec.problem(self.instances[spec.instance]))
        outcome, said = record.get("outcome"), message_of(record)
        if outcome == Outcome.ERROR:
            self.errors.append(f"{_who(spec)}: error: {said}")
        self.faults += [f"{_who(spec)}: {fault}" for fault in faults]
        self.refuted |= {spec.id} if faults else set()
        claimed = Outcome.FALSE_CLAIM if outcome == Outcome.FALSE_CLAIM else None
        if result is not None or claimed:
            run = Run(
                spec.problem_name,
                _who(spec),
                bool(record.get("exact")),
                result,
                claimed,
                said,
                self._planted(spec),
            )
            self.runs.append((spec, run))

    def _planted(self, spec: RunSpec) -> int | None:
        """Return the optimum that the construction of an instance gives to the problem of a run."""
        in_file = self.instances[spec.instance]
        if spec.search == "sequential" or spec.is_varied(in_file):
            return None
        return _about(self.folder, spec.instance).get("optimum")

    def compare(self) -> None:
        """Hold the statements against each other, and against what is known otherwise."""
        runs = [run for _, run in self.runs]
        found = list(find_contradictions(runs, look_further=True))
        self.contradictions += [f"{c.instance}: {c.evidence}" for c in found]
        false_claims = {c.contender for c in found}
        self.refuted |= {spec.id for spec, run in self.runs if run.contender in false_claims}

    def take(self, confirmations: Iterable[tuple[RunSpec, Run, Confirmation]]) -> None:
        """Add what second proofs contradict."""
        for spec, run, confirmation in confirmations:
            if confirmation.verdict is Verdict.CONTRADICTED:
                self.contradictions.append(f"{run.contender}: {confirmation.message}")
                if run.result is not None and confirmation.refuted == run.result.backend:
                    self.refuted.add(spec.id)

    def report(
        self, records: Sequence[Mapping[str, Any]], n_claims: int, verdicts: Mapping[Verdict, int]
    ) -> CheckReport:
        """Return what was found, with the number of claims of a proof and what second proofs said."""
        return CheckReport(
            n_runs=len(records),
            n_results=len(self.runs),
            missing=len(self.specs.keys() - {record.get("id") for record in records}),
            faults=tuple(self.faults),
            contradictions=tuple(self.contradictions),
            errors=tuple(self.errors),
            refuted=tuple(sorted(self.refuted)),
            warning=starved(records),
            n_claims=n_claims,
            n_confirmed=verdicts[Verdict.CONFIRMED],
            n_not_confirmed=verdicts[Verdict.NOT_CONFIRMED],
            n_contradicted=verdicts[Verdict.CONTRADICTED],
        )


def _who(spec: RunSpec) -> str:
    return f"{spec.problem_name}, {spec.solver}, {spec.search}, seed {spec.random_state}"


def fingerprint(folder: Path) -> str:
    """Return a hash of suite, results and instances, by which a check is seen to be outdated."""
    digest = hashlib.sha256()
    for path in (folder / SUITE, *result_files(folder), *sorted((folder / INSTANCES).glob("*"))):
        digest.update(f"{path.name} {file_hash(path)}\n".encode())
    return digest.hexdigest()


def _instance(folder: Path, name: str) -> Instance:
    return Instance.load(folder / INSTANCES / f"{name}.json")


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


def _confirmed_share(
    runs: Sequence[tuple[RunSpec, Run]], share: float, seconds: float, seed: int, on_confirmed: OnConfirmed
) -> tuple[int, list[tuple[RunSpec, Run, Confirmation]]]:
    """Return how many runs claim a proof, and what came of proving some of them again.

    Which ones are chosen depends on the seed and the ids of the runs only; a share above 0 is at least one.
    """
    claims = {spec.id: (spec, run) for spec, run in runs if run.result is not None and _is_claim(run.result)}
    chosen = Random(seed).sample(sorted(claims), ceil(share * len(claims)))
    found = []
    for spec, run in (claims[number] for number in chosen):
        assert run.result is not None
        confirmation = _confirmed(run.result, spec, seconds, seed)
        on_confirmed(spec, confirmation)
        if StopReason.INTERRUPTED in confirmation.message:
            raise KeyboardInterrupt
        found.append((spec, run, confirmation))
    return len(claims), found


def _is_claim(result: Result) -> bool:
    steps = result.steps if result.search == "sequential" else ()
    return result.status in PROVED or any(step.status in PROVED for step in steps)


def _confirmed(result: Result, spec: RunSpec, seconds: float, seed: int) -> Confirmation:
    try:
        confirmation = confirm(result, time_limit=seconds, random_state=seed, memory_limit=spec.memory_limit)
    except InputError as error:
        return Confirmation(Verdict.NOT_CONFIRMED, 1, 0, (), 0.0, str(error))
    assert confirmation is not None
    return confirmation
