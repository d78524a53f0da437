"""Numbers of things in messages."""

from __future__ import annotations


def number_of(count: int | str, noun: str) -> str:
    """Return a number, or a word such as "no", with its noun: in the plural unless it is one.

    Examples
    --------
    >>> number_of(1, "set"), number_of(0, "set"), number_of(12_345, "row")
    ('1 set', '0 sets', '12345 rows')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
