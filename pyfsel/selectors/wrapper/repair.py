"""The swap-repair problem: the valid sets nearest to given ones after a swap (paper 000, Eq. 16)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyfsel.errors import BackendError, VerificationError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.results.answer import Status
from pyfsel.results.verify import violations
from pyfsel.solvers.cpsat import new_solver

if TYPE_CHECKING:
    from pyfsel.backends.cpsat.membership import SetModel


class SwapRepair:
    """Finds valid sets, and the valid sets nearest to given ones, exactly, by CP-SAT.

    The model of the constraints is built once; what changes from call to call are the objective and the
    assumptions. Answers are checked, and are the same for the same seed.

    Parameters
    ----------
    problem : Problem
        Its qualities are not used.
    random_state : int

    Attributes
    ----------
    n_calls : int
        Number of solver calls.

    Examples
    --------
    >>> problem = Problem(quality=[0, 0, 0, 0], n_sets=1, set_size=2, max_overlap=1, previous_sets=[(0, 1)])
    >>> SwapRepair(problem).nearest([(0, 2)], (0, 3))
    (<Status.OPTIMAL: 'OPTIMAL'>, ((2, 3),))
    >>> SwapRepair(problem).nearest([(2, 3)], (0, 1))
    (<Status.INFEASIBLE: 'INFEASIBLE'>, ())
    """

    def __init__(self, problem: Problem, random_state: int = 0) -> None:
        self.problem = problem
        self.random_state = random_state
        self.n_calls = 0
        self._model: SetModel | None = None

    def any_sets(self, time_limit: float | None = None) -> tuple[Status, tuple[FeatureSet, ...]]:
        """Return FEASIBLE or OPTIMAL with some valid sets, INFEASIBLE, or NOT_SOLVED (the time was up)."""
        return self._solve(self._set_model(), time_limit)

    def nearest(
        self, sets: Sequence[FeatureSet], swapped: Sequence[int], time_limit: float | None = None
    ) -> tuple[Status, tuple[FeatureSet, ...]]:
        """Return the sets of least Hamming distance to `sets` in which the swapped features change sides.

        In each set a swapped feature is selected if it was not, and the other way round.

        Parameters
        ----------
        sets : sequence of feature sets
        swapped : sequence of int
        time_limit : float, optional
            Seconds.

        Returns
        -------
        status : Status
            OPTIMAL; FEASIBLE if the time was up before it was proved that no nearer sets exist; INFEASIBLE;
            or NOT_SOLVED.
        sets : tuple of feature sets
            In the order of the given ones; empty without a solution.
        """
        model = self._set_model()
        rows = [(row, set(members)) for row, members in zip(model.member, sets, strict=True)]
        model.model.maximize(sum(var if j in s else -var for row, s in rows for j, var in enumerate(row)))
        assumed = [~row[j] if j in s else row[j] for row, s in rows for j in swapped]
        status, found = self._solve(model, time_limit, assumed)
        kept = [j for old, new in zip(sets, found, strict=False) for j in swapped if (j in old) == (j in new)]
        if kept:
            raise VerificationError(f"swap repair: features {kept} were to change sides and did not: {found}")
        return status, found

    def _set_model(self) -> SetModel:
        from pyfsel.backends.cpsat.membership import SetModel

        if self._model is None:
            self._model = SetModel(self.problem)
        return self._model

    def _solve(
        self, sets: SetModel, time_limit: float | None, assumed: Sequence[Any] = ()
    ) -> tuple[Status, tuple[FeatureSet, ...]]:
        from ortools.sat.python import cp_model

        statuses = {
            cp_model.OPTIMAL: Status.OPTIMAL,
            cp_model.FEASIBLE: Status.FEASIBLE,
            cp_model.INFEASIBLE: Status.INFEASIBLE,
            cp_model.UNKNOWN: Status.NOT_SOLVED,
        }
        solver = new_solver(self.random_state, time_limit)
        solver.parameters.cp_model_presolve = (
            self.problem.n_sets > 1
        )  # of one set presolve takes half the time
        sets.model.clear_assumptions()
        sets.model.add_assumptions(list(assumed))
        self.n_calls += 1
        native = solver.solve(sets.model)
        if native not in statuses:
            raise BackendError(f"swap repair: CP-SAT returned {solver.status_name(native)}")
        status = statuses[native]
        if status in (Status.INFEASIBLE, Status.NOT_SOLVED):
            return status, ()
        found = sets.read(solver.value)
        wrong = violations(self.problem, found)
        if wrong:
            raise VerificationError(f"swap repair: {'; '.join(wrong)}")
        return status, found
