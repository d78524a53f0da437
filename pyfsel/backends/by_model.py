"""Backends whose solvers read a 0/1 model: how one comes from a problem, and three that lack nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from pyfsel.backends.base import Backend
from pyfsel.problem import values
from pyfsel.problem.fields import SIDE_CONSTRAINTS
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SET_TERMS, UP_TO_PAIRS, Family, FeatureSet, ObjectiveKind
from pyfsel.results.backend_answer import BackendAnswer, Status
from pyfsel.results.control import LITERAL, STRENGTHENED, Control

if TYPE_CHECKING:
    from pyfsel.model.model import ZeroOneModel

FORMULATIONS = (STRENGTHENED, LITERAL)
SLICE = 1.0  # seconds after which the bound of Exact is read
LARGEST_NUMBER_OF_PRODUCTS = 500_000  # two clauses and more for each


def model_of(problem: Instance, formulation: str, family: str) -> ZeroOneModel:
    """Return the 0/1 model of a problem, as the solvers of a family take it.

    Raises
    ------
    InputError
        If the objective has no 0/1 model.
    """
    from pyfsel.model import build

    style = build.LITERAL if formulation == LITERAL else build.style_for(problem, family)
    return build.build(problem, style)


class ByModel(Backend):
    """A solver of the models of `pyfsel.model`: a new rule of the problem is one place in `build`.

    A backend says what it lacks, by the attributes of `Backend` or by `unsupported`.

    Attributes
    ----------
    family : str
        Of solvers, by which `pyfsel.model.build.style_for` chooses what a strengthened model states.
    """

    family: ClassVar[str]
    formulations = FORMULATIONS
    formulation_texts: ClassVar[Mapping[str, str]] = {
        STRENGTHENED: "one-sided products, counts, dominance, ordered sets; pairs of features by row sums",
        LITERAL: "products for each pair of sets (Eq. 6, 22), and for each pair of features that counts",
    }
    objectives = (*UP_TO_PAIRS, ObjectiveKind.MAXIMA)
    side_constraints = (*SIDE_CONSTRAINTS, *SET_TERMS)
    by_steps = FORMULATIONS

    def model(self, problem: Instance, formulation: str) -> ZeroOneModel:
        """Return the model of a problem without fractions."""
        return model_of(problem, formulation, self.family)

    def size(self, problem: Instance, formulation: str) -> dict[str, int]:
        from pyfsel.algorithms.cfs.step import as_graph_score

        m = self.model(as_graph_score(problem), formulation)
        return {"variables": m.n, "constraints": len(m.rows) + len(m.clauses)}

    def solve(self, problem: Instance, control: Control) -> BackendAnswer:
        if values.takes_steps(problem):
            from pyfsel.algorithms.cfs.steps import solve_by_steps

            return solve_by_steps(problem, control, self.solve)
        m = self.model(problem, control.formulation)
        if () in m.clauses:
            return BackendAnswer(Status.INFEASIBLE)
        if control.expired():
            return BackendAnswer.unproved(None, control.known_bound)
        hint = control.hint and in_order(problem, control.hint)
        return self.claim(problem, m, replace(control, hint=hint))

    @abstractmethod
    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        """Solve a model and return what the solver claims; a hint is in the order of the model's sets."""


class ByClauses(ByModel):
    """A solver of 0/1 models in clauses."""

    family = "sat"

    def unsupported(self, problem: Instance, formulation: str) -> str | None:
        products = 0
        if ObjectiveKind.MAXIMA in values.kinds_of(problem):
            products = problem.n_features**2 * problem.n_sets
        elif not values.objective_of(problem).is_sum:
            products = comb(problem.n_features, 2) * problem.n_sets
        if products > LARGEST_NUMBER_OF_PRODUCTS:
            return f"{products} products of features are more than {LARGEST_NUMBER_OF_PRODUCTS}"
        return None


class CpSat(ByModel):
    """OR-Tools CP-SAT, which lacks nothing that a model states."""

    name = "cpsat"
    summary = "CP-SAT (OR-Tools) on a 0/1 model"
    family = "cp"
    slow_imports = ("ortools.sat.python.cp_model",)
    basis = ("cpsat",)
    packages: Mapping[str, str] = {"ortools": "ortools"}

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        from pyfsel.drivers.cpsat import solve

        answer = solve(m, control)
        if answer.status is Status.OPTIMAL and answer.sets is not None:
            # its bound is a float, above the optimum where numbers are large: that is compared by `stated`
            return replace(answer, bound=values.total(problem, answer.sets))
        return answer


class Rc2(ByClauses):
    """Core-guided MaxSAT.

    Every core that RC2 finds lowers the proved upper bound, which is reported at once; the models at the end
    of its strata are reported as solutions. It is deterministic, so `random_state` changes nothing.
    """

    name = "rc2"
    summary = "MaxSAT with unsatisfiable cores (PySAT's RC2)"
    basis = ("clauses", "rc2", "glucose")
    packages: Mapping[str, str] = {"python-sat": "pysat"}

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        from pyfsel.backends.maxsat.rc2_search import Rc2Search
        from pyfsel.drivers.sat.maxsat_encoding import encode_model
        from pyfsel.model.dual_values import prices_pay

        formula = encode_model(m, prices_pay(m, control.formulation))
        search = Rc2Search(formula, problem, control)
        with search:
            return search.answer()


class Exact(ByModel):
    """Cutting planes with conflict analysis (package `exact`): exact for numbers of any size."""

    name = "exact"
    summary = "pseudo-Boolean solver Exact, integers of any size"
    family = "cp"
    basis = ("linear model", "exact")
    packages: Mapping[str, str] = {"exact": "exact"}

    def claim(self, problem: Instance, m: ZeroOneModel, control: Control) -> BackendAnswer:
        from pyfsel.algorithms.incumbent import IncumbentSearch
        from pyfsel.model.passes import with_ends

        whole = with_ends(m)
        solver = _in_exact(whole, control.limits.random_state)
        names = [f"x{v}" for v in range(1, whole.n + 1)]
        solver.setSolutionHints([(f"x{v}", int(inside)) for v, inside in m.memberships(control.hint)])
        found = IncumbentSearch(problem, control)
        found.bound = control.known_bound
        while not control.expired():
            state = solver.runOnce(timeout=min(SLICE, control.remaining()))
            if state in ("UNSAT", "INCONSISTENT"):
                return found.proved()
            found.tighten(-solver.getDualBound())
            if state == "SAT":
                values = solver.getLastSolutionFor(names)
                solver.boundObjByLastSol()
                found.improve(m.sets(lambda v, last=values: last[v - 1]), -solver.getBestSoFar())  # type: ignore[misc]
        return found.unproved()


def _in_exact(m: ZeroOneModel, random_state: int) -> Any:
    """Return a solver with the model, to minimise minus its objective."""
    from exact import Exact as Solver

    from pyfsel.model.passes import all_rows

    solver = Solver([("verbosity", "0"), ("seed", str(random_state + 1))])
    for v in range(1, m.n + 1):
        solver.addVariable(f"x{v}", *m.bounds(v))
    for row in all_rows(m):
        terms = [(c, f"x{v}") for v, c in row.terms.items()]
        low, high = row.low is not None, row.high is not None
        solver.addConstraint(terms, low, row.low or 0, high, row.high or 0)
    solver.setObjective([(-c, f"x{v}") for v, c in m.weights.items()], True, -m.constant)
    return solver


def in_order(problem: Instance, sets: Sequence[FeatureSet]) -> Family:
    """Return a solution, at least as good, that satisfies the constraints of strengthened models.

    Interchangeable features change places in all sets until the better ones are used more often; then the
    sets are put into order.

    Examples
    --------
    >>> in_order(Instance(quality=[5, 4, 3, 1], n_sets=2, k=2, max_shared=1), [(2, 3), (1, 3)])
    ((0, 1), (0, 2))
    """
    from pyfsel.model.strengthening import counts_are_ordered
    from pyfsel.reductions.interchange import interchangeable_classes

    order, columns = values.by_quality(problem), [[j in s for s in sets] for j in range(problem.n_features)]
    for members in interchangeable_classes(problem) if counts_are_ordered(problem) else ():
        by_uses = sorted((columns[j] for j in members), key=sum, reverse=True)
        for j, column in zip(members, by_uses, strict=True):
            columns[j] = column
    better = [tuple(j for j, column in enumerate(columns) if column[s]) for s in range(len(sets))]
    return tuple(sorted(better, key=lambda members: [j in members for j in order], reverse=True))
