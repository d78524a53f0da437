"""Second proofs of claims: by a backend of another kind, or by a certificate for a checker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pyfsel.errors import FalseClaimError
from pyfsel.problem.text_files import write_text
from pyfsel.results.saved_entry import Saved


class ConfirmationVerdict(StrEnum):
    """Whether a second proof says the same."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not confirmed"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Confirmation(Saved):
    """What came of proving claims again.

    Parameters
    ----------
    verdict : ConfirmationVerdict
        CONFIRMED: every claim was proved again. CONTRADICTED: some claim is false, see `message`.
    n_claims, n_confirmed : int
        The steps of a sequential search are one claim each, and so are the problems behind a question.
    confirmed_by : tuple of str
        Names of the backends that proved claims again.
    runtime : float
        Seconds of wall-clock time.
    message : str
        Why claims are not confirmed and which backends tried, or the evidence of the contradiction.
    refuted : str
        Name of the backend whose claim is false.
    """

    verdict: ConfirmationVerdict
    n_claims: int
    n_confirmed: int
    confirmed_by: tuple[str, ...]
    runtime: float
    message: str = ""
    refuted: str = ""

    @classmethod
    def confirmed(cls, by: str) -> Confirmation:
        """Return the confirmation of one claim that a backend has proved again."""
        return cls(ConfirmationVerdict.CONFIRMED, 1, 1, (by,), 0.0)

    @classmethod
    def not_confirmed(cls, why: str, runtime: float = 0.0) -> Confirmation:
        """Return the confirmation of one claim that was neither proved nor refuted."""
        return cls(ConfirmationVerdict.NOT_CONFIRMED, 1, 0, (), runtime, why)

    @classmethod
    def contradicted(cls, evidence: str, refuted: str) -> Confirmation:
        """Return the confirmation of one claim that contradicts known facts; `refuted` made the false one."""
        return cls(ConfirmationVerdict.CONTRADICTED, 1, 0, (), 0.0, evidence, refuted)

    @classmethod
    def of_all(cls, several: Iterable[Confirmation]) -> Confirmation:
        """Return the confirmation of several claims together; no claim is confirmed by itself.

        Examples
        --------
        >>> one = Confirmation(ConfirmationVerdict.CONFIRMED, 1, 1, ("rc2",), 0.5)
        >>> late = Confirmation.not_confirmed("rc2 did not finish (time_limit)")
        >>> print(Confirmation.of_all([one, late]))
        1 of 2 claims confirmed by rc2; not confirmed: rc2 did not finish (time_limit)
        """
        listed = list(several)
        contradicted = [each for each in listed if each.verdict is ConfirmationVerdict.CONTRADICTED]
        n_claims = sum(each.n_claims for each in listed)
        n_confirmed = sum(each.n_confirmed for each in listed)
        verdict = (
            ConfirmationVerdict.CONFIRMED if n_confirmed == n_claims else ConfirmationVerdict.NOT_CONFIRMED
        )
        telling = contradicted or listed
        return cls(
            ConfirmationVerdict.CONTRADICTED if contradicted else verdict,
            n_claims,
            n_confirmed,
            tuple(dict.fromkeys(name for each in listed for name in each.confirmed_by)),
            sum(each.runtime for each in listed),
            "; ".join(dict.fromkeys(each.message for each in telling if each.message)),
            contradicted[0].refuted if contradicted else "",
        )

    def __str__(self) -> str:
        by = ", ".join(self.confirmed_by)
        if self.verdict is ConfirmationVerdict.CONFIRMED:
            return f"confirmed by {by}"
        if not self.confirmed_by:
            return f"{self.verdict}: {self.message}"
        some = f"{self.n_confirmed} of {self.n_claims} claims confirmed by {by}"
        return f"{some}; {self.verdict}: {self.message}"

    def without_contradiction(self) -> Confirmation:
        """Return it unchanged; raise `FalseClaimError` with the evidence if it contradicts the claim."""
        if self.verdict is ConfirmationVerdict.CONTRADICTED:
            raise FalseClaimError(self.message)
        return self


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

    def save(self, path: str | Path) -> None:
        """Write the file that `pyfsel check` and `python checker.py` read."""
        write_text(path, self.text)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, without the text."""
        saved = super().to_dict()
        del saved["text"]
        return saved
