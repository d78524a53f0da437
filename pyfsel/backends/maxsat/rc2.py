"""RC2 of PySAT: core-guided MaxSAT on the 0/1 model in clauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pyfsel.backends.by_model import ByModel
from pyfsel.backends.maxsat.encoding import too_large
from pyfsel.model.model import Model
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import Answer, Stated, Status, StopReason
from pyfsel.results.control import LITERAL, Control

if TYPE_CHECKING:
    from pyfsel.backends.maxsat.rc2_search import Rc2Options


class Rc2(ByModel):
    """Core-guided MaxSAT.

    Every core that RC2 finds lowers the proved upper bound, which is reported at once; the models at the end
    of its strata are reported as solutions. It is deterministic, so `random_state` changes nothing.

    Parameters
    ----------
    options : Rc2Options, optional
        Of `pyfsel.backends.maxsat.rc2_search`; the defaults were chosen by measurement.
    """

    name = "rc2"
    summary = "MaxSAT with unsatisfiable cores (PySAT's RC2)"
    family = "sat"
    basis = ("clauses", "rc2", "glucose")
    packages: ClassVar[Mapping[str, str]] = {"python-sat": "pysat"}

    def __init__(self, options: Rc2Options | None = None) -> None:
        self.options = options

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        return too_large(problem)

    def claim(self, problem: Instance, m: Model, control: Control) -> Answer:
        from pyfsel.backends.maxsat.rc2_search import Rc2Options, Rc2Search, SearchEndedError
        from pyfsel.drivers.sat.encoding import encode_model

        options = self.options or Rc2Options()
        with control.compiling():
            encoding = encode_model(m, options.cardinality, prices=control.formulation != LITERAL)
        stop_reason, stated = StopReason.FINISHED, None
        with Rc2Search(encoding, problem, control, options) as search:
            try:
                model = search.optimum()
                if model is None:
                    statistics = {**encoding.size, "cores": search.n_cores}
                    return Answer(Status.INFEASIBLE, statistics=statistics)
                search.best = encoding.decode(model)
                search.bound = encoding.constant - search.cost
                stated = Stated(search.bound)
            except SearchEndedError as ended:
                stop_reason = ended.stop_reason
            statistics = {**encoding.size, "cores": search.n_cores}
            if stop_reason is StopReason.FINISHED:
                return Answer(Status.OPTIMAL, search.best, search.bound, statistics=statistics, stated=stated)
            return Answer.unproved(search.best, search.bound, stop_reason, statistics)
