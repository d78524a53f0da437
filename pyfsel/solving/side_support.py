"""Which backend takes which constraint on single sets: a table of the support matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyfsel.backends import registry
from pyfsel.backends.base import Backend
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS, Group
from pyfsel.solving.support import (
    NOT_TAKEN,
    QUESTIONS,
    SPECIAL_CASES,
    backend_table,
    is_possible,
    probe,
    reason_against,
)

CHANGES: dict[str, dict[str, Any]] = {
    "size_range": {"min_set_size": 1},
    "forced": {"forced": (0,)},
    "forbidden": {"forbidden": (5,)},
    "groups": {"groups": (Group((0, 1), at_most=1),)},
    "budget": {"costs": np.arange(6), "budget": 100},
    "min_quality": {"min_quality": -1000},
}
INTRODUCTION = """## Side constraints

What each set can be asked to satisfy besides its size, in at least one formulation and search of the backend.
*yes*: with every objective that the backend takes; otherwise the objectives with which it does. Forbidden
features are left out before a backend sees the problem, in strengthened formulations.
"""


def taken_objectives(backend: Backend, changes: Mapping[str, Any]) -> list[str]:
    """Return the objectives that a backend takes in some formulation, search and special case.

    Parameters
    ----------
    backend : Backend
    changes : mapping
        Fields of the problem that it is asked about, besides those of `pyfsel.solving.support.probe`.

    Examples
    --------
    >>> taken_objectives(registry()["packing"], CHANGES["budget"])
    ['univariate', 'fcbf', 'mrmr', 'jmi', 'mifs', 'cife', 'graph_score']
    """
    return [objective for objective in OBJECTIVES if _takes(backend, objective, changes)]


def _takes(backend: Backend, objective: str, changes: Mapping[str, Any]) -> bool:
    cases = [{**changes, **case} for case in ({}, *SPECIAL_CASES.values())]
    return any(
        reason_against(backend, formulation, search, probe(objective, aggregate, **case)) is None
        for case in cases
        if is_possible(objective, case)
        for formulation in backend.formulations
        for search, aggregate in QUESTIONS
    )


def side_constraint_markdown() -> str:
    """Return the table of all registered backends and side constraints."""
    rows: dict[tuple[str, ...], list[str]] = {
        (name,): [_symbol(backend, constraint) for constraint in SIDE_CONSTRAINTS]
        for name, backend in registry().items()
    }
    return f"{INTRODUCTION}\n" + backend_table(SIDE_CONSTRAINTS, rows, "None is taken by")


def _symbol(backend: Backend, constraint: str) -> str:
    changes = CHANGES[constraint]
    taken = taken_objectives(backend, changes)
    general = [objective for objective in taken_objectives(backend, {}) if is_possible(objective, changes)]
    if taken and taken == general:
        return "yes"
    return ", ".join(taken) or NOT_TAKEN
