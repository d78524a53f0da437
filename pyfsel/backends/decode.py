"""Feature sets from what other programs print, or MiniZinc's Python package returns."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet

SET_LINE = re.compile(r"^set (\d+): .*\(features \[([\d, ]*)\], ", re.MULTILINE)
SELECTED_IN_DZN = re.compile(r"^selected\s*=\s*([^;]*);", re.MULTILINE)
ROWS_IN_DZN = re.compile(r"array2d\(\s*-?\d+\.\.-?\d+,\s*(-?\d+)\.\.(-?\d+),")
SELECTED = re.compile(r'"selected"\s*:\s*(\[\s*\[[^\[\]]*\](?:\s*,\s*\[[^\[\]]*\])*\s*\])')
MODEL_LINE = re.compile(r"^[vs]\s", re.MULTILINE)
LOOKED_FOR = (
    "selected in MiniZinc's JSON or dzn",
    "lines that begin with 'set 0:'",
    "a model of WCNF or OPB (v ...)",
    "values of variables of LP or MPS (x_0_0 1) or OPB (x1 1)",
)
"""The formats of text, in the order in which they are looked for."""


def read_sets(
    problem: Instance, solution: Any, formulation: str | None = None, source: str = "solution"
) -> list[FeatureSet]:
    r"""Return the feature sets in the solution of another program, not verified.

    Parameters
    ----------
    problem : Instance
        What was solved: the data of a model, or a file of `pyfsel.export`.
    solution : minizinc.Result, mapping or str
        What MiniZinc's Python package returned, or the dictionary of its variables (with ``selected``), or
        text: what MiniZinc printed (its own output, JSON, or dzn), the model of a MaxSAT or pseudo-Boolean
        solver (``v`` lines), or values of the variables of an LP, MPS or OPB file. The last of several
        solutions counts.
    formulation : str, optional
        That of the export, for a MaxSAT model.
    source : str
        Where the solution comes from, for errors.

    Returns
    -------
    list of feature sets

    Raises
    ------
    InputError
        If there are no sets in the solution, or it belongs to another problem.

    Examples
    --------
    >>> problem = Instance(quality=[5, 4, 3], n_sets=2, k=2, max_shared=1)
    >>> read_sets(problem, '{"selected": [[true, true, false], [true, false, true]]}')
    [(0, 1), (0, 2)]
    >>> read_sets(problem, "x_0_0 1\nx_0_1 1\nx_1_0 1\nx_1_2 1")
    [(0, 1), (0, 2)]
    """
    try:
        if isinstance(solution, str):
            return _from_text(problem, solution, formulation)
        return _from_rows(problem, _selected(solution))
    except InputError as error:
        subject, colon, rest = str(error).partition(": ")
        raise InputError(f"{source if subject == 'output' else subject}{colon}{rest}") from None


def _from_text(problem: Instance, text: str, formulation: str | None) -> list[FeatureSet]:
    from pyfsel.backends.lp import decode_values
    from pyfsel.backends.maxsat.wcnf import decode_model

    rows = SELECTED.findall(text)
    if rows:
        return _from_rows(problem, json.loads(rows[-1]))
    assigned = SELECTED_IN_DZN.findall(text)
    if assigned:
        return _from_rows(problem, _rows_of_dzn(assigned[-1]))
    lines = {int(number): members for number, members in SET_LINE.findall(text)}
    if lines:
        return [_members(lines.get(number, "")) for number in range(max(lines) + 1)]
    if MODEL_LINE.search(text):
        return decode_model(problem, text, formulation)
    sets = decode_values(problem, text)
    if sets is None:
        raise InputError(f"output: contains no sets. Looked for: {'; '.join(LOOKED_FOR)}.")
    return sets


def _rows_of_dzn(text: str) -> list[list[bool]]:
    """Return the truth values of ``array2d(0..1, 0..2, [...])`` or ``[| ... | ... |]``."""
    indexed = ROWS_IN_DZN.match(text)
    parts = [text] if indexed else text.split("|")
    rows = [[word == "true" for word in re.findall(r"\b(true|false)\b", part)] for part in parts]
    if indexed:
        n_features = int(indexed[2]) - int(indexed[1]) + 1
        return [rows[0][i : i + n_features] for i in range(0, len(rows[0]), n_features)]
    return [row for row in rows if row]


def _members(text: str) -> FeatureSet:
    return tuple(int(number) for number in text.replace(",", " ").split())


def _selected(solution: Any) -> Any:
    """Return the variables `selected` of a result, the last of several, or of a mapping."""
    found = getattr(solution, "solution", solution)
    if isinstance(found, Sequence) and found:
        found = found[-1]
    rows = found.get("selected") if isinstance(found, Mapping) else getattr(found, "selected", None)
    if rows is None:
        status = getattr(solution, "status", None)
        raise InputError(
            f"output: has no variables `selected`{f', its status is {status}' if status else ''}"
        )
    return rows


def _from_rows(problem: Instance, rows: Any) -> list[FeatureSet]:
    try:
        sizes = {len(row) for row in rows}
    except TypeError:
        raise InputError("output: selected must be rows of truth values") from None
    if sizes != {problem.n_features}:
        raise InputError(f"output: the rows of selected must have {problem.n_features} features each")
    return [tuple(j for j, inside in enumerate(row) if inside) for row in rows]
