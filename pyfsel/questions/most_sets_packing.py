"""As many sets as possible by candidate packing: compatible ones are picked from all good sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

from pyfsel.errors import BackendError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.questions.most_sets_bounds import good_sets
from pyfsel.results.answer import Answer, Status, StopReason
from pyfsel.results.control import Control
from pyfsel.results.task import Task
from pyfsel.solvers.cpsat import new_solver
from pyfsel.solvers.versions import is_installed

LARGEST_MODEL = 1_000_000
FLOAT_MARGIN = 1e-6


class MostSetsPacking(Task):
    """Picks as many good sets as possible such that no max_overlap + 1 features lie in two, by CP-SAT.

    The number of sets is what is maximised: sets and bounds that are reported are about it.
    """

    name = "cpsat on the good sets"
    summary = "as many compatible sets as possible from all good ones"
    basis: tuple[str, ...] = ("packing", "cpsat")

    def refusal(self, problem: Problem) -> str | None:
        """Return why the problem cannot be taken, or None."""
        if not is_installed("ortools"):
            return "pip install ortools"
        sets = good_sets(problem)
        if sets is None:
            return "the good sets cannot be listed"
        subsets = len(sets) * comb(problem.set_size, problem.max_overlap + 1)
        return None if subsets <= LARGEST_MODEL else f"{len(sets)} good sets are too many"

    def solve(self, problem: Problem, control: Control) -> Answer:
        from ortools.sat.python import cp_model

        sets = good_sets(problem)
        assert sets is not None
        pool: list[FeatureSet] = [tuple(members) for members in sets.tolist()]
        model, chosen = _model(problem, pool)
        if control.hint is not None:
            for variable, members in zip(chosen, pool, strict=True):
                model.add_hint(variable, members in control.hint)
        solver = new_solver(control.limits.random_state, control.remaining(), control.limits.n_threads)

        class Listener(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                control.report_sets(_picked(pool, [self.value(variable) for variable in chosen]))

        solver.best_bound_callback = lambda bound: control.report_bound(math.floor(bound + FLOAT_MARGIN))
        native = solver.solve(model, Listener())
        if native == cp_model.UNKNOWN:
            return Answer(Status.NOT_SOLVED, stop_reason=StopReason.TIME_LIMIT)
        if native not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            raise BackendError(f"cpsat: returned status {solver.status_name(native)}: {model.validate()}")
        found = _picked(pool, [solver.value(variable) for variable in chosen])
        if native == cp_model.OPTIMAL:
            return Answer(Status.OPTIMAL, found, len(found))
        bound = math.floor(solver.best_objective_bound + FLOAT_MARGIN)
        return Answer(Status.FEASIBLE, found, bound, StopReason.TIME_LIMIT)


def _model(problem: Problem, pool: Sequence[FeatureSet]) -> tuple[Any, list[Any]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in pool]
    holders: dict[tuple[int, ...], list[Any]] = {}
    for variable, members in zip(chosen, pool, strict=True):
        for part in combinations(members, problem.max_overlap + 1):
            holders.setdefault(part, []).append(variable)
    for variables in holders.values():
        if len(variables) > 1:
            model.add_at_most_one(variables)
    model.maximize(sum(chosen))
    return model, chosen


def _picked(pool: Sequence[FeatureSet], values: Sequence[int]) -> tuple[FeatureSet, ...]:
    return tuple(members for members, value in zip(pool, values, strict=True) if value)
