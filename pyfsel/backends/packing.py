"""Candidate packing: the sets are enumerated by decreasing value, compatible ones are picked from them."""

from __future__ import annotations

from pyfsel.backends.base import Backend
from pyfsel.problem.fields import FIXED_SIZE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.control import Control


class Packing(Backend):
    """Enumerates single sets in order of their value; for any objective that can be evaluated."""

    name = "packing"
    summary = "enumerates single sets by decreasing value and picks compatible ones"
    side_constraints = FIXED_SIZE_CONSTRAINTS
    basis = ("packing",)

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        from pyfsel.algorithms.packing.pool import too_large

        return too_large(problem)

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.packing.families import PackingSearch

        return PackingSearch(problem, control).packed()
