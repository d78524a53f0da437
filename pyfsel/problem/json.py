"""The instance file: version 2, paragraphs of JSON that MiniZinc reads as they are; version 1 is read too."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from pyfsel.checker import NAMES as RENAMED
from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_number, one_of, shown, suggestion
from pyfsel.problem.objectives import AGGREGATES, MIN_THEN_SUM
from pyfsel.problem.text_files import parsed_json

FORMAT, FORMAT_1 = "pyfsel-problem 2", "pyfsel-problem 1"
FILE = """
objective objective_ridge objective_criterion objective_rows objective_per_feature
objective_per_pair objective_unit search sum_weight min_weight

n_features n_sets k_min k

max_shared shared_weight size_weight shared_constant shared_by_smaller shared_price

forced forbidden conflicts relatives previous groups group_at_least group_at_most group_all_or_none
budget cost_scale costs min_quality

scale feature_names quality pairs exact_quality exact_pairs

measured_unit measured_p_values measured_chance_left_out measured_errors measured_duplicate_of
measured_duplicates
"""
"""The names of a file, in its order; the last paragraph says how the numbers came about."""
FIELDS = frozenset(["format", *FILE.split()])
"""All names that a file may have, in addition to the user's own."""
IN_FILES = {
    "copies": "measured_duplicates",
    "p_values": "measured_p_values",
    "standard_errors": "measured_errors",
    "aggregate": "search",
}
"""The names in files of what an instance and its evidence have by others."""
MATRICES = ("pairs", "exact_pairs")
REQUIRED = "quality n_sets k max_shared"
LEFT_OUT = ("part_of", "unit_factor")
"""Names of version 1 that say nothing any more; qualities may have been proportions of a sum."""
FIELDS_1 = (FIELDS - set(RENAMED.values())) | RENAMED.keys() | {"aggregate", *LEFT_OUT}
WIDTH = 110
AGGREGATES_OF = {"sequential": "sum", **{name: name for name in AGGREGATES}, MIN_THEN_SUM: "min"}
"""What an instance of each search calls the aggregate of the qualities."""


def known_names(data: Mapping[str, Any]) -> frozenset[str]:
    """Return the names that a file may have in its version.

    Raises
    ------
    InputError
        If the version is unknown.
    """
    version = data.get("format", FORMAT_1)
    if version not in (FORMAT, FORMAT_1):
        raise InputError(f"unknown format {shown(version)}. This pyfsel reads {FORMAT!r} and {FORMAT_1!r}")
    return FIELDS if version == FORMAT else FIELDS_1


def upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a file of either version by the names of version 2, after a look at the names.

    Raises
    ------
    InputError
        If a name is unknown, or a required one is missing.

    Examples
    --------
    >>> upgraded({"quality": [3, 2], "n_sets": 2, "set_size": 1, "max_overlap": 0, "aggregate": "min"})
    {'quality': [3, 2], 'n_sets': 2, 'k': 1, 'max_shared': 0, 'search': 'min', 'format': 'pyfsel-problem 2'}
    """
    require_known(data, known_names(data))
    new = dict(data)
    if data.get("format", FORMAT_1) == FORMAT_1:
        new = {RENAMED.get(name, name): item for name, item in data.items() if name not in LEFT_OUT}
        if data.get("unit_factor", 1) != 1:
            new.pop("measured_unit", None)
        aggregate, search = new.pop("aggregate", "sum"), new.pop("search", None)
        if search is not None or aggregate != "sum":
            new["search"] = search if search not in (None, "simultaneous") else aggregate
        new["format"] = FORMAT
    missing = [name for name in REQUIRED.split() if name not in new]
    if missing:
        raise InputError(f"problem: lacks {', '.join(missing)}")
    return new


def search_from_word(word: Any) -> dict[str, Any]:
    """Return what an instance calls a search: how the sets are found, and what is made of several values."""
    if word is None:
        return {"aggregate": "sum", "search": None}
    one_of("search", word, AGGREGATES_OF)
    how = word if word in ("sequential", MIN_THEN_SUM) else "simultaneous"
    return {"aggregate": AGGREGATES_OF[word], "search": how}


def in_words_of_file(message: str) -> str:
    """Return a message about fields of an instance with the names that the file has.

    Examples
    --------
    >>> in_words_of_file("groups[1].at_least=3: must be an integer from 0 to 2")
    'group_at_least[1]=3: must be an integer from 0 to 2'
    """
    message = re.sub(r"^groups(\[\d+\])\.(\w+)", r"group_\2\1", message)
    return re.sub(rf"^({'|'.join(IN_FILES)})\b", lambda found: IN_FILES[found[1]], message)


def require_known(names: Iterable[str], known: Collection[str]) -> None:
    """Raise `InputError` if one of the names that a file gives is not among the known ones.

    Examples
    --------
    >>> require_known(["_made_by", "forbiden"], FIELDS)
    Traceback (most recent call last):
    pyfsel.errors.InputError: forbiden: unknown name. Did you mean 'forbidden'? Your own names begin with '_'.
    """
    for name in names:
        if name not in known and not str(name).startswith("_"):
            raise InputError(
                f"{name}: unknown name.{_meant(str(name), known)} Your own names begin with '_'."
            )


def _meant(name: str, known: Collection[str]) -> str:
    """Return a question that names the known field that a name means, by its name of version 1 too."""
    if name in FIELDS and "set_size" in known:
        return f' It is one of files that begin with "format": "{FORMAT}".'
    words = {name: name for name in known} | {old: new for old, new in RENAMED.items() if new in known}
    hint = suggestion(name, words)
    return re.sub(r"'(\w+)'", lambda found: repr(words[found[1]]), hint)


def json_object(text: str) -> dict[str, Any]:
    """Return the object that a JSON text holds; raise `InputError` for anything else."""
    if re.match(r'\s*\{\s*"format": *"pyfsel.(?:answer|certificate)', text):
        raise InputError(
            "is a saved answer or certificate, not a problem. Try: pyfsel check INSTANCE.json FILE"
        )
    data = parsed_json("problem", text, "an instance, such as `pyfsel measure` writes")
    if not isinstance(data, dict):
        raise InputError("problem: the JSON must be an object")
    return data


def instance_text(data: Mapping[str, Any]) -> str:
    """Return the file of the data of a problem, in paragraphs.

    Further data of a model, and names of the user's own, are the last paragraph.

    Raises
    ------
    InputError
        If a number is not finite.
    """
    blocks = [f'  "format": {json.dumps(FORMAT)}']
    paragraphs = [paragraph.split() for paragraph in FILE.split("\n\n")]
    for names in (*paragraphs, [name for name in data if name not in FIELDS]):
        parts = [f"{json.dumps(name)}: {_item(name, data[name])}" for name in names if name in data]
        if parts:
            blocks.append("  " + ",\n  ".join(_lines(parts)))
    return "{\n" + ",\n\n".join(blocks) + "\n}\n"


def _lines(parts: Iterable[str]) -> Iterator[str]:
    """Yield the names and values of a paragraph, as many on a line as fit."""
    line = ""
    for part in parts:
        if line and len(line) + len(part) + 2 > WIDTH:
            yield line
            line = part
        else:
            line = f"{line}, {part}" if line else part
    yield line


def _item(name: str, item: Any) -> str:
    if name in MATRICES and item:
        return "[\n    " + ",\n    ".join(_number_text(name, row) for row in item) + "\n  ]"
    return _number_text(name, item)


def minizinc_json(data: Mapping[str, Any]) -> str:
    """Return JSON without exponents, which MiniZinc's reader does not know.

    Raises
    ------
    InputError
        If a number is not finite.

    Examples
    --------
    >>> print(minizinc_json({"penalty": 1e-5}))
    {
      "penalty": 0.00001
    }
    """
    lines = [f"  {json.dumps(name)}: {_number_text(name, item)}" for name, item in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _number_text(name: str, item: Any) -> str:
    if isinstance(item, float):
        return np.format_float_positional(finite_number(name, item), trim="0")
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(_number_text(name, part) for part in item) + "]"
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)}: {_number_text(name, item[key])}" for key in item) + "}"
    return json.dumps(item, ensure_ascii=False)
