"""Figures inside a page: small SVG elements that take their colours and their width from the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG = "http://www.w3.org/2000/svg"
HREF = "{http://www.w3.org/1999/xlink}href"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
NO_ROTATION = re.compile(r"^rotate\(-?0(?: [^)]*)?\)$")
COORDINATES = ("x", "y", "width", "height", "viewBox", "transform")
Point = tuple[float, float]


class InlineFigures:
    """Turns SVG files into elements of one page, which says their styles once for all of them.

    Parameters
    ----------
    colours : mapping of str to str
        Custom properties of the page by the colours in the files that they take the place of.

    Examples
    --------
    >>> figures = InlineFigures({"#ffffff": "paper"})
    >>> path = '<path d="M 0 1.234 L 2 1.234" style="fill: #ffffff"/>'
    >>> element = figures.element(f'<svg xmlns="http://www.w3.org/2000/svg">{path}</svg>', "A line")
    >>> element[element.index("role") :]
    'role="img" aria-label="A line"><path d="M0 1.2H2" class="f0" /></svg>'
    >>> figures.css
    '.f0{fill: var(--paper)}'
    """

    def __init__(self, colours: Mapping[str, str]) -> None:
        self._colours = colours
        self._classes: dict[str, str] = {}

    @property
    def css(self) -> str:
        """The styles of all elements made so far."""
        return "\n".join(f".{name}{{{style}}}" for style, name in self._classes.items())

    def element(self, svg: str, title: str) -> str:
        """Return a file as an element; its coordinates are rounded to tenths."""
        ElementTree.register_namespace("", SVG)
        root = ElementTree.fromstring(svg)
        for metadata in root.findall(f"{{{SVG}}}metadata"):
            root.remove(metadata)
        for element in root.iter():
            self._shorten(element)
        _without_empty_groups(root)
        for name in ("width", "height", "version"):
            root.attrib.pop(name, None)
        root.set("role", "img")
        root.set("aria-label", title)
        return ElementTree.tostring(root, encoding="unicode")

    def _shorten(self, element: Element) -> None:
        """Say less in an element that looks the same."""
        attributes = element.attrib
        if element.tag == f"{{{SVG}}}g":
            attributes.pop("id", None)
        if HREF in attributes:
            attributes["href"] = attributes.pop(HREF)
        if "style" in attributes:
            style = re.sub(r"#[0-9a-f]{6}", self._colour, attributes.pop("style"))
            attributes["class"] = self._classes.setdefault(style, f"f{len(self._classes)}")
        if NO_ROTATION.match(attributes.get("transform", "")):
            del attributes["transform"]
        for name in COORDINATES:
            if name in attributes:
                attributes[name] = _rounded(attributes[name], 2 if name == "transform" else 1)
        if "d" in attributes:
            attributes["d"] = short_path(attributes["d"])
        if element.tag not in (f"{{{SVG}}}text", f"{{{SVG}}}style"):
            element.text = None
        element.tail = None

    def _colour(self, found: re.Match[str]) -> str:
        name = self._colours.get(found[0])
        return f"var(--{name})" if name else found[0]


def short_path(d: str) -> str:
    """Return the data of a path in fewer characters; a path of lines without the points that do not show.

    Examples
    --------
    >>> short_path("M 0.04 1 L 5 1 L 9.99 1 L 9.99 3 L 10.02 3.01 L 11 4 z")
    'M0 1H10V3L11 4z'
    """
    steps = re.findall(r"([A-Za-z])([^A-Za-z]*)", d)
    if {command for command, _ in steps} - set("MLz"):
        return re.sub(r" ?([A-Za-z]) ?", r"\1", _rounded(d, 2)).strip()
    written: list[str] = []
    points: list[Point] = []
    for command, numbers in steps:
        if command == "M":
            written += _lines(points)
            points = []
        if command == "z":
            written += [*_lines(points), "z"]
            points = []
        else:
            x, y = map(float, numbers.split())
            points.append((round(x, 1), round(y, 1)))
    return "".join([*written, *_lines(points)])


def _lines(points: list[Point]) -> list[str]:
    """Return the steps of a path through some points, one for each stretch along an axis."""
    kept: list[Point] = []
    for point in points:
        if kept and point == kept[-1]:
            continue
        if len(kept) > 1 and _goes_on(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    if not kept:
        return []
    steps = [f"M{kept[0][0]:g} {kept[0][1]:g}"]
    for (x, y), (next_x, next_y) in pairwise(kept):
        if y == next_y:
            steps.append(f"H{next_x:g}")
        elif x == next_x:
            steps.append(f"V{next_y:g}")
        else:
            steps.append(f"L{next_x:g} {next_y:g}")
    return steps


def _goes_on(first: Point, second: Point, third: Point) -> bool:
    """Return whether the way along an axis goes on in its direction."""
    return any(
        first[i] == second[i] == third[i] and (second[j] - first[j]) * (third[j] - second[j]) > 0
        for i, j in ((0, 1), (1, 0))
    )


def _rounded(text: str, digits: int) -> str:
    return NUMBER.sub(lambda found: f"{round(float(found[0]), digits) + 0.0:g}", text)


def _without_empty_groups(element: Element) -> None:
    """Put what is in groups without any attribute in their place."""
    for child in list(element):
        _without_empty_groups(child)
    children: list[Element] = []
    for child in element:
        children += list(child) if child.tag == f"{{{SVG}}}g" and not child.attrib else [child]
    element[:] = children
