"""The swap-repair problem: the valid sets nearest to given ones after a swap (paper 000, Eq. 16)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from pyfsel.drivers.cpsat import Program, new_solver
from pyfsel.errors import FalseClaimError, SolverError
from pyfsel.model.build import build
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, FeatureSet
from pyfsel.results.answer import Status
from pyfsel.results.verify import violations

WITHOUT_VALUES: dict[str, Any] = {
    "objective": "univariate",
    "redundancy": None,
    "min_quality": None,
    "aggregate": "sum",
    "shared_price": 0,
    "feature_names": (),
    "copies": (),
    "exact_quality": None,
    "exact_pairs": None,
}


class _Answer(NamedTuple):
    """Sets of named features, and how many that are not named each has besides."""

    status: Status
    sets: tuple[FeatureSet, ...] = ()
    n_unnamed: tuple[int, ...] = ()


class _Constraints:
    """The constraints of a problem in CP-SAT; features that are not named are only counted.

    Parameters
    ----------
    problem : Instance
    named : sequence of int, optional
        The features that have variables, if not all. Of the others, which no constraint may tell apart, a set
        contains a number, and no two sets share one.

    Attributes
    ----------
    member : list of dict of int to Boolean variables
        ``member[s][j]``: set s contains feature j.
    n_unnamed : list of integer variables
    """

    def __init__(self, problem: Instance, named: Sequence[int] | None = None) -> None:
        features = range(problem.n_features) if named is None else named
        n = len(features)
        quality = [0] * (n if named is None else max(n + 1, problem.k))
        position = {j: i for i, j in enumerate(features)}
        m = build(
            problem.replace(
                quality=quality,
                previous=[[position[j] for j in members] for members in problem.previous],
                **WITHOUT_VALUES,
            )
        )
        others = {v for row in m.member for v in row[n:]}
        m.clauses = [clause for clause in m.clauses if others.isdisjoint(map(abs, clause))]
        for row in m.member if others else ():
            m.domain |= dict.fromkeys(row[n + 1 :], (0, 0))
            m.domain[row[n]] = 0, min(problem.k, problem.n_features - n)
        self.program = Program(m)
        x = self.program.x
        self.member = [{j: x[v] for j, v in zip(features, row, strict=False)} for row in m.member]
        self.n_unnamed = [x[row[n]] for row in m.member if others]

    def read(self, value_of: Callable[[Any], int]) -> tuple[FeatureSet, ...]:
        """Return the named features of the sets."""
        return tuple(tuple(j for j, var in row.items() if value_of(var)) for row in self.member)


class SwapRepair:
    """Finds valid sets, and the valid sets nearest to given ones, exactly, by CP-SAT.

    A model of the constraints is built once; what changes from call to call are the objective and the
    assumptions. Answers are checked, and are the same for the same seed.

    Features that are in none of the sets or the previous sets, do not swap, and have no constraint of their
    own are only counted. Nearest sets need none of these twice: a different one in each place keeps sizes
    and distance, and lessens overlaps. So the counts are right where there are as many features, which are
    drawn then; else all features are named. Nor does anything tell apart which of these features swap: the
    solver is asked once for all of them.

    Parameters
    ----------
    problem : Instance
        Its qualities are not used.
    random_state : int

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

    def __init__(self, problem: Instance, random_state: int = 0) -> None:
        self.problem = problem
        self.random_state = random_state
        self.n_calls = 0
        self._model = lru_cache(maxsize=4)(self._new_model)  # of all features, and with 0, 1, or 2 outside
        tell_apart = set(problem.side_constraints) - {"size_range", *SET_TERMS}
        self._may_count = not tell_apart and not problem.conflicts and not len(problem.relatives)
        self._answers: dict[tuple[int, ...], _Answer] = {}
        self._answers_for: tuple[FeatureSet, ...] = ()

    def any_sets(self, time_limit: float | None = None) -> tuple[Status, tuple[FeatureSet, ...]]:
        """Return FEASIBLE or OPTIMAL with some valid sets, INFEASIBLE, or NOT_SOLVED (the time was up)."""
        answer = self._solve(self._model(), time_limit)
        return answer.status, self._checked(answer.sets)

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
        counted = self._counted(tuple(sets), swapped, time_limit) if self._may_count else None
        answer = counted or self._nearest(self._model(), sets, swapped, time_limit)
        found = self._checked(answer.sets)
        kept = [j for old, new in zip(sets, found, strict=False) for j in swapped if (j in old) == (j in new)]
        if kept:
            raise FalseClaimError(f"swap repair: features {kept} were to change sides and did not: {found}")
        return answer.status, found

    def _counted(
        self, sets: tuple[FeatureSet, ...], swapped: Sequence[int], time_limit: float | None
    ) -> _Answer | None:
        """Return the nearest sets by counts, or None where fewer features are left than they count."""
        named = {j for members in (*sets, *self.problem.previous) for j in members}
        unnamed = [j for j in range(self.problem.n_features) if j not in named]
        outside = [j for j in swapped if j not in named]
        left = sorted({*unnamed}.difference(outside))
        if len(left) < len(sets):
            return None
        stand_ins = unnamed[: len(outside)]
        stand_in_for = dict(zip(outside, stand_ins, strict=True))
        asked = tuple(stand_in_for.get(j, j) for j in swapped)
        if self._answers_for != sets:
            self._answers, self._answers_for = {}, sets
        answer = self._answers.get(asked)
        if answer is None:
            answer = self._nearest(self._model((*sorted(named), *stand_ins)), sets, asked, time_limit)
            if answer.status in (Status.OPTIMAL, Status.INFEASIBLE):
                self._answers[asked] = answer
        if sum(answer.n_unnamed) > len(left):
            return None
        drawn = iter(Random(f"{self.random_state} {sets} {swapped}").sample(left, sum(answer.n_unnamed)))
        swapped_for = dict(zip(stand_ins, outside, strict=True))
        found = (
            tuple(sorted([*(swapped_for.get(j, j) for j in members), *islice(drawn, number)]))
            for members, number in zip(answer.sets, answer.n_unnamed, strict=True)
        )
        return answer._replace(sets=tuple(found))

    def _nearest(
        self,
        model: _Constraints,
        sets: Sequence[FeatureSet],
        swapped: Sequence[int],
        time_limit: float | None,
    ) -> _Answer:
        rows = [(row, set(members)) for row, members in zip(model.member, sets, strict=True)]
        kept = sum(var if j in s else -var for row, s in rows for j, var in row.items())
        model.program.model.maximize(kept - sum(model.n_unnamed))
        return self._solve(
            model, time_limit, [~row[j] if j in s else row[j] for row, s in rows for j in swapped]
        )

    def _new_model(self, named: tuple[int, ...] | None = None) -> _Constraints:
        return _Constraints(self.problem, named)

    def _checked(self, found: tuple[FeatureSet, ...]) -> tuple[FeatureSet, ...]:
        wrong = violations(self.problem, found) if found else []
        if wrong:
            raise FalseClaimError(f"swap repair: {'; '.join(wrong)}")
        return found

    def _solve(self, sets: _Constraints, time_limit: float | None, assumed: Sequence[Any] = ()) -> _Answer:
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
        sets.program.model.clear_assumptions()
        sets.program.model.add_assumptions(list(assumed))
        self.n_calls += 1
        native = solver.solve(sets.program.model)
        if native not in statuses:
            raise SolverError(f"swap repair: CP-SAT returned {solver.status_name(native)}")
        status = statuses[native]
        if status in (Status.INFEASIBLE, Status.NOT_SOLVED):
            return _Answer(status)
        return _Answer(status, sets.read(solver.value), tuple(map(solver.value, sets.n_unnamed)))
