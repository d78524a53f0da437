"""Evidence of the rows of a table about the qualities that were measured from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from math import ceil, prod
from typing import Any, TypeVar

import numpy as np

from pyfsel.measures.above_chance import above_chance
from pyfsel.measures.arrays import Floats, one_thread
from pyfsel.measures.standard_errors import N_REPLICATES, errors_of, is_known, pair_errors
from pyfsel.measures.tables.table import Table
from pyfsel.problem.evidence import Evidence
from pyfsel.problem.fractions import FacilityLocation
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import MRMR, GraphScore, Objective

CHANCE = ("mark", "forbid", "off")
FEW_ENTRIES = 2**22
"""Products of tables up to this size take milliseconds, in which more threads mostly wait for each other."""
FEWEST_LEFT = 6
"""Columns that `chance="forbid"` leaves at least, or as many as sets that share so little need."""


Kept = dict[tuple[Any, ...], Any]
"""What was measured of tables, by what it is."""
Found = TypeVar("Found")
SIGNED = "signed_pearson"
ODDITIES = ("oddities",)
"""The key of what is odd about a table."""


def once(kept: Kept, key: tuple[Any, ...], compute: Callable[[], Found]) -> Found:
    """Return what is kept under a key; compute and keep it if nothing is."""
    if key not in kept:
        kept[key] = compute()
    found: Found = kept[key]
    return found


def with_evidence(
    problem: Instance,
    tables: Sequence[Table],
    kind: Objective,
    measure: Any,
    chance: str | None,
    seed: Any,
    kept: Kept,
) -> Instance:
    """Return the problem with what its tables say of the qualities.

    Parameters
    ----------
    problem : Instance
    tables : sequence of Table
        One for each output. Errors are estimated only if there is one output.
    kind : Objective
        As it was given: with its measure of pairs, and by what it multiplies qualities and redundancies.
    measure : str or another description
        The measure of the qualities.
    chance : {"mark", "forbid", "off"}, optional
        As for `pyfsel.measures.from_table.problem_from_table`.
    seed : int or another description
        Anything but a whole number counts as 0.
    kept : dict
        What was measured of these tables already.
    """
    seed = int(seed) if isinstance(seed, (int, np.integer)) else 0
    chance = chance or ("forbid" if problem.objective == MRMR.name else "mark")
    position = {name: j for j, name in enumerate(tables[0].feature_names)}
    columns = np.array([position[name] for name in problem.feature_names])
    with one_thread() if prod(tables[0].X.shape) <= FEW_ENTRIES else nullcontext():
        p_values = None
        if chance != "off":
            p_values = once(kept, ("p_values",), lambda: _p_values(tables, seed))[columns]
        errors, of_pairs, name = None, None, measure if isinstance(measure, str) else ""
        names = (SIGNED, SIGNED) if kind.is_signed else (name, kind.pairs_measure or name)
        if len(tables) == 1 and not isinstance(kind, (GraphScore, FacilityLocation)):
            if not kind.is_signed:
                n_replicates = N_REPLICATES if kind.is_sum else 0  # a set has other errors than its features
                found = partial(errors_of, tables[0], measure, seed, n_replicates)
                errors = once(kept, ("errors", name, n_replicates), found)
            if not kind.is_sum and is_known(tables[0], *names):
                of_pairs = partial(pair_errors, tables[0], columns, names, kind.multipliers, seed)
    single, together = (None, None) if errors is None else (errors[0][columns], errors[1][:, columns])
    together = together if kind.is_sum else None
    problem = problem.replace(evidence=Evidence(p_values, chance == "forbid", single, together, of_pairs))
    return without_chance(problem) if chance == "forbid" else problem


def _p_values(tables: Sequence[Table], seed: int) -> Floats:
    """Return p-values over all columns and outputs: the minimum times the number of outputs (Bonferroni)."""
    each = np.array([above_chance(table, seed) for table in tables])
    return np.asarray(np.minimum(each.min(axis=0) * len(tables), 1.0))


def without_chance(problem: Instance) -> Instance:
    """Forbid the features that are not significant, as far as enough others are left.

    N sets of k features, any two of which share at most m, contain at least k² N / (k + (N − 1) m) features
    (Corrádi's lemma; Lovász, Combinatorial Problems and Exercises, 13.13): with fewer there are fewer sets.
    """
    assert problem.evidence is not None
    p_values = problem.evidence.p_values
    assert p_values is not None
    named = [*problem.forced, *(j for group in problem.groups for j in group.features)]
    named += [j for members in problem.previous for j in members]
    allowed = np.setdiff1d(np.arange(problem.n_features), problem.forbidden)
    k, n_sets = problem.k, problem.n_sets
    fewest = max(FEWEST_LEFT, ceil(k**2 * n_sets / (k + (n_sets - 1) * problem.max_shared)))
    by_chance = allowed[np.lexsort((-problem.quality[allowed], p_values[allowed]))]
    out = set(problem.evidence.not_above_chance(by_chance[fewest:])) - set(named)
    return problem.replace(forbidden=sorted({*problem.forbidden, *map(int, out)}))
