"""SCIP through pyscipopt."""

from __future__ import annotations

from typing import Any

from pyfsel.solvers.minizinc.bridge.errors import SolverMissingError
from pyfsel.solvers.minizinc.bridge.linear import LinearModel
from pyfsel.solvers.minizinc.bridge.model import Number
from pyfsel.solvers.minizinc.bridge.protocol import (
    INFEASIBLE,
    INFEASIBLE_OR_UNBOUNDED,
    OPTIMAL,
    UNBOUNDED,
    UNKNOWN,
    Reporter,
)
from pyfsel.solvers.minizinc.bridge.solvers import Ending, Settings, Solver, require_floats

TOLERANCE = 1e-7
OUTCOMES = {
    "optimal": OPTIMAL,
    "infeasible": INFEASIBLE,
    "unbounded": UNBOUNDED,
    "inforunbd": INFEASIBLE_OR_UNBOUNDED,
}


def make(model: LinearModel, settings: Settings) -> Solver:
    """Return a SCIP solver of the model."""
    require_floats(model)
    try:
        import pyscipopt  # noqa: F401
    except ImportError as error:
        raise SolverMissingError(f"SCIP cannot be loaded (pip install pyfsel[scip]): {error}") from None
    return Scip(model, settings)


class Scip(Solver):
    """SCIP; solutions and bounds come as they are found."""

    def __init__(self, model: LinearModel, settings: Settings) -> None:
        super().__init__(model, settings)
        from pyscipopt import Model

        self._scip = Model()
        self._columns: list[Any] = []

    def stop(self) -> None:
        """Interrupt the search."""
        self._scip.interruptSolve()

    def solve(self, reporter: Reporter) -> Ending:
        """Solve and report."""
        scip = self._scip
        self._configure()
        self._build()
        scip.includeEventhdlr(_listener(self._columns, reporter), "incumbents", "reports better solutions")
        scip.optimizeNogil()
        outcome = OUTCOMES.get(scip.getStatus(), UNKNOWN)
        reporter.facts["nodes"] = scip.getNNodes()
        if scip.getNSols() == 0:
            return Ending(outcome)
        reporter.take_bound(scip.getDualbound())
        best = scip.getBestSol()
        sound = reporter.solution([scip.getSolVal(best, column) for column in self._columns])
        return Ending(outcome, scip.getPrimalbound()) if sound else Ending(UNKNOWN)

    def _configure(self) -> None:
        scip, settings = self._scip, self.settings
        scip.hideOutput()
        if settings.verbose:
            scip.setLogfile("/dev/stderr")
        scip.setParam("misc/catchctrlc", False)
        scip.setParam("numerics/feastol", TOLERANCE)
        scip.setParam("limits/gap", 0.0)
        left = settings.seconds_left()
        if left is not None:
            scip.setParam("limits/time", left)
        if settings.seed is not None:
            scip.setParam("randomization/randomseedshift", settings.seed % 2**31)

    def _build(self) -> None:
        from pyscipopt import quicksum

        scip, model = self._scip, self.model
        bounds = zip(model.low, model.high, model.integer, strict=True)
        for j, (low, high, whole) in enumerate(bounds):
            column = scip.addVar(f"C{j}", "I" if whole else "C", lb=_float(low), ub=_float(high))
            self._columns.append(column)
        for row in model.rows:
            if row.terms:
                total = quicksum(float(c) * self._columns[j] for j, c in row.terms.items())
                limit = float(row.limit)
                scip.addCons(total == limit if row.equal else total <= limit)
        terms, constant = model.cost()
        total = quicksum(float(c) * self._columns[j] for j, c in terms.items())
        scip.setObjective(total + float(constant), "maximize" if model.goal > 0 else "minimize")


def _float(number: Number | None) -> float | None:
    return None if number is None else float(number)


def _listener(columns: list[Any], reporter: Reporter) -> Any:
    from pyscipopt import SCIP_EVENTTYPE, Eventhdlr

    class Listener(Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)
            self.model.catchEvent(SCIP_EVENTTYPE.NODESOLVED, self)

        def eventexit(self) -> None:
            self.model.dropEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)
            self.model.dropEvent(SCIP_EVENTTYPE.NODESOLVED, self)

        def eventexec(self, event: Any) -> None:
            reporter.take_bound(self.model.getDualbound())
            if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
                best = self.model.getBestSol()
                reporter.solution([self.model.getSolVal(best, column) for column in columns])

    return Listener()
