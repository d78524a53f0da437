"""CP-SAT of OR-Tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from pyfsel.backends.by_model import ByModel
from pyfsel.model.model import ZeroOneModel
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, Status
from pyfsel.results.control import Control


class CpSat(ByModel):
    """OR-Tools CP-SAT, which lacks nothing that a model states."""

    name = "cpsat"
    summary = "CP-SAT (OR-Tools) on a 0/1 model"
    family = "cp"
    slow_imports: ClassVar[tuple[str, ...]] = ("ortools.sat.python.cp_model",)
    basis = ("cpsat",)
    packages: Mapping[str, str] = {"ortools": "ortools"}

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        from pyfsel.drivers.cpsat import solve

        answer = solve(m, control)
        if answer.status is Status.OPTIMAL and answer.sets is not None:
            # its bound is a float, above the optimum where numbers are large: that is compared by `stated`
            return replace(answer, bound=values.total(problem, answer.sets))
        return answer
