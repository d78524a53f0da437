"""Estimates, which are not proved: a headline, a table, the data behind it, and cautions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError
from pyfsel.interface.layout import ShownLayout
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.display import Facts
from pyfsel.results.saved_entry import records

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FORMAT = "pyfsel-evaluation 1"


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(ShownLayout):
    """Held-out or resampled estimates: a headline, a table, cautions.

    Parameters
    ----------
    question : str
        "evaluate", "stability", "choose_k" or "compare".
    headline : str
    claim : str
        The data on which the estimates rest.
    frame : DataFrame
        The table as numbers, see `to_frame`.
    runs : DataFrame
        One row for each fold, half or run, see `folds`.
    tables : sequence of tables
        The tables as they are shown.
    cautions : tuple of str
        Warnings to read before you use the estimates, the most important first.
    recommended : int or None
        The number of features that `choose_k` recommends.
    status : {"ESTIMATE", "CHECKED"}
    facts : list of pairs of str
        Details for the curious.
    details : mapping
        Values that only this question has, such as the prices of dissimilarity: plain data or tables.
    stop_reason : StopReason
    draw : callable, optional
        Makes the figure.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"set": ["0"], "score": [0.9]})
    >>> found = Evaluation("evaluate", "Set 0 scores 0.900", "5 folds of 100 rows.", frame, frame, ())
    >>> print(found)
    Set 0 scores 0.900
    <BLANKLINE>
    ESTIMATE  5 folds of 100 rows.
    """

    question: str
    headline: str
    claim: str
    frame: pd.DataFrame
    runs: pd.DataFrame
    tables: Sequence[Any]
    cautions: tuple[str, ...] = ()
    recommended: int | None = None
    status: str = "ESTIMATE"
    facts: Facts = field(default_factory=list)
    details: Mapping[str, Any] = field(default_factory=dict)
    stop_reason: StopReason = StopReason.FINISHED
    draw: Callable[[], Figure] | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return the table that is shown, as numbers."""
        return self.frame.copy()

    def folds(self) -> pd.DataFrame:
        """Return one row for each fold and set, or for each half or run."""
        return self.runs.copy()

    def plot(self) -> Figure:
        """Draw the estimates."""
        if self.draw is None:
            raise InputError(f"plot: {self.question} has nothing to draw")
        return self.draw()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "format": FORMAT,
            "question": self.question,
            "headline": self.headline,
            "status": self.status,
            "claim": self.claim,
            "cautions": list(self.cautions),
            "recommended": self.recommended,
            "stop_reason": str(self.stop_reason),
            **{name: _plain(one) for name, one in self.details.items()},
            "rows": records(self.frame),
            "folds": records(self.runs),
        }

    def __repr__(self) -> str:
        return f"<Evaluation of {self.question}: {self.headline}>"


def _plain(given: Any) -> Any:
    return records(given) if hasattr(given, "to_json") else given
