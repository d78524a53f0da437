"""Small SVG figures that take their colours from the page, so that they are right in light and dark.

Every figure says in words what it shows (``aria-label``), and a table beside it says the same in numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite
from typing import NamedTuple

WIDTH = 640
LEFT, RIGHT = 64, 18
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


def scale(low: float, high: float, begin: float, end: float, value: float) -> float:
    """Return where a value lies between two places."""
    return begin + (end - begin) * ((value - low) / (high - low) if high > low else 0.5)


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
    lowest = min(dot.y for dot in dots)
    low, high = min(lowest - 0.03, 0.95), max(1.0, *(dot.y for dot in dots))

    def at(dot: Dot) -> tuple[float, float]:
        x = scale(0, 1, LEFT + 8, WIDTH - RIGHT - 8, dot.x)
        return x, scale(low, high, height - bottom, top, dot.y)

    parts = []
    for tick in ticks(low, high):
        y = scale(low, high, height - bottom, top, tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.0%}</text>')
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        x = scale(0, 1, LEFT + 8, WIDTH - RIGHT - 8, tick)
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{height - bottom + 22}" text-anchor="middle">{tick:g}</text>'
        )
    points = [at(dot) for dot in dots]
    parts.append('<path class="line" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>')
    for dot, (x, y) in zip(dots, points, strict=True):
        kind = "dot chosen" if dot.is_chosen else "dot"
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{7 if dot.is_chosen else 5}"/>')
        if dot.is_chosen:
            anchor = "end" if dot.x > 0.75 else "start"
            shift = -12 if anchor == "end" else 12
            parts.append(
                f'<text class="note" x="{x + shift:.1f}" y="{y - 10:.1f}" text-anchor="{anchor}">'
                f"{escape(dot.label)}</text>"
            )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text class="axis" x="{middle}" y="{height - 8}" text-anchor="middle">{escape(x_name)}</text>'
    )
    parts.append(f'<text class="axis" x="4" y="18">{escape(y_name)}</text>')
    return _svg(height, parts, title)


def intervals(rows: Sequence[Interval], name: str, title: str) -> str:
    """Draw means with intervals, a row each, and the single values as small dots.

    Where an interval is many times as wide as the values are apart, its ends are beyond the figure.
    """
    row_height, top, bottom, left = 34, 8, 54, 150
    height = top + row_height * len(rows) + bottom
    values = [value for row in rows for value in (*row.values, row.mean)]
    most = MOST_WIDE * (max(values) - min(values) or 1)
    low = max(min(values) - most, min(values + [row.low for row in rows if isfinite(row.low)]))
    high = min(max(values) + most, max(values + [row.high for row in rows if isfinite(row.high)]))
    margin = 0.04 * (high - low or 1)
    low, high = low - margin, high + margin

    def at(value: float) -> float:
        return scale(low, high, left, WIDTH - RIGHT, min(max(value, low), high))

    parts = []
    for tick in ticks(low, high):
        parts.append(f'<path class="grid" d="M{at(tick):.1f} {top}V{height - bottom}"/>')
        parts.append(
            f'<text class="tick" x="{at(tick):.1f}" y="{height - bottom + 22}" text-anchor="middle">'
            f"{tick:g}</text>"
        )
    for number, row in enumerate(rows):
        y = top + row_height * (number + 0.5)
        muted = " muted" if row.is_muted else ""
        parts.append(
            f'<text class="row{muted}" x="{left - 12}" y="{y + 5:.1f}" text-anchor="end">'
            f"{escape(row.label)}</text>"
        )
        parts += [
            f'<circle class="fold{muted}" cx="{at(value):.1f}" cy="{y - 9:.1f}" r="3"/>'
            for value in row.values
        ]
        if isfinite(row.low):
            parts.append(f'<path class="range{muted}" d="M{at(row.low):.1f} {y:.1f}H{at(row.high):.1f}"/>')
        parts.append(f'<circle class="mean{muted}" cx="{at(row.mean):.1f}" cy="{y:.1f}" r="6"/>')
    parts.append(
        f'<text class="axis" x="{(left + WIDTH - RIGHT) / 2}" y="{height - 8}" text-anchor="middle">'
        f"{escape(name)}</text>"
    )
    return _svg(height, parts, title)


def _svg(height: float, parts: Sequence[str], title: str) -> str:
    return (
        f'<svg class="figure" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )
