"""Extras next to a result: no error and no Ctrl-C there loses the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyfsel.errors import PyfselError
from pyfsel.results.backend_answer import StopReason


@dataclass
class Besides:
    """Finds more things, one after another, and remembers what could not be found.

    Parameters
    ----------
    interrupted : bool
        Whether Ctrl-C has left out the rest.
    missing : list of str
        What was left out, with the reason.

    Examples
    --------
    >>> from pyfsel.errors import InputError
    >>> def find():
    ...     raise InputError("cv=5: 2 rows only")
    >>> more = Besides()
    >>> more.find("held-out scores", find), more.missing
    (None, ['held-out scores (cv=5: 2 rows only)'])
    """

    interrupted: bool = False
    missing: list[str] = field(default_factory=list)

    @property
    def stop_reason(self) -> StopReason:
        """Why the search for more has ended."""
        return StopReason.INTERRUPTED if self.interrupted else StopReason.FINISHED

    def cautions(self, what: str) -> list[str]:
        """Return cautions about what is missing after Ctrl-C, and what could not be found."""
        found = [f"Interrupted: {what} are missing"] if self.interrupted else []
        return found + [f"Left out: {text}" for text in self.missing]

    def find(self, words: str, find: Callable[[], Any]) -> Any:
        """Return what a function finds, which has a `stop_reason`; None if that is left out."""
        found = None
        if not self.interrupted:
            try:
                found = find()
                self.interrupted = str(found.stop_reason) == StopReason.INTERRUPTED
            except PyfselError as error:
                self.missing.append(f"{words} ({error})")
            except KeyboardInterrupt:
                self.interrupted = True
        return found
