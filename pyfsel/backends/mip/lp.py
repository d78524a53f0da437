"""LP and MPS files of the literal linear model.

Written here because the exporters at hand are not safe for other programs: OR-Tools writes six digits, and
CBC reads neither the section names of HiGHS's LP files nor a maximisation in its MPS files. So objectives
are minimised, integers are written in full, and sections have the names that every reader knows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from pyfsel.backends.mip.linear_model import LinearModel, Terms, literal_model
from pyfsel.errors import InputError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem

TERMS_PER_LINE = 8
MEMBER_VALUES = tuple(
    re.compile(line.format(name=r"x_(?P<set>\d+)_(?P<feature>\d+)", value=r"(?P<value>[-+]?\d[\d.eE+-]*)"))
    for line in (
        r"\b{name}[ \t]+(?:\*[ \t]+)?{value}",
        r"(?m)^\s*\d+(?:[ \t]+\S+){{2}}[ \t]+{value}[ \t]+Integer[ \t]+{name}[ \t]*$",
        r'<variable name="{name}"[^>]*\bvalue="{value}"',
    )
)
"""A member variable and its value: most solvers, tables of HiGHS, CPLEX."""
LARGEST_FRACTION = 1e-4
ROW_TYPES = {"<=": "L", ">=": "G", "=": "E"}


def lp_text(problem: Problem, formulation: str | None = None) -> str:
    """Return the problem in CPLEX LP format.

    Parameters
    ----------
    problem : Problem
    formulation : {None, "literal"}

    Raises
    ------
    InputError
        If the formulation is unknown.
    UnsupportedError
        If the objective is not linear.
    """
    model = _model(problem, formulation)
    lines = [f"\\ {line}" for line in _header(problem)]
    lines += ["Minimize", *_wrapped("obj", model.cost), "Subject To"]
    for row in model.rows:
        *full, last = _wrapped(row.name, row.terms or [(0, model.binary[0])])
        lines += [*full, f"{last} {row.sense} {row.rhs}"]
    if model.free or model.carries:
        lines += ["Bounds", *(f" {name} free" for name in model.free)]
        lines += [f" {low} <= {name} <= {high}" for name, (low, high) in model.carries.items()]
    if model.carries:
        lines += ["Generals", *(f" {name}" for name in model.carries)]
    lines += ["Binaries", *(f" {name}" for name in model.binary), "End"]
    return "\n".join(lines) + "\n"


def mps_text(problem: Problem, formulation: str | None = None) -> str:
    """Return the problem in free MPS format; parameters and errors as for `lp_text`."""
    model = _model(problem, formulation)
    lines = [f"* {line}" for line in _header(problem)]
    lines += ["NAME pyfsel", "ROWS", " N cost"]
    lines += [f" {ROW_TYPES[row.sense]} {row.name}" for row in model.rows]
    columns = _columns(model)
    lines += ["COLUMNS", "    MARKER                 'MARKER'                 'INTORG'"]
    lines += _column_lines([*model.binary, *model.carries], columns)
    lines += ["    MARKER                 'MARKER'                 'INTEND'"]
    lines += _column_lines(model.free, columns)
    lines += ["RHS", *(f"    rhs {row.name} {row.rhs}" for row in model.rows if row.rhs)]
    lines += ["BOUNDS", *(f" BV bound {name}" for name in model.binary)]
    for name, (low, high) in model.carries.items():
        lines += [f" LO bound {name} {low}", f" UP bound {name} {high}"]
    lines += [*(f" FR bound {name}" for name in model.free), "ENDATA"]
    return "\n".join(lines) + "\n"


def decode_lp(problem: Problem, output: str) -> list[FeatureSet]:
    r"""Return the feature sets in the solution file of a solver that read `lp_text` or `mps_text`.

    Parameters
    ----------
    problem : Problem
        The problem that was exported.
    output : str
        Lines in which the name of a variable is followed by its value, as CBC, HiGHS, SCIP, Gurobi and GLPK
        write them, a table of HiGHS, or XML of CPLEX; what is not listed is 0.

    Returns
    -------
    list of sets
        Not verified: see `pyfsel.verify`.

    Raises
    ------
    InputError
        If the output names no member variable, or a set or value that cannot be.

    Examples
    --------
    >>> decode_lp(Problem(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1), "x_0_0 1\nx_0_1 0")
    [(0,)]
    """
    found = [match for pattern in MEMBER_VALUES for match in pattern.finditer(output)]
    if not found:
        raise InputError("output: names no variable x_i_j with a value")
    sets: list[set[int]] = [set() for _ in range(problem.n_sets)]
    for number, feature, value in (match.group("set", "feature", "value") for match in found):
        nearest = round(float(value))
        is_there = int(number) < problem.n_sets and int(feature) < problem.n_features
        if not is_there or nearest not in (0, 1) or abs(float(value) - nearest) > LARGEST_FRACTION:
            raise InputError(f"output: x_{number}_{feature} = {value} does not belong to this problem")
        if nearest:
            sets[int(number)].add(int(feature))
    return [tuple(sorted(members)) for members in sets]


def _model(problem: Problem, formulation: str | None) -> LinearModel:
    if formulation not in (None, "literal"):
        raise InputError(f"formulation={formulation!r}: lp and mps have literal")
    return literal_model(problem)


def _header(problem: Problem) -> list[str]:
    return [
        f"alternative feature selection: {problem.n_sets} sets of {problem.set_size} out of "
        f"{problem.n_features} features, at most {problem.max_overlap} shared",
        f"objective {problem.objective}, aggregate {problem.aggregate}; literal linear model",
        "x_i_j = 1: set i contains feature j (both from 0)",
        "the least cost is minus the largest integer objective",
    ]


def _wrapped(name: str, terms: Terms) -> list[str]:
    """Return a labelled sum on lines short enough for every reader."""
    words = [f"{'-' if factor < 0 else '+'} {abs(factor)} {variable}" for factor, variable in terms]
    chunks = [" ".join(words[i : i + TERMS_PER_LINE]) for i in range(0, len(words), TERMS_PER_LINE)]
    return [f" {name}: {chunks[0]}", *(f"  {chunk}" for chunk in chunks[1:])]


def _columns(model: LinearModel) -> dict[str, list[tuple[str, int]]]:
    columns: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for factor, variable in model.cost:
        columns[variable].append(("cost", factor))
    for row in model.rows:
        for factor, variable in row.terms:
            columns[variable].append((row.name, factor))
    return columns


def _column_lines(variables: list[str], columns: dict[str, list[tuple[str, int]]]) -> Iterator[str]:
    for variable in variables:
        for row, factor in columns[variable]:
            yield f"    {variable} {row} {factor}"
