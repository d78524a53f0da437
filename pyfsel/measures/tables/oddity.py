"""One line about what is odd in a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from shlex import quote

from pyfsel.measures.tables.table import Table

MOST_NAMES = 3


@dataclass(frozen=True)
class Oddity:
    """What is odd about a table, in one line.

    Parameters
    ----------
    kind : str
        "leak", "near leak", "survival", "groups", "codes", "copies", "target", "order", "class", "rows" or
        "identifier".
    columns : tuple of str
    what : str
        What is odd, and why it matters.
    remedy : str
        What to do.
    """

    kind: str
    columns: tuple[str, ...]
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}. {self.remedy}."


def about_columns(table: Table, kind: str, columns: Iterable[int], what: str, remedy: str) -> list[Oddity]:
    """Return one oddity of some columns, none if there are none.

    Parameters
    ----------
    table : Table
    kind : str
    columns : iterable of int
    what, remedy : str
        With ``{names}``, ``{ignored}`` (options that leave them out), and ``{s}`` and ``{have}`` for verbs.
    """
    names = tuple(table.feature_names[int(j)] for j in dict.fromkeys(columns))
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    words = {
        "{have}": "has" if len(names) == 1 else "have",
        "{s}": "s" if len(names) == 1 else "",
        "{ignored}": " ".join(f"--ignore {quote(name)}" for name in names[:MOST_NAMES]),
        "{names}": f"{', '.join(names[:MOST_NAMES])}{more}",
    }
    for word, value in words.items():
        what, remedy = what.replace(word, value), remedy.replace(word, value)
    return [Oddity(kind, names, what, remedy)]
