"""Minimum hitting sets by CP-SAT, as alternatives to previous sets; and the data of MiniZinc models."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from pyfsel.drivers.cpsat import new_solver
from pyfsel.errors import SolverError
from pyfsel.papers.consistency.cuts import Cut
from pyfsel.papers.consistency.problem import ConsistencyProblem
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.control import Control, OutOfTimeError

TOLERANCE = 1e-6  # of the bound on a number of features


def smallest_hitting_set(
    problem: ConsistencyProblem, cuts: Sequence[Cut], control: Control
) -> FeatureSet | None:
    """Return a smallest set that hits all cuts and is an alternative; None if there is none."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    selected = [model.new_bool_var(f"selected[{j}]") for j in range(problem.n_features)]
    for cut in cuts:
        model.add_bool_or([selected[j] for j in sorted(cut)])
    for previous in problem.previous_sets:
        model.add_bool_or([~selected[j] for j in previous])
        shared = sum(selected[j] for j in previous)
        sizes = sum(selected) + len(previous)
        model.add(problem.overlap_factor * shared <= problem.size_factor * sizes)
    model.minimize(sum(selected))
    solver = new_solver(control.limits.random_state, control.remaining(), control.limits.n_threads)
    status = solver.solve(model)
    if status == cp_model.OPTIMAL:
        return tuple(j for j, x in enumerate(selected) if solver.value(x))
    if status == cp_model.INFEASIBLE:
        return None
    if status in (cp_model.FEASIBLE, cp_model.UNKNOWN):
        control.report_bound(-ceil(solver.best_objective_bound - TOLERANCE))
        raise OutOfTimeError
    raise SolverError(f"cpsat: returned status {solver.status_name(status)}: {model.validate()}")


def hitting_data(problem: ConsistencyProblem, cuts: Sequence[Cut]) -> dict[str, Any]:
    """Return the data of ``consistency/hitting_set.mzn``, as its JSON."""
    return {"to_hit": [{"set": sorted(cut)} for cut in cuts], **_common_data(problem)}


def rows_data(problem: ConsistencyProblem) -> dict[str, Any]:
    """Return the data of ``consistency/rows.mzn``, as its JSON."""
    return {
        "n_patterns": len(problem.patterns),
        "n_classes": problem.counts.shape[1],
        "patterns": problem.patterns.tolist(),
        "counts": problem.counts.tolist(),
        "max_inconsistent": problem.max_inconsistent,
        **_common_data(problem),
    }


def _common_data(problem: ConsistencyProblem) -> dict[str, Any]:
    return {
        "n_features": problem.n_features,
        "previous_sets": [{"set": list(members)} for members in problem.previous_sets],
        "overlap_factor": problem.overlap_factor,
        "size_factor": problem.size_factor,
        "feature_names": list(problem.feature_names),
    }
