"""The problem as a MiniZinc data file (``.dzn``), with the names that `models/lib/problem.mzn` declares."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from pyfsel.errors import InputError
from pyfsel.problem.problem import Problem


def dzn_text(problem: Problem, formulation: str | None = None) -> str:
    """Return the problem as MiniZinc data; features are numbered from 0, as everywhere.

    Raises
    ------
    InputError
        If a formulation is given: the data are the same for all of them.

    Examples
    --------
    >>> print(dzn_text(Problem(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1)).splitlines()[0])
    n_features = 2;
    """
    if formulation is not None:
        raise InputError(f"formulation={formulation!r}: dzn describes the problem, not a formulation of it")
    redundancy = [] if problem.redundancy is None else problem.redundancy.tolist()
    items = {
        "n_features": str(problem.n_features),
        "n_sets": str(problem.n_sets),
        "set_size": str(problem.set_size),
        "max_overlap": str(problem.max_overlap),
        "objective": _string(problem.objective),
        "aggregate": _string(problem.aggregate),
        "scale": np.format_float_positional(problem.scale, trim="0"),
        "quality": f"array1d(0..{problem.n_features - 1}, {_list(map(str, problem.quality.tolist()))})",
        "redundancy": _matrix(redundancy),
        "conflicts": _matrix(problem.conflicts),
        "previous_sets": _sets(problem.previous_sets),
        "feature_names": _list(map(_string, problem.feature_names)),
    }
    return "".join(f"{name} = {text};\n" for name, text in {**items, **_side_constraints(problem)}.items())


def _side_constraints(problem: Problem) -> dict[str, str]:
    groups = problem.groups
    items = {
        "forced": _numbers(problem.forced),
        "forbidden": _numbers(problem.forbidden),
        "groups": _sets(group.features for group in groups),
        "group_at_least": _numbers(group.at_least for group in groups),
        "group_at_most": _numbers(group.at_most for group in groups),
        "group_all_or_nothing": _list(str(group.all_or_nothing).lower() for group in groups),
        "costs": _numbers([] if problem.costs is None else problem.costs.tolist()),
    }
    optional = {
        "min_set_size": problem.sizes[0] if problem.has_size_range else None,
        "overlap_factor": problem.overlap_factor,
        "size_factor": problem.size_factor,
        "budget": problem.budget,
        "min_quality": problem.min_quality,
    }
    return items | {name: str(number) for name, number in optional.items() if number is not None}


def _string(text: str) -> str:
    known = "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return json.dumps(known, ensure_ascii=False)


def _list(parts: Iterable[str]) -> str:
    return "[" + ", ".join(parts) + "]"


def _numbers(numbers: Iterable[object]) -> str:
    return _list(map(str, numbers))


def _sets(sets: Iterable[Iterable[int]]) -> str:
    return _list("{" + ", ".join(map(str, members)) + "}" for members in sets)


def _matrix(rows: Sequence[Sequence[int]]) -> str:
    if not rows:
        return "array2d(1..0, 1..0, [])"
    return "[|" + "|".join(", ".join(map(str, row)) for row in rows) + "|]"
