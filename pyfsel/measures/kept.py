"""A cache on disk: measuring the same again continues where an earlier run stopped.

A cache entry is a folder named after the measure, the shape of the table, and a hash of all that its numbers
depend on. Its files hold numbered results and are written whole or not at all, so that a process can be
killed at any time. The default cache keeps only what took long, and removes the least recently used entries
beyond a gigabyte; folders that the user names keep everything.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyfsel.errors import InputError
from pyfsel.measures.registry import is_own
from pyfsel.measures.tables.table import Columns
from pyfsel.problem.checks import LARGEST_SEED, file_path, generator_of

LONG_SECONDS = 5.0
"""Measures that take less are not worth a file in the default cache."""
SECONDS_BETWEEN = 1.0
"""Between files: an interrupt loses at most so much work, and there are few files."""
MOST_BYTES = 10**9
NAME = re.compile(r".+-\d+x\d+-[0-9a-f]{40}")
AUTO: Literal["auto"] = "auto"
CacheDir = str | Path | None


def cache_folder() -> Path:
    """Return the folder of the default cache: ``pyfsel/measured`` in the user's (``XDG_CACHE_HOME``)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyfsel" / "measured"


def clear_cache(cache_dir: str | Path = AUTO) -> int:
    """Remove all cache entries; return how many bytes that frees.

    Parameters
    ----------
    cache_dir : str or Path
        The folder; "auto" is that of the user's cache, `cache_folder`.

    Examples
    --------
    >>> clear_cache("no/such/folder")
    0
    """
    folder = cache_folder() if cache_dir == AUTO else file_path("cache_dir", cache_dir)
    found = entries(folder)
    for entry in found:
        shutil.rmtree(entry, ignore_errors=True)
    return sum(found.values())


def check_cache_dir(cache_dir: CacheDir) -> None:
    """Raise `InputError` if nothing can be kept in a folder that the user named."""
    if cache_dir is None or cache_dir == AUTO:
        return
    try:
        file_path("cache_dir", cache_dir).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cache_dir={str(cache_dir)!r}: cannot be written ({error.strerror})") from None


class Kept:
    """One cache entry: the numbered results of a measure of a table, those of earlier runs included.

    Parameters
    ----------
    folder : Path
        Of the cache.
    name : str
        The beginning of the name of the entry.
    hashed : callable
        Returns the rest of the name; called only when needed, since it reads the whole table.
    is_bounded : bool
        Whether it belongs to the default cache, which keeps only what took long, up to a gigabyte.
    """

    def __init__(self, folder: Path, name: str, hashed: Callable[[], str], is_bounded: bool) -> None:
        self._folder = folder
        self._name = name
        self._hashed = hashed
        self._is_bounded = is_bounded
        self._unwritten: dict[int, NDArray[np.float64]] = {}
        self._began = self._written = time.monotonic()
        self._bytes = 0
        self._has_room = not is_bounded

    @cached_property
    def folder(self) -> Path:
        """The folder of the entry."""
        return self._folder / f"{self._name}-{self._hashed()}"

    def seed(self) -> int:
        """Return the seed for a user who gives none, drawn once and kept, so that all parts use the same."""
        path = self.folder / "seed"
        with suppress(OSError, ValueError):
            return int(path.read_text())
        drawn = int(generator_of(None).randint(LARGEST_SEED))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(str(drawn))
        except OSError as error:
            raise self._unwritable(error) from None
        return drawn

    def load(self, total: int) -> dict[int, NDArray[np.float64]]:
        """Return the known results with numbers below `total`; damaged files are skipped."""
        found: dict[int, NDArray[np.float64]] = {}
        if not any(self._folder.glob(f"{self._name}-*")):
            return found
        for path in self.folder.glob("*.npz"):
            try:
                with np.load(path) as file:
                    found.update(zip(file["numbers"].tolist(), file["values"], strict=True))
            except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
                continue
        if found:
            with suppress(OSError):
                os.utime(self.folder)
        return {number: values for number, values in found.items() if 0 <= number < total}

    def add(self, number: int, values: NDArray[np.float64], total: int) -> None:
        """Add one of `total` results, to be written with the next file."""
        self._unwritten[number] = values
        self._bytes = values.nbytes * total
        if self._is_wanted() and time.monotonic() >= self._written + SECONDS_BETWEEN:
            self._write()

    def end(self, was_interrupted: bool = False) -> bool:
        """Write the remaining results; return whether all are on disk."""
        if self._unwritten and (was_interrupted or self._is_wanted()):
            self._write()
        return not self._unwritten

    def _is_wanted(self) -> bool:
        return not self._is_bounded or time.monotonic() >= self._began + LONG_SECONDS

    def _write(self) -> None:
        """Write under another name first; a default cache that cannot be written is no error."""
        self._written = time.monotonic()
        if self._is_bounded and self._bytes > MOST_BYTES:
            return
        numbers = list(self._unwritten)
        path = self.folder / f"{time.time_ns()}-{os.getpid()}.npz"
        unfinished = path.with_suffix(".unfinished")
        try:
            if not self._has_room:
                _make_room(self.folder, self._bytes)
                self._has_room = True
            self.folder.mkdir(parents=True, exist_ok=True)
            with unfinished.open("wb") as file:
                np.savez(file, numbers=numbers, values=[self._unwritten[number] for number in numbers])
            unfinished.replace(path)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink()
            if self._is_bounded:
                return
            raise self._unwritable(error) from None
        self._unwritten.clear()

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cache_dir={str(self._folder)!r}: {error.strerror}")


def kept_results(
    function: Callable[..., Any], columns: Columns, options: dict[str, Any], cache_dir: CacheDir
) -> Kept | None:
    """Return the cache entry for a measure of a table; None if nothing is to be kept.

    The default cache is only for measures of this package, since a hash of their code is part of the name,
    and only with a seed: without one, measuring again is meant to give other numbers. ``PYFSEL_CACHE=0``
    turns it off.
    """
    is_bounded = cache_dir == AUTO
    if cache_dir is None or (is_bounded and os.environ.get("PYFSEL_CACHE") == "0"):
        return None
    seed = options.get("random_state", 0)
    if is_bounded and not (is_own(function) and isinstance(seed, (int, np.integer))):
        return None
    folder = cache_folder() if is_bounded else Path(cache_dir)
    name = f"{function.__name__}-{columns.X.shape[0]}x{columns.n_features}"
    kept = Kept(folder, name, partial(_hash, function, columns, options), is_bounded)
    if not is_bounded:
        _ = kept.folder  # before measuring draws from a generator that is part of the name
    return kept


def _hash(function: Callable[..., Any], columns: Columns, options: dict[str, Any]) -> str:
    from joblib import hash as hash_of

    own = columns.__dict__ | {"feature_names": None}
    return str(hash_of((function, own, options, _code()), hash_name="sha1"))


@cache
def _code() -> tuple[bytes, str]:
    """Return a hash of the code in this folder, and the version of scikit-learn."""
    import hashlib
    from importlib.metadata import version

    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py"))]
    return hashlib.sha1(b"".join(texts), usedforsecurity=False).digest(), version("scikit-learn")


def entries(folder: Path) -> dict[Path, int]:
    """Return the cache entries, least recently used first, and their sizes in bytes."""
    found = []
    for files in [entry for entry in folder.glob("*") if NAME.fullmatch(entry.name) and entry.is_dir()]:
        try:
            size = sum(path.stat().st_size for path in files.iterdir())
            found.append((files.stat().st_mtime, files, size))
        except OSError:
            continue
    return {entry: size for _, entry, size in sorted(found)}


def _make_room(entry: Path, needed: int) -> None:
    """Remove the least recently used entries until one of so many bytes fits in."""
    others = {other: size for other, size in entries(entry.parent).items() if other != entry}
    left = sum(others.values())
    for other, size in others.items():
        if left + needed <= MOST_BYTES:
            break
        shutil.rmtree(other, ignore_errors=True)
        left -= size
