"""What can be checked of a result without this package."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyfsel.problem.text_files import write_text
from pyfsel.results.saved_entry import Saved


@dataclass(frozen=True)
class Certificate(Saved):
    """Claims with what it takes to check them, each of which `pyfsel.checker` has checked.

    Parameters
    ----------
    n_claims, n_certified : int
        How many claims a result makes (the steps of a sequential search are one each), and how many are
        certified: there is a certificate that the checker accepts.
    rules : tuple of str
        By which of the checker's rules.
    size : int
        Bytes.
    runtime : float
        Seconds of wall-clock time, the check included.
    message : str
        Which claims have no certificate, and why; of which steps nothing is claimed.
    text : str
        The file. Results in JSON do not hold it.
    """

    n_claims: int
    n_certified: int
    rules: tuple[str, ...]
    size: int
    runtime: float
    message: str = ""
    text: str = field(default="", repr=False)

    @property
    def is_complete(self) -> bool:
        """Whether every claim is certified, there is one, and nothing is left open."""
        return 0 < self.n_claims == self.n_certified and not self.message

    def __str__(self) -> str:
        by = f" by {', '.join(self.rules)} ({self.size} bytes)" if self.n_certified else ""
        if self.is_complete:
            return f"certified{by}"
        return f"{self.n_certified} of {self.n_claims} claims certified{by}; {self.message}"

    def save(self, path: str | Path) -> None:
        """Write the file that `pyfsel check` and `python checker.py` read."""
        write_text(path, self.text)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, without the text."""
        saved = super().to_dict()
        del saved["text"]
        return saved
