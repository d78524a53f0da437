"""Column generation with prices of features: `pyfsel.algorithms.prices` as a backend."""

from __future__ import annotations

from typing import ClassVar

from pyfsel.backends.base import Backend
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.control import Control


class ColumnGeneration(Backend):
    """Dual values price the features of single sets; then all sets near the bound are listed and searched."""

    name = "prices"
    summary = "sums of pairwise objectives: column generation bounds them, then heavy sets are searched"
    objectives = (ObjectiveKind.PAIRS_OF_ONE_SIZE, ObjectiveKind.PAIRS)
    side_constraints: ClassVar[tuple[str, ...]] = ("forced",)
    basis = ("prices", "highs", "ksubgraph")

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        if problem.n_sets > 1 and problem.aggregate != "sum":
            return f"needs sum-aggregation, not aggregate={problem.aggregate!r}"
        return None

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.prices.column_generation import PricesSearch

        search = PricesSearch(problem, control)
        return search.answer(search.run, self.name)
