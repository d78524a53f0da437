"""What a checked benchmark says, as Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyfsel.bench.check import CHECK, fingerprint
from pyfsel.bench.store import read_records
from pyfsel.errors import InputError

PAR_FACTOR = 2
PROVED = ("OPTIMAL", "INFEASIBLE")
STATUSES = ("OPTIMAL", "INFEASIBLE", "FEASIBLE", "NOT_SOLVED", "unsupported")
HEADS = (
    "backend",
    "search",
    "time limit",
    "runs",
    *STATUSES,
    "other",
    "proved",
    "PAR2",
    "mean seconds",
    "MB",
)


def report_folder(folder: str | Path) -> str:
    """Return the results of a benchmark as Markdown: contradictions first, then a row per contender.

    PAR2 is the mean run time of the supported runs, where one that proved nothing counts as two time limits;
    heuristics, which prove nothing, have none.

    Raises
    ------
    InputError
        If the results have not been checked as they are now.
    """
    folder = Path(folder)
    check = _check_of(folder)
    records = read_records(folder)
    found = [*check["faults"], *check["contradictions"]]
    lines = ["# Benchmark", ""]
    lines += [f"{len(found)} faults and contradictions" if found else "No faults and no contradictions."]
    lines += ["", *(f"- {text}" for text in found), *([""] if found else [])]
    if check["missing"]:
        lines += [f"Incomplete: {check['missing']} runs are missing.", ""]
    groups: dict[tuple[str, str, float], list[Mapping[str, Any]]] = {}
    for record in records:
        key = (record["backend"], record["search"], record["time_limit"])
        groups.setdefault(key, []).append(record)
    rows = [_row(key, groups[key]) for key in sorted(groups)]
    lines += [_line(HEADS), _line(["---"] * 2 + ["---:"] * (len(HEADS) - 2)), *map(_line, rows), ""]
    lines += [*_environment(records), ""]
    return "\n".join(lines)


def _check_of(folder: Path) -> dict[str, Any]:
    try:
        check: dict[str, Any] = json.loads((folder / CHECK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{folder}: the results have not been checked; run `pyfsel bench check`") from None
    if check.get("fingerprint") != fingerprint(folder):
        raise InputError(f"{folder}: has changed since the check; run `pyfsel bench check` again")
    return check


def _row(key: tuple[str, str, float], records: Sequence[Mapping[str, Any]]) -> list[str]:
    backend, search, limit = key
    proves = any(record.get("exact") for record in records)
    counted = Counter(record["outcome"] for record in records)
    supported = [record for record in records if record["outcome"] != "unsupported"]
    proved = [record for record in supported if record["outcome"] in PROVED]
    seconds = [record["result"]["runtime"] for record in proved]
    penalty = PAR_FACTOR * limit * (len(supported) - len(proved))
    return [
        backend,
        search,
        f"{limit:g}",
        str(len(records)),
        *(str(counted[status]) for status in STATUSES),
        str(len(records) - sum(counted[status] for status in STATUSES)),
        f"{len(proved) / len(supported):.0%}" if supported and proves else "–",
        f"{(sum(seconds) + penalty) / len(supported):.2f}" if supported and proves else "–",
        f"{sum(seconds) / len(seconds):.2f}" if seconds else "–",
        f"{max(record['peak_memory'] for record in records):.0f}",
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _environment(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the machines and the versions, each different one once."""
    machines = {
        json.dumps(record["machine"], sort_keys=True): record["machine"]
        for record in records
        if record.get("machine")
    }
    lines = [f"Machine: {m['platform']}, {m['n_cpus']} CPUs" for m in machines.values()]
    versions = {f"{name} {v}" for r in records for name, v in (r.get("versions") or {}).items() if v}
    return [*lines, f"Versions: {', '.join(sorted(versions))}"] if versions else lines
