"""Options: the parameters of Python functions, with what signatures and docstrings say of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any

from pyfsel.cli import text_values
from pyfsel.objectives import as_objective
from pyfsel.problem.checks import one_of
from pyfsel.problem.rules import as_dissimilarity

PANELS = {
    "Table": "dataset target! ignore! missing! near_duplicates! task event row_groups sample_weight encoding "
    "missing_codes order target_gaps samples sample_id chance outputs",
    "Sets": "k! n_sets! dissimilarity! search!",
    "Quality": "objective! measure! keep_best",
    "Rules for every set": "forced! forbidden! group! costs! budget! min_quality previous",
    "Solver": "solver confirm time_limit n_threads memory_limit random_state n_jobs",
    "Output": "output! details! format quiet require_proof",
}
"""The shared options in the order of the help; the usual ones end in "!". A command's own are usual."""
USUAL = frozenset(name[:-1] for names in PANELS.values() for name in names.split() if name.endswith("!"))
PANEL_OF = {name.rstrip("!"): panel for panel, names in PANELS.items() for name in names.split()}
LETTERS = {"k": "k", "n_sets": "n", "dissimilarity": "d", "target": "t", "output": "o", "quiet": "q"}
DIFFERENT = {"groups": "row_groups", "by": "measure"}
"""Parameters of functions of tables whose options have another name; a column says the groups."""
OF_CONSTRAINTS = {"groups": "group"}
FILES = ("costs", "previous", "samples", "data", "instances")
"""Options whose values are files that are read."""
NEEDS = {"sample_id": "samples", "confirm_limit": "confirm_share", "time_limit": "pack"}
"""Options that mean something only with another one, in the commands that have both."""
READERS: dict[str, Callable[[str], Any]] = {
    "k": text_values.size,
    "dissimilarity": as_dissimilarity,
    "objective": as_objective,
    "measure": text_values.measure,
    "solver": text_values.solver,
    "confirm": text_values.solver_name,
    "min_quality": text_values.quality,
    "group": text_values.group,
    "costs": text_values.costs,
    "previous": text_values.previous,
    "loss": text_values.proportion,
    "cv": text_values.folds,
    "scoring": text_values.scoring,
    "near_duplicates": text_values.near_duplicates,
    "n_jobs": text_values.jobs,
    "model": text_values.models,
    "time_limit": text_values.seconds,
    **dict.fromkeys(
        ("n_sets", "n_threads", "memory_limit", "limit", "pairs", "keep_best", "at_most", "max_evaluations"),
        text_values.count,
    ),
    "random_state": text_values.natural,
}
"""How texts become the values of parameters whose types do not say it."""
METAVARS = {
    "k": "K|K-K",
    "n_sets": "N",
    "dissimilarity": "RULE",
    "target": "COLUMN",
    "row_groups": "COLUMN",
    "sample_weight": "COLUMN",
    "event": "COLUMN",
    "sample_id": "COLUMN",
    "group": "NAMES:RULE",
    "costs": "FILE",
    "budget": "COST",
    "min_quality": "Q",
    "previous": "FILE",
    "loss": "L",
    "missing_codes": "CODES",
    "order": "COLUMN=A<B<C",
    "time_limit": "SECONDS",
    "memory_limit": "MB",
    "confirm": "NAME|auto",
}
TYPES: dict[str, Callable[[str], Any]] = {
    "int": text_values.integer,
    "float": text_values.number,
    "Path": Path,
}


@dataclass(frozen=True)
class Option:
    """An option of a command.

    Parameters
    ----------
    name : str
        As in Python: `time_limit` is ``--time-limit``.
    parameter : str
        Its name in the signature of `owner`.
    owner : callable
    help : str
    default : object
    words : tuple of str
        The allowed words; () unless the set is closed.
    read : callable
        From text to value.
    is_flag, is_repeated : bool
    panel : str
    is_usual : bool
    metavar : str
    """

    name: str
    parameter: str
    owner: Callable[..., Any]
    help: str
    default: Any
    words: tuple[str, ...]
    read: Callable[[str], Any]
    is_flag: bool
    is_repeated: bool
    panel: str
    is_usual: bool
    metavar: str

    @property
    def flags(self) -> list[str]:
        """The ways to write it, the short one first: one letter is an option of one dash only."""
        letter, long = LETTERS.get(self.name), f"--{self.name.replace('_', '-')}"
        return [*([f"-{letter}"] if letter else []), *([] if letter == self.name else [long])]

    def value(self, text: str) -> Any:
        """Return the value of a text; an error that names the option if it is not allowed."""
        if self.words:
            one_of(self.parameter, text, self.words)
        return self.read(text)


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
    text = getdoc(function) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", text, re.MULTILINE | re.DOTALL)
    found: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in section[1].splitlines() if section else ():
        if line[:1].strip():
            listed, _, kind = line.partition(" : ")
            names = listed.split(", ")
            found |= dict.fromkeys(names, (kind, ""))
        else:
            found |= {name: (found[name][0], f"{found[name][1]} {line.strip()}".strip()) for name in names}
    return found


def options_of(
    function: Callable[..., Any], without: str = "", only: str = "", **renamed: str
) -> list[Option]:
    """Return the options of a function: its parameters, or the fields of a dataclass.

    Parameters
    ----------
    function : callable
    without, only : str
        Names of parameters that are not options, or of all that are; with spaces between.
    **renamed
        Other names of options than their parameters have.

    Examples
    --------
    >>> [option.name for option in options_of(options_of, "function renamed", only="without")]
    ['without']
    """
    about = documented(function)
    return [
        _option(function, one, renamed.get(one.name, one.name), *about.get(one.name, ("", "")))
        for one in signature(function).parameters.values()
        if one.name not in without.split()
        and (not only or one.name in only.split())
        and one.kind is not Parameter.VAR_KEYWORD
    ]


def as_lists(options: Iterable[Option], readers: Mapping[str, Callable[[str], list[Any]]]) -> list[Option]:
    """Return options of which the named ones are lists, read from one text with commas."""
    return [
        replace(one, read=readers[one.name], is_repeated=False, metavar=f"{one.metavar[0]},…")
        if one.name in readers
        else one
        for one in options
    ]


def _option(function: Callable[..., Any], parameter: Parameter, name: str, kind: str, about: str) -> Option:
    annotation = str(parameter.annotation).removesuffix(" | None")
    words = tuple(re.findall(r'"([^"]+)"', kind)) if re.fullmatch(r"\{[^}]*\}(, optional)?", kind) else ()
    is_repeated = annotation.startswith(("list[", "Sequence[", "Iterable["))
    inner = re.sub(r"^\w+\[(.*)\]$", r"\1", annotation)
    default = None if parameter.default is Parameter.empty else parameter.default
    return Option(
        name=name,
        parameter=parameter.name,
        owner=function,
        help=about,
        default=default,
        words=words,
        read=READERS.get(name) or TYPES.get(inner, str),
        is_flag=annotation == "bool",
        is_repeated=is_repeated,
        panel=PANEL_OF.get(name, ""),
        is_usual=name in USUAL or name not in PANEL_OF,
        metavar=METAVARS.get(name) or {"int": "N", "float": "NUMBER", "Path": "FILE"}.get(inner, "NAME"),
    )
