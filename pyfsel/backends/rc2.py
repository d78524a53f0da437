"""RC2 of PySAT: core-guided MaxSAT on the 0/1 model in clauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyfsel.backends.by_model import ByClauses
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer
from pyfsel.results.control import LITERAL, Control

if TYPE_CHECKING:
    from pyfsel.model.model import ZeroOneModel


class Rc2(ByClauses):
    """Core-guided MaxSAT.

    Every core that RC2 finds lowers the proved upper bound, which is reported at once; the models at the end
    of its strata are reported as solutions. It is deterministic, so `random_state` changes nothing.
    """

    name = "rc2"
    summary = "MaxSAT with unsatisfiable cores (PySAT's RC2)"
    basis = ("clauses", "rc2", "glucose")
    packages: Mapping[str, str] = {"python-sat": "pysat"}

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        from pyfsel.backends.maxsat.rc2_search import Rc2Search
        from pyfsel.drivers.sat.maxsat_encoding import encode_model

        formula = encode_model(m, prices=control.formulation != LITERAL)
        with Rc2Search(formula, problem, control) as search:
            answer: BackendAnswer = search.answer()
            return answer
