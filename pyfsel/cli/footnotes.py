"""Footnotes under a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType


class Footnotes:
    """Numbers texts in the order in which they first come.

    Examples
    --------
    >>> footnotes = Footnotes()
    >>> [footnotes.mark(text) for text in ("too large", "not exact", "too large")]
    ['(1)', '(2)', '(1)']
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, text: str) -> str:
        """Return the mark of a text, for a cell of the table."""
        return f"({self._numbers.setdefault(text, len(self._numbers) + 1)})"

    def below(self, table: RenderableType, *more: str) -> RenderableType:
        """Return what `rich` prints of a table with the footnotes and further lines below it."""
        from rich.console import Group
        from rich.text import Text

        lines = [*(f"({number}) {text}" for text, number in self._numbers.items()), *more]
        return Group(table, *([Text()] if lines else []), *map(Text, lines))
