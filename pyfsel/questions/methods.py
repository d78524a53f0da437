"""Ways to list all solutions that reach a value; none of them shares its constraints with another.

Each hands over what it finds to a callable: families of sets, or, for problems of one set, arrays of sets and
of their values as a search meets them. `ListingTask` runs one in a process that can be killed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pyfsel.backends import get_backend
from pyfsel.core.arrays import Array, Ints
from pyfsel.errors import InputError, SolverError
from pyfsel.model.build import build
from pyfsel.model.model import ZeroOneModel
from pyfsel.model.passes import better_than
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import Family, ObjectiveKind
from pyfsel.results.backend_answer import BackendAnswer, StopReason, Task, status_of
from pyfsel.results.control import Control, OutOfTimeError, TooManySetsError

Take: TypeAlias = "Callable[[Family], None]"
TakeBlock: TypeAlias = "Callable[[Any, Any], None]"
"""Takes sets, an array of shape (any, size), and their values."""


class EnoughError(Exception):
    """No further solutions are wanted."""


def by_trying(problem: Instance, value: int, control: Control, take: Take, see: TakeBlock) -> None:
    """Hand over all solutions that reach the value, by trying every combination of sets."""
    from pyfsel.backends.simple_searches import allowed_sets, compatible_families

    for family in compatible_families(problem, list(allowed_sets(problem)), control):
        if values.total(problem, family) >= value:
            take(family)


def by_packing(problem: Instance, value: int, control: Control, take: Take, see: TakeBlock) -> None:
    """Hand over all solutions that reach the value: of one set by falling values, of several as cliques."""
    from pyfsel.algorithms.packing.pool import falling, pool_of

    if problem.n_sets > 1:
        return _cliques(problem, value, control, take)
    done = 0
    for sets, numbers, _ in falling(pool_of(problem), value, control.check_time):
        see(sets[done:], numbers[done:])
        done = len(sets)


def _cliques(problem: Instance, value: int, control: Control, take: Take) -> None:
    """Hand over all solutions that reach the value, which is the optimum, as cliques of compatible sets.

    In a solution with the best sum of l sets, r of them have at most the best sum of r sets; so each has at
    least the best sum of l sets minus the best sum of l − 1 sets.
    """
    from pyfsel.algorithms.packing.pool import pool_of

    is_sum = problem.aggregate == "sum"
    best_sums = _best_sums(problem, control) if is_sum else []
    least = value - best_sums[-1] if is_sum else value
    sets, numbers = pool_of(problem).above(least)
    members = [tuple(row) for row in sets.tolist()]
    masks = [sum(1 << j for j in row) for row in members]
    worth = numbers.tolist()

    def extended(chosen: list[int], candidates: list[int], reached: int) -> None:
        control.check_time()
        left = problem.n_sets - len(chosen)
        if left == 0:
            if not is_sum or reached >= value:
                take(tuple(members[i] for i in chosen))
            return
        for position, i in enumerate(candidates):
            if is_sum and reached + min(left * worth[i], worth[i] + best_sums[left - 1]) < value:
                return
            fitting = [
                c for c in candidates[position:] if (masks[i] & masks[c]).bit_count() <= problem.max_shared
            ]
            extended([*chosen, i], fitting, reached + worth[i])

    extended([], list(range(len(members))), 0)


def _best_sums(problem: Instance, control: Control) -> list[int]:
    """Return the best sums of 0, 1, …, n_sets − 1 sets."""
    from pyfsel.algorithms.packing.families import PackingSearch

    sums = [0]
    for number in range(1, problem.n_sets):
        search = PackingSearch(problem.replace(n_sets=number), Control(control.limits))
        search.run()
        assert search.value is not None
        sums.append(search.value)
    return sums


def by_cpsat(problem: Instance, value: int, control: Control, take: Take, see: TakeBlock) -> None:
    """Hand over all solutions that reach the value, by CP-SAT's own enumeration.

    The model has no dominance, and every auxiliary variable is determined by the memberships, so each family
    of sets is one solution: the sets are in lexicographic order, equal ones next to each other.
    """
    from ortools.sat.python import cp_model

    from pyfsel.drivers.cpsat import CpSatProgram, new_solver

    m = _model(problem, value)
    program = CpSatProgram(m)
    solver = new_solver(control.limits.random_state, control.remaining())
    solver.parameters.enumerate_all_solutions = True

    class EachSolution(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        enough = False

        def on_solution_callback(self) -> None:
            family = m.sets(lambda v: self.value(program.x[v]))
            try:
                if not self.enough and values.total(problem, family) >= value:
                    take(family)
            except EnoughError:
                self.enough = True
                self.stop_search()

    listener = EachSolution()
    native = solver.solve(program.model, listener)
    if listener.enough:
        raise EnoughError
    if native in (cp_model.UNKNOWN, cp_model.FEASIBLE):
        raise OutOfTimeError
    if native not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise SolverError(f"cpsat: returned status {solver.status_name(native)}: {program.model.validate()}")


def _model(problem: Instance, value: int) -> ZeroOneModel:
    """Return the model of all solutions that reach the value.

    The value of CFS (paper 000, Eq. 20) is a graph score of other weights that is not negative; rounded
    weights let further sets through.
    """
    from pyfsel.algorithms.cfs.step import CFSStep

    if values.takes_steps(problem):
        problem, value = CFSStep.of(problem, value).problem, 0
    m = better_than(build(problem), value - 1)
    for first, second in pairwise(m.member):
        _order(m, first, second)
    return m


def _order(m: ZeroOneModel, first: list[int], second: list[int]) -> None:
    """Order two sets lexicographically, by variables that are true where the sets agree so far."""
    so_far: list[int] = []
    for a, b in zip(first, second, strict=True):
        before = [-literal for literal in so_far]
        m.clause(*before, a, -b)
        equal = m.new("equal", a, b)
        for one, other in ((a, b), (-a, -b)):
            m.clause(*before, equal, one, other)
            m.clause(-equal, one, -other)
        for literal in so_far:
            m.clause(-equal, literal)
        so_far = [equal]


def by_chains(problem: Instance, value: int, control: Control, take: Take, see: TakeBlock) -> None:
    """Hand over all sets that reach the value, along heavy chains; for CFS, from the sets of a step."""
    from pyfsel.algorithms.cfs.step import CFSStep
    from pyfsel.algorithms.ksubgraph import all_heavy, instance

    is_fraction = values.takes_steps(problem)
    asked, least = (CFSStep.of(problem, value).problem, 0) if is_fraction else (problem, value)

    def of_step(sets: Any, _: Any) -> None:
        numbers = values.values(problem, sets)
        see(sets[numbers >= value], numbers[numbers >= value])

    seen = of_step if is_fraction else see
    if not all_heavy.each_block(instance.PairInstance.of_problem(asked), least, seen, control.expired):
        raise OutOfTimeError


def by_best_subsets(problem: Instance, value: int, control: Control, take: Take, see: TakeBlock) -> None:
    """Hand over all sets that explain at least this value."""
    from pyfsel.algorithms.best_subsets.tree import BestSubsets

    for size in problem.sizes:
        BestSubsets(problem, control, size).list_above(value, see)


class ListingMethod(NamedTuple):
    """A way to list all solutions that reach a value, of the backend with its name.

    Parameters
    ----------
    name : str
    run : callable
        Takes a problem, a value, a `Control`, a callable to which it hands over every solution, and one for
        arrays of single sets and of their values, if it lists these in blocks.
    refused : callable
        Takes a problem, returns why the method does not take it though the backend does, or None.
    """

    name: str
    run: Callable[[Instance, int, Control, Take, TakeBlock], None]
    refused: Callable[[Instance], str | None] = lambda problem: None

    def refusal(self, problem: Instance) -> str | None:
        """Return why the method does not list the solutions of a problem, or None."""
        backend = get_backend(self.name)
        free = problem.replace(min_quality=None)  # of one set the value is the minimum quality
        return backend.missing() or self.refused(problem) or backend.refusal(free, backend.formulations[-1])


def _of_one_set(problem: Instance) -> str | None:
    return None if problem.n_sets == 1 else "lists single sets"


def _of_one_size(problem: Instance) -> str | None:
    return "lists single sets of one size" if problem.has_size_range else _of_one_set(problem)


def _without_maxima(problem: Instance) -> str | None:
    maxima = ObjectiveKind.MAXIMA in values.kinds_of(problem)
    return "of maxima its model has several solutions for one set" if maxima else None


METHODS = {
    method.name: method
    for method in (
        ListingMethod("packing", by_packing),
        ListingMethod("ksubgraph", by_chains, _of_one_size),
        ListingMethod("best-subsets", by_best_subsets, _of_one_set),
        ListingMethod("cpsat", by_cpsat, _without_maxima),
        ListingMethod("brute-force", by_trying),
    )
}


def chosen_method(problem: Instance, solver: str = "auto") -> str:
    """Return the first method, or the requested one, that takes the problem.

    Raises
    ------
    InputError
        If none does.
    """
    if solver not in ("auto", *METHODS):
        raise InputError(f"solver={solver!r}: cannot list solutions. Expected {', '.join(METHODS)}")
    names = METHODS if solver == "auto" else (solver,)
    refusals = {name: METHODS[name].refusal(problem) for name in names}
    for name, why in refusals.items():
        if why is None:
            return name
    reasons = ", ".join(f"{name} ({why})" for name, why in refusals.items())
    raise InputError(f"solver={solver!r}: does not list the solutions of this problem: {reasons}")


@dataclass
class Tally:
    """How many sets were met, which features they have, and which values they reach.

    Parameters
    ----------
    n_features, most_kept : int
        The first sets are kept, this number at most.
    steps : sequence of int
        Values; `reached` is how many sets reach each.

    Attributes
    ----------
    n_sets : int
    joint : sparse array of int, shape (n_features, n_features)
        How many sets have both features; on the diagonal how many have one.
    kept : list of sets
    """

    n_features: int
    most_kept: int
    steps: Sequence[int]
    n_sets: int = 0
    joint: Any = 0
    reached: Any = 0
    kept: list[tuple[int, ...]] = field(default_factory=list)

    def see(self, sets: Array, numbers: Ints) -> None:
        """Count sets, of one size, and their values."""
        from scipy.sparse import csr_array

        self.n_sets += len(sets)
        self.reached += (numbers[:, None] >= np.array(self.steps, np.int64)).sum(axis=0)
        self.kept += map(tuple, sets[: self.most_kept - len(self.kept)].tolist())
        ends = np.arange(len(sets) + 1) * sets.shape[1]
        held = csr_array(
            (np.ones(sets.size, np.int64), sets.ravel(), ends), shape=(len(sets), self.n_features)
        )
        self.joint += held.T @ held


@dataclass(eq=False)
class ListingTask(Task):
    """Lists all solutions of a problem that reach a value; every one is reported as it comes.

    Parameters
    ----------
    method : str
        Key of `METHODS`.
    value : int
    limit : int or None
        Stop after this number, unless a search meets them in blocks that are counted.
    tally : Tally or None
        Counts the sets, of a problem for one set, in place of reports. The answer has it in its statistics.
    """

    method: str
    value: int
    limit: int | None
    tally: Tally | None = None

    def __post_init__(self) -> None:
        self.name, self.basis = self.method, (self.method,)

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        """Return OPTIMAL once all solutions have been met, FEASIBLE before."""
        tally, why, value = self.tally, None, self.value
        found: list[Family] = []

        def take(family: Family) -> None:
            if len(found) == self.limit:
                raise EnoughError
            found.append(tuple(sorted(tuple(sorted(members)) for members in family)))
            if tally is None:
                control.report_sets(found[-1])

        def take_each(sets: Array, _: Ints) -> None:
            for members in sets.tolist():
                take((tuple(members),))

        if problem.n_sets == 1 and problem.min_quality is not None:
            value = max(value, problem.min_quality)
        try:
            see = take_each if tally is None else tally.see
            METHODS[self.name].run(problem, value, control, take, see)
        except EnoughError:
            why = StopReason.FINISHED
        except OutOfTimeError:
            why = StopReason.TIME_LIMIT
        except TooManySetsError:
            why = StopReason.MEMORY_LIMIT
        if tally is not None:
            for size in {len(members) for (members,) in found}:
                alike = [members for (members,) in found if len(members) == size]
                tally.see(np.array(alike), values.values(problem, alike))
        first, told = next(iter(found), None), {"tally": tally}
        if why is not None:
            return BackendAnswer.unproved(first, stop_reason=why, statistics=told)
        number = len(found) if tally is None else tally.n_sets
        return BackendAnswer(status_of(number, True), first, statistics=told)
