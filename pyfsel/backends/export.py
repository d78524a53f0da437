"""Text formats of a problem for solvers that are not ours."""

from __future__ import annotations

from collections.abc import Callable

from pyfsel.backends.in_cpmpy import cpmpy_text
from pyfsel.backends.lp import lp_text, mps_text
from pyfsel.backends.maxsat.wcnf import opb_text, wcnf_text
from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.backends.quadratic import qubo_text
from pyfsel.errors import InputError
from pyfsel.problem.checks import one_of
from pyfsel.problem.instance import Instance, require_in_memory

__all__ = ["FORMATS", "export"]


def json_text(problem: Instance) -> str:
    """Return the problem's own JSON, which MiniZinc reads as data."""
    return problem.to_json()


OF_THE_PROBLEM: dict[str, Callable[[Instance], str]] = {
    "cpmpy": cpmpy_text,
    "dzn": dzn_text,
    "json": json_text,
    "qubo": qubo_text,
}
OF_A_FORMULATION: dict[str, Callable[[Instance, str | None], str]] = {
    "lp": lp_text,
    "mps": mps_text,
    "opb": opb_text,
    "wcnf": wcnf_text,
}
"""Name → writer; formulation None means the format's default."""
FORMATS = tuple(sorted((*OF_THE_PROBLEM, *OF_A_FORMULATION)))


def export(
    problem: Instance, file_format: str, formulation: str | None = None, cardinality: str | None = None
) -> str:
    """Return the problem as text in one of `FORMATS`.

    Parameters
    ----------
    problem : Instance
    file_format : str
    formulation : str, optional
        "strengthened" or "literal", where the format has both.
    cardinality : str, optional
        Key of `pyfsel.drivers.sat.counters.CARDINALITIES`, for "wcnf" only.

    Raises
    ------
    InputError
        If the format is unknown, or has no such formulation or cardinality encoding, or redundancies are
        computed on demand.
    InputError
        If the format cannot express the problem.

    Examples
    --------
    >>> problem = Instance(quality=[3, 2, 1], n_sets=1, k=1, max_shared=1)
    >>> export(problem, "lp").splitlines()[-5:]
    ['Binaries', ' x_0_0', ' x_0_1', ' x_0_2', 'End']
    """
    one_of("format", file_format, FORMATS)
    require_in_memory(problem)
    if "relatives" in problem.side_constraints and file_format != "json":
        raise InputError(
            f"format={file_format!r}: relatives are for sets that are found one after another; json has them"
        )
    if cardinality is not None and file_format != "wcnf":
        raise InputError(f"cardinality={cardinality!r}: is for wcnf, not {file_format}")
    if cardinality is not None:
        return wcnf_text(problem, formulation, cardinality)
    if file_format in OF_A_FORMULATION:
        return OF_A_FORMULATION[file_format](problem, formulation)
    if formulation is not None:
        raise InputError(f"formulation={formulation!r}: {file_format} describes the problem, which has none")
    return OF_THE_PROBLEM[file_format](problem)
