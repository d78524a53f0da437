"""Folds that are finished in a file, so an evaluation that was interrupted goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError
from pyfsel.problem.checks import file_path
from pyfsel.problem.text_files import writing

if TYPE_CHECKING:
    from pyfsel.selectors.evaluation.folds import Fold

BEGIN = b'{"fold": "'
"""How each line begins."""


class FinishedFolds:
    """The rows of finished folds, a line of JSON each, behind a hash of all that they depend on.

    One file serves several evaluations. What is of other data, models or folds is left alone.

    Parameters
    ----------
    path : path, optional
        None: nothing is kept.
    depends_on : object
        Whatever the scores of all folds depend on; it can be pickled.

    Raises
    ------
    InputError
        If the file is something else, or cannot be read or written.
    """

    def __init__(self, path: str | Path | None, depends_on: Any) -> None:
        import joblib

        self.path = None if path is None else file_path("state_file", path)
        self._hash = None if path is None else joblib.hash(depends_on)
        self._known: dict[str, list[dict[str, Any]]] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            with path.open("r+b") as file:
                *whole, unfinished = file.read().split(b"\n")
                for line in whole:
                    data = json.loads(line)
                    self._known[data["fold"]] = [
                        row | {"features": None if row["features"] is None else tuple(row["features"])}
                        for row in data["rows"]
                    ]
                if unfinished[: len(BEGIN)] != BEGIN[: len(unfinished)]:
                    raise ValueError("its last line is no fold")
                # left by a kill; the next fold would be written behind it
                file.truncate(file.tell() - len(unfinished))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"state_file={str(path)!r}: holds no finished folds ({error})") from None

    def _name(self, fold: Fold) -> str:
        import joblib

        return str(joblib.hash((self._hash, fold)))

    def of(self, fold: Fold) -> list[dict[str, Any]] | None:
        """Return the rows of a fold, None if it is not finished."""
        return self._known.get(self._name(fold)) if self._known else None

    def add(self, fold: Fold, rows: list[dict[str, Any]]) -> None:
        """Write the rows of a fold behind those that are there."""
        if self.path is None:
            return
        line = json.dumps({"fold": self._name(fold), "rows": rows})
        with writing(f"state_file={str(self.path)!r}"), self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
