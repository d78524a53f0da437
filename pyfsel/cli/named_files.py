"""The files that a command reads and writes, checked before anything costs time."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyfsel.errors import InputError
from pyfsel.problem.checks import shown, suggestion


@contextmanager
def _possible(name: str, text: str, doing: str) -> Iterator[None]:
    """Raise `InputError` for an empty name, and whatever the system says of a name in the body."""
    if not text:
        raise InputError(f"{name}: is empty. Expected the name of a file")
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{name} {shown(text)}: cannot be {doing} ({reason})") from None


def require_file(name: str, text: str) -> None:
    """Raise `InputError` unless there is a file or folder, or files that match a pattern.

    The standard input, "-", exists; a sheet of a book ("book.xlsx#sheet") does if the book does.

    Parameters
    ----------
    name : str
        The argument or option.
    text : str
    """
    with _possible(name, text, "read"):
        if re.match(r"(https?|ftp|s3):/", text):
            raise InputError(f"{text}: is an address, not a file. Download the table first")
        path = Path(text)
        if text == "-" or path.exists() or Path(text.partition("#")[0]).is_file():
            return
        if any(path.parent.glob(path.name)):
            return
        folder = path.absolute().parent
        if not folder.is_dir():
            raise InputError(f"{text}: the folder {folder} does not exist")
        raise InputError(f"{text}: no such file.{suggestion(path.name, sorted(os.listdir(folder)))}")


def require_writable(flag: str, text: str | None, others: Iterable[str | None]) -> None:
    """Raise `InputError` unless a file can be written that is not one of the others."""
    if text in (None, "-"):
        return
    path = Path(str(text))
    with _possible(flag, str(text), "written"):
        whole, folder = path.resolve(), path.absolute().parent
        if not folder.is_dir():
            raise InputError(f"{flag} {text}: the folder {folder} does not exist")
        if path.is_dir():
            raise InputError(f"{flag} {text}: is a folder. Expected the name of a file")
        for other in others:
            if other is not None and whole == Path(other).resolve():
                raise InputError(
                    f"{flag} {text}: is named twice. Expected a file of its own, as the other would be lost"
                )
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            tempfile.TemporaryFile(dir=folder).close()
