"""RC2 of PySAT: core-guided MaxSAT on the encodings of `pyfsel.backends.maxsat.encoding`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pyfsel.backends.base import Backend
from pyfsel.problem.objectives import SET_TERMS, Kind
from pyfsel.problem.problem import Problem
from pyfsel.problem.side_constraints import SIDE_CONSTRAINTS
from pyfsel.results.answer import Answer, Stated, Status, StopReason
from pyfsel.results.control import LITERAL, STRENGTHENED, Control

if TYPE_CHECKING:
    from pyfsel.backends.maxsat.rc2_search import Rc2Options


class Rc2(Backend):
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
    formulations = (STRENGTHENED, LITERAL)
    formulation_texts: ClassVar[Mapping[str, str]] = {
        STRENGTHENED: "counts per feature, rewards shifted by reduced costs, ordered sets; mRMR by pairs",
        LITERAL: "a soft clause per membership, products for each pair of sets (Eq. 6, 22) and of features",
    }
    objectives = (Kind.SUMS, Kind.PAIRS_OF_ONE_SIZE, Kind.PAIRS)
    side_constraints = (*SIDE_CONSTRAINTS, *SET_TERMS)
    basis = ("clauses", "rc2", "glucose")
    packages: ClassVar[Mapping[str, str]] = {"python-sat": "pysat"}

    def __init__(self, options: Rc2Options | None = None) -> None:
        self.options = options

    def unsupported(self, problem: Problem, formulation: str) -> str | None:
        from pyfsel.backends.maxsat.encoding import encoding_unsupported

        return encoding_unsupported(problem)

    def size(self, problem: Problem, formulation: str) -> dict[str, int]:
        from pyfsel.backends.maxsat.encoding import encode

        return encode(problem, formulation).size

    def solve(self, problem: Problem, control: Control) -> Answer:
        from pyfsel.backends.maxsat.encoding import encode
        from pyfsel.backends.maxsat.rc2_search import Rc2Options, Rc2Search, SearchEndedError

        options = self.options or Rc2Options()
        with control.compiling():
            encoding = encode(problem, control.formulation, options.cardinality)
        stop_reason, stated = StopReason.FINISHED, None
        with Rc2Search(encoding, control, options) as search:
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
