"""What is found in addition to a result: no error and no Ctrl-C there loses the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyfsel.errors import PyfselError
from pyfsel.results.answer import StopReason


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
