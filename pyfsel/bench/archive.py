"""Benchmarks that travel: as tables, as parts put together, as archives that another machine runs again."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.backends.minizinc.catalogue import all_models
from pyfsel.bench.check import check_folder
from pyfsel.bench.report.changes import Change, changes
from pyfsel.bench.run import run_suite
from pyfsel.bench.store import INSTANCES, RESULTS, SUITE, opened, read_records, read_specs
from pyfsel.errors import InputError
from pyfsel.problem.text_files import replacing

if TYPE_CHECKING:
    import pandas as pd

HASHES = "SHA256SUMS"
LOCK = "requirements.txt"
MODELS = "models"
MODIFIED = (1980, 1, 1, 0, 0, 0)  # the earliest date of the format: the same content is the same archive
SUFFIXES = (".csv", ".parquet")


def records_table(folder: str | Path) -> pd.DataFrame:
    """Return one row per run of a benchmark; names of nested values are joined by dots, lists are JSON.

    Raises
    ------
    InputError
        If the folder holds no benchmark.
    """
    import pandas as pd

    folder = Path(folder)
    read_specs(folder)
    table = pd.json_normalize(read_records(folder))
    return table.map(lambda value: json.dumps(value) if isinstance(value, list) else value)


def write_table(folder: str | Path, output: str | Path) -> None:
    """Write `records_table` as CSV or Parquet, by the ending of the file."""
    output = Path(output)
    if output.suffix not in SUFFIXES:
        raise InputError(f"output={str(output)!r}: must end in {' or '.join(SUFFIXES)}")
    table = records_table(folder)
    try:
        with replacing(output) as draft:
            if output.suffix == ".csv":
                table.to_csv(draft, index=False)
            else:
                table.to_parquet(draft, index=False)
    except ImportError:
        raise InputError(f"output={str(output)!r}: Parquet needs pip install 'pyfsel[parquet]'") from None


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


def pack(folder: str | Path, output: str | Path) -> None:
    """Write a benchmark as one ZIP file: instances, models, runs, records, package versions and hashes.

    Raises
    ------
    InputError
        If the folder holds no benchmark, or the file cannot be written.
    """
    content = dict(_content(Path(folder)))
    hashes = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(content.items())]
    content[HASHES] = "".join(hashes).encode()
    with replacing(output) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(content.items()):
            archive.writestr(zipfile.ZipInfo(name, MODIFIED), data, zipfile.ZIP_DEFLATED)


def _content(folder: Path) -> Iterator[tuple[str, bytes]]:
    read_specs(folder)
    for path in (folder / SUITE, folder / RESULTS, *sorted((folder / INSTANCES).iterdir())):
        yield str(path.relative_to(folder)), path.read_bytes()
    root = all_models()[0].path.parent
    for path in sorted(root.rglob("*.mzn")):
        yield f"{MODELS}/{path.relative_to(root)}", path.read_bytes()
    versions = sorted({f"{one.metadata['Name']}=={one.version}" for one in distributions()})
    yield LOCK, "".join(f"{line}\n" for line in versions).encode()


def unpack(archive: str | Path, folder: str | Path) -> Path:
    """Unpack an archive into a new folder after comparing all hashes; return the folder.

    Raises
    ------
    InputError
        If it is no such archive, or was changed, or the folder exists and is not empty.
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: is not empty")
    try:
        with zipfile.ZipFile(archive) as opened_archive:
            content = {name: opened_archive.read(name) for name in opened_archive.namelist()}
        lines = content.pop(HASHES).decode().splitlines()
        hashes = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{archive}: is no archive of a benchmark ({error})") from None
    found = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
    if changed := sorted(name for name in found.keys() | hashes if found.get(name) != hashes.get(name)):
        raise InputError(f"{archive}: {changed[0]} is not what was packed")
    for name, data in content.items():
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise InputError(f"{archive}: {name!r} would leave the folder")
        _write(path, data)
    return folder


def replay(archive: str | Path, folder: str | Path, **options: Any) -> list[Change]:
    """Make the runs of an archive again, and return what changed; after a break it goes on.

    Parameters
    ----------
    archive : path
    folder : path
        Gets the unpacked archive in ``packed`` and the new runs in ``again``.
    **options
        As for `run_suite`.

    Raises
    ------
    InputError
        As from `unpack` and `run_suite`.
    """
    packed, again = Path(folder) / "packed", Path(folder) / "again"
    if not packed.exists():
        unpack(archive, packed)
    run_suite(packed, again, **options)
    for made in (packed, again):
        check_folder(made)
    return changes(packed, again)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise InputError(f"{path.parent}: is not the folder of a benchmark") from None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def packages_that_differ(folder: Path) -> list[str]:
    """Return which packages here have other versions than where a benchmark was packed."""
    packed = _versions((folder / LOCK).read_text(encoding="utf-8").splitlines())
    here = {str(one.metadata["Name"]): one.version for one in distributions()}
    both = sorted(packed.keys() & here)
    return [f"{name} {packed[name]}, here {here[name]}" for name in both if packed[name] != here[name]]


def _versions(lines: Sequence[str]) -> dict[str, str]:
    return dict(line.split("==", 1) for line in lines if "==" in line)
