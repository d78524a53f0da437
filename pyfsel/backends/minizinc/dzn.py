"""MiniZinc data files (``.dzn``), with the names that `models/lib/problem.mzn` declares: written and read."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterable
from functools import cache, partial
from math import isqrt
from typing import Any

import numpy as np

from pyfsel.backends.minizinc.text import items, items_of_file
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.problem.checks import shown
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import FORMAT, FORMAT_1, known_names, require_known


def dzn_text(problem: Instance, names: Collection[str] | None = None) -> str:
    """Return the problem as MiniZinc data; features are numbered from 0, as everywhere.

    Parameters
    ----------
    problem : Instance
    names : collection of str, optional
        Those that a model declares, in place of all: MiniZinc refuses others in such a file.

    Examples
    --------
    >>> print(dzn_text(Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1)).splitlines()[0])
    n_features = 2;
    """
    data = problem.to_dict()
    chosen = [name for name in _declared() if name in data and (names is None or name in names)]
    return "".join(f"{name} = {_shown(name, data[name])};\n" for name in chosen)


OF_MODELS = ("takes", "max_sets", "told_apart")
MATRICES, LISTS_OF_SETS = ("pairs", "conflicts"), ("previous", "groups")
WIDTHS = {"pairs": 0, "redundancy": 0, "conflicts": 2}
"""Matrices, and how many columns they have; 0: as many as rows."""
WORDS = {"[||]": "[]", "[|": "[[", "|]": "]]", "|": "],[", "true": "True", "false": "False", "<>": "None"}
IN_PYTHON = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|(?P<first>-?\d+)\s*\.\.\s*(?P<last>-?\d+)'
    r'|\[\|\|\]|\[\||\|\]|\||\b(?:true|false)\b|<>|\{\s*\}|\[\s*-?\d+\s*:|\barray[12]d\s*\([^\["]*'
)
"""What is written otherwise in Python: texts, ranges, rows, words, empty sets, first indices."""


@cache
def _declared() -> list[str]:
    """Return the names of data that all models declare."""
    declared = (item.awaited for item in items_of_file(models_dir() / "lib" / "problem.mzn"))
    return [name for name in declared if name not in ("", *OF_MODELS)]


def problem_of_dzn(
    text: str, used: Collection[str] = (), of_others: Collection[str] = ()
) -> tuple[Instance, str]:
    r"""Return the problem that MiniZinc data describe, and the assignments to other names that a model uses.

    The values of a problem are written out; other names may have any expression of MiniZinc.

    Parameters
    ----------
    text : str
    used : collection of str
        Names that are allowed in addition to a problem's.
    of_others : collection of str
        Names that are allowed and left out.

    Raises
    ------
    InputError
        If the data are not a problem, or a name is unknown or given twice.

    Examples
    --------
    >>> text = "quality = [0: 9, 8, 7]; n_sets = 1; k = 1; max_shared = 1; previous = [{0}, 2..2];"
    >>> problem, more = problem_of_dzn(f"{text} most = 2 + 3;", used=["most"])
    >>> problem.previous, more
    (((0,), (2,)), 'most = 2 + 3;\n')
    """
    given = _assignments(text)
    # a file without any name of version 1 that has changed may be of either
    version = {"format": FORMAT_1 if "set_size" in given else FORMAT}
    others = {*used, *of_others}.intersection(given) - known_names(version)
    more = "".join(f"{name} = {given[name]};\n" for name in given if name in others.intersection(used))
    ours = [name for name in given if name not in others and not name.startswith("_")]
    require_known(ours, known_names(version))
    with_values = {name: _value(name, given[name]) for name in ours}
    known = {name: value for name, value in with_values.items() if value is not None}
    return Instance.from_dict(version | known), more


def _assignments(text: str) -> dict[str, str]:
    """Return the values of MiniZinc data by name; refuse all but assignments, and a name given twice."""
    found: dict[str, str] = {}
    for item in items(text):
        if not item.assigned or item.words[:2] != (item.assigned, "="):
            raise InputError(f"{shown(item.text)}: is not an assignment. Write name = value;")
        if item.assigned in found:
            raise InputError(f"{item.assigned}: is given twice. Delete one of the two.")
        found[item.assigned] = item.value
    return found


def _value(name: str, text: str) -> Any:
    """Return a value of MiniZinc as JSON has it; None if it is absent."""
    if text.isidentifier() and text not in WORDS:
        return text
    try:
        value = ast.literal_eval(IN_PYTHON.sub(partial(_in_python, len(text)), text))
        if isinstance(value, list):
            value = [{"set": sorted(part)} if isinstance(part, set) else part for part in value]
            if name in WIDTHS and value and not isinstance(value[0], list):  # of array2d
                width = WIDTHS[name] or isqrt(len(value))
                value = [value[i : i + width] for i in range(0, len(value), width)]
        return sorted(value) if isinstance(value, set) else value
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise InputError(
            f"{name}: {shown(text)}: is not a value. Expected numbers, texts, true or false, lists and sets, "
            "written out. Try: pyfsel export to see how."
        ) from None


def _in_python(longest: int, found: re.Match[str]) -> str:
    """Return a part of a value of MiniZinc as Python has it; a range has no more numbers than the file."""
    if found["text"]:
        return f"({json.loads(found['text'], strict=False)!r})"  # Python joins texts without a comma
    if found["first"]:
        first, last = int(found["first"]), int(found["last"])
        return repr(set(range(first, min(last, first + longest) + 1)))
    return WORDS.get(found[0]) or ("set()" if found[0].startswith("{") else found[0][:1].replace("a", "("))


def _shown(name: str, item: Any) -> str:
    """Return the value of a name as MiniZinc writes it."""
    if name == "search":
        return str(item)
    if name in LISTS_OF_SETS:
        return _list("{" + ", ".join(map(str, entry["set"])) + "}" for entry in item)
    if name in MATRICES:
        rows = "|".join(", ".join(map(str, row)) for row in item)
        return f"[|{rows}|]" if rows else "array2d(1..0, 1..0, [])"
    if isinstance(item, list):
        numbers = _list(_shown("", part) for part in item)
        return f"array1d(0..{len(item) - 1}, {numbers})" if name == "quality" else numbers
    if isinstance(item, str):  # MiniZinc takes no control characters
        known = "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in item)
        return json.dumps(known, ensure_ascii=False)
    if isinstance(item, float):
        return np.format_float_positional(item, trim="0")
    return str(item).lower()


def _list(parts: Iterable[str]) -> str:
    return "[" + ", ".join(parts) + "]"
