"""Figures inside a page: small SVG elements that take their colours and their width from the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG = "http://www.w3.org/2000/svg"
HREF = "{http://www.w3.org/1999/xlink}href"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
NO_ROTATION = re.compile(r"^rotate\(-?0(?: [^)]*)?\)$")
COORDINATES = ("x", "y", "width", "height", "viewBox", "transform")


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
    'role="img" aria-label="A line"><path d="M0 1.2L2 1.2" class="f0" /></svg>'
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
            attributes["d"] = _short_path(attributes["d"])
        if element.tag not in (f"{{{SVG}}}text", f"{{{SVG}}}style"):
            element.text = None
        element.tail = None

    def _colour(self, found: re.Match[str]) -> str:
        name = self._colours.get(found[0])
        return f"var(--{name})" if name else found[0]


def _short_path(d: str) -> str:
    """Return the data of a path in fewer characters; lines need fewer digits than the curves of markers."""
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", _rounded(d, 2 if "C" in d else 1))


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
