"""The results of a benchmark: one JSON object per line, only ever appended."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyfsel.errors import InputError

RESULTS = "results.jsonl"


class Store:
    """The results file of a benchmark folder, locked against a second runner."""

    def __init__(self, file_descriptor: int) -> None:
        self._file_descriptor = file_descriptor

    def append(self, record: dict[str, Any]) -> None:
        """Write a record to the disk; after the return it survives a kill and a power cut."""
        data = (json.dumps(record, ensure_ascii=False) + "\n").encode()
        while data:
            data = data[os.write(self._file_descriptor, data) :]
        os.fsync(self._file_descriptor)


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """Open the results for appending; a torn last line, left by a kill, is cut off.

    Raises
    ------
    InputError
        If another process writes to them.
    """
    path = folder / RESULTS
    file_descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        try:
            fcntl.flock(file_descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{folder}: another run writes to it") from None
        content = path.read_bytes()
        os.ftruncate(file_descriptor, content.rfind(b"\n") + 1)
        yield Store(file_descriptor)
    finally:
        os.close(file_descriptor)


def read_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records of a benchmark folder; a torn last line does not count.

    Raises
    ------
    InputError
        If a line other than a torn last one is not a JSON object.
    """
    path = folder / RESULTS
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    records = []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise InputError(f"{path}: line {number} is not a JSON object")
        records.append(record)
    return records
