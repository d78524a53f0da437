"""Text formats of a problem for solvers that are not ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import StringIO

from pyfsel.backends.by_model import model_of
from pyfsel.backends.in_cpmpy import cpmpy_text
from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.backends.quadratic import qubo_text
from pyfsel.drivers.linear import lp_files
from pyfsel.drivers.linear.linear_model import linear_model
from pyfsel.drivers.sat.opb import opb_lines, pseudo_boolean
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.instance import Instance
from pyfsel.reductions import reduce
from pyfsel.results.control import LITERAL, STRENGTHENED


def linear_text(write: Callable[..., str], problem: Instance) -> str:
    """Return the literal linear model, as `lp_files.lp_text` or `lp_files.mps_text` writes it."""
    m = model_of(problem, LITERAL, "lp")
    comments = [*_header(problem, m.constant), "x_i_j = 1: set i contains feature j (both from 0)"]
    return write(linear_model(m), comments)


def opb_text(problem: Instance, formulation: str = STRENGTHENED) -> str:
    """Return the problem with all its features in OPB format."""
    m = pseudo_boolean(model_of(problem, formulation, "cp"))
    features = range(problem.n_features)
    comments = [*_header(problem, m.constant), *_variables(problem, features, m.member)]
    return "".join(f"{line}\n" for line in opb_lines(m, comments))


def wcnf_text(problem: Instance) -> str:
    """Return the problem as weighted partial MaxSAT, in the format of the MaxSAT Evaluations since 2022.

    It is strengthened, and without features that no optimum needs.
    """
    from pyfsel.drivers.sat.maxsat_encoding import encode_model

    reduction = reduce(problem, STRENGTHENED)
    m = model_of(reduction.problem, STRENGTHENED, "sat")
    formula = encode_model(m)
    comments = [*_header(problem, formula.constant), *_variables(problem, reduction.kept, m.member)]
    text = StringIO()
    formula.to_wcnf().to_fp(text, [f"c {line}" for line in comments])
    return text.getvalue()


def _header(problem: Instance, constant: int) -> Iterator[str]:
    """Yield comments: what is requested, and what the cost says."""
    yield (
        f"{problem.n_sets} sets of {problem.sizes_text} out of {problem.n_features} features, "
        f"at most {problem.max_shared} shared, objective {problem.objective}, aggregate {problem.aggregate}"
    )
    yield f"largest integer objective = {constant} - least cost"


def _variables(problem: Instance, features: Sequence[int], member: list[list[int]]) -> Iterator[str]:
    """Yield comments: what the variables are; the sets are over these features."""
    for s, row in enumerate(member):
        for feature, variable in zip(features, row, strict=True):
            name = json.dumps(problem.feature_names[feature])
            yield f"variable {variable}: set {s} contains feature {feature}, {name}"
    yield "other variables are products, counts and digits of constraints and of the objective"


WRITERS: dict[str, Callable[[Instance], str]] = {
    "cpmpy": cpmpy_text,
    "dzn": dzn_text,
    "json": Instance.to_json,
    "lp": partial(linear_text, lp_files.lp_text),
    "mps": partial(linear_text, lp_files.mps_text),
    "opb": opb_text,
    "qubo": qubo_text,
    "wcnf": wcnf_text,
}


def export(problem: Instance, file_format: str) -> str:
    """Return the problem as text in one of the formats of `WRITERS`.

    Parameters
    ----------
    problem : Instance
    file_format : str

    Raises
    ------
    InputError
        If the format is unknown, or redundancies are computed on demand.
    InputError
        If the format cannot express the problem.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1)
    >>> export(problem, "lp").splitlines()[-5:]
    ['Binaries', ' x_0_0', ' x_0_1', ' x_0_2', 'End']
    """
    one_of("format", file_format, WRITERS)
    problem.require_in_memory()
    if "relatives" in problem.side_constraints and file_format != "json":
        raise InputError(
            f"format={file_format!r}: relatives are for sets that are found one after another; json has them"
        )
    return WRITERS[file_format](problem)
