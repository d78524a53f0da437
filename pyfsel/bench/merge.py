"""Parts of a benchmark put together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyfsel.bench.store import INSTANCES, SUITE, opened, read_records
from pyfsel.errors import InputError


def merge(parts: Sequence[str | Path], folder: str | Path) -> int:
    """Put the runs of parts of one suite into one folder, each once; return how many came new.

    Raises
    ------
    InputError
        If a part is no benchmark, or belongs to another suite than the first.
    """
    folder = Path(folder)
    suite = _read(Path(parts[0]) / SUITE)
    for part in parts:
        if _read(Path(part) / SUITE) != suite:
            raise InputError(f"{part}: holds results of another suite than {parts[0]}")
    if (folder / SUITE).exists() and _read(folder / SUITE) != suite:
        raise InputError(f"{folder}: holds results of another suite; choose another folder")
    for source in sorted((Path(parts[0]) / INSTANCES).iterdir()):
        _write(folder / INSTANCES / source.name, source.read_bytes())
    _write(folder / SUITE, suite)
    with opened(folder) as store:
        known = {record["id"] for record in read_records(folder)}
        found = {record["id"]: record for part in parts for record in read_records(Path(part))}
        new = [record for number, record in found.items() if number not in known]
        for record in new:
            store.append(record)
    return len(new)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise InputError(f"{path.parent}: is not the folder of a benchmark") from None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
