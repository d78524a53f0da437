"""Small SVG figures that take their colours from the page, so they are right in light and dark.

Every figure says in words what it shows (``aria-label``), and a table beside it says the same in numbers.
What they look like is in ``figures.svg.jinja``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from pyfsel.results.pages import templates

WIDTH = 640
LEFT, RIGHT = 64, WIDTH - 18
MOST_WIDE = 4


class Dot(NamedTuple):
    """A point with its label, filled if it is the one that was asked for."""

    x: float
    y: float
    label: str
    is_chosen: bool


class Interval(NamedTuple):
    """A mean with its interval, also in words, and single values; muted for what it is compared with."""

    label: str
    mean: float
    low: float
    high: float
    text: str
    values: Sequence[float]
    is_muted: bool

    @property
    def has_ends(self) -> bool:
        """Whether the interval is known."""
        return isfinite(self.low)


class Scale(NamedTuple):
    """Where values lie between two places; those beyond `low` and `high` lie there."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.begin + (self.end - self.begin) * min(max(share, 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Round numbers between its ends."""
        return ticks(self.low, self.high)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers between two values.

    Examples
    --------
    >>> ticks(0.62, 1.0)
    [0.7, 0.8, 0.9, 1.0]
    """
    span = high - low
    if span <= 0 or not isfinite(span):
        return [low]
    step = next(
        unit * 10.0**exponent
        for exponent in range(-9, 12)
        for unit in (1, 2, 5)
        if span / (unit * 10.0**exponent) <= most
    )
    first = round(low / step)
    found = [round((first + i) * step, 10) for i in range(most + 3)]
    return [tick for tick in found if low - 1e-9 <= tick <= high + 1e-9]


def line_of_dots(dots: Sequence[Dot], x_name: str, y_name: str, title: str) -> str:
    """Draw dots that a line joins: what more of one costs of the other; in percent upwards."""
    height, top, bottom = 320, 44, 56
    low, high = min(min(dot.y for dot in dots) - 0.03, 0.95), max(1.0, *(dot.y for dot in dots))
    x, y = Scale(0, 1, LEFT + 8, RIGHT - 8), Scale(low, high, height - bottom, top)
    return _drawn(
        "line_of_dots", dots=dots, x=x, y=y, height=height, x_name=x_name, y_name=y_name, title=title
    )


def intervals(rows: Sequence[Interval], name: str, title: str) -> str:
    """Draw means with intervals, a row each, and the single values as small dots.

    Where an interval is many times as wide as the values are apart, its ends are beyond the figure.
    """
    row_height, top, left = 34, 8, 150
    bottom = top + row_height * len(rows)
    values = [value for row in rows for value in (*row.values, row.mean)]
    most = MOST_WIDE * (max(values) - min(values) or 1)
    low = max(min(values) - most, min(values + [row.low for row in rows if isfinite(row.low)]))
    high = min(max(values) + most, max(values + [row.high for row in rows if isfinite(row.high)]))
    margin = 0.04 * (high - low or 1)
    x = Scale(low - margin, high + margin, left, RIGHT)
    shape = {"height": bottom + 54, "row_height": row_height, "top": top, "bottom": bottom}
    return _drawn("intervals", rows=rows, x=x, **shape, name=name, title=title)


def _drawn(macro: str, **shown: Any) -> str:
    environment = templates("pyfsel.selectors")
    environment.globals |= {"width": WIDTH, "left": LEFT, "right": RIGHT}
    environment.filters["place"] = "{:.1f}".format
    drawn: str = getattr(environment.get_template("figures.svg.jinja").module, macro)(**shown)
    return drawn
