"""The files of a benchmark: runs, instances, and results, one JSON object per line, only ever appended."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pyfsel.bench.suite import RunSpec
from pyfsel.errors import InputError
from pyfsel.problem.text_files import read_text

INSTANCES = "instances"
SUITE = "suite.json"
RESULTS = "results.jsonl"
LOCK = ".lock"
LEAST_CORE = 0.8  # with less of a core, times say more of the machine than of the backends
LONG_SECONDS = 1.0  # shorter runs wait for files and processes more than they compute


@contextmanager
def opened(folder: Path, part: tuple[int, int] = (1, 1)) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Open the results of a part, locked against a second runner, and yield what appends a record.

    A record that was appended survives a kill and a power cut. An incomplete last line, left by a kill, is
    cut off.

    Raises
    ------
    InputError
        If another process writes to them.
    """
    from filelock import FileLock, Timeout

    number, of = part
    path = folder / (RESULTS if of == 1 else f"results-{number}-of-{of}.jsonl")
    try:
        with FileLock(folder / f"{LOCK}-{path.stem}", timeout=0), path.open("ab") as file:
            file.truncate(path.read_bytes().rfind(b"\n") + 1)

            def append(record: Mapping[str, Any]) -> None:
                file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
                file.flush()
                os.fsync(file.fileno())

            yield append
    except Timeout:
        raise InputError(f"{folder}: another run writes to it") from None


def starved(records: Iterable[Mapping[str, Any]]) -> str:
    """Return a warning if runs of some length got less than 0.8 of a core, or an empty text.

    Examples
    --------
    >>> starved([{"seconds": 10.0, "cpu_seconds": 5.0}, {"seconds": 10.0, "cpu_seconds": 9.9}])[:56]
    '1 of 2 runs of a second or more got less than 0.8 of a c'
    >>> starved([{"seconds": 0.5, "cpu_seconds": 0.1}, {"seconds": 3.0, "cpu_seconds": None}])
    ''
    """
    shares = [
        record["cpu_seconds"] / record["seconds"]
        for record in records
        if all(isinstance(record.get(name), int | float) for name in ("seconds", "cpu_seconds"))
        and record["seconds"] >= LONG_SECONDS
    ]
    n_starved = sum(share < LEAST_CORE for share in shares)
    if n_starved == 0:
        return ""
    return (
        f"{n_starved} of {len(shares)} runs of a second or more got less than {LEAST_CORE} of a core: other "
        "work took the processor, so their times say little of the backends. Run fewer at a time (--n-jobs), "
        "or give each a core (--pin)."
    )


def message_of(record: Mapping[str, Any]) -> str:
    """Return what a record says of how its run went."""
    result = record.get("result")
    of_result = result.get("message") if isinstance(result, Mapping) else None
    return str(record.get("message") or of_result or "")


def read_specs(folder: Path) -> dict[str, RunSpec]:
    """Return the runs of the suite of a benchmark folder by id."""
    path = folder / SUITE
    if not path.exists():
        raise InputError(f"{folder}: is not the folder of a benchmark, which `pyfsel bench run` writes")
    try:
        listed = [RunSpec.from_dict(entry) for entry in json.loads(read_text(path))]
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    return {spec.id: spec for spec in listed}


def result_files(folder: Path) -> list[Path]:
    """Return the files of results, of all parts."""
    return sorted(folder.glob("results*.jsonl"))


def read_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records of a benchmark folder; an incomplete last line does not count.

    Raises
    ------
    InputError
        If a complete line is not a JSON object.
    """
    found = []
    for path in result_files(folder):
        for number, line in enumerate(read_text(path).split("\n")[:-1], 1):
            record = None
            with suppress(ValueError):
                record = json.loads(line)
            if not isinstance(record, dict):
                raise InputError(f"{path}: line {number} is not a JSON object")
            found.append(record)
    return found
