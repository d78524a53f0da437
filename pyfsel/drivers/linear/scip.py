"""SCIP through PySCIPOpt."""

from __future__ import annotations

from typing import Any

from pyfsel.drivers.linear.connection import Ending, Listener, Outcome, Settings, Solver, require_floats
from pyfsel.drivers.linear.model import COMPARISONS, LinearModel, Number
from pyfsel.errors import InputError

TOLERANCE = 1e-9
OUTCOMES = {
    "optimal": Outcome.OPTIMAL,
    "infeasible": Outcome.INFEASIBLE,
    "unbounded": Outcome.UNBOUNDED,
    "inforunbd": Outcome.INFEASIBLE_OR_UNBOUNDED,
    "timelimit": Outcome.LIMIT,
    "userinterrupt": Outcome.LIMIT,
}


def make(model: LinearModel, settings: Settings) -> Solver:
    """Return a SCIP solver of the model."""
    require_floats(model)
    try:
        return Scip(model, settings)
    except ImportError as error:
        raise InputError(f"SCIP cannot be loaded (pip install pyfsel[scip]): {error}") from None


class Scip(Solver):
    """SCIP through PySCIPOpt; solutions and bounds come as they are found."""

    def __init__(self, model: LinearModel, settings: Settings) -> None:
        super().__init__(model, settings)
        from pyscipopt import Model

        self._scip = Model()
        self._columns: list[Any] = []

    def solve(self, listener: Listener) -> Ending:
        """Solve and report."""
        scip = self._scip
        if any(row.is_false for row in self.model.rows):
            return Ending(Outcome.INFEASIBLE)
        self._configure()
        self._build()
        scip.includeEventhdlr(_listener(self._columns, listener), "incumbents", "reports better solutions")
        scip.optimizeNogil()
        native = scip.getStatus()
        outcome = OUTCOMES.get(native, Outcome.UNKNOWN)
        listener.facts["nodes"] = scip.getNNodes()
        if scip.getNSols() == 0:
            return Ending(outcome, native=native)
        listener.take_bound(scip.getDualbound())
        best = scip.getBestSol()
        sound = listener.solution([scip.getSolVal(best, column) for column in self._columns])
        return Ending(outcome, scip.getPrimalbound(), native) if sound else Ending(Outcome.UNKNOWN)

    def _configure(self) -> None:
        scip, settings = self._scip, self.settings
        scip.hideOutput()
        scip.setParam("misc/catchctrlc", False)
        scip.setParam("numerics/feastol", TOLERANCE)
        scip.setParam("numerics/dualfeastol", TOLERANCE)
        scip.setParam("limits/gap", 0.0)
        left = self.settings.seconds_left()
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
                scip.addCons(COMPARISONS[row.sense](total, float(row.limit)))
        scip.setObjective(quicksum(float(c) * self._columns[j] for j, c in model.weights.items()))
        if self.settings.start:
            known = scip.createPartialSol()
            for j, value in self.settings.start:
                scip.setSolVal(known, self._columns[j], value)
            scip.addSol(known)


def _float(number: Number | None) -> float | None:
    return None if number is None else float(number)


def _listener(columns: list[Any], listener: Listener) -> Any:
    from pyscipopt import SCIP_EVENTTYPE, Eventhdlr

    class Listener(Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)
            self.model.catchEvent(SCIP_EVENTTYPE.NODESOLVED, self)

        def eventexit(self) -> None:
            self.model.dropEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)
            self.model.dropEvent(SCIP_EVENTTYPE.NODESOLVED, self)

        def eventexec(self, event: Any) -> None:
            listener.take_bound(self.model.getDualbound())
            if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
                best = self.model.getBestSol()
                listener.solution([self.model.getSolVal(best, column) for column in columns])

    return Listener()
