"""PySAT's RC2 on an encoding, so it can be watched and stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pysat.examples.rc2 import RC2Stratified

from pyfsel.drivers.sat.formula import Encoding
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import StopReason
from pyfsel.results.control import Control

CONFLICTS_BETWEEN_LOOKS = 2000  # at the clock


@dataclass(frozen=True)
class Rc2Options:
    """How the formula is written and RC2 searches; the defaults are the best on average (see Notes).

    Parameters
    ----------
    cardinality : str
        Key of `pyfsel.drivers.sat.counters.CARDINALITIES`.
    sat_solver : str
        PySAT's name of a solver that can be interrupted by a budget of conflicts.
    strata : {"div", "basic", "cluster", "full"}
        How weights are grouped into strata (RC2's `blo`).
    adapt, exhaust, minimise : bool
        Detection of at-most-one constraints, core exhaustion, core minimisation.

    Notes
    -----
    Measured by ``benchmarks/rc2_options.py``; the table is ``benchmarks/results/rc2_options.md``.
    """

    cardinality: str = "seqcounter"
    sat_solver: str = "glucose4"
    strata: str = "full"
    adapt: bool = True
    exhaust: bool = True
    minimise: bool = True


class SearchEndedError(Exception):
    """The search ended before RC2 did: out of time, or the start solution is proved optimal."""

    def __init__(self, stop_reason: StopReason) -> None:
        super().__init__(stop_reason)
        self.stop_reason = stop_reason


class Rc2Search(RC2Stratified):  # type: ignore[misc]
    """RC2 that reports bounds after every core and solutions after every stratum.

    A solution fixes the literals that all solutions as good as it share (`Losses`).

    The cost that RC2 has accounted for is at any time a lower bound on the cost of all models, so
    ``constant − cost`` bounds the objective from above.

    Parameters
    ----------
    encoding : Encoding
    problem : Instance
        By which sets are valued.
    control : Control
        Its hint is the first best solution, its known bound the first bound.
    options : Rc2Options
    """

    def __init__(self, encoding: Encoding, problem: Instance, control: Control, options: Rc2Options) -> None:
        self.encoding = encoding
        self.problem = problem
        self.control = control
        self.best: tuple[FeatureSet, ...] | None = control.hint
        self.best_value = values.total(problem, control.hint) if control.hint else None
        self.n_cores = 0
        self.bound = control.known_bound
        self._minimising = False
        self._fixed: set[int] = set()
        super().__init__(
            encoding.to_wcnf(),
            solver=options.sat_solver,
            blo=options.strata,
            adapt=options.adapt,
            exhaust=options.exhaust,
            minz=options.minimise,
        )
        self._fix_literals()

    def optimum(self) -> list[int] | None:
        """Return an optimal model, or None if the hard clauses have no model.

        Raises
        ------
        SearchEndedError
            If the search ended before; then `best` and `bound` say what is known.
        """
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
            if self.control.expired():
                raise SearchEndedError(StopReason.TIME_LIMIT)
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
        self.n_cores += 1
        self._report_bound()

    def finish_level(self) -> None:
        """Report the solution of a stratum, then go on to the next."""
        self._report_model()
        super().finish_level()

    def _report_bound(self) -> None:
        bound = self.encoding.constant - self.cost
        if self.bound is None or bound < self.bound:
            self.bound = bound
            self.control.report_bound(bound)
        self._end_if_proved()

    def _report_model(self) -> None:
        sets = self.encoding.decode(self.oracle.get_model())
        value = values.total(self.problem, sets)
        if self.best_value is None or value > self.best_value:
            self.best, self.best_value = sets, value
            self.control.report_sets(sets)
            self._fix_literals()
        self._end_if_proved()

    def _fix_literals(self) -> None:
        """Fix what all solutions at least as good as the best one have in common (by reduced costs)."""
        if self.best_value is None:
            return
        certain = set(self.encoding.losses.certain(self.best_value)) - self._fixed
        for literal in sorted(certain):
            self.oracle.add_clause([literal])
        self._fixed |= certain

    def _end_if_proved(self) -> None:
        if self.bound is not None and self.best_value is not None and self.best_value >= self.bound:
            raise SearchEndedError(StopReason.FINISHED)
