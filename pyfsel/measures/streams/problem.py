"""From a table beyond memory to a problem, as `pyfsel.measures.from_table` does of one in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyfsel.errors import InputError
from pyfsel.measures.evidence import CHANCE, without_chance
from pyfsel.measures.normalise import (
    NO_UNIT,
    least_quality,
    normalise_jointly,
    normalise_qualities,
    unit_factor,
)
from pyfsel.measures.registry import unit_of
from pyfsel.measures.streams.counting import ALL_PAIRS, read
from pyfsel.measures.streams.moments import MEASURE
from pyfsel.measures.streams.read import ReadTable
from pyfsel.measures.streams.sources import are_files, is_stream, open_source
from pyfsel.measures.streams.statistics import MEASURES
from pyfsel.problem.checks import integer_in, list_of, one_of, shown
from pyfsel.problem.evidence import Evidence
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.names import feature_numbers
from pyfsel.problem.objectives import OBJECTIVES, Mrmr

OF_ROWS = {
    "sample_weight": None,
    "row_groups": None,
    "redundancy_measure": None,
    "feature_names": None,
    "dates": "error",
    "outputs": "mean",
}
"""What can be asked of a table in memory only, and its default."""


def read_in_parts(
    X: Any,
    target: str,
    *,
    measure: Any = None,
    objective: str = Instance.objective,
    task: str = "auto",
    missing: str = "error",
    n_jobs: int | None = None,
    copies: Any = "note",
    **others: Any,
) -> ReadTable:
    """Return a table that is read in parts, with what a measure needs of it.

    Parameters
    ----------
    X : files, lazy tables or streams
        As for `pyfsel.measures.streams.sources.open_source`.
    target : str
        The column to be predicted.
    measure, objective, task, missing, n_jobs, copies, **others
        As for `pyfsel.measures.from_table.problem_from_table`.

    Raises
    ------
    InputError
        If something is asked that takes a table in memory.
    """
    if not (is_stream(X) or are_files(X) or hasattr(X, "__arrow_c_stream__")):
        raise InputError(f"y={shown(target)}: must be a list, one value for each row of X")
    if not isinstance(copies, str) or copies == "merge":
        others["copies"] = copies
    for name, default in {**OF_ROWS, "copies": None}.items():
        given = others.get(name, default)
        if given is not default and not (isinstance(given, str) and given == default):
            raise InputError(f"{name}={shown(given)}: is not for a table that is read in parts")
    measure = counted_measure(measure, objective)
    pairs = OBJECTIVES[objective].needs_pairs and others.get("keep_best") is None
    return read(open_source(X), target, measure, task=task, missing=missing, n_jobs=n_jobs, pairs=pairs)


def problem_from_stream(
    table: ReadTable,
    *,
    measure: str | None = None,
    normalise: bool = True,
    keep_best: int | None = None,
    chance: str | None = None,
    **asked: Any,
) -> Instance:
    """Build the problem of a table that was read in parts.

    Parameters
    ----------
    table : ReadTable
    measure : {"information", "information_share"}, optional
        By default that of the objective; of a table that was read for correlations "pearson".
    normalise, chance
        As for `pyfsel.measures.from_table.problem_from_table`; how likely chance makes a column tell so much
        is said by the χ² distribution.
    keep_best : int, optional
        Forbid all but so many features of highest quality, and count the pairs of these only. Of more than
        500, mRMR and MIFS count pairs when the search asks for them.
    **asked
        `k` and the other keyword arguments of `pyfsel.make_instance`.

    Raises
    ------
    InputError
        If an argument is not allowed, or a measure does not follow from counts.
    """
    objective = asked.setdefault("objective", Instance.objective)
    one_of("objective", objective, OBJECTIVES)
    kind, statistics = OBJECTIVES[objective], table.statistics
    measure = counted_measure(measure, objective)
    if chance is not None:
        one_of("chance", chance, CHANCE)
    raw = statistics.relevance(measure)
    names = asked["feature_names"] = statistics.names
    out = statistics.is_constant.copy()
    if keep_best is not None:
        best = np.argsort(-raw, kind="stable")[: integer_in("keep_best", keep_best, 1, None)]
        out |= ~np.isin(np.arange(len(raw)), best)
    is_forced = np.isin(np.arange(len(raw)), feature_numbers("forced", asked.get("forced", ()), names))
    asked["forbidden"] = [
        *list_of("forbidden", asked.get("forbidden", ())),
        *(names[j] for j in np.flatnonzero(out & ~is_forced)),
    ]
    wanted, q = asked.get("min_quality"), raw
    r: Any = None
    wide = None
    if kind.has_pairs and np.count_nonzero(~out) > ALL_PAIRS and measure == MEASURES[0]:
        wide = table.on_demand()
    if kind.needs_pairs and wide is None:
        paired = (~out | is_forced) & ~statistics.is_constant
        if kind.has_conflicts:
            paired &= raw > 0
        r = table.paired(np.flatnonzero(paired).tolist()).redundancy(measure)
    if wide is not None:
        r, q = wide, raw / wide.bound if normalise and kind.is_difference else raw
    elif normalise and r is None:
        q = normalise_qualities(raw)
    elif normalise and kind.is_difference:
        q, r = normalise_jointly(raw, r)
    unit = unit_of(measure) if kind.is_sum else ""
    factor = unit_factor(raw, q) if kind.is_sum else 1.0
    if isinstance(wanted, str):
        asked["min_quality"] = least_quality(wanted, unit or NO_UNIT, factor)
    problem = make_instance(q, r, **asked)
    if unit:
        problem = problem.replace(quality_unit=unit, unit_factor=factor)
    chance = chance or ("forbid" if objective == Mrmr.name else "mark")
    if chance == "off":
        return problem
    problem = problem.replace(evidence=Evidence(statistics.p_values(), chance == "forbid"))
    return without_chance(problem) if chance == "forbid" else problem


def counted_measure(measure: Any, objective: str) -> str:
    """Return the measure that is asked for, or that of an objective.

    Raises
    ------
    InputError
        If it does not follow from counts.
    """
    one_of("objective", objective, OBJECTIVES)
    kind = OBJECTIVES[objective]
    measure = kind.default_measure if measure is None else measure
    if (
        not isinstance(measure, str)
        or measure not in (*MEASURES, MEASURE)
        or kind.default_redundancy
        or kind.is_signed
    ):
        raise InputError(
            f"measure={shown(measure)}, objective={objective!r}: of a table read in parts measures must be "
            f"{', '.join(MEASURES)} or {MEASURE}, and objectives other than jmi, cife, r2 and graph_score; "
            "rows that are drawn take all (--sample on the command line)"
        )
    return measure
