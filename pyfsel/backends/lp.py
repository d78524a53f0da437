"""LP and MPS files of the literal linear model, and back from the solutions of other programs."""

from __future__ import annotations

import re

from pyfsel.errors import InputError, UnsupportedError
from pyfsel.model.build import build, unsupported
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.control import LITERAL
from pyfsel.solvers.linear import files
from pyfsel.solvers.linear.from_model import linear_model
from pyfsel.solvers.linear.model import LinearModel

LARGEST_FRACTION = 1e-4  # solvers' tolerances for integers are 1e-5 and less
MEMBER_VALUES = tuple(
    re.compile(line.format(name=r"x_(?P<set>\d+)_(?P<feature>\d+)", value=r"(?P<value>[-+]?\d[\d.eE+-]*)"))
    for line in (
        r"\b{name}[ \t]+(?:\*[ \t]+)?{value}",
        r"(?m)^\s*\d+(?:[ \t]+\S+){{2}}[ \t]+{value}[ \t]+Integer[ \t]+{name}[ \t]*$",
        r'<variable name="{name}"[^>]*\bvalue="{value}"',
    )
)
"""A member variable and its value: most solvers, tables of HiGHS, CPLEX."""


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
    return files.lp_text(_model(problem, formulation), _header(problem))


def mps_text(problem: Problem, formulation: str | None = None) -> str:
    """Return the problem in free MPS format; parameters and errors as for `lp_text`."""
    return files.mps_text(_model(problem, formulation), _header(problem), named=True)


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
    if formulation not in (None, LITERAL):
        raise InputError(f"formulation={formulation!r}: lp and mps have literal")
    reason = unsupported(problem)
    if reason:
        raise UnsupportedError(reason)
    return linear_model(build(problem))


def _header(problem: Problem) -> list[str]:
    return [
        f"alternative feature selection: {problem.n_sets} sets of {problem.set_size} out of "
        f"{problem.n_features} features, at most {problem.max_overlap} shared",
        f"objective {problem.objective}, aggregate {problem.aggregate}; literal linear model",
        "x_i_j = 1: set i contains feature j (both from 0)",
        "the least cost is minus the largest integer objective",
        *problem.part_of.splitlines(),
    ]
