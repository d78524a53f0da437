"""Feature sets from what other programs print, or MiniZinc's Python package returns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any

from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.reductions import reduce
from pyfsel.reductions.restriction import Restriction
from pyfsel.results.control import STRENGTHENED

SET_LINE = re.compile(r"^set (\d+): .*\(features \[([\d, ]*)\], ", re.MULTILINE)
SELECTED = re.compile(r'\bselected"?\s*[:=]([^;"}]*)')
MODEL_LINE = re.compile(r"^[vs]\s", re.MULTILINE)
OPB_MODEL = re.compile(r"^v\s.*x\d", re.MULTILINE)
LARGEST_FRACTION = 1e-4  # solvers' tolerances for integers are 1e-5 and less
VALUE = r"(?P<value>[-+]?\d[\d.eE+-]*)"
VALUES = (
    rf"\b{{name}}[ \t]+(?:\*[ \t]+)?{VALUE}",
    rf"(?m)^\s*\d+(?:[ \t]+\S+){{{{2}}}}[ \t]+{VALUE}[ \t]+Integer[ \t]+{{name}}[ \t]*$",
    rf'<variable name="{{name}}"[^>]*\bvalue="{VALUE}"',
)
"""A variable and its value: most solvers, tables of HiGHS, CPLEX."""
MEMBER_OF_LP = r"(?P<name>x_(?P<set>\d+)_(?P<feature>\d+))"
VARIABLE_OF_OPB = r"(?P<name>x(?P<number>\d+))"
LOOKED_FOR = (
    "selected in MiniZinc's JSON or dzn",
    "lines that begin with 'set 0:'",
    "a model of WCNF or OPB (v ...)",
    "values of variables of LP or MPS (x_0_0 1) or OPB (x1 1)",
)
"""The formats of text, in the order in which they are looked for."""


def read_sets(problem: Instance, solution: Any, source: str = "solution") -> list[FeatureSet]:
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
    source : str
        Where the solution comes from, for errors.

    Returns
    -------
    list of feature sets

    Raises
    ------
    InputError
        If the solution contains no sets, or it belongs to another problem.

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
            return _from_text(problem, solution)
        return _from_rows(problem, _selected(solution))
    except InputError as error:
        subject, colon, rest = str(error).partition(": ")
        raise InputError(f"{source if subject == 'output' else subject}{colon}{rest}") from None


def _from_text(problem: Instance, text: str) -> list[FeatureSet]:
    for assigned in reversed(SELECTED.findall(text)):
        if rows := _rows(assigned, problem.n_features):
            return _from_rows(problem, rows)
    lines = {int(number): members for number, members in SET_LINE.findall(text)}
    if lines:
        return [tuple(map(int, re.findall(r"\d+", lines.get(i, "")))) for i in range(max(lines) + 1)]
    if MODEL_LINE.search(text):
        return _from_model(problem, text)
    sets = _from_values(problem, text)
    if sets is None:
        raise InputError(f"output: contains no sets. Looked for: {'; '.join(LOOKED_FOR)}.")
    return sets


def _rows(text: str, n_features: int) -> list[list[bool]]:
    """Return the truth values of rows in JSON, of ``array2d(0..1, 0..2, [...])`` or ``[| ... | ... |]``."""
    parts = (re.findall(r"\b(?:true|false)\b", part) for part in re.split(r"[\[\]|]", text))
    rows = [[word == "true" for word in part] for part in parts if part]
    if len(rows) == 1:
        return [rows[0][i : i + n_features] for i in range(0, len(rows[0]), n_features)]
    return rows


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


def _from_values(problem: Instance, output: str) -> list[FeatureSet] | None:
    """Return the sets in values of variables, or None if there are none; what is not listed is 0."""
    s, n = problem.n_sets, problem.n_features
    found = [(int(m["set"]), int(m["feature"]), m) for m in _matches(MEMBER_OF_LP, output)]
    if not found:
        numbers = [(int(m["number"]) - 1, m) for m in _matches(VARIABLE_OF_OPB, output)]
        found = [(*divmod(number, n), m) for number, m in numbers if number < s * n]
    sets: list[set[int]] = [set() for _ in range(s)]
    for i, j, match in found:
        try:
            value = float(match["value"])
        except ValueError:  # such as 1.2.3
            value = nan
        inside = value > LARGEST_FRACTION
        if i >= s or j >= n or not abs(value - inside) <= LARGEST_FRACTION:  # nan, too
            named = f"{match['name']} = {match['value']}"
            raise InputError(f"output: {named} does not belong to this problem")
        if inside:
            sets[i].add(j)
    return [tuple(sorted(members)) for members in sets] if found else None


def _matches(name: str, output: str) -> Iterator[re.Match[str]]:
    for line in VALUES:
        yield from re.finditer(line.format(name=name), output)


def _from_model(problem: Instance, output: str) -> list[FeatureSet]:
    """Return the sets in the model of a WCNF or OPB file; the latter has all features."""
    reduction = Restriction.none(problem) if OPB_MODEL.search(output) else reduce(problem, STRENGTHENED)
    n = reduction.problem.n_features
    true = true_variables(output, problem.n_sets * n)
    sets = [[j for j in range(n) if 1 + s * n + j in true] for s in range(problem.n_sets)]
    return [tuple(sorted(members)) for members in reduction.invert(sets)]


def true_variables(output: str, n_needed: int) -> set[int]:
    """Return the variables that the last model in a solver's output makes true.

    Raises
    ------
    InputError
        If there is none, or it says nothing about some variable up to `n_needed`.
    """
    lines = _last_model(output)
    if not lines:
        said = re.findall(r"^s\s+(.*)", output, re.MULTILINE)
        statement = f"; the solver says {said[-1].strip()}" if said else ""
        raise InputError(f"output: has no line with a model (v ...){statement}")
    digits = [line.replace(" ", "") for line in lines]
    if len({*map(len, digits)}) == 1 and len(digits[0]) >= n_needed:
        digits = digits[-1:]  # each line is a whole model: of a broken one the last line is shorter
    bits = "".join(digits)
    if set(bits) <= {"0", "1"} and len(bits) >= n_needed:
        return {i for i, bit in enumerate(bits, 1) if bit == "1"}
    text = " ".join(lines).replace("x", "").replace("~", "-")
    try:
        literals = [int(word) for word in text.removesuffix(" 0").rpartition(" 0 ")[2].split()]
    except ValueError:
        raise InputError("output: its model (v ...) is neither 0/1 digits nor literals") from None
    said_of = {abs(literal): literal for literal in literals}  # of several models without a 0 the last one
    missing = set(range(1, n_needed + 1)) - said_of.keys()
    if missing:
        raise InputError(f"output: its model says nothing about variable {min(missing)}")
    return {literal for literal in said_of.values() if literal > 0}


def _last_model(output: str) -> list[str]:
    """Return the v lines after the last better cost (o line) that has some, their words with one space."""
    lines: list[str] = []
    is_new = True
    for line in output.splitlines():
        kind, *words = line.split() or [""]
        if kind == "o":
            is_new = True
        elif kind == "v":
            lines = [*([] if is_new else lines), " ".join(words)]
            is_new = False
    return lines
