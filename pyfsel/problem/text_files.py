"""Text and JSON from files and into them, with errors that name the file in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyfsel.errors import InputError
from pyfsel.problem.checks import file_path


def read_text(path: str | Path) -> str:
    """Return the content of a file; raise `InputError` if it cannot be read as UTF-8 text."""
    try:
        return file_path("path", path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(f"{path}: cannot be read ({why})") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a file; raise `InputError` if that is not possible."""
    with writing(path):
        file_path("path", path).write_text(text, encoding="utf-8")


@contextmanager
def writing(name: str | Path) -> Iterator[None]:
    """Raise `InputError` that names what cannot be written in the body."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{name}: cannot be written ({error.strerror})") from None


def parsed_json(name: str, text: str | bytes) -> Any:
    """Return what a JSON text holds; raise `InputError` with the name of what was read otherwise.

    Examples
    --------
    >>> parsed_json("sets.json", "[[0, 1], ")
    Traceback (most recent call last):
    pyfsel.errors.InputError: sets.json: is not JSON (Expecting value, line 1 column 10)
    """
    if not isinstance(text, (str, bytes, bytearray)):
        raise InputError(f"{name}: must be JSON text, not {type(text).__name__}")
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{name}: is not what it should be (lists or objects nested too deep)") from None
    except json.JSONDecodeError as error:
        why = "it is empty" if not text.strip() else f"{error.msg}, line {error.lineno} column {error.colno}"
        raise InputError(f"{name}: is not JSON ({why})") from None
    except ValueError as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(f"{name}: is not JSON ({why})") from None
