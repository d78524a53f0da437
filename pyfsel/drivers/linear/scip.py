"""SCIP through PySCIPOpt."""

from __future__ import annotations

from typing import Any

from pyfsel.drivers.linear.connection import TOLERANCE, LinearOutcome, LinearRun
from pyfsel.drivers.versions import installed_version

OUTCOMES = {
    "optimal": LinearOutcome.OPTIMAL,
    "infeasible": LinearOutcome.INFEASIBLE,
    "timelimit": LinearOutcome.LIMIT,
    "userinterrupt": LinearOutcome.LIMIT,
}


def version() -> str | None:
    """Return the version of PySCIPOpt, or None."""
    found = installed_version("pyscipopt")
    return found and f"{found} of PySCIPOpt"


def solve(run: LinearRun) -> str:
    """Solve; solutions and bounds are reported as they are found."""
    from pyscipopt import Model

    if any(not row.terms and not (row.low or 0) <= 0 <= (row.high or 0) for row in run.model.rows):
        return LinearOutcome.INFEASIBLE  # SCIP takes no row without terms
    scip = Model()
    _configure(scip, run)
    columns = _build(scip, run)

    def values() -> list[float]:
        best = scip.getBestSol()
        return [scip.getSolVal(best, column) for column in columns]

    scip.includeEventhdlr(_listener(run, values), "incumbents", "reports better solutions")
    scip.optimizeNogil()
    run.facts["nodes"] = scip.getNNodes()
    if scip.getNSols():
        run.take_bound(scip.getDualbound())
        run.take_solution(values(), scip.getPrimalbound())
    native: str = scip.getStatus()
    return OUTCOMES.get(native, native)


def _configure(scip: Any, run: LinearRun) -> None:
    scip.hideOutput()
    options: dict[str, object] = {
        "misc/catchctrlc": False,
        "numerics/feastol": TOLERANCE,
        "numerics/dualfeastol": TOLERANCE,
        "limits/gap": 0.0,
        "randomization/randomseedshift": run.control.limits.random_state % 2**31,
    }
    seconds = run.seconds()
    scip.setParams(options if seconds is None else options | {"limits/time": seconds})


def _build(scip: Any, run: LinearRun) -> list[Any]:
    """State the model and its start, and return its columns."""
    from pyscipopt import quicksum
    from pyscipopt.scip import ExprCons

    columns = [
        scip.addVar(f"C{j}", "I" if column.integer else "C", lb=float(column.low), ub=float(column.high))
        for j, column in enumerate(run.model.columns)
    ]

    def total(terms: Any) -> Any:
        return quicksum(float(c) * columns[j] for j, c in terms.items())

    for row in run.model.rows:
        if row.terms:
            scip.addCons(ExprCons(total(row.terms), row.low, row.high))
    scip.setObjective(total(run.model.cost))
    if run.start:
        known = scip.createPartialSol()
        for j, value in run.start:
            scip.setSolVal(known, columns[j], value)
        scip.addSol(known)
    return columns


def _listener(run: LinearRun, values: Any) -> Any:
    from pyscipopt import SCIP_EVENTTYPE, Eventhdlr

    events = (SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.NODESOLVED)

    class ScipListener(Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            for event in events:
                self.model.catchEvent(event, self)

        def eventexit(self) -> None:
            for event in events:
                self.model.dropEvent(event, self)

        def eventexec(self, event: Any) -> None:
            run.take_bound(self.model.getDualbound())
            if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
                run.take_solution(values())

    return ScipListener()
