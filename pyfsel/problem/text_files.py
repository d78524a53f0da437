"""Text and JSON from files and into them, with errors that name the file in one line."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyfsel.errors import InputError
from pyfsel.problem.checks import file_path


def read_text(path: str | Path, most: int | None = None) -> str:
    """Return the content of a file, of at most this number of bytes, without its byte order mark.

    Raises
    ------
    InputError
        If it is larger, or cannot be read as UTF-8 text.
    """
    try:
        with file_path(path).open("rb") as file:
            content = file.read(-1 if most is None else most + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({why})") from None
    if most is not None and len(content) > most:
        raise InputError(f"{path}: is larger than {most:,} bytes")
    return decoded(path, content)


def decoded(name: str | Path, content: bytes) -> str:
    """Return UTF-8 text without its byte order mark; raise `InputError` that names its source otherwise."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: cannot be read (it is not UTF-8 text)") from None


@contextmanager
def reading(name: str | Path) -> Iterator[None]:
    """Let whatever is wrong with the content of a file name the file first."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix('problem: ')}") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a file as a whole, see `replacing`; raise `InputError` if that is not possible."""
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Have a file written next to its place, and moved there at the end of the body: every output file is.

    If the disk is full or the user interrupts, the file that was there is still there, or there is none.
    Devices and pipes are written as they are, and so are files in folders in which nothing can be created.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    given = file_path(path)
    with writing(path):
        target = Path(os.path.realpath(given))
        is_special = given.absolute().parts[1:2] in (("dev",), ("proc",)) or (
            target.exists() and not target.is_file()
        )
        if is_special or not os.access(target.parent, os.W_OK):
            yield target
            return
        draft = target.with_name(f".pyfsel-{uuid4().hex}{target.suffix}")
        try:
            yield draft
            if target.exists():
                shutil.copymode(target, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def writing(name: str | Path) -> Iterator[None]:
    """Raise `InputError` that names what cannot be written in the body."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{name}: cannot be written ({error.strerror or error})") from None


def parsed_json(name: str, text: str, expected: str) -> Any:
    """Return what a JSON text contains, and refuse a name that an object contains twice.

    Of such a name one reader takes the first value and another one the last.

    Parameters
    ----------
    name, text : str
    expected : str
        What the text should be, for the error.

    Raises
    ------
    InputError
        With the name of what was read.

    Examples
    --------
    >>> parsed_json("a.json", "[[0, 1], ", "sets")
    Traceback (most recent call last):
    pyfsel.errors.InputError: a.json: is not JSON (Expecting value: line 1 column 10 (char 9)). Expected sets
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [label for label, _ in pairs]
            twice = next(label for label in found if names.count(label) > 1)
            raise InputError(f"{name}: {twice}: is given twice. Delete one of the two.")
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except RecursionError:
        raise InputError(f"{name}: is not what it should be (lists or objects nested too deep)") from None
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            f"{name}: is not JSON ({error if text.strip() else 'it is empty'}). Expected {expected}"
        ) from None
