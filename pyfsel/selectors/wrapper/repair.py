"""The swap-repair problem: the valid sets nearest to given ones after a swap (paper 000, Eq. 16)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from pyfsel.drivers.cpsat import CpSatProgram, new_solver
from pyfsel.errors import SolverError
from pyfsel.model.build import build
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, Family, FeatureSet
from pyfsel.reductions.restriction import Restriction
from pyfsel.results.backend_answer import Status
from pyfsel.results.control import Limits
from pyfsel.results.verify import require_true, violations

Found = tuple[Status, Family]


class SwapRepair:
    """Finds valid sets, and the valid sets nearest to given ones, exactly, by CP-SAT.

    A model of the constraints is built once; what changes from call to call are the objective and the
    assumptions. Answers are checked, and are the same for the same seed.

    Features that are in none of the sets or the previous sets, do not swap, and have no constraint of their
    own are alike: nearest sets need at most k of them in each place, and no feature twice, as a different one
    in each place keeps sizes and distance, and lessens overlaps. So a model has no more of them, which are
    drawn: it is as small for thousands of features as for a hundred.

    Parameters
    ----------
    problem : Instance
        Its qualities are not used.
    limits : Limits, optional
        The seed, and when the solver stops.

    Examples
    --------
    >>> problem = Instance(quality=[0, 0, 0, 0], n_sets=1, k=2, max_shared=1, previous=[(0, 1)])
    >>> SwapRepair(problem).nearest([(0, 2)], (0, 3))
    (<Status.OPTIMAL: 'OPTIMAL'>, ((2, 3),))
    >>> SwapRepair(problem).nearest([(2, 3)], (0, 1))
    (<Status.INFEASIBLE: 'INFEASIBLE'>, ())
    """

    def __init__(self, problem: Instance, limits: Limits | None = None) -> None:
        self.problem = problem
        self.limits = limits or Limits()
        self._all = tuple(range(problem.n_features))
        self._bare = problem.without_values()
        self._model = lru_cache(maxsize=1)(self._new_model)  # of all features
        tell_apart = set(problem.side_constraints) - {"size_range", *SET_TERMS}
        self._are_alike = not tell_apart and not problem.has_conflicts and not len(problem.relatives)

    def nearest(self, sets: Sequence[FeatureSet], swapped: Sequence[int]) -> Found:
        """Return the sets of least Hamming distance to `sets` in which the swapped features change sides.

        In each set a swapped feature is selected if it was not, and the other way round. Near empty sets are
        the smallest valid ones.

        Parameters
        ----------
        sets : sequence of feature sets
        swapped : sequence of int

        Returns
        -------
        status : Status
            OPTIMAL; FEASIBLE if the time was up before it was proved that no nearer sets exist; INFEASIBLE;
            or NOT_SOLVED.
        sets : tuple of feature sets
            In the order of the given ones; empty without a solution.
        """
        sets = tuple(sets)
        status, found = self._solve(self._candidates(sets, swapped), sets, tuple(swapped))
        kept = [j for old, new in zip(sets, found, strict=False) for j in swapped if (j in old) == (j in new)]
        evidence = violations(self.problem, found) if found else []
        if kept:
            evidence = [f"features {kept} were to change sides and did not: {found}"]
        require_true("swap repair", evidence)
        return status, found

    def _candidates(self, sets: Family, swapped: Sequence[int]) -> tuple[int, ...]:
        """Return the features that nearest sets may need: all, or of those that are alike as many as fit."""
        named = {j for members in (*sets, *self.problem.previous, swapped) for j in members}
        unnamed, n_drawn = [j for j in self._all if j not in named], len(sets) * self.problem.k
        if not self._are_alike or len(unnamed) <= n_drawn:
            return self._all
        drawn = Random(f"{self.limits.random_state} {sets} {swapped}").sample(unnamed, n_drawn)
        return tuple(sorted({*named, *drawn}))

    def _new_model(self, features: tuple[int, ...]) -> tuple[CpSatProgram, list[dict[int, Any]]]:
        """Return the constraints on some features in CP-SAT, and whether each set contains each of them."""
        m = build(Restriction.to(self._bare, features).problem)
        program = CpSatProgram(m)
        return program, [{j: program.x[v] for j, v in zip(features, row, strict=True)} for row in m.member]

    def _solve(self, features: tuple[int, ...], sets: Family, swapped: tuple[int, ...]) -> Found:
        """Return the nearest sets of some features, unchecked."""
        from ortools.sat.python import cp_model

        if self.limits.expired():
            return Status.NOT_SOLVED, ()
        program, member = self._model(features)
        rows = [(row, set(members)) for row, members in zip(member, sets, strict=True)]
        program.model.maximize(sum(var if j in s else -var for row, s in rows for j, var in row.items()))
        program.model.clear_assumptions()
        program.model.add_assumptions([~row[j] if j in s else row[j] for row, s in rows for j in swapped])
        solver = new_solver(self.limits.random_state, self.limits.remaining())
        # of one set presolve takes half the time
        solver.parameters.cp_model_presolve = self.problem.n_sets > 1
        native = solver.solve(program.model)
        if native in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            status = Status.OPTIMAL if native == cp_model.OPTIMAL else Status.FEASIBLE
            return status, tuple(tuple(j for j, var in row.items() if solver.value(var)) for row in member)
        if native not in (cp_model.INFEASIBLE, cp_model.UNKNOWN):
            raise SolverError(f"swap repair: CP-SAT returned {solver.status_name(native)}")
        return Status.INFEASIBLE if native == cp_model.INFEASIBLE else Status.NOT_SOLVED, ()
