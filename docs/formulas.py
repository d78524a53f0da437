"""Formulas of the papers beside the lines of models that say them, for the pages: ``{formulas} MODEL``."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from citing import cited
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from pyfsel.backends.minizinc.text import included_files

MODELS = Path(__file__).parents[1] / "models"
TABLE = Path(__file__).parent / "modelling" / "formulas.toml"
PLACE = re.compile(
    r"(Definition|Eq\.|Prop\.) ((?:\d+(?:-\d+)?(?:, )?)+)|\b([A-Z]\.\d(?:\.\d)?|\d\.\d(?:\.\d)?)"
)


@dataclass(frozen=True)
class Formula:
    """A formula of a paper, and what says it in each of some files of the models."""

    place: str
    says: str
    latex: str
    lines: Mapping[str, str]


@dataclass(frozen=True)
class Beside:
    """A formula and whole lines of a model, with the number of the first."""

    formula: Formula
    file: str
    number: int
    lines: str

    def text(self) -> str:
        """Return the lines, as a page has them."""
        return f"```{{code-block}} minizinc\n:caption: {self.file}, line {self.number}\n{self.lines}\n```\n"


@cache
def formulas() -> list[Formula]:
    """Return all formulas, in the order of the table."""
    return [Formula(**entry) for entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["formula"]]


def beside(model: str) -> Iterator[Beside]:
    """Yield what a model says: each formula with lines of it, or of what it includes."""
    files = {
        path.relative_to(MODELS.resolve()).as_posix(): path
        for path in included_files(MODELS.resolve() / model)
    }
    for formula in formulas():
        for file, excerpt in formula.lines.items():
            if file in files:
                number, lines = whole_lines(files[file].read_text(encoding="utf-8"), excerpt)
                yield Beside(formula, file, number, lines)


def page_about(model: str) -> str:
    """Return what a page says of a model: each formula once, and below it the lines that say it."""
    parts = []
    for formula, said in groupby(beside(model), key=lambda one: one.formula):
        place = cited(f"{formula.place} ").strip()
        parts.append(f"**{place}**: {formula.says}\n\n$$\n{formula.latex}\n$$\n")
        parts += [one.text() for one in said]
    return "\n".join(parts)


def whole_lines(text: str, excerpt: str) -> tuple[int, str]:
    """Return the number of the first line of an excerpt of a model, and all its lines.

    Raises
    ------
    ValueError
        If it is not there exactly once.
    """
    excerpt = excerpt.strip()
    if text.count(excerpt) != 1:
        raise ValueError(f"{text.count(excerpt)} times in the model: {excerpt}")
    begin = text.index(excerpt)
    start, end = text.rfind("\n", 0, begin) + 1, text.find("\n", begin + len(excerpt))
    return 1 + text.count("\n", 0, start), text[start:end]


def places(cited_places: str) -> set[str]:
    """Return each place by itself, such as "Eq. 17" and "Eq. 18" of "000 Eq. 17-18"."""
    found: set[str] = set()
    for kind, numbers, section in PLACE.findall(cited_places):
        found |= {section} if section else set()
        for part in filter(None, numbers.split(", ")):
            first, _, last = part.partition("-")
            found |= {f"{kind} {number}" for number in range(int(first), int(last or first) + 1)}
    return found


class Formulas(SphinxDirective):
    """``{formulas} MODEL.mzn``: what the model says, formula by formula."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the formulas and lines of the model."""
        here = nodes.container()
        self.state.nested_parse(page_about(self.arguments[0]).splitlines(), self.content_offset, here)
        return here.children
