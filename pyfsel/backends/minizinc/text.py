"""The text of MiniZinc models and data: tokens, items, and the files that a model includes.

Whatever this package has to know of a model's text it asks these tokens, so what stands in a comment or
a string, or several items on one line, is never mistaken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pyfsel.drivers.minizinc.model_files import models_dir

BLANK = "blank"
DEEPEST = 9  # brackets in what a string interpolates


def _interpolated(depth: int) -> str:
    """Return a pattern of an expression in brackets, in which strings may have brackets, too."""
    inner = "" if depth == 0 else rf"|{_interpolated(depth - 1)}"
    return rf'\((?:[^()"]|"(?:[^"\\]|\\.)*"{inner})*+\)'


PATTERN = re.compile(
    r"(?P<blank>\s+|%[^\n]*|/\*.*?(?:\*/|\Z))"
    rf'|(?P<string>"(?:[^"\\]|\\{_interpolated(DEEPEST)}|\\.?)*+(?:"|\Z))'
    r"|(?P<name>[A-Za-z_]\w*|'[^'\n]*')"
    r"|(?P<numbers>\d[\d\s,|]*(?<!\s))"
    r"|(?P<symbol>::|.)",
    re.DOTALL,
)
"""Lists of numbers are one token: long data are a few."""
SHOWN_CHARACTERS = 72
STRENGTHENINGS = ("redundant_constraint", "symmetry_breaking_constraint")
GOALS = ("satisfy", "maximize", "minimize")


class Token(NamedTuple):
    """A name, numbers, string (with all that is interpolated in it), symbol or blank, and where it begins."""

    kind: str
    text: str
    begin: int


def tokens(text: str) -> Iterator[Token]:
    r"""Yield the tokens of MiniZinc text; comments are blanks.

    Examples
    --------
    >>> [token.text for token in tokens(r'output ["100%; \(f("%"))"]; % the end') if token.kind != BLANK]
    ['output', '[', '"100%; \\(f("%"))"', ']', ';']
    """
    for found in PATTERN.finditer(text):
        yield Token(str(found.lastgroup), found[0], found.start())


@dataclass(frozen=True)
class Item:
    """An item of a model or of data.

    Parameters
    ----------
    file : Path
    line : int
        Where it begins, from 1.
    parts : tuple of Token
        Its tokens, without the semicolon.
    """

    file: Path
    line: int
    parts: tuple[Token, ...]

    @cached_property
    def text(self) -> str:
        """Its text without comments."""
        return _text(self.parts)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The texts of its tokens but blanks."""
        return tuple(part.text for part in self.parts if part.kind != BLANK)

    @property
    def included(self) -> str | None:
        """The file that it includes."""
        return self.words[1].strip('"') if self.words[0] == "include" and len(self.words) > 1 else None

    @property
    def assigned(self) -> str:
        """The name to which it gives a value, declared in it or elsewhere; empty if there is none."""
        before = self.words[: self.words.index("=")] if "=" in self.words else ()
        return before[-1] if len(before) == 1 or before[-2:-1] == (":",) else ""

    @property
    def awaited(self) -> str:
        """The name that it declares without a value, which data may give; empty if there is none.

        Examples
        --------
        >>> [item.awaited for item in items("enum E; int: a; float: b = 2; var E: x :: is_defined_var;")]
        ['E', 'a', '', 'x']
        """
        words = self.words[: self.words.index("::")] if "::" in self.words else self.words
        is_enum = len(words) == 2 and words[0] == "enum"
        return words[-1] if is_enum or words[-2:-1] == (":",) else ""

    @property
    def value(self) -> str:
        """What stands after its first equals sign."""
        sign = next(i for i, part in enumerate(self.parts) if part.text == "=")
        return _text(self.parts[sign + 1 :])

    @property
    def goal(self) -> str:
        """The word satisfy, maximize or minimize of a solve item; empty for others."""
        return next((word for word in self.words if word in GOALS), "") if self.words[0] == "solve" else ""

    @property
    def is_constraint(self) -> bool:
        """Whether it constrains variables; assertions about the data do not."""
        return self.words[0] == "constraint" and self.words[1:2] != ("assert",)

    @property
    def has_strengthening(self) -> bool:
        """Whether a redundant or a symmetry-breaking constraint occurs in it."""
        return any(name in STRENGTHENINGS for name in self.words)

    @property
    def is_strengthening(self) -> bool:
        """Whether it is a redundant or a symmetry-breaking constraint."""
        return self.is_constraint and self.has_strengthening

    def __str__(self) -> str:
        """Return file, line, and the name in its annotation or else how it begins."""
        named = [after for word, after in pairwise(self.words) if word == "::" and after.startswith('"')]
        told = named[0] if named else " ".join(self.text.split())
        short = told if len(told) <= SHOWN_CHARACTERS else told[:SHOWN_CHARACTERS] + "…"
        return f"{self.file.name}:{self.line}: {short}"


def _text(parts: Iterable[Token]) -> str:
    """Return tokens as text, comments as the lines that they take."""
    texts = (("\n" * p.text.count("\n") or " ") if p.kind == BLANK else p.text for p in parts)
    return "".join(texts).strip()


def items(text: str, file: Path = Path()) -> Iterator[Item]:
    """Yield the items of MiniZinc text; their lines are the text's."""
    parts: list[Token] = []
    depth = 0
    for token in (*tokens(text), Token("end", ";", len(text))):
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if token.text == ";" and (depth <= 0 or token.kind == "end"):
            if parts:
                yield Item(file, 1 + text.count("\n", 0, parts[0].begin), tuple(parts))
            parts = []
        elif parts or token.kind != BLANK:
            parts.append(token)


def items_of_file(file: Path) -> tuple[Item, ...]:
    """Return the items of one file, which is read again when it has changed."""
    return _items_of_file(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _items_of_file(file: Path, changed: int) -> tuple[Item, ...]:
    return tuple(items(file.read_text(encoding="utf-8", errors="replace"), file))


def included_file(item: Item) -> Path | None:
    """Return the file that an item includes, or None if it includes none or MiniZinc's own."""
    if item.included is None:
        return None
    places = (item.file.parent / item.included, models_dir() / item.included)
    return next((place.resolve() for place in places if place.is_file()), None)


def included_files(model: Path) -> list[Path]:
    """Return a model file and all that it includes, of those that are found."""
    found = [model]
    for file in found:  # which grows
        places = map(included_file, items_of_file(file))
        found += dict.fromkeys(place for place in places if place is not None and place not in found)
    return found


def items_of(model: Path) -> list[Item]:
    """Return the items of a model and its includes; MiniZinc's own library stays an include.

    MiniZinc takes items in any order: one text of these is the same model.

    Examples
    --------
    >>> found = items_of(models_dir() / "simultaneous_sum_lean.mzn")
    >>> [item.goal for item in found if item.goal]
    ['maximize']
    """
    found = [item for file in included_files(model) for item in items_of_file(file)]
    return [item for item in found if included_file(item) is None]


def joined(some: Iterable[Item]) -> str:
    """Return a model of some items, without comments; of `items_of` it is a whole model as one text."""
    return "".join(f"{item.text};\n" for item in some)
