"""Options: the parameters of Python functions, with what signatures and docstrings say of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, getdoc, signature
from typing import Any

from pyfsel.cli.text_values import CHECKS, READERS
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of

NO_OPTIONS = (
    "y table as_frame selector estimator constraints groups names name scale verbose use_set allowed limits "
    "folder on_run on_progress seconds measure.outputs Problem.pairs choose_k.sample_weight "
    "evaluate.sample_weight report.sample_weight stability.sample_weight"
)
"""Parameters that no option is for, in all functions or in one, in addition to those without a default."""
RENAMED = {"Constraints.groups": "group", "measure.by": "measure", "solvers_command.tried": "try"}
"""Options that have another name than their parameters."""
LETTERS = {"k": "k", "n_sets": "n", "dissimilarity": "d", "target": "t", "output": "o", "quiet": "q"}
GRIDS = ("k", "n_sets", "dissimilarity", "solvers")
"""Options of which a list has commas between; others that are lists are repeated."""
AMOUNTS = ("time_limit", "budget", "confirm_limit")
"""Numbers of which a percentage means nothing."""
FILES = ("samples", "data", "instances", "Mapping[Feature, float] | Any", "Iterable[Feature]")
"""Kinds of options whose values are files that are read."""


@dataclass(frozen=True)
class Option:
    """An option of a command: a parameter of a function, or a field of a dataclass.

    Parameters
    ----------
    name : str
        As in Python: `time_limit` is ``--time-limit``.
    parameter : str
        Its name in the signature.
    kind : str
        Its type, or the type of a list's entries, if all values of this type are read alike; otherwise its
        name.
    flags : sequence of str
        The ways to write it, the short one first: one letter is an option of one dash only.
    is_many : bool
        Whether it is a list whose entries are options of their own.
    is_grid : bool
        Whether it is a list with commas between, in which 2-5 stands for 2,3,4,5; none is an empty one.
    default : object
    words : sequence of str
        The allowed words; none unless the set is closed.
    about : str
        What the docstring says of it.
    """

    name: str
    parameter: str
    kind: str
    flags: Sequence[str]
    is_many: bool
    is_grid: bool
    default: Any
    words: Sequence[str]
    about: str

    def value(self, text: str) -> Any:
        """Return the value of a text; an error that names the option if it is not allowed."""
        try:
            if self.words:
                return one_of(self.parameter, text, self.words)
            if self.name in AMOUNTS and text.endswith("%"):
                raise InputError("is not a number")
            read = READERS.get(self.kind, str)
            if self.is_grid:
                parts = [part.strip() for part in text.split(",") if part != "none"]
                return [one for part in parts for one in _parts(read, part)]
            found = read(text)
            if self.name in CHECKS:
                CHECKS[self.name](self.parameter, found)
            return found
        except InputError as error:
            if re.match(rf"{self.parameter}(=|: )|{re.escape(text)}: ", str(error)):
                raise
            raise InputError(f"{self.name}: {error}") from None


def _parts(read: Callable[[str], Any], text: str) -> Iterable[Any]:
    ends = re.fullmatch(r"(\d+)-(\d+)", text)
    if not text:
        raise InputError("a value is empty. Expected values with commas between")
    if ends and int(ends[1]) > int(ends[2]):
        raise InputError("the range is empty. Expected the minimum first, such as 3-5")
    return range(int(ends[1]), int(ends[2]) + 1) if ends else [read(text)]


def section_of(function: Callable[..., Any], title: str) -> str:
    """Return the text of a section of a NumPy docstring; "" without it."""
    text = (getdoc(function) or "").partition(f"{title}\n{'-' * len(title)}\n")[2]
    return re.split(r"\n+\S.*\n-+\n", text)[0]


@cache
def documented(function: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """Return type and description of the parameters in a NumPy docstring, by name.

    Examples
    --------
    >>> documented(documented)["function"]
    ('callable', 'With a docstring.')

    Parameters
    ----------
    function : callable
        With a docstring.
    """
    found: dict[str, tuple[str, str]] = {}
    own = section_of(function, "Parameters")
    for names, _, kind, about in re.findall(r"^(\S.*?)( : (.*))?$((?:\n .*|\n$)*)", own, re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), (kind, " ".join(about.split())))
    return found


def options_of(function: Callable[..., Any], without: str = "", only: str = "") -> list[Option]:
    """Return the options of a function: its parameters, or the fields of a dataclass, that have a default.

    Parameters
    ----------
    function : callable
    without, only : str
        Names of options that are not meant, or of all that are; with spaces between.

    Examples
    --------
    >>> [option.name for option in options_of(options_of, only="without")]
    ['without']
    """
    found = [
        _option(function, one)
        for one in signature(function).parameters.values()
        if one.default is not Parameter.empty
        and {name_of(function, one.name), f"{function.__name__}.{one.name}"}.isdisjoint(NO_OPTIONS.split())
    ]
    return [
        one
        for one in found
        if one.parameter not in without.split() and one.parameter in (only or one.parameter).split()
    ]


def name_of(function: Callable[..., Any], parameter: str) -> str:
    """Return the name of the option for a parameter."""
    return RENAMED.get(f"{function.__name__}.{parameter}", parameter)


def _option(function: Callable[..., Any], given: Parameter) -> Option:
    kind, about = documented(function).get(given.name, ("", ""))
    about = about.partition(" In Python")[0]
    words = re.findall(r'"([^"]+)"', kind)
    if words and not re.fullmatch(r"\{[^}]*\}(, optional)?", kind):
        new = [word for word in words if f'"{word}"' not in about]
        about, words = f"{about} Such as {', '.join(new)}." if new else about, []
    name, annotation = name_of(function, given.name), str(given.annotation).removesuffix(" | None")
    inner = re.sub(r"^(Sequence|Iterable)\[(.*)\]$", r"\2", annotation)
    kind = inner if inner in ("bool", *READERS) else name
    is_list, is_grid = inner != annotation, inner != annotation and name in GRIDS
    letter, long = LETTERS.get(name), f"--{name.replace('_', '-')}"
    flags = [*([f"-{letter}"] if letter else []), *([] if letter == name else [long])]
    return Option(
        name, given.name, kind, flags, is_list and not is_grid, is_grid, given.default, words, about
    )
