"""Small tables for notebooks: texts escaped, shares as bars that suit light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isnan

LEFT = 'style="text-align:left"'


def bar(share: float, text: str) -> str:
    """Return a cell with a bar of a share from 0 to 1 under its text; without a bar where there is none.

    Examples
    --------
    >>> bar(float("nan"), "–")
    '<td>–</td>'
    """
    if isnan(share):
        return f"<td>{escape(text)}</td>"
    width = 100 * min(max(share, 0.0), 1.0)
    return (
        f'<td style="min-width:6em"><div>{escape(text)}</div>'
        '<div style="height:4px;border-radius:2px;background:rgba(127,127,127,.25)">'
        f'<div style="height:4px;border-radius:2px;width:{width:.0f}%;background:#2f86a6"></div></div></td>'
    )


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already, ``<td>…</td>``, under heads that are not."""
    head = "".join(f"<th>{escape(text).replace(chr(10), '<br>')}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_cell(text: str, left: bool = False) -> str:
    """Return a cell with a text."""
    return f"<td {LEFT}>{escape(text)}</td>" if left else f"<td>{escape(text)}</td>"


def html_facts(facts: Sequence[tuple[str, str]]) -> str:
    """Return a table of named facts."""
    rows = (f"<tr><th {LEFT}>{escape(name)}</th>{html_cell(text, left=True)}</tr>" for name, text in facts)
    return f"<table>{''.join(rows)}</table>"
