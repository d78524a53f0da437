"""One layout for all answers: headline, table, status, cautions, next steps."""

from __future__ import annotations

import json
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.problem.text_files import write_text
from pyfsel.results.display import Facts, SetsTable, facts_table, html_facts, plain_text

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 80
LABEL_WIDTH = 9
"""Upper-case words begin in the first column, texts in this one."""
MOST_CAUTIONS = 3
COLOURS = {
    "OPTIMAL": "green",
    "FEASIBLE": "yellow",
    "FEWER": "yellow",
    "INFEASIBLE": "magenta",
    "NOT_SOLVED": "red",
    "ESTIMATE": "cyan",
    "CHECKED": "green",
    "CHECK": "yellow",
    "ERROR": "cyan",
    "Next": "bold",
}


class ShownLayout(ABC):
    """An answer or an evaluation: printed, shown in notebooks and saved alike.

    Attributes
    ----------
    headline : str
        One sentence: what was found, for what.
    tables : sequence of tables
        `SetsTable`, or anything that `rich` prints.
    status, claim : str
        A word such as OPTIMAL, and what it is about.
    cautions : sequence of str
        The most important first.
    sampling_error : str
        The sampling error of set 0; "" if nobody knows.
    facts : sequence of pairs of str
        What only the curious need.
    """

    headline: str
    status: str
    claim: str
    cautions: tuple[str, ...]
    tables: Sequence[Any]
    facts: Facts
    sampling_error = ""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        write_text(path, json.dumps(self.to_dict(), indent=1) + "\n")

    def __str__(self) -> str:
        return plain_text(self.table(), WIDTH)

    def lines(self, *, details: bool = False, quiet: bool = False) -> list[tuple[str, str]]:
        """Return labels and texts below the table; the texts are not wrapped."""
        shown = [(self.status, self.claim)]
        if quiet:
            return shown
        most = len(self.cautions) if details else MOST_CAUTIONS
        shown += [("CHECK", caution) for caution in self.cautions[:most]]
        left = len(self.cautions) - most
        if left > 0:
            shown.append(("CHECK", f"{left} more {'caution' if left == 1 else 'cautions'}: --details"))
        return shown + ([("ERROR", self.sampling_error)] if self.sampling_error else [])

    def table(
        self, next_steps: Iterable[str] = (), *, details: bool = False, quiet: bool = False
    ) -> RenderableType:
        """Return what `rich` prints."""
        from rich.console import Group
        from rich.text import Text

        parts: list[Any] = [Text(self.headline, style="bold"), ""]
        for table in self.tables:
            parts += [table, ""]
        parts += labelled(self.lines(details=details, quiet=quiet))
        if details and self.facts and not quiet:
            parts += ["", Text("Details", style="bold"), facts_table(self.facts)]
        steps = list(next_steps)
        if steps and not quiet:
            parts += ["", *labelled([("Next", steps[0]), *(("", step) for step in steps[1:])], wrapped=False)]
        return Group(*parts)

    def _repr_html_(self) -> str:
        """Return what notebooks show: headline, table, status, and two parts that unfold."""
        tables = "".join(table.html() for table in self.tables if isinstance(table, SetsTable))
        body = f"<p><b>{escape(self.headline)}</b></p>{tables}"
        (status, claim), *said = self.lines(details=True)
        body += f"<p><code>{escape(status)}</code> {escape(claim)}</p>"
        if said:
            entries = "".join(f"<li>{escape(text)}</li>" for _, text in said)
            body += f"<details><summary>Cautions</summary><ul>{entries}</ul></details>"
        if self.facts:
            body += f"<details><summary>Details</summary>{html_facts(self.facts)}</details>"
        return f"<div>{body}</div>"


def labelled(lines: Iterable[tuple[str, str]], *, wrapped: bool = True) -> Iterator[RenderableType]:
    """Yield labels and texts as lines of `WIDTH` columns; the texts begin in one column."""
    from rich.text import Text

    for label, text in lines:
        begin, head = max(LABEL_WIDTH, len(label) + 2), label
        rows = textwrap.wrap(text, WIDTH - begin, break_on_hyphens=False) if wrapped else [text]
        for row in rows or [""]:
            line = Text(f"{head:{begin}}", style=COLOURS.get(head, ""), no_wrap=True, overflow="ignore")
            yield line.append(row, style="default not bold")
            head = ""
