"""The support matrix: which backend takes which objective, search and side constraint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pyfsel.backends import registry
from pyfsel.backends.base import Backend, refusal
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.side_constraints import Group
from pyfsel.solving.sequential import unsupported_steps

NOT_TAKEN = "–"
QUESTIONS = (("sequential", "sum"), ("simultaneous", "sum"), ("simultaneous", "min"))
"""Search and aggregate; the steps of a sequential search have one set and nothing to aggregate."""

SPECIAL_CASES = {
    "disjoint sets": {"max_shared": 0},
    "sets may be equal": {"max_shared": 2},
    "one set": {"n_sets": 1},
    "one set of free size": {"k_min": 1, "k": 6, "max_shared": 6, "n_sets": 1},
}
CHANGES: dict[str, dict[str, Any]] = {
    "size_range": {"k_min": 1},
    "forced": {"forced": (0,)},
    "forbidden": {"forbidden": (5,)},
    "groups": {"groups": (Group((0, 1), at_most=1),)},
    "budget": {"costs": tuple(range(6)), "budget": 100},
    "min_quality": {"min_quality": -1000},
    "shared_price": {"aggregate": "sum", "shared_price": 1, "previous": ((0, 1),)},
    "weighted": {"aggregate": "weighted"},
    "difference": {"aggregate": "difference"},
}
INTRODUCTION = """## Side constraints

What each set can be asked to satisfy besides its size, in at least one formulation and search of the backend.
*yes*: with every objective that the backend takes; otherwise the objectives with which it does. Forbidden
features are left out before a backend sees the problem, in strengthened formulations.
"""


@dataclass(frozen=True)
class Support:
    """One cell of the matrix.

    Parameters
    ----------
    objective, search, aggregate : str
    backend, formulation : str
    exact : bool
        Whether the backend can prove optimality.
    reason : str or None
        Why it does not take the general case: several sets that may share some features. None if it does.
    special_cases : tuple of str
        What it takes if it does not take the general case.
    """

    objective: str
    search: str
    aggregate: str
    backend: str
    formulation: str
    exact: bool
    reason: str | None
    special_cases: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        """A word for a table cell."""
        word = "exact" if self.exact else "heuristic"
        if self.reason is None:
            return word
        return f"{word}: {', '.join(self.special_cases)}" if self.special_cases else NOT_TAKEN


@cache
def probe(objective: str, aggregate: str, **changes: object) -> Instance:
    """Return a small problem of an objective: three sets of two of six features, which may share one."""
    if changes:
        return probe(objective, aggregate).replace(**changes)
    redundancy = np.arange(36).reshape(6, 6)
    return Instance(
        quality=np.arange(6),
        n_sets=3,
        k=2,
        max_shared=1,
        objective=objective,
        aggregate=aggregate,
        scale=1000,
        redundancy=redundancy + redundancy.T - 2 * np.diag(redundancy.diagonal()),
        conflicts=((0, 1),) if OBJECTIVES[objective].has_conflicts else (),
    )


def support_matrix() -> list[Support]:
    """Return the support of all registered backends, installed or not.

    Every cell is what the backend itself answers about a small problem of that kind.

    Examples
    --------
    >>> cells = support_matrix()
    >>> next(c.symbol for c in cells if c.backend == "brute-force" and c.objective == "mrmr")
    'exact'
    """
    return [
        _cell(backend, formulation, objective, search, aggregate)
        for objective in OBJECTIVES
        for backend in registry().values()
        for formulation in backend.formulations
        for search, aggregate in QUESTIONS
    ]


def _cell(backend: Backend, formulation: str, objective: str, search: str, aggregate: str) -> Support:
    reason = reason_against(backend, formulation, search, probe(objective, aggregate))
    special: tuple[str, ...] = ()
    if reason is not None:
        special = tuple(
            name
            for name, changes in SPECIAL_CASES.items()
            if not (search == "simultaneous" and name == "one set")
            and is_possible(objective, changes)
            and reason_against(backend, formulation, search, probe(objective, aggregate, **changes)) is None
        )
    return Support(objective, search, aggregate, backend.name, formulation, backend.exact, reason, special)


def is_possible(objective: str, changes: Mapping[str, Any]) -> bool:
    """Return whether problems of an objective can have these fields: some have one size only."""
    sizes = range(changes.get("k_min", 2), changes.get("k", 2) + 1)
    return len(sizes) == 1 or not OBJECTIVES[objective].has_one_size


def reason_against(backend: Backend, formulation: str, search: str, problem: Instance) -> str | None:
    """Return why a backend does not take a problem in a search, or None."""
    if search not in backend.searches:
        return f"does {', '.join(backend.searches)} search only"
    if search == "sequential":
        return unsupported_steps(backend, problem, formulation)
    return refusal(backend, problem, formulation)


def objective_table(cells: list[Support]) -> str:
    """Return the cells of one objective as a Markdown table."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for cell in cells:
        rows.setdefault((cell.backend, cell.formulation), []).append(cell.symbol)
    heads = ("formulation", "sequential", "simultaneous, sum", "simultaneous, min")
    return backend_table(heads, rows, "Not taken by")


def backend_table(
    heads: Sequence[str], rows: Mapping[tuple[str, ...], Sequence[str]], nothing_by: str
) -> str:
    """Return a Markdown table of backends: those of one family with the same cells share a row.

    Parameters
    ----------
    heads : sequence of str
        Of the columns after the names.
    rows : mapping
        From a name, and perhaps labels that come first in its row, to cells; "–" is taken for nothing.
    nothing_by : str
        Begins the sentence about backends without any other cell.
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for (name, *labels), cells in rows.items():
        if set(cells) != {NOT_TAKEN}:
            alike.setdefault((name.partition(":")[0], *labels, *cells), []).append(name)
    lines = [f"| backend | {' | '.join(heads)} |", "|" + "---|" * (len(heads) + 1)]
    for (_, *cells), names in alike.items():
        lines.append(f"| {_listed(names)} | {' | '.join(cells)} |")
    others = {name for name, *_ in rows}.difference(*alike.values())
    if others:
        lines += ["", f"{nothing_by} {_listed(sorted(others))}."]
    return "\n".join(lines) + "\n"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def taken_objectives(backend: Backend, changes: Mapping[str, Any]) -> list[str]:
    """Return the objectives that a backend takes in some formulation, search and special case.

    Parameters
    ----------
    backend : Backend
    changes : mapping
        Fields of the problem that it is asked about, in addition to those of `pyfsel.solving.support.probe`.

    Examples
    --------
    >>> taken_objectives(registry()["packing"], CHANGES["budget"])
    ['univariate', 'fcbf', 'mrmr', 'jmi', 'mifs', 'cife', 'graph_score']
    """
    return [objective for objective in OBJECTIVES if _takes(backend, objective, changes)]


def _takes(backend: Backend, objective: str, changes: Mapping[str, Any]) -> bool:
    cases = [{**changes, **case} for case in ({}, *SPECIAL_CASES.values())]
    return any(
        reason_against(backend, formulation, search, probe(objective, **{"aggregate": aggregate, **case}))
        is None
        for case in cases
        if is_possible(objective, case)
        and (case.get("n_sets") != 1 or case.get("aggregate") in (None, "sum"))
        for formulation in backend.formulations
        for search, aggregate in QUESTIONS
    )


def side_constraint_markdown() -> str:
    """Return the table of all registered backends and side constraints."""
    rows: dict[tuple[str, ...], list[str]] = {
        (name,): [_symbol(backend, constraint) for constraint in CHANGES]
        for name, backend in registry().items()
    }
    return f"{INTRODUCTION}\n" + backend_table(tuple(CHANGES), rows, "None is taken by")


def _symbol(backend: Backend, constraint: str) -> str:
    changes = CHANGES[constraint]
    taken = taken_objectives(backend, changes)
    general = [objective for objective in taken_objectives(backend, {}) if is_possible(objective, changes)]
    if taken and taken == general:
        return "yes"
    return ", ".join(taken) or NOT_TAKEN


def support_markdown() -> str:
    """Return the matrix as Markdown: one table per objective, and that of side constraints."""
    cells = support_matrix()
    parts = [HEADER]
    for objective in OBJECTIVES:
        mine = [cell for cell in cells if cell.objective == objective]
        parts.append(f"## {objective} ({OBJECTIVES[objective].equation})\n\n{objective_table(mine)}")
    parts += [side_constraint_markdown()]
    return "\n".join(parts)


HEADER = """# What is supported

Written by `pyfsel models --support`; do not edit. Each cell is what the backend itself answers about a small
problem of that kind (three sets of two of six features that may share one), whether it is installed or not.

*exact*: proves optimality and infeasibility. *heuristic*: never claims either. After a colon: the only cases
that it takes. *–*: not taken; `pyfsel solve` says why. Limits of size are not part of this table.
"""
