"""Minimum hitting sets, besides previous sets: the same small problem for RC2, CP-SAT and MiniZinc."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import combinations
from json import dumps
from pathlib import Path
from typing import Any

from pyfsel.errors import BackendError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.questions.consistency.cuts import Cut
from pyfsel.questions.consistency.problem import ConsistencyProblem
from pyfsel.results.control import Control, OutOfTimeError
from pyfsel.solvers.cpsat import new_solver
from pyfsel.solvers.minizinc.model_files import models_dir
from pyfsel.solvers.minizinc.program import json_options, messages, time_left

MODEL = Path("consistency", "hitting_set.mzn")
GECODE = "org.gecode.gecode"


def rc2(problem: ConsistencyProblem, cuts: Sequence[Cut], control: Control) -> FeatureSet | None:
    """Return a smallest set that hits all cuts and is an alternative; None if there is none (PySAT's RC2).

    The soft clauses say that a feature is not selected; the hard ones are the cuts and, for each previous
    set, that the set does not contain it and is dissimilar: ``t_i → u``, where t_i says that at least i
    features are shared and u that enough others are selected.
    """
    from pysat.examples.rc2 import RC2Stratified

    with RC2Stratified(hitting_formula(problem, cuts), solver="glucose4", adapt=True) as solver:
        model = solver.compute()
    n = problem.n_features
    return None if model is None else tuple(j for j in range(n) if model[j] > 0)


def hitting_formula(problem: ConsistencyProblem, cuts: Sequence[Cut]) -> Any:
    """Return the hitting set problem as partial MaxSAT (WCNF); variable j + 1 says that j is selected."""
    from pysat.card import ITotalizer
    from pysat.formula import WCNF

    formula = WCNF()
    n = problem.n_features
    for j in range(n):
        formula.append([-(j + 1)], weight=1)
    for cut in cuts:
        formula.append([j + 1 for j in sorted(cut)])
    for previous in problem.previous_sets:
        inside = [j + 1 for j in previous]
        others = [j + 1 for j in range(n) if j not in previous]
        formula.append([-literal for literal in inside])
        with ITotalizer(inside, ubound=len(inside), top_id=max(n, formula.nv)) as shared:
            formula.extend(shared.cnf.clauses)
            at_least, top = list(shared.rhs), shared.top_id
        with ITotalizer([-literal for literal in others], ubound=len(others), top_id=top) as left_out:
            formula.extend(left_out.cnf.clauses)
            more_left_out = list(left_out.rhs)
        # to share at least i features takes enough others: at_least[i − 1] → enough are selected
        for i in range(1, len(inside) + 1):
            needed = others_needed(problem, i, len(inside))
            if needed is None or needed > len(others):
                formula.append([-at_least[i - 1]])
            elif needed > 0:
                formula.append([-at_least[i - 1], -more_left_out[len(others) - needed]])
    return formula


def others_needed(problem: ConsistencyProblem, shared: int, previous_size: int) -> int | None:
    """Return how many features outside a previous set it takes to share so many with it; None: impossible."""
    factor = problem.size_factor
    excess = problem.overlap_factor * shared - factor * (shared + previous_size)
    if excess <= 0:
        return 0
    return None if factor == 0 else -(-excess // factor)


def cpsat(problem: ConsistencyProblem, cuts: Sequence[Cut], control: Control) -> FeatureSet | None:
    """Return a smallest set that hits all cuts and is an alternative; None if there is none (CP-SAT)."""
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
        raise OutOfTimeError
    raise BackendError(f"cpsat: returned status {solver.status_name(status)}: {model.validate()}")


def minizinc(problem: ConsistencyProblem, cuts: Sequence[Cut], control: Control) -> FeatureSet | None:
    """Return a smallest set that hits all cuts and is an alternative; None if there is none (Gecode)."""
    status, selected = "UNKNOWN", []
    with tempfile.TemporaryDirectory(prefix="pyfsel-") as folder:
        data = Path(folder, "hitting_set.json")
        data.write_text(dumps(hitting_data(problem, cuts)), encoding="utf-8")
        arguments: list[str | Path] = [*json_options(GECODE, time_left(control)), models_dir() / MODEL, data]
        try:
            for message in messages(arguments, control, Path(folder)):
                if message["type"] == "solution":
                    selected = message["output"]["json"]["selected"]
                elif message["type"] == "status":
                    status = message["status"]
        except TimeoutError:
            raise OutOfTimeError from None
    if status == "OPTIMAL_SOLUTION":
        return tuple(j for j, inside in enumerate(selected) if inside)
    if status == "UNSATISFIABLE":
        return None
    if status in ("SATISFIED", "UNKNOWN") and control.limits.deadline is not None:
        raise OutOfTimeError
    raise BackendError(f"minizinc:gecode: ended with status {status}")


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


def brute_force(problem: ConsistencyProblem, cuts: Sequence[Cut], control: Control) -> FeatureSet | None:
    """Return the first set, by size, that is consistent and an alternative; the cuts are not needed."""
    for size in range(problem.n_features + 1):
        for members in combinations(range(problem.n_features), size):
            control.check_time()
            if problem.is_alternative(members) and problem.is_consistent(members):
                return members
    return None
