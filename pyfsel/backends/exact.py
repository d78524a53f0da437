"""Exact, a pseudo-Boolean solver whose integers have any size, as a Python package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.backends.by_model import ByModel
from pyfsel.model.model import ZeroOneModel
from pyfsel.model.passes import all_rows, with_ends
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.control import Control

SLICE = 1.0  # seconds after which a bound is requested


class Exact(ByModel):
    """Cutting planes with conflict analysis (package `exact`): exact for numbers of any size."""

    name = "exact"
    summary = "pseudo-Boolean solver Exact, integers of any size"
    family = "cp"
    basis = ("linear model", "exact")
    packages: Mapping[str, str] = {"exact": "exact"}

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        whole = with_ends(m)
        solver = _loaded(whole, control.limits.random_state)
        names = [f"x{v}" for v in range(1, whole.n + 1)]
        start = zip(m.member, control.hint or (), strict=False)
        known = [(f"x{v}", int(j in members)) for row, members in start for j, v in enumerate(row)]
        solver.setSolutionHints(known)
        found = IncumbentSearch(problem, control)
        found.bound = control.known_bound
        while not control.expired():
            left = control.remaining()
            state = solver.runOnce(timeout=SLICE if left is None else min(SLICE, left))
            if state in ("UNSAT", "INCONSISTENT"):
                return found.proved()
            found.tighten(-solver.getDualBound())
            if state == "SAT":
                values = solver.getLastSolutionFor(names)
                solver.boundObjByLastSol()
                found.improve(m.sets(lambda v, last=values: last[v - 1]), -solver.getBestSoFar())  # type: ignore[misc]
        return found.unproved()


def _loaded(m: ZeroOneModel, random_state: int) -> Any:
    """Return a solver with the model, to minimise minus its objective."""
    from exact import Exact as Solver

    solver = Solver([("verbosity", "0"), ("seed", str(random_state + 1))])
    for v in range(1, m.n + 1):
        solver.addVariable(f"x{v}", *m.bounds(v))
    for row in all_rows(m):
        terms = [(c, f"x{v}") for v, c in row.terms.items()]
        low, high = row.low is not None, row.high is not None
        solver.addConstraint(terms, low, row.low or 0, high, row.high or 0)
    solver.setObjective([(-c, f"x{v}") for v, c in m.weights.items()], True, -m.constant)
    return solver
