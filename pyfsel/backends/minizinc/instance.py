"""A problem as an instance of MiniZinc's Python package, which a modeller can change and solve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.catalogue import find_model
from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.backends.minizinc.run import is_clipped
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.control import STRENGTHENED, Control

if TYPE_CHECKING:
    import minizinc


def minizinc_instance(
    problem: Instance, formulation: str = STRENGTHENED, solver: str = "gecode"
) -> minizinc.Instance:
    """Return the MiniZinc model of a problem, with its data, for the Python package ``minizinc``.

    It can be changed like any instance of that package (`add_string`, `branch`) and solved by it; `decode`
    takes the result back. `solve` with a backend ``minizinc:…`` needs no such instance.

    Parameters
    ----------
    problem : Instance
    formulation : str
        "strengthened", "literal" or another one that has a model for the problem.
    solver : str
        What stands behind ``minizinc:`` in the names of the backends: "gecode", "cbc", "highs", "scip",
        "cpsat", or another solver that MiniZinc lists.

    Returns
    -------
    minizinc.Instance
        The sets are its variables ``selected``, one row of truth values for each.

    Raises
    ------
    InputError
        If the solver or the formulation is unknown.
    InputError
        If MiniZinc or the solver is not installed.
    InputError
        If no model in this formulation takes the problem, or its numbers are too large for the solver.

    Examples
    --------
    The best pairs of features, with a constraint of one's own: the first set must hold feature 2.

    >>> import warnings
    >>> problem = Instance(quality=[5, 4, 3, 1], n_sets=2, set_size=2, max_overlap=1)
    >>> instance = minizinc_instance(problem, formulation="literal")
    >>> instance.add_string("constraint selected[0, 2];")
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     result = instance.solve()
    >>> result.status.name, result.objective
    ('OPTIMAL_SOLUTION', 17)
    >>> from pyfsel.backends.decode import decode
    >>> sets = decode(problem, result)
    >>> 2 in sets[0], sorted(sets)
    (True, [(0, 1), (0, 2)])
    """
    backend = MiniZinc.on(solver)
    missing = backend.missing()
    if missing is not None:
        raise InputError(f"solver={solver!r}: {missing}")
    if formulation not in backend.formulations:
        raise InputError(f"formulation={formulation!r}: must be one of {', '.join(backend.formulations)}")
    model = find_model(problem, formulation, backend.solver.family)
    refusal = backend.refusal(problem, formulation)
    if refusal is not None or model is None:
        raise InputError(f"solver={solver!r}: {refusal or 'solves this objective by steps only'}")

    import minizinc

    tag = backend.solver.tag
    known = minizinc.Solver.load(Path(tag)) if Path(tag).is_absolute() else minizinc.Solver.lookup(tag)
    instance = minizinc.Instance(known, minizinc.Model(model.path))
    text = problem.to_json()
    if is_clipped(text):
        instance.add_string(dzn_text(problem))
        data = {}
    else:
        data = json.loads(text)
    for name, value in (data | dict(model.more_data(problem, Control()))).items():
        instance[name] = value
    return instance
