"""A problem as plain data and as JSON, which MiniZinc reads as it is."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_number, list_of, suggestion
from pyfsel.problem.side_constraints import GROUP_FIELDS, groups_from_dict, members_of
from pyfsel.problem.text_files import parsed_json

REQUIRED = ("quality", "n_sets", "set_size", "max_overlap")
AS_THEY_ARE = frozenset(
    (
        *("n_sets", "set_size", "max_overlap", "objective", "aggregate", "scale", "quality", "redundancy"),
        *(
            "conflicts",
            "previous_sets",
            "relatives",
            "feature_names",
            "min_set_size",
            "overlap_factor",
            "size_factor",
        ),
        *("overlap_constant", "by_smaller", "forced", "forbidden", "costs", "budget", "cost_scale"),
        *("min_quality", "overlap_cost", "sum_weight", "min_weight", "ridge", "criterion", "n_rows"),
        *("quality_unit", "unit_factor", "search", "quality_values", "redundancy_values"),
    )
)
"""Names in files of fields of a problem."""
FIELDS = AS_THEY_ARE | {
    *("n_features", "relevance_weight", "redundancy_weight", "value_factor"),
    *("groups", *GROUP_FIELDS, "copy_of", "copy_names"),
    "part_of",  # said nothing in numbers
    *("chance_p_values", "chance_left_out", "standard_errors"),
}
"""All names that the JSON of a problem may have, in addition to the user's own."""


def fields_from_dict(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a problem from what `Instance.to_dict` returns.

    Raises
    ------
    InputError
        If a name is unknown, a required field is missing, or a list is none.
    """
    require_known(data)
    missing = [name for name in REQUIRED if name not in data]
    if missing:
        raise InputError(f"problem: lacks {', '.join(missing)}")
    chosen = {name: data[name] for name in data if name in AS_THEY_ARE}
    if "previous_sets" in chosen:
        listed = list_of("previous_sets", chosen["previous_sets"])
        chosen["previous_sets"] = [members_of("previous_sets", members) for members in listed]
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


def require_known(names: Iterable[str], known: Collection[str] = FIELDS) -> None:
    """Raise `InputError` if one of the names that a file gives is not among the known ones.

    Examples
    --------
    >>> require_known(["_made_by", "forbiden"])
    Traceback (most recent call last):
    pyfsel.errors.InputError: forbiden: unknown name. Did you mean 'forbidden'? Your own names begin with '_'.
    """
    for name in names:
        if name not in known and not str(name).startswith("_"):
            meant = suggestion(str(name), known)
            raise InputError(f"{name}: unknown name.{meant} Your own names begin with '_'.")


def json_object(text: str) -> dict[str, Any]:
    """Return the object that a JSON text holds; raise `InputError` for anything else."""
    data = parsed_json("problem", text)
    if not isinstance(data, dict):
        raise InputError("problem: the JSON must be an object")
    return data


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

    def text(name: str, item: Any) -> str:
        if isinstance(item, float):
            return np.format_float_positional(finite_number(name, item), trim="0")
        if isinstance(item, (list, tuple)):
            return "[" + ", ".join(text(name, part) for part in item) + "]"
        if isinstance(item, Mapping):
            return "{" + ", ".join(f"{json.dumps(key)}: {text(name, item[key])}" for key in item) + "}"
        return json.dumps(item, ensure_ascii=False)

    lines = [f"  {json.dumps(name)}: {text(name, item)}" for name, item in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}"
