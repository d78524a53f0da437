"""The items of a model and of all that it includes, so that some can be left out or changed.

MiniZinc takes items in any order: one text without the includes that were followed is the same model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyfsel.backends.minizinc.without_strengthening import INCLUDE, STRENGTHENING, included_files, text_of
from pyfsel.errors import InputError
from pyfsel.solvers.minizinc.model_files import models_dir

STRING = r'"(?:[^"\\]|\\.)*"'
COMMENT_OR_STRING = re.compile(rf"%[^\n]*|/\*.*?\*/|{STRING}", re.DOTALL)
TOKEN = re.compile(rf"{STRING}|[;{{}}]", re.DOTALL)
NAME = re.compile(r'::\s*"([^"]*)"')
GOAL = re.compile(r"\b(satisfy|maximize|minimize)\b(?!.*\b(?:satisfy|maximize|minimize)\b)", re.DOTALL)
NUMBER = re.compile(r"\b\d+(?=\s*[\],}])")  # indices and members of sets
ANSWER = re.compile(r"\bvar\s+bool\s*:\s*selected\s*$")
SHOWN_CHARACTERS = 72
LARGEST_NAMED = 8


@dataclass(frozen=True)
class Item:
    """An item of a model, without comments.

    Parameters
    ----------
    file : Path
    line : int
        Where it begins, from 1.
    text : str
        Without the semicolon.
    """

    file: Path
    line: int
    text: str

    @property
    def lines(self) -> range:
        """The numbers of its lines."""
        return range(self.line, self.line + self.text.count("\n") + 1)

    @property
    def is_strengthening(self) -> bool:
        """Whether it is a redundant or a symmetry-breaking constraint."""
        return self.is_constraint and STRENGTHENING.search(self.text) is not None

    @property
    def is_constraint(self) -> bool:
        """Whether it constrains variables; assertions about the data do not."""
        return re.match(r"constraint\b(?!\s+assert\b)", self.text) is not None

    @property
    def is_preselection(self) -> bool:
        """Whether it leaves features out beforehand, as ``lib/ranking.mzn`` does."""
        return self.is_constraint and "kept_features" in self.text

    def __str__(self) -> str:
        """Return file, line, and the name in its annotation or else how it begins."""
        named = NAME.search(self.text)
        told = f'"{named[1]}"' if named else " ".join(self.text.split())
        short = told if len(told) <= SHOWN_CHARACTERS else told[:SHOWN_CHARACTERS] + "…"
        return f"{self.file.name}:{self.line}: {short}"


def items_of(model: Path) -> list[Item]:
    """Return the items of a model and its includes; those of MiniZinc's own library stay includes.

    Examples
    --------
    >>> from pyfsel.solvers.minizinc.model_files import models_dir
    >>> [str(item) for item in items_of(models_dir() / "pool.mzn") if item.is_strengthening]
    ['pool.mzn:15: "order of the sets"']
    """
    files = list(included_files(model))
    names = {file.name for file in files}
    found = [item for file in files for item in _items(file)]
    return [
        item
        for item in found
        if not (include := INCLUDE.match(item.text)) or Path(include[1]).name not in names
    ]


def _items(file: Path) -> Iterator[Item]:
    text = COMMENT_OR_STRING.sub(
        lambda found: found[0] if found[0].startswith('"') else "\n" * found[0].count("\n"), text_of(file)
    )
    start = depth = 0
    for token in TOKEN.finditer(f"{text};"):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if token[0] == ";" and depth == 0:
            item = text[start : token.start()]
            begin = start + len(item) - len(item.lstrip())
            if item.strip():
                yield Item(file, 1 + text.count("\n", 0, begin), item.strip())
            start = token.end()


def text_without(items: Sequence[Item], dropped: Collection[Item] = ()) -> str:
    """Return a model without some of its items."""
    return "".join(f"{item.text};\n" for item in items if item not in dropped)


def goal_of(items: Sequence[Item]) -> str:
    """Return satisfy, maximize or minimize.

    Raises
    ------
    InputError
        If there is no solve item.
    """
    return _goal(items)[1][1]


def features_named(items: Sequence[Item]) -> list[int]:
    """Return small indices and members of sets in constraints that no shipped model has: likely features."""
    shipped = {item.text for file in models_dir().rglob("*.mzn") for item in _items(file)}
    edited = (item.text for item in items if item.is_constraint and item.text not in shipped)
    numbers = {int(number) for text in edited for number in NUMBER.findall(text)}
    return sorted(number for number in numbers if number <= LARGEST_NAMED)


def all_solutions(items: Sequence[Item], objective: str) -> str:
    """Return the model that asks for any solution, and names its objective, an integer, in a variable."""
    item, goal = _goal(items)
    what = item.text[goal.end() :].strip()
    named = f"var int: {objective} :: add_to_output = {what};\n" if what else ""
    rest = (shown(other.text) for other in items if other is not item)
    return "".join(f"{text};\n" for text in rest) + f"{item.text[: goal.start()]} satisfy;\n{named}"


def shown(declaration: str) -> str:
    """Return a declaration so that MiniZinc puts it out, if it is that of the answer."""
    return f"{declaration} :: add_to_output" if ANSWER.search(declaration) else declaration


def _goal(items: Sequence[Item]) -> tuple[Item, re.Match[str]]:
    for item in items:
        goal = GOAL.search(item.text) if re.match(r"solve\b", item.text) else None
        if goal is not None:
            return item, goal
    raise InputError("model: has no solve item; `solve satisfy;` asks for any sets")
