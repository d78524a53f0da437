"""PySAT's RC2 on a formula, so it can be watched and stopped."""

from __future__ import annotations

from collections.abc import Sequence

from pysat.examples.rc2 import RC2Stratified

from pyfsel.algorithms.incumbent import IncumbentSearch
from pyfsel.drivers.sat.formula import Formula
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import BackendAnswer, Stated, Status
from pyfsel.results.control import Control, OutOfTimeError

CONFLICTS_BETWEEN_LOOKS = 2000  # at the clock


class EarlyProofError(Exception):
    """The best solution so far is proved optimal before RC2 is done."""


class Rc2Search(RC2Stratified):  # type: ignore[misc]
    """RC2 that reports bounds after every core and solutions after every stratum.

    The cost that RC2 has accounted for is at any time a lower bound on the cost of all models, so
    ``constant − cost`` bounds the objective from above.

    Parameters
    ----------
    formula : Formula
    problem : Instance
        By which sets are valued.
    control : Control
        Its hint is the first best solution, its known bound the first bound.

    Notes
    -----
    The options were measured one at a time on ten sets of five tables: SAT solvers and encodings of
    cardinalities differ little, and strata by every weight ("full") decide on mRMR.
    """

    def __init__(self, formula: Formula, problem: Instance, control: Control) -> None:
        self.formula, self.control = formula, control
        self.constant = formula.constant
        self.known = IncumbentSearch(problem, control)
        self.known.bound = control.known_bound
        if control.hint:
            self.known.improve(control.hint)
        self._minimising = False
        super().__init__(formula.to_wcnf(), "glucose4", blo="full", adapt=True, exhaust=True, minz=True)

    def answer(self) -> BackendAnswer:
        """Search, and return what is known at the end."""
        try:
            model = self._optimum()
        except OutOfTimeError:
            return self.known.unproved()
        except EarlyProofError:
            return BackendAnswer(Status.OPTIMAL, self.known.best, self.known.bound)
        if model is None:
            return BackendAnswer(Status.INFEASIBLE)
        bound = self.constant - self.cost
        return BackendAnswer(Status.OPTIMAL, self.formula.decode(model), bound, stated=Stated(bound))

    def _optimum(self) -> list[int] | None:
        """Return an optimal model, or None if the hard clauses have no model."""
        self._report_bound()
        if self.wght:
            model: list[int] | None = self.compute()
        else:
            model = self.oracle.get_model() if self._call_oracle() else None
        return model

    def _call_oracle(self, assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> bool | None:
        """Call the SAT solver in slices of conflicts, and look at the clock between them."""
        if self._minimising:
            verdict: bool | None = self.oracle.solve_limited(assumptions=assumptions)
            return verdict
        while True:
            self.control.check_time()
            self.oracle.conf_budget(CONFLICTS_BETWEEN_LOOKS)
            verdict = self.oracle.solve_limited(assumptions=assumptions)
            if verdict is not None:
                return verdict

    def minimize_core(self) -> None:
        """Shrink a core; this sets a conflict budget of its own."""
        self._minimising = True
        super().minimize_core()
        self._minimising = False

    def process_core(self) -> None:
        """Account for a core and report the bound that it proves."""
        super().process_core()
        self._report_bound()

    def finish_level(self) -> None:
        """Report the solution of a stratum, then go on to the next."""
        self.known.improve(self.formula.decode(self.oracle.get_model()))
        self._end_if_proved()
        super().finish_level()

    def _report_bound(self) -> None:
        self.known.bound_all(self.constant - self.cost)
        self._end_if_proved()

    def _end_if_proved(self) -> None:
        bound, value = self.known.bound, self.known.value
        if bound is not None and value is not None and value >= bound:
            raise EarlyProofError
