"""MiniZinc data files (``.dzn``), with the names that `models/lib/problem.mzn` declares: written and read."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pyfsel.backends.minizinc.text import items, items_of_file
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.drivers.minizinc.program import ModelError, messages
from pyfsel.errors import InputError
from pyfsel.problem.checks import shown
from pyfsel.problem.instance import Instance
from pyfsel.problem.json import FORMAT, RENAMED, require_known, upgraded
from pyfsel.problem.text_files import parsed_json, reading
from pyfsel.results.control import Control


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


OF_MODELS = ("takes", "most_sets", "told_apart")
MATRICES, LISTS_OF_SETS = ("pairs", "conflicts"), ("previous", "groups")
LIST = "quality_in_file"


@cache
def _declared() -> dict[str, bool]:
    """Return the names of data that all models declare, and whether each may be absent."""
    declared = {item.awaited: item for item in items_of_file(models_dir() / "lib" / "problem.mzn")}
    return {name: item.words[0] == "opt" for name, item in declared.items() if name not in ("", *OF_MODELS)}


def problem_of_dzn(
    text: str, name: str, used: Collection[str] = (), of_others: Collection[str] = ()
) -> tuple[Instance, str]:
    """Return the problem that MiniZinc data describe, and the assignments to other names, which a model uses.

    MiniZinc itself reads the data, so all that it understands may stand there.

    Parameters
    ----------
    text : str
    name : str
        What errors call the file.
    used : collection of str
        Names that are allowed in addition to a problem's.
    of_others : collection of str
        Names that are allowed and left out.

    Raises
    ------
    InputError
        With the message of MiniZinc, or if the data are not a problem, or a name is unknown or given twice.
    """
    given, known = _upgraded(_assignments(text, name)), _declared()
    with reading(name):
        require_known(given, {*known, *used, *of_others})
    ours = {assigned: value for assigned, value in given.items() if assigned in known}
    others = [f"{assigned} = {given[assigned]};\n" for assigned in given.keys() & used - known.keys()]
    if "quality" not in ours:
        raise InputError(f"{name}: quality: is missing")
    with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder:
        model, data = Path(folder, "reader.mzn"), Path(folder, Path(name).name)
        model.write_text(_reader(ours), encoding="utf-8")
        values = (f"{LIST if name == 'quality' else name} = {value};\n" for name, value in ours.items())
        data.write_text("".join(values), encoding="utf-8")
        arguments: list[str | Path] = ["--solver", "gecode", "-I", models_dir(), model, data]
        try:
            printed = [m for m in messages(arguments, Control(), Path(folder)) if m["type"] == "solution"]
        except ModelError as error:
            raise InputError(f"{name}: {str(error).partition(chr(10))[0]}") from None
    if not printed:
        raise InputError(f"{name}: the data contradict each other")
    read = parsed_json(name, printed[0]["output"]["default"])
    for sets in LISTS_OF_SETS:
        read[sets] = [{"set": list(_members(entry["set"]))} for entry in read[sets]]
    return Instance.from_dict({"format": FORMAT, **read}), "".join(others)


def _reader(given: Collection[str]) -> str:
    """Return a model that prints as JSON what data give, and what a file written by hand may leave out."""
    defaults = {item.assigned: item.value for item in items_of_file(models_dir() / "lib" / "defaults.mzn")}
    values = {name: value for name, value in defaults.items() if name not in given}
    values |= {} if "n_features" in given else {"n_features": f"length({LIST})"}
    # the qualities of a file are a list from 1, in the models an array by features from 0
    values["quality"] = f"array1d(0..length({LIST}) - 1, {LIST})"
    shown = {name: f"deopt({name})" if is_optional else name for name, is_optional in _declared().items()}
    shown |= {"quality": "array1d(quality)", "search": r'"\(deopt(search))"'}
    printed = [f'"\\"{name}\\": ", showJSON({shown[name]})' for name in {**dict.fromkeys(given), **values}]
    lines = [
        f'include "lib/problem.mzn";\narray[int] of int: {LIST};\n',
        *(f"{name} = {value};\n" for name, value in values.items()),
        'solve satisfy;\noutput ["{", ' + ', ", ", '.join(printed) + ', "}"];\n',
    ]
    return "".join(lines)


def _assignments(text: str, name: str) -> dict[str, str]:
    """Return the values of MiniZinc data by name; refuse all but assignments, and a name given twice."""
    found: dict[str, str] = {}
    for item in items(text):
        if not item.assigned or item.words[:2] != (item.assigned, "="):
            raise InputError(f"{name}: {shown(item.text)}: is not an assignment. Write name = value;")
        if item.assigned in found:
            raise InputError(f"{name}: {item.assigned}: is given twice. Delete one of the two.")
        found[item.assigned] = item.value
    return found


def _upgraded(given: dict[str, str]) -> dict[str, str]:
    """Return the assignments with the names of version 2; a file without any of these may be version 1."""
    if "set_size" not in given or not given.keys().isdisjoint(RENAMED.values()):
        return given
    new = upgraded({name: value.strip('" ') if name == "search" else value for name, value in given.items()})
    return {name: value for name, value in new.items() if name != "format"}


def _members(parts: Iterable[int | list[int]]) -> Iterator[int]:
    """Yield the members of a set as MiniZinc writes it, with ranges as two numbers."""
    for part in parts:
        yield from range(part[0], part[1] + 1) if isinstance(part, list) else (part,)


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
