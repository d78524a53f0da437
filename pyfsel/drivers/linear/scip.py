"""SCIP through PySCIPOpt."""

from __future__ import annotations

from typing import Any

from pyfsel.drivers.linear.connection import TOLERANCE, LinearRun
from pyfsel.results.backend_answer import StopReason

OUTCOMES = {
    "optimal": StopReason.FINISHED,
    "infeasible": None,
    "timelimit": StopReason.TIME_LIMIT,
    "userinterrupt": StopReason.TIME_LIMIT,
}


def solve(run: LinearRun) -> str:
    """Solve; solutions and bounds are reported as they are found."""
    from pyscipopt import SCIP_EVENTTYPE, Model

    scip = Model()
    scip.hideOutput()
    columns = _build(scip, run)
    scip.setParams(
        {
            "misc/catchctrlc": False,
            "numerics/feastol": TOLERANCE,
            "numerics/dualfeastol": TOLERANCE,
            "limits/gap": 0.0,
            "randomization/randomseedshift": run.control.limits.random_state % 2**31,
            "limits/time": min(run.seconds(), scip.infinity()),
        }
    )

    def values() -> list[float]:
        best = scip.getBestSol()
        return [scip.getSolVal(best, column) for column in columns]

    def listen(scip: Any, event: Any) -> None:
        run.take_bound(scip.getDualbound())
        if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
            run.take_solution(values())

    scip.attachEventHandlerCallback(listen, [SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.NODESOLVED])
    scip.optimizeNogil()
    if scip.getNSols():
        run.take_bound(scip.getDualbound())
        run.take_solution(values(), scip.getPrimalbound())
    return str(scip.getStatus())


def _build(scip: Any, run: LinearRun) -> list[Any]:
    """State the model and its start, and return its columns."""
    with run.file() as path:
        scip.readProblem(str(path))
    of_name = {column.name: column for column in scip.getVars()}
    columns = [of_name[column.name] for column in run.model.columns]
    if run.start:
        known = scip.createPartialSol()
        for j, value in run.start:
            scip.setSolVal(known, columns[j], value)
        scip.addSol(known)
    return columns
