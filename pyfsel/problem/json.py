"""A problem as plain data and as JSON, which MiniZinc reads as it is."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import list_of
from pyfsel.problem.side_constraints import GROUP_FIELDS, groups_from_dict
from pyfsel.problem.text_files import parsed_json

REQUIRED = ("quality", "n_sets", "set_size", "max_overlap")


def fields_from_dict(data: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the known fields of a problem from what `Problem.to_dict` returns; other names are ignored.

    Raises
    ------
    InputError
        If a required field is missing, or a list is none.
    """
    missing = [name for name in REQUIRED if name not in data]
    if missing:
        raise InputError(f"problem: lacks {', '.join(missing)}")
    chosen = {name: data[name] for name in data if name in known and name != "copies"}
    if "previous_sets" in chosen:
        chosen["previous_sets"] = [
            s.get("set") if isinstance(s, Mapping) else s
            for s in list_of("previous_sets", chosen["previous_sets"])
        ]
    if "copy_of" in data or "copy_names" in data:
        of, names = (list_of(field, data.get(field)) for field in ("copy_of", "copy_names"))
        if len(of) != len(names):
            raise InputError(
                f"copy_of: has {len(of)} values, must have {len(names)}, one for each of copy_names"
            )
        chosen["copies"] = list(zip(of, names, strict=True))
    groups = set(GROUP_FIELDS) & set(data)
    if groups and "groups" not in data:
        raise InputError(f"{min(groups)}: needs groups")
    if "groups" in data:
        chosen["groups"] = groups_from_dict(data)
    return chosen


def json_object(text: str) -> dict[str, Any]:
    """Return the object that a JSON text holds; raise `InputError` for anything else."""
    data = parsed_json("problem", text)
    if not isinstance(data, dict):
        raise InputError("problem: the JSON must be an object")
    return data


def minizinc_json(data: Mapping[str, Any]) -> str:
    """Write JSON without exponents, which MiniZinc's reader does not know."""

    def text(item: Any) -> str:
        if isinstance(item, float):
            return np.format_float_positional(item, trim="0")
        if isinstance(item, list):
            return "[" + ", ".join(text(part) for part in item) + "]"
        return json.dumps(item, ensure_ascii=False)

    lines = [f"  {json.dumps(name)}: {text(item)}" for name, item in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}"
