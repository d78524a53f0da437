"""LP and MPS files of the literal linear model, and back from the solutions of other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyfsel.drivers.linear import files
from pyfsel.drivers.linear.model import LinearModel, linear_model
from pyfsel.errors import InputError
from pyfsel.model.build import build, unsupported
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import LITERAL

LARGEST_FRACTION = 1e-4  # solvers' tolerances for integers are 1e-5 and less
LINES = (
    r"\b{name}[ \t]+(?:\*[ \t]+)?{value}",
    r"(?m)^\s*\d+(?:[ \t]+\S+){{2}}[ \t]+{value}[ \t]+Integer[ \t]+{name}[ \t]*$",
    r'<variable name="{name}"[^>]*\bvalue="{value}"',
)
"""A variable and its value: most solvers, tables of HiGHS, CPLEX."""
VALUE = r"(?P<value>[-+]?\d[\d.eE+-]*)"
MEMBER_OF_LP = r"(?P<name>x_(?P<set>\d+)_(?P<feature>\d+))"
VARIABLE_OF_OPB = r"(?P<name>x(?P<number>\d+))"


def lp_text(problem: Instance, formulation: str | None = None) -> str:
    """Return the problem in CPLEX LP format.

    Parameters
    ----------
    problem : Instance
    formulation : {None, "literal"}

    Raises
    ------
    InputError
        If the formulation is unknown.
    InputError
        If the objective is not linear.
    """
    return files.lp_text(_model(problem, formulation), _header(problem))


def mps_text(problem: Instance, formulation: str | None = None) -> str:
    """Return the problem in free MPS format; parameters and errors as for `lp_text`."""
    return files.mps_text(_model(problem, formulation), _header(problem))


def decode_values(problem: Instance, output: str) -> list[FeatureSet] | None:
    r"""Return the feature sets in the solution file of a solver that read an LP, MPS, or OPB file.

    Parameters
    ----------
    problem : Instance
        The problem that was exported.
    output : str
        Lines in which the name of a variable is followed by its value, as CBC, HiGHS, SCIP, Gurobi and GLPK
        write them, a table of HiGHS, or XML of CPLEX; what is not listed is 0.

    Returns
    -------
    list of sets or None
        Not verified: see `pyfsel.verify`. None if the output names no variable of a set.

    Raises
    ------
    InputError
        If it names a set or value that cannot be.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2], n_sets=1, k=1, max_shared=1)
    >>> decode_values(problem, "x_0_0 1\nx_0_1 0"), decode_values(problem, "x1 0\nx2 1")
    ([(0,)], [(1,)])
    """
    s, n = problem.n_sets, problem.n_features
    found = [(int(m["set"]), int(m["feature"]), m) for m in _matches(MEMBER_OF_LP, output)]
    if not found:
        numbers = [(int(m["number"]) - 1, m) for m in _matches(VARIABLE_OF_OPB, output)]
        found = [(*divmod(number, n), m) for number, m in numbers if number < s * n]
    sets: list[set[int]] = [set() for _ in range(s)]
    for i, j, match in found:
        value = float(match["value"])
        nearest = round(value)
        if i >= s or j >= n or nearest not in (0, 1) or abs(value - nearest) > LARGEST_FRACTION:
            named = f"{match['name']} = {match['value']}"
            raise InputError(f"output: {named} does not belong to this problem")
        if nearest:
            sets[i].add(j)
    return [tuple(sorted(members)) for members in sets] if found else None


def _matches(name: str, output: str) -> Iterator[re.Match[str]]:
    for line in LINES:
        yield from re.finditer(line.format(name=name, value=VALUE), output)


def _model(problem: Instance, formulation: str | None) -> LinearModel:
    if formulation not in (None, LITERAL):
        raise InputError(f"formulation={formulation!r}: lp and mps have literal")
    reason = unsupported(problem)
    if reason:
        raise InputError(reason)
    return linear_model(build(problem))


def _header(problem: Instance) -> list[str]:
    return [
        f"alternative feature selection: {problem.n_sets} sets of {problem.k} out of "
        f"{problem.n_features} features, at most {problem.max_shared} shared",
        f"objective {problem.objective}, aggregate {problem.aggregate}; literal linear model",
        "x_i_j = 1: set i contains feature j (both from 0)",
        "the least cost is minus the largest integer objective",
    ]
