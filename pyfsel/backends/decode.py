"""Feature sets from what other programs print, or MiniZinc's Python package returns."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pyfsel.errors import InputError, VerificationError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.verify import violations

SET_LINE = re.compile(r"^set (\d+): .*\(features \[([\d, ]*)\], ", re.MULTILINE)
SELECTED_IN_FLATZINC = re.compile(
    r"^selected = array2d\(\s*0\.\.\d+,\s*0\.\.(\d+),\s*\[([^\]]*)\]", re.MULTILINE
)
SELECTED = re.compile(r'"selected"\s*:\s*(\[\s*\[[^\[\]]*\](?:\s*,\s*\[[^\[\]]*\])*\s*\])')


def decode(problem: Problem, solution: Any, formulation: str | None = None) -> tuple[FeatureSet, ...]:
    r"""Return the feature sets in the solution of another program, after checking them.

    Parameters
    ----------
    problem : Problem
        What was solved: by an instance of `minizinc_instance`, or a file of ``pyfsel export``.
    solution : minizinc.Result, mapping or str
        What MiniZinc's Python package returned, or the dictionary of its variables (with ``selected``), or
        text: what MiniZinc printed for a model of this package (its own output, or JSON), or a solver of
        FlatZinc, the model of a MaxSAT or pseudo-Boolean solver (``v`` lines), or values of the variables of
        an LP or MPS file. The last of several solutions counts.
    formulation : str, optional
        That of the export, for a MaxSAT model.

    Returns
    -------
    tuple of feature sets
        0-based features in ascending order. They satisfy the constraints; that nothing better exists is for
        the other program to say.

    Raises
    ------
    InputError
        If there are no sets in the solution, or it belongs to another problem.
    VerificationError
        If the sets break a constraint.

    Examples
    --------
    >>> problem = Problem(quality=[5, 4, 3], n_sets=2, set_size=2, max_overlap=1)
    >>> decode(problem, '{"selected": [[true, true, false], [true, false, true]]}')
    ((0, 1), (0, 2))
    >>> decode(problem, "set 0: f0, f1  (features [0, 1], quality 9.0)\nset 1: f0, f2  (features [0, 2], …")
    ((0, 1), (0, 2))
    """
    sets = read_sets(problem, solution, formulation)
    found = violations(problem, sets)
    if found:
        raise VerificationError(f"solution: {'; '.join(found)}")
    return tuple(tuple(sorted(members)) for members in sets)


def read_sets(
    problem: Problem, solution: Any, formulation: str | None = None, source: str = "solution"
) -> list[FeatureSet]:
    """Return the feature sets in a solution, not verified; parameters and errors as for `decode`.

    Parameters
    ----------
    source : str
        Where the solution comes from, for errors.
    """
    try:
        if isinstance(solution, str):
            return _from_text(problem, solution, formulation)
        return _from_rows(problem, _selected(solution))
    except InputError as error:
        subject, colon, rest = str(error).partition(": ")
        raise InputError(f"{source if subject == 'output' else subject}{colon}{rest}") from None


def _from_text(problem: Problem, text: str, formulation: str | None) -> list[FeatureSet]:
    from pyfsel.backends.lp import decode_lp
    from pyfsel.backends.maxsat.wcnf import decode_model

    flat = SELECTED_IN_FLATZINC.findall(text)
    if flat:
        n_features, values = 1 + int(flat[-1][0]), re.findall(r"true|false", flat[-1][1])
        starts = range(0, len(values), n_features)
        return _from_rows(problem, [[v == "true" for v in values[i : i + n_features]] for i in starts])
    rows = SELECTED.findall(text)
    if rows:
        return _from_rows(problem, json.loads(rows[-1]))
    lines = {int(number): members for number, members in SET_LINE.findall(text)}
    if lines:
        return [_members(lines.get(number, "")) for number in range(max(lines) + 1)]
    if any(line.startswith(("v ", "s ")) for line in text.splitlines()):
        return decode_model(problem, text, formulation)
    return decode_lp(problem, text)


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


def _from_rows(problem: Problem, rows: Any) -> list[FeatureSet]:
    try:
        sizes = {len(row) for row in rows}
    except TypeError:
        raise InputError("output: selected must be rows of truth values") from None
    if sizes != {problem.n_features}:
        raise InputError(f"output: the rows of selected must have {problem.n_features} features each")
    return [tuple(j for j, inside in enumerate(row) if inside) for row in rows]
