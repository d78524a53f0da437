"""The swap-repair problem: the valid sets nearest to given ones after a swap (paper 000, Eq. 16)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from pyfsel.drivers.cpsat import CpSatProgram, new_solver
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.model.build import build
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, FeatureSet
from pyfsel.results.backend_answer import Status
from pyfsel.results.control import Limits
from pyfsel.results.verify import violations

Sets = tuple[FeatureSet, ...]
Found = tuple[Status, Sets]
MOST_REMEMBERED = 1024
WITHOUT_VALUES: dict[str, Any] = {
    "objective": "univariate",
    "pairs": None,
    "min_quality": None,
    "aggregate": "sum",
    "shared_price": 0,
    "feature_names": (),
    "copies": (),
    "exact_quality": None,
    "exact_pairs": None,
}


class SwapRepair:
    """Finds valid sets, and the valid sets nearest to given ones, exactly, by CP-SAT.

    A model of the constraints is built once; what changes from call to call are the objective and the
    assumptions. Answers are checked, and are the same for the same seed.

    Features that are in none of the sets or the previous sets, do not swap, and have no constraint of their
    own are alike: nearest sets need at most k of them in each place, and no feature twice, as a different one
    in each place keeps sizes and distance, and lessens overlaps. So a model has as many stand-ins, which are
    replaced by features that are drawn. Nor does it matter which of these features swap: the solver
    is called once for all of them.

    Parameters
    ----------
    problem : Instance
        Its qualities are not used.
    limits : Limits, optional
        The seed, and when the solver stops.

    Attributes
    ----------
    n_calls : int
        Number of solver calls.

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
        self.n_calls = 0
        self._all = tuple(range(problem.n_features))
        self._model = lru_cache(maxsize=4)(self._new_model)  # of all features, and with 0, 1, or 2 outside
        self._solved = lru_cache(maxsize=MOST_REMEMBERED)(self._solve)
        tell_apart = set(problem.side_constraints) - {"size_range", *SET_TERMS}
        self._are_alike = not tell_apart and not problem.conflicts and not len(problem.relatives)

    def any_sets(self) -> Found:
        """Return FEASIBLE or OPTIMAL with some valid sets, INFEASIBLE, or NOT_SOLVED (the time was up)."""
        return self._checked(self._solve(self._all, (), ()))

    def nearest(self, sets: Sequence[FeatureSet], swapped: Sequence[int]) -> Found:
        """Return the sets of least Hamming distance to `sets` in which the swapped features change sides.

        In each set a swapped feature is selected if it was not, and the other way round.

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
        sets, n_drawn = tuple(sets), len(sets) * self.problem.k
        named = {j for members in (*sets, *self.problem.previous) for j in members}
        outside = [j for j in swapped if j not in named]
        unnamed = [j for j in self._all if j not in named]
        features, stands_for = self._all, dict[int, int]()
        if self._are_alike and len(unnamed) > len(outside) + n_drawn:
            left = sorted({*unnamed}.difference(outside))
            drawn = Random(f"{self.limits.random_state} {sets} {swapped}").sample(left, n_drawn)
            stands_for = dict(zip(unnamed, [*outside, *drawn], strict=False))
            features = (*sorted(named), *stands_for)
        stand_in_of = {j: stand_in for stand_in, j in stands_for.items() if j in outside}
        status, found = self._solved(features, sets, tuple(stand_in_of.get(j, j) for j in swapped))
        found = tuple(tuple(sorted(stands_for.get(j, j) for j in members)) for members in found)
        kept = [j for old, new in zip(sets, found, strict=False) for j in swapped if (j in old) == (j in new)]
        if kept:
            raise FalseClaimError(f"swap repair: features {kept} were to change sides and did not: {found}")
        return self._checked((status, found))

    def _new_model(self, features: tuple[int, ...]) -> tuple[CpSatProgram, list[dict[int, Any]]]:
        """Return the constraints on some features in CP-SAT, and whether each set contains each of them."""
        place = {j: i for i, j in enumerate(features)}
        previous = [[place[j] for j in members] for members in self.problem.previous]
        m = build(self.problem.replace(quality=[0] * len(features), previous=previous, **WITHOUT_VALUES))
        program = CpSatProgram(m)
        return program, [{j: program.x[v] for j, v in zip(features, row, strict=True)} for row in m.member]

    def _solve(self, features: tuple[int, ...], sets: Sets, swapped: tuple[int, ...]) -> Found:
        """Return the nearest sets of some features, unchecked; any sets if none are given."""
        from ortools.sat.python import cp_model

        if self.limits.expired():
            return Status.NOT_SOLVED, ()
        program, member = self._model(features)
        rows = [(row, set(members)) for row, members in zip(member, sets, strict=False)]
        program.model.maximize(sum(var if j in s else -var for row, s in rows for j, var in row.items()))
        program.model.clear_assumptions()
        program.model.add_assumptions([~row[j] if j in s else row[j] for row, s in rows for j in swapped])
        solver = new_solver(self.limits.random_state, self.limits.remaining())
        # of one set presolve takes half the time
        solver.parameters.cp_model_presolve = self.problem.n_sets > 1
        self.n_calls += 1
        native = solver.solve(program.model)
        if native in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            status = Status.OPTIMAL if native == cp_model.OPTIMAL else Status.FEASIBLE
            return status, tuple(tuple(j for j, var in row.items() if solver.value(var)) for row in member)
        if native not in (cp_model.INFEASIBLE, cp_model.UNKNOWN):
            raise SolverError(f"swap repair: CP-SAT returned {solver.status_name(native)}")
        return Status.INFEASIBLE if native == cp_model.INFEASIBLE else Status.NOT_SOLVED, ()

    def _checked(self, answer: Found) -> Found:
        wrong = violations(self.problem, answer[1]) if answer[1] else []
        if wrong:
            raise FalseClaimError(f"swap repair: {'; '.join(wrong)}")
        return answer
